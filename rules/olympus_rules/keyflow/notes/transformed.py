"""Transformations around a function: which arguments of its calls JAX flattens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.values import (
    Bound,
    Boundary,
    Const,
    Function,
    Library,
    Mapped,
    Partial,
    Sequence,
    Value,
)
from olympus_rules.libraries import Model

DIFFERENTIATING = frozenset({"grad", "jacobian", "value_and_grad"})
RETURNING = DIFFERENTIATING | {"jit", "mapping", "pmap"}


def returns_boundary(model: Model) -> bool:
    """Return whether JAX makes the results of a function cross its transformation."""
    return model.is_jax and model.transform is not None and model.transform.kind in RETURNING


def marked(model: Model, function: Value, arguments: Arguments) -> Value:
    """Return a function marked with a transformation that passes its arguments on.

    Args:
        model: the transformation.
        function: the function to which it is applied.
        arguments: the arguments of the call of the transformation.
    """
    boundary = _boundary(model, arguments)
    return function if boundary is None else _with(function, boundary)


def _boundary(model: Model, arguments: Arguments) -> Boundary | None:
    """Return the boundary of a transformation, ``None`` for other models and for unknown static arguments."""
    if model.transform is None or not model.is_jax:
        return None
    if model.transform.kind == "jit":
        static = _constants(arguments.get(99, "static_argnums"), int)
        names = _constants(arguments.get(99, "static_argnames"), str)
        if static is None or names is None or any(position < 0 for position in static):
            return None
        return Boundary(model.qualified, static, names)
    if model.transform.kind in DIFFERENTIATING:
        given = arguments.get(1, "argnums")
        only = (0,) if given is None else _constants(given, int)
        return None if only is None or any(position < 0 for position in only) else Boundary(model.qualified, only=only)
    return None


def _constants(value: Value | None, kind: type) -> tuple[Any, ...] | None:
    """Return the constants in an argument that is a constant or a sequence of constants, ``None`` for anything else."""
    if value is None or value == Const(None):
        return ()
    parts = value.items if isinstance(value, Sequence) and not value.open else (value,)
    found = tuple(part.value for part in parts if isinstance(part, Const) and type(part.value) is kind)
    return found if len(found) == len(parts) else None


def _with(function: Value, boundary: Boundary) -> Value:
    if isinstance(function, Function | Library):
        return replace(function, traced=(*function.traced, boundary))
    if isinstance(function, Bound):
        return replace(function, function=_with(function.function, replace(boundary, bound=boundary.bound + 1)))
    if isinstance(function, Partial):
        names = tuple(name for name, _ in function.keywords)
        further = replace(
            boundary,
            bound=boundary.bound + len(function.args),
            static_names=(*boundary.static_names, *names),
        )
        return replace(function, function=_with(function.function, further))
    if isinstance(function, Mapped) and function.kind == "value_and_grad":
        return replace(function, function=_with(function.function, boundary))
    return function
