"""The command ``olympus``: says which runtime and which JAX this interpreter has."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata

import olympus

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: the arguments, those of the process by default.

    Returns:
        The exit status: 0, or 2 for bad arguments (argparse exits with it by itself).
    """
    parser = argparse.ArgumentParser(prog="olympus", description="The olympus runtime for JAX's random keys.")
    parser.add_argument("--version", action="version", version=versions())
    parser.parse_args(argv)
    print(versions())
    return 0


def versions() -> str:
    """Return the versions of olympus and of the JAX beside it, without importing JAX."""
    try:
        jax = f"jax {metadata.version('jax')}"
    except metadata.PackageNotFoundError:
        jax = "jax is not installed (pip install 'olympus-lint[trace]')"
    return f"olympus {olympus.__version__}, {jax}"


if __name__ == "__main__":
    sys.exit(main())
