"""The solver: slots that hold sets of values, and edges along which the sets propagate."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from olympus_rules.reach.solver.values import OTHER, Unknown, Value

Slot = int
Watcher = Callable[[Any], object]
"""Is called with a value or with a mask."""
Change = Callable[[int], int]
Kind = TypeVar("Kind")
Kinds = tuple[type, ...]
Targets = dict[Slot, None]
"""The targets of a slot, in their order."""
GROWTH = 2
FEWEST = 20_000
"""Cycles are looked for when there are so many edges, and they have grown by so much."""
MOST_STEPS = 700_000
"""The steps, after which fewer values are told apart: one for each change of a slot, each of its watchers, and each
edge between slots; a slot counts as two, for its memory."""
MORE_STEPS = 50_000
MOST_MOVED = 400_000_000
"""The values that are moved along edges, after which fewer are told apart as well."""
SHOWN = 400
"""How many values are moved along an edge in the time in which a watcher takes one."""
MOST_TOLD_APART = 64
FEWER_TOLD_APART = (MOST_TOLD_APART, 8, 0)
"""The number of values of a kind that a slot takes after too many steps; at 0, only of kinds that flow."""
MOST_IN_LISTS = 2_000_000
"""The limit of the values in the lists that are kept of masks."""
MASKS = 50_000
"""The limit of masks that are looked up to be shared."""
MOST_GROUPS = 8
"""Watchers of a slot are grouped anew when there are so many groups."""


class TooMuchWork(Exception):
    """The analysis takes more steps than its caller waits for."""


_waited_for: ContextVar[int | None] = ContextVar("_waited_for", default=None)


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Let an analysis raise :class:`TooMuchWork` after so many steps, and not tell fewer values apart after more."""
    token = _waited_for.set(steps)
    try:
        yield
    finally:
        _waited_for.reset(token)


