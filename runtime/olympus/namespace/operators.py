"""The operators and methods of JAX's key arrays, arrays and tracers, wrapped so that their errors are explained."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from olympus.namespace.array_protocol import converts
from olympus.namespace.explaining import FOLDER, TOLD, Explanation, Failure, explain, explanations

METHODS = "olympus.Array"
"""The module of operations that are methods (``Failure.module``)."""
BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "divmod": "divmod",
}  # fmt: skip
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNARY = {"neg": "-", "pos": "+", "abs": "abs", "invert": "~", "round": "round"}
ARITHMETIC = {
    **{f"__{name}__": symbol for name, symbol in (UNARY | COMPARISONS | BINARY).items()},
    **{f"__r{name}__": symbol for name, symbol in BINARY.items()},
}
"""The operators that a random key has no meaning for; ``==`` and ``!=`` compare keys and stay as they are."""
ABSENT = ("tobytes", "tolist")
"""Methods of arrays that key arrays outside of compiled code lack."""
CONVERSIONS = (
    *("__array__", "__bool__", "__int__", "__float__", "__complex__", "__index__", "astype", "item", "view"),
    *ABSENT,
)
UNPACKING = ("__iter__", "__len__")
NUMBERS = (
    *("all", "any", "argmax", "argmin", "argpartition", "argsort", "byteswap", "choose", "clip", "conj", "conjugate"),
    *("cumprod", "cumsum", "dot", "max", "mean", "min", "nonzero", "prod", "ptp", "round", "searchsorted", "sort"),
    *("std", "sum", "trace", "var"),
)
"""Methods that every array has, and that have no meaning for keys."""
PARTS = ("imag", "real")
"""Attributes of the same kind."""
INSTEAD = {
    "compress": "olympus.numpy.compress(condition, keys)",
    "diagonal": "an index, i = olympus.numpy.arange(n) and keys[i, i]",
    "flat": "keys.ravel()",
    "mT": "olympus.numpy.matrix_transpose(keys)",
    "repeat": "olympus.numpy.repeat(keys, n)",
    "to_device": "olympus.device_put(keys, device)",
}
"""Methods and attributes that arrays of keys lack outside of compiled code, with what does the same."""
UPDATES = ("add", "apply", "divide", "get", "max", "min", "mul", "multiply", "power", "set", "subtract")
"""The methods of ``array.at[index]``."""
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
    numeric = [*(name for name in ARITHMETIC if name.strip("_") not in UNARY), "__getitem__", *NUMBERS, "take"]
    everything = [*ARITHMETIC, "__getitem__", *CONVERSIONS, *UNPACKING, *NUMBERS, "take"]
    methods = {
        "Tracer": everything,
        "PRNGKeyArray": [*everything, *PARTS, *INSTEAD],
        "ArrayImpl": [*numeric, "compress", "repeat"],
    }
    with _lock:
        explanations.extend(item for item in own if item not in explanations)
        kinds: list[type] = [jax.core.Tracer, *jax.Array.__subclasses__()]
        for kind in kinds:
            if kind.__name__ == "PRNGKeyArray":
                refuse_what_is_absent(kind)
            for name in methods.get(kind.__name__, ()):
                wrap_method(kind, name)
        for name in UPDATES:
            wrap_method(update_class(), name, f"at.{name}", lambda at: (at.array, at.index))


def update_class() -> type:
    """Return the class of ``array.at[index]``; an abstract array tells it without starting a backend."""
    import jax

    found: list[type] = []
    struct: Any = jax.ShapeDtypeStruct  # its constructor has no annotations
    jax.eval_shape(lambda array: found.append(type(array.at[0])), struct((1,), "int32"))
    return found[0]


def wrap_method(
    kind: type,
    name: str,
    operation: str | None = None,
    operands: Callable[[Any], tuple[Any, ...]] = lambda self: (self,),
) -> None:
    """Replace a method or property by one that explains errors with a key, or an object for an array, in it, once.

    Args:
        kind: the class.
        name: the method; nothing is done where the class has none.
        operation: what explanations know it by, its name by default.
        operands: gives the arguments that the object itself stands for.
    """
    original = getattr(kind, name, None)
    if original is None or getattr(original, TOLD, False):
        return
    function = original.fget if isinstance(original, property) else original
    if not callable(function) or getattr(function, TOLD, False):
        return

    @wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(self, *args, **kwargs)
        except Exception as error:
            failure = Failure(operation or name, (*operands(self), *args), kwargs, METHODS)
            if concerns(failure):
                explain(error, failure)
            raise

    setattr(method, TOLD, True)
    setattr(kind, name, property(method) if isinstance(original, property) else method)


def concerns(failure: Failure) -> bool:
    """Return whether a key, or an object that becomes an array, is among the operands, or in a tuple of them."""
    flat = [part for each in failure.given for part in (each if isinstance(each, tuple) else (each,))]
    return any(is_key(each) or converts(each) for each in flat)


def refuse_what_is_absent(kind: type) -> None:
    """Give key arrays what they lack, so that its absence is explained: Python asks no function of ours for it."""
    for name, text in REFUSED.items():
        if getattr(kind, name, None) is None:
            setattr(kind, name, refusing(name, TypeError, text.format(kind.__name__)))
    for name in ABSENT:
        if not hasattr(kind, name):
            text = f"{kind.__name__!r} object has no attribute {name!r}"
            setattr(kind, name, property(refusing(name, AttributeError, text)))


def refusing(name: str, error_type: type[Exception], text: str) -> Any:
    """Return a method that raises what Python raises where there is none, explained."""

    def method(self: Any) -> Any:
        __tracebackhide__ = True
        error = error_type(text)
        try:
            raise error
        except error_type:
            explain(error, Failure(name, (self,), module=METHODS))
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
