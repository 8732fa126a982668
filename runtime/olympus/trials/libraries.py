"""Libraries whose modules do not run by themselves: flax's linen and haiku. Neither is imported here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from olympus.trials.arguments import Argument, key, many

RNGS: dict[str, Argument] = {"rngs": many(dict, {"params": key(), "dropout": key()})}
"""What the method of a linen module is given besides its arguments."""


def is_linen(kind: type) -> bool:
    """Return whether a class is a linen module."""
    linen = sys.modules.get("flax.linen")
    return linen is not None and issubclass(kind, linen.Module)


def linen_call(instance: Any, name: str) -> Callable[..., Any]:
    """Return a function that makes the variables of a linen module and calls a method of it."""

    def call(*args: Any, rngs: Any, **kwargs: Any) -> Any:
        def method(module: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(module, name)(*args, **kwargs)

        result, _ = instance.init_with_output(rngs, *args, method=method, **kwargs)
        return result

    return call


def haiku_wants(error: str) -> bool:
    """Return whether an error is that of haiku about code that is not transformed."""
    return "hk.transform" in error and "haiku" in sys.modules


def transformed(run: Callable[[], Any], rng: Any) -> Any:
    """Run a function as haiku does, with new parameters and state."""
    haiku: Any = sys.modules["haiku"]
    results = []

    def whole() -> None:
        results.append(run())

    haiku.transform_with_state(whole).init(rng)
    return results[0]
