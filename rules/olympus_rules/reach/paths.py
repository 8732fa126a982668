"""How keys get from their constructors to a place: paths through the graph in which calls and returns match.

The graph joins what all callers give to a function, and what all containers of one allocation site hold. A path does
not: it leaves a function to the caller that it came from (T. Reps: Program analysis via graph reachability, 1998), and
it takes a key out of a container only where that container goes. So some of what the graph says has no path.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from heapq import heappop, heappush
from operator import or_

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.reach.decided import Decisions, Frame
from olympus_rules.reach.graph import Graph
from olympus_rules.reach.objects import ANYTHING, MOST_CALLS, UNCALLED, Edge, Objects, State, Wanted
from olympus_rules.reach.receivers import Receivers
from olympus_rules.reach.sites import Call
from olympus_rules.reach.slots import Slot, without
from olympus_rules.reach.trail import CONTAINERS, KEYS, LATER
from olympus_rules.reach.values import (
    CALLEES,
    IN_PROJECT,
    OTHER,
    BoundMethod,
    Class,
    Container,
    Function,
    Key,
    Library,
    Made,
    Object,
    Place,
    Unknown,
)

__all__ = ["Found", "Paths", "Way"]

MOST_STATES = 3_000
"""The limit of one search."""
MOST_STATES_IN_ALL = 60_000
MOST_PARTS = 2
"""How many containers and objects around a key are told apart."""
ANY = -1
"""Any part of a container."""
PARTS = frozenset({"element", "elements", "inside"})
SHARED = "shared"
"""The owner of the slots between call sites and very many functions, through which a call goes on."""
RESULTS = frozenset({"result", "returned by many"})
POOLS = frozenset({"contents of many", "elements of many", "fields of many", "leaves of many"})
BESIDE = (Container, Key, Made, Object)
OPENED: dict[object, tuple[type, ...]] = {"leaves": (Object,), "opened": BESIDE, "stored": BESIDE}
"""The slots of parts of objects, with the values beside an object that may be what is read there instead."""
STEP, CHOICE, DOUBT = 1, 30, 1000
"""Costs of a step, of one of several callees, and of an object of unknown class or a merger."""
UNRELATED, MERGED = 4, 64
"""The numbers of functions and classes, and of any values, that make a merger of a place with keys or containers."""


@dataclass(frozen=True, slots=True)
class Way:
    """A path from a constructor to a place.

    Attributes:
        steps: the expressions on it.
        is_sure: whether all of its steps are taken; else one may be: a call of one of several callees or of a method of
            an object of unknown class, a read of an attribute of one of several objects, or a value among others.
        holder: what the key is in at the place, ``object`` or ``container``; empty for the key itself.
    """

    steps: tuple[Place, ...]
    is_sure: bool
    holder: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The paths to a place by their constructors, whether there are surely no others, and the slots of the place."""

    ways: dict[Place, Way]
    is_complete: bool
    targets: tuple[Slot, ...] = ()


