"""The transformations of ``jax``, with errors that teach in what they return."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from olympus.errors import explained

__all__ = ["adapt"]

TRANSFORMATIONS = frozenset(
    {
        "checkpoint",
        "grad",
        "hessian",
        "jacfwd",
        "jacobian",
        "jacrev",
        "jit",
        "linear_transpose",
        "make_jaxpr",
        "named_call",
        "pmap",
        "remat",
        "shard_map",
        "smap",
        "value_and_grad",
        "vmap",
    }
)
"""They take a function and return one, or take options and return what takes the function."""
CALLS = frozenset(["device_put", "eval_shape", "jvp", "linearize", "vjp"])
"""They call the function, or take the arrays, at once."""

TRACING = frozenset(["eval_shape", "lower", "trace"])
"""The attributes of a compiled function that run the user's function."""


def adapt(name: str, value: Any) -> Any:
    """Return what ``olympus`` shows for a name of ``jax``."""
    if name in TRANSFORMATIONS:
        return transformation(value, name)
    return explained(value, name, "olympus") if name in CALLS else value


def transformation(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Wrap a transformation so that errors of the functions it makes are explained."""
    make = explained(original, name, "olympus")

    @wraps(make)
    def transform(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        made = make(*args, **kwargs)
        if not args and not kwargs.keys() & {"fun", "f"}:
            return transformation(made, name)  # @jit(static_argnames=...): the function comes next
        return explained_with_attributes(made, name)

    return transform


def explained_with_attributes(made: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Wrap what a transformation returned, and keep ``lower``, ``trace``, ``clear_cache`` and whatever it has."""
    call = explained(made, name)
    for attribute in dir(made):
        if not attribute.startswith("__"):
            value = getattr(made, attribute)
            setattr(call, attribute, explained(value, name) if attribute in TRACING else value)
    return call
