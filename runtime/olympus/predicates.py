"""Whether conditions of a program can hold together.

A small decision procedure over predicates of Python values: identity, equality, membership, order, type and truth. The
key flow asks it about the decisions on a path, the witness about those of an execution.

An expression is a `Constant`, a `Symbol`, a `Counter`, an `Applied` function, a `Shifted` expression, or any other
hashable value, which stands for one unknown thing. Values are taken to behave as those of Python and JAX do: equal
values are not also unequal, an empty container is false, nothing is smaller than itself, and NaN is not compared.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import chain
from operator import contains, eq, lt
from types import NoneType
from typing import Any, TypeAlias

Expression: TypeAlias = Hashable


class Consistency(IntEnum):
    """Whether conditions can hold together; ``DOUBTFUL`` if that depends on whether two names stand for one thing."""

    IMPOSSIBLE = 0
    DOUBTFUL = 1
    POSSIBLE = 2


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal of Python: a number, a string, ``None`` …"""

    value: Hashable


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that always stands for one value: a class, a member of an enumeration, a dtype.

    Attributes:
        name: the qualified name.
        bases: the names of the classes that a class inherits, as far as they are known.
        members: the names of all members of the enumeration that a member belongs to, as far as they are known.
    """

    name: str
    bases: frozenset[str] = field(default=frozenset(), compare=False)
    members: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class Counter:
    """The counter of a loop in one of its iterations; of two iterations, the later one has the larger number."""

    number: int


@dataclass(frozen=True, slots=True)
class Applied:
    """A pure function of an expression: ``len``, ``type``, ``%``, or a method of text (``.isdigit``).

    Attributes:
        function: its name, with a dot before that of a method.
        subject: its operand.
        arguments: the other arguments, constants of Python.
    """

    function: str
    subject: Expression
    arguments: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Shifted:
    """A number and a constant added to it."""

    subject: Expression
    offset: float


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition.

    Attributes:
        operation: ``is``, ``eq``, ``lt``, ``in``, ``contains``, ``isinstance`` or ``truth``.
        left: its subject.
        right: the other operand; a tuple of constants and symbols for ``in`` and ``isinstance``.
    """

    operation: str
    left: Expression
    right: Expression = None


Literal: TypeAlias = tuple[Predicate, bool]

ZERO = Constant(0)
SOLID = (
    int, float, complex, bool, str, bytes, bytearray, list, tuple, dict, set, frozenset, range, slice, NoneType,
)  # fmt: skip
NUMBERS = (int, float, complex, bool)
ARRAYS = {
    "jax.Array": "jax", "jax.numpy.ndarray": "jax", "jax.core.Tracer": "jax",
    "numpy.ndarray": "numpy", "torch.Tensor": "torch",
}  # fmt: skip
ABSTRACT = ("collections.abc.", "typing.", "numbers.", "builtins.object")
FEW = 16
BOOL = Symbol("builtins.bool")
DTYPES = ("jax.numpy", "numpy", "jax.dtypes", "ml_dtypes")


_known: dict[Hashable, Consistency] = {}
"""The answers, by the form of the conditions."""
MOST_KNOWN = 1_000


def consistency(literals: Iterable[Literal]) -> Consistency:
    """Return whether conditions can hold together; those of one form have one answer, whatever they are about.

    Args:
        literals: tests, each with whether it holds.
    """
    literals, numbers = list(literals), dict[Expression, int]()
    form = tuple(
        [(test.operation, _form(test.left, numbers), _form(test.right, numbers), holds) for test, holds in literals]
    )
    found = _known.get(form)
    if found is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        found = _known[form] = _Model(literals).consistency()
    return found


def _form(expression: Expression, numbers: dict[Expression, int]) -> Hashable:
    """Return an expression with its unknown things numbered; 1, 1.0 and True are equal to Python, but not the same."""
    class_ = expression.__class__
    if isinstance(expression, Constant):
        return class_, expression.value.__class__, expression.value
    if isinstance(expression, Symbol):
        return class_, expression.name, expression.bases, expression.members
    if isinstance(expression, Applied):
        return class_, expression.function, _form(expression.subject, numbers), expression.arguments
    if isinstance(expression, Shifted):
        return class_, _form(expression.subject, numbers), expression.offset
    if isinstance(expression, tuple):
        return tuple([_form(part, numbers) for part in expression])
    if expression is None or isinstance(expression, Counter):
        return expression
    return numbers.setdefault(expression, len(numbers))


