"""The subcommands of ``olympus``: one module each, with a function ``add`` that describes it to the parser.

To add one, write the module and name it in :data:`COMMANDS`. Nothing here imports JAX before the command runs.
"""

from __future__ import annotations

__all__ = ["COMMANDS", "Trouble"]

COMMANDS = ("lineage", "trace", "record", "signatures")
"""The modules of this package that are subcommands, in the order of ``--help``."""


class Trouble(Exception):
    """Something is wrong with what the user gave; one sentence with the place, the cause and the next step."""
