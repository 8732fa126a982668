"""How keys get from their constructors to a place: paths through the graph in which calls and returns match.

The graph joins what all callers give to a function, and what all containers of one allocation site hold. A path does
not: it leaves a function to the caller that it came from (T. Reps: Program analysis via graph reachability, 1998), and
it takes a key out of a container only where that container goes. So some of what the graph says has no path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from heapq import heappop, heappush
from operator import or_
from typing import NamedTuple, TypeAlias

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.reach.graph import Graph
from olympus_rules.reach.slots import Slot
from olympus_rules.reach.trail import CONTAINERS, KEYS, LATER
from olympus_rules.reach.values import (
    CALLEES,
    IN_PROJECT,
    BoundMethod,
    Class,
    Container,
    Function,
    Key,
    Made,
    Object,
    Place,
    Unknown,
)

__all__ = ["Doubt", "Found", "Paths", "Way"]

MOST_STATES = 30_000
"""The limit of one search."""
MOST_STATES_IN_ALL = 600_000
MOST_CALLS, MOST_PARTS = 3, 2
"""How many calls around a place, and containers around a key, are told apart."""
ANY = -1
"""Any part of a container."""
PARTS = frozenset({"element", "elements", "inside"})
SHARED = "shared"
"""The owner of the slots between call sites and very many functions, through which a call goes on."""
RESULTS = frozenset({"result", "returned by many"})
POOLS = frozenset({"contents of many", "elements of many", "fields of many", "leaves of many"})
OPENED: dict[object, tuple[type, ...]] = {"leaves": (Object,), "opened": (Container, Key, Made, Object)}
"""The slots of parts of objects, with the values beside an object that may be what is read there instead."""
STEP, CHOICE, DOUBT = 1, 30, 1000
"""Costs of a step, of one of several callees, and of an object of unknown class or a merger."""
UNRELATED = 4
"""The number of functions and classes that makes a merger of a place with keys or containers."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A step of a path that may not be taken.

    Attributes:
        place: where it is; ``None`` if it has no place in the source.
        kind: ``attribute`` of an object of unknown class, ``object`` for the attribute of one of several classes,
            ``leaf`` for the parts of an object whose way is not followed, ``part`` for those of a container,
            ``method`` of an object of unknown class, ``callee`` for one of several, or ``merger`` for a place where
            unrelated values come together.
        name: the attribute, or how the callee is written; empty for a merger.
        target: the class or function that is meant; empty for an object of unknown class.
        leaves: whether a callee returns the key, and is not given it.
    """

    place: Place | None
    kind: str
    name: str
    target: str = ""
    leaves: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Way:
    """A path from a constructor to a place: the expressions on it, and the steps that may not be taken.

    Attributes:
        steps: the expressions.
        doubts: the steps that may not be taken.
        sure: the number of expressions up to the first such step.
    """

    steps: tuple[Place, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    sure: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """The paths to a place by their constructors, and whether there are surely no others."""

    ways: dict[Place, Way]
    is_complete: bool


class State(NamedTuple):
    """A value on its way to a place.

    Attributes:
        slot: where it is.
        calls: the calls in which the functions around it have to be entered, the inner one last; those before are any.
        parts: the slot of the part, for each of the containers that the value is, in which the key is.
    """

    slot: Slot
    calls: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()


Edge: TypeAlias = tuple[Slot, int, int]
"""The source of an edge, what it carries, and its tag."""


class Paths:
    """The paths of a solved graph.

    Attributes:
        handed: the arguments of each call, and what each assignment to an attribute writes.
    """

    def __init__(self, graph: Graph, vague: Collection[Slot]) -> None:
        """Index the edges of a graph; ``vague`` are the slots of attributes of objects of unknown class."""
        self.slots = graph.heap.slots
        self._vague = frozenset(vague)
        self._left = MOST_STATES_IN_ALL
        self._names = list(self.slots.numbers)
        self._calls = {call.result + 1: call for call in graph.calls.all}
        self._functions = {call.place: self._names[call.result][0] for call in graph.calls.all}
        self.handed: dict[Place, list[Slot]] = defaultdict(list)
        for call in graph.calls.all:
            self.handed[call.place] += call.given
        for place, _, _, written in graph.attributes.written:
            self.handed[place].append(written)
        self._places = {slot: place for place, slots in graph.expressions.items() for slot in reversed(slots)}
        self._incoming: dict[Slot, dict[Edge, None]] = defaultdict(dict)
        for source, target, carries, tag in self.slots.trail.edges():
            self._incoming[target][source, carries, tag] = None
        self._elements: dict[int, list[Slot]] = defaultdict(list)
        for slot, name in enumerate(self._names):
            if name[0] == "element":
                self._elements[name[1]].append(slot)  # type: ignore[index]
        self._displays: dict[int, list[Container]] = defaultdict(list)
        for value in self.slots.listed(self.slots.of_kinds(Container)):
            assert isinstance(value, Container)
            self._displays[value.display].append(value)
        self._unknown = self.slots.of_kinds(Unknown)
        self._of_display: dict[int, int] = {}
        self._several: dict[Slot, bool] = {}
        self._around: dict[int, int] = {}
        self._owners: dict[Slot, object] = {}
        self._expressions = graph.expressions
        self._objects = graph.attributes.owners
        self._family = graph.heap.classes.family
        self._callees = self.slots.of_kinds(BoundMethod, Class, Function)

    def to_expressions(self, places: Iterable[Place], makers: Collection[Place]) -> Found:
        """Search the paths to one of some expressions, or to a container there."""
        return self.to([slot for place in places for slot in self._expressions.get(place, ())], makers)

    def to(self, targets: Iterable[Slot], makers: Collection[Place]) -> Found:
        """Search the paths from constructors to slots, or to containers there.

        A search that is too large is repeated with fewer containers around a key that are told apart.
        """
        slots = tuple(targets)
        ways: dict[Place, Way] = {}
        if not self.slots.trail.is_complete:
            return Found(ways, is_complete=False)
        is_followed = not self.slots.is_cut_short
        for depth in range(MOST_PARTS, -1, -1):
            search = _Search(self, set(makers) - set(ways), depth)
            ways |= search.run(slots, min(self._left, MOST_STATES))
            self._left -= len(search.seen)
            if search.is_complete:
                return Found(ways, is_complete=is_followed)
        return Found(ways, is_complete=False)

    def owner(self, slot: Slot) -> object:
        """Return the function whose activation a slot belongs to; ``None`` for the heap."""
        if slot not in self._owners:
            name = self._names[slot]
            owner: object = None
            if isinstance(name[0], FunctionCode):
                owner = name[0]
            elif name[0] == "result":
                owner = name[1]
            elif isinstance(display := self._display(slot), int):
                owner = self.owner(display)
            elif name[0] in ("handed to many", "returned by many"):
                owner = SHARED
            elif name[0] == "rows" and isinstance(name[1], int):
                owner = self.owner(name[1])
            elif len(name) > 1 and isinstance(name[1], Place):
                owner = self._functions.get(name[1])
            self._owners[slot] = owner
        return self._owners[slot]

    def _display(self, part: Slot) -> Slot | None:
        """Return the slot of the display of the container that a slot has a part of, or the leaves."""
        name = self._names[part]
        if name[0] in PARTS:
            assert isinstance(name[1], int)
            return name[1]
        return name[1].display if name[0] == "leaves" and isinstance(name[1], Container) else None

    def before(self, state: State, depth: int) -> Iterator[tuple[State, int]]:
        """Return the states from which one step leads to a state, with the costs.

        A part is followed to its container if fewer than ``depth`` containers are around the key.
        """
        may_open = len(state.parts) < depth
        for source, carries, tag in self._incoming.get(state.slot, ()):
            if not carries & (CONTAINERS if state.parts else KEYS):
                continue
            kind = self._names[source][0]
            is_part = tag < 0 and self._display(source) is not None
            if kind in POOLS and tag < 0:
                if may_open:
                    yield State(~tag, self.crossed(state, ~tag), (*state.parts, ANY)), STEP
                yield from self._pooled(source, state, skips=may_open and not self.slots.mask(~tag) & self._unknown)
            elif is_part and may_open:
                yield State(~tag, self.crossed(state, ~tag), (*state.parts, source)), STEP
            elif is_part:
                yield State(source, (), state.parts), DOUBT
            elif tag > 0:
                calls = self._through(state.calls, tag, leaves=kind in RESULTS)
                if calls is not None:
                    yield State(source, calls, state.parts), self._cost(tag)
            else:
                calls = () if carries & LATER else self.crossed(state, source)
                yield State(source, calls, state.parts), self._cost_of_read(source, state.slot, tag)
        if state.parts:
            yield from self._parts_made(state)

    def _pooled(self, pool: Slot, state: State, *, skips: bool) -> Iterator[tuple[State, int]]:
        """Return the parts in a pool; ``skips`` those of containers, which are found where the containers go."""
        for source, *_ in self._incoming.get(pool, ()):
            if self._display(source) is None or not skips:
                yield State(source, (), state.parts), STEP

    def _parts_made(self, state: State) -> Iterator[tuple[State, int]]:
        """Return the parts of the containers that are made at a slot."""
        *outer, part = state.parts
        elements = self._elements.get(state.slot, ())
        parts = elements if part == ANY else [part] if self._display(part) == state.slot else []
        for each in parts:
            yield State(each, state.calls, tuple(outer)), STEP

    def crossed(self, state: State, source: Slot) -> tuple[int, ...]:
        """Return the calls after a step that is neither a call nor a return: any, in another function."""
        owner = self.owner(source)
        if SHARED in (owner, self.owner(state.slot)):
            return state.calls
        return state.calls if owner is not None and owner is self.owner(state.slot) else ()

    def _through(self, calls: tuple[int, ...], tag: int, *, leaves: bool) -> tuple[int, ...] | None:
        """Return the calls after a step, backwards, into or out of a callee; ``None`` if they do not match."""
        if leaves:
            return (*calls, tag)[-MOST_CALLS:]
        if calls and calls[-1] != tag:
            return None
        return calls[:-1]

    def _cost(self, tag: int) -> int:
        call = self._calls.get(tag)
        if call is None:
            return STEP
        if call.function in self._vague:
            return DOUBT
        return CHOICE if self._is_choice(call.function) else STEP

    def _cost_of_read(self, source: Slot, target: Slot, tag: int) -> int:
        kind = self._names[source][0]
        if kind in ("attribute", "loose") or self._is_merger(source) or self._is_hidden(source, target, tag):
            return DOUBT
        return CHOICE if kind == "field" and self._is_of_several(target) else STEP

    def _is_merger(self, slot: Slot) -> bool:
        """Return whether a slot that keys pass holds many functions and classes beside them."""
        return (self.slots.mask(slot) & self._callees).bit_count() >= UNRELATED

    def _is_hidden(self, source: Slot, target: Slot, tag: int) -> bool:
        """Return whether the parts of an object are read where it is in another one, or may be another value."""
        kind, *of = self._names[source]
        if tag >= 0 or kind not in OPENED or not isinstance(of[0], Object):
            return False
        others = self.slots.mask(~tag) & ~self.slots.bit(of[0])
        return ~tag == target or bool(others & self.slots.of_kinds(*OPENED[kind]))

    def _is_of_several(self, target: Slot) -> bool:
        """Return whether the object whose attribute is read may be one of several unrelated classes."""
        owner = self._objects.get(target)
        if owner is None:
            return False
        if owner not in self._several:
            values = self.slots.listed(self.slots.mask(owner) & self.slots.of_kinds(Object))
            families = {self._family(value.code) for value in values if isinstance(value, Object)}
            self._several[owner] = len(families) > 1
        return self._several[owner]

    def _is_choice(self, function: Slot) -> bool:
        callees = self.slots.mask(function)
        if not callees & self.slots.of_kinds(*IN_PROJECT):
            return False  # names of a library for one function
        return (callees & self.slots.of_kinds(*CALLEES)).bit_count() > 1

    def around(self, values: int) -> int:
        """Return the mask of the containers that hold some values, at any depth."""
        if values in self._around:
            return self._around[values]
        found, before = 0, -1
        while found != before:
            before = found
            for display, elements in self._elements.items():
                if any(self.slots.mask(element) & (values | before) for element in elements):
                    found |= self._bits(display)
        self._around[values] = found
        return found

    def made_at(self, part: Slot) -> int:
        """Return the mask of the container of a part."""
        display = self._display(part)
        assert display is not None
        return self._bits(display)

    def _bits(self, display: int) -> int:
        found = self._of_display.get(display)
        if found is None:
            found = self._of_display[display] = reduce(or_, map(self.slots.bit, self._displays[display]), 0)
        return found

    def maker(self, state: State) -> Place | None:
        """Return the constructor that a state is the result of."""
        name = self._names[state.slot]
        return name[1] if name[0] == "made" and not state.parts else None  # type: ignore[return-value]

    def way(self, state: State, after: dict[State, State | None]) -> Way:
        """Return the path from a state to the place."""
        steps: list[Place] = []
        doubts: list[Doubt] = []
        sure = 0
        following: State | None = state
        while following is not None:
            place = self._places.get(following.slot)
            if place is not None and steps[-1:] != [place]:
                steps.append(place)
                doubts += [Doubt(place, "merger", "")] if self._is_merger(following.slot) else []
            target = after[following]
            if target is not None:
                doubts += self._doubts(following.slot, target.slot)
            sure = sure or (len(steps) if doubts else 0)
            following = target
        return Way(tuple(steps), tuple(dict.fromkeys(doubts)), sure)

    def _jumps(self, source: Slot, target: Slot) -> Iterator[Doubt]:
        """Return the doubt of a part that is read where its container was not followed."""
        if not any(each == source and tag >= 0 for each, _, tag in self._incoming[target]):
            yield Doubt(self._places.get(target), "part", "")

    def _doubts(self, source: Slot, target: Slot) -> Iterator[Doubt]:
        """Return what is not known of a step."""
        name = self._names[source]
        if name[0] in ("attribute", "loose"):
            yield Doubt(self._places.get(target), "attribute", str(name[1]))
        if name[0] == "field" and self._is_of_several(target):
            family = name[1]
            assert isinstance(family, ClassCode)
            yield Doubt(self._places.get(target), "object", str(name[2]), family.name)
        if any(each == source and self._is_hidden(source, target, tag) for each, _, tag in self._incoming[target]):
            yield Doubt(self._places.get(target), "leaf", "", name[1].code.name)  # type: ignore[attr-defined]
        if self._display(source) not in (None, target):
            yield from self._jumps(source, target)
        tags = [tag for each, _, tag in self._incoming[target] if each == source and tag > 0]
        call = self._calls.get(tags[0]) if tags else None
        if call is None:
            return
        entered = name[1] if name[0] == "result" else self._names[target][0]
        called = entered.name if isinstance(entered, FunctionCode) else ""
        if call.function in self._vague:
            yield Doubt(call.place, "method", call.callee, called, leaves=name[0] in RESULTS)
        elif self._is_choice(call.function):
            yield Doubt(call.place, "callee", call.callee, called, leaves=name[0] in RESULTS)


class _Search:
    """One search, backwards from a place, the cheapest paths first.

    Attributes:
        paths: the graph.
        seen: the states that the search had, each with the next one on the way to the place.
        is_complete: whether there are no other paths.
    """

    def __init__(self, paths: Paths, makers: Collection[Place], depth: int) -> None:
        """Start without a place; ``depth`` is the limit of containers around a key that are told apart."""
        self.paths = paths
        self.depth = depth
        self.seen: dict[State, State | None] = {}
        self.is_complete = False
        slots = paths.slots
        self._missing = set(makers)
        keys = slots.listed(slots.of_kinds(Key))
        self._keys = reduce(or_, (slots.bit(key) for key in keys if isinstance(key, Key) and key.site in makers), 0)
        self._containers = paths.around(self._keys)
        self._waiting: list[tuple[int, int, State, State | None]] = []
        self._count = 0

    def add(self, state: State, after: State | None, cost: int) -> None:
        """Add a state from which a step leads to another one."""
        wanted = self._containers if state.parts else self._keys
        if state.parts and state.parts[-1] != ANY:
            wanted &= self.paths.made_at(state.parts[-1])
        if self.paths.slots.mask(state.slot) & wanted and not self.is_seen(state):
            self._count += 1
            heappush(self._waiting, (cost, self._count, state, after))

    def is_seen(self, state: State) -> bool:
        """Return whether the search had a state that says the same, or less of the calls around it."""
        slot, calls, parts = state
        return any(State(slot, calls[start:], parts) in self.seen for start in range(len(calls) + 1))

    def run(self, targets: Iterable[Slot], limit: int) -> dict[Place, Way]:
        """Search until all constructors are found, or the limit of states is reached."""
        for slot in targets:
            for parts in ((), (ANY,), (ANY, ANY)):
                self.add(State(slot, (), parts), None, 0)
        ways: dict[Place, Way] = {}
        while self._waiting and self._missing and len(self.seen) < limit:
            cost, _, state, after = heappop(self._waiting)
            if self.is_seen(state):
                continue
            self.seen[state] = after
            maker = self.paths.maker(state)
            if maker in self._missing:
                assert maker is not None
                self._missing.discard(maker)
                ways[maker] = self.paths.way(state, self.seen)
            for before, step in self.paths.before(state, self.depth):
                self.add(before, state, cost + step)
        self.is_complete = not self._missing or not self._waiting
        return ways
