"""Python inside of other files: the cells of notebooks, the code blocks of Markdown, the examples in docstrings.

A file is read as *pieces* of Python (``notebook``, ``markdown``, ``doctests``), which are joined to one module
(``module``), each behind a comment that marks it. That module is checked, fixed and migrated like any other; then
each piece is put back where it was, so that every byte around the pieces stays.
"""
