"""How keys get from their constructors to a place: the shortest paths through the solved graph."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable
from typing import TypeAlias

from olympus_rules.reach.answers.contents import Contents
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.solver.slots import Slot, edges_between
from olympus_rules.reach.solver.values import Key, Place

MOST_VISITED = 400_000
"""The slots that all searches visit together; after so many, no more paths are shown."""
Path: TypeAlias = tuple[Place, ...]
"""The expressions on a path from a constructor to a place."""


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
        for slot in tuple(after):
            for part in self._contents.slots_with_keys(self._slots.mask(slot)):
                after.setdefault(self._slots.same[part], slot)
        waiting, found, wanted = deque(after), dict[Place, Path](), set(makers)
        while waiting and wanted and self._left:
            slot = waiting.popleft()
            self._left -= 1
            name = self._names[slot]
            if name[0] == "made" and name[1] in wanted:
                wanted.discard(name[1])
                found[name[1]] = self._path(slot, after)
            for source in self._incoming.get(slot, ()):
                if source not in after:
                    after[source] = slot
                    waiting.append(source)
        return found

    def _path(self, slot: Slot | None, after: dict[Slot, Slot | None]) -> Path:
        steps = list[Place]()
        while slot is not None:
            place = self._places.get(slot)
            steps += [place] if place is not None and steps[-1:] != [place] else []
            slot = after[slot]
        return tuple(steps)