@dataclass(slots=True)
class _Domain:
    """The conditions on one expression."""

    choices: list[tuple[Expression, ...]] = field(default_factory=list)
    excluded: list[Expression] = field(default_factory=list)
    types: list[tuple[Expression, ...]] = field(default_factory=list)
    other_types: list[tuple[Expression, ...]] = field(default_factory=list)
    truth: list[bool] = field(default_factory=list)
    literals: list[tuple[Expression, Predicate, bool]] = field(default_factory=list)


class _Model:
    """The expressions of some conditions, each with the conditions on it."""

    def __init__(self, literals: list[Literal]) -> None:
        self._same: dict[Expression, Expression] = {}
        self._domains: dict[Expression, _Domain] = {}
        self._unequal: list[tuple[Expression, Expression]] = []
        self._worst = Consistency.POSSIBLE
        for test, holds in literals:
            if holds and test.operation in ("is", "eq") and not (_is_reckoned(test.left) or _is_reckoned(test.right)):
                self._same[self._find(test.left)] = self._find(test.right)
        self._order = _Order({self._find(part) for part in _wholes(literals)})
        for test, holds in literals:
            self._note(test, holds)

    def _find(self, expression: Expression) -> Expression:
        while expression in self._same and self._same[expression] != expression:
            expression = self._same[expression]
        return expression

    def _domain(self, expression: Expression) -> _Domain:
        subject = self._find(expression)
        if subject not in self._domains:
            self._domains[subject] = _Domain([(subject,)] if _is_fixed(subject) else [])
        return self._domains[subject]

    def _note(self, test: Predicate, holds: bool) -> None:
        left, right = test.left, test.right
        for part in _layers(left):
            self._domain(part).literals.append((part, test, holds))
        if test.operation == "contains":
            if holds:
                self._domain(left).truth.append(True)
        elif test.operation == "truth":
            self._domain(left).truth.append(holds)
        elif test.operation == "isinstance" and isinstance(right, tuple):
            (self._domain(left).types if holds else self._domain(left).other_types).append(right)
        elif test.operation == "in" and isinstance(right, tuple):
            self._member(left, right, holds)
        elif test.operation == "lt":
            self._less(left, right, holds)
        elif test.operation in ("is", "eq"):
            known = holds or test.operation == "eq" or (not _is_copied(left) and not _is_copied(right))
            if known:
                self._equal(left, right, holds)

    def _member(self, left: Expression, right: tuple[Expression, ...], holds: bool) -> None:
        if all(_is_fixed(part) for part in right):
            if holds:
                self._domain(left).choices.append(right)
            else:
                self._domain(left).excluded += right

    def _less(self, left: Expression, right: Expression, holds: bool) -> None:
        a, b = self._number(left), self._number(right)
        if a is not None and b is not None:
            if holds:
                self._order.below(a, b, strict=True)
            else:
                self._order.below(b, a, strict=False)

    def _equal(self, left: Expression, right: Expression, holds: bool) -> None:
        if _is_fixed(left):
            left, right = right, left
        if _is_fixed(right):
            self._member(left, (right,), holds)
        a, b = self._number(left), self._number(right)
        if a is None or b is None or not _is_ordered(right):
            if not holds and self._find(left) == self._find(right):
                self._worst = Consistency.IMPOSSIBLE
        elif holds:
            self._order.below(a, b, strict=False)
            self._order.below(b, a, strict=False)
        else:
            self._unequal.append((left, right))

    def _number(self, expression: Expression) -> tuple[Expression, float] | None:
        """Return an expression as a base and an offset, ``None`` for a constant that is no number."""
        offset: float = 0
        if isinstance(expression, Shifted):
            offset = expression.offset
            expression = expression.subject
        if isinstance(expression, Constant):
            value = expression.value
            return (ZERO, offset + value) if isinstance(value, int | float) else None
        return None if isinstance(expression, Symbol) else (self._find(expression), offset)

    def consistency(self) -> Consistency:
        self._relate_truth()
        if self._worst == Consistency.IMPOSSIBLE or not self._order.settle():
            return Consistency.IMPOSSIBLE
        for left, right in self._unequal:
            a, b = self._number(left), self._number(right)
            if a is not None and b is not None and self._order.equal(a, b):
                return Consistency.IMPOSSIBLE
        found = [self._worst, *(self._settled(expression, domain) for expression, domain in self._domains.items())]
        return min(found)

    def _relate_truth(self) -> None:
        """Derive the bounds of numbers and lengths from the truth of values."""
        lengths = [part for part in [*self._domains, *self._order.nodes] if _is_length(part)]
        for length in lengths:
            assert isinstance(length, Applied)
            self._order.below((ZERO, 0), (length, 0), strict=False)
            for holds in self._domains.get(self._find(length.subject), _Domain()).truth:
                self._domain(length).truth.append(holds)
        for expression, domain in self._domains.items():
            if domain.truth and (self._order.is_number(expression) or _is_whole(expression)):
                if not all(domain.truth):
                    self._order.below((expression, 0), (ZERO, 0), strict=False)
                    self._order.below((ZERO, 0), (expression, 0), strict=False)
                if any(domain.truth):
                    self._unequal.append((expression, ZERO))

    def _settled(self, expression: Expression, domain: _Domain) -> Consistency:
        if len(set(domain.truth)) > 1:
            return Consistency.IMPOSSIBLE
        choices = domain.choices[0] if domain.choices else self._few(expression)
        found = Consistency.POSSIBLE
        if choices is not None:
            able = [self._able(candidate, expression, domain) for candidate in choices]
            found = max(able, default=Consistency.IMPOSSIBLE)
        elif self._is_without_its_zero(expression, domain) or _is_no_member(domain) or _is_false_object(domain):
            found = Consistency.DOUBTFUL
        return min(found, _types_meet(domain.types, domain.other_types), self._exact_type(expression))

    def _is_without_its_zero(self, expression: Expression, domain: _Domain) -> bool:
        """Return whether a value is false without being the usual false value of its type."""
        length = self._order.interval(Applied("len", expression))
        return (False in domain.truth and ZERO in domain.excluded) or (
            (False in domain.truth or (length is not None and length[1] == 0))
            and any(isinstance(part, Constant) and part.value in ("", ()) for part in domain.excluded)
        )

    def _few(self, expression: Expression) -> tuple[Expression, ...] | None:
        """Return the possible integers of an expression, if they are few."""
        bounds = self._order.interval(expression)
        if bounds is not None and bounds[0] == bounds[1]:
            return (Constant(bounds[0]),)
        if bounds is None or not _is_whole(expression) or bounds[1] - bounds[0] >= FEW:
            return None
        return tuple(Constant(number) for number in range(int(bounds[0]), int(bounds[1]) + 1))

    def _able(self, candidate: Expression, expression: Expression, domain: _Domain) -> Consistency:
        """Return whether one of the possible values of an expression satisfies its conditions."""
        found = Consistency.POSSIBLE
        for others in domain.choices[1:]:
            found = min(found, max((_alike(candidate, other) for other in others), default=Consistency.IMPOSSIBLE))
        if any(candidate == other for other in domain.excluded):
            return Consistency.IMPOSSIBLE
        if isinstance(candidate, Constant):
            value = candidate.value
            if any(bool(value) != holds for holds in domain.truth):
                return Consistency.IMPOSSIBLE
            if not self._fits(value, expression) or any(_contradicts(value, *said) for said in domain.literals):
                return Consistency.IMPOSSIBLE
            found = min(found, _value_has_type(value, domain), self._has_exact_type(value, expression))
        return found

    def _fits(self, value: Hashable, expression: Expression) -> bool:
        """Return whether a value is consistent with the order and the length of an expression."""
        if isinstance(value, int | float):
            if not self._order.allows(expression, value):
                return False
        elif self._order.is_number(expression):
            return False
        length = Applied("len", expression)
        if length in self._order.nodes:
            return isinstance(value, str | bytes | tuple) and self._order.allows(length, len(value))
        return True

    def _has_exact_type(self, value: Hashable, expression: Expression) -> Consistency:
        """Return whether a value that equals a constant can have its required type."""
        exact = self._domains.get(self._find(Applied("type", expression)))
        own = _types_of(value)
        if exact is None or not exact.choices or len(own) > 1:
            return Consistency.POSSIBLE
        classes = [_class_of(part) for part in exact.choices[0]]
        return Consistency.POSSIBLE if own[0] in classes else Consistency.IMPOSSIBLE

    def _exact_type(self, expression: Expression) -> Consistency:
        """Return whether ``type(x) is T`` is consistent with ``isinstance(x, …)``."""
        exact = self._domains.get(self._find(Applied("type", expression)))
        domain = self._domains[expression]
        if exact is not None and (BOOL,) in domain.types and BOOL in exact.excluded:
            return Consistency.IMPOSSIBLE  # nothing inherits it
        if exact is None or not exact.choices:
            return Consistency.POSSIBLE
        able = [
            part
            for part in exact.choices[0]
            if part not in exact.excluded
            and all(any(_alike(part, other) for other in row) for row in exact.choices[1:])
        ]
        found = (_has_types(part, domain.types, domain.other_types) for part in able)
        return max(found, default=Consistency.IMPOSSIBLE)


