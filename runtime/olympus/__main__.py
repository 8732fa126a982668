"""The command ``olympus``: key signatures, and which runtime and which JAX this interpreter has."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module, metadata

import olympus
from olympus.commands import COMMANDS, Trouble

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments, those of the process by default.

    Returns:
        The exit status: 0, or 2 for bad input (for bad options argparse exits with it by itself).
    """
    parser = argparse.ArgumentParser(prog="olympus", description="The olympus runtime for JAX's random keys.")
    parser.add_argument("--version", action="version", version=versions())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in COMMANDS:
        import_module(f"olympus.commands.{name}").add(commands)
    options = parser.parse_args(argv)
    if "run" not in options:
        print(versions())
        return 0
    try:
        status: int = options.run(options)
    except Trouble as trouble:
        print(f"error: {trouble}", file=sys.stderr)
        return 2
    return status


def versions() -> str:
    """Return the versions of olympus and of the JAX beside it, without importing JAX."""
    try:
        jax = f"jax {metadata.version('jax')}"
    except metadata.PackageNotFoundError:
        jax = "jax is not installed (pip install 'olympus-lint[trace]')"
    return f"olympus {olympus.__version__}, {jax}"


if __name__ == "__main__":
    sys.exit(main())
