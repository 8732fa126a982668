"""Warnings of raw keys, which the flag ``olympus_legacy_prng_key`` asks for, at the user's line.

JAX names a line of its own, and so shows one warning for a whole program.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from olympus.namespace.explaining import Failure, user_frame


def telling(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of `jax.random` warn at the user's line, with JAX's text and what to write instead."""
    import jax

    config: Any = jax.config

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        flag = config.jax_legacy_prng_key
        if getattr(flag, "value", flag) != "warn":
            return function(*args, **kwargs)
        with jax.legacy_prng_key("allow"):
            result = function(*args, **kwargs)
        key = args[0] if args else kwargs.get("key", kwargs.get("keys"))
        if str(getattr(key, "dtype", "")) == "uint32":
            warn(Failure(function.__name__, args, kwargs, "olympus.random"))
        return result

    return call


def warn(failure: Failure) -> None:
    """Warn of the raw key of a call."""
    from olympus.namespace.key_errors import legacy

    text = jax_text()
    message = f"{text}\n\n{legacy(Warning(text), failure)}"
    frame, line = user_frame()
    if frame is None:
        warnings.warn(message, UserWarning, stacklevel=3)
        return
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = str(frame.f_globals.get("__name__"))
    warnings.warn_explicit(message, UserWarning, frame.f_code.co_filename, line, module, registry)


@cache
def jax_text() -> str:
    """Return what JAX says of a raw key."""
    import jax

    words = jax.eval_shape(lambda: jax.random.PRNGKey(0))
    try:
        with jax.legacy_prng_key("error"):
            jax.eval_shape(lambda key: jax.random.bits(key), words)
    except ValueError as error:
        return str(error)
    return ""