class Paths:
    """The paths of a solved graph.

    Attributes:
        handed: the arguments of each call, and what each assignment to an attribute writes.
    """

    def __init__(self, graph: Graph, vague: Collection[Slot]) -> None:
        """Index the edges of a graph; ``vague`` are the slots of attributes of objects of unknown class."""
        self.slots = graph.heap.slots
        self.model = graph.attributes.names.model
        self._vague = frozenset(vague)
        self.left = MOST_STATES_IN_ALL
        self._chosen: dict[Slot, bool] = {}
        self.names = list(self.slots.numbers)
        self._calls = {call.result + 1: call for call in graph.calls.all}
        self._functions = {call.place: self.names[call.result][0] for call in graph.calls.all}
        self.handed: dict[Place, list[Slot]] = defaultdict(list)
        for call in graph.calls.all:
            self.handed[call.place] += call.given
        for written in graph.attributes.written:
            self.handed[written.place].append(written.source)
        self.places = {slot: place for place, slots in graph.expressions.items() for slot in reversed(slots)}
        self.incoming: dict[Slot, dict[Edge, None]] = defaultdict(dict)
        for source, target, carries, tag in self.slots.trail.edges() if self.slots.trail.is_complete else ():
            self.incoming[target][source, carries, tag] = None
        self.elements: dict[int, list[Slot]] = defaultdict(list)
        for slot, name in enumerate(self.names):
            if name[0] == "element":
                self.elements[name[1]].append(slot)  # type: ignore[index]
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
        self.fields = graph.heap.classes.fields
        self._made_by: dict[Place, int] = {}
        self.all_keys = self.slots.of_kinds(Key)
        self._callees = self.slots.of_kinds(BoundMethod, Class, Function)
        self.held = Objects(graph, self.names, self.incoming, self._functions)
        self._wanting = Wanting(self, graph, self._functions)
        self.decisions = Decisions(graph.attributes.names.documents)

    def to_expressions(self, places: Iterable[Place], makers: Collection[Place]) -> Found:
        """Search the paths to one of some expressions, or to a container there."""
        return self.to([slot for place in places for slot in self._expressions.get(place, ())], makers)

    def to(self, targets: Iterable[Slot], makers: Collection[Place], fields: Collection[Slot] = ()) -> Found:
        """Search the paths from constructors to slots, or to containers there.

        A search that is too large is repeated with fewer containers around a key that are told apart.

        Args:
            targets: the slots.
            makers: the constructors.
            fields: the attributes of objects there.
        """
        slots, fields = tuple(targets), tuple(fields)
        ways: dict[Place, Way] = {}
        if not self.slots.trail.is_complete:
            return Found(ways, is_complete=False, targets=slots + fields)
        is_followed = not self.slots.is_cut_short
        for depth in range(MOST_PARTS, -1, -1):
            search = _Search(self, set(makers) - set(ways), depth)
            ways |= search.run(slots, fields, min(self.left, MOST_STATES))
            self.left -= len(search.seen)
            if search.is_complete:
                return Found(ways, is_complete=is_followed, targets=slots + fields)
        return Found(ways, is_complete=False, targets=slots + fields)

    def owner(self, slot: Slot) -> object:
        """Return the function whose activation a slot belongs to; ``None`` for the heap."""
        if slot not in self._owners:
            name = self.names[slot]
            owner: object = None
            if isinstance(name[0], FunctionCode):
                owner = name[0]
            elif name[0] == "result":
                owner = name[1]
            elif isinstance(display := self.display(slot), int):
                owner = self.owner(display)
            elif name[0] in ("handed to many", "returned by many"):
                owner = SHARED
            elif name[0] == "rows" and isinstance(name[1], int):
                owner = self.owner(name[1])
            elif len(name) > 1 and isinstance(name[1], Place):
                owner = self._functions.get(name[1])
            self._owners[slot] = owner
        return self._owners[slot]

    def display(self, part: Slot) -> Slot | None:
        """Return the slot of the display of the container that a slot has a part of, or the leaves."""
        name = self.names[part]
        if name[0] in PARTS:
            assert isinstance(name[1], int)
            return name[1]
        return name[1].display if name[0] == "leaves" and isinstance(name[1], Container) else None

    def before(self, state: State, search: _Search) -> Iterator[tuple[State, int]]:
        """Return the states from which one step of a search leads to a state, with the costs.

        A part is followed to its container if fewer containers are around the key than the search tells apart.
        """
        may_open = len(state.parts) < search.depth
        incoming = [*self.incoming.get(state.slot, ())]
        if self.names[state.slot][0] == "result":
            incoming.reverse()  # the last return stands under no test, where one does not
        for source, carries, tag in incoming:
            if not carries & (CONTAINERS if state.parts else KEYS):
                continue
            kind = self.names[source][0]
            is_part = tag < 0 and self.display(source) is not None
            if kind in POOLS and tag < 0:
                if may_open:
                    yield State(~tag, self.crossed(state, ~tag), (*state.parts, ANY)), STEP
                skips = may_open and not self.slots.mask(~tag) & self._unknown
                if search.opens(source, state.parts, skips=skips):
                    search.add_all(self._pooled(source, state, skips=skips), state)
            elif is_part and may_open:
                yield State(~tag, self.crossed(state, ~tag), (*state.parts, source)), STEP
            elif is_part:
                yield State(source, (), state.parts), DOUBT
            elif kind == "field" and state.slot in self._objects and not self.held.is_made_once(source):
                owner = self._objects[state.slot]
                if may_open:
                    along = self._wanting.along(state, owner)
                    yield State(owner, self.crossed(state, owner), (*state.parts, source), along), STEP
                yield State(source, (), state.parts, self._wanting.in_heap(state, source)), DOUBT
            elif tag > 0:
                calls = self._through(state.calls, tag, leaves=kind in RESULTS)
                wanted = ANYTHING if kind in RESULTS else self._wanting.before(state, tag)
                if calls is not None and wanted is not None:
                    entered = self.names[source][1] if kind in RESULTS else self.names[state.slot][0]
                    yield State(source, calls, state.parts, wanted), self._cost(tag, entered)
            else:
                calls = () if carries & LATER else self.crossed(state, source)
                along = ANYTHING if carries & LATER else self._wanting.along(state, source)
                along = along if along.functions else self._wanting.in_heap(state, source)
                yield State(source, calls, state.parts, along), self._cost_of_read(source, state.slot, tag)
        if state.parts:
            yield from self._parts_made(state)

    def _pooled(self, pool: Slot, state: State, *, skips: bool) -> Iterator[State]:
        """Return the parts in a pool; ``skips`` those of containers, which are found where the containers go."""
        for source, *_ in self.incoming.get(pool, ()):
            if self.display(source) is None or not skips:
                yield State(source, (), state.parts)

    def _parts_made(self, state: State) -> Iterator[tuple[State, int]]:
        """Return the parts of the containers that are made at a slot."""
        *outer, part = state.parts
        if part != ANY and self.held.is_field(part):
            for before, tag in self.held.before(state, partial(self._through, leaves=False)):
                wanted = self._wanting.of_object(state, before, tag)
                if wanted is not None:
                    yield before._replace(wanted=wanted), CHOICE if tag == UNCALLED else self._cost(tag)
            return
        elements = self.elements.get(state.slot, ())
        parts = elements if part == ANY else [part] if self.display(part) == state.slot else []
        for each in parts:
            yield State(each, state.calls, tuple(outer), self._wanting.along(state, each)), STEP

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

    def call(self, tag: int) -> Call | None:
        """Return the call that an edge leads into or out of, by its tag."""
        return self._calls.get(tag)

    def is_around(self, call: Call, code: FunctionCode | None) -> bool:
        """Return whether a function has a call."""
        return code is not None and self._functions.get(call.place) is code

    def is_vague(self, call: Call) -> bool:
        """Return whether a method of an object of unknown class is called."""
        return call.function in self._vague

    def _cost(self, tag: int, entered: object = None) -> int:
        """Return the cost of a call, by its tag, of one of the functions that it may call."""
        call = self._calls.get(tag)
        if call is None:
            return STEP
        if call.function in self._vague:
            return DOUBT
        if not self.is_choice(call.function):
            return STEP
        choice = self.held.choice(call, entered, None) if isinstance(entered, FunctionCode) else "unknown"
        return {"sure": STEP, "of a subclass": DOUBT}.get(choice, CHOICE)

    def _cost_of_read(self, source: Slot, target: Slot, tag: int) -> int:
        kind = self.names[source][0]
        if kind in ("attribute", "loose") or self.is_merger(source) or self.is_hidden(source, target, tag):
            return DOUBT
        return CHOICE if kind == "field" and self.is_of_several(target) else STEP

    def is_merger(self, slot: Slot) -> bool:
        """Return whether a slot that keys pass holds many functions and classes beside them, or very many values."""
        beside = without(self.slots.mask(slot), self.all_keys)
        return (beside & self._callees).bit_count() >= UNRELATED or beside.bit_count() >= MERGED

    def is_hidden(self, source: Slot, target: Slot, tag: int) -> bool:
        """Return whether the parts of an object are read where it is in another one, or may be another value."""
        kind, *of = self.names[source]
        if tag >= 0 or kind not in OPENED or not isinstance(of[0], Object):
            return False
        others = without(self.slots.mask(~tag), self.slots.bit(of[0]))
        return ~tag == target or bool(others & self.slots.of_kinds(*OPENED[kind]))

    def is_of_several(self, target: Slot) -> bool:
        """Return whether the object whose attribute is read may be one of several unrelated classes."""
        owner = self._objects.get(target)
        if owner is None:
            return False
        if owner not in self._several:
            values = self.slots.listed(self.slots.mask(owner) & self.slots.of_kinds(Object))
            families = {self._family(value.code) for value in values if isinstance(value, Object)}
            self._several[owner] = len(families) > 1
        return self._several[owner]

    def is_choice(self, function: Slot) -> bool:
        """Return whether a callee may be one of several functions or classes, of which some are in the project."""
        if function not in self._chosen:
            callees = self.slots.mask(function)
            is_own = bool(callees & self.slots.of_kinds(*IN_PROJECT))  # else they are names of a library for one
            self._chosen[function] = is_own and (callees & self.slots.of_kinds(*CALLEES)).bit_count() > 1
        return self._chosen[function]

    def around(self, values: int) -> int:
        """Return the mask of the containers and objects that hold some values, at any depth."""
        if values in self._around:
            return self._around[values]
        found, before = 0, -1
        while found != before:
            before = found
            found |= self.held.with_keys(values | before)
            for display, elements in self.elements.items():
                if any(self.slots.mask(element) & (values | before) for element in elements):
                    found |= self._bits(display)
        self._around[values] = found
        return found

    def made_at(self, part: Slot) -> int:
        """Return the mask of the container of a part, or of the objects that have an attribute."""
        if self.held.is_field(part):
            return self.held.with_field(part)
        display = self.display(part)
        assert display is not None
        return self._bits(display)

    def _bits(self, display: int) -> int:
        found = self._of_display.get(display)
        if found is None:
            found = self._of_display[display] = reduce(or_, map(self.slots.bit, self._displays[display]), 0)
        return found

    def written_to(self, class_: ClassCode, name: str, but: Slot, *, by_methods: bool) -> list[int]:
        """Return the masks of what is written to an attribute of the objects of a class, but for one slot.

        Args:
            class_: the class.
            name: the attribute.
            but: the slot that is left out.
            by_methods: whether only what methods write to their own object counts.
        """
        sources = {each for slot in self.fields.held(class_, name) for each, _, _ in self.incoming.get(slot, ())}
        if by_methods:
            sources = {each for each in sources if self.held.is_written_by_method(name, each)}
        return [self.slots.mask(each) for each in sources - {but}]

    def made_by(self, maker: Place) -> int:
        """Return the mask of the keys of a constructor."""
        if maker not in self._made_by:
            keys = (key for key in self.slots.listed(self.all_keys) if isinstance(key, Key) and key.site == maker)
            self._made_by[maker] = reduce(or_, map(self.slots.bit, keys), 0)
        return self._made_by[maker]

    def maker(self, state: State) -> Place | None:
        """Return the constructor that a state is the result of."""
        name = self.names[state.slot]
        return name[1] if name[0] == "made" and not state.parts else None  # type: ignore[return-value]


