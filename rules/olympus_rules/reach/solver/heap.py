"""The slots of values: variables, results of functions, and elements of allocation sites."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial

from olympus_rules.code import instructions as ir
from olympus_rules.reach.solver.classes import Classes
from olympus_rules.reach.solver.mapping import MOST_AXES
from olympus_rules.reach.solver.slots import Slot, Slots, without
from olympus_rules.reach.solver.values import (
    UNDIVIDED,
    WHOLE,
    Class,
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Made,
    Member,
    Module,
    Object,
    Other,
    Super,
    Unknown,
    Value,
)

LIMITED: dict[str, tuple[type, ...]] = {
    "containers": (Container,),
    "objects": (Object, Class),
    "functions": (Function, Member),
    "libraries": (Library, Made),
}
"""The kinds of values of which a slot holds a limited number."""
LIMITED_LAST: dict[str, tuple[type, ...]] = {"keys": (Key, Constructor), "modules": (Module, Super)}
"""The kinds of values that are limited only where nothing else helps."""
STEPS = 10
"""The most containers around one whose element is written."""


class Pool:
    """One slot for the parts of all values over the limit.

    Attributes:
        slot: the parts.
        values: the slot of the values.
    """

    def __init__(self, slots: Slots, name: str, parts_of: Callable[[Value], list[Slot]]) -> None:
        """Start empty; ``parts_of`` returns the parts of one value."""
        self.slots = slots
        self.slot = slots.slot(name)
        self.values = slots.slot(f"{name} values")
        slots.unlimited.add(self.values)
        self._parts_of = parts_of
        slots.watch(self.values, self._add)

    def _add(self, value: Value) -> None:
        for part in self._parts_of(value):
            self.slots.add_edge(part, self.slot)


class Heap:
    """The slots of a project that hold values, and the edges between those of containers and their elements.

    Attributes:
        slots: the graph.
        classes: the classes of the project.
        origins: where a register was read from, for what is put into a container.
        elements_pool: the elements of all containers that are over the limit.
        contents_pool: the contents of all such containers.
        generators: the results of generators, which hold what they yield.
        listening: what is called with each new named element of a container, by its display.
    """

    def __init__(self, slots: Slots, classes: Classes) -> None:
        """Start with the slots of a project."""
        self.slots = slots
        self.classes = classes
        self.origins: dict[Slot, Slot] = {}
        self.generators: set[Slot] = set()
        self._named: dict[int, dict[str | int, Slot]] = {}
        self._iterated: dict[int, list[Slot]] = {}
        self.listening: dict[int, list[Callable[[str | int | None, Slot], None]]] = defaultdict(list)
        self._widened_containers = 0
        self._shifts: dict[int | None, Callable[[int], int]] = {}
        self._of_rank: dict[tuple[int, int | None], int] = {}
        self.elements_pool = Pool(self.slots, "elements of many", self.parts_of)
        self.contents_pool = Pool(self.slots, "contents of many", self.contents_of)
        self.written_pool = slots.slot("written to many")
        for kind, kinds in LIMITED.items():
            lost = slots.slot("lost", kind)
            slots.limit(Unknown(kind), lost, *kinds)
            if kind in ("containers", "objects"):
                slots.add_edge(lost, self.elements_pool.values)
                slots.watch(lost, partial(fill_unknown, self))
        for kind, kinds in LIMITED_LAST.items():
            slots.limit(Unknown(kind), slots.slot("lost", kind), *kinds, last=True)
        lost = slots.slot("lost", "containers")
        slots.add_edge(lost, self.contents_pool.values)
        slots.watch_mask(lost, self.widen_elements)
        self.widen(self.written_pool)

    def variable(self, code: ir.FunctionCode, name: str, version: int = 0) -> Slot:
        """Return the slot of a variable of a scope: of what callers give, or another version by its number."""
        return self.slots.slot(code, name, version) if version else self.slots.slot(code, name)

    def result(self, code: ir.FunctionCode) -> Slot:
        """Return the slot of the result of a function."""
        return self.slots.slot("result", code)

    def element(self, container: Container, name: str | int | None) -> Slot:
        """Return the slot of an element; ``None`` stands for all elements of unknown name."""
        slot = self.slots.slot("element", container.display, name)
        if name is not None and name not in self._named.setdefault(container.display, {}):
            self._named[container.display][name] = slot
            if self.slots.bit(container) & self._widened_containers:
                self.widen(slot)
            for watching in self._iterated.get(container.display, ()):
                self.slots.add_edge(slot, watching)
            for hand in tuple(self.listening.get(container.display, ())):
                hand(name, slot)
        return slot

    def elements(self, container: Container, name: str | int | None) -> list[Slot]:
        """Return the slots that may hold an element: all of them for an unknown name."""
        every = self.element(container, None)
        if name is not None:
            return [self.element(container, name), every]
        both = self.slots.slot("elements", container.display)
        if container.display not in self._iterated:
            self._iterated[container.display] = [both]
            for slot in each_element(self, container):
                self.slots.add_edge(slot, both)
        return [both]

    def shift(self, source: Slot, target: Slot, axes: int | None) -> None:
        """Copy the keys of a slot with ``axes`` more axes; ``None`` is an unknown number."""
        if axes != 0 and axes not in self._shifts:
            self._shifts[axes] = partial(self._shifted, axes=axes)
        self.slots.add_edge_of(source, target, Key, change=self._shifts.get(axes))

    def _shifted(self, keys: int, axes: int | None) -> int:
        """Return the mask of keys with other axes."""
        found = self._of_rank.get((keys, axes))
        if found is None:
            found = 0
            for value in self.slots.of(keys, Key):
                rank = None if axes is None or value.rank is None else value.rank + axes
                found |= self.slots.bit(type(value)(value.site, rank if rank in range(MOST_AXES + 1) else None))
            self._of_rank[keys, axes] = found
        return found

    def widen(self, slot: Slot) -> None:
        """Widen the keys of a slot, and those in its containers, to arrays of unknown rank."""
        if self.slots.once("widened", slot):
            self.shift(slot, slot, None)
            self.slots.watch_mask(slot, self.widen_elements, Container)

    def widen_elements(self, containers: int) -> None:
        """Widen the keys in a mask of containers to arrays of unknown rank."""
        fresh = without(containers, self._widened_containers)
        self._widened_containers |= fresh
        for container in self.slots.of(fresh, Container):
            for element in each_element(self, container):
                self.widen(element)

    def copy_parts(
        self,
        source: Slot,
        target: Slot,
        *kinds: type,
        name: str | int | None = None,
        parts_of: Callable[[Value], list[Slot]] | None = None,
    ) -> None:
        """Copy the elements of containers, and of objects or other kinds: those of a name or number, or others."""
        every = partial(self.parts_of, name=name) if parts_of is None else parts_of
        hand = partial(self.slots.add_edge, target=target)
        self.open(source, self.elements_pool, every, hand, *(kinds or (Container, Object)))

    def iterate(
        self, source: Slot, target: Slot, *kinds: type, parts_of: Callable[[Value], list[Slot]] | None = None
    ) -> None:
        """Copy each element of a slot to another slot: of arrays, and of containers and objects or other kinds."""
        self.copy_parts(source, target, *kinds, parts_of=parts_of)
        self.slots.add_edge_of(source, target, *WHOLE)
        self.shift(source, target, -1)

    def stored(self, owner: Object) -> Slot:
        """Return the slot of what an object was made of or was given as elements, which its class need not define."""
        slot = self.slots.slot("stored", owner)
        if self.slots.once("stored", owner):
            for name in owner.code.fields:  # of a named tuple
                self.slots.add_edge(self.classes.fields.read(owner.code, name), slot)
        return slot

    def opened(self, owner: Object) -> Slot:
        """Return the slot of the elements of an object, by iteration or unpacking."""
        slot = self.slots.slot("opened", owner)
        if self.slots.once("opened", owner):
            self.slots.add_edge(self.stored(owner), slot)
            given = self.slots.slot("iterator", owner)
            for name in ("__getitem__", "__next__"):
                self.ask(owner, name, slot)
            if self.ask(owner, "__iter__", given):
                self.iterate(given, slot)
        return slot

    def ask(self, owner: Value, name: str, target: Slot) -> bool:
        """Copy the result of a special method to a slot; return whether any class of the project has that method."""
        if name not in self.classes.methods or not isinstance(owner, Object):
            return False
        answer = self.slots.slot("asked", owner.code, name)

        def take(method: Member) -> None:
            self.slots.add_edge(self.result(method.code), answer)

        if self.slots.once("asked", answer):
            self.slots.watch(self.classes.member(owner.code, name), take, Member)
        self.slots.add_edge(answer, target)
        return True

    def put_into(self, container: Slot, slot: Slot, name: str | None = None, *, spreads: bool = False) -> None:
        """Write an element of a container, of a name or an unknown one, and of the containers it was read from.

        If the container ``spreads`` what it is given, that is no element of it, but of anything else with the method.
        """

        def fill(value: Value) -> None:
            if isinstance(value, Container):
                self.slots.add_edge(slot, self.element(value, name))
            elif isinstance(value, Object):
                self.slots.add_edge(slot, self.stored(value))
            elif isinstance(value, Unknown):
                self.slots.add_edge(slot, self.written_pool)

        self.slots.watch(container, fill, *(() if spreads else (Container,)), Object, Unknown)
        for _ in range(STEPS):
            self.fill_unknown(container, slot, container, name)
            if container not in self.origins:
                return
            container = self.origins[container]

    def fill_unknown(self, container: Slot, slot: Slot, target: Slot, name: str | None) -> None:
        """Write an element of an empty array, or of what a function out of reach made; only these if it has a name."""
        if name is None:
            self.shift(slot, target, None)
        else:
            self.slots.watch_mask(container, lambda _: self.shift(slot, target, None), Other, Made, Library)

    def open(
        self,
        source: Slot,
        pool: Pool,
        parts_of: Callable[[Value], list[Slot]],
        hand: Callable[[Slot], None],
        *kinds: type,
    ) -> None:
        """Hand on the parts of the values of a slot; over the limit, the pool of all such parts.

        Args:
            source: the slot.
            pool: the parts of all values over the limit.
            parts_of: returns the parts of one value.
            hand: hands on one part.
            kinds: the kinds of values that have parts.
        """

        def each(value: Value) -> None:
            for part in parts_of(value):
                hand(part)

        def rest() -> None:
            self.slots.add_edge_of(source, pool.values, *kinds)
            hand(pool.slot)

        self.slots.watch_few(source, each, rest, *kinds)

    def parts_of(self, value: Value, name: str | int | None = None) -> list[Slot]:
        """Return the slots of the elements of a container or an object."""
        if isinstance(value, Container):
            return self.elements(value, name)
        return [self.opened(value)] if isinstance(value, Object) else []

    def copy_elements(self, source: Slot, target: Slot, axes: int | None = None) -> None:
        """Copy all that a slot holds, at any depth.

        Args:
            source: something.
            target: the slot.
            axes: how many axes more the keys have there: none as leaves, and an unknown number as an array of them.
        """
        self.slots.add_edge_of(source, target, *UNDIVIDED)
        self.shift(source, target, axes)
        self.copy_contained(source, target, axes)

    def copy_contained(self, source: Slot, target: Slot, axes: int | None = None) -> None:
        """Copy the contents of the containers of a slot, at any depth."""

        def hand(part: Slot) -> None:
            if axes == 0:
                self.slots.add_edge(part, target)
            else:
                self.slots.add_edge_of(part, target, *UNDIVIDED)
                self.shift(part, target, axes)

        self.open(source, self.contents_pool, self.contents_of, hand, Container)

    def contents_of(self, value: Value) -> list[Slot]:
        """Return the slot of the contents of a container."""
        return [self.inside(value)] if isinstance(value, Container) else []

    def stacked(self, source: Slot, target: Slot, axes: int | None) -> None:
        """Copy a slot with ``axes`` more axes; the leaves of trees are widened."""
        self.shift(source, target, axes)
        self.slots.add_edge_of(source, target, Container, *UNDIVIDED)
        self.slots.watch_mask(source, self.widen_elements, Container)

    def inside(self, container: Container) -> Slot:
        """Return the slot of the contents of a container at any depth; each container is visited once."""
        slot = self.slots.slot("inside", container.display)
        if self.slots.once("inside", container):
            for element in self.elements(container, None):
                self.copy_elements(element, slot, 0)
        return slot

    def made(self, result: Slot, length: int | None = None) -> Container:
        """Put a new allocation site into a slot and return it."""
        container = Container(result, length)
        self.slots.put(result, container)
        return container

    def named_elements(self, container: Container) -> Mapping[str | int, Slot]:
        """Return the slots of the elements of known name."""
        return self._named.get(container.display, {})


def fill_unknown(heap: Heap, value: Value) -> None:
    """Write what is written to an unknown container to one that it may be."""
    if isinstance(value, Container):
        heap.slots.add_edge(heap.written_pool, heap.element(value, None))
    elif isinstance(value, Object):
        heap.slots.add_edge(heap.written_pool, heap.stored(value))


def each_element(heap: Heap, container: Container) -> list[Slot]:
    """Return the slots of the elements of unknown name, and of each element of known name."""
    return [heap.element(container, None), *heap.named_elements(container).values()]


def items_of(heap: Heap, value: Value, name: str | int | None) -> list[Slot]:
    """Return the slots of what ``value[name]`` reads, but for what a method ``__getitem__`` returns.

    Args:
        heap: the heap.
        value: a container or an object.
        name: the name or number of the element, ``None`` for an unknown one.
    """
    if isinstance(value, Object):
        has_own = any(isinstance(each, ast.FunctionDef) and each.name == "__getitem__" for each in value.code.node.body)
        return [heap.stored(value) if has_own else heap.opened(value)]
    return heap.parts_of(value, name)


def fewer_axes(heap: Heap, slot: Slot, axes: int | None) -> Slot:
    """Return a slot whose keys have so many axes less."""
    if axes == 0:
        return slot
    rows = heap.slots.slot("rows", slot, axes)
    heap.stacked(slot, rows, None if axes is None else -axes)
    return rows
