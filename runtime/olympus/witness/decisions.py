"""The decisions of an execution on unknown conditions, which must be able to hold together in one run."""

from __future__ import annotations

import enum
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet, WeakValueDictionary

from olympus.predicates import Applied, Consistency, Constant, Literal, Predicate, Shifted, Symbol, consistency

PLAIN = (str, int, float, complex, bool, bytes, type(None))
MIRRORED = {"__gt__": "__lt__", "__le__": "__ge__"}  # `a > b` is `b < a`
SUMS = {"__add__": 1, "__radd__": 1, "__sub__": -1}
GROUPS = frozenset({"in", "isinstance"})  # whose right side is a tuple
POSSIBLE = Consistency.POSSIBLE


class Same:
    """Any object, compared by identity; it is kept alive, so that its address is not reused."""

    __slots__ = ("thing",)
    __match_args__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __repr__(self) -> str:
        return "..."


@dataclass(frozen=True, eq=False, slots=True)
class Subject:
    """A value that is known only by the decisions on it."""

    path: str


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Derived:
    """The result of an operation on some operands; interned, as results are compared very often."""

    operation: str
    operands: tuple[Hashable, ...]


def derived(operation: str, operands: tuple[Hashable, ...]) -> Hashable:
    """Return the expression of the result of an operation."""
    if operation in ("len", "type"):
        return Applied(operation, operands[0])
    if operation == "__mod__" and isinstance(operands[1], Constant) and type(operands[1].value) is int:
        return Applied("%", operands[0], (operands[1].value,))
    if operation in SUMS and isinstance(operands[1], Constant) and type(operands[1].value) is int:
        return Shifted(operands[0], SUMS[operation] * operands[1].value)
    return joined(operation, operands)


def joined(operation: str, operands: tuple[Hashable, ...]) -> Derived:
    """Return the expression of an operation: the same one for the same operands."""
    kinds = tuple(type(each.value) if isinstance(each, Constant) else None for each in operands)  # 1 is not True
    return KNOWN.setdefault((operation, kinds, operands), Derived(operation, operands))


CLOSED: WeakSet[type] = WeakSet()  # classes of the user whose bases are all known
MEMBERS: dict[str, tuple[str, ...]] = {}  # the members of the enumeration of each member
KNOWN: WeakValueDictionary[Hashable, Derived] = WeakValueDictionary()


def constant(value: Any) -> Hashable:
    """Return the expression of a known value: a constant if it is compared by value."""
    if isinstance(value, enum.Enum):
        members = tuple(f"{type(value).__module__}.{type(value).__qualname__}.{each.name}" for each in type(value))
        MEMBERS.update(dict.fromkeys(members, members))
        return Symbol(f"{type(value).__module__}.{type(value).__qualname__}.{value.name}")
    if isinstance(value, type):
        return Symbol(f"{value.__module__}.{value.__qualname__}", bases_of(value))
    if isinstance(value, PLAIN):
        return Constant(value)
    if isinstance(value, tuple | frozenset):
        parts = tuple(map(constant, value))
        if all(isinstance(part, Constant) for part in parts):
            return Constant(value)
        return joined("tuple", parts) if isinstance(value, tuple) else Same(value)
    return Same(value)


def bases_of(kind: type) -> frozenset[str]:
    """Return the names of the base classes; none if a base is unknown."""
    if hasattr(kind, "_olympus_world") and kind not in CLOSED:
        return frozenset()
    return frozenset(f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__[1:])


def literal(expression: Hashable, holds: bool) -> Literal:
    """Return a condition as a predicate of the decision procedure, and whether the predicate holds."""
    if not isinstance(expression, Derived) or len(expression.operands) != 2:
        return Predicate("truth", expression), holds
    operation, (left, right) = expression.operation, expression.operands
    if operation in MIRRORED:
        operation, left, right = MIRRORED[operation], right, left
    if operation in ("__eq__", "__ne__", "is"):
        left, right = (left, right) if isinstance(right, Constant | Symbol) else (right, left)
        if isinstance(left, Symbol):  # a setting of a library, say, which has one value
            left = joined("value", (left,))
    match operation:
        case "__eq__" | "__ne__":
            return Predicate("eq", left, right), holds == (operation == "__eq__")
        case "__lt__" | "__ge__":
            return Predicate("lt", left, right), holds == (operation == "__lt__")
        case "in" | "isinstance" if isinstance(right, tuple):
            return Predicate(operation, left, right), holds
        case "has":
            return Predicate("contains", left, right), holds
        case "is":
            return Predicate("is", left, right), holds
    return Predicate("truth", expression), holds


class Decisions:
    """The decisions of one execution.

    Attributes:
        about: the decided conditions by their subjects.
        known: whether each of them holds.
        forced: conditions, as a reader would write them, that earlier decisions imply.
        doubtful: such a condition, if that depends on whether two names mean one thing.
    """

    def __init__(self) -> None:
        self.about: dict[Hashable, list[Literal]] = {}
        self.known: dict[Predicate, bool] = {}
        self.forced: list[str] = []
        self.doubtful: str | None = None

    def told(self, expression: Hashable, path: str = "") -> bool | None:
        """Return whether earlier decisions imply a condition or its opposite; ``None`` if neither."""
        test, sign = literal(expression, True)
        if test in self.known:
            return self.known[test] == sign
        before = self.before(test)
        for_it, against = consistency((*before, (test, sign))), consistency((*before, (test, not sign)))
        if for_it == against:
            return None
        if Consistency.DOUBTFUL in (for_it, against):
            self.doubtful = path
        return for_it > against

    def before(self, test: Predicate) -> tuple[Literal, ...]:
        """Return the decisions on the subjects of a condition, and on what these are compared with."""
        found: dict[Literal, None] = {}
        waiting, seen = list(spoken_of(test)), set(spoken_of(test))
        while waiting:
            for each in self.about.get(waiting.pop(), ()):
                found[each] = None
                new = [other for other in spoken_of(each[0]) if other not in seen]
                seen.update(new)
                waiting += new
        return tuple(found)

    def note(self, expression: Hashable, holds: bool) -> None:
        """Note a decision."""
        test, sign = literal(expression, holds)
        if test not in self.known:
            self.known[test] = sign
            for each in spoken_of(test):
                self.about.setdefault(each, []).append((test, sign))

    def allows(self, expression: Hashable, holds: bool) -> bool:
        """Note a decision if the earlier ones allow it; return whether they do."""
        allowed = self.told(expression) in (None, holds)
        if allowed:
            self.note(expression, holds)
        return allowed


def spoken_of(test: Predicate) -> dict[Hashable, None]:
    """Return the subjects of a condition."""
    found: dict[Hashable, None] = {}
    for each in (test.left, test.right):
        while isinstance(each, Applied | Shifted):
            each = each.subject
        if each is not None and not isinstance(each, Constant | Symbol | tuple):
            found[each] = None
    return found
