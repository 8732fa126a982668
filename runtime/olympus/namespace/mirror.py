"""Modules that stand for modules of JAX, which is imported at the first use of a name."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from olympus.namespace.explaining import FOLDER
from olympus.tracing.adapter import require_jax


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
    from olympus.namespace.environment import apply_to_imported, copy_for_import

    imported = "jax" in sys.modules
    if not imported:
        copy_for_import()
    require_jax()
    import jax

    from olympus.namespace.key_errors import EXPLANATIONS
    from olympus.namespace.operators import install

    install(EXPLANATIONS)
    if imported:
        apply_to_imported(jax.config)


def jax_value(module: str, name: str, shown_in: str | None = None) -> Any:
    """Return what a module of JAX has under a name, be it an attribute or a module below it.

    A warning of JAX, say of a name on its way out, names the user's line.

    Args:
        module: the full name of the module of JAX.
        name: the name in it.
        shown_in: the module of ours that shows the name, which errors speak of; that of JAX by default.

    Raises:
        AttributeError: there is neither. What JAX says of a name that it had once is kept.
        ImportError: JAX is not installed.
    """
    found = jax_module(module)
    if name in vars(found):
        return vars(found)[name]
    usual = f"module {module!r} has no attribute {name!r}"
    try:
        with _warnings_for_the_user():
            return getattr(found, name)
    except AttributeError as error:
        with suppress(ModuleNotFoundError):
            return _module_below(found, name)
        text = str(error)
        ours = sys.modules[shown_in or module]
        if text == usual:
            text = f"module {ours.__name__!r} has no attribute {name!r}"
        raise AttributeError(text, name=name, obj=ours) from None


def _module_below(package: ModuleType, name: str) -> ModuleType:
    """Import a module of a package.

    Raises:
        ModuleNotFoundError: there is none, or it needs something that is not installed.
    """
    if not hasattr(package, "__path__") or name.startswith("_"):
        raise ModuleNotFoundError(name=name)
    return import_module(f"{package.__name__}.{name}")


@contextmanager
def _warnings_for_the_user() -> Iterator[None]:
    """Let warnings name the first line that is not of this package: JAX counts the frames, and ours are too many."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not caught:
        return
    frame = sys._getframe()
    while frame.f_code.co_filename.startswith((FOLDER, contextlib.__file__, "<frozen importlib")) and frame.f_back:
        frame = frame.f_back
    for warning in caught:
        warnings.warn_explicit(
            warning.message,
            warning.category,
            frame.f_code.co_filename,
            frame.f_lineno,
            str(frame.f_globals.get("__name__")),
            frame.f_globals.setdefault("__warningregistry__", {}),
        )


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
        value = adapt(name, jax_value(original, name, shown_in=module))
        if name in vars(jax_module(original)):  # one that is on its way out warns each time
            setattr(sys.modules[module], name, value)
        return value

    return get, public
