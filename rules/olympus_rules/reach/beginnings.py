"""The first steps of the ways of keys that have no path to a place, up to a step that may not be taken."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, reduce
from operator import or_

from olympus_rules.reach.heap import MOST_AXES
from olympus_rules.reach.objects import State
from olympus_rules.reach.paths import MOST_STATES, RESULTS, Doubt, Paths, Telling, Way
from olympus_rules.reach.slots import Slot
from olympus_rules.reach.trail import KEYS
from olympus_rules.reach.values import Container, Key, Place

__all__ = ["Beginnings"]


class Beginnings:
    """The first steps of the ways of keys through a solved graph, in which containers and objects are not followed."""

    def __init__(self, paths: Paths) -> None:
        """Take the paths of a graph."""
        self._paths = paths
        self._telling = Telling(paths)

    def of(self, targets: Collection[Slot], maker: Place) -> Way | None:
        """Return the sure part of one way through the graph, which is no path as a whole; ``None`` if there is none.

        Args:
            targets: the slots of a place that a key may reach.
            maker: the constructor of the key.
        """
        start, wanted = self._start(maker)
        if start is None:
            return None
        after = self._between(start, targets, wanted)
        way = self._along(start, after) if after is not None else None
        if way is None or any(doubt.kind == "returned" for doubt in way.doubts):
            way = self._departure(start, wanted) or way
        return way

    def _start(self, maker: Place) -> tuple[Slot | None, int]:
        """Return the slot at which the ways of keys of a constructor start, and the mask of these keys."""
        names = [("made", maker), *(("made", maker, axes) for axes in range(MOST_AXES + 1))]
        start = next((self._paths.slots.numbers[name] for name in names if name in self._paths.slots.numbers), None)
        keys = [] if start is None else [self._paths.slots.bit(key) for key in self._paths.slots.values(start)]
        sites = (
            key for key in self._paths.slots.listed(self._paths.all_keys) if isinstance(key, Key) and key.site == maker
        )
        return start, reduce(or_, [*keys, *map(self._paths.slots.bit, sites)], 0)

    def _between(self, start: Slot, targets: Collection[Slot], wanted: int) -> dict[Slot, Slot] | None:
        """Return the next slot of each one on the ways of keys to some slots; ``None`` if none starts at ``start``."""
        after: dict[Slot, Slot] = {}
        held = (self._paths.slots.mask(slot) & self._paths.slots.of_kinds(Container) for slot in targets)
        displays = {
            each.display for mask in held for each in self._paths.slots.listed(mask) if isinstance(each, Container)
        }
        waiting = deque([*targets, *(part for each in sorted(displays) for part in self._paths.elements.get(each, ()))])
        seen = set(waiting)
        most = min(self._paths.left, MOST_STATES)
        while waiting and start not in seen and len(seen) < most:
            slot = waiting.popleft()
            for source, carries, _ in self._paths.incoming.get(slot, ()):
                if carries & KEYS and source not in seen and self._paths.slots.mask(source) & wanted:
                    seen.add(source)
                    after[source] = slot
                    waiting.append(source)
        self._paths.left -= len(seen)
        return after if start in seen else None

    @cached_property
    def _leaving(self) -> Mapping[Slot, Collection[Slot]]:
        """The slots to which the keys of each slot go, as far as that is recorded."""
        found: dict[Slot, dict[Slot, None]] = defaultdict(dict)
        is_complete = self._paths.slots.trail.is_complete
        for source, target, carries, tag in self._paths.slots.trail.edges():
            if carries & KEYS and self._paths.slots.mask(source) & self._paths.all_keys:
                found[source][target] = None
                if not is_complete:
                    self._paths.incoming[target][source, carries, tag] = None
        return found

    def _along(self, start: Slot, after: Mapping[Slot, Slot]) -> Way:
        """Return the first steps of a way from a slot, in which calls and returns match, and the step after them."""
        steps: list[Place] = []
        entered: list[int] = []
        slot = start
        while True:
            place = self._paths.places.get(slot)
            steps += [place] if place is not None and steps[-1:] != [place] else []
            target = after.get(slot)
            if target is None:
                return Way(tuple(steps), (Doubt(None, "pool", ""),), len(steps))
            doubts = list(self._unsure(slot, target, entered))
            if doubts:
                return Way(tuple(steps), tuple(doubts[:1]), len(steps))
            slot = target

    def _departure(self, start: Slot, wanted: int) -> Way | None:
        """Return the first step that may not be taken, of all ways of some keys from a slot; a merger counts first."""
        entered: dict[Slot, list[int]] = {start: []}
        before: dict[Slot, Slot] = {}
        waiting = deque([start])
        found: list[tuple[bool, Slot, Doubt]] = []
        while waiting and len(entered) < MOST_STATES:
            slot = waiting.popleft()
            for target in self._leaving.get(slot, ()):
                if target in entered or not self._paths.slots.mask(target) & wanted:
                    continue
                calls = list(entered[slot])
                doubts = list(self._unsure(slot, target, calls))
                if any(each.kind == "returned" for each in doubts):
                    continue  # to another caller than the one that it came from
                found += [(each.kind not in ("crowd", "merger"), slot, each) for each in doubts[:1]]
                entered[target] = calls
                before[target] = slot
                if not doubts:
                    waiting.append(target)
        if not found:
            return None
        _, slot, doubt = min(found, key=lambda each: each[0])
        slots = [slot]
        while slots[-1] in before:
            slots.append(before[slots[-1]])
        places = [self._paths.places[each] for each in reversed(slots) if each in self._paths.places]
        steps = tuple(each for each, last in zip(places, [None, *places], strict=False) if each != last)
        return Way(steps, (doubt,), len(steps))

    def _unsure(self, source: Slot, target: Slot, entered: list[int]) -> Iterator[Doubt]:
        """Return what is not known of a step, where no containers and objects are followed."""
        name, tags = self._paths.names[source], self._telling.tags(source, target)
        place = self._paths.places.get(target)
        call = next((call for tag in tags if (call := self._paths.call(tag)) is not None), None)
        if self._paths.is_merger(target) and call is not None and name[0] not in RESULTS:
            yield Doubt(call.place, "crowd", call.callee)
        elif self._paths.is_merger(target) and self._paths.display(target) is None:
            yield Doubt(place, "merger", "")
        if self._paths.names[target][0] == "written field":
            kind = "held" if self._paths.names[target][2] else "anywhere"
            yield Doubt(place, kind, "", self._paths.names[target][1].name)  # type: ignore[attr-defined]
        if self._paths.display(target) is not None or self._paths.display(source) is not None:
            yield Doubt(place, "part", "")
        yield from self._telling.doubts(State(source), State(target))
        tag = next((tag for tag in tags if tag > 0), 0)
        if tag and name[0] not in RESULTS:
            entered.append(tag)
        elif tag and entered and entered.pop() != tag:
            yield Doubt(place, "returned", "", name[1].name)  # type: ignore[attr-defined]