class Wanting:
    """What is wanted of the object of a method, before each kind of step of a path."""

    def __init__(self, paths: Paths, graph: Graph, functions: Mapping[Place, object]) -> None:
        """Take the paths, their graph, and the function around each call."""
        self._paths = paths
        self._functions = functions
        self._objects = graph.attributes.owners
        self._receivers = Receivers(graph, paths.held, functions)

    def along(self, state: State, source: Slot) -> Wanted:
        """Return what is wanted of the object of a method before a step inside of it."""
        around = self._paths.owner(source)
        return (
            state.wanted if around is self._paths.owner(state.slot) and isinstance(around, FunctionCode) else ANYTHING
        )

    def in_heap(self, state: State, source: Slot) -> Wanted:
        """Return what is wanted of the object of an attribute: what is wanted of it where its method reads that."""
        before, after, target = self._paths.names[source], self._paths.names[state.slot], state.slot
        if before[0] == "written field" and after[0] == "field":
            return state.wanted
        if before[0] == "field" and target in self._objects:
            is_own = self._receivers.is_self(self._objects[target], self._paths.owner(target))
            return state.wanted if is_own else ANYTHING
        is_write = after[0] == "written field" and isinstance(after[2], str)
        if is_write and self._receivers.is_own_write(after[2], source, self._paths.owner(source)):  # type: ignore[arg-type]
            return state.wanted
        return ANYTHING

    def before(self, state: State, tag: int) -> Wanted | None:
        """Return what is wanted of the object of a method that calls a function; ``None`` if it cannot be this call."""
        call, entered = self._paths.call(tag), self._paths.owner(state.slot)
        if call is None or not isinstance(entered, FunctionCode):
            return ANYTHING
        wanted = self._receivers.before(state.wanted, call, entered) if state.wanted.functions else ANYTHING
        fresh = ANYTHING if wanted is None or self._paths.is_vague(call) else self._receivers.wanted(call, entered)
        return fresh if fresh.functions else wanted

    def of_object(self, state: State, before: State, tag: int) -> Wanted | None:
        """Return what is wanted of the object of a method before a step of that object; ``None`` if it cannot be it."""
        around = self._paths.owner(state.slot)
        is_own = isinstance(around, FunctionCode) and self._paths.held.self_of(around) == state.slot
        if not is_own or not state.wanted.functions:
            return ANYTHING
        call = self._paths.call(tag)
        if call is None or self._functions.get(call.place) is around:  # the object goes into another of its methods
            return state.wanted if call is not None else self.along(state, before.slot)
        return self.before(state, tag)


