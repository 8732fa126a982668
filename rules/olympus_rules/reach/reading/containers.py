"""Functions of Python that build containers or take them apart, and the methods of containers."""

from __future__ import annotations

import ast
from functools import partial, reduce
from operator import or_

from olympus_rules.libraries.model import ContainerCall
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.solver.slots import Slot, without
from olympus_rules.reach.solver.trees import Trees
from olympus_rules.reach.solver.values import (
    WHOLE,
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Made,
    Object,
    Unknown,
    Value,
)

FILLING = frozenset({"add", "append", "appendleft", "extend", "insert", "put", "setdefault", "update"})
"""Methods that put their arguments into a container."""
TAKING = frozenset({"get", "pop", "popleft", "send", "setdefault", "__getitem__", "__next__"})
"""Methods that give one element."""
FILLED = frozenset({"tuples", "repeated", "grouped", "accumulated"})
"""Functions that make a container of what they are given, or of its elements, in a new shape."""
ITERABLE = tuple(kind for kind in WHOLE if kind not in (Constructor, Function))
"""Values without parts that may be iterated over: a function among the arguments is none."""
SPREADING = frozenset({"extend", "extendleft", "update"})
"""Methods that put the elements of their argument into a container, and not the argument."""
METHODS = TAKING | SPREADING | {"copy", "items", "popitem", "values"}


