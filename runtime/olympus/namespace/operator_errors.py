"""What errors of operators and methods of random keys mean, and what to write instead.

Each function explains one kind of error (``olympus.errors.Explanation``), by the operation and its arguments.
"""

from __future__ import annotations

from typing import Any

from olympus.namespace.describing import DERIVE, WORDS, WORDS_ARE, describe, first_key, is_raw
from olympus.namespace.explaining import Failure
from olympus.namespace.operators import ARITHMETIC, CONVERSIONS, INSTEAD, METHODS, NUMBERS, PARTS, UNPACKING, is_key


def indexing(error: Exception, failure: Failure) -> str | None:
    """``key[1]``: a typed key has no axis for its words."""
    if not failure.operation.startswith(("__getitem__", "at.")) or not isinstance(error, IndexError):
        return None
    key = failure.arguments[0]
    if not is_key(key):
        return None
    if key.shape:
        return (
            f"The index has more parts than the key array has axes: {describe(key)}. "
            f"The words of a typed key are not an axis; {WORDS}."
        )
    return f"Indexing reads the words of {describe(key)}, and a typed key hides them. {DERIVE}; {WORDS}."


def arithmetic(error: Exception, failure: Failure) -> str | None:
    """``key + 1``, ``-key``, ``key < other``: keys are not numbers."""
    key = first_key(failure.arguments)
    if failure.operation not in ARITHMETIC or key is None:
        return None
    return (
        f"The operator {ARITHMETIC[failure.operation]} has no meaning for {describe(key)}: "
        f"keys made by arithmetic give correlated numbers. {DERIVE}; {WORDS}."
    )


def conversion(error: Exception, failure: Failure) -> str | None:
    """``np.asarray(key)``, ``bool(key)``, ``key.astype(...)``: a key is no number and no NumPy array."""
    if failure.operation not in CONVERSIONS or not is_key(failure.arguments[0]):
        return None
    what = {"__array__": "a NumPy array", "__bool__": "a bool"}.get(failure.operation, "numbers")
    return (
        f"This turns {describe(failure.arguments[0])} into {what}. key_data(key) gives its words as an array, "
        "and wrap_key_data(words) makes the key from them again."
    )


def hashing(error: Exception, failure: Failure) -> str | None:
    """``{key: value}``: arrays are not hashable, and keys are arrays."""
    if failure.operation != "__hash__":
        return None
    return (
        f"This looks up {describe(failure.arguments[0])} in a dict, a set or a cache. Take what the key was made of "
        "instead, such as a seed or a name, or its words: tuple(key_data(key).tolist())."
    )


def reduction(error: Exception, failure: Failure) -> str | None:
    """``keys.sum()``, ``key.real``: of arrays of numbers."""
    if failure.module != METHODS or failure.operation not in (*NUMBERS, *PARTS) or not is_key(failure.arguments[0]):
        return None
    noun = "attribute" if failure.operation in PARTS else "method"
    verb = "is of" if failure.operation in PARTS else "works on"
    return f"The {noun} {failure.operation} {verb} numbers, and this is {describe(failure.arguments[0])}. {WORDS_ARE}."


def instead(error: Exception, failure: Failure) -> str | None:
    """``keys.repeat(2)``, ``key.to_device(device)``: what key arrays lack, and a function does."""
    if failure.operation not in INSTEAD or not isinstance(error, NotImplementedError):
        return None
    return (
        f"Key arrays have no {failure.operation}, and this is {describe(failure.arguments[0])}. "
        f"Write {INSTEAD[failure.operation]}."
    )


def update(error: Exception, failure: Failure) -> str | None:
    """``keys.at[0].set(1)``, ``keys.at[0].add(1)``: a key array holds keys, and no numbers."""
    what, _, method = failure.operation.partition("at.")
    keys: Any = failure.arguments[0] if failure.arguments else None
    if what or method in ("", "apply", "get") or not is_key(keys):
        return None
    value: Any = failure.given[2] if len(failure.given) > 2 else None
    if method != "set":
        return (
            f"at[...].{method} has no meaning for {describe(keys)}: keys made by arithmetic give correlated numbers. "
            f"{DERIVE}; {WORDS}."
        )
    if is_key(value) and value.dtype == keys.dtype:
        return None
    put = f"at[...].set puts keys into {describe(keys)}, and was given {describe(value)}."
    if is_raw(value):
        return f"{put} Make it typed first: wrap_key_data(raw)."
    return f"{put} Give it keys of this dtype, such as keys.at[i].set(key)."


def unpacking(error: Exception, failure: Failure) -> str | None:
    """``a, b = key``, ``len(key)``: one key is not a sequence."""
    if failure.operation not in UNPACKING or not is_key(failure.arguments[0]):
        return None
    return (
        f"This takes {describe(failure.arguments[0])} for a sequence, and it is one key. "
        "Make several from it first: key, subkey = split(key)."
    )