class Telling:
    """What is known of the steps of a path."""

    def __init__(self, paths: Paths) -> None:
        """Take the graph."""
        self._paths = paths
        self._name = paths.names.__getitem__

    def way(self, state: State, after: dict[State, State | None]) -> Way:
        """Return the path from a state to the place."""
        steps: list[Place] = []
        entered: list[Frame] = []
        is_sure = True
        given = 0
        following: State | None = state
        last = state
        while following is not None:
            last, target = following, after[following]
            place = self._paths.places.get(last.slot)
            steps += [place] if place is not None and steps[-1:] != [place] else []
            is_sure = (
                is_sure and not self._paths.is_merger(last.slot) and not self._left_by_test(last.slot, place, entered)
            )
            if target is not None:
                is_sure = is_sure and not self._may_not_be_taken(last, target, entered[-1].call if entered else None)
                self._enter(entered, last, target.slot)
                given = self._given(given, last, target)
                is_sure = is_sure and not (given and self._of_field(target.slot))
                is_sure = is_sure and not self._is_overwritten(last, target, self._paths.maker(state))
            following = target
        is_sure = is_sure and self._name(last.slot)[0] not in ("written field", "field", "loose")
        return Way(tuple(steps), is_sure, self._paths.held.holder(last))

    def _left_by_test(self, slot: Slot, place: Place | None, entered: Sequence[Frame]) -> bool:
        """Return whether what was passed to the function around a step decides that it does not get there."""
        frame = entered[-1] if entered else None
        if place is None or frame is None or frame.code is None or frame.code is not self._paths.owner(slot):
            return False
        return self._paths.decisions.rule_out(place, frame.code, frame.constants)

    def _enter(self, entered: list[Frame], state: State, target: Slot) -> None:
        """Note the functions that the key is in, after a step."""
        name = self._name(state.slot)
        call = next(
            (call for tag in self.tags(state.slot, target) if (call := self._paths.call(tag)) is not None), None
        )
        if call is not None and name[0] not in RESULTS:
            code = self._name(target)[0]
            around = code if isinstance(code, FunctionCode) else None
            known = entered[-1].constants if entered and self._paths.is_around(call, entered[-1].code) else {}
            callees = self._paths.slots.values(call.function)
            constants = {} if around is None else self._paths.decisions.constants(call, around, callees, known)
            entered.append(Frame(call, around, constants))
        elif call is not None and entered:
            entered.pop()
        if name[0] == "field":
            entered.clear()

    def _given(self, given: int, state: State, target: State) -> int:
        """Return how many calls hand on the key since it was made, or was read from an attribute."""
        kind = self._name(state.slot)[0]
        if kind == "field":
            return 0
        if self._is_of_object(target):
            return 1
        if any(tag > 0 for tag in self.tags(state.slot, target.slot)):
            return max(0, given - 1) if kind in RESULTS else given + 1
        name = self._name(target.slot)
        if name[0] == "written field" and not self._paths.held.is_own(state.slot, name[1], self._paths.owner):
            return given + 1
        return given

    def _of_field(self, target: Slot) -> bool:
        """Return whether a step writes to objects of which several are made."""
        name = self._name(target)
        return name[0] == "written field" and not (name[2] and self._paths.held.is_made_once(target))

    def _is_overwritten(self, state: State, target: State, maker: Place | None) -> bool:
        """Return whether a step writes an attribute that gets a key of other constructors, or an unknown value."""
        attribute = self._written_attribute(state, target)
        if attribute is None or maker is None:
            return False
        _, class_, name = self._name(attribute)
        assert isinstance(class_, ClassCode)
        keys, own = self._paths.all_keys, self._paths.made_by(maker)
        anything = keys | self._paths.slots.bit(OTHER)
        is_known = attribute != target.slot
        written = self._paths.written_to(class_, str(name), state.slot, by_methods=is_known)
        if any(mask & anything and not mask & own for mask in written):
            return True
        if not any(without(mask & anything, own) for mask in written):
            return False
        names = self._paths.fields.names_of(class_)  # it is derived of another attribute
        for masks in (self._paths.written_to(class_, each, state.slot, by_methods=True) for each in names):
            foreign = anything if any(mask & own for mask in masks) else keys
            if any(mask & foreign and not mask & own for mask in masks):
                return True
        return False

    def _written_attribute(self, state: State, target: State) -> Slot | None:
        """Return the slot of the attribute that a step writes the key to."""
        name = self._name(target.slot)
        if name[0] == "written field":
            return target.slot if isinstance(name[2], str) else None
        if self._is_of_object(target) and state.parts == target.parts[:-1]:
            attribute = target.parts[-1]
            written = self._paths.held.writes.get(target.slot, ())
            return attribute if (str(self._name(attribute)[2]), state.slot) in written else None
        return None

    def tags(self, source: Slot, target: Slot) -> list[int]:
        """Return the tags of the edges between two slots."""
        return [tag for each, _, tag in self._paths.incoming.get(target, ()) if each == source]

    def _may_not_be_taken(self, state: State, following: State, around: Call | None) -> bool:
        """Return whether it is not known that a step is taken; ``around`` is the call of the function around it."""
        source, target = state.slot, following.slot
        name, tags, is_kept = self._name(source), self.tags(source, target), len(state.parts) == len(following.parts)
        if name[0] in ("attribute", "loose") or (name[0] == "field" and self._paths.is_of_several(target)):
            return True
        if name[0] in OPENED and isinstance(name[1], Object) and is_kept:
            is_hidden = any(self._paths.is_hidden(source, target, tag) for tag in tags)
            if is_hidden or not self._paths.held.is_single(name[1].code):
                return True
        if tags and self._paths.display(source) not in (None, target) and all(tag < 0 for tag in tags):
            return True  # read where its container was not followed
        given = self._paths.call(target + 1)
        if given is not None and source in given.given and self._may_give_back(given):
            return True
        of_object = self._is_of_object(following)
        if of_object and state.parts == following.parts and not tags and self._paths.held.uncalled(source, target):
            return True
        call = self._paths.call(next((tag for tag in tags if tag > 0), 0))
        if call is None and not tags:
            call = self._paths.held.call_between(source, target)
        if call is not None:
            return self._may_be_another(call, source, target, around)
        return not tags and is_kept and not of_object

    def _may_give_back(self, call: Call) -> bool:
        """Return whether it is not known what a call gives back of what it is given.

        This is so where a library made what is called, and where a library calls functions that are unknown.
        """
        slots = self._paths.slots
        callees = slots.mask(call.function) & slots.of_kinds(*CALLEES)
        called = slots.listed(callees & slots.of_kinds(Library))
        if not called:
            return bool(callees & slots.of_kinds(Made))
        transforms = [self._paths.model(value.qualified).transform for value in called if isinstance(value, Library)]
        return any(transform is not None and transform.gives_results for transform in transforms)

    def _is_of_object(self, state: State) -> bool:
        """Return whether the key is in an attribute of an object."""
        return bool(state.parts) and state.parts[-1] != ANY and self._paths.held.is_field(state.parts[-1])

    def _may_be_another(self, call: Call, source: Slot, target: Slot, around: Call | None) -> bool:
        """Return whether a call may be one of another function; ``around`` is the call of the function around it."""
        if self._paths.is_vague(call):
            return True
        if not self._paths.is_choice(call.function):
            return False
        entered = self._name(source)[1] if self._name(source)[0] in RESULTS else self._name(target)[0]
        is_looked_up = isinstance(call.node.func, ast.Subscript) and not isinstance(call.node.func.slice, ast.Constant)
        of_library = self._paths.slots.mask(call.function) & self._paths.slots.of_kinds(Library, Made)
        if of_library or is_looked_up or not isinstance(entered, FunctionCode):
            return True  # what a library makes may be what it is given, or not; an index chooses what is called
        return self._paths.held.choice(call, entered, around) != "sure"


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
        self._waiting: list[tuple[int, int, State | Iterator[State], State | None]] = []
        self._costs: dict[State, int] = {}
        self._calls: dict[tuple[Slot, tuple[Slot, ...], Wanted], set[tuple[int, ...]]] = defaultdict(set)
        self._pools: set[tuple[Slot, tuple[Slot, ...], bool]] = set()
        self._count = 0
        self._reached = 0

    def add(self, state: State, after: State | None, cost: int) -> None:
        """Add a state from which a step leads to another one."""
        if self.is_wanted(state) and not self.is_seen(state):
            known = self._costs.get(state)
            if known is None or cost < known:  # else it waits with a cost that is no higher
                self._costs[state] = cost
                self._count += 1
                heappush(self._waiting, (cost, self._count, state, after))

    def add_all(self, states: Iterator[State], after: State) -> None:
        """Add states from which one step leads to the one that was reached last; each is made when its turn comes."""
        self._count += 1
        heappush(self._waiting, (self._reached + STEP, self._count, states, after))

    def _next(self) -> tuple[int, State | None, State | None]:
        """Take the cheapest state that waits, with its cost and the one after it; ``None`` for one that is left out."""
        cost, count, waiting, after = heappop(self._waiting)
        if isinstance(waiting, State):
            self._costs.pop(waiting, None)
            return cost, None if self.is_seen(waiting) else waiting, after
        state = next((each for each in waiting if self.is_wanted(each) and not self.is_seen(each)), None)
        if state is not None:
            heappush(self._waiting, (cost, count, waiting, after))
        return cost, state, after

    def is_wanted(self, state: State) -> bool:
        """Return whether keys or containers of the constructors come to a state."""
        wanted = self._containers if state.parts else self._keys
        if state.parts and state.parts[-1] != ANY:
            wanted &= self.paths.made_at(state.parts[-1])
        return self.paths.slots.mask(state.slot) & wanted != 0

    def is_seen(self, state: State) -> bool:
        """Return whether the search had a state that says the same, or less of the calls around it."""
        for wanted in {ANYTHING, state.wanted}:
            known = self._calls.get((state.slot, state.parts, wanted))
            if known is not None and any(state.calls[start:] in known for start in range(len(state.calls) + 1)):
                return True
        return False

    def opens(self, pool: Slot, parts: tuple[Slot, ...], *, skips: bool) -> bool:
        """Say whether the search has to look into a pool, and note that it does: later it would find nothing new."""
        is_new = (pool, parts, skips) not in self._pools
        self._pools.add((pool, parts, skips))
        return is_new

    def run(self, targets: Iterable[Slot], fields: Iterable[Slot], limit: int) -> dict[Place, Way]:
        """Search until all constructors are found, or the limit of states is reached."""
        for attribute in fields:
            self.add(State(attribute), None, DOUBT)
        for slot in targets:
            for parts in ((), (ANY,), (ANY, ANY)):
                self.add(State(slot, (), parts), None, 0)
            for attribute in filter(self.paths.held.is_field, fields if self.depth else ()):
                for around in ((), (ANY,)):
                    self.add(State(slot, (), (attribute, *around)), None, 0)
        ways: dict[Place, Way] = {}
        while self._waiting and self._missing and len(self.seen) < limit:
            cost, state, after = self._next()
            if state is None:
                continue
            self._reached = cost
            self.seen[state] = after
            self._calls[state.slot, state.parts, state.wanted].add(state.calls)
            maker = self.paths.maker(state)
            if maker in self._missing:
                assert maker is not None
                self._missing.discard(maker)
                ways[maker] = Telling(self.paths).way(state, self.seen)
            for before, step in self.paths.before(state, self):
                self.add(before, state, cost + step)
        self.is_complete = not self._missing or not self._waiting
        return ways
