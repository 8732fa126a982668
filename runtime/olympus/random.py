"""All of ``jax.random``, with errors that teach and generators of one's own by name.

Where JAX takes the name of a generator (``impl=``, ``dtype=``), the names given to
:func:`olympus.register_prng_impl` count as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any

from olympus.namespace.mirror import mirror

if TYPE_CHECKING:
    from jax import Array
    from jax.random import *  # noqa: F403

OWN = ("ensure_typed_key_array",)
NAMED = {
    "key": ("impl", None),
    "PRNGKey": ("impl", None),
    "wrap_key_data": ("impl", None),
    "key_dtype": ("impl_spec", 0),
}
"""The functions that take a generator: its parameter, and the position where they also take it."""

SILENT = ("clone",)
"""The functions that take raw keys whatever the flag for them says."""


def ensure_typed_key_array(key: Array) -> Array:
    """Return a typed key or an array of typed keys as it is, and refuse anything else (JEP 9263).

    Args:
        key: the argument that a library's function got from its caller; may be traced.

    Raises:
        TypeError: it is a raw key, or no key at all.
    """
    from olympus.namespace.describing import describe
    from olympus.namespace.operators import is_key

    if is_key(key):
        return key
    raise TypeError(
        f"New-style typed JAX PRNG keys required, and this is {describe(key)}. "
        "Make typed keys with key(seed), or from raw ones with wrap_key_data(raw)."
    )


def adapt(name: str, value: Any) -> Any:
    """Return what this module shows for a name of ``jax.random``."""
    from olympus.namespace.explaining import explained

    if not isinstance(value, FunctionType):
        return value
    from olympus.namespace.raw_keys import telling
    from olympus.prng.default import with_default_for_raw_keys

    if name in NAMED:
        return explained(by_name(value, *NAMED[name]), module=__name__)
    adapted = with_default_for_raw_keys(value)
    return explained(adapted if name in SILENT else telling(adapted), module=__name__)


def by_name(function: Callable[..., Any], parameter: str, position: int | None) -> Callable[..., Any]:
    """Make a function take the names of registered generators, and use the one that is the default.

    Args:
        function: takes a generator as `parameter` or as ``dtype``.
        parameter: the name of the parameter.
        position: where it takes the generator without a name, if anywhere.
    """

    from olympus.prng import resolve
    from olympus.prng.default import current

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if position is not None and len(args) > position:
            chosen = current() if args[position] is None else args[position]
            return function(*args[:position], resolve(chosen), *args[position + 1 :], **kwargs)
        given = {name for name in (parameter, "dtype") if kwargs.get(name) is not None}
        if not given and current() is not None:
            given, kwargs[parameter] = {parameter}, current()
        return function(*args, **{**kwargs, **{name: resolve(kwargs[name]) for name in given}})

    return call


if not TYPE_CHECKING:
    __getattr__, __dir__ = mirror(__name__, "jax.random", adapt)