class Queue:
    """The slots that are to be sent: in the order of the edges, so that a slot is sent once for all its sources.

    See F. Pereira, D. Berlin: Wave propagation and deep propagation for pointer analysis, CGO 2009.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.rank: list[int] = []
        self._waits: list[bool] = []
        self._wave: list[tuple[int, Slot]] = []
        self._at = 0
        self._next: list[Slot] = []

    def __bool__(self) -> bool:
        """Return whether any slot waits."""
        return bool(self._wave or self._next)

    def grow(self) -> None:
        """Take one more slot, which does not wait."""
        self.rank.append(0)
        self._waits.append(False)

    def forget_order(self) -> None:
        """Forget the order of the edges, which takes memory: few slots are still to be sent."""
        self.rank = [0] * len(self.rank)

    def push(self, slot: Slot) -> None:
        """Let a slot wait, once."""
        if not self._waits[slot]:
            self._waits[slot] = True
            if self._wave and self.rank[slot] > self._at:
                heapq.heappush(self._wave, (self.rank[slot], slot))
            else:
                self._next.append(slot)

    def pop(self) -> Slot:
        """Return the next slot."""
        if not self._wave:
            self._wave = [(self.rank[slot], slot) for slot in self._next]
            self._next = []
            heapq.heapify(self._wave)
        self._at, slot = heapq.heappop(self._wave)
        self._waits[slot] = False
        return slot


@dataclass(slots=True)
class Limit:
    """The values of some kinds, of which a slot holds a limited number: ``unknown`` in place of others.

    Attributes:
        kinds: the mask of these values.
        unknown: the bit of the value that stands for those that a slot does not take.
        lost: the slot of all these.
        last: whether there is a limit only after far too many steps.
    """

    kinds: list[int]
    unknown: int
    lost: Slot
    last: bool


@dataclass(slots=True, eq=False)
class Watching:
    """Watchers of a slot that want the same values and have seen the same.

    Attributes:
        wanted: the mask of the values that they want.
        watchers: are called with one value after the other, or with a mask; one that returns true then is done.
        takes_masks: whether they are called with masks.
        seen: the mask of the values of the slot when they were last called, which is shared.
    """

    wanted: list[int]
    watchers: list[Watcher]
    takes_masks: bool
    seen: int = 0

    def show(self, fresh: int | list[Value]) -> None:
        """Call the watchers with a mask, or with each of several values."""
        done = set()
        for watcher in tuple(self.watchers):
            if isinstance(fresh, int):
                done |= {id(watcher)} if watcher(fresh) is True else set()
            else:
                for value in fresh:
                    watcher(value)
        if done:
            self.watchers = [watcher for watcher in self.watchers if id(watcher) not in done]


@dataclass(slots=True, eq=False)
class EdgesOfKinds:
    """The targets of a slot that take its values of some kinds, or what ``change`` makes of them."""

    wanted: list[int]
    targets: Targets
    change: Change | None = None


NO_TARGETS: Targets = {}
NOT_WATCHED: list[Any] = []
"""Are shared, and not changed."""


class Slots:
    """A graph of slots. An edge copies all values of its source to its target; a watcher sees each value once.

    A set of values is a bit mask, as most steps join large sets that are nearly equal; slots with equal sets share one
    mask, which takes kilobytes. Slots that lead to each other
    hold the same in the end; they are made one from time to time, which keeps the graph small (B. Hardekopf,
    C. Lin: The ant and the grasshopper, PLDI 2007).

    Attributes:
        numbers: the slots by their names, in the order of the slots.
        same: the slot that stands for a slot and all that are one with it.
        unlimited: slots that hold any number of values.
        lost: the values that a slot did not take.
        is_limited: whether there were too many steps, so that few values are told apart.
        is_cut_short: whether anything is not followed to its end: by this limit, or as files were not read.
    """

    def __init__(self) -> None:
        """Start without any slot."""
        self.numbers: dict[tuple[Hashable, ...], Slot] = {}
        self._done: set[tuple[Hashable, ...]] = set()
        self._order: dict[Value, int] = {}
        self._known: list[Value] = []
        self._kinds: dict[Kinds, list[int]] = {}
        self._lists: dict[int, list[Value]] = {}
        self._in_lists = 0
        self._masks: dict[int, int] = {}
        self.same: list[Slot] = []
        self._values: list[int] = []
        self._sent: list[int] = []
        self._targets: list[Targets] = []
        self._typed_edges: list[Sequence[EdgesOfKinds]] = []
        self._watching: list[list[Watching]] = []
        self._queue = Queue()
        self._edges = 0
        self._steps = 0
        self._moved = 0
        self._most_edges = FEWEST
        self._limits: list[Limit] = []
        self.unlimited: set[Slot] = set()
        self._most = sys.maxsize
        self._fewer = list(FEWER_TOLD_APART)
        self._most_steps = _waited_for.get() or MOST_STEPS
        self._most_moved = MOST_MOVED
        self.lost: dict[Slot, int] = {}
        self.is_limited = self.is_cut_short = False

    def slot(self, *name: Hashable) -> Slot:
        """Return the slot of a name; a new name has a new slot."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self._values)
            self.same.append(found)
            self._values.append(0)
            self._sent.append(0)
            self._targets.append(NO_TARGETS)
            self._typed_edges.append(())
            self._watching.append(NOT_WATCHED)
            self._queue.grow()
        return found

    def once(self, *what: Hashable) -> bool:
        """Return whether something is asked for the first time, for what is done once for a slot or value."""
        is_new = what not in self._done
        self._done.add(what)
        return is_new

    def values(self, slot: Slot) -> list[Value]:
        """Return the values of a slot."""
        return self.listed(self.mask(slot))

    def mask(self, slot: Slot) -> int:
        """Return the values of a slot as a bit mask, for :meth:`of_kinds` and :meth:`listed`."""
        return self._values[self.same[slot]]

    def limit(self, unknown: Value, lost: Slot, *kinds: type, last: bool = False) -> None:
        """Limit how many values of some kinds a slot holds, as :class:`Limit` says."""
        self._limits.append(Limit(self.growing(kinds), self.bit(unknown), lost, last))
        self.unlimited.add(lost)

    def listed(self, mask: int) -> list[Value]:
        """Return the values of a mask, in a list that is shared; many slots hold the same."""
        if mask.bit_length() and not mask & (mask - 1):  # one value, of which no list is kept
            return [self._known[mask.bit_length() - 1]]
        found = self._lists.get(mask)
        if found is None:
            bits = f"{mask:b}"[::-1]
            found, at = [], bits.find("1")
            while at >= 0:
                found.append(self._known[at])
                at = bits.find("1", at + 1)
            self._in_lists += len(found)
            if self._in_lists > MOST_IN_LISTS:
                self._lists.clear()
                self._in_lists = len(found)
            self._lists[mask] = found
        return found

    def of(self, mask: int, kind: type[Kind]) -> list[Kind]:
        """Return the values of a mask that are of one kind."""
        return [value for value in self.listed(mask & self.of_kinds(kind)) if isinstance(value, kind)]

    def of_kinds(self, *kinds: type) -> int:
        """Return the mask of all values of some kinds."""
        return self.growing(kinds)[0]

    def growing(self, kinds: Kinds) -> list[int]:
        """Return the mask of all values of some kinds, in a list, as there will be more of them."""
        found = self._kinds.get(kinds)
        if found is None:
            mask = sum(1 << number for number, value in enumerate(self._known) if isinstance(value, kinds))
            found = self._kinds[kinds] = [mask]
        return found

    def put(self, slot: Slot, value: Value) -> None:
        """Put a value into a slot."""
        self._spread(self.same[slot], self.bit(value))

    def put_mask(self, slot: Slot, mask: int) -> None:
        """Put the values of a mask into a slot."""
        self._spread(self.same[slot], mask)

    def bit(self, value: Value) -> int:
        """Return the mask of one value."""
        number = self._order.get(value)
        if number is not None:
            return 1 << number
        bit = 1 << len(self._known)
        self._order[value] = len(self._known)
        self._known.append(value)
        for kinds, mask in self._kinds.items():
            if isinstance(value, kinds):
                mask[0] |= bit
        return bit

    def add_edge_of(self, source: Slot, target: Slot, *kinds: type, change: Change | None = None) -> None:
        """Add an edge for the values of some kinds.

        Args:
            source, target: the slots.
            kinds: the kinds.
            change: returns the mask of what the target holds instead of a mask of values.
        """
        source = self.same[source]
        edges = edges_like(self._typed_edges, source, self.growing(kinds), change)
        if target not in edges.targets:
            edges.targets[target] = None
            self._send(edges, self._values[source], (target,))

    def _send(self, edges: EdgesOfKinds, values: int, targets: Collection[Slot]) -> None:
        """Send values of a slot to targets of some kinds."""
        taken = values & edges.wanted[0]
        if taken and edges.change is not None:
            taken = edges.change(taken)
        for target in targets if taken else ():
            self._spread(self.same[target], taken)

    def add_edge(self, source: Slot, target: Slot) -> None:
        """Add an edge: the target holds all values of the source, now and later.

        Args:
            source, target: the slots.
        """
        source, target = self.same[source], self.same[target]
        if source != target and target not in self._targets[source]:
            if not self._targets[source]:
                self._targets[source] = {}
            self._targets[source][target] = None
            self._edges += 1
            self._steps += 1
            self._spread(target, self._values[source])

    def watch_mask(self, slot: Slot, watcher: Callable[[int], object], *kinds: type) -> None:
        """Call a function with the mask of each set of new values of some kinds, or of any, until it returns true."""
        self.watch(slot, watcher, *kinds, takes_masks=True)

    def watch(self, slot: Slot, watcher: Watcher, *kinds: type, takes_masks: bool = False) -> None:
        """Call a function for each value of some kinds, or of any, that a slot holds now or later."""
        wanted = self.growing(kinds or (object,))
        seen = self._values[self.same[slot]]
        held = seen & wanted[0]
        if held and not takes_masks:
            for value in self.listed(held):
                watcher(value)
        elif held and watcher(held) is True:
            return
        slot = self.same[slot]
        for watching in self._watching[slot][-MOST_GROUPS:]:
            if watching.wanted is wanted and watching.takes_masks == takes_masks and watching.seen == seen:
                watching.watchers.append(watcher)
                return
        self._watching[slot] = self._watching[slot] or []
        self._watching[slot].append(Watching(wanted, [watcher], takes_masks, seen))

    def watch_few(
        self,
        slot: Slot,
        each: Callable[[Any], object],
        rest: Callable[[], object],
        *kinds: type,
        most: int = MOST_TOLD_APART,
    ) -> None:
        """Call ``each`` for each value of some kinds in a slot; over the limit, ``rest`` once, and nothing more.

        Where so many come together, they were merged before, and to go on telling them apart would be costly.
        """
        left = most

        def take(fresh: int) -> bool:
            nonlocal left
            left -= fresh.bit_count()
            is_over = left < 0 or fresh & self.of_kinds(Unknown) != 0
            if is_over:
                rest()
            for value in () if is_over else self.listed(fresh):
                each(value)
            return is_over

        self.watch_mask(slot, take, *kinds, Unknown)

    def _show(self, slot: Slot) -> None:
        """Show the new values of a slot to its watchers."""
        values, watched = self._values[slot], self._watching[slot]
        for watching in tuple(watched):
            fresh = without(values, watching.seen) & watching.wanted[0]
            watching.seen = values
            if fresh:
                self._steps += len(watching.watchers)
                self._moved += SHOWN * len(watching.watchers) * (1 if watching.takes_masks else fresh.bit_count())
                watching.show(fresh if watching.takes_masks else self.listed(fresh))
        if len(watched) > MOST_GROUPS:
            self._watching[slot] = _united(watched)

    def _spread(self, slot: Slot, values: int) -> None:
        known = self._values[slot]
        joined = known | values if known else values  # which is shared
        if joined != known:
            if self.is_limited and slot not in self.unlimited:
                joined = self._within_limits(slot, known, joined)
                if joined == known:
                    return
            self._values[slot] = shared(self._masks, joined)
            self._queue.push(slot)

    def _within_limits(self, slot: Slot, known: int, joined: int) -> int:
        """Return the new values of a slot without those over a limit."""
        fresh = joined ^ known
        for limit in self._limits:
            over = fresh & limit.kinds[0]
            if over and not (limit.last and self._most) and (joined & limit.kinds[0]).bit_count() > self._most:
                joined = joined ^ over | limit.unknown
                self.lost[slot] = shared(self._masks, self.lost.get(slot, 0) | over)
                self._spread(limit.lost, over)
        return joined

    def settle(self) -> None:
        """Propagate values until nothing changes.

        Raises:
            TooMuchWork: there were more steps than the caller waits for.
        """
        while self._queue:
            is_over = self._steps + 2 * len(self._values) > self._most_steps or self._moved > self._most_moved
            if is_over and self._fewer:
                if _waited_for.get() is not None:
                    raise TooMuchWork
                self._most, *self._fewer = self._fewer
                self.is_limited = self.is_cut_short = True
                self._most_steps = self._steps + 2 * len(self._values) + MORE_STEPS
                self._most_moved = self._moved + MOST_MOVED // 5
            if self._edges > self._most_edges:
                self._join_cycles()
            slot = self._queue.pop()
            if self.same[slot] != slot:
                continue
            values = self._values[slot]
            sent, self._sent[slot] = self._sent[slot], values
            fresh = without(values, sent) if sent else values
            if fresh:
                count = fresh.bit_count()
                self._moved += count * len(self._targets[slot])
                for target in tuple(self._targets[slot]):
                    self._spread(self.same[target], fresh)
                for each in tuple(self._typed_edges[slot]):
                    self._moved += count * len(each.targets)
                    self._send(each, fresh, tuple(each.targets))
            self._steps += 1 + len(self._watching[slot])
            self._show(slot)

    # slots that are one

    def _join_cycles(self) -> None:
        """Join the slots of each cycle."""
        for slot, targets in enumerate(self._targets):
            if targets:
                self._targets[slot] = {self.same[target]: None for target in targets if self.same[target] != slot}
        for members in cycles(self._targets, self._queue.rank):
            self._join(members)
        for slot, same in enumerate(self.same):
            self.same[slot] = self.same[same]
        self._edges = sum(map(len, self._targets))
        self._most_edges = max(FEWEST, int(self._edges * GROWTH))

    def _join(self, members: list[Slot]) -> None:
        """Join slots; only values that all of them have sent have reached all targets."""
        first, *others = members
        targets = dict(self._targets[first])
        for other in others:
            self.same[other] = first
            if other in self.unlimited:
                self.unlimited.add(first)
            joined = self._values[first] | self._values[other]
            if first not in self.unlimited:
                joined = self._within_limits(first, self._values[first], joined)
            self._values[first] = joined
            self._sent[first] &= self._sent[other]
            targets.update(self._targets[other])
            for each in self._typed_edges[other]:
                edges = edges_like(self._typed_edges, first, each.wanted, each.change)
                edges.targets.update(each.targets)
            self._watching[first] = [*self._watching[first], *self._watching[other]]
            self._targets[other], self._typed_edges[other], self._watching[other] = NO_TARGETS, (), NOT_WATCHED
        joined_slots = set(members)
        self._targets[first] = {target: None for target in targets if target not in joined_slots}
        self._queue.push(first)


