"""What the special methods of objects give that stand for operators."""

from __future__ import annotations

from olympus_rules.reach.heap import Heap
from olympus_rules.reach.slots import Slot
from olympus_rules.reach.values import Object, Value

__all__ = ["OVERLOADED", "overloaded"]

OVERLOADED = {
    "Add": "add", "BitAnd": "and", "BitOr": "or", "BitXor": "xor", "Div": "truediv", "FloorDiv": "floordiv",
    "LShift": "lshift", "MatMult": "matmul", "Mod": "mod", "Mult": "mul", "Pow": "pow", "RShift": "rshift",
    "Sub": "sub",
}  # fmt: skip
"""The methods that stand for operators."""


def overloaded(heap: Heap, operand: Slot, operation: str, target: Slot) -> None:
    """Copy what the methods of objects give that stand for an operator, on either side of it."""
    names = tuple(f"__{side}{OVERLOADED[operation]}__" for side in ("", "r", "i"))
    if not any(map(heap.classes.has_method, names)):
        return

    def each(value: Value) -> None:
        assert isinstance(value, Object)
        heap.slots.add_edge(answer(heap, value, names), target)

    heap.slots.watch_few(operand, each, lambda: heap.slots.add_edge(any_answer(heap, names), target), Object)


def answer(heap: Heap, owner: Object, names: tuple[str, ...]) -> Slot:
    """Return the slot of what methods of an object give."""
    is_new = ("answer", owner, names) not in heap.slots.numbers
    slot = heap.slots.slot("answer", owner, names)
    for name in names if is_new else ():
        heap.ask(owner, name, slot)
    return slot


def any_answer(heap: Heap, names: tuple[str, ...]) -> Slot:
    """Return the slot of what methods of any object give."""
    slot = heap.slots.slot("answer", None, names)
    for method in [method for name in names for method in heap.classes.methods.get(name, ())]:
        heap.slots.add_edge(heap.result(method), slot)
    return slot