class _Order:
    """Difference constraints: the least known bound of each difference, and whether it can be attained."""

    def __init__(self, wholes: set[Expression]) -> None:
        self._wholes = wholes
        self.nodes: dict[Expression, None] = {}
        self._bounds: dict[tuple[Expression, Expression], tuple[float, bool]] = {}

    def below(self, a: tuple[Expression, float], b: tuple[Expression, float], *, strict: bool) -> None:
        """Note ``a < b``, or ``a <= b``, of expressions with offsets."""
        bound = b[1] - a[1]
        if strict and self._is_whole(a[0]) and self._is_whole(b[0]) and bound == int(bound):
            bound, strict = bound - 1, False
        self.nodes.setdefault(a[0])
        self.nodes.setdefault(b[0])
        self._tighten(a[0], b[0], (bound, strict))

    def _is_whole(self, expression: Expression) -> bool:
        return _is_whole(expression) or expression in self._wholes

    def _tighten(self, a: Expression, b: Expression, bound: tuple[float, bool]) -> None:
        known = self._bounds.get((a, b))
        if known is None or (bound[0], not bound[1]) < (known[0], not known[1]):
            self._bounds[a, b] = bound

    def settle(self) -> bool:
        """Close the constraints; return whether they are satisfiable."""
        counters = [node for node in self.nodes if isinstance(node, Counter)]
        for one in counters:
            self.below((ZERO, one.number), (one, 0), strict=False)
            for other in counters:
                if one.number < other.number:
                    self.below((one, other.number - one.number), (other, 0), strict=False)
        for middle in self.nodes:
            for a in self.nodes:
                first = self._bounds.get((a, middle))
                if first is None:
                    continue
                for b in self.nodes:
                    second = self._bounds.get((middle, b))
                    if second is not None:
                        self._tighten(a, b, (first[0] + second[0], first[1] or second[1]))
        return not any(
            bound < 0 or (bound == 0 and strict) for (a, b), (bound, strict) in self._bounds.items() if a == b
        )

    def equal(self, a: tuple[Expression, float], b: tuple[Expression, float]) -> bool:
        """Return whether two expressions with offsets are certainly equal."""
        if a[0] == b[0]:
            return a[1] == b[1]
        upper, lower = self._bounds.get((a[0], b[0])), self._bounds.get((b[0], a[0]))
        difference = b[1] - a[1]
        return upper == (difference, False) and lower == (-difference, False)

    def is_number(self, expression: Expression) -> bool:
        """Return whether an expression is compared with a number, directly or through others."""
        return (expression, ZERO) in self._bounds or (ZERO, expression) in self._bounds

    def interval(self, expression: Expression) -> tuple[float, float] | None:
        """Return the bounds of an expression, ``None`` for a missing one."""
        upper, lower = self._bounds.get((expression, ZERO)), self._bounds.get((ZERO, expression))
        return None if upper is None or lower is None else (-lower[0], upper[0])

    def allows(self, expression: Expression, value: float) -> bool:
        """Return whether an expression can have a value."""
        upper, lower = self._bounds.get((expression, ZERO)), self._bounds.get((ZERO, expression))
        if upper is not None and (value > upper[0] or (value == upper[0] and upper[1])):
            return False
        return lower is None or not (-value > lower[0] or (-value == lower[0] and lower[1]))


