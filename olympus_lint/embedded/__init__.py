"""Python inside other files: the cells of notebooks, the code blocks of Markdown, the examples in docstrings.

``notebook``, ``markdown`` and ``doctests`` read a file as *pieces* of Python. ``module`` joins the pieces to one
module, each after a comment that marks it. That module is checked, fixed and migrated like any other. Then each piece
is put back in its place, and every byte around the pieces stays.
"""
