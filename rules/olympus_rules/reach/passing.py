"""Calls of library functions that get keys: as they are, or in containers and objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from olympus_rules.reach.library_calls import Handed
from olympus_rules.reach.sites import Call
from olympus_rules.reach.slots import Slot, without
from olympus_rules.reach.values import Container, Library, Made, Other, Place

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach

__all__ = ["Argument", "Passing", "passings"]

KeysIn: TypeAlias = Callable[[Slot], tuple[frozenset[Place], bool]]
FEW = 4
"""The limit of library functions that one expression may stand for; over it, unrelated ones were merged."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument with keys.

    Attributes:
        position: its position; that of the star for ``*``; ``None`` for a keyword.
        keyword: its name; empty for ``**`` and for an argument by position.
        is_spread: whether it is written with ``*`` or ``**``.
        keys: the constructors of the keys.
        in_parts: whether the keys are in containers or objects.
    """

    position: int | None
    keyword: str
    is_spread: bool
    keys: frozenset[Place]
    in_parts: bool

    def is_at(self, places: Sequence[int], names: Sequence[str]) -> bool:
        """Return whether it may be at one of some positions, or have one of some names; ``*`` is any name."""
        if self.position is None:
            return self.keyword in names or "*" in names or (self.is_spread and bool(names))
        return self.position in places or (self.is_spread and any(place > self.position for place in places))


@dataclass(frozen=True, slots=True)
class Passing:
    """A call that passes keys to a library function.

    Attributes:
        place: where it is.
        library: the canonical name of the function.
        is_handed: whether another function, such as ``jax.tree.map``, is told to call it.
        is_mapped: whether a transformation of it, as by ``jax.vmap``, is called.
        arguments: the arguments with keys.
    """

    place: Place
    library: str
    is_handed: bool
    is_mapped: bool
    arguments: tuple[Argument, ...]


def passings(reached: ProjectReach, keys_in: KeysIn) -> Iterator[Passing]:
    """Return the calls of a project that pass keys to library functions.

    Args:
        reached: the analysis of reach.
        keys_in: returns the constructors of the keys in a slot, and whether they are in containers or objects.
    """
    for call in reached.calls.all:
        callees = _libraries(reached, call.function)
        arguments = tuple(_arguments(call, keys_in)) if callees else ()
        for callee in callees if arguments else ():
            name = reached.names.canonical(callee.qualified)
            yield Passing(call.place, name, False, isinstance(callee, Made), arguments)
    for handed in reached.calls.libraries.handed:
        is_told_apart = bool(_libraries(reached, handed.function))
        arguments = tuple(_handed_on(handed, keys_in)) if is_told_apart else ()
        if arguments:
            yield Passing(handed.place, reached.names.canonical(handed.qualified), True, False, arguments)


def _libraries(reached: ProjectReach, function: Slot) -> list[Library | Made]:
    """Return the library functions in a slot; none where the analysis has merged them with unrelated values."""
    slots = reached.slots
    mask = slots.mask(function)
    libraries = mask & slots.of_kinds(Library, Made)
    if libraries.bit_count() > FEW or without(mask, libraries | slots.of_kinds(Other, Container)):
        return []
    return [each for each in slots.listed(libraries) if isinstance(each, Library | Made)]


def _arguments(call: Call, keys_in: KeysIn) -> Iterator[Argument]:
    for position, (slot, starred) in enumerate(call.arguments):
        yield from _argument(keys_in, [slot], position, "", is_spread=starred)
    for keyword, slot in call.keywords:
        yield from _argument(keys_in, [slot], None, keyword or "", is_spread=keyword is None)


def _handed_on(handed: Handed, keys_in: KeysIn) -> Iterator[Argument]:
    for position, slots in enumerate(handed.given):
        yield from _argument(keys_in, [slot for slot in slots if slot >= 0], position, "", is_spread=False)


def _argument(
    keys_in: KeysIn, slots: Sequence[Slot], position: int | None, keyword: str, *, is_spread: bool
) -> Iterator[Argument]:
    """Return the argument if there are keys in it."""
    for slot in slots:
        keys, in_parts = keys_in(slot)
        if keys:
            yield Argument(position, keyword, is_spread, keys, in_parts)
            return
