"""What errors say of values: ``a key of dtype key<fry> and shape ()``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from olympus.namespace.operators import is_key

DERIVE = "Derive keys with split(key, n) or fold_in(key, number)"
WORDS = "the words themselves are key_data(key)"
WORDS_ARE = "The words of keys are key_data(keys)"


def describe(value: Any) -> str:
    """Return what a value is, in the words of the documentation: ``a key of dtype key<fry> and shape ()``."""
    if is_key(value):
        noun = "key array" if value.shape else "key"
        return f"a {noun} of dtype {value.dtype} and shape {value.shape}"
    if is_raw(value):
        noun = "raw key" if len(value.shape) == 1 else "array of raw keys"
        return f"{'an' if noun[0] == 'a' else 'a'} {noun} of dtype uint32 and shape {value.shape}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"an array of dtype {value.dtype} and shape {value.shape}"
    if isinstance(value, int | float | str):
        return f"the {'number' if isinstance(value, int | float) else 'string'} {value!r}"
    return f"a {type(value).__name__}"


def is_raw(value: Any) -> bool:
    """Return whether a value has the dtype and the last axis of raw keys of the default implementation."""
    shape = getattr(value, "shape", None)
    return isinstance(shape, tuple) and str(getattr(value, "dtype", "")) == "uint32" and shape[-1:] == raw_shape()


def raw_shape() -> tuple[int, ...]:
    """Return the shape of one raw key of the default implementation."""
    import jax

    return tuple(jax.eval_shape(lambda: jax.random.PRNGKey(0)).shape)


def first_key(values: Sequence[Any]) -> Any:
    """Return the first key or key array among the leaves of values, or ``None``."""
    import jax

    return next(filter(is_key, jax.tree.leaves(values)), None)