def finish(slots: Slots) -> None:
    """Let the memory of watchers go: what slots hold changes no more."""
    count = len(slots.same)
    slots._sent, slots._watching = [0] * count, [NOT_WATCHED] * count
    slots._masks.clear()
    slots._lists.clear()
    slots._in_lists = 0
    slots._queue.forget_order()


def forget(slots: Slots) -> None:
    """Let the memory go: nothing can be asked afterwards."""
    for each in (slots.numbers, slots._order, slots._lists, slots.lost, slots._done):
        each.clear()
    for several in (slots._known, slots._values, slots._sent, slots._targets, slots._typed_edges, slots._watching):
        several.clear()


def edges_between(slots: Slots, values: int) -> Iterator[tuple[Slot, Slot]]:
    """Yield the edges, as source and target, from slots that hold some values and along which such values go."""
    for slot, targets in enumerate(slots._targets):
        if slots._values[slot] & values:
            typed = [edges.targets for edges in slots._typed_edges[slot] if edges.wanted[0] & values]
            for target in chain(targets, *typed):
                yield slot, slots.same[target]


def reached_from(slots: Slots, sources: Iterable[Slot]) -> set[Slot]:
    """Return the slots to which something that is no key and has no parts gets from some slots."""
    waiting, other = [slots.same[slot] for slot in sources], slots.bit(OTHER)
    found = set(waiting)
    while waiting:
        slot = waiting.pop()
        typed = [each.targets for each in slots._typed_edges[slot] if each.wanted[0] & other]
        fresh = {slots.same[target] for target in chain(slots._targets[slot], *typed)} - found
        found |= fresh
        waiting += fresh
    return found


