"""How keys get from their constructors to a place: the shortest paths through the solved graph."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from olympus_rules.reach.answers.contents import Contents
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.solver.slots import Slot, edges_between
from olympus_rules.reach.solver.values import Key, Object, Place

MOST_VISITED = 400_000
"""The slots that all searches visit together; after so many, no more paths are shown."""


@dataclass(frozen=True, slots=True)
class Path:
    """A path from a constructor to a place.

    Attributes:
        steps: the expressions on it.
        holder: what the key is in at the place, ``object`` or ``container``; empty for the key itself.
    """

    steps: tuple[Place, ...]
    holder: str = ""


class Paths:
    """The paths of keys through a solved graph, in which all calls of a function are one."""

    def __init__(self, graph: Graph, contents: Contents) -> None:
        """Index the edges between slots that hold keys, by their targets."""
        self._slots = graph.heap.slots
        self._contents = contents
        self._names = list(self._slots.numbers)
        self._keys = self._slots.of_kinds(Key)
        self._incoming: dict[Slot, list[Slot]] = defaultdict(list)
        for source, target in edges_between(self._slots, self._keys):
            self._incoming[target].append(source)
        places: dict[Slot, set[Place]] = defaultdict(set)
        for place, slots in graph.expressions.items():
            for slot in slots:
                places[self._slots.same[slot]].add(place)
        self._places = {slot: min(found) for slot, found in places.items() if len(found) == 1}  # else it is a cycle
        self._left = MOST_VISITED

    def to(self, targets: Iterable[Slot], makers: Collection[Place]) -> dict[Place, Path]:
        """Return the shortest path of the key of some constructors to one of some slots, or into what is held there."""
        after: dict[Slot, Slot | None] = {self._slots.same[slot]: None for slot in targets}
        holders: dict[Slot, str] = {}
        masks = {self._slots.mask(slot): slot for slot in after}
        for mask, slot in masks.items():
            for part, holder in self._contents.parts_with_keys(mask):
                part = self._slots.same[part]
                if part not in after:
                    after[part], holders[part] = slot, "object" if isinstance(holder, Object) else "container"
        waiting, found, wanted = deque(after), dict[Place, Path](), set(makers)
        while waiting and wanted and self._left:
            slot = waiting.popleft()
            self._left -= 1
            name = self._names[slot]
            if name[0] == "made" and name[1] in wanted:
                wanted.discard(name[1])
                found[name[1]] = self._path(slot, after, holders)
            for source in self._incoming.get(slot, ()):
                if source not in after:
                    after[source] = slot
                    waiting.append(source)
        return found

    def _path(self, slot: Slot | None, after: dict[Slot, Slot | None], holders: dict[Slot, str]) -> Path:
        steps, holder = list[Place](), ""
        while slot is not None:
            place = self._places.get(slot)
            steps += [place] if place is not None and steps[-1:] != [place] else []
            holder = holders.get(slot, holder)
            slot = after[slot]
        return Path(tuple(steps), holder)
