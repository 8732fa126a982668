"""The special methods of objects that stand for operators, subscripts and assignments."""

from __future__ import annotations

from functools import partial

from olympus_rules.code.instructions import setter
from olympus_rules.reach.reading.binding import Binding
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.slots import Slot, nothing
from olympus_rules.reach.solver.values import FEW, WHOLE, Container, Key, Member, Object, Partial, Place, Value

OVERLOADED = {
    "Add": "add", "BitAnd": "and", "BitOr": "or", "BitXor": "xor", "Div": "truediv", "FloorDiv": "floordiv",
    "LShift": "lshift", "MatMult": "matmul", "Mod": "mod", "Mult": "mul", "Pow": "pow", "RShift": "rshift",
    "Sub": "sub",
    "Eq": "eq", "Gt": "gt", "GtE": "ge", "In": "contains", "Invert": "invert", "Lt": "lt", "LtE": "le", "NotEq": "ne",
    "NotIn": "contains", "UAdd": "pos", "USub": "neg",
}  # fmt: skip
"""The methods that stand for operators."""


class SpecialCalls:
    """Calls of special methods, which the code does not spell out as calls."""

    def __init__(self, heap: Heap, binding: Binding) -> None:
        """Take the slots of a project, and what binds arguments to parameters."""
        self.heap = heap
        self.slots = heap.slots
        self.classes = heap.classes
        self.binding = binding

    def apply(self, operand: Slot, operation: str, others: list[Slot], target: Slot) -> None:
        """Call the method of an object that stands for an operator, on either side of it, with the other operands."""
        for side in ("", "r", "i"):
            self.call(operand, f"__{side}{OVERLOADED[operation]}__", others, target)

    def call(self, owner: Slot, name: str, given: list[Slot], target: Slot) -> None:
        """Call a special method of the objects of a slot with arguments, of which only keys and what holds them count.

        Very many objects are there by a merger of values: any such method gives the result, and takes no argument.
        """
        if not self.classes.has_method(name):
            return
        take = partial(self._take, given=given, target=target)

        def each(value: Value) -> None:
            if isinstance(value, Object):
                self.slots.watch(self.classes.member(value.code, name), take, Member)

        def rest() -> None:
            for method in self.classes.methods.get(name, ()):
                self.slots.add_edge(self.heap.result(method), target)

        self.slots.watch_few(owner, each, rest, Object, most=FEW)

    def _take(self, method: Value, *, given: list[Slot], target: Slot) -> None:
        """Call one method."""
        assert isinstance(method, Member)
        self.binding.fill(Partial(method.code, 1), [[slot] for slot in given], target, is_over=True)

    def write(self, owner: Slot, name: str, source: Slot, place: Place) -> None:
        """Call the methods that write an attribute of the objects of a slot at a place."""
        result = self.slots.slot("written", place)
        self.call(owner, "__setattr__", [result, source], result)
        self.call(owner, setter(name), [source], result)
        if self.classes.has_method("__set__"):
            held = self.slots.slot("descriptor", place)
            hold = partial(self.hold, name=name, target=held)
            self.slots.watch_few(owner, hold, nothing, Object, most=FEW)
            self.call(held, "__set__", [owner, source], result)

    def hold(self, owner: Value, *, name: str, target: Slot) -> None:
        """Copy the objects in an attribute to a slot."""
        assert isinstance(owner, Object)
        self.slots.add_edge_of(self.classes.fields.read(owner.code, name), target, Object)

    def add(self, operand: Slot, result: Slot) -> None:
        """Copy an operand of ``+`` to its result, as a list or tuple is; an object whose class adds gives another."""
        names = ("__add__", "__radd__", "__iadd__")
        if not any(map(self.classes.has_method, names)):
            self.slots.add_edge(operand, result)
            return
        self.slots.add_edge_of(operand, result, Key, Container, *WHOLE)

        def keep(value: Value) -> None:
            if isinstance(value, Object) and not self.classes.defines(value.code, names):
                self.slots.put(result, value)

        self.slots.watch(operand, keep, Object)
