"""What the errors about random keys, and about objects that become arrays (JEP 28661), mean; and what to write instead.

Each function explains one kind of error (``olympus.errors.Explanation``). They tell the kinds apart by the
operation and its arguments, and by JAX's text where the arguments cannot tell.
"""

from __future__ import annotations

import re

from olympus.namespace import operator_errors
from olympus.namespace.array_protocol import converts
from olympus.namespace.describing import DERIVE, WORDS, describe, first_key, is_raw, raw_shape
from olympus.namespace.explaining import Explanation, Failure, source_line
from olympus.namespace.operators import METHODS, is_key

LEGACY = "Legacy uint32 key array passed"
TAKE_ARRAYS = ("olympus.lax", "olympus.nn", "olympus.random", METHODS)
"""Modules whose functions take arrays, and do not make them of objects."""


def mixture(error: Exception, failure: Failure) -> str | None:
    """``where(c, key, raw)``, ``stack([key, 1])``: one array cannot hold keys and numbers."""
    pattern = r"not a valid dtype for JAX type promotion|must have the same|Cannot determine dtype of key<"
    if not re.search(pattern, str(error)):
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
    if "accepts a scalar seed" in str(error):
        mapped = f"vmap({failure.operation})(seeds)"
        return f"The seed is {describe(given)}. For a key of each of its numbers, map over them: {mapped}."
    return None


def not_a_key(error: Exception, failure: Failure) -> str | None:
    """``normal(5)``: a number, or an array of another form, where a key is wanted."""
    text = str(error)
    if not text.startswith(("JAX encountered invalid PRNG key data", "unexpected PRNG key type")):
        return None
    import jax.random

    values = [*failure.arguments, *(failure.keywords[name] for name in ("key", "keys") if name in failure.keywords)]
    if values and converts(values[0]):
        return None
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
    """``vmap(f)(split(key, 3), x)`` or ``scan`` with ``x`` of another length: one key for each lane or iteration."""
    pattern = (
        r"(\w+) got (?:inconsistent sizes for array axes to be mapped|values with different leading axis sizes"
        r"|`length` argument of (\d+))"
    )
    match = re.match(pattern, str(error))
    keys = first_key(failure.given) if match else None
    if match is None or keys is None or not keys.shape:
        return None
    lanes = "lane" if match[1] in ("vmap", "pmap") else "iteration"
    beside = f"a length of {match[2]}" if match[2] else "arguments of another length"
    return (
        f"{match[1]} takes a key for each {lanes}, and was given {describe(keys)} beside {beside}. "
        f"Split the key into as many keys as there are {lanes}s: split(key, n)."
    )


def unlike_results(error: Exception, failure: Failure) -> str | None:
    """``cond(p, lambda: key, lambda: raw)``, a carry that changes: a result is a key of one kind."""
    match = re.search(r"\b(branch|branches|true_fun|carry|input)\b.*? must have (?:equal|identical) ", str(error))
    if match is None:
        return None
    if match[1] in ("branch", "branches", "true_fun"):
        start = f"All branches of {failure.operation} have to give keys of one kind"
    else:
        start = f"The body of {failure.operation} has to give keys of the kind that it takes"
    for line in str(error).splitlines():  # each is about one result
        kinds = list(dict.fromkeys(re.findall(r"key<[^>]*>", line)))
        if len(kinds) > 1:
            return f"{start}, and these are of different generators: {kinds[0]} and {kinds[1]}."
        if kinds and re.search(r"uint32\[[^\]]+\]", line):
            return (
                f"{start}, and one is a typed key, {kinds[0]}, where another is an array of uint32, as raw keys are. "
                "Make both typed, with wrap_key_data(raw), or both raw, with key_data(key)."
            )
    return None


def not_one_number(error: Exception, failure: Failure) -> str | None:
    """``fold_in(key, jnp.arange(3))``: one number is folded in."""
    if not str(error).startswith("fold_in accepts a scalar") or len(failure.given) < 2:
        return None
    return (
        f"fold_in takes one number, and was given {describe(failure.given[1])}. For a key of each number, map over "
        "them: vmap(lambda number: fold_in(key, number))(numbers)."
    )


