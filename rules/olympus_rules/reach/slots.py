"""The solver: slots that hold sets of values, and edges along which the sets propagate."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from olympus_rules.reach.trail import BOTH, CONTAINERS, KEYS, Trail
from olympus_rules.reach.values import Container, Key, Value

__all__ = ["Slot", "Slots", "TooLargeError"]

Slot = int
Watcher = Callable[[Value], None]
Kinds = tuple[type, ...]
GROWTH = 1.5
FEWEST = 10_000
"""Cycles are looked for when there are so many edges, and they have grown by so much."""
MOST_STEPS = 4_000_000
"""The limit of steps: one for each change of a slot and each of its watchers."""
MOST_TOLD_APART = 64
LISTS = 10_000
"""The limit of masks whose values are kept as a list."""


class TooLargeError(Exception):
    """The graph has too many steps to be solved."""


@dataclass(slots=True, eq=False)
class Watching:
    """A watcher of a slot, with the masks of the values that it wants and has seen."""

    watcher: Callable[[int], None]
    wanted: list[int]
    seen: int = 0


class Slots:
    """A graph of slots. An edge copies all values of its source to its target; a watcher sees each value once.

    A set of values is a bit mask, as most steps join large sets that are nearly equal. Slots that lead to each other
    hold the same in the end; they are made one from time to time, which keeps the graph small (B. Hardekopf,
    C. Lin: The ant and the grasshopper, PLDI 2007).

    Attributes:
        numbers: the slots by their names.
        trail: the edges that carry keys or containers, as they were added.
    """

    def __init__(self) -> None:
        """Start without any slot."""
        self.trail = Trail()
        self.numbers: dict[tuple[Hashable, ...], Slot] = {}
        self._bits: dict[Value, int] = {}
        self._known: list[Value] = []
        self._kinds: dict[Kinds, list[int]] = {}
        self._lists: dict[int, list[Value]] = {}
        self._same: list[Slot] = []
        self._values: list[int] = []
        self._sent: list[int] = []
        self._targets: list[set[Slot]] = []
        self._typed_edges: list[dict[Slot, list[list[int]]]] = []
        self._watching: list[list[Watching]] = []
        self._waiting: deque[Slot] = deque()
        self._is_waiting: list[bool] = []
        self._edges = 0
        self._steps = 0
        self._most_edges = FEWEST

    def __len__(self) -> int:
        """Return the number of slots."""
        return len(self._values)

    def slot(self, *name: Hashable) -> Slot:
        """Return the slot of a name; a new name has a new slot."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self._values)
            self._same.append(found)
            self._values.append(0)
            self._sent.append(0)
            self._targets.append(set())
            self._typed_edges.append({})
            self._watching.append([])
            self._is_waiting.append(False)
        return found

    def values(self, slot: Slot) -> list[Value]:
        """Return the values of a slot."""
        return self.listed(self.mask(slot))

    def mask(self, slot: Slot) -> int:
        """Return the values of a slot as a bit mask, for :meth:`of_kinds` and :meth:`listed`."""
        return self._values[self._same[slot]]

    def listed(self, mask: int) -> list[Value]:
        """Return the values of a mask, in a list that is shared; many slots hold the same."""
        found = self._lists.get(mask)
        if found is None:
            bits = f"{mask:b}"[::-1]
            found, at = [], bits.find("1")
            while at >= 0:
                found.append(self._known[at])
                at = bits.find("1", at + 1)
            if len(self._lists) >= LISTS:
                self._lists.clear()
            self._lists[mask] = found
        return found

    def of_kinds(self, *kinds: type) -> int:
        """Return the mask of all values of some kinds."""
        return self._mask_of(kinds)[0]

    def _mask_of(self, kinds: Kinds) -> list[int]:
        """Return the mask of all values of some kinds, in a list, as there will be more of them."""
        found = self._kinds.get(kinds)
        if found is None:
            mask = sum(1 << number for number, value in enumerate(self._known) if isinstance(value, kinds))
            found = self._kinds[kinds] = [mask]
        return found

    def empty(self) -> Iterator[tuple[Slot, Hashable]]:
        """Return the empty slots, with the first part of their names."""
        for name, slot in list(self.numbers.items()):
            if not self.mask(slot):
                yield slot, name[0]

    def named(self, kind: Hashable) -> list[Slot]:
        """Return the slots whose names begin with ``kind``."""
        return [slot for name, slot in self.numbers.items() if name[0] == kind]

    def put(self, slot: Slot, value: Value) -> None:
        """Put a value into a slot."""
        self._spread(self._same[slot], self.bit(value))

    def put_mask(self, slot: Slot, mask: int) -> None:
        """Put the values of a mask into a slot."""
        self._spread(self._same[slot], mask)

    def bit(self, value: Value) -> int:
        """Return the mask of one value."""
        bit = self._bits.get(value)
        if bit is None:
            bit = self._bits[value] = 1 << len(self._known)
            self._known.append(value)
            for kinds, mask in self._kinds.items():
                if isinstance(value, kinds):
                    mask[0] |= bit
        return bit

    def add_edge_of(self, source: Slot, target: Slot, *kinds: type) -> None:
        """Add an edge for the values of some kinds."""
        carries = (KEYS if Key in kinds else 0) | (CONTAINERS if Container in kinds else 0)
        if carries:
            self.trail.add(source, target, carries)
        source, wanted = self._same[source], self._mask_of(kinds)
        ways = self._typed_edges[source].setdefault(target, [])
        if not any(wanted is one for one in ways):
            ways.append(wanted)
            self._spread(self._same[target], self._values[source] & wanted[0])

    def add_edge(self, source: Slot, target: Slot, site: int = 0) -> None:
        """Add an edge: the target holds all values of the source, now and later.

        Args:
            source, target: the slots.
            site: the slot of a call's result plus one, if the edge leads into a callee or back.
        """
        self.trail.add(source, target, BOTH, site)
        source, target = self._same[source], self._same[target]
        if source != target and target not in self._targets[source]:
            self._targets[source].add(target)
            self._edges += 1
            self._spread(target, self._values[source])

    def watch(self, slot: Slot, watcher: Watcher, *kinds: type) -> None:
        """Call a function for each value of some kinds, or of any, that a slot holds now or later."""

        def each(fresh: int) -> None:
            for value in self.listed(fresh):
                watcher(value)

        self.watch_mask(slot, each, *kinds)

    def watch_mask(self, slot: Slot, watcher: Callable[[int], None], *kinds: type) -> None:
        """Call a function with the mask of each set of new values of some kinds, or of any."""
        slot = self._same[slot]
        watching = Watching(watcher, self._mask_of(kinds or (object,)))
        self._watching[slot].append(watching)
        self._show(slot, watching)

    def watch_few(
        self, slot: Slot, each: Watcher, rest: Callable[[int], None], *kinds: type, most: int = MOST_TOLD_APART
    ) -> None:
        """Call ``each`` for each value of some kinds in a slot; over the limit, ``rest`` with their mask.

        Where so many come together, they were merged before, and to go on telling them apart would be costly.
        """
        seen = 0

        def show(fresh: int) -> None:
            nonlocal seen
            seen += fresh.bit_count()
            if seen > most:
                rest(fresh)
                return
            for value in self.listed(fresh):
                each(value)

        self.watch_mask(slot, show, *kinds)

    def _show(self, slot: Slot, watching: Watching) -> None:
        fresh = self._values[slot] & ~watching.seen & watching.wanted[0]
        if fresh:
            watching.seen |= fresh
            watching.watcher(fresh)

    def _spread(self, slot: Slot, values: int) -> None:
        known = self._values[slot]
        joined = known | values
        if joined != known:
            self._values[slot] = joined
            self._wait(slot)

    def _wait(self, slot: Slot) -> None:
        if not self._is_waiting[slot]:
            self._is_waiting[slot] = True
            self._waiting.append(slot)

    def settle(self) -> None:
        """Propagate values until nothing changes.

        Raises:
            TooLargeError: if there is no end of it after very many steps.
        """
        while self._waiting:
            if self._steps > MOST_STEPS:
                raise TooLargeError(f"values spread for more than {MOST_STEPS} steps")
            if self._edges > self._most_edges:
                self._join_cycles()
            slot = self._waiting.popleft()
            self._is_waiting[slot] = False
            if self._same[slot] != slot:
                continue
            values = self._values[slot]
            fresh, self._sent[slot] = values & ~self._sent[slot], values
            if fresh:
                for target in tuple(self._targets[slot]):
                    self._spread(self._same[target], fresh)
                for target, ways in tuple(self._typed_edges[slot].items()):
                    for wanted in ways:
                        self._spread(self._same[target], fresh & wanted[0])
            self._steps += 1 + len(self._watching[slot])
            for watching in tuple(self._watching[slot]):
                self._show(slot, watching)

    # slots that are one

    def _join_cycles(self) -> None:
        """Join the slots of each cycle."""
        for slot, targets in enumerate(self._targets):
            if targets:
                self._targets[slot] = {self._same[target] for target in targets} - {slot}
        for members in self._cycles():
            self._join(members)
        for slot, same in enumerate(self._same):
            self._same[slot] = self._same[same]
        self._edges = sum(map(len, self._targets))
        self._most_edges = max(FEWEST, int(self._edges * GROWTH))

    def _join(self, members: list[Slot]) -> None:
        """Join slots; only values that all of them have sent have reached all targets."""
        first, *others = members
        for other in others:
            self._same[other] = first
            self._values[first] |= self._values[other]
            self._sent[first] &= self._sent[other]
            self._targets[first] |= self._targets[other]
            for target, ways in self._typed_edges[other].items():
                self._typed_edges[first].setdefault(target, []).extend(ways)
            self._watching[first] += self._watching[other]
            self._targets[other], self._typed_edges[other], self._watching[other] = set(), {}, []
        self._targets[first] -= set(members)
        self._wait(first)

    def _cycles(self) -> Iterator[list[Slot]]:
        """Return the strongly connected parts of more than one slot (R. Tarjan, 1972; without recursion)."""
        order: dict[Slot, int] = {}
        lowest: dict[Slot, int] = {}
        path: list[Slot] = []
        on_path: set[Slot] = set()
        for root, targets in enumerate(self._targets):
            if not targets or root in order:
                continue
            work = [(root, iter(targets))]
            order[root] = lowest[root] = len(order)
            path.append(root)
            on_path.add(root)
            while work:
                slot, rest = work[-1]
                for target in rest:
                    if target not in order:
                        order[target] = lowest[target] = len(order)
                        path.append(target)
                        on_path.add(target)
                        work.append((target, iter(self._targets[target])))
                        break
                    if target in on_path:
                        lowest[slot] = min(lowest[slot], order[target])
                else:
                    work.pop()
                    if work:
                        above = work[-1][0]
                        lowest[above] = min(lowest[above], lowest[slot])
                    if lowest[slot] == order[slot]:
                        members = [path.pop()]
                        while members[-1] != slot:
                            members.append(path.pop())
                        on_path.difference_update(members)
                        if len(members) > 1:
                            yield members
