"""The move of a whole project from raw to typed keys: ``--migrate``.

A constructor can be renamed once every place that its keys reach is ready for typed keys. So ``rewriting`` makes the
places ready first. Then ``plan`` finds the reasons that hold back each constructor, and ``project`` renames the others.
``report`` shows the result. ``safety`` answers the same question for a single fix of ``--fix``.
"""
