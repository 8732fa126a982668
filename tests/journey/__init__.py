"""The journey of a first user: the installed wheel, on a project of its own, in an empty environment.

Each step is a list of commands and edits. What they say and change is compared with a file in ``snapshots``, which a
person has read. To write the files anew, and then to read what has changed:

    $ OLYMPUS_SNAPSHOTS=write .venv/bin/pytest -m "" tests/journey
    $ git diff tests/journey/snapshots
"""
