"""The command ``olympus``: key lineage, traces, key signatures, and which runtime and JAX this interpreter has."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from olympus._version import __version__

if TYPE_CHECKING:
    import argparse


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments, those of the process by default.

    Returns:
        The exit status: 0; 1 if a subcommand found something; 2 for bad input (for bad options argparse exits with
        it by itself).
    """
    from olympus.commands import Trouble

    options = parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without the lines of trees shows something else there
            stream.reconfigure(errors="replace")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except Trouble as trouble:
        print(f"error: {trouble}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command and all subcommands."""
    import argparse
    from importlib import import_module

    from olympus.commands import COMMANDS

    result = argparse.ArgumentParser(prog="olympus", description="The olympus runtime for JAX's random keys.")
    result.add_argument("--version", action="store_const", const=show_versions, dest="run", help="show the versions")
    result.set_defaults(run=show_versions)
    commands = result.add_subparsers(title="commands", metavar="COMMAND")
    for name in COMMANDS:
        import_module(f"olympus.commands.{name}").add(commands)
    return result


def show_versions(options: argparse.Namespace) -> int:
    """Print the versions of olympus and of the JAX beside it, without importing JAX; returns the exit status."""
    from importlib import metadata

    try:
        jax = f"jax {metadata.version('jax')}"
    except metadata.PackageNotFoundError:
        jax = "jax is not installed (pip install 'olympus-lint[trace]')"
    print(f"olympus {__version__}, {jax}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