def traced_count(error: Exception, failure: Failure) -> str | None:
    """``jit(lambda n: split(key, n))``: the number of keys is a part of a shape."""
    import jax

    tracers = [leaf for leaf in jax.tree.leaves(failure.given[1:]) if isinstance(leaf, jax.core.Tracer)]
    if failure.operation != "split" or failure.module != "olympus.random" or not tracers:
        return None
    return (
        "split was given a traced number of keys, and a number of keys is a part of a shape, which compiled code has "
        "to know. Make the number a static argument (static_argnames of jit), or derive one key for each number "
        "with fold_in(key, number)."
    )


def legacy(error: Warning | Exception, failure: Failure) -> str | None:
    """A raw key, where the flag ``olympus_legacy_prng_key`` warns of them or refuses them."""
    if not str(error).startswith(LEGACY):
        return None
    raw = next(filter(is_raw, failure.given), None)
    return (
        f"{failure.operation} was given {'a raw key' if raw is None else describe(raw)}, and the flag "
        "olympus_legacy_prng_key asks for typed keys. Make one with key(seed), or from this one with "
        "wrap_key_data(raw)."
    )


def reused(error: Exception, failure: Failure) -> str | None:
    """JAX's check that no key is consumed twice (``olympus_debug_key_reuse``)."""
    import jax

    if type(error) is not jax.errors.KeyReuseError:
        return None
    if "repeatedly" in str(error):
        return (
            "Each iteration of the loop consumes the same key. Give each a key of its own: scan over split(key, n), "
            "carry a key that the body splits, or use fold_in(key, i)."
        )
    before = ""
    if type(error.__cause__) is type(error):  # its traceback is that of the first use
        before = source_line(error.__cause__.__traceback__).replace("\n ", ", at")
    return (
        f"The key has been consumed before{before}. Give each use a key of its own: key, subkey = split(key). "
        "Where equal numbers are intended, say so with clone(key)."
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


def not_converted(error: Exception, failure: Failure) -> str | None:
    """Explain an error of an object with ``__jax_array__`` where JAX does not convert it.

    Args:
        error: any exception.
        failure: the call that raised it.

    Returns:
        Which object it is and what to write instead, or ``None`` if the error is another one.
    """
    if not isinstance(error, ValueError | TypeError | AttributeError | IndexError):
        return None
    import jax

    is_index = failure.operation == "__getitem__" or failure.operation.startswith("at.")
    # JAX converts the values of an update.
    given = jax.tree.leaves(failure.arguments[1:2] if is_index else failure.given, is_leaf=converts)
    objects = sorted(filter(converts, given), key=_is_registered)
    calls = any(callable(value) and not converts(value) for value in given)  # scan does, sin does not
    is_operator = failure.operation.startswith("__") and not is_index  # JAX converts its operands, too
    takes_arrays = failure.module in TAKE_ARRAYS and not calls and not is_operator
    refused = isinstance(error, ValueError) and "__jax_array__() during abstractification" in str(error)
    if not refused and not (takes_arrays and objects):
        return None
    # One that is returned, or made inside, is not among the arguments, and JAX does not say which it is.
    name = type(objects[0]).__qualname__ if objects else "the object"
    convert = f"convert {name} with olympus.numpy.asarray(x)"
    if is_index:
        return f"An index takes arrays, and only functions of olympus.numpy make them of objects: {convert}."
    if failure.module == METHODS:
        same = f"use olympus.numpy.{failure.operation}, or " if hasattr(jax.numpy, failure.operation) else ""
        return f"Methods of arrays take arrays: {same}{convert}."
    if takes_arrays:
        return f"{failure.operation} takes arrays, and only olympus.numpy makes them of objects: {convert}."
    return (
        f"Transformations keep the types of objects, and only olympus.numpy makes arrays of them. Either {convert}; or "
        f"register its class as a pytree, with jax.tree_util.register_dataclass or "
        f"jax.tree_util.register_pytree_node_class, and {failure.operation} passes it on as it is."
    )


def _is_registered(value: object) -> bool:
    import jax

    return not jax.tree_util.all_leaves([value])


EXPLANATIONS: tuple[Explanation, ...] = (
    operator_errors.indexing,
    operator_errors.arithmetic,
    operator_errors.conversion,
    operator_errors.hashing,
    operator_errors.reduction,
    operator_errors.instead,
    operator_errors.update,
    operator_errors.unpacking,
    legacy,
    reused,
    seed,
    not_a_key,
    key_array,
    mapped_axis,
    mapped_sizes,
    unlike_results,
    not_one_number,
    traced_count,
    derivative,
    number_function,
    mixture,
    count,
    not_converted,
)
