"""The special methods of objects that stand for subscripts, and those of properties that are written."""

from __future__ import annotations

from functools import partial

from olympus_rules.code.instructions import setter
from olympus_rules.reach.reading.binding import Binding
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import FEW, Member, Object, Partial, Place


class SpecialCalls:
    """Calls of special methods, which the code does not spell out as calls."""

    def __init__(self, heap: Heap, binding: Binding) -> None:
        """Take the slots of a project, and what binds arguments to parameters."""
        self.heap = heap
        self.slots = heap.slots
        self.classes = heap.classes
        self.binding = binding

    def call(self, owner: Slot, name: str, given: list[Slot], target: Slot) -> None:
        """Call a special method of the objects of a slot with arguments, of which only keys and what holds them count.

        Very many objects are there by a merger of values: any such method gives the result, and takes no argument.
        """
        if not self.classes.has_method(name):
            return
        take = partial(self._take, given=given, target=target)

        def each(value: Object) -> None:
            self.slots.watch(self.classes.member(value.code, name), take, Member)

        def rest() -> None:
            for method in self.classes.methods.get(name, ()):
                self.slots.add_edge(self.heap.result(method), target)

        self.slots.watch_few(owner, each, rest, Object, most=FEW)

    def _take(self, method: Member, *, given: list[Slot], target: Slot) -> None:
        """Call one method."""
        self.binding.fill(Partial(method.code, 1), [[slot] for slot in given], target, is_over=True)

    def write(self, owner: Slot, name: str, source: Slot, place: Place) -> None:
        """Call the method of a property that writes an attribute of the objects of a slot at a place."""
        self.call(owner, setter(name), [source], self.slots.slot("written", place))
