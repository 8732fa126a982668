"""Functions of `jax.numpy` that convert their arguments, and modules of such functions.

A function is JAX's, called with other arguments. It keeps its name, its documentation and its parameters.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast, get_args, get_origin

from olympus.namespace.array_protocol import PLAIN, SupportsJAXArray, converted, converts, strong
from olympus.namespace.explaining import explained
from olympus.namespace.mirror import mirror

if TYPE_CHECKING:
    import jax

# Where functions hand on arguments to a function of the user, only these positions and names are converted: a
# function may have the method as well, and what is handed on arrives as it was given.
_ONLY: dict[str, Collection[int | str]] = {
    "apply_along_axis": (2, "arr"),
    "apply_over_axes": (1, "a", 2, "axes"),
    "frompyfunc": (),
    "fromfunction": (1, "shape"),
    "mask_indices": (0, "n", 2, "k"),
}

# Where JAX reads what an object says of itself and makes no array of it: the attributes that are enough.
_LIKE = ({"shape", "dtype"},)
_DESCRIBED: dict[str, Collection[set[str]]] = {
    "empty_like": _LIKE,
    "full_like": _LIKE,
    "ones_like": _LIKE,
    "zeros_like": _LIKE,
    "ndim": ({"ndim"},),
    "shape": ({"shape"},),
    "size": ({"shape"}, {"size"}),
    "iscomplexobj": ({"dtype"},),
    "isrealobj": ({"dtype"},),
    "issubdtype": ({"dtype"},),
    "result_type": ({"dtype"},),
}
# Where an object has a dtype of its own, even if its array is as weak as a Python number.
_STRONG = ("array", "asarray", "copy")


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
        call = _converting_each(function, _given(name))
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


def _given(name: str) -> Callable[[Any], Any]:
    """Return what gives a function of a name something in the place of an argument."""
    if name in _STRONG:
        return lambda item: strong(converted(item)) if converts(item) else converted(item)
    enough = _DESCRIBED.get(name, ())
    if not enough:
        return converted

    def given(item: Any) -> Any:
        if converts(item) and any(all(hasattr(item, each) for each in names) for names in enough):
            return item
        return converted(item)

    return given


def _converting_each(function: Callable[..., Any], given: Callable[[Any], Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not PLAIN.issuperset(map(type, args)):
            args = tuple(map(given, args))
        if kwargs and not PLAIN.issuperset(map(type, kwargs.values())):
            kwargs = {name: given(item) for name, item in kwargs.items()}
        return function(*args, **kwargs)

    return call


def _converting_only(function: Callable[..., Any], only: Collection[int | str]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        positional = [converted(item) if place in only else item for place, item in enumerate(args)]
        named = {name: converted(item) if name in only else item for name, item in kwargs.items()}
        import jax

        result = function(*positional, **named)  # of `frompyfunc` a ufunc, which is to be one of ours
        return converting_ufunc(result) if isinstance(result, jax.numpy.ufunc) else result

    return call


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
    methods = {
        name: explained(converting(getattr(base, name), f"ufunc.{name}", "olympus.numpy"), "ufunc", "olympus.numpy")
        for name in names
    }
    kind = type("ufunc", (base,), {"__module__": "olympus.numpy", "__doc__": base.__doc__, **methods})
    PLAIN.add(kind)  # the first argument of each method
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


def members(module: str, original: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module that shows the members of a module of JAX.

    Functions and ufuncs convert, and their errors teach; classes, dtypes and constants are JAX's own objects.

    Args:
        module: the name of the module.
        original: the name of the module of JAX, which is imported when the first member is asked for.
    """
    return mirror(module, original, lambda name, value: _member(value, name, module))


def _member(value: Any, name: str, module: str) -> Any:
    import jax

    if isinstance(value, ModuleType):
        return importlib.import_module(f"{module}.{name}")
    if isinstance(value, jax.numpy.ufunc):
        return converting_ufunc(value)
    # What `vectorize` returns converts by itself, and hands on excluded arguments as they are.
    if not callable(value) or isinstance(value, type) or not hasattr(value, "__name__") or name == "vectorize":
        return value
    return explained(converting(value, name, module), name, module)
