"""The attributes of objects as one, and the leaves of pytrees."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from olympus_rules.reach.solver.heap import Heap, Pool
from olympus_rules.reach.solver.slots import Slot, nothing
from olympus_rules.reach.solver.values import (
    OTHER,
    UNDIVIDED,
    WHOLE,
    Class,
    Container,
    Key,
    Made,
    Object,
    Other,
    Unknown,
    Value,
)

DATA = (Key, Container, Object, Other, Made, Unknown)
"""Values that count as the contents of an object, unlike its methods."""
FEW_CLASSES = 4
"""The limit of classes whose objects count as trees at one place."""


class Trees:
    """The slots of the attributes of objects, and of the leaves of containers and objects.

    Attributes:
        heap: where values are kept.
        leaves_pool: the leaves of all containers and objects that are over the limit.
        fields_pool: the attributes of all objects that slots did not take.
    """

    def __init__(self, heap: Heap) -> None:
        """Start without any object."""
        self.heap = heap
        self.slots = heap.slots
        self.leaves_pool = Pool(self.slots, "leaves of many", self.leaves_of)
        self.fields_pool = Pool(self.slots, "fields of many", self.fields_of)
        self._set_to_many = self.slots.slot("set to many")

    def leaves_of(self, value: Value) -> list[Slot]:
        """Return the slot of the leaves of a container or an object, as a pytree has them."""
        return [self.leaves(value)] if isinstance(value, Container | Object) else []

    def fields_of(self, value: Value) -> list[Slot]:
        """Return the slot of the attributes of an object."""
        return [self.fields(value)] if isinstance(value, Object) else []

    def lost_fields(self) -> Slot:
        """Return the slot of the attributes of all objects that slots did not take."""
        self.slots.add_edge(self.slots.slot("lost", "objects"), self.fields_pool.values)
        return self.fields_pool.slot

    def set_lost(self, source: Slot) -> None:
        """Write an attribute of unknown name of all objects that slots did not take."""
        if self.slots.once("set to many"):
            lost = self.slots.slot("lost", "objects")
            self.slots.watch(lost, lambda value: self.set_any(value, self._set_to_many), Object)
        self.slots.add_edge(source, self._set_to_many)

    def set_any(self, value: Value, source: Slot) -> None:
        """Write an attribute of unknown name of an object."""
        if isinstance(value, Object):
            self.slots.add_edge(source, self.written_anywhere(value))

    def written_anywhere(self, owner: Object) -> Slot:
        """Return the slot of what is written to unknown attributes of an object.

        Of it, only keys and containers are in each attribute: with all values, one ``setattr`` in a base class makes
        one pool of all attributes of its heirs.
        """
        slot = self.slots.slot("written anywhere", owner)
        if self.slots.once("written anywhere", slot):
            keys = self.slots.slot("written field", owner.code, None)
            self.heap.shift(slot, keys, None)
            self.slots.add_edge_of(slot, keys, Container)
            self.heap.classes.fields.write_anywhere(owner.code, keys)
        return slot

    def leaves(self, value: Container | Object) -> Slot:
        """Return the slot of the leaves of a pytree; an object whose class is surely not registered is a leaf."""
        slot = self.slots.slot("leaves", value)
        if self.slots.once("leaves", value):
            if isinstance(value, Container):
                for element in self.heap.elements(value, None):
                    self.copy_leaves(element, slot)
            elif value.code in self.heap.classes.plain:
                self.slots.put(slot, value)
            else:
                self.keys_of(value, slot)
        return slot

    def keys_of(self, owner: Object, slot: Slot) -> None:
        """Copy the keys among the leaves of an object; all leaves would make one pool of a whole state.

        There are other leaves as well, as it seems from the outside.
        """
        self.slots.put(slot, OTHER)
        fields = self.fields(owner)
        self.slots.add_edge_of(fields, slot, Key)
        self.hand_leaves(fields, lambda part: self.slots.add_edge_of(part, slot, Key), nothing)

    def copy_leaves(self, source: Slot, target: Slot) -> None:
        """Copy the leaves of the pytrees of a slot.

        Where objects of many classes come together, as in a wrapper of any environment, they are copied as they are:
        their leaves would be one pool of all states of the project.
        """
        self.slots.add_edge_of(source, target, Key, *WHOLE)
        as_they_are = partial(self.slots.add_edge_of, source, target, Object)
        self.hand_leaves(source, lambda part: self.slots.add_edge_of(part, target, Key, *UNDIVIDED), as_they_are)

    def hand_leaves(self, source: Slot, hand: Callable[[Slot], None], beyond: Callable[[], object]) -> None:
        """Hand on the leaves of the containers of a slot, and of its objects, unless those are of many classes."""
        self.heap.open(source, self.leaves_pool, self.leaves_of, hand, Container)

        def each(value: Value) -> None:
            for part in self.leaves_of(value):
                hand(part)

        self.slots.watch_few(source, each, beyond, Object, most=FEW_CLASSES)

    def spread(
        self, source: Slot, target: Container, *, rest: Slot | None = None, without: Collection[str | int] = ()
    ) -> None:
        """Copy the elements of the dictionaries of a slot into another one, each under its name.

        Args:
            source: where the dictionaries are.
            target: the dictionary.
            rest: where elements without a name go; by default, into the dictionary.
            without: the names that are written later.
        """
        every = self.heap.element(target, None) if rest is None else rest

        def hand(name: str | int | None, part: Slot) -> None:
            if name not in without:
                self.slots.add_edge(part, self.heap.element(target, name) if isinstance(name, str) else every)

        def each(value: Value) -> None:
            if isinstance(value, Container):
                self.heap.listening[value.display].append(hand)
                for name, part in [(None, self.heap.element(value, None)), *self.heap.named_elements(value).items()]:
                    hand(name, part)
            else:
                for part in self.heap.parts_of(value):
                    hand(None, part)

        def pooled() -> None:
            self.slots.add_edge_of(source, self.heap.elements_pool.values, Container, Object)
            hand(None, self.heap.elements_pool.slot)

        self.slots.watch_few(source, each, pooled, Container, Object)
        self.slots.add_edge_of(source, every, *WHOLE)
        self.heap.shift(source, every, -1)

    def hold(self, container: Container, slot: Slot) -> None:
        """Put a container that was made elsewhere into a slot."""
        self.slots.put(container.display, container)
        self.slots.add_edge_of(container.display, slot, Container)

    def class_of(self, owner: Slot, slot: Slot) -> None:
        """Put the classes of the objects of a slot into another one."""
        self.slots.watch(owner, lambda value: self.slots.put(slot, Class(value.code)), Object)

    def fields(self, owner: Object) -> Slot:
        """Return the slot of the values of all attributes of an object, methods left out."""
        slot = self.slots.slot("fields", owner)
        if self.slots.once("spread out", owner):
            self.heap.classes.fields.gather(owner.code, lambda held: self.slots.add_edge_of(held, slot, *DATA))
        return slot

    def give_namespace(self, value: Value, target: Slot) -> None:
        """Put the dictionary of the attributes of an object, or of one that is not known, into a slot.

        It is two: what is read of it, and what is written to it. With one, the attributes of a subclass, read in a base
        class, would be written to all other subclasses.
        """
        read = Container(self.slots.slot("attributes", value), None)
        written = Container(self.slots.slot("namespace", value), None)
        if self.slots.once("namespaces", value):
            fields = self.fields(value) if isinstance(value, Object) else self.lost_fields()
            self.slots.add_edge_of(fields, self.heap.element(read, None), *DATA)
            if isinstance(value, Object):
                self.set_any(value, self.heap.element(written, None))
            else:
                self.set_lost(self.heap.element(written, None))
        self.hold(read, target)
        self.hold(written, target)
