"""The attributes of the objects of each class: what is written to those of one class is read from related ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from olympus_rules.code.instructions import ClassCode
from olympus_rules.reach.solver.slots import Slot, Slots


class Fields:
    """The slots of the attributes of objects.

    An object that counts as one of a class may be one of any subclass. So two classes are related if a third one, or
    one of them, inherits both: an object can count as one of either. Two subclasses of one class are not.
    """

    def __init__(self, slots: Slots) -> None:
        """Start without any class."""
        self._slots = slots
        self._related: dict[ClassCode, dict[ClassCode, None]] = defaultdict(dict)
        self._written: dict[ClassCode, dict[str, Slot]] = defaultdict(dict)
        self._read: dict[ClassCode, dict[str, Slot]] = defaultdict(dict)
        self._anywhere: dict[ClassCode, Slot] = {}
        self._names: dict[ClassCode, dict[str, None]] = defaultdict(dict)
        self._loose: dict[str, Slot] = {}
        self._gathering: dict[ClassCode, list[Callable[[Slot], None]]] = defaultdict(list)

    def read(self, code: ClassCode, name: str) -> Slot:
        """Return the slot of what an attribute of the objects of a class may be."""
        slot = self._slots.slot("field", code, name)
        if name not in self._read[code]:
            self._read[code][name] = slot
            for source in self.held(code, name):
                self._slots.add_edge(source, slot)
            self._announce(code, name)
        return slot

    def write(self, code: ClassCode, name: str) -> Slot:
        """Return the slot of what is written to an attribute of the objects of a class."""
        slot = self._slots.slot("written field", code, name)
        if name not in self._written[code]:
            self._written[code][name] = slot
            for each in (code, *self._related[code]):
                if name in self._read[each]:
                    self._slots.add_edge(slot, self._read[each][name])
                self._gather(each, slot)
            self._announce(code, name)
        return slot

    def write_loose(self, name: str, written: Slot) -> None:
        """Take the slot of what is written to an attribute of objects of unknown class."""
        if name not in self._loose:
            self._loose[name] = written
            for code in tuple(self._gathering):
                if name in self._names[code]:
                    self._gather(code, written)

    def write_anywhere(self, code: ClassCode, written: Slot) -> None:
        """Take the slot of what is written to unknown attributes of the objects of a class: it may be in each."""
        self._anywhere[code] = written
        for each in (code, *self._related[code]):
            for slot in self._read[each].values():
                self._slots.add_edge(written, slot)
            self._gather(each, written)

    def held(self, code: ClassCode, name: str) -> list[Slot]:
        """Return the slots of what is written to an attribute of the objects of a class and of related ones."""
        owners = (code, *self._related[code])
        named = [self._written[each][name] for each in owners if name in self._written[each]]
        return named + [self._anywhere[each] for each in owners if each in self._anywhere]

    def names_of(self, code: ClassCode) -> tuple[str, ...]:
        """Return the names of the attributes of a class and all related classes that the project reads or writes."""
        return tuple(self._names[code])

    def gather(self, code: ClassCode, listener: Callable[[Slot], None]) -> None:
        """Call a function with each slot of what is written to attributes of the objects of a class, now and later.

        What is written to those of related classes and of unknown ones belongs to it.
        """
        self._gathering[code].append(listener)
        for each in (code, *self._related[code]):
            for slot in self._written_to(each):
                listener(slot)
        for name in self.names_of(code):
            if name in self._loose:
                listener(self._loose[name])

    def _written_to(self, code: ClassCode) -> list[Slot]:
        return [*self._written[code].values(), *([self._anywhere[code]] if code in self._anywhere else ())]

    def _gather(self, code: ClassCode, slot: Slot) -> None:
        for listener in tuple(self._gathering.get(code, ())):
            listener(slot)

    def relate(self, one: ClassCode, other: ClassCode) -> None:
        """Take two classes as related."""
        if one is other or other in self._related[one]:
            return
        self._related[one][other] = self._related[other][one] = None
        for source, target in ((one, other), (other, one)):
            for name, slot in list(self._written[source].items()):
                if name in self._read[target]:
                    self._slots.add_edge(slot, self._read[target][name])
            for slot in self._read[target].values() if source in self._anywhere else ():
                self._slots.add_edge(self._anywhere[source], slot)
            for slot in self._written_to(source):
                self._gather(target, slot)
            for name in [*self._written[source], *self._read[source]]:
                self._tell(target, name)

    def _announce(self, code: ClassCode, name: str) -> None:
        for each in (code, *self._related[code]):
            self._tell(each, name)

    def _tell(self, code: ClassCode, name: str) -> None:
        if name not in self._names[code]:
            self._names[code][name] = None
            if name in self._loose:
                self._gather(code, self._loose[name])