def _is_false_object(domain: _Domain) -> bool:
    """Return whether an object of a class of the program is false, which only its class can make it."""
    return False in domain.truth and any(all(isinstance(part, Symbol) for part in each) for each in domain.types)


def _is_no_member(domain: _Domain) -> bool:
    """Return whether a value is compared with members of an enumeration and equals none of them."""
    excluded = {part.name for part in domain.excluded if isinstance(part, Symbol)}
    for part in domain.excluded:
        if isinstance(part, Symbol) and part.members:
            enumeration = part.name.rpartition(".")[0]
            if excluded >= {f"{enumeration}.{name}" for name in part.members}:
                return True
    return False


def _is_fixed(expression: Expression) -> bool:
    return isinstance(expression, Constant | Symbol)


def _wholes(literals: list[Literal]) -> Iterator[Expression]:
    """Return the expressions that are integers by their type, or as the end of a loop's counter."""
    for test, holds in literals:
        if test.operation == "lt" and isinstance(test.left, Counter):
            yield test.right
        elif test.operation == "isinstance" and holds and isinstance(test.right, tuple):
            yield from (test.left,) if all(_class_of(part) in (int, bool) for part in test.right) else ()


def _is_copied(expression: Expression) -> bool:
    """Return whether a different object may equal a constant."""
    return isinstance(expression, Constant) and expression.value is not None


