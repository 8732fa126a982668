"""Objects that become arrays: the protocol ``__jax_array__`` of JEP 28661, and functions that honour it.

JAX calls the method in some functions of `jax.numpy` and refuses it in most, because they are compiled and a
transformation never converts. The functions of `olympus.numpy` are JAX's, called with ``jnp.asarray(x)`` in the
place of each argument `x` that has the method. Nothing else about them changes.

Importing this module does not import JAX.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, cast, get_args, get_origin, runtime_checkable

if TYPE_CHECKING:
    import jax

__all__ = ["SupportsJAXArray", "converted", "converting", "not_converted"]


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
_PLAIN: set[type] = {type(None), bool, int, float, complex, str, bytes, slice, range, type(Ellipsis)}


def converted(value: Any) -> Any:
    """Return an argument with JAX arrays in the place of all objects that have ``__jax_array__``.

    Lists, tuples and dicts are looked through; one without such an object comes back as it is.

    Args:
        value: an argument of a function of `jax.numpy`. A class is no such object, even if its instances are.

    Raises:
        TypeError: if ``__jax_array__`` returns something that is no array. What it raises itself is passed on.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if converts(value):
        return _array_of(value)
    if isinstance(value, list | tuple):
        return _converted_sequence(value)
    if isinstance(value, dict):
        return _converted_dict(value)
    if _is_left_to_jax(kind):
        _PLAIN.add(kind)
    return value


def converts(value: Any) -> bool:
    """Return whether a function of `olympus.numpy` converts a value: it has ``__jax_array__`` and is not JAX's own."""
    if isinstance(value, type) or _is_left_to_jax(type(value)):
        return False
    return getattr(value, "__jax_array__", None) is not None


