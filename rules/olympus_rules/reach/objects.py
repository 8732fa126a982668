"""How keys get into the attributes of an object, and the object to where one is read: parts of paths.

The graph has one slot for an attribute of all objects of a class. A path follows the object instead: from where the
attribute is read back to where the object was made or the attribute was written, in the callers and methods on the way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Literal, NamedTuple, TypeAlias

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.reach.classes import TEXT
from olympus_rules.reach.graph import Graph
from olympus_rules.reach.library_calls import CHANGING
from olympus_rules.reach.sites import Call
from olympus_rules.reach.slots import Slot
from olympus_rules.reach.values import BoundMethod, Class, Made, Member, Object, Place, Super, Unknown

__all__ = ["ANYTHING", "MOST_CALLS", "UNCALLED", "Edge", "Objects", "State", "Wanted"]

MOST_CALLS = 3
"""How many calls around a place are told apart."""
MOST_CALLEES = 16
"""The limit of callees of a call through which objects are followed."""
UNCALLED = -1
"""In place of the tag of a call: a step into a method that no call of the project is known to call."""
PROPERTIES = frozenset({"property", "cached_property"})
METHODS = PROPERTIES | {"method"}
WRITING = frozenset({"ascii", "format", "print", "repr", "str"})
"""Functions of Python that make text of an object."""
WRITTEN = frozenset({"written field", "field"})


class Wanted(NamedTuple):
    """What is wanted of the object of a method, for a path through it.

    Attributes:
        name: an attribute of it.
        functions: the mask of the values of which that has to hold one.
    """

    name: str = ""
    functions: int = 0


ANYTHING = Wanted()


class State(NamedTuple):
    """A value on its way to a place.

    Attributes:
        slot: where it is.
        calls: the calls in which the functions around it have to be entered, the inner one last; those before are any.
        parts: the slot of the part, for each of the containers and objects that the value is, in which the key is.
        wanted: what is wanted of the object of the method around it, or of the one whose attribute it is.
    """

    slot: Slot
    calls: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()
    wanted: Wanted = ANYTHING


Edge: TypeAlias = tuple[Slot, int, int]
"""The source of an edge, what it carries, and its tag."""
Choice: TypeAlias = Literal["sure", "one of several", "of a subclass", "unknown"]
Field: TypeAlias = tuple[ClassCode, str]
"""An attribute of the objects of a class and of related ones."""


class Objects:
    """The objects of a solved graph: where they are made, and where their attributes are written.

    Attributes:
        writes: the attributes that are written by way of each slot, with what is written.
    """

    def __init__(
        self,
        graph: Graph,
        names: Sequence[tuple[Hashable, ...]],
        incoming: Mapping[Slot, Collection[Edge]],
        functions: Mapping[Place, object],
    ) -> None:
        """Index calls and writes.

        Args:
            graph: the graph.
            names: the name of each slot.
            incoming: the edges that lead to each slot.
            functions: the function around each call.
        """
        self._slots = graph.heap.slots
        self._names = names
        self._family = graph.heap.classes.family
        self._incoming = incoming
        self._functions = functions
        self._results = {call.result: call for call in graph.calls.all}
        self._made = self._objects_by_family()
        self._sources: dict[Field, dict[Slot, None]] = defaultdict(dict)
        for slot, name in enumerate(self._names):
            if name[0] == "written field" and isinstance(name[2], str):
                self._sources[self.field(slot)].update(dict.fromkeys(source for source, *_ in incoming.get(slot, ())))
        self.writes: dict[Slot, list[tuple[str, Slot]]] = defaultdict(list)
        for owner, attribute, source in graph.attributes.writes:
            for variable in self.variables(owner):
                self.writes[variable].append((attribute, source))
        self._own_writes: set[tuple[str, Slot]] = set()
        self._callers: dict[FunctionCode, list[Call]] = defaultdict(list)
        self._uses: dict[Slot, list[tuple[Call, FunctionCode]]] = defaultdict(list)
        self._makers: dict[Slot, list[FunctionCode]] = {}
        self._choices: dict[tuple[Slot | None, FunctionCode], Choice] = {}
        self._results_of: dict[ClassCode, list[Slot]] = defaultdict(list)
        self._sites: dict[ClassCode, set[Place]] = defaultdict(set)
        self._implicit: dict[FunctionCode, dict[Slot, None]] = defaultdict(dict)
        for call in graph.calls.all:
            self._read(call)
        for owner, code in called_by_python(graph):
            self._implicit[code].update(dict.fromkeys(self.variables(owner)))
        self._writing: dict[str, frozenset[FunctionCode]] = {}

    def _objects_by_family(self) -> dict[ClassCode, int]:
        found: dict[ClassCode, int] = defaultdict(int)
        for value in self._slots.listed(self._slots.of_kinds(Object)):
            assert isinstance(value, Object)
            found[self._family(value.code)] |= self._slots.bit(value)
        return found

    def _read(self, call: Call) -> None:
        """Take a call of methods and classes."""
        callees = self._slots.mask(call.function) & self._slots.of_kinds(BoundMethod, Class, Object)
        if callees.bit_count() > MOST_CALLEES:
            callees &= self._slots.of_kinds(Class)
        made: list[FunctionCode] = []
        for value in self._slots.listed(callees):
            if isinstance(value, Class):
                self._results_of[value.code].append(call.result)
                self._sites[self._family(value.code)].add(call.place)
                made += self._methods(value.code, "__init__")
            codes = [value.code] if isinstance(value, BoundMethod) else []
            codes += self._methods(value.code, "__call__") if isinstance(value, Object) else []
            for code in codes:
                self._callers[code].append(call)
                owner = self.owner_of(call)
                for variable in () if owner is None else self.variables(owner):
                    self._uses[variable].append((call, code))
        if made:
            self._makers[call.result] = made

    def _methods(self, code: ClassCode, name: str) -> list[FunctionCode]:
        slot = self._slots.numbers.get(("own member", code, name))
        members = [] if slot is None else self._slots.values(slot)
        return [member.code for member in members if isinstance(member, Member)]

    def owner_of(self, call: Call) -> Slot | None:
        """Return the slot of the object of a method call; that of ``super()`` is the one of the method around it."""
        if call.owner is None:
            return call.function if self._slots.mask(call.function) & self._slots.of_kinds(Object) else None
        if not self._slots.mask(call.owner) & self._slots.of_kinds(Super):
            return call.owner
        around = self._functions.get(call.place)
        return self.self_of(around) if isinstance(around, FunctionCode) else None

    def self_of(self, code: FunctionCode) -> Slot | None:
        """Return the slot of the object of a method; ``None`` for a function that is none."""
        is_method = code.owner is not None and code.parameters and code.kind in METHODS
        return self._slots.numbers.get((code, code.parameters[0])) if is_method else None

    def variables(self, register: Slot) -> list[Slot]:
        """Return the variables that a register is read from, and the register."""
        read = [source for source, _, tag in self._incoming.get(register, ()) if tag == 0]
        return [register, *(source for source in read if isinstance(self._names[source][0], FunctionCode))]

    def field(self, slot: Slot) -> Field:
        """Return the attribute that a slot is of."""
        _, code, name = self._names[slot]
        assert isinstance(code, ClassCode)
        return self._family(code), str(name)

    def is_field(self, slot: Slot) -> bool:
        """Say whether a slot is of an attribute of the objects of a class."""
        name = self._names[slot] if slot < len(self._names) else ("new",)
        return name[0] in WRITTEN and name[2] is not None

    def holder(self, state: State) -> str:
        """Return what the key of a state is in, ``object`` or ``container``; empty for a key itself."""
        if not state.parts:
            return ""
        return "object" if self.is_field(state.parts[-1]) and state.parts[-1] >= 0 else "container"

    def with_field(self, slot: Slot) -> int:
        """Return the mask of the objects that may have an attribute."""
        return self._made.get(self.field(slot)[0], 0)

    def is_own(self, slot: Slot, class_: object, owner: Callable[[Slot], object]) -> bool:
        """Say whether a method of a class, or of a related one, has a value that is written to an attribute."""
        around = owner(slot)
        code = around.owner if isinstance(around, FunctionCode) else None
        return code is not None and isinstance(class_, ClassCode) and self._family(code) is self._family(class_)

    def is_single(self, code: ClassCode) -> bool:
        """Say whether all objects of a class and of related ones are made by one call."""
        return len(self._sites.get(self._family(code), ())) <= 1

    def choice(self, call: Call, code: FunctionCode, around: Call | None) -> Choice:
        """Say whether a method call calls a function, by the classes of which its objects are made.

        Args:
            call: the call.
            code: the function.
            around: the call of the function around it, if that is known.
        """
        owner = self.owner_of(call)
        method = self._functions.get(call.place)
        own = self.self_of(method) if isinstance(method, FunctionCode) else None
        if owner is not None and own in self.variables(owner):
            owner = self.owner_of(around) if around is not None else None
            if owner is None or self._is_self(owner):
                return "unknown"
        if (owner, code) not in self._choices:
            self._choices[owner, code] = self._choice(owner, code)
        return self._choices[owner, code]

    def _choice(self, owner: Slot | None, code: FunctionCode) -> Choice:
        """Say whether a method is that of the objects of a slot."""
        values = self._slots.mask(owner) if owner is not None else 0
        objects = [each.code for each in self._slots.listed(values) if isinstance(each, Object)]
        if not objects or values & self._slots.of_kinds(Class, Made, Super, Unknown):
            return "unknown"
        found = [self._methods(each, code.name.rpartition(".")[2]) for each in objects]
        if not all(found):
            return "unknown"
        hits = [code in methods for methods in found]
        return "sure" if all(hits) else "one of several" if any(hits) else "of a subclass"

    def _is_self(self, register: Slot) -> bool:
        """Return whether a register has the object of the method around it, which may be of any subclass."""
        code = self._names[register][0]
        return isinstance(code, FunctionCode) and self.self_of(code) in self.variables(register)

    def is_made_once(self, slot: Slot) -> bool:
        """Say whether all objects with an attribute are made by one call."""
        return self.is_single(self.field(slot)[0])

    def with_keys(self, keys: int) -> int:
        """Return the mask of the objects of which an attribute holds one of some values."""
        families = {
            family
            for (family, _), sources in self._sources.items()
            if any(self._slots.mask(source) & keys for source in sources)
        }
        return reduce(or_, (self._made.get(family, 0) for family in families), 0)

    def before(
        self, state: State, through: Callable[[tuple[int, ...], int], tuple[int, ...] | None]
    ) -> Iterator[tuple[State, int]]:
        """Return the states before one of an object in an attribute of which the key is, each with the tag of a call.

        Args:
            state: the state.
            through: returns the calls around the call of a callee, ``None`` if they do not match.
        """
        *outer, part = state.parts
        family, name = self.field(part)
        for written, source in self.writes.get(state.slot, ()):
            if written == name:
                yield State(source, state.calls, tuple(outer)), 0
        for call, code in self._uses.get(state.slot, ()):
            owner = self.self_of(code)
            if owner is not None and code in self._writers(name):
                yield State(owner, (*state.calls, call.result + 1)[-MOST_CALLS:], state.parts), call.result + 1
        made = self._results.get(state.slot)
        if made is not None:
            yield from self._before_made(made, state, (family, name))
        around = self._names[state.slot][0]
        if isinstance(around, FunctionCode) and self.self_of(around) == state.slot:
            for call in self._callers.get(around, ()):
                calls, owner = through(state.calls, call.result + 1), self.owner_of(call)
                if calls is not None and owner is not None:
                    yield State(owner, calls, state.parts), call.result + 1
            entered = state.calls[-1] - 1 if state.calls else None
            if entered is not None and around in self._makers.get(entered, ()):
                yield State(entered, state.calls[:-1], state.parts), 0  # it was made for this object
                return
            for slot in self._implicit.get(around, ()):
                yield State(slot, (), state.parts), 0
            for result in () if around in self._callers else self._with_method(around):
                yield State(result, (), state.parts), UNCALLED

    def _with_method(self, code: FunctionCode) -> Iterator[Slot]:
        """Return where the objects are made that have a method, as one that no call of the project names."""
        name = code.name.rpartition(".")[2]
        for class_, results in self._results_of.items():
            if class_ is code.owner or code in self._methods(class_, name):
                yield from results

    def _before_made(self, call: Call, state: State, field: Field) -> Iterator[tuple[State, int]]:
        """Return the states before the result of a call that makes objects or copies one."""
        *outer, _ = state.parts
        sources = self._sources.get(field, {})
        for source in dict.fromkeys(call.given):
            if source in sources:
                yield State(source, state.calls, tuple(outer)), 0
        for code in self._makers.get(call.result, ()):
            owner = self.self_of(code)
            if owner is not None:
                yield State(owner, (*state.calls, call.result + 1)[-MOST_CALLS:], state.parts), call.result + 1
        is_copy = call.callee.rpartition(".")[2] in CHANGING and field[1] not in dict(call.keywords)
        if call.owner is not None and is_copy:
            yield State(call.owner, state.calls, state.parts), 0

    def _writers(self, name: str) -> frozenset[FunctionCode]:
        """Return the methods that write an attribute of their object, or call such a method of it."""
        if name not in self._writing:
            owners = {self.self_of(code): code for code in self._callers} | {
                self.self_of(code): code for codes in self._makers.values() for code in codes
            }
            found = {owners[slot] for slot, writes in self.writes.items() if slot in owners and name in dict(writes)}
            before = -1
            while before != len(found):
                before = len(found)
                for slot, uses in self._uses.items():
                    if slot in owners and any(code in found for _, code in uses):
                        found.add(owners[slot])
            self._writing[name] = frozenset(found)
        return self._writing[name]

    def is_written_by_method(self, name: str, source: Slot) -> bool:
        """Say whether a method writes a value to an attribute of its own object."""
        if not self._own_writes:
            for slot, writes in self.writes.items():
                code = self._names[slot][0]
                if isinstance(code, FunctionCode) and self.self_of(code) == slot:
                    self._own_writes.update(writes)
        return (name, source) in self._own_writes

    def uncalled(self, source: Slot, target: Slot) -> str:
        """Return the method that takes an object, if no call of the project is known to call it; else nothing.

        Python calls properties and special methods without a call that is written; some of these are known.

        Args:
            source: where the object is made.
            target: where it is taken.
        """
        code = self._names[target][0]
        if not isinstance(code, FunctionCode) or self.self_of(code) != target:
            return ""
        if code in self._callers or source in self._implicit.get(code, ()):
            return ""
        is_made = source in self._results and code not in self._makers.get(source, ())
        return code.name if is_made else ""

    def call_between(self, source: Slot, target: Slot) -> Call | None:
        """Return the call by which an object gets from one slot to another, into a method or out of it."""
        for inner, outer in ((source, target), (target, source)):
            code = self._names[inner][0]
            if isinstance(code, FunctionCode) and self.self_of(code) == inner:
                for call in self._callers.get(code, ()):
                    if outer in (self.owner_of(call), *self.variables(self.owner_of(call) or outer)):
                        return call
        return None


def called_by_python(graph: Graph) -> Iterator[tuple[Slot, FunctionCode]]:
    """Yield the properties that are read of objects, and the methods that make text of one, each with its object."""
    classes, slots = graph.heap.classes, graph.heap.slots
    reads: list[tuple[Slot, Collection[str]]] = [
        (owner, [name]) for owner, name, _ in graph.attributes.reads if name in classes.methods
    ]
    reads += [(given, TEXT) for call in graph.calls.all if call.callee in WRITING for given in call.given]
    for owner, names in reads:
        objects = slots.mask(owner) & slots.of_kinds(Object)
        few = slots.listed(objects) if objects.bit_count() <= MOST_CALLEES else ()
        families = {classes.family(value.code) for value in few if isinstance(value, Object)}
        for code in (code for name in names for code in classes.methods.get(name, ())) if families else ():
            is_called = code.kind in PROPERTIES or names is TEXT
            if is_called and code.owner is not None and classes.family(code.owner) in families:
                yield owner, code
