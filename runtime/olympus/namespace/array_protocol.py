"""Objects that become arrays: the protocol ``__jax_array__`` of JEP 28661.

JAX calls the method in some functions of `jax.numpy` and refuses it in most, because they are compiled and a
transformation never converts. The functions of `olympus.numpy` put its array in the place of each argument that has
the method before they call JAX.

Importing this module does not import JAX.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Protocol, cast, get_args, runtime_checkable

if TYPE_CHECKING:
    import jax


@runtime_checkable
class SupportsJAXArray(Protocol):
    """An object that says itself which JAX array it stands for.

    The name and the meaning are those of JEP 28661. ``isinstance`` looks only for the method.
    """

    def __jax_array__(self) -> jax.Array:
        """Return the array that takes the object's place in a function of `olympus.numpy`."""
        ...


# Classes of these packages are left to JAX: its arrays, tracers and symbolic dimensions, which have the method
# and are not to become arrays where they stand in a shape; NumPy's arrays and dtypes; functions and numbers.
_LEFT_TO_JAX = frozenset({"builtins", "jax", "jaxlib", "numpy"})

# Classes whose instances are known to need nothing, so that one look at the types of all arguments is enough for
# most calls. It grows with the classes that are met: those of arrays cannot be named before JAX is imported.
PLAIN: set[type] = {type(None), bool, int, float, complex, str, bytes, slice, range, type(Ellipsis)}


def converted(value: Any) -> Any:
    """Return an argument with JAX arrays in the place of all objects that have ``__jax_array__``.

    Lists, tuples and dicts are looked through; one without such an object comes back as it is.

    Args:
        value: an argument of a function of `jax.numpy`. A class is no such object, even if its instances are.

    Raises:
        TypeError: if ``__jax_array__`` returns something that is no array. What it raises itself is passed on.
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind not in (list, tuple, dict) and converts(value):
        return _array_of(value)
    if isinstance(value, list | tuple):
        return _converted_sequence(value)
    if isinstance(value, dict):
        return _converted_dict(value)
    if _is_left_to_jax(kind):
        PLAIN.add(kind)
    return value


def converts(value: Any) -> bool:
    """Return whether a function of `olympus.numpy` converts a value: it has ``__jax_array__`` and is not JAX's own."""
    if isinstance(value, type) or _is_left_to_jax(type(value)):
        return False
    return getattr(value, "__jax_array__", None) is not None


def _is_left_to_jax(kind: type) -> bool:
    package = kind.__module__.partition(".")[0]
    # A class that `exec` makes without a `__name__` says that it is of builtins, none of which has the method.
    return package in _LEFT_TO_JAX and not (package == "builtins" and hasattr(kind, "__jax_array__"))


def _converted_sequence(value: list[Any] | tuple[Any, ...]) -> Any:
    if PLAIN.issuperset(map(type, value)):
        return value
    items = [converted(item) for item in value]
    if all(map(operator.is_, items, value)):
        return value
    if isinstance(value, list):
        return items
    make = getattr(value, "_make", tuple)  # a named tuple stays one
    return make(items)


def _converted_dict(value: dict[Any, Any]) -> dict[Any, Any]:
    items = {key: converted(item) for key, item in value.items()}
    return value if all(map(operator.is_, items.values(), value.values())) else items


def _array_of(value: SupportsJAXArray) -> jax.Array:
    """Return the array of an object, weak where it makes one of a Python number, as JAX's operators do."""
    import jax

    array: Any = value.__jax_array__()
    if not isinstance(array, get_args(jax.typing.ArrayLike)):
        name = type(value).__qualname__
        raise TypeError(
            f"{name}.__jax_array__() returned an object of type {type(array).__qualname__}, which is no array; "
            f"return a jax.Array, for example jax.numpy.asarray(...) of the numbers that {name} holds."
        )
    if not isinstance(array, jax.Array):
        array = jax.numpy.asarray(array)
    return cast("jax.Array", array)


def strong(array: jax.Array) -> jax.Array:
    """Return an array with its dtype for good, and not with the weak type of a Python number."""
    if not getattr(array, "weak_type", False):  # arrays of keys have neither
        return array
    import jax

    return jax.numpy.asarray(array, dtype=array.dtype)
