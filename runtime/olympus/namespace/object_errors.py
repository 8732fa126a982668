"""What the errors about objects that become arrays mean, and what to write instead (JEP 28661)."""

from __future__ import annotations

from olympus.namespace.array_protocol import converts
from olympus.namespace.explaining import Failure
from olympus.namespace.operators import METHODS

TAKE_ARRAYS = ("olympus.lax", "olympus.nn", "olympus.random", METHODS)
"""Modules whose functions take arrays, and do not make them of objects."""


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
