"""The operators of JAX's key arrays, arrays and tracers, wrapped so that their errors are explained."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import wraps
from typing import Any

from olympus.namespace.array_protocol import converts
from olympus.namespace.explaining import FOLDER, TOLD, Explanation, Failure, explain, explanations

__all__ = ["ARITHMETIC", "CONVERSIONS", "REDUCTIONS", "UNPACKING", "install", "is_key"]

SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "divmod": "divmod",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNARY = {"neg": "-", "pos": "+", "abs": "abs", "invert": "~", "round": "round"}
ARITHMETIC = {
    **{f"__{name}__": symbol for name, symbol in (UNARY | COMPARISONS | SYMBOLS).items()},
    **{f"__r{name}__": symbol for name, symbol in SYMBOLS.items()},
}
"""The operators that a random key has no meaning for; ``==`` and ``!=`` compare keys and stay as they are."""
CONVERSIONS = ("__array__", "__bool__", "__int__", "__float__", "__complex__", "__index__", "astype", "item", "view")
UNPACKING = ("__iter__", "__len__")
REDUCTIONS = ("argmax", "argmin", "argsort", "cumsum", "dot", "max", "mean", "min", "prod", "sort", "std", "sum", "var")
"""Methods that every array has, and that have no meaning for keys."""
REFUSED = {
    "__int__": "int() argument must be a string, a bytes-like object or a real number, not {!r}",
    "__float__": "float() argument must be a string or a real number, not {!r}",
    "__complex__": "complex() first argument must be a string or a number, not {!r}",
    "__hash__": "unhashable type: {!r}",
}
"""What a key outside of compiled code has no method for, with what Python says of it."""

_lock = threading.Lock()


def install(own: Iterable[Explanation]) -> None:
    """Wrap the operators of JAX's key arrays, arrays and tracers, once, so that their errors are explained.

    The wrappers call the original and change nothing but the text of an error. Numeric arrays are among the
    classes for ``array + key``, which asks the array first. ``jax.Array`` knows its classes; asking for the type
    of a key instead would start a backend, which a program may want to configure first.

    Args:
        own: explanations to ask after those that are there.
    """
    import jax
    from jax.extend.source_info_util import register_exclusion

    register_exclusion(FOLDER)  # our frames between a user's call and JAX's are not the user's
    numeric = [*(name for name in ARITHMETIC if name.strip("_") not in UNARY), "__getitem__", "dot"]
    everything = [*ARITHMETIC, "__getitem__", *CONVERSIONS, *UNPACKING, *REDUCTIONS]
    methods = {"Tracer": everything, "PRNGKeyArray": everything, "ArrayImpl": numeric}
    with _lock:
        explanations.extend(item for item in own if item not in explanations)
        kinds: list[type] = [jax.core.Tracer, *jax.Array.__subclasses__()]
        for kind in kinds:
            for name, text in REFUSED.items() if kind.__name__ == "PRNGKeyArray" else ():
                if getattr(kind, name, None) is None:
                    setattr(kind, name, refusing(name, text.format(kind.__name__)))
            for name in methods.get(kind.__name__, ()):
                if callable(getattr(kind, name, None)):
                    wrap_method(kind, name)


def wrap_method(kind: type, name: str) -> None:
    """Replace a method by one that explains errors with a key, or an object for an array, among the operands, once."""
    original = getattr(kind, name)
    if getattr(original, TOLD, False):
        return

    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return original(self, *args, **kwargs)
        except Exception as error:
            if any(map(is_key, (self, *args))) or any(map(converts, args)):
                explain(error, Failure(name, (self, *args), kwargs))
            raise

    setattr(method, TOLD, True)
    setattr(kind, name, method)


def refusing(name: str, text: str) -> Any:
    """Return a method that raises what Python raises where there is none, explained."""

    def method(self: Any) -> Any:
        __tracebackhide__ = True
        error = TypeError(text)
        try:
            raise error
        except TypeError:
            explain(error, Failure(name, (self,)))
            raise

    method.__name__ = name
    setattr(method, TOLD, True)
    return method


def is_key(value: object) -> bool:
    """Return whether a value is a typed key or an array of typed keys, traced or not."""
    import jax.dtypes

    dtypes: Any = jax.dtypes
    try:
        return bool(dtypes.issubdtype(getattr(value, "dtype", object), dtypes.prng_key))
    except TypeError:  # it is no dtype at all
        return False
