"""``olympus trace``: the jaxpr of a function, with the places in its source that asked for each equation."""

from __future__ import annotations

import argparse
from typing import Any

from olympus.commands.findings import report
from olympus.commands.target import EPILOG, add_target, follow


def add(commands: Any) -> None:
    """Describe the command to the parser of ``olympus``."""
    parser = commands.add_parser(
        "trace",
        help="write a function's equations with their places in the source and their keys",
        description="Trace a function and write its jaxpr, as JAX does: a comment beside each equation has the call "
        "that asked for it, and the keys that it gives, or else those that it takes.",
        epilog=EPILOG,
    )
    add_target(parser)
    parser.add_argument("--internal", action="store_true", help="write the equations inside the functions of JAX, too")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the function as JAX does, and report what is wrong; returns the exit status."""
    followed = follow(options)
    if followed.lineage is not None:
        from olympus.commands.grammar import written
        from olympus.lineage import step_by_step

        for line in written(*step_by_step(followed.lineage.trace), internal=options.internal):
            print(line)
    return report(followed)
