"""Key checks for users' own tests: :func:`check` for one call, :func:`checked` for each call of a function.

Both trace the function and follow its keys. They see what the trace has: all branches of ``lax.cond``, two iterations
of each loop, functions that are compiled, mapped or differentiated. They do not see paths through the Python code that
the given arguments do not take, arguments of another structure, shape or dtype, refreshing of a key that depends on
data, keys whose words go through NumPy, callbacks or Pallas kernels, and key operations before and after the call.
The mark ``check_keys`` of :mod:`olympus.pytest_plugin` sees what a whole test executes.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Hashable
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from olympus.lineage.diagnosis import Diagnosis, listing, of_misuse

if TYPE_CHECKING:
    from jax.errors import KeyReuseError as JAXKeyReuseError

    from olympus.lineage import Lineage

    class KeyReuseError(JAXKeyReuseError):
        """A key is consumed twice, or misused in another way that gives related random numbers.

        Attributes:
            misuses: what is wrong, in the order of the trace.
        """

        def __init__(self, misuses: tuple[Diagnosis, ...]) -> None:
            self.misuses = misuses


P = ParamSpec("P")
R = TypeVar("R")


class UndecidedWarning(UserWarning):
    """A check could not follow all keys: nothing is known of what it did not see."""


def check(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    """Check the keys of one call of a function, without running it on a device.

    What it can and cannot see is said at the head of this module.

    Args:
        f: the function.
        args: its arguments: concrete ones, ``jax.ShapeDtypeStruct``, and abstract keys from
            :func:`olympus.tracing.jaxprs.typed_key` and :func:`olympus.tracing.jaxprs.raw_key`. Numbers are traced;
            hand over what has to be a Python number, such as a length, with :func:`functools.partial`.
        kwargs: its keyword arguments, likewise.

    Raises:
        KeyReuseError: if a key is consumed twice or misused in another way; all misuses are listed.
        Exception: what ``f`` raises while it is traced, unchanged, such as JAX's errors about typed keys.

    Warns:
        UndecidedWarning: if keys go into an operation that is not modelled, or the function is too long.
    """
    from olympus import lineage

    undecided = _judge(lineage.of(f, *args, **kwargs))
    if undecided:
        warnings.warn(undecided, UndecidedWarning, stacklevel=2)


def checked(f: Callable[P, R]) -> Callable[P, R]:
    """Check the keys of a function once for each kind of arguments that it is called with, before the call.

    The kind of an argument is the structure of its pytree with the shapes and dtypes of arrays, the types of numbers,
    and the identity or value of anything else. The Python code of ``f`` runs once more for each check, with abstract
    arrays. Where it cannot be traced, because it needs the numbers in an array, it is called all the same, with a
    warning. What a check can and cannot see is said at the head of this module.

    The decorator may stand above or below ``jax.jit``. Below it, the check is made when JAX traces the function.

    Raises:
        KeyReuseError: in a call, before ``f`` runs; a later call of the same kind raises it again.
        Exception: what ``f`` raises, unchanged.

    Warns:
        UndecidedWarning: if not all keys could be followed, once for each kind of arguments.
    """
    seen: dict[Hashable, tuple[Diagnosis, ...]] = {}

    @wraps(f)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        kind, traced = _kind(f, args, kwargs)
        if seen.get(kind):
            raise _error(seen[kind])
        if kind in seen:
            return f(*args, **kwargs)
        undecided = ""
        try:
            undecided = _judge(traced())
        except _error_type() as error:
            seen[kind] = error.misuses
            raise
        except Exception as error:
            name, said = getattr(f, "__qualname__", f), str(error).partition("\n")[0]
            undecided = f"{name} could not be traced, and its keys were not checked: {type(error).__name__}: {said}"
        result = f(*args, **kwargs)
        seen[kind] = ()
        if undecided:
            warnings.warn(undecided, UndecidedWarning, stacklevel=2)
        return result

    return wrapper


def _judge(found: Lineage) -> str:
    """Raise the error for what is wrong; return what to warn of."""
    if found.misuses:
        raise _error(tuple(of_misuse(misuse, found.describe) for misuse in found.misuses))
    if not found.complete:
        return "the function is too long to follow its keys to the end"
    if found.unmodelled:
        event = found.unmodelled[0]
        names = sorted({each.equation.primitive for each in found.unmodelled})
        where = f" at {event.chain[0]}" if event.chain else ""
        return f"keys go into {', '.join(names)}{where}; what becomes of them there is not known"
    return ""


def _kind(f: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Hashable, Callable[[], Lineage]]:
    """Return the kind of the arguments, and what traces the function with abstract arrays and all else as it is."""
    import jax
    import numpy as np

    from olympus import lineage

    leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
    arrays = [place for place, leaf in enumerate(leaves) if isinstance(leaf, jax.Array | np.ndarray | np.generic)]
    given = set(arrays)
    kinds = tuple(
        (leaf.shape, str(leaf.dtype)) if place in given else _kind_of_leaf(leaf) for place, leaf in enumerate(leaves)
    )

    def call(*values: Any) -> Any:
        filled = list(leaves)
        for place, value in zip(arrays, values, strict=True):
            filled[place] = value
        own_args, own_kwargs = jax.tree_util.tree_unflatten(tree, filled)
        return f(*own_args, **own_kwargs)

    return (tree, kinds), lambda: lineage.of(call, *(leaves[place] for place in arrays))


def _kind_of_leaf(leaf: object) -> Hashable:
    """Return what tells one leaf that is no array from another: a step counter is not to be checked at each value."""
    if isinstance(leaf, int | float | complex) and not isinstance(leaf, bool):
        return (type(leaf),)
    try:
        hash(leaf)
        return type(leaf), leaf if isinstance(leaf, str | bytes | bool | None) else weakref.ref(leaf)
    except TypeError:
        return (type(leaf),)


def _error(misuses: tuple[Diagnosis, ...]) -> Exception:
    return _error_type()(misuses)


@cache
def _error_type() -> type[KeyReuseError]:
    """Return the class; it is a subclass of JAX's, which is imported when it is first needed."""
    import jax

    def __init__(self: Any, misuses: tuple[Diagnosis, ...]) -> None:
        many = f" ({len(misuses)} misuses)" if len(misuses) > 1 else ""
        Exception.__init__(self, f"keys are misused{many}\n\n{listing(misuses)}")
        self.misuses = misuses

    names = {
        "__doc__": "A key is consumed twice, or misused in another way; ``misuses`` has what is wrong.",
        "__module__": __name__,
        "__init__": __init__,
        "__reduce__": lambda self: (_error, (self.misuses,)),
    }
    return type("KeyReuseError", (jax.errors.KeyReuseError,), names)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "KeyReuseError":
            return _error_type()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