def without(mask: int, other: int) -> int:
    """Return a mask without the values of another one; the complement of a large mask would take ten times as long."""
    return mask ^ (mask & other)


def nothing() -> None:
    """Do nothing with the values over a limit."""


def shared(masks: dict[int, int], mask: int) -> int:
    """Return a mask that is equal to a given one: many slots hold, have shown or have dropped the same."""
    if len(masks) > MASKS:
        masks.clear()
    return masks.setdefault(mask, mask)


def edges_like(
    every: list[Sequence[EdgesOfKinds]], source: Slot, wanted: list[int], change: Change | None
) -> EdgesOfKinds:
    """Return those edges of a slot that take some values and change them in one way; they may be new.

    Args:
        every: the edges of all slots.
        source: the slot.
        wanted: the mask of the values.
        change: what is made of them.
    """
    for each in every[source]:
        if each.wanted is wanted and each.change is change:
            return each
    edges = EdgesOfKinds(wanted, {}, change)
    every[source] = [*every[source], edges]
    return edges


def _united(watched: Sequence[Watching]) -> list[Watching]:
    """Return groups of watchers, those that have seen the same made one."""
    groups: dict[tuple[int, int, bool], Watching] = {}
    for watching in watched:
        if watching.watchers:
            like = id(watching.wanted), id(watching.seen), watching.takes_masks
            same = groups.setdefault(like, watching)
            if same is not watching:
                same.watchers = [*same.watchers, *watching.watchers]
    return list(groups.values())


def cycles(all_targets: list[Targets], rank: list[int]) -> Iterator[list[Slot]]:
    """Return the strongly connected parts of more than one slot (R. Tarjan, 1972; without recursion).

    Args:
        all_targets: the targets of each slot.
        rank: is filled with numbers that grow along the edges.
    """
    order: dict[Slot, int] = {}
    lowest: dict[Slot, int] = {}
    path: list[Slot] = []
    on_path: set[Slot] = set()
    finished = 0
    for root, targets in enumerate(all_targets):
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
                    work.append((target, iter(all_targets[target])))
                    break
                if target in on_path:
                    lowest[slot] = min(lowest[slot], order[target])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    lowest[above] = min(lowest[above], lowest[slot])
                if lowest[slot] == order[slot]:
                    finished += 1
                    rank[slot] = -finished
                    members = [path.pop()]
                    while members[-1] != slot:
                        members.append(path.pop())
                    on_path.difference_update(members)
                    if len(members) > 1:
                        yield members
