"""What Python's own functions, and the methods of containers, make of containers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from olympus_rules.libraries.model import ContainerCall
from olympus_rules.reach.slots import Slot, Slots
from olympus_rules.reach.values import UNDIVIDED, Container, Object, Value

if TYPE_CHECKING:
    from olympus_rules.reach.calls import Call
    from olympus_rules.reach.project import ProjectReach

__all__ = ["Containers"]

TAKING = frozenset({"get", "pop", "popleft", "setdefault", "__getitem__"})
"""Methods that give one element."""
METHODS = TAKING | {"copy", "extend", "extendleft", "items", "popitem", "update", "values"}


class Pool:
    """The parts of all values that are not told apart, in one slot."""

    def __init__(self, slots: Slots, name: str, parts_of: Callable[[Value], list[Slot]]) -> None:
        """Start without any value; ``parts_of`` gives the parts of one."""
        self.slots = slots
        self.slot = slots.slot(name)
        self._parts_of = parts_of
        self._values = 0

    def add(self, values: int) -> None:
        """Add the values of a mask."""
        fresh = values & ~self._values
        self._values |= fresh
        for value in self.slots.listed(fresh) if fresh else ():
            for part in self._parts_of(value):
                self.slots.lead(part, self.slot)


class Containers:
    """Containers that calls make of others, in the slots of a project."""

    def __init__(self, reach: ProjectReach) -> None:
        """Take the project."""
        self.reach = reach
        self.slots = reach.slots
        self._opened: set[Container] = set()
        self.elements = Pool(self.slots, "elements of many", self.parts_of)
        self.leaves = Pool(self.slots, "leaves of many", self.leaves_of)

    def open(
        self,
        source: Slot,
        pool: Pool,
        parts_of: Callable[[Value], list[Slot]],
        hand: Callable[[Slot], None],
        *kinds: type,
    ) -> None:
        """Hand on the parts of what is in a slot; of very many values, all parts of all such values.

        Args:
            source: the slot.
            pool: the parts of all values that are not told apart.
            parts_of: gives the parts of one value.
            hand: hands on one part.
            kinds: the kinds of values that have parts.
        """
        is_pooled = False

        def each(value: Value) -> None:
            for part in parts_of(value):
                hand(part)

        def rest(values: int) -> None:
            nonlocal is_pooled
            pool.add(values)
            if not is_pooled:
                is_pooled = True
                hand(pool.slot)

        self.slots.watch_few(source, each, rest, *kinds)

    def parts_of(self, value: Value, name: str | int | None = None) -> list[Slot]:
        """Return the slots of the elements of a container, or of what an object gives."""
        if isinstance(value, Container):
            return self.reach.elements(value, name)
        return [self.reach.opened(value)] if isinstance(value, Object) else []

    def pour(self, source: Slot, target: Slot, axes: int | None = None) -> None:
        """Put all that is in something, at any depth, into a slot.

        Args:
            source: something.
            target: the slot.
            axes: how many axes more the keys have there: none as leaves, and an unknown number as an array of them.
        """
        self.slots.lead_kinds(source, target, *UNDIVIDED)
        self.reach.shift(source, target, axes)
        self.pour_containers(source, target, axes)

    def pour_containers(self, source: Slot, target: Slot, axes: int | None = None) -> None:
        """Put all that is in the containers of a slot into another one."""

        def hand(part: Slot) -> None:
            if axes == 0:
                self.slots.lead(part, target)
            else:
                self.slots.lead_kinds(part, target, *UNDIVIDED)
                self.reach.shift(part, target, axes)

        self.open(source, self.leaves, self.leaves_of, hand, Container)

    def leaves_of(self, value: Value) -> list[Slot]:
        """Return the slot of all that is in a container."""
        return [self.inside(value)] if isinstance(value, Container) else []

    def stacked(self, source: Slot, target: Slot, axes: int) -> None:
        """Put what is in a slot into another one with so many more axes; the leaves of trees are of any rank then."""
        self.reach.shift(source, target, axes)
        self.slots.lead_kinds(source, target, Container, *UNDIVIDED)
        self.slots.watch_mask(source, self.reach.blur_elements, Container)

    def inside(self, container: Container) -> Slot:
        """Return the slot of all that is in a container and in those in it; each container is gone through once."""
        slot = self.slots.slot("inside", container.display)
        if container not in self._opened:
            self._opened.add(container)
            for element in self.reach.elements(container, None):
                self.pour(element, slot, 0)
        return slot

    def named(self, source: Slot, name: str | int, target: Slot) -> None:
        """Put the element of a name or number into a slot; of what is no container, nothing."""

        self.open(
            source,
            self.elements,
            lambda value: self.parts_of(value, name),
            lambda part: self.slots.lead(part, target),
            Container,
        )

    def made(self, result: Slot, length: int | None = None) -> Container:
        """Put a new container into a slot and return it."""
        container = Container(result, length)
        self.slots.put(result, container)
        return container

    def call(self, kind: ContainerCall | None, call: Call) -> bool:
        """Call a function of Python's own; say whether it builds containers or takes them apart."""
        given = [slot for slot, _ in call.arguments]
        if kind == "one":
            for slot in call.given:
                self.reach.iterate(slot, call.result)
        elif kind == "all":
            container = self.made(call.result)
            for slot in given:
                self.reach.iterate(slot, self.reach.element(container, None))
        elif kind in ("rows", "numbered"):
            self.side_by_side(given, call, numbered=kind == "numbered")
        elif kind == "flattened":
            for slot in given:
                self.pour(slot, call.result)
        elif kind == "mapping":
            self.mapping(given, call)
        else:
            return False
        return True

    def side_by_side(self, given: list[Slot], call: Call, *, numbered: bool) -> None:
        """Give tuples of the elements of several arguments, or of a number and an element."""
        is_known = not any(starred for _, starred in call.arguments)
        columns = given[:1] if numbered else given
        row = self.slots.slot("row", call.place)
        pair = self.made(row, len(columns) + numbered if is_known else None)
        self.slots.lead(row, self.reach.element(self.made(call.result), None))
        for index, slot in enumerate(columns, int(numbered)):
            target = self.reach.element(pair, index if is_known else None)
            if is_known:
                self.reach.iterate(slot, target)
            else:  # of rows that are not known one by one
                self.pour(slot, target)

    def mapping(self, given: list[Slot], call: Call) -> None:
        """Make a dictionary of another one, of pairs, and of keywords."""
        container = self.made(call.result)
        for keyword, slot in call.keywords:
            if keyword is not None:
                self.slots.lead(slot, self.reach.element(container, keyword))
            else:
                self.copy(slot, container)
        for slot in given:
            pairs = self.slots.slot("pairs", call.place, slot)
            self.reach.iterate(slot, pairs)
            self.slots.watch(pairs, partial(self._second, container=container))

    def _second(self, pair: Value, container: Container) -> None:
        every = self.reach.element(container, None)
        if isinstance(pair, Container) and pair.length == 2:
            for element in self.reach.elements(pair, 1):
                self.slots.lead(element, every)
        else:
            self.slots.put(every, pair)

    def copy(self, source: Slot, container: Container) -> None:
        """Put the elements of a container into another one, whatever their names."""
        self.reach.iterate(source, self.reach.element(container, None))

    def method(self, container: Container, name: str, call: Call) -> None:
        """Call a method of a container."""
        if name in TAKING:
            for element in self.reach.elements(container, None):
                self.slots.lead(element, call.result)
            for slot in call.given[1:]:  # what there is else
                self.slots.lead(slot, call.result)
        elif name == "values":
            for element in self.reach.elements(container, None):
                self.slots.lead(element, self.reach.element(self.made(call.result), None))
        elif name in ("items", "popitem"):
            row = self.slots.slot("row", call.place) if name == "items" else call.result
            pair = self.made(row, 2)
            for element in self.reach.elements(container, None):
                self.slots.lead(element, self.reach.element(pair, 1))
            if name == "items":
                self.slots.lead(row, self.reach.element(self.made(call.result), None))
        elif name == "copy":
            self.slots.put(call.result, container)
        elif name in ("extend", "extendleft", "update"):
            for slot in call.given:
                self.copy(slot, container)
