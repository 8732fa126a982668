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
NAMED = {"key": None, "PRNGKey": None, "wrap_key_data": None, "key_dtype": 0}
"""The functions that take a generator, and the position where they also take it."""


def ensure_typed_key_array(key: Array) -> Array:
    """Return a typed key or an array of typed keys as it is, and refuse anything else (JEP 9263).

    Args:
        key: the argument that a library's function got from its caller; may be traced.

    Raises:
        TypeError: it is a raw key, or no key at all.
    """
    from olympus.namespace.key_errors import describe
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
    from olympus.prng.default import with_default_for_raw_keys

    if name in NAMED:
        return explained(by_name(value, NAMED[name]), module=__name__)
    return explained(with_default_for_raw_keys(value), module=__name__)


def by_name(function: Callable[..., Any], position: int | None) -> Callable[..., Any]:
    """Make a function take the names of registered generators.

    Args:
        function: takes a generator as ``impl``, ``impl_spec`` or ``dtype``.
        position: where it takes the generator without a name, if anywhere.
    """

    from olympus.prng import resolve
    from olympus.prng.default import current

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if position is None and kwargs.get("impl") is None and current() is not None:
            kwargs["impl"] = current()
        for name in kwargs.keys() & {"impl", "impl_spec", "dtype"}:
            kwargs[name] = resolve(kwargs[name])
        if position is not None and len(args) > position:
            args = (*args[:position], resolve(args[position]), *args[position + 1 :])
        return function(*args, **kwargs)

    return call


if not TYPE_CHECKING:
    __getattr__, __dir__ = mirror(__name__, "jax.random", adapt)
