"""``olympus signatures``: what the functions of modules do with keys, as a signature pack."""

from __future__ import annotations

import argparse
import importlib
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from olympus.commands import Trouble
from olympus.commands.files import write_whole
from olympus.tracing.adapter import require_jax

ABOUT = (
    "Write the key signatures of all public functions of modules that take keys, as a signature pack for olympus-lint."
)


def add(commands: Any) -> None:
    """Describe the command to the parser of ``olympus``."""
    parser = commands.add_parser("signatures", help="write a signature pack of modules", description=ABOUT)
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE", default=["jax.random"], help="import name (default: jax.random)"
    )
    parser.add_argument("--output-file", type=Path, metavar="FILE", help="write to a file (default: standard output)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Import the modules, trace their functions and write the pack; returns the exit status.

    Raises:
        Trouble: JAX is not installed, a module cannot be imported, or the file cannot be written.
    """
    try:
        require_jax()
    except ImportError as error:
        raise Trouble(str(error)) from error
    from olympus.signatures.packs import pack_text

    with redirect_stdout(sys.stderr):  # what the modules print is no part of the pack
        text = pack_text([_module(name) for name in arguments.modules])
    if arguments.output_file is None:
        sys.stdout.write(text)
        return 0
    write_whole(arguments.output_file, text)
    return 0


def _module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:  # as for `python -m`
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except Exception as error:  # the user's code may raise anything
        cause = f"{type(error).__name__}: {error}"
        raise Trouble(f"{name} cannot be imported ({cause}); give the import name of a module") from None
