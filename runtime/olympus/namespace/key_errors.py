"""What the errors about random keys mean, and what to write instead.

Each function explains one kind of error (``olympus.errors.Explanation``). They tell the kinds apart by the
operation and its arguments, and by JAX's text where the arguments cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from olympus.namespace.explaining import Explanation, Failure
from olympus.namespace.operators import ARITHMETIC, CONVERSIONS, REDUCTIONS, UNPACKING, is_key

__all__ = ["EXPLANATIONS"]

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


def indexing(error: Exception, failure: Failure) -> str | None:
    """``key[1]``: a typed key has no axis for its words."""
    if failure.operation != "__getitem__" or not isinstance(error, IndexError):
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
    """``keys.sum()``: a method of arrays of numbers."""
    if failure.operation not in REDUCTIONS or not is_key(failure.arguments[0]):
        return None
    return (
        f"The method {failure.operation} works on numbers, and this is {describe(failure.arguments[0])}. {WORDS_ARE}."
    )


def mixture(error: Exception, failure: Failure) -> str | None:
    """``where(c, key, raw)``, ``stack([key, 1])``: one array cannot hold keys and numbers."""
    if not re.search(r"not a valid dtype for JAX type promotion|must have the same|Cannot determine dtype", str(error)):
        return None
    import jax

    values = [
        value for value in jax.tree.leaves((failure.arguments, dict(failure.keywords))) if hasattr(value, "dtype")
    ]
    key, other = first_key(values), next((value for value in values if is_raw(value)), None)
    if key is None:
        return None
    if other is None:
        return f"{failure.operation} cannot mix {describe(key)} with numbers; {WORDS}."
    return (
        f"{failure.operation} cannot mix {describe(key)} with {describe(other)}. Make both typed, with "
        "wrap_key_data(raw), or both raw, with key_data(key)."
    )


def unpacking(error: Exception, failure: Failure) -> str | None:
    """``a, b = key``, ``len(key)``: one key is not a sequence."""
    if failure.operation not in UNPACKING or not is_key(failure.arguments[0]):
        return None
    return (
        f"This takes {describe(failure.arguments[0])} for a sequence, and it is one key. "
        "Make several from it first: key, subkey = split(key)."
    )


def seed(error: Exception, failure: Failure) -> str | None:
    """``key(key(0))``, ``PRNGKey(raw_key)``: a key is not a seed."""
    if failure.operation not in {"key", "PRNGKey"} or not isinstance(error, TypeError):
        return None
    given = failure.arguments[0] if failure.arguments else failure.keywords.get("seed")
    if is_key(given):
        return f"The seed is {describe(given)}. It is a key already: use it as it is. {DERIVE}."
    if is_raw(given):
        return (
            f"The seed has the form of {describe(given)}. A raw key can be used as it is, and "
            f"wrap_key_data(raw) makes a typed key from it. {DERIVE}."
        )
    return None


def not_a_key(error: Exception, failure: Failure) -> str | None:
    """``normal(5)``: a number, or an array of another form, where a key is wanted."""
    text = str(error)
    if not text.startswith(("JAX encountered invalid PRNG key data", "unexpected PRNG key type")):
        return None
    import jax.random

    values = [*failure.arguments, *(failure.keywords[name] for name in ("key", "keys") if name in failure.keywords)]
    if failure.operation not in vars(jax.random) or not values:
        return "A function of olympus.random was given something other than a key. Make a key with key(seed)."
    given = values[0]
    start = f"{failure.operation} was given {describe(given)} where it takes a key."
    if failure.operation == "wrap_key_data":
        if is_key(given):
            return f"wrap_key_data was given {describe(given)}, which needs no wrapping."
        return f"wrap_key_data was given {describe(given)}. It takes the uint32 words that key_data(key) gives."
    if isinstance(given, int):
        return f"{start} Make one from the number first: {failure.operation}(key({given}), ...)."
    if is_key(first_key(values[1:])):
        return f"{start} The key is the first argument: {failure.operation}(key, ...)."
    if str(getattr(given, "dtype", "")) == "uint32" and given.shape:
        return (
            f"{start} A raw key has the shape {raw_shape()}; if these are words of several keys, the wrong axis "
            "was mapped over or indexed: keys lie along axis 0 (in_axes=0). Typed keys, key(seed), cannot mix."
        )
    return f"{start} Make a key with key(seed)."


def key_array(error: Exception, failure: Failure) -> str | None:
    """``normal(split(key))``: an array of keys where one key is wanted."""
    if "accepts a single key, but was given a key array" not in str(error):
        return None
    given = (*failure.arguments, *failure.keywords.values())
    name = failure.operation
    what = describe(given[0]) if given else "a key array"
    mapped = f"vmap({name})" if len(given) < 2 else f"vmap(lambda key: {name}(key, ...))"
    return (
        f"{name} takes one key, and was given {what}. For a result of each key, map over them: {mapped}(keys). "
        "For one result, take one key: keys[0], or key, subkey = split(key)."
    )


def mapped_axis(error: Exception, failure: Failure) -> str | None:
    """``vmap(normal, in_axes=1)(keys)``: typed keys have no axis of words to map over."""
    pattern = r"(\w+) was requested to map its argument along axis (-?\d+).*shape is (\(.*?\))"
    match = re.match(pattern, str(error), re.S)
    if match is None:
        return None
    import jax

    leaves = jax.tree.leaves((failure.arguments, dict(failure.keywords)))
    key = next((leaf for leaf in leaves if is_key(leaf) and str(leaf.shape) == match[3]), None)
    if key is None:
        return None
    start = f"{match[1]} was to map over axis {match[2]} of {describe(key)}."
    if not key.shape:
        return (
            f"{start} This is one key, with no axis: map over split(key, n), or give all lanes this key and "
            "fold_in(key, lane number) in them (in_axes=None)."
        )
    return (
        f"{start} The words of a typed key are not an axis, so that keys lie along "
        f"{'axis 0' if len(key.shape) == 1 else f'axes 0 to {len(key.shape) - 1}'} only: in_axes=0."
    )


def mapped_sizes(error: Exception, failure: Failure) -> str | None:
    """``vmap(f)(split(key, 3), x)`` with ``x`` of another length: one key for each lane."""
    match = re.match(r"(\w+) got inconsistent sizes for array axes to be mapped", str(error))
    key = first_key((failure.arguments, dict(failure.keywords))) if match else None
    if match is None or key is None or not key.shape:
        return None
    return (
        f"{match[1]} takes a key for each lane, and was given {describe(key)} beside arguments of another length. "
        "Split the key into as many keys as there are lanes: split(key, n)."
    )


def derivative(error: Exception, failure: Failure) -> str | None:
    """``grad(f)(key, x)``: there is no derivative by a key."""
    match = re.match(r"(\w+) requires .*-valued inputs .*but got (key<\w+>)", str(error), re.S)
    if match is None:
        return None
    return (
        f"{match[1]} was to differentiate by an argument of dtype {match[2]}, a random key. "
        f"Name the arguments to differentiate by: {match[1]}(f, argnums=1)."
    )


def count(error: Exception, failure: Failure) -> str | None:
    """``split(key, key)``: a key for a count or a size."""
    if "'PRNGKeyArray' object cannot be interpreted as an integer" not in str(error):
        return None
    return f"{failure.operation} was given a random key where it takes an integer. {DERIVE}."


def number_function(error: Exception, failure: Failure) -> str | None:
    """``jnp.add(key, 1)``, ``jnp.sum(keys)``: a function of numbers, by what JAX says of the dtype."""
    match = re.match(
        r"(?:(\w+) does not accept dtype|Cannot (?:interpret|convert_element_type)|Unsupported dtype|unexpected input)"
        r".*?(key<[^>]*>)",
        str(error),
    )
    if match is None:
        return None
    import jax.random

    if match[1] in {"equal", "not_equal"}:
        return f"A random key of dtype {match[2]} can be compared with keys of its dtype only; {WORDS}."
    if failure.operation in vars(jax.random):
        function = f"{failure.operation} takes numbers beside the key"
    else:
        function = f"{match[1] or 'This'} works on numbers"
    return f"{function}, and was given a random key of dtype {match[2]}. {DERIVE}; {WORDS}."


EXPLANATIONS: tuple[Explanation, ...] = (
    indexing,
    arithmetic,
    conversion,
    hashing,
    reduction,
    unpacking,
    seed,
    not_a_key,
    key_array,
    mapped_axis,
    mapped_sizes,
    derivative,
    number_function,
    mixture,
    count,
)
