"""The function that a command is about: ``FILE:FUNCTION``, with arguments that fit its parameters."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from olympus.commands import Trouble
from olympus.commands.arguments import arguments, bound, shown_arrays
from olympus.tracing.adapter import require_jax
from olympus.tracing.spans import traceback_chain
from olympus.trials.modules import first_line, load, place_of, shown

if TYPE_CHECKING:
    from olympus.lineage import Failure, Lineage

EPILOG = """\
The module of the function is imported, which executes it; the function itself is traced and computes nothing.
Exit status: 0; 1 if a key is misused; 2 if the function cannot be traced.
"""


@dataclass(frozen=True, slots=True)
class Followed:
    """What came of following the keys of a function.

    Attributes:
        function: its name.
        lineage: the lineage; ``None`` if JAX refused to trace it.
        failure: the misuse of a typed key for which it did so.
    """

    function: str
    lineage: Lineage | None
    failure: Failure | None


def add_target(parser: argparse.ArgumentParser) -> None:
    """Describe the function and its arguments to a parser."""
    parser.add_argument(
        "target",
        metavar="FILE:FUNCTION",
        help="the function, such as train.py:step or model.py:Model.init; its module is executed",
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--typed", action="store_true", help="give it typed keys, as jax.random.key does (the default)")
    kind.add_argument("--raw", action="store_true", help="give it raw keys, as jax.random.PRNGKey does")
    parser.add_argument("--impl", metavar="NAME", help="the generator of the keys; JAX's default otherwise")
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="NAME=SPEC",
        help="a parameter: an array such as f32[3,4], a key such as key or key[5], a literal such as 3 or 'relu', an "
        "object of the module, or a tuple, list, dict or class of the module with these in it, such as "
        "(f32[3], key) or State(x=f32[3]); a parameter named like a key (key, rng, keys, ..._key, ..._rng) is one by "
        "itself",
    )


def follow(options: argparse.Namespace) -> Followed:
    """Import the module of the function, trace it, and follow its keys.

    What the module and the function print goes to standard error.

    Raises:
        Trouble: if that is not possible, but for a misuse of a typed key.
    """
    try:
        require_jax()
    except ImportError as error:
        raise Trouble(str(error)) from error
    import jax

    from olympus import lineage

    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(sys.stderr))
        function, name, module = _function(options.target)
        given = arguments(function, name, module, options)
        if options.raw and options.impl:  # raw keys do not say which generator they are for
            try:
                stack.enter_context(jax.default_prng_impl(options.impl))
            except ValueError as error:
                raise Trouble(f"--impl {options.impl}: {first_line(error)}") from error
        try:
            return Followed(name, lineage.of(bound(function), **given), None)
        except Exception as error:
            failed = lineage.failure(error)
            if failed is None:
                raise Trouble(_trace_trouble(error, options.target, shown_arrays(given))) from error
            return Followed(name, None, failed)


# The function.


def _function(target: str) -> tuple[Callable[..., Any], str, ModuleType]:
    file, _, name = target.rpartition(":")
    if not file or not name or not name.replace(".", "").isidentifier():
        raise Trouble(f"{target} names no function: write FILE:FUNCTION, such as train.py:step")
    path = Path(file)
    if not path.is_file():
        raise Trouble(f"{file}: there is no such file; write FILE:FUNCTION with the path of a Python file")
    if path.suffix != ".py":
        raise Trouble(f"{file}: it is no Python file; write FILE:FUNCTION with a path that ends in .py")
    module = _module(path)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        own = [each for each, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        known = ", ".join(each for each in own if callable(getattr(module, each)) and not each.startswith("_"))
        raise Trouble(f"{file}: there is no function {name}; it has {known or 'no functions'}")
    return found, name, module


def _module(path: Path) -> ModuleType:
    """Import a file: as a part of its package, if it is in one, and otherwise as Python runs a script."""
    path = path.resolve()
    parts, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    sys.path.insert(0, str(folder))
    name = ".".join(parts)
    try:
        if len(parts) > 1 or path.stem == "__init__":
            return importlib.import_module(name)
        return load(name if name not in sys.modules else f"{name} of {folder}", path)
    except (Exception, SystemExit) as error:
        raise Trouble(_import_trouble(error, path)) from error


# What is wrong, in one sentence.


def _import_trouble(error: BaseException, path: Path) -> str:
    place = place_of(error, path)
    if isinstance(error, ModuleNotFoundError):
        return f"{place}: importing it failed: {first_line(error)}; install it beside olympus"
    if isinstance(error, SystemExit):
        return f"{place}: importing it ended the program; put what runs it under if __name__ == '__main__'"
    cause = f"{type(error).__name__}: {first_line(error)}"
    return f"{place}: importing it failed: {cause}; it has to import without an error"


def _trace_trouble(error: Exception, target: str, arrays: str) -> str:
    from jax.errors import ConcretizationTypeError

    chain = traceback_chain(error)
    place = f"{shown(Path(chain[0].file))}:{chain[0].line}" if chain else target
    cause = f"{place}: tracing failed: {type(error).__name__}: {first_line(error)}"
    if isinstance(error, ConcretizationTypeError):
        return f"{cause}; where Python needs a value, give a literal with --arg NAME=3 (without one: {arrays})"
    return f"{cause}; the arguments were {arrays or 'none'}: give others with --arg NAME=SPEC"