def _is_left_to_jax(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in _LEFT_TO_JAX


def _converted_sequence(value: list[Any] | tuple[Any, ...]) -> Any:
    if _PLAIN.issuperset(map(type, value)):
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
    """Return the array of an object, as ``jnp.asarray(value)`` does."""
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
    # As in `asarray`, an object has a dtype and not the weak type of a Python number; arrays of keys have neither.
    if getattr(array, "weak_type", False):
        array = jax.numpy.asarray(array, dtype=array.dtype)
    return cast("jax.Array", array)


# Where functions hand on arguments to a function of the user, only these positions and names are converted: a
# function may have the method as well, and what is handed on arrives as it was given.
_ONLY: dict[str, Collection[int | str]] = {
    "apply_along_axis": (2, "arr"),
    "apply_over_axes": (1, "a", 2, "axes"),
    "frompyfunc": (),
    "fromfunction": (1, "shape"),
    "mask_indices": (0, "n", 2, "k"),
}


def converting(function: Callable[..., Any], name: str, module: str) -> Callable[..., Any]:
    """Return a function of `jax.numpy` whose arguments may have ``__jax_array__``.

    Args:
        function: the function, whose name, documentation and parameters the result has.
        name: the name that the result is found by in `module`.
        module: the module that the result is in, for pickling and for messages.
    """
    if name == "piecewise":
        call = _piecewise(function)
    elif name in _ONLY:
        call = _converting_only(function, _ONLY[name])
    else:
        call = _converting_all(function)
    functools.update_wrapper(call, function, updated=())
    call.__module__, call.__qualname__ = module, name
    with suppress(ValueError):  # a builtin of NumPy need not have a signature
        signature = inspect.signature(function)
        parameters = [item.replace(annotation=_accepting(item.annotation)) for item in signature.parameters.values()]
        cast(Any, call).__signature__ = signature.replace(parameters=parameters)
    call.__annotations__ = {
        key: item if key == "return" else _accepting(item)
        for key, item in getattr(function, "__annotations__", {}).items()
    }
    return call


def _converting_all(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _PLAIN.issuperset(map(type, args)):
            args = tuple(map(converted, args))
        if kwargs and not _PLAIN.issuperset(map(type, kwargs.values())):
            kwargs = _converted_dict(kwargs)
        return function(*args, **kwargs)

    return call


def _converting_only(function: Callable[..., Any], only: Collection[int | str]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        positional = [converted(item) if place in only else item for place, item in enumerate(args)]
        named = {name: converted(item) if name in only else item for name, item in kwargs.items()}
        return _converting_result(function(*positional, **named))

    return call


def _converting_result(value: Any) -> Any:
    """Return what `frompyfunc` makes as a ufunc of ours, and other results as they are."""
    import jax

    return converting_ufunc(value) if isinstance(value, jax.numpy.ufunc) else value


def _piecewise(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
        branches = [item if callable(item) else converted(item) for item in funclist]
        return function(converted(x), converted(condlist), branches, *args, **kwargs)

    return call


def converting_ufunc(ufunc: jax.numpy.ufunc) -> jax.numpy.ufunc:
    """Return a ufunc of `jax.numpy` whose methods convert their arguments as well.

    The result is equal to `ufunc`, so that JAX compiles nothing twice for the two.
    """
    kind = _ufunc_class()
    result = kind.__new__(kind)
    vars(result).update(vars(ufunc))
    return result


@functools.cache
def _ufunc_class() -> type[jax.numpy.ufunc]:
    """Return the class of the ufuncs of `olympus.numpy`; it can be made only where JAX is imported."""
    import jax

    base = jax.numpy.ufunc
    names = ("__call__", "accumulate", "at", "outer", "reduce", "reduceat")
    methods = {name: converting(getattr(base, name), f"ufunc.{name}", "olympus.numpy") for name in names}
    kind = type("ufunc", (base,), {"__module__": "olympus.numpy", "__doc__": base.__doc__, **methods})
    _PLAIN.add(kind)  # the first argument of each method
    return kind


def _accepting(annotation: Any) -> Any:
    """Return an annotation in which ``ArrayLike`` reads ``ArrayLike | SupportsJAXArray``, be it text or a type.

    What a function of the caller is given stays as it is: those are arrays.
    """
    if isinstance(annotation, str):
        return re.sub(
            r"\bCallable\[\[[^]]*\]|\bArrayLike\b",
            lambda found: "ArrayLike | SupportsJAXArray" if found[0] == "ArrayLike" else found[0],
            annotation,
        )
    parts = get_args(annotation)
    if not parts or get_origin(annotation) is Callable:
        return annotation
    import jax

    if set(get_args(jax.typing.ArrayLike)) <= set(parts):
        return annotation | SupportsJAXArray
    return annotation


def members(module: str, of: str, namespace: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module that shows the members of a module of JAX.

    Functions and ufuncs convert; classes, dtypes and constants are JAX's own objects.

    Args:
        module: the name of the module.
        of: the name of the module of JAX, which is imported when the first member is asked for.
        namespace: the globals of the module, where members are kept once they are made.
    """

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return __dir__()
        if name.startswith("_") and not name.startswith("__array_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        source = _imported(of)
        try:
            value = getattr(source, name)
        except AttributeError as error:
            raise AttributeError(str(error).replace(of, module), name=name) from None
        member = _member(value, name, module)
        if name in vars(source):  # a name that is on its way out warns each time
            namespace[name] = member
        return member

    def __dir__() -> list[str]:
        return sorted(name for name in dir(_imported(of)) if not name.startswith("_"))

    return __getattr__, __dir__


@functools.cache
def _imported(module: str) -> ModuleType:
    from jax.extend import source_info_util

    # The caller of a function of ours is where JAX says that an equation comes from, as with one of JAX.
    source_info_util.register_exclusion(__file__)
    return importlib.import_module(module)


def _member(value: Any, name: str, module: str) -> Any:
    import jax

    if isinstance(value, ModuleType):
        return importlib.import_module(f"{module}.{name}")
    if isinstance(value, jax.numpy.ufunc):
        return converting_ufunc(value)
    # What `vectorize` returns converts by itself, and hands on excluded arguments as they are.
    if not callable(value) or isinstance(value, type) or not hasattr(value, "__name__") or name == "vectorize":
        return value
    return converting(value, name, module)


def not_converted(error: Exception, failure: Any) -> str | None:
    """Explain the error that JAX raises where an object with ``__jax_array__`` meets a transformation.

    Args:
        error: any exception.
        failure: the call that raised it, with ``operation``, ``arguments`` and ``keywords``.

    Returns:
        Which object it is and what to write instead, or ``None`` if the error is another one.
    """
    if not isinstance(error, ValueError) or "__jax_array__() during abstractification" not in str(error):
        return None
    import jax

    given = jax.tree.leaves((failure.arguments, dict(failure.keywords)), is_leaf=converts)
    objects = sorted(filter(converts, given), key=_is_registered)
    # One that is returned, or made inside, is not among the arguments, and JAX does not say which it is.
    name = type(objects[0]).__qualname__ if objects else "the object"
    convert = f"convert {name} with olympus.numpy.asarray(x)"
    calls = any(callable(value) and not converts(value) for value in given)  # scan does, sin does not
    if hasattr(jax.lax, failure.operation) and not calls:
        return f"{failure.operation} takes arrays, and only olympus.numpy makes them of objects: {convert}."
    return (
        f"Transformations keep the types of objects, and only olympus.numpy makes arrays of them. Either {convert}; or "
        f"register its class as a pytree, with jax.tree_util.register_dataclass or "
        f"jax.tree_util.register_pytree_node_class, and {failure.operation} passes it on as it is."
    )


def _is_registered(value: object) -> bool:
    import jax

    return not jax.tree_util.all_leaves([value])