def _is_reckoned(expression: Expression) -> bool:
    return _is_fixed(expression) or isinstance(expression, Shifted | Counter)


def _is_length(expression: Expression) -> bool:
    return isinstance(expression, Applied) and expression.function == "len"


def _is_whole(expression: Expression) -> bool:
    return expression == ZERO or isinstance(expression, Counter) or _is_length(expression)


def _is_ordered(right: Expression) -> bool:
    """Return whether an equality implies an order: with a constant, only if that is a number."""
    if isinstance(right, Constant):
        return type(right.value) in (int, float)
    return not isinstance(right, Symbol)


def _alike(a: Expression, b: Expression) -> Consistency:
    """Return whether two fixed expressions can be equal."""
    if isinstance(a, Constant) and isinstance(b, Constant):
        return Consistency.POSSIBLE if a.value == b.value else Consistency.IMPOSSIBLE
    if isinstance(a, Symbol) and isinstance(b, Symbol):
        return _one_name(a.name, b.name)
    other, constant = (b, a) if isinstance(a, Constant) else (a, b)
    assert isinstance(constant, Constant)
    if isinstance(other, Symbol) and isinstance(constant.value, str):
        module, _, name = other.name.rpartition(".")
        if module in DTYPES:
            return Consistency.POSSIBLE if name == constant.value else Consistency.IMPOSSIBLE
    return Consistency.IMPOSSIBLE if constant.value is None and other != constant else Consistency.DOUBTFUL


def _one_name(a: str, b: str) -> Consistency:
    if a == b:
        return Consistency.POSSIBLE
    (one, first), (other, second) = a.rsplit(".", 1) if "." in a else ("", a), b.rsplit(".", 1) if "." in b else ("", b)
    known = one == other or (one in DTYPES and other in DTYPES)
    return Consistency.IMPOSSIBLE if known and first != second else Consistency.DOUBTFUL


def _class_of(expression: Expression) -> type | None:
    """Return the class of Python that a symbol names, if its layout excludes other such classes."""
    name = expression.name if isinstance(expression, Symbol) else ""
    found = getattr(builtins, name.removeprefix("builtins."), None) if name.startswith("builtins.") else None
    return found if found in SOLID else NoneType if name == "types.NoneType" else None


def _types_meet(types: list[tuple[Expression, ...]], others: list[tuple[Expression, ...]]) -> Consistency:
    """Return whether one object can be an instance of a class of each of some tuples, and of none of the others."""
    if not types:
        return Consistency.POSSIBLE
    found = Consistency.POSSIBLE
    for wanted in types:
        allowed = [part for part in wanted if not any(_is_subclass(part, other) for row in others for other in row)]
        if not allowed:
            return Consistency.IMPOSSIBLE
        for row in types:
            found = min(found, max(_classes_meet(part, other) for part in allowed for other in row))
    return found


def _is_subclass(a: Expression, b: Expression) -> bool:
    one, other = _class_of(a), _class_of(b)
    if isinstance(a, Symbol) and isinstance(b, Symbol) and b.name in a.bases:
        return True
    return a == b or (one is not None and other is not None and issubclass(one, other))


def _is_known(class_: Expression) -> bool:
    """Return whether the bases of a class are known."""
    return _class_of(class_) is not None or (isinstance(class_, Symbol) and bool(class_.bases))


def _has_types(
    exact: Expression, types: list[tuple[Expression, ...]], others: list[tuple[Expression, ...]]
) -> Consistency:
    """Return whether objects of exactly one class are instances of some classes, and of none of others."""
    if any(_is_subclass(exact, other) for row in others for other in row):
        return Consistency.IMPOSSIBLE
    found = Consistency.POSSIBLE
    for wanted in types:
        if any(_is_subclass(exact, part) for part in wanted):
            continue
        known = _is_known(exact) and all(_is_known(part) for part in wanted)
        found = min(found, Consistency.IMPOSSIBLE if known else max(_classes_meet(exact, part) for part in wanted))
    return found


