"""A registered generator as the default: the one of keys that name none, and of raw keys, in ``olympus.random``.

JAX's flag for the default takes JAX's names only, so this package holds the name of another one itself. Functions of
`jax.random` do not see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

from olympus.prng.registry import key_shape, resolve

_for_all: str | None = None
_within: ContextVar[str | None] = ContextVar("olympus_default_prng_impl")


def current() -> str | None:
    """Return the name of the registered generator that is the default, ``None`` if JAX's flag decides."""
    return _within.get(_for_all)


def set_for_all_threads(name: str | None) -> None:
    """Make a registered generator the default for the rest of the program, or let JAX's flag decide again."""
    global _for_all
    _for_all = name


@contextmanager
def within(name: str | None) -> Iterator[None]:
    """Do the same within a ``with`` block, in one thread."""
    token = _within.set(name)
    try:
        yield
    finally:
        _within.reset(token)


def with_default_for_raw_keys(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of `jax.random` take its key for a raw one of the default, if it looks like that.

    Like JAX's functions of raw keys, it returns raw keys where it would return keys.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        name = current()
        raw: Any = args[0] if args else kwargs.get("key")
        if name is None or not _is_raw(raw, key_shape(name)):
            return function(*args, **kwargs)
        import jax

        _ask_about_raw_keys()
        key = jax.random.wrap_key_data(raw, impl=resolve(name))
        result = function(key, *args[1:], **kwargs) if args else function(**{**kwargs, "key": key})
        return jax.random.key_data(result) if _is_key(result) else result

    return call


def _ask_about_raw_keys() -> None:
    """Let JAX say what its flag for raw keys asks for: an error, a warning or nothing."""
    import jax

    words = jax.eval_shape(lambda: jax.random.PRNGKey(0))
    jax.eval_shape(lambda key: jax.random.bits(key), words)  # a new function: JAX does not ask again for a known one


def _is_key(value: Any) -> bool:
    import jax

    dtypes: Any = jax.dtypes
    return isinstance(value, jax.Array) and bool(dtypes.issubdtype(value.dtype, dtypes.prng_key))


def _is_raw(value: Any, shape: tuple[int, ...]) -> bool:
    found = getattr(value, "shape", None)
    return str(getattr(value, "dtype", "")) == "uint32" and isinstance(found, tuple) and found[-1:] == shape
