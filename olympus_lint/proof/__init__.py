"""The proof of a migration with the user's own tests: ``--migrate --check COMMAND``.

``trees`` lists the user's tree and copies it. ``commands`` runs the command in a copy, under limits. ``recorder`` is a
plugin for pytest that writes down the outcome of each test; ``outcomes`` reads and compares them. ``blame`` finds the
places of the report that a failing test executes. ``trial`` puts it together, and ``account`` tells the result.
"""
