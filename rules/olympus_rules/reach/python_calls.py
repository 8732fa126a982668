"""Calls of functions of Python's library of which no pack says anything, and of those that make defaults."""

from __future__ import annotations

from olympus_rules.reach.binding import FUNCTION, MANY, Binding
from olympus_rules.reach.heap import Heap
from olympus_rules.reach.sites import Call
from olympus_rules.reach.values import BoundMethod, Container, Function, Key, Object, Partial, Place, Value

__all__ = ["PythonCalls"]

FUNCTIONS = (Function, BoundMethod, Partial)
SPREAD = ("args", "kwargs")
"""Options that hold the arguments of a function."""


class PythonCalls:
    """Calls that may give back what they are given, or call functions with it."""

    def __init__(self, heap: Heap, binding: Binding) -> None:
        """Start without any call."""
        self.heap = heap
        self.slots = heap.slots
        self.binding = binding
        self._seen: set[Place] = set()

    def make_defaults(self, call: Call) -> None:
        """Put what the functions give that a dictionary is made of, as a ``defaultdict``, into it."""
        element = self.heap.element(self.heap.made(call.result), None)
        for slot, _ in call.arguments[:1]:
            self.slots.watch(slot, lambda value: self.binding.feed(value, [], element, 0), *FUNCTION)

    def pass_through(self, call: Call) -> None:
        """Let a function of Python's library of which nothing is known give back what it is given.

        It may also call the functions that it is given, with all else that it is given, as an executor does.
        """
        if call.place in self._seen:
            return
        self._seen.add(call.place)
        every = self.slots.slot("passed through", call.place)
        for slot in [*call.given, *([] if call.owner is None else [call.owner])]:
            self.slots.add_edge_of(slot, call.result, Container, Object)
            self.heap.shift(slot, call.result, 0)
            self.heap.copy_contained(slot, call.result, 0)
        takes_apart = "map" in call.callee.rpartition(".")[2]
        for keyword, slot in [*((None, slot) for slot, _ in call.arguments), *call.keywords]:
            if takes_apart or keyword in SPREAD:
                self.heap.iterate(slot, every)
            else:
                self.slots.add_edge_of(slot, every, Key, Container, Object)

        def hand(value: Value) -> None:
            if not self.binding.is_over_limit(call.place):
                self.binding.feed(value, [[every]] * MANY, call.result, 0)

        for slot in call.given:
            self.slots.watch(slot, hand, *FUNCTIONS)