def _classes_meet(a: Expression, b: Expression) -> Consistency:
    """Return whether one object can be an instance of two classes."""
    one, other = _class_of(a), _class_of(b)
    if not (isinstance(a, Symbol) and isinstance(b, Symbol)) or _is_subclass(a, b) or _is_subclass(b, a):
        return Consistency.POSSIBLE
    if one is not None and other is not None:
        return Consistency.POSSIBLE if issubclass(one, other) or issubclass(other, one) else Consistency.IMPOSSIBLE
    arrays = ARRAYS.get(a.name), ARRAYS.get(b.name)
    if any(arrays) and all(array or class_ for array, class_ in zip(arrays, (one, other), strict=True)):
        return Consistency.POSSIBLE if arrays[0] == arrays[1] else Consistency.IMPOSSIBLE
    if any(part.name.startswith(ABSTRACT) for part in (a, b)):
        return Consistency.POSSIBLE
    return Consistency.DOUBTFUL


def _value_has_type(value: Hashable, domain: _Domain) -> Consistency:
    """Return whether a value that equals a constant can have the required types."""
    own = _types_of(value)
    for wanted in domain.types:
        if not any(_may_be(own, part) for part in wanted):
            return Consistency.IMPOSSIBLE
    for other in chain.from_iterable(domain.other_types):
        class_ = _class_of(other)
        if class_ is not None and len(own) == 1 and issubclass(own[0], class_):
            return Consistency.IMPOSSIBLE
    return Consistency.POSSIBLE


def _types_of(value: Hashable) -> tuple[type, ...]:
    """Return the types of values that equal a constant."""
    if isinstance(value, int | float | complex):
        return NUMBERS
    return (tuple, list) if isinstance(value, tuple) else (type(value),)


def _may_be(own: tuple[type, ...], wanted: Expression) -> bool:
    """Return whether an object of one of some types may be an instance of a class."""
    class_ = _class_of(wanted)
    if class_ is not None:
        return any(issubclass(part, class_) for part in own)
    return own != (NoneType,) or (isinstance(wanted, Symbol) and wanted.name.startswith(ABSTRACT))


def _layers(expression: Expression) -> Iterator[Expression]:
    """Return an expression and its operands."""
    while isinstance(expression, Applied | Shifted):
        yield expression
        expression = expression.subject
    yield expression


def _contradicts(value: Hashable, subject: Expression, test: Predicate, holds: bool) -> bool:
    """Return whether a condition on an expression of a subject has another truth value for a value of the subject."""
    try:
        found = _evaluated(value, subject, test)
    except (TypeError, AttributeError, ValueError, ZeroDivisionError):
        return True  # it raises
    return found is not None and bool(found) != holds


def _evaluated(value: Hashable, subject: Expression, test: Predicate) -> object:
    """Return the truth value of a condition for a value of its subject, ``None`` if that is unknown."""
    right = test.right
    of_type = isinstance(test.left, Applied) and test.left.function == "type"
    if test.operation in ("isinstance", "is") or of_type:
        return None
    if test.operation == "in" and isinstance(right, tuple):
        known = all(isinstance(part, Constant) for part in right)
        left = _computed(test.left, subject, value)
        return any(left == part.value for part in right if isinstance(part, Constant)) if known else None
    if test.operation != "truth" and not isinstance(right, Constant):
        return None
    computed: Any = _computed(test.left, subject, value)
    if test.operation == "truth":
        return bool(computed)
    assert isinstance(right, Constant)
    operations: dict[str, Callable[[Any, Any], Any]] = {"eq": eq, "lt": lt, "contains": contains}
    return operations[test.operation](computed, right.value)


def _computed(expression: Expression, subject: Expression, value: Any) -> Any:
    """Return the value of an expression that is computed from a subject with a value."""
    if expression == subject or not isinstance(expression, Applied | Shifted):
        return value
    inner = _computed(expression.subject, subject, value)
    if isinstance(expression, Shifted):
        return inner + expression.offset
    if expression.function == "len":
        return len(inner)
    if expression.function == "%":
        return inner % expression.arguments[0]
    return getattr(inner, expression.function[1:])(*expression.arguments)
