"""The move of a whole project from raw to typed keys: ``--migrate``.

A constructor can be renamed once every place that its keys get to is ready for typed ones. So the places come first
(``places``), then the constructors, each with what holds it back (``plan``); ``report`` says what was done and what is
left, and ``command`` reads and writes the files.
"""
