"""What calls hand on: to functions of the project, to constructors, through JAX and into libraries."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from olympus_rules.code import instructions as ir
from olympus_rules.reach.containers import METHODS
from olympus_rules.reach.libraries import (
    ARRAY_MAKING,
    ARRAYS,
    BRANCHING,
    CHANGING,
    COPYING,
    DERIVING,
    ELEMENTWISE,
    FILLING,
    FIRST_OPERAND,
    HANDING_ON,
    KEEPING,
    LEAFWISE,
    MANY,
    MAPPING,
    MOVING,
    PARTIAL,
    RUNNING,
    SETTINGS,
    TELLING,
    TOLD_THE_RESULT,
    TRANSFORMS,
    axes_of_size,
    counterpart,
    maps,
)
from olympus_rules.reach.slots import Slot
from olympus_rules.reach.values import (
    OTHER,
    UNDIVIDED,
    BoundMethod,
    Class,
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Made,
    Member,
    Object,
    Other,
    Partial,
    Place,
    Super,
    Value,
)

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach
    from olympus_rules.reach.reading import Reader

__all__ = ["Call", "Calls"]

FUNCTION = (Function, BoundMethod, Partial, Constructor)
CALLABLE = (*FUNCTION, Object, Class)


Given: TypeAlias = Sequence[Slot]
"""Slots whose values one parameter may get; -1 stands for none."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the project.

    Attributes:
        place: where it is.
        callee: how the callee is written.
        function: the slot of the callee.
        arguments: the slots of the positional arguments, and whether each is starred.
        keywords: the names and slots of the others; ``None`` for ``**``.
        result: the slot of the result.
        owner: the slot of the object of a method call.
    """

    place: Place
    callee: str
    function: Slot
    arguments: tuple[tuple[Slot, bool], ...]
    keywords: tuple[tuple[str | None, Slot], ...]
    result: Slot
    owner: Slot | None

    @property
    def given(self) -> list[Slot]:
        """Return the slots of all arguments."""
        return [slot for slot, _ in self.arguments] + [slot for _, slot in self.keywords]


class Calls:
    """All calls of a project."""

    def __init__(self, reach: ProjectReach) -> None:
        """Start without any call."""
        self.reach = reach
        self.slots = reach.slots
        self.all: list[Call] = []
        self.crowded: set[Place] = set()
        self.sizes: dict[Place, int] = {}
        self._callees: dict[Place, int] = {}
        self._restructured: set[Place] = set()
        self._mapped: set[Slot] = set()
        self._blurred = 0
        self._namespaces: dict[Place, ir.ClassCode] = {}
        self._handing: set[tuple[Place, str]] = set()

    def add(self, reader: Reader, code: ir.FunctionCode, made: ir.Call) -> None:
        """Read a call."""
        from olympus_rules.reach.reading import place_of

        call = Call(
            place=place_of(reader.file, made.node),
            callee=ast.unparse(made.node.func),
            function=reader.register(code, made.func),
            arguments=tuple((reader.register(code, register), starred) for register, starred in made.args),
            keywords=tuple((name, reader.register(code, register)) for name, register in made.keywords),
            result=reader.expression(code, made.dst, made.node),
            owner=None if made.owner is None else reader.register(code, made.owner),
        )
        self.all.append(call)
        size = [*made.node.args[1:2], *(option.value for option in made.node.keywords if option.arg == "num")]
        axes = axes_of_size(size[0]) if size else None
        if axes is not None:
            self.sizes[call.place] = axes
        self.slots.watch_mask(call.function, partial(self.apply_all, call=call))
        if call.owner is not None:
            self.method(call, made.node.func.attr if isinstance(made.node.func, ast.Attribute) else "")
        if isinstance(made.node.func, ast.Name) and made.node.func.id == "super" and code.owner is not None:
            self.slots.put(call.result, Super(code.owner))

    def method(self, call: Call, name: str) -> None:
        """Hand on what methods of arrays and containers do."""
        assert call.owner is not None
        if name in FILLING:
            for slot in call.given:
                self.reach.put_into(call.owner, slot)
        if name in CHANGING:
            for keyword, slot in call.keywords:
                if keyword is not None:
                    self.reach.set_loose(keyword, slot)
        self.reach.method_results.append((call.owner, call))
        containers = self.reach.containers
        if name in METHODS:
            self.slots.watch(
                call.owner,
                lambda value: containers.method(value, name, call) if isinstance(value, Container) else None,
                Container,
            )

    def apply_all(self, values: int, call: Call) -> None:
        """Call the values of a mask."""
        for value in self.slots.listed(self.still_told(values, call)):
            self.apply(value, call)

    def still_told(self, values: int, call: Call) -> int:
        """Return the values of a mask without what is not called any more where very many may be called."""
        if call.place not in self.crowded:
            return values
        return values & ~self.slots.of_kinds(Function, BoundMethod, Partial, Object)

    def apply(self, value: Value, call: Call) -> None:
        """Call one value."""
        if isinstance(value, Function):
            self.bind(value.code, call, 0)
        elif isinstance(value, BoundMethod):
            self.bind(value.code, call, 1)
        elif isinstance(value, Partial):
            self.bind(value.code, call, value.given)
        elif isinstance(value, Class):
            self.construct(value, call)
        elif isinstance(value, Object) and call.place not in self.crowded:
            member = self.reach.classes.member(value.code, "__call__")
            self.slots.watch(
                member, lambda method: self.bind(method.code, call, 1) if isinstance(method, Member) else None
            )
        elif isinstance(value, Constructor):
            made = self.slots.slot("made", value.mention)
            self.slots.put(made, Key(value.mention, 0))
            self.slots.lead(made, call.result)
        elif isinstance(value, Library | Made):
            self.library(value, call)

    def bind(self, code: ir.FunctionCode, call: Call, offset: int) -> None:
        """Hand arguments to the parameters of a function, and its result to the call.

        What may call very many functions, as the core of a framework may call all that its tests hand over, would
        make one pool of all their values. It is left alone, and keys that it is given are taken to leave the project.
        """
        if self.is_crowded(call.place):
            return
        self.slots.lead(self.reach.result(code), call.result)
        position, is_known = offset, True
        for slot, starred in call.arguments:
            is_known = is_known and not starred
            names = code.parameters[position : position + 1 if is_known else None][: max(0, code.positional - position)]
            targets = [self.reach.variable(code, name) for name in names]
            if code.vararg is not None and not (is_known and targets):
                targets.append(self.further(code))
            for target in targets:
                if starred:
                    self.reach.iterate(slot, target)
                else:
                    self.slots.lead(slot, target)
            position += is_known
        for keyword, slot in call.keywords:
            self.bind_keyword(code, keyword, slot, offset)

    def bind_keyword(self, code: ir.FunctionCode, keyword: str | None, slot: Slot, offset: int) -> None:
        """Hand a keyword argument, or all that ``**`` gives, to the parameters of a function."""
        if keyword is None:
            for name in code.parameters[offset:]:
                target = self.reach.variable(code, name)
                self.reach.containers.named(slot, name, target)
                self.slots.lead_kinds(slot, target, *UNDIVIDED)
        if keyword in code.parameters:
            self.slots.lead(slot, self.reach.variable(code, str(keyword)))
        elif code.kwarg is not None:
            options = self.reach.element(self.reach.containers.made(self.reach.variable(code, code.kwarg)), keyword)
            if keyword is None:
                self.reach.iterate(slot, options)
            else:
                self.slots.lead(slot, options)

    def further(self, code: ir.FunctionCode) -> Slot:
        """Return the slot of what a function gets besides its parameters, as ``*arguments``."""
        variable = self.reach.variable(code, str(code.vararg))
        return self.reach.element(self.reach.containers.made(variable), None)

    def is_crowded(self, place: Place) -> bool:
        """Count one more function that is called at a place, and say whether they are too many."""
        self._callees[place] = count = self._callees.get(place, 0) + 1
        if count > MANY:
            self.crowded.add(place)
        return count > MANY

    def construct(self, class_: Class, call: Call) -> None:
        """Make an object: its ``__init__`` gets the arguments, or its fields do."""
        self.slots.put(call.result, Object(class_.code))
        member = self.reach.classes.member(class_.code, "__init__")
        self.slots.watch(member, lambda method: self.bind(method.code, call, 1) if isinstance(method, Member) else None)
        for name, (slot, starred) in zip(class_.code.fields, call.arguments, strict=False):
            if not starred:
                self.reach.set_field(class_.code, name, slot)
        for keyword, slot in call.keywords:
            if keyword is not None and "__init__" not in class_.code.methods:
                self.reach.set_field(class_.code, keyword, slot)

    def library(self, value: Library | Made, call: Call) -> None:
        """Call a function of a library: callables get the other arguments, and what JAX gives back may hold them."""
        own = self.reach.canonical(value.qualified)
        name = self.counterpart(own)
        package, last = name.partition(".")[0], name.rpartition(".")[2]
        if name != own:  # what is made of an object of the library is one of its objects, too
            for slot in call.given:
                self.slots.lead_kinds(slot, call.result, Made)
            if not call.arguments:
                self.slots.put(call.result, Made(own))  # a decorator that waits for its function
        if name == "functools.wraps":
            return  # it is told a function, and gives back another one
        if name == "types.SimpleNamespace":
            fields = [keyword for keyword, _ in call.keywords if keyword is not None]
            code = self._namespaces.setdefault(
                call.place, ir.ClassCode(last, ast.ClassDef(last, [], [], [], []), fields=fields)
            )
            self.construct(Class(code), call)
            return
        if name.startswith("jax.random."):
            if last in DERIVING:
                self.derive(value, call)
            return
        if package not in HANDING_ON | ARRAYS:
            self.slots.put(call.result, Made(package))
        if last in CHANGING or last[:1].isupper():
            for keyword, slot in call.keywords:
                if keyword is not None:
                    self.reach.set_loose(keyword, slot)
        if (call.place, name) not in self._handing:
            self._handing.add((call.place, name))
            self._restructured |= {call.place} if self.reach.containers.call(name, call) else set()
            callables = {slot for slot, _ in call.arguments[: FIRST_OPERAND.get(name, 0)]}
            for slot in call.given:
                if call.place not in self._restructured and slot not in callables:
                    self.give_back(slot, call, name)
                self.hand_to(slot, slot, call, name)
                if name in BRANCHING:  # of a list of functions, as ``switch`` takes them
                    containers = self.reach.containers
                    hand = partial(self.hand_to, slot=slot, call=call, name=name)
                    containers.open(slot, containers.elements, containers.parts_of, hand, Container)
            if name.endswith("lax.scan"):
                self.scan(call)

    def counterpart(self, name: str) -> str:
        """Return the function of JAX or Python that does what a function of a library does."""
        return counterpart(name, self.reach.packs)

    def scan(self, call: Call) -> None:
        """Give what a scan gives: the last carry, and what its body gives besides, with an axis for the passes."""
        body, carry = self.slots.slot("body", call.place), self.slots.slot("carry", call.place)
        rows = self.slots.slot("rows", call.place)
        containers = self.reach.containers
        pair = containers.made(call.result, 2)
        containers.named(body, 0, carry)
        containers.named(body, 1, rows)
        self.slots.lead(carry, self.reach.element(pair, 0))
        containers.stacked(rows, self.reach.element(pair, 1), 1)
        self.reach.shift(body, call.result, None)
        self.slots.lead_kinds(body, call.result, *UNDIVIDED)

    def derive(self, function: Library | Made, call: Call) -> None:
        """Give keys that are derived of others; a mapped function, which is ``Made``, changes their rank."""
        axes: int | None = 0
        if isinstance(function, Made):
            axes = None
        elif function.qualified.endswith(".split"):
            axes = 1 if len(call.given) < 2 else self.sizes.get(call.place)
        for slot in call.given[:1]:
            self.reach.shift(slot, call.result, axes)
            self.slots.lead_kinds(slot, call.result, Container, *UNDIVIDED)

    def give_back(self, slot: Slot, call: Call, name: str) -> None:
        """Let a library give back the keys and containers that it is given."""
        package, last = name.partition(".")[0], name.rpartition(".")[2]
        if package in COPYING:
            self.slots.lead_kinds(slot, call.result, Object)
        if name in TELLING or package not in HANDING_ON or (package == "jax" and last not in MOVING):
            return
        if package == "jax" and any(slot == other and keyword in SETTINGS for keyword, other in call.keywords):
            return
        if package == "jax" and last not in KEEPING:  # an array of what a container has
            self.reach.shift(slot, call.result, None)
            self.reach.containers.pour_containers(slot, call.result)
            self.slots.watch_mask(slot, partial(self.give_others, result=call.result), *UNDIVIDED)
        else:
            self.reach.shift(slot, call.result, None if maps(name) else 0)
            self.slots.lead_kinds(slot, call.result, Container)
            if package == "jax":  # a tree, which an object may be
                self.slots.lead_kinds(slot, call.result, Object)

    def give_others(self, values: int, result: Slot) -> None:
        """Give an array that may be of something else than keys, as something else may have been given."""
        others = self.slots.of_kinds(Other)
        if values & others:
            self.slots.put(result, OTHER)
        if values & ~others:  # a function in the place of an array: values were merged there
            self.slots.put(result, Made("jax"))

    def hand_to(self, source: Slot, slot: Slot, call: Call, name: str) -> None:
        """Let a library call the callables in a slot: functions, and objects where a function is meant.

        Args:
            source: where the callables are: an argument, or an element of one.
            slot: the argument.
            call: the call.
            name: the library's function.
        """
        wants = name in TRANSFORMS or name in RUNNING or name in MAPPING
        kinds = CALLABLE if wants else FUNCTION
        if maps(name):
            self.slots.watch_mask(source, self.blur, *CALLABLE)
        if name in PARTIAL:
            self.slots.watch(source, partial(self.take_arguments, call=call), Function, BoundMethod)
            self.slots.lead_kinds(source, call.result, *(kind for kind in kinds if kind not in (Function, BoundMethod)))
        elif name not in RUNNING and (wants or not name.startswith(ARRAY_MAKING)):
            self.slots.lead_kinds(source, call.result, *kinds)
        if wants:
            self.slots.watch_mask(source, partial(self.run_all, slot=slot, call=call, name=name), *kinds)
            self.slots.watch(source, partial(self.hand_to_library, slot=slot, call=call, name=name), Library)

    def blur(self, callables: int) -> None:
        """Take the keys that callables, as a mask, are given and give for arrays of any rank: an axis is mapped."""
        fresh = callables & ~self._blurred
        self._blurred |= fresh
        for value in self.slots.listed(fresh) if fresh else ():
            self.blur_one(value)

    def blur_one(self, value: Value) -> None:
        """Take the keys that a callable is given and gives for arrays of any rank."""
        if isinstance(value, Function | BoundMethod | Partial | Member):
            for name in filter(None, (*value.code.parameters, value.code.vararg, value.code.kwarg)):
                self.reach.blur(self.reach.variable(value.code, name))
            self.reach.blur(self.reach.result(value.code))
        elif isinstance(value, Constructor):
            self.slots.put(self.slots.slot("made", value.mention), Key(value.mention))
        elif isinstance(value, Object | Class):
            name = "__call__" if isinstance(value, Object) else "__init__"
            self.slots.watch_mask(self.reach.classes.member(value.code, name), self.blur, Member)

    def take_arguments(self, value: Value, *, call: Call) -> None:
        """Give a function its first arguments."""
        if isinstance(value, Function | BoundMethod):
            given = sum(not starred for _, starred in call.arguments[1:])
            self.slots.put(call.result, Partial(value.code, given + isinstance(value, BoundMethod)))

    def run_all(self, values: int, *, slot: Slot, call: Call, name: str) -> None:
        """Let a library call the callables of a mask."""
        for value in self.slots.listed(self.still_told(values, call)):
            self.run(value, slot=slot, call=call, name=name)

    def run(self, value: Value, *, slot: Slot, call: Call, name: str) -> None:
        """Let a library call a callable with what is given besides it."""
        if self.is_crowded(call.place):
            return
        result = call.result
        if name.endswith("lax.scan"):
            result = self.slots.slot("body", call.place)
        if name in ("builtins.map", "itertools.starmap"):
            result = self.reach.element(self.reach.containers.made(call.result), None)
        self.feed(value, self.handed_on(name, slot, call), result)

    def hand_to_library(self, value: Value, *, slot: Slot, call: Call, name: str) -> None:
        """Let a library call a function of a library, such as ``split``, which gives keys of what it is given."""
        assert isinstance(value, Library)
        if name not in RUNNING:
            self.slots.put(call.result, Made(value.qualified) if maps(name) else value)
        callee = self.reach.canonical(value.qualified)
        if callee.startswith("jax.random.") and callee.rpartition(".")[2] in DERIVING and name not in TRANSFORMS:
            for other in call.given:
                if other != slot:
                    self.reach.containers.pour(other, call.result)

    def handed_on(self, name: str, slot: Slot, call: Call) -> Sequence[Given]:
        """Return what a library hands to a callable: one sequence for each parameter."""
        if name in TRANSFORMS:
            return []
        positional = [other for other, _ in call.arguments]
        at = positional.index(slot) if slot in positional else -1
        named = {keyword: other for keyword, other in call.keywords if keyword is not None}
        if name.endswith("lax.scan"):
            init, xs = [*positional[at + 1 : at + 3], -1, -1][:2] if at >= 0 else (-1, -1)
            rows, row = named.get("xs", xs), self.slots.slot("row", call.place)
            if rows >= 0:
                self.reach.containers.stacked(rows, row, -1)
            return [[named.get("init", init), self.slots.slot("carry", call.place)], [row]]
        if name.endswith("associative_scan"):
            elements = named.get("elems", positional[at + 1] if at + 1 < len(positional) else -1)
            return [[elements, call.result]] * 2
        if name.endswith("fori_loop"):
            return [[], [named.get("init_val", positional[-1] if positional else -1)]]
        if name.endswith("while_loop"):
            return [[named.get("init_val", positional[-1] if positional else -1)]]
        if name == "functools.reduce":
            each = self.mapped(name, positional[1], call) if len(positional) > 1 else -1
            start = positional[2] if len(positional) > 2 else -1
            for other in (each, start):  # what one call gives is given to the next
                if other >= 0:
                    self.slots.lead(other, call.result)
            return [[each, call.result], [each]]
        if name in BRANCHING:
            first = FIRST_OPERAND[name]
            return [[other] for other in positional[first:]] + [[named.get("operand", -1)]]
        if name in MAPPING and at >= 0:
            first = at + 2 if name in TOLD_THE_RESULT else at + 1
            given: list[Given] = [[self.mapped(name, other, call)] for other in positional[first:]]
            return [[], *given] if name.endswith("_with_path") else given
        return []

    def mapped(self, name: str, slot: Slot, call: Call) -> Slot:
        """Return what a map hands to its function: the elements or leaves of an argument, or the argument itself."""
        if name not in ELEMENTWISE and name not in LEAFWISE:
            return slot
        each = self.slots.slot("each", call.place, slot)
        if each not in self._mapped:
            self._mapped.add(each)
            if name in ELEMENTWISE:
                self.reach.iterate(slot, each)
            else:
                self.reach.containers.pour(slot, each, 0)
        return each

    def hand(self, decorator: Value, decorated: Value, result: Slot, place: Place) -> None:
        """Call a decorator, as it is written at a place, with what it decorates."""
        if isinstance(decorator, Library | Made):
            if maps(self.counterpart(self.reach.canonical(decorator.qualified))):
                self.blur_one(decorated)
        elif isinstance(decorator, CALLABLE) and not isinstance(decorator, Constructor) and not self.is_crowded(place):
            slot = self.slots.slot("decorated", decorated)
            self.slots.put(slot, decorated)
            self.feed(decorator, [[slot]], result)

    def feed(self, value: Value, given: Sequence[Given], result: Slot) -> None:
        """Call a value with slots for its parameters."""
        if isinstance(value, Constructor):
            self.slots.put(result, Key(value.mention))
        if isinstance(value, Object | Class):
            name = "__call__" if isinstance(value, Object) else "__init__"

            def fill(method: Value) -> None:
                if isinstance(method, Member):
                    self.fill(method.code, 1, given, result)

            self.slots.watch(self.reach.classes.member(value.code, name), fill)
        if isinstance(value, Function | BoundMethod):
            self.fill(value.code, int(isinstance(value, BoundMethod)), given, result)
        if isinstance(value, Partial):
            self.fill(value.code, value.given, given, result)

    def fill(self, code: ir.FunctionCode, offset: int, given: Sequence[Given], result: Slot) -> None:
        """Hand slots to the parameters of a function."""
        names = list(code.parameters[offset : code.positional])
        for index, slots in enumerate(given):
            if index < len(names):
                target = self.reach.variable(code, names[index])
            elif code.vararg is not None:
                target = self.further(code)
            else:
                continue
            for slot in slots:
                if slot >= 0:
                    self.slots.lead(slot, target)
        self.slots.lead(self.reach.result(code), result)
