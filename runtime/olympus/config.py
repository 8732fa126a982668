"""JAX's flags that concern random keys, under names of ours and with context managers; the rest of ``jax.config``.

The flags are JAX's own: setting one here sets it for all of JAX in this process.

* ``olympus_legacy_prng_key`` (``"allow"``, ``"warn"``, ``"error"``): what happens when a raw key is passed to a
  function of ``olympus.random``. Making one with ``PRNGKey`` is never an error. The flag is read while a function
  is traced and is not part of what a compiled function is found by: one that was traced under ``"allow"`` stays
  silent under ``"error"``. Set it at the start of the program.
* ``olympus_default_prng_impl`` (the name of a generator): the generator of keys that name none, and of raw keys. One
  of JAX's is the default for all of JAX, one that is registered here for ``olympus.random``.
* ``olympus_threefry_partitionable`` (``True``, ``False``): the newer or the older numbers of ``threefry2x32``.
* ``olympus_debug_key_reuse`` (``True``, ``False``): JAX's own check, while the program runs, that no typed key is
  consumed twice.

Every other flag of JAX has a name with ``olympus_``, too, and values as in JAX. The environment variable ``OLYMPUS_X``
stands for ``JAX_X``: see :mod:`olympus.namespace.environment`.

``olympus.config.update(name, value)`` sets a flag, and ``olympus.config.<name>`` reads it. The context managers have
the names without ``olympus_``, hold in one thread, and put the former value back, also after an exception.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from difflib import get_close_matches
from typing import Any

from olympus.namespace.mirror import jax_module, jax_value
from olympus.prng import default, registry

FLAGS: dict[str, tuple[Any, ...]] = {
    "olympus_legacy_prng_key": ("allow", "warn", "error"),
    "olympus_default_prng_impl": ("threefry2x32", "threefry4x32", "rbg", "unsafe_rbg", "philox2x32", "philox4x32"),
    "olympus_threefry_partitionable": (True, False),
    "olympus_debug_key_reuse": (True, False),
}
"""The flags of ours, with their values in JAX 0.10; an older JAX may know fewer generators."""
GENERATOR = "olympus_default_prng_impl"
OWN = (*FLAGS, "debug_key_reuse", "default_prng_impl", "legacy_prng_key", "threefry_partitionable", "update")


def legacy_prng_key(value: str) -> AbstractContextManager[None]:
    """Allow raw keys in ``olympus.random``, warn of them, or refuse them, within a ``with`` block.

    A function that was compiled before keeps what held when it was traced.

    Args:
        value: ``"allow"``, ``"warn"`` or ``"error"``.

    Raises:
        ValueError: it is none of these.
    """
    return _within("olympus_legacy_prng_key", value)


@contextmanager
def default_prng_impl(value: str) -> Iterator[None]:
    """Choose the generator of new keys that name none, within a ``with`` block.

    Args:
        value: the name of a generator of JAX, or of a registered one.

    Raises:
        ValueError: there is no generator of that name.
    """
    if registry.is_registered(value):
        with default.within(value):
            yield
    else:
        with _within(GENERATOR, value), default.within(None):
            yield


def threefry_partitionable(value: bool) -> AbstractContextManager[None]:
    """Choose the newer (``True``) or the older numbers of ``threefry2x32``, within a ``with`` block.

    Raises:
        ValueError: the value is no bool.
    """
    return _within("olympus_threefry_partitionable", value)


def debug_key_reuse(value: bool) -> AbstractContextManager[None]:
    """Switch JAX's check for reused keys on or off, within a ``with`` block.

    Raises:
        ValueError: the value is no bool.
    """
    return _within("olympus_debug_key_reuse", value)


def update(name: str, value: Any) -> None:
    """Set a flag for the rest of the program, in all threads.

    Args:
        name: ``olympus_...``, or any flag of JAX, ``jax_...``.
        value: one of the flag's values.

    Raises:
        AttributeError: there is no such flag.
        ValueError: the flag has no such value.
    """
    if name == GENERATOR and registry.is_registered(value):
        default.set_for_all_threads(value)
        return
    if not name.startswith("jax_"):
        _check(name, value)
        name = _of_jax(name)
    jax_module().config.update(name, value)
    if name == _of_jax(GENERATOR):
        default.set_for_all_threads(None)


def _within(name: str, value: Any) -> AbstractContextManager[None]:
    _check(name, value)
    manager: AbstractContextManager[None] = jax_value("jax", name.removeprefix("olympus_"))(value)
    return manager


def _of_jax(name: str) -> str:
    return f"jax_{name.removeprefix('olympus_')}" if name.startswith("olympus_") else name


def _check(name: str, value: Any) -> None:
    """Raise an error in one sentence unless a flag of ours has a value."""
    if name not in FLAGS:
        if name.startswith("olympus_") and hasattr(jax_module().config, _of_jax(name)):
            return  # JAX knows its values
        raise AttributeError(f"olympus.config has no flag {name!r}; {_choices(name, tuple(FLAGS))}")
    values = (*FLAGS[name], *registry.names()) if name == GENERATOR else FLAGS[name]
    if not any(value is known or (isinstance(value, str) and value == known) for known in values):
        raise ValueError(f"{name} cannot be {value!r}; {_choices(value, values)}")


def _choices(given: Any, known: tuple[Any, ...]) -> str:
    near = get_close_matches(str(given), map(str, known), n=1)
    start = f"did you mean {near[0]}? " if near else ""
    return f"{start}it is one of {', '.join(map(str, known))}"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # what tools look for in any module must not import JAX
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == GENERATOR and (registered := default.current()) is not None:
        return registered
    if name in FLAGS:
        value = getattr(jax_module().config, _of_jax(name))
        return getattr(value, "value", value)  # an enumeration reads as the string it was set with
    try:
        return getattr(jax_module().config, _of_jax(name))
    except AttributeError:
        raise AttributeError(f"olympus.config has no flag {name!r}; {_choices(name, tuple(FLAGS))}") from None


def __dir__() -> list[str]:
    names = {name for name in dir(jax_module().config) if not name.startswith("_")}
    flags = {f"olympus_{name.removeprefix('jax_')}" for name in names if name.startswith("jax_")}
    return sorted({*OWN, *names, *flags})
