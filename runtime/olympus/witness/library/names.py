"""Stand-ins for JAX: they do with keys what JAX does, and leave everything else unknown.

Transformations call the function they are given, loops run a few iterations, branches are decided. So what is traced in
the end is one straight line of key operations, each at its place in the user's source.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from olympus.witness.library.calls import WRAPPERS, Calls
from olympus.witness.unknown import is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

EXECUTED = "example_libraries"  # what JAX has there is written as a user's code is


def library(roots: Sequence[str]) -> Callable[[State, str], Any]:
    """Return what gives the stand-in for a module of JAX.

    Args:
        roots: the packages in which JAX's namespace is, ``jax`` among them.
    """

    def find(world: State, name: str) -> Any:
        if name.startswith(f"jax.{EXECUTED}.") and world.sources(name) is not None:
            return None
        for root in roots:
            if name == root or name.startswith(f"{root}."):
                return Jax(world, name.removeprefix(root).removeprefix("."))
        return None

    return find


class Jax:
    """A name of JAX: a module, a function, or anything else."""

    def __init__(self, world: State, name: str) -> None:
        self._world, self._name = world, name

    def __repr__(self) -> str:
        return f"jax.{self._name}"

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return self._name.rpartition(".")[2]
        if name in ("__version__", "__version_info__") and not self._name:
            import jax

            return getattr(jax, name)
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        full = f"{self._name}.{name}" if self._name else name
        if self._name == EXECUTED:
            return self._world.module(f"jax.{full}")
        value = None if full in WRAPPERS else constant(full)  # some of them are classes
        return Jax(self._world, full) if value is None else value

    def __getitem__(self, item: Any) -> Any:
        return self

    __iter__ = None  # or its items would never end

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (self._world.own,)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do what the function of JAX does."""
        claimed, is_key = self._world.is_claimed(sys._getframe(1)), self._world.players.is_key
        args = tuple(
            self._world.players.key(each) if is_unknown(each) and (claimed or is_key(each)) else each for each in args
        )
        return Calls(self._world).call(self._name, args, kwargs)


def constant(name: str) -> Any:
    """Return JAX's own object where it is a type or a number, ``None`` otherwise."""
    import jax

    found: Any = jax
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) or (isinstance(found, int | float) and not isinstance(found, bool)):
        return found
    return None
