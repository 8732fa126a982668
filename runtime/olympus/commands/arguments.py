"""The arguments of the function that a command is about: pytrees of abstract arrays and keys, and values."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from olympus.commands import Trouble
from olympus.trials.modules import first_line
from olympus.trials.names import KEY_ARRAY, is_key, is_keys
from olympus.trials.specs import NOTHING, WRITE, Spec, spec


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value among the arguments that is not traced."""

    value: Any


def arguments(
    function: Callable[..., Any], name: str, module: ModuleType, options: argparse.Namespace
) -> dict[str, Any]:
    """Return the arguments by parameter: pytrees of abstract arrays, keys and :class:`Fixed` values.

    Raises:
        Trouble: one is missing, cannot be read, or has no parameter.
    """
    given = dict(_split(text) for text in options.arg)
    found: dict[str, Any] = {}
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
                found[parameter.name] = _key(options, shape)
            elif parameter.default is parameter.empty:
                raise Trouble(_missing(parameter.name, name))
        for each in rest:
            text = given.pop(each)
            try:
                found[each] = _argument(spec(text, objects=True), module, options)
            except ValueError as error:
                raise Trouble(f"--arg {each}={text}: {error}") from error
    if given:
        raise Trouble(f"--arg {next(iter(given))}: {name} has no such parameter; see its signature")
    return found


def bound(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of arguments by keyword, with the values in the place of those that are fixed."""
    parameters = inspect.signature(function).parameters.values()
    ahead = [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY]

    def call(**given: Any) -> Any:
        import jax

        values = jax.tree.map(lambda leaf: leaf.value if isinstance(leaf, Fixed) else leaf, given)
        positional = [values.pop(name) for name in ahead if name in values]
        return function(*positional, **values)

    return call


def shown_arrays(given: dict[str, Any]) -> str:
    """Return the abstract arrays among arguments, as ``x=float32[3]``; empty if there are none."""
    import jax

    leaves = [
        (f"{name}{jax.tree_util.keystr(path)}", leaf)
        for name, argument in given.items()
        for path, leaf in jax.tree_util.tree_flatten_with_path(argument)[0]
    ]
    return ", ".join(f"{path}={leaf.dtype}{list(leaf.shape)}" for path, leaf in leaves if not isinstance(leaf, Fixed))


def _parameters(function: Callable[..., Any], name: str) -> Sequence[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise Trouble(f"{name}: its parameters are not known; write a function around it that has some") from error


def _split(text: str) -> tuple[str, str]:
    name, equals, written = text.partition("=")
    if not equals or not name.isidentifier():
        raise Trouble(f"--arg {text}: expected NAME=SPEC, such as --arg x=f32[3,4]")
    return name, written


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


def _argument(given: Spec, module: ModuleType, options: argparse.Namespace) -> Any:
    """Return an argument that was given in words."""
    import jax

    from olympus.tracing.jaxprs import RawKey

    made = _made(given, module, options)
    if given.kind in ("literal", "object"):
        return Fixed(made)
    return jax.tree.map(lambda leaf: leaf if isinstance(leaf, jax.ShapeDtypeStruct | RawKey) else Fixed(leaf), made)


def _made(given: Spec, module: ModuleType, options: argparse.Namespace) -> Any:
    """Return a part of an argument, with values as they are."""
    import jax

    struct: Any = jax.ShapeDtypeStruct  # its constructor has no annotations
    parts = [_made(part, module, options) for part in given.parts]
    match given.kind:
        case "literal":
            return given.value
        case "key":
            return _key(options, given.shape)
        case "array":
            return struct(given.shape, jax.numpy.dtype(given.dtype))
        case "dict":
            return dict(zip(given.names, parts, strict=True))
        case "object":
            return _found(given.value, module)
        case "call":
            return _called(given, parts, module)
    return tuple(parts) if given.kind == "tuple" else parts


def _found(name: str, module: ModuleType) -> Any:
    """Return an object of a module by its dotted name."""
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ValueError(f"{NOTHING}, and the module has no {name}; {WRITE}") from None
    return found


def _called(given: Spec, parts: list[Any], module: ModuleType) -> Any:
    """Return a pytree that a class of the module makes, such as a named tuple."""
    import jax

    make = _found(given.value, module)
    positional = [part for name, part in zip(given.names, parts, strict=True) if name is None]
    named = {name: part for name, part in zip(given.names, parts, strict=True) if name is not None}
    try:
        made = make(*positional, **named)
    except Exception as error:
        raise ValueError(f"{given.value} failed: {type(error).__name__}: {first_line(error)}") from error
    if jax.tree_util.all_leaves([made]):
        raise ValueError(f"{given.value} makes no pytree; JAX takes named tuples and registered classes")
    return made
