"""The function that a command is about: ``FILE:FUNCTION``, with arguments that fit its parameters."""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from olympus.commands import Trouble
from olympus.tracing.spans import traceback_chain
from olympus.trials.modules import first_line, load, place_of, shown
from olympus.trials.names import KEY_ARRAY, is_key, is_keys
from olympus.trials.specs import spec

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
        help="a parameter: an array such as f32[3,4], a key such as key or key[5], or a literal such as 3 or 'relu'; "
        "a parameter named like a key (key, rng, keys, ..._key, ..._rng) is one by itself",
    )


def follow(options: argparse.Namespace) -> Followed:
    """Import the module of the function, trace it, and follow its keys.

    What the module and the function print goes to standard error.

    Raises:
        Trouble: if that is not possible, but for a misuse of a typed key.
    """
    try:
        import jax
    except ImportError as error:
        raise Trouble("JAX is not installed: pip install 'olympus-lint[trace]'") from error
    from olympus import lineage

    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(sys.stderr))
        function, name = _function(options.target)
        static, abstract = _arguments(function, name, options)
        if options.raw and options.impl:  # raw keys do not say which generator they are for
            try:
                stack.enter_context(jax.default_prng_impl(options.impl))
            except ValueError as error:
                raise Trouble(f"--impl {options.impl}: {first_line(error)}") from error
        try:
            return Followed(name, lineage.of(_bound(function, static), **abstract), None)
        except Exception as error:
            failed = lineage.failure(error)
            if failed is None:
                raise Trouble(_trace_trouble(error, options.target, abstract)) from error
            return Followed(name, None, failed)


# The function.


def _function(target: str) -> tuple[Callable[..., Any], str]:
    file, _, name = target.rpartition(":")
    if not file or not name or not name.replace(".", "").isidentifier():
        raise Trouble(f"{target} names no function: write FILE:FUNCTION, such as train.py:step")
    path = Path(file)
    if not path.is_file():
        raise Trouble(f"{file}: there is no such file; write FILE:FUNCTION with the path of a Python file")
    if path.suffix != ".py":
        raise Trouble(f"{file}: it is no Python file; write FILE:FUNCTION with a path that ends in .py")
    found: Any = _module(path)
    module = found
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        own = [each for each, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        known = ", ".join(each for each in own if callable(getattr(module, each)) and not each.startswith("_"))
        raise Trouble(f"{file}: there is no function {name}; it has {known or 'no functions'}")
    return found, name


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


# Its arguments.


def _arguments(
    function: Callable[..., Any], name: str, options: argparse.Namespace
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments that are values, and those that are abstract, by parameter."""
    given = dict(_split(text) for text in options.arg)
    static: dict[str, Any] = {}
    abstract: dict[str, Any] = {}
    for parameter in _parameters(function, name):
        if parameter.kind is parameter.VAR_POSITIONAL:
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            rest = list(given)
        elif parameter.name in given:
            rest = [parameter.name]
        else:
            rest = []
            shape = _key_shape(parameter)
            if shape is not None:
                abstract[parameter.name] = _key(options, shape)
            elif parameter.default is parameter.empty:
                raise Trouble(_missing(parameter.name, name))
        for each in rest:
            _parse(each, given.pop(each), options, static, abstract)
    if given:
        raise Trouble(f"--arg {next(iter(given))}: {name} has no such parameter; see its signature")
    return static, abstract


def _parameters(function: Callable[..., Any], name: str) -> Sequence[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise Trouble(f"{name}: its parameters are not known; write a function around it that has some") from error


def _split(text: str) -> tuple[str, str]:
    name, equals, spec = text.partition("=")
    if not equals or not name.isidentifier():
        raise Trouble(f"--arg {text}: expected NAME=SPEC, such as --arg x=f32[3,4]")
    return name, spec


def _missing(parameter: str, function: str) -> str:
    if parameter == "self":
        method = function.rpartition(".")[2]
        return f"{function} is a method: name it by an object that the module makes, such as model.{method}"
    return f"{function} has a parameter {parameter}: give --arg {parameter}=f32[3,4] for an array, or a literal"


def _key_shape(parameter: inspect.Parameter) -> tuple[int, ...] | None:
    """Return the shape of the key that a parameter is by its name; ``None`` for another one."""
    if parameter.default not in (parameter.empty, None):
        return None
    if is_key(parameter.name):
        return ()
    return KEY_ARRAY if is_keys(parameter.name) else None


def _key(options: argparse.Namespace, shape: tuple[int, ...]) -> Any:
    from olympus.tracing.jaxprs import raw_key, typed_key

    try:
        return (raw_key if options.raw else typed_key)(options.impl, shape)
    except ValueError as error:
        raise Trouble(f"--impl {options.impl}: {first_line(error)}") from error


def _parse(name: str, text: str, options: argparse.Namespace, static: dict[str, Any], abstract: dict[str, Any]) -> None:
    """Add a parameter that was given with ``--arg``."""
    import jax

    try:
        given = spec(text)
    except ValueError as error:
        raise Trouble(f"--arg {name}={text}: {error}") from error
    struct: Any = jax.ShapeDtypeStruct  # its constructor has no annotations
    if given.kind == "literal":
        static[name] = given.value
    elif given.kind == "key":
        abstract[name] = _key(options, given.shape)
    else:
        abstract[name] = struct(given.shape, jax.numpy.dtype(given.dtype))


def _bound(function: Callable[..., Any], static: dict[str, Any]) -> Callable[..., Any]:
    """Return a function of the abstract arguments alone, all of them by keyword."""
    parameters = inspect.signature(function).parameters.values()
    ahead = [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY]

    def bound(**abstract: Any) -> Any:
        values = {**static, **abstract}
        positional = [values.pop(name) for name in ahead if name in values]
        return function(*positional, **values)

    return bound


# What is wrong, in one sentence.


def _import_trouble(error: BaseException, path: Path) -> str:
    place = place_of(error, path)
    if isinstance(error, ModuleNotFoundError):
        return f"{place}: importing it failed: {first_line(error)}; install it beside olympus"
    if isinstance(error, SystemExit):
        return f"{place}: importing it ended the program; put what runs it under if __name__ == '__main__'"
    cause = f"{type(error).__name__}: {first_line(error)}"
    return f"{place}: importing it failed: {cause}; it has to import without an error"


def _trace_trouble(error: Exception, target: str, abstract: dict[str, Any]) -> str:
    from jax.errors import ConcretizationTypeError

    chain = traceback_chain(error)
    place = f"{shown(Path(chain[0].file))}:{chain[0].line}" if chain else target
    cause = f"{place}: tracing failed: {type(error).__name__}: {first_line(error)}"
    arrays = ", ".join(f"{name}={value.dtype}{list(value.shape)}" for name, value in abstract.items())
    if isinstance(error, ConcretizationTypeError):
        return f"{cause}; where Python needs a value, give a literal with --arg NAME=3 (without one: {arrays})"
    return f"{cause}; the arguments were {arrays or 'none'}: give others with --arg NAME=SPEC"
