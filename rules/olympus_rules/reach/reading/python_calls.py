"""Calls of functions of Python's library of which no pack says anything, and of those that make defaults."""

from __future__ import annotations

from olympus_rules.libraries.model import ContainerCall
from olympus_rules.reach.reading.binding import MANY, Binding
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.values import (
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Object,
    Value,
)

SPREAD = ("args", "kwargs")
"""Options that hold the arguments of a function."""
RUNNING = frozenset(
    "apply apply_async imap imap_unordered map map_async run_in_executor starmap starmap_async submit to_thread".split()  # noqa: SIM905
)
"""Functions and methods that call a function, and give its result or an object that will have it."""
APPLYING = frozenset({"apply", "apply_async"})
"""Those of them that take the arguments of the function in a container."""


class PythonCalls:
    """Calls that may give back what they are given, or call functions with it."""

    def __init__(self, heap: Heap, binding: Binding) -> None:
        """Start without any call."""
        self.heap = heap
        self.slots = heap.slots
        self.binding = binding

    def call_with_elements(self, call: Call, kind: ContainerCall | None) -> None:
        """Call the functions of a call that makes a container or takes one apart, with each of its elements.

        They compare elements, put them into groups, join them with a result before, or make what is not there.
        """
        functions = [slot for keyword, slot in call.keywords if keyword == "key"]
        functions += [slot for slot, _ in call.arguments[1:2] if kind in ("accumulated", "grouped")]
        makers = [slot for slot, _ in call.arguments[:1] if kind == "mapping" or call.callee == "iter"]
        if not functions + makers:
            return
        gives = kind == "accumulated"
        made = self.heap.element(self.heap.made(call.result), None) if gives or makers else None
        result, each = made or self.slots.slot("compared", call.place), self.slots.slot("each", call.place)
        columns = [slot for slot, _ in call.arguments if slot not in functions] or [*filter(None, [call.owner])]
        for slot in columns if functions else ():
            self.heap.iterate(slot, each)
            if len(columns) > 1:
                self.slots.add_edge_of(slot, each, Key, Container, Object)
        for slot in [each, *(slot for keyword, slot in call.keywords if keyword == "initial")] if gives else ():
            self.slots.add_edge(slot, result)
        given = [[result], [each]] if gives else [[each]]
        for slot in functions:
            self.slots.watch(slot, lambda value: self.binding.feed(value, given, result), Function)
        for slot in makers:
            self.slots.watch(slot, lambda value: self.binding.feed(value, [], result), Function, Constructor)
            self.slots.watch(slot, lambda _: self.heap.made(result), Library)  # `list`, or another type of Python

    def pass_through(self, call: Call, root: str, *, is_method: bool) -> None:
        """Let a function of Python's library of which nothing is known give back what it is given.

        It may also call the functions that it is given, with all else that it is given, as an executor does. A method
        of an object that a package made may give back what another one of that package gave, as that of a future.
        """
        if not self.slots.once("passed through", call.place):
            return
        every, name = self.slots.slot("passed through", call.place), call.callee.rpartition(".")[2]
        given = () if name in RUNNING else call.given
        for slot in [*given, *([] if call.owner is None else [call.owner])]:
            self.slots.add_edge_of(slot, call.result, Container, Object)
            self.heap.shift(slot, call.result, 0)
            self.heap.copy_contained(slot, call.result, 0)
        kept = self.slots.slot("kept", root)
        takes_apart = "map" in name
        result = self.heap.element(self.heap.made(call.result), None) if takes_apart else call.result
        spread = {slot for slot, _ in call.arguments[1:2] if name in APPLYING}
        for keyword, slot in [*((None, slot) for slot, _ in call.arguments), *call.keywords]:
            if takes_apart or keyword in SPREAD or slot in spread:
                self.heap.copy_parts(slot, every)
                self.heap.shift(slot, every, -1)
            else:
                self.slots.add_edge_of(slot, every, Key, Container, Object)
        if not takes_apart:
            self.slots.add_edge_of(call.result, kept, Key, Container, Object)
        if is_method and not takes_apart:
            self.slots.add_edge(kept, call.result)

        def hand(value: Value) -> None:
            if isinstance(value, Constructor):
                self.binding.construct_keys(value, result)
            elif not self.binding.is_over_limit(call.place):
                self.binding.feed(value, [[every]] * MANY, result)

        for slot in call.given:
            self.slots.watch(slot, hand, Function, Constructor)
