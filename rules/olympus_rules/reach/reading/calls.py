"""All call sites of a project, by their callees."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial

from olympus_rules.libraries.names import READING
from olympus_rules.reach.reading.attributes import Attributes
from olympus_rules.reach.reading.binding import CALLABLE, Binding
from olympus_rules.reach.reading.containers import FILLING, METHODS, SPREADING
from olympus_rules.reach.reading.library_calls import CHANGING, LibraryCalls
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.solver.failures import Failure, record
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.slots import Slot, nothing, without
from olympus_rules.reach.solver.values import (
    FEW,
    Class,
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Made,
    Object,
    Place,
    Super,
    Unknown,
    Value,
    Words,
)

ENTERING = frozenset({"enter_context", "enter_async_context"})
GIVING_ATTRIBUTES = frozenset({"_asdict", "__getstate__"})
"""Methods that every named tuple, or every object, has, and that give the attributes."""


class Calls:
    """All call sites of a project.

    Attributes:
        all: the call sites.
        method_results: calls of methods with the object of each.
        failures: the functions and call sites that could not be read.
    """

    def __init__(self, heap: Heap, attributes: Attributes) -> None:
        """Start without any call."""
        self.heap = heap
        self.slots = heap.slots
        self.attributes = attributes
        self.names = attributes.names
        self.binding = Binding(heap, attributes)
        self.libraries = LibraryCalls(heap, attributes, self.binding)
        self.all: list[Call] = []
        self.method_results: list[tuple[Slot, Call]] = []
        self.failures: list[Failure] = []

    def add(self, call: Call) -> None:
        """Add a call site."""
        function, owner = call.node.func, call.code.owner
        self.all.append(call)
        self.slots.watch_mask(call.function, partial(self.apply_each, call=call))
        if call.owner is not None:
            self.method(call, function.attr if isinstance(function, ast.Attribute) else "")
        if isinstance(function, ast.Name) and function.id == "super" and owner is not None:
            self.slots.put(call.result, Super(owner))
        if isinstance(function, ast.Name) and function.id == "type" and len(call.node.args) == 1:
            self.attributes.trees.class_of(call.given[0], call.result)

    def method(self, call: Call, name: str) -> None:
        """Add the edges of a method call on an array or a container."""
        assert call.owner is not None
        if name in FILLING:
            for slot, _ in call.arguments:
                self.heap.put_into(call.owner, slot, spreads=name in SPREADING)
            for keyword, slot in call.keywords:
                self.heap.put_into(call.owner, slot, keyword)
        if name in CHANGING:
            self.slots.add_edge_of(call.owner, call.result, Object)
            self.attributes.write_copy(call.owner, call.keywords)
        if name == "sort":
            self.libraries.python.call_with_elements(call, None)
        for slot, _ in call.arguments[:1] if name in ENTERING else ():
            self.slots.add_edge_of(slot, call.result, Key, Container)
            self.slots.watch(slot, lambda value: self.heap.ask(value, "__enter__", call.result), Object)
        if name == "_make":
            for slot, _ in call.arguments[:1]:
                self.slots.watch(call.owner, partial(self.make_tuple, source=slot, result=call.result), Class)
        for slot, _ in call.arguments[:1] if name == "__new__" else ():
            # an object whose attributes are written later; of many classes, it would be one of all of them
            make = partial(self.make, result=call.result)
            self.slots.watch_few(slot, make, nothing, Class, most=FEW)
        if name in GIVING_ATTRIBUTES:
            self.slots.watch(
                call.owner,
                lambda value: self.attributes.trees.give_namespace(value, call.result),
                *(Object, Unknown),
            )
        self.method_results.append((call.owner, call))
        containers = self.libraries.containers
        if name in METHODS:
            self.slots.watch(
                call.owner,
                lambda value: containers.method(value, name, call),
                *(Container, Unknown),
            )

    def make(self, class_: Class, *, result: Slot) -> None:
        """Make an object of a class."""
        self.slots.put(result, Object(class_.code))

    def apply_each(self, values: int, call: Call) -> None:
        """Call the values of a mask."""
        try:
            for value in self.slots.listed(values & self.binding.told[0]):
                self.apply(value, call)
        except Exception as error:
            record(self.failures, error, call.place.file, call.place.line, f"the call of `{call.callee}`")

    def apply(self, value: Value, call: Call) -> None:
        """Call one value."""
        if isinstance(value, Function):
            inner = replace(call, result=self.binding.paired(call.result, call.place)) if value.is_paired else call
            self.binding.bind(value.code, inner, value.given, value.mapped)
        elif isinstance(value, Class):
            self.binding.construct(value, call)
        elif isinstance(value, Object):
            self.binding.bind_members(value.code, "__call__", call)
        elif isinstance(value, Constructor):
            self.binding.construct_keys(value, call.result)
        elif isinstance(value, Library) or (isinstance(value, Made) and not self.is_inherited(call)):
            if isinstance(value, Library) and self.names.canonical(value.qualified) in READING:
                self.slots.put(call.result, Words(call.place))
            self.libraries.call(value, call)
        elif isinstance(value, Unknown):
            self.binding.give_up(call)

    def make_tuple(self, class_: Class, *, source: Slot, result: Slot) -> None:
        """Make a named tuple of the elements of a container."""
        self.make(class_, result=result)
        self.binding.by_elements(class_.code, source)

    def is_inherited(self, call: Call) -> bool:
        """Make an object by a method that a class inherits of a library, as ``create`` of a training state.

        Returns:
            Whether the callee is one: a method that is read from a class, or one that copies an object.
        """
        name = call.callee.rpartition(".")[2]
        kinds = (Class, Object) if name in CHANGING else (Class,)
        if call.owner is None or not self.slots.mask(call.owner) & self.slots.of_kinds(*kinds):
            return False
        if not self.slots.once("inherited", call.result):
            return True
        makers = self.slots.slot("makers", call.result)
        self.slots.unlimited.add(makers)

        def look(class_: Class) -> None:
            self.slots.add_edge_of(self.maker(class_, name), makers, Class)

        self.slots.watch(call.owner, look, Class)
        self.slots.watch(makers, partial(self.binding.make, call=call), Class)
        return True

    def maker(self, class_: Class, name: str) -> Slot:
        """Return the slot of a class, if a library has its method of a name."""
        slot = self.slots.slot("maker", class_.code, name)
        if self.slots.once("makers", slot):

            def take(_: Value) -> None:
                if not self.heap.classes.defines(class_.code, (name,)):
                    self.slots.put(slot, class_)

            self.slots.watch(self.heap.classes.member(class_.code, name), take, Made)
        return slot

    def hand(self, decorator: Value, decorated: Value, result: Slot, place: Place) -> None:
        """Apply a decorator, written at a place."""
        if isinstance(decorator, Library | Made):
            if not self.names.model(decorator.qualified).keeps_axes:
                self.binding.widen_one(decorated)
        elif (
            isinstance(decorator, CALLABLE)
            and not isinstance(decorator, Constructor)
            and not self.binding.is_over_limit(place)
        ):
            slot = self.slots.slot("decorated", decorated)
            self.slots.put(slot, decorated)
            given_back = self.slots.slot("given back", decorated, place)
            self.binding.feed(decorator, [[slot]], given_back)
            self.take_own(decorator, decorated, given_back, result)

    def take_own(self, decorator: Value, decorated: Value, given_back: Slot, result: Slot) -> None:
        """Copy what a decorator gives back, without the other functions that it is given."""
        code = decorator.code if isinstance(decorator, Function) and decorator.given == 0 else None
        function = self.heap.variable(code, code.parameters[0]) if code is not None and code.parameters else None

        def take(values: int) -> None:
            others = self.slots.mask(function) & self.slots.of_kinds(Function) if function is not None else 0
            self.slots.put_mask(result, without(values, without(others, self.slots.bit(decorated))))

        self.slots.watch_mask(given_back, take)
