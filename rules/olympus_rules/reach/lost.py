"""The keys that are not followed further, as more values come together than the analysis tells apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.reach.heap import LIMITED
from olympus_rules.reach.project import ProjectReach
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.slots import Slot
from olympus_rules.reach.values import BoundMethod, Constructor, Function, Key, Member, Object, Partial, Place, Value

__all__ = ["Lost", "lost"]


@dataclass(frozen=True, slots=True)
class Lost:
    """Keys that are not followed further.

    Attributes:
        place: the function that returns them, or the expression at which they are lost.
        function: the name of the function; empty for an expression.
        keys: the constructors of the keys.
    """

    place: Place
    function: str
    keys: frozenset[Place]


def lost(reached: ProjectReach) -> list[Lost]:
    """Return the keys that are not followed further, each with the place at which that is so.

    What an unknown callable returns is not followed. So a function that was lost among many others counts as one that
    returns its keys to unknown code. Before there are too many steps, so few values are lost that this would hold back
    mostly keys that come back by a merger.
    """
    found: list[Lost] = []
    if not reached.slots.is_cut_short:
        return found
    places = _places_of_code(reached)
    for code in _lost_functions(reached):
        result = reached.heap.result(code)
        keys = reached.keys_in([result])
        if keys and code in places:
            found.append(Lost(places[code], code.name, keys))
    last = reached.slots.of_kinds(Key, Constructor)
    dropped = {slot: mask & last for slot, mask in reached.slots.lost.items() if mask & last}
    return found + (_dropped(reached, dropped) if dropped else [])


def _dropped(reached: ProjectReach, dropped: dict[Slot, int]) -> list[Lost]:
    """Return the keys that some slots did not take, at the first expression of a slot or where they were made."""
    slots = reached.slots
    spots: dict[Slot, Place] = {}
    for place, several in reached.graph.expressions.items():
        for slot in several:
            spots.setdefault(slots.same[slot], place)
    found: dict[Place, set[Place]] = {}
    for slot, mask in dropped.items():
        for value in slots.listed(mask):
            assert isinstance(value, Key | Constructor)
            site = value.site if isinstance(value, Key) else value.mention
            found.setdefault(spots.get(slots.same[slot], site), set()).add(site)
    return [Lost(place, "", frozenset(keys)) for place, keys in found.items()]


def _lost_functions(reached: ProjectReach) -> Iterable[FunctionCode]:
    """Return the functions that some slot or call site did not take, and the ``__call__`` of such objects."""
    slots = reached.slots
    values: list[Value] = [value for kind in LIMITED for value in slots.values(slots.slot("lost", kind))]
    members = [reached.heap.classes.member(value.code, "__call__") for value in values if isinstance(value, Object)]
    values += [value for slot in members for value in slots.values(slot)]
    for call in reached.calls.all:
        if call.place in reached.calls.binding.over_limit:
            values += slots.values(call.function)
    return dict.fromkeys(v.code for v in values if isinstance(v, Function | BoundMethod | Partial | Member))


def _places_of_code(reached: ProjectReach) -> dict[FunctionCode, Place]:
    found = {}
    for path, module in reached.names.modules.items():
        waiting = list(module.nested)
        while waiting:
            code = waiting.pop()
            waiting += code.nested
            found[code] = place_of(path, code.node)
    return found
