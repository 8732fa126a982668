"""Transformations that a function is under: which arguments of its calls JAX takes apart."""

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

__all__ = ["DIFFERENTIATING", "OPERANDS", "RETURNING", "TRACING", "marked"]

TRACING = frozenset(
    {
        "jax.ad_checkpoint.checkpoint", "jax.checkpoint", "jax.experimental.pjit.pjit", "jax.jit", "jax.pjit",
        "jax.remat",
    }
)  # fmt: skip
DIFFERENTIATING = frozenset({"jax.grad", "jax.hessian", "jax.jacfwd", "jax.jacrev", "jax.value_and_grad"})
RETURNING = TRACING | DIFFERENTIATING | {"jax.pmap", "jax.vmap"}

# Calls that take a function and what to call it with: (position, name, what the argument is).
OPERANDS: dict[str, tuple[tuple[int, str, str], ...]] = {
    "jax.lax.scan": ((1, "init", "carry"), (2, "xs", "input")),
    "jax.lax.fori_loop": ((3, "init_val", "carry"),),
    "jax.lax.while_loop": ((2, "init_val", "carry"),),
    "jax.lax.map": ((1, "xs", "input"),),
    "jax.lax.associative_scan": ((1, "elems", "input"),),
    "jax.lax.cond": tuple((position, "operand", "operand") for position in range(3, 9)),
    "jax.lax.switch": tuple((position, "operand", "operand") for position in range(2, 8)),
    "jax.eval_shape": tuple((position, "", "argument") for position in range(1, 9)),
    "jax.linearize": tuple((position, "", "argument") for position in range(1, 9)),
    "jax.vjp": tuple((position, "", "argument") for position in range(1, 9)),
    "jax.jvp": ((1, "primals", "argument"), (2, "tangents", "argument")),
    "jax.pure_callback": tuple((position, "", "argument") for position in range(2, 10)),
    "jax.experimental.io_callback": tuple((position, "", "argument") for position in range(2, 10)),
}


def marked(qualified: str, function: Value, arguments: Arguments) -> Value:
    """Return a function under a transformation that hands its arguments on, with a note of the transformation.

    Args:
        qualified: the transformation.
        function: what it is applied to.
        arguments: those of the call of the transformation.
    """
    boundary = _boundary(qualified, arguments)
    return function if boundary is None else _with(function, boundary)


def _boundary(qualified: str, arguments: Arguments) -> Boundary | None:
    """Return the transformation, ``None`` for another one and where it is not known what it leaves alone."""
    if qualified in TRACING:
        static = _constants(arguments.get(99, "static_argnums"), int)
        names = _constants(arguments.get(99, "static_argnames"), str)
        if static is None or names is None or any(position < 0 for position in static):
            return None
        return Boundary(qualified, static, names)
    if qualified in DIFFERENTIATING:
        given = arguments.get(1, "argnums")
        only = (0,) if given is None else _constants(given, int)
        return None if only is None or any(position < 0 for position in only) else Boundary(qualified, only=only)
    return None


def _constants(value: Value | None, kind: type) -> tuple[Any, ...] | None:
    """Return the constants in an argument that is one or a sequence of them, ``None`` for anything else."""
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
