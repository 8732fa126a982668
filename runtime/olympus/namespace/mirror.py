"""Modules that stand for modules of JAX, which is imported at the first use of a name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["jax_module", "jax_value", "mirror"]


def jax_module(name: str = "jax") -> ModuleType:
    """Import a module of JAX; the first call makes JAX's errors teach (:mod:`olympus.namespace.explaining`).

    Args:
        name: the module's full name, for example ``jax.random``.

    Raises:
        ImportError: JAX is not installed, or has no such module.
    """
    _prepare()
    return import_module(name)


@cache
def _prepare() -> None:
    """Import JAX, and prepare it."""
    try:
        import jax  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in {"jax", "jaxlib"}:
            raise
        message = "olympus needs JAX for this; install it with: pip install 'olympus-lint[trace]'"
        raise ImportError(message, name=error.name) from None
    from olympus.namespace.array_protocol import not_converted
    from olympus.namespace.key_errors import EXPLANATIONS
    from olympus.namespace.operators import install

    install((*EXPLANATIONS, not_converted))


def jax_value(module: str, name: str) -> Any:
    """Return what a module of JAX has under a name, be it an attribute or a module below it.

    Raises:
        AttributeError: there is neither.
        ImportError: JAX is not installed.
    """
    found = jax_module(module)
    try:
        return getattr(found, name)
    except AttributeError:
        if not hasattr(found, "__path__") or name.startswith("_"):
            raise
    try:
        return import_module(f"{module}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{module}.{name}":
            raise
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=found) from None


def mirror(
    module: str, original: str, adapt: Callable[[str, Any], Any] = lambda _, value: value
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make a module show the public names of a module of JAX, besides its own.

    Args:
        module: the name of the module that gets the functions.
        original: the name of the module of JAX.
        adapt: gives the value to show for a name and JAX's value.

    Returns:
        The module's ``__getattr__`` and ``__dir__`` (PEP 562). The first keeps what it finds in the module.
    """

    def public() -> list[str]:
        own = vars(sys.modules[module]).get("OWN", ())
        return sorted({*own, *(name for name in dir(jax_module(original)) if not name.startswith("_"))})

    def get(name: str) -> Any:
        if name == "__all__":  # a star import asks for it
            return public()
        if name.startswith("_") and not name.startswith("__array_"):  # the names of the array API
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        own = sys.modules[module]
        try:
            value = adapt(name, jax_value(original, name))
        except AttributeError as error:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=own) from error
        if name in vars(jax_module(original)):  # one that is on its way out warns each time
            setattr(own, name, value)
        return value

    return get, public
