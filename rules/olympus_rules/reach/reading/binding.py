"""Arguments and parameters: edges from a call site to the functions and classes of the project that it may call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import product

from olympus_rules.code import instructions as ir
from olympus_rules.reach.reading.attributes import Attributes
from olympus_rules.reach.reading.sites import Anywhere, Call, Given
from olympus_rules.reach.solver.heap import Heap, fewer_axes
from olympus_rules.reach.solver.mapping import NOT_MAPPED, Mapped
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import (
    CALLEES,
    OTHER,
    UNDIVIDED,
    Class,
    Constructor,
    Container,
    Function,
    Key,
    Member,
    Object,
    Other,
    Place,
    Unknown,
    Value,
)

MANY = 16
"""The limit of callees of one call site; over it, values were joined before."""
MOST_PAIRS = 10_000
"""The limit of callees of all sites over that limit; the core of a framework with all its tests has more of them."""
CALLABLE = (Function, Constructor, Object, Class)


class Binding:
    """Calls of functions and classes of the project.

    Attributes:
        over_limit: the call sites over the limit.
        given_up: those that may call anything.
    """

    def __init__(self, heap: Heap, attributes: Attributes) -> None:
        """Start without any call."""
        self.heap = heap
        self.slots = heap.slots
        self.attributes = attributes
        self.over_limit: set[Place] = set()
        self._handing: dict[tuple[Place, Slot], ir.FunctionCode] = {}
        self.given_up: set[Place] = set()
        self.told = self.slots.growing((*CALLEES, Unknown))
        """The mask of the values that a call site still calls: over the limit, no functions."""
        self._callees: dict[Place, int] = {}
        self._widened = self.slots.slot("widened")
        self.slots.unlimited.add(self._widened)
        self.slots.watch(self._widened, self.widen_one)
        self._bound: Counter[Slot] = Counter()
        self._pairs = MOST_PAIRS

    def bind(self, code: ir.FunctionCode, call: Call, offset: int | None, mapped: Mapped = NOT_MAPPED) -> None:
        """Add edges from arguments to the parameters of a function, and from its result to the call.

        What may call very many functions, as the core of a framework may call all that its tests hand over, would
        make one pool of all their values. Such a call hands on and returns only what may be or hold keys.
        """
        self._bound[call.result] += 1
        is_over = self._bound[call.result] > MANY
        if is_over:
            self.over_limit.add(call.place)
            if not self.takes_pair():
                return
        self.give_back(code, call.result, mapped, is_over=is_over)
        first = offset or 0
        position, is_known = first, offset is not None
        for slot, starred in call.arguments:
            is_told, is_known = is_known, is_known and not starred
            names = code.parameters[position : position + 1 if is_known else None][: max(0, code.positional - position)]
            exact = is_known or not mapped.places
            for index, name in enumerate(names):
                part = self.part(call, slot, index if is_told else None) if starred else slot
                target = self.heap.variable(code, name)
                if exact:
                    self.give(part, target, code, mapped.at(position - first), is_over=is_over)
                else:
                    self.heap.stacked(part, target, None)
            if code.vararg is not None and not (is_known and names):
                further = self.parts(call, slot) if starred else slot
                number = position - code.positional if is_known else None
                self.give(further, self.further(code, number), code, mapped.at(position - first), is_over=is_over)
            position += is_known
        for keyword, slot in call.keywords:
            self.bind_keyword(code, keyword, fewer_axes(self.heap, slot, mapped.axes), first, call)

    def give_back(self, code: ir.FunctionCode, result: Slot, mapped: Mapped, *, is_over: bool = False) -> None:
        """Add an edge from the result of a function to that of a call."""
        if mapped.axes != 0:
            self.heap.stacked(self.heap.result(code), result, mapped.axes)
        else:
            self.join(self.heap.result(code), result, is_over=is_over)

    def join(self, source: Slot, target: Slot, *, is_over: bool) -> None:
        """Add an edge into a callee or back."""
        if is_over:
            self.slots.add_edge_of(source, target, Key, Container, Object, Other, Unknown)
        else:
            self.slots.add_edge(source, target)

    def give(
        self, slot: Slot, target: Slot, code: ir.FunctionCode, axes: int | None = 0, *, is_over: bool = False
    ) -> None:
        """Add an edge from an argument to a parameter; an object of the project is all that ``self`` can be.

        A method that is read from a class takes its object as an argument, and classes are where objects are after a
        merger. Without the limit, all arguments of such calls would be objects of one another's classes.
        """
        has_self = code.kind == "method" and code.owner is not None and [*code.parameters[:1]] == ["self"]
        slot = fewer_axes(self.heap, slot, axes)
        if has_self and target == self.heap.variable(code, "self"):
            self.slots.add_edge_of(slot, target, Object, Container, Unknown)
        else:
            self.join(slot, target, is_over=is_over)

    def parts(self, call: Call, slot: Slot) -> Slot:
        """Return the slot of the elements of a starred argument."""
        parts = self.slots.slot("starred", call.place, slot)
        if self.slots.once("starred", parts):
            self.heap.iterate(slot, parts)
        return parts

    def part(self, call: Call, slot: Slot, index: int | None) -> Slot:
        """Return the slot of an element of a starred argument; ``None`` is any one."""
        if index is None:
            return self.parts(call, slot)
        part = self.slots.slot("starred", call.place, slot, index)
        if self.slots.once("starred", part):
            self.heap.copy_parts(slot, part, Container, name=index)
            self.heap.iterate(slot, part, Object)
        return part

    def bind_keyword(self, code: ir.FunctionCode, keyword: str | None, slot: Slot, offset: int, call: Call) -> None:
        """Add an edge from a keyword argument, or edges from ``**``, to the parameters of a function."""
        if keyword is None:
            for name in code.parameters[offset:]:
                target = self.heap.variable(code, name)
                part = self.slots.slot("starred", call.place, slot, name)
                self.heap.copy_parts(slot, part, Container, name=name)
                self.slots.add_edge(part, target)
                self.slots.add_edge_of(slot, target, *UNDIVIDED)
        if keyword in code.parameters:
            self.slots.add_edge(slot, self.heap.variable(code, str(keyword)))
        elif code.kwarg is not None:
            options = self.heap.made(self.heap.variable(code, code.kwarg))
            if keyword is not None:
                self.slots.add_edge(slot, self.heap.element(options, keyword))
            elif self._handing.setdefault((call.place, slot), code) is code:
                self.attributes.trees.spread(slot, options, without=code.parameters[offset:])
            else:  # for each further function, each option would be told apart once more
                self.slots.add_edge(self.parts(call, slot), self.heap.element(options, None))

    def paired(self, result: Slot, place: Place | None = None) -> Slot:
        """Return the slot of what a function gives that a call gives in a pair with its gradient."""
        value = self.slots.slot("value of a pair", place, result)
        self.slots.add_edge(value, self.heap.element(self.heap.made(result, 2), 0))
        return value

    def further(self, code: ir.FunctionCode, index: int | None = None) -> Slot:
        """Return the slot of an element of ``*arguments``; ``None`` stands for any of them."""
        variable = self.heap.variable(code, str(code.vararg))
        return self.heap.element(self.heap.made(variable), index)

    def takes_pair(self) -> bool:
        """Count a callee of a call site over the limit; return whether there may be so many of all sites."""
        self._pairs -= 1
        return self._pairs >= 0

    def is_over_limit(self, place: Place) -> bool:
        """Count one more callee of a call site, and return whether it is over the limit."""
        self._callees[place] = count = self._callees.get(place, 0) + 1
        if count > MANY:
            self.over_limit.add(place)
        return count > MANY

    def give_up(self, call: Call) -> None:
        """Take a call site as a call of anything: what it is given leaves the project."""
        self.over_limit.add(call.place)
        self.given_up.add(call.place)
        self.slots.put(call.result, Unknown("functions"))

    def construct(self, class_: Class, call: Call) -> None:
        """Make an object: its ``__init__`` or its fields take the arguments."""
        self.slots.put(call.result, Object(class_.code))
        self.bind_members(class_.code, "__init__", call)
        if "__new__" in class_.code.methods:  # an inherited one makes objects of all heirs, which would be one
            self.bind_members(class_.code, "__new__", call)
            give_class(self.heap, class_)
        given = call.arguments if "__init__" not in class_.code.methods else ()
        for index, (name, (slot, starred)) in enumerate(zip(class_.code.fields, given, strict=False)):
            if not starred:
                self.attributes.set_field(class_.code, name, slot)
            else:
                self.by_elements(class_.code, slot, index)
                break
        if "__init__" not in class_.code.methods:
            self.by_keywords(class_.code, call)
            if class_.code.node.bases and not class_.code.fields:
                self.fill_container(Object(class_.code), call)

    def construct_keys(self, constructor: Constructor, result: Slot) -> None:
        """Make a key, or an array of keys with the axes that the constructor is mapped over: it takes one seed."""
        made = self.slots.slot("made", constructor.mention, constructor.axes)  # where paths start
        self.slots.put(made, Key(constructor.mention, constructor.axes))
        self.slots.add_edge(made, result)

    def fill_container(self, made: Object, call: Call) -> None:
        """Let an object hold what it is made of, as one of a subclass of a built-in container does."""
        stored = self.heap.stored(made)
        for slot, _ in call.arguments:
            self.heap.iterate(slot, stored, Container)
        for _, slot in call.keywords:
            self.slots.add_edge(slot, stored)

    def bind_members(self, code: ir.ClassCode, name: str, call: Call) -> None:
        """Call a method of a class: one that several classes inherit is called once."""
        members = self.slots.slot("members called", name, call.result)
        if members not in self.slots.unlimited:
            self.slots.unlimited.add(members)
            self.slots.watch(members, partial(self.bind_member, call), Member)
        self.slots.add_edge_of(self.heap.classes.member(code, name), members, Member)

    def bind_member(self, call: Call, method: Member) -> None:
        """Call a method of a class."""
        self.bind(method.code, call, 1)

    def make(self, class_: Class, call: Call) -> None:
        """Make an object by a function that takes its attributes by their names, and others by unknown names."""
        self.slots.put(call.result, Object(class_.code))
        every = self.attributes.trees.written_anywhere(Object(class_.code))
        for slot, _ in call.arguments:
            self.heap.shift(slot, every, None)
        self.by_keywords(class_.code, call)

    def by_elements(self, code: ir.ClassCode, source: Slot, start: int = 0) -> None:
        """Write the attributes of a class, from a position on, that the elements of a slot are given for."""
        for index, name in enumerate(code.fields[start:]):
            part = self.slots.slot("field of a list", code, source, name)
            self.heap.copy_parts(source, part, Container, name=index)
            self.heap.shift(source, part, -1)
            self.attributes.set_field(code, name, part)

    def by_keywords(self, code: ir.ClassCode, call: Call) -> None:
        """Write the attributes that keyword arguments name, and those of ``**``."""
        for keyword, slot in call.keywords:
            if keyword is not None:
                self.attributes.set_field(code, keyword, slot)
            else:
                self.attributes.set_fields(code, slot)

    def feed(self, value: Value, given: Sequence[Given], result: Slot, *, is_over: bool = False) -> None:
        """Call a value with the slots of its arguments."""
        if isinstance(value, Constructor):
            self.construct_keys(value, result)
        if isinstance(value, Object | Class):
            name = "__call__" if isinstance(value, Object) else "__init__"

            def fill(method: Value) -> None:
                if isinstance(method, Member):
                    self.fill(Function(method.code, 1), given, result, is_over=is_over)

            self.slots.watch(self.heap.classes.member(value.code, name), fill)
        if isinstance(value, Function):
            self.fill(value, given, result, is_over=is_over)

    def fill(self, called: Function, given: Sequence[Given], result: Slot, *, is_over: bool) -> None:
        """Add edges from slots to the parameters of a function."""
        code = called.code
        names = list(code.parameters[called.given : code.positional])
        for index, slots in enumerate(given):
            is_told = called.given is not None and not isinstance(slots, Anywhere)
            targets = [self.heap.variable(code, name) for name in names[index : index + 1 if is_told else None]]
            if code.vararg is not None and (index >= len(names) or not is_told):
                targets.append(self.further(code, index - len(names) if is_told else None))
            for slot, target in product(slots, targets):
                if slot >= 0:
                    self.give(slot, target, code, called.mapped.at(index), is_over=is_over)
        result = self.paired(result) if called.is_paired else result
        self.give_back(code, result, called.mapped, is_over=is_over)

    def widen(self, source: Slot, *kinds: type) -> None:
        """Widen the keys that callables of a slot take and return: a mapped axis changes their rank."""
        self.slots.add_edge_of(source, self._widened, *(kinds or CALLABLE))

    def widen_one(self, value: Value) -> None:
        """Widen the keys that a callable takes and returns."""
        if isinstance(value, Function | Member):
            for name in value.code.every_parameter:
                self.heap.widen(self.heap.variable(value.code, name))
            self.heap.widen(self.heap.result(value.code))
        elif isinstance(value, Constructor):
            self.slots.put(self.slots.slot("made", value.mention, value.axes), Key(value.mention))
        elif isinstance(value, Object | Class):
            name = "__call__" if isinstance(value, Object) else "__init__"
            self.slots.watch(self.heap.classes.member(value.code, name), self.widen_one, Member)


def give_words(heap: Heap, code: ir.FunctionCode) -> None:
    """Give numbers to the parameters of a function that is mapped over the words of keys."""
    for name in code.parameters:
        heap.slots.put(heap.variable(code, name), OTHER)


def give_class(heap: Heap, class_: Class) -> None:
    """Give a class to its own method that makes its objects."""
    method = class_.code.methods["__new__"]
    for own in [*method.parameters][:1]:
        heap.slots.put(heap.variable(method, own), class_)
