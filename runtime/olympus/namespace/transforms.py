"""Functions of ``jax`` that take functions: transformations, with errors that teach in what they return, and others."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper, wraps
from types import FunctionType, MethodType
from typing import Any

from olympus.namespace.explaining import Failure, explain, explained

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
        return explained(made, name) if isinstance(made, FunctionType) else Compiled(made, name)

    return transform


def with_originals(function: Callable[..., Any], module: str) -> Callable[..., Any]:
    """Make a function of JAX get JAX's own function for each argument that is a function of a module of ours.

    Args:
        function: knows some functions by their identity.
        module: the name of the module, whose functions are wrappers.
    """

    def original(value: Any) -> Any:
        return value.__wrapped__ if getattr(value, "__module__", None) == module else value

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return function(*map(original, args), **{name: original(value) for name, value in kwargs.items()})

    return call


class Compiled:
    """What ``jit`` returns, with explained errors, and with all attributes that it has in JAX.

    A function with attributes would not do: ``functools.wraps``, which JAX uses, copies them, so that
    ``jit(jit(f)).trace`` would be that of the inner function.
    """

    __slots__ = ("__dict__", "__weakref__", "_made", "_name")

    def __init__(self, made: Any, name: str) -> None:
        self._made, self._name = made, name
        update_wrapper(self, made)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call what JAX has made."""
        __tracebackhide__ = True
        try:
            return self._made(*args, **kwargs)
        except Exception as error:
            explain(error, Failure(self._name, args, kwargs, "olympus"))
            raise

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, attribute: str) -> Any:
        if attribute in Compiled.__slots__:  # a copy in the making has none of them yet
            raise AttributeError(attribute)
        return getattr(self._made, attribute)

    def __repr__(self) -> str:
        return repr(self._made)

    # These run the user's function. That they stand in the class makes this a jax.stages.Wrapped.
    lower = property(lambda self: explained(self._made.lower, self._name))
    trace = property(lambda self: explained(self._made.trace, self._name))
    eval_shape = property(lambda self: explained(self._made.eval_shape, self._name))