class ContainerCalls:
    """Calls that make containers of others."""

    def __init__(self, trees: Trees) -> None:
        """Take the containers and objects of a project."""
        self.trees = trees
        self.heap = trees.heap
        self.slots = trees.slots

    def call(self, kind: ContainerCall | None, call: Call) -> bool:
        """Call a function of Python; return whether it builds containers or takes them apart."""
        given = [slot for slot, _ in call.arguments]
        if kind == "one":
            for slot in [*given, *(slot for keyword, slot in call.keywords if keyword != "key")]:
                self.heap.iterate(slot, call.result)
        elif kind == "next":
            self.advance(given, call.result)
        elif kind in ("all", "empty"):  # those of the second kind are also made without an argument, and filled later
            every = self.heap.element(self.heap.made(call.result), None)
            for slot in given:
                self.heap.copy_parts(slot, every)
                self.slots.add_edge_of(slot, every, *ITERABLE)
                self.heap.shift(slot, every, -1)
        elif kind in ("rows", "numbered"):
            self.side_by_side(given, call, numbered=kind == "numbered")
        elif kind == "flattened":
            for slot in given:
                self.heap.copy_elements(slot, call.result)
        elif kind in FILLED:
            self.filled(kind, given, call)
        elif kind == "mapping":
            self.mapping(given, call)
        elif kind in ("attributes", "attribute-values"):
            self.attributes(call, named=kind == "attributes")
        elif kind is not None and kind.startswith("leaves"):
            self.leaves(call, with_paths="paths" in kind, with_structure="structure" in kind)
        else:
            return kind == "structure"  # which holds none of the leaves
        return True

    def filled(self, kind: ContainerCall, given: list[Slot], call: Call) -> None:
        """Make a container of tuples or groups of the elements of an argument, or of an argument itself."""
        element = self.heap.element(self.heap.made(call.result), None)
        if kind == "repeated":
            for slot in given[:1]:
                self.slots.add_edge(slot, element)
        elif kind != "accumulated":
            row = self.slots.slot("row", call.place)
            self.slots.add_edge(row, element)
            group = row
            if kind == "grouped":
                group = self.slots.slot("group", call.place)
                self.slots.add_edge(group, self.heap.element(self.heap.made(row, 2), 1))
            inner = self.heap.element(self.heap.made(group), None)
            for slot in given[:1]:
                self.heap.iterate(slot, inner)

    def advance(self, given: list[Slot], result: Slot) -> None:
        """Return the next element of an iterator, or the default."""
        for slot in given[:1]:
            self.heap.iterate(slot, result, parts_of=self.next_of)
        for slot in given[1:]:
            self.slots.add_edge(slot, result)

    def next_of(self, value: Value) -> list[Slot]:
        """Return the slots of what ``next`` gives of a container's iterator or of an object."""
        if not isinstance(value, Object):
            return self.heap.parts_of(value)
        slot = self.slots.slot("next", value)
        self.heap.ask(value, "__next__", slot)
        return [slot]

    def attributes(self, call: Call, *, named: bool) -> None:
        """Return the attributes of an object, as a dictionary or as a tuple; a container comes out as it is."""

        def give(value: Value) -> None:
            if named:
                self.trees.give_namespace(value, call.result)
            else:
                fields = self.trees.fields(value) if isinstance(value, Object) else self.trees.lost_fields()
                self.slots.add_edge(fields, self.heap.element(self.heap.made(call.result), None))

        for slot in call.given[:1]:
            self.slots.watch(slot, give, Object, Unknown)
            self.slots.add_edge_of(slot, call.result, Container, Made)
            self.slots.watch(slot, partial(self.give_held, owner=slot, result=call.result), Made)

    def give_held(self, _: Value, *, owner: Slot, result: Slot) -> None:
        """Put the keys that are beside an object of a library, which may hold them, into the container of a result."""
        self.slots.add_edge_of(owner, self.heap.element(self.heap.made(result), None), Key)

    def leaves(self, call: Call, *, with_paths: bool, with_structure: bool) -> None:
        """Return the list of the leaves of a tree, each in a pair with its path, or the list in a pair."""
        result = self.slots.slot("leaves", call.place) if with_structure else call.result
        element = self.heap.element(self.heap.made(result), None)
        if with_structure:
            self.slots.add_edge(result, self.heap.element(self.heap.made(call.result, 2), 0))
        if with_paths:
            row = self.slots.slot("row", call.place)
            self.slots.add_edge(row, element)
            element = self.heap.element(self.heap.made(row, 2), 1)
        for slot in call.given[:1]:
            self.trees.copy_leaves(slot, element)
            if any(keyword == "is_leaf" for keyword, _ in call.keywords):
                self.slots.add_edge_of(slot, element, Container, Object)

    def side_by_side(self, given: list[Slot], call: Call, *, numbered: bool) -> None:
        """Return tuples of the elements of several arguments, or of a number and an element."""
        is_known = not any(starred for _, starred in call.arguments)
        columns = given[:1] if numbered else given
        row = self.slots.slot("row", call.place)
        pair = self.heap.made(row, len(columns) + numbered if is_known else None)
        self.slots.add_edge(row, self.heap.element(self.heap.made(call.result), None))
        for index, slot in enumerate(columns, int(numbered)):
            target = self.heap.element(pair, index if is_known else None)
            if is_known:
                self.heap.iterate(slot, target)
            else:  # of rows that are not known one by one
                self.heap.copy_elements(slot, target)

    def take_apart(self, source: Slot, targets: list[Slot], star: int | None = None) -> None:
        """Copy the elements of a slot to targets, each its own where the lengths may agree; ``star`` takes any."""
        for index, target in enumerate(targets):

            def parts_of(value: Value, index: int = index) -> list[Slot]:
                length = value.length if isinstance(value, Container) else len(targets)
                is_own = length in (None, len(targets)) if star is None else index < star
                return self.heap.parts_of(value, index if is_own else None)

            self.heap.iterate(source, target, parts_of=parts_of)

    def mapping(self, given: list[Slot], call: Call) -> None:
        """Make a dictionary from another one, from pairs, and from keywords."""
        container = self.heap.made(call.result)
        if call.callee.endswith(".fromkeys"):
            for slot in given[1:]:
                self.slots.add_edge(slot, self.heap.element(container, None))
            return
        for keyword, slot in call.keywords:
            if keyword is not None:
                self.slots.add_edge(slot, self.heap.element(container, keyword))
            else:
                self.trees.spread(slot, container)
        later = [keyword for keyword, _ in call.keywords if keyword is not None]
        for slot in given:
            pairs = self.slots.slot("pairs", call.place, slot)
            self.trees.spread(slot, container, rest=pairs, without=later)
            every = self.heap.element(container, None)
            self.heap.copy_parts(pairs, every, Container, parts_of=self._second)
            self.slots.watch_mask(pairs, partial(self._others, every=every))

    def _second(self, value: Value) -> list[Slot]:
        """Return the slots of the second part of a pair."""
        is_pair = isinstance(value, Container) and value.length == 2
        return self.heap.parts_of(value, 1) if is_pair else []

    def _others(self, values: int, every: Slot) -> None:
        """Copy all in a mask that are no pairs, as it is; a function makes a default."""
        values &= ~self.slots.of_kinds(Function, Constructor, Library)
        pairs = [pair for pair in self.slots.of(values, Container) if pair.length == 2]
        self.slots.put_mask(every, without(values, reduce(or_, map(self.slots.bit, pairs), 0)))

    def join(self, source: Slot, result: Slot) -> None:
        """Put the numbered elements of the containers of a slot into a new container, under unknown numbers."""
        container = Container(result, None)

        def hold(element: Slot) -> None:
            self.slots.put(result, container)
            self.slots.add_edge(element, self.heap.element(container, None))

        def numbered(value: Value) -> list[Slot]:
            named = self.heap.named_elements(value) if isinstance(value, Container) else {}
            return [element for name, element in named.items() if isinstance(name, int)]

        self.heap.open(source, self.heap.elements_pool, numbered, hold, Container)

    def extend(self, container: Slot, source: Slot) -> None:
        """Put the elements of the containers of a slot into those of another one."""
        parts, heap = self.slots.slot("parts", container, source), self.heap
        heap.copy_parts(source, parts, Container)

        def fill(value: Value) -> None:
            target = heap.element(value, None) if isinstance(value, Container) else heap.written_pool
            self.slots.add_edge(parts, target)

        self.slots.watch(container, fill, Container, Unknown)

    def method(self, container: Value, name: str, call: Call) -> None:
        """Call a method of a container."""
        assert call.owner is not None
        if isinstance(container, Unknown):
            self.slots.add_edge(self.heap.elements_pool.slot, call.result)
            for slot in call.given:
                self.heap.iterate(slot, self.heap.written_pool)
        if not isinstance(container, Container):
            return
        if name == "copy":
            self.slots.put(call.result, container)
        elif name == "update":
            spread = [slot for keyword, slot in call.keywords if keyword is None]
            for slot in [*(slot for slot, _ in call.arguments), *spread]:
                self.trees.spread(slot, container)
        elif name in SPREADING:
            for slot, _ in call.arguments:
                parts = self.slots.slot("parts", call.place, slot)
                self.heap.iterate(slot, parts)
                self.slots.add_edge(parts, self.heap.element(container, None))
        else:
            self.take(container, name, call)
            for slot in call.given[1:] if name in TAKING else ():  # what there is else
                self.slots.add_edge(slot, call.result)

    def take(self, container: Container, name: str, call: Call) -> None:
        """Call a method that gives one or all elements of a container."""
        if name in TAKING:
            for element in self.heap.elements(container, name_of_key(call)):
                self.slots.add_edge(element, call.result)
        elif name == "values":
            for element in self.heap.elements(container, None):
                self.slots.add_edge(element, self.heap.element(self.heap.made(call.result), None))
        elif name in ("items", "popitem"):
            row = self.slots.slot("row", call.place) if name == "items" else call.result
            pair = self.heap.made(row, 2)
            for element in self.heap.elements(container, None):
                self.slots.add_edge(element, self.heap.element(pair, 1))
            if name == "items":
                self.slots.add_edge(row, self.heap.element(self.heap.made(call.result), None))


def name_of_key(call: Call) -> str | None:
    """Return the name of the element that a method takes, if it is spelled out; a number moves in a list."""
    key = call.node.args[0] if call.node.args else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
