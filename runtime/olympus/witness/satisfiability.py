"""Whether the decisions of an execution can hold in one run, shown by a model: values for which all of them hold.

The decision procedure of `olympus.predicates` finds contradictions, but not all of them. So the absence of one proves
nothing: a verdict needs values, out of those that are tried here, for which the conditions hold together. What is not
computed here, such as a mean, is a variable; conditions on two variables of which one depends on the other are not
shown to hold together.
"""

from __future__ import annotations

import builtins
import operator
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from olympus.predicates import Applied, Constant, Literal, Predicate, Shifted, Symbol
from olympus.verdicts.evidence import FAILED
from olympus.verdicts.reasons import Reason
from olympus.witness.decisions import MEMBERS, Derived, Same, Subject

ENOUGH = 20_000  # evaluated conditions, after which no other values are tried
LONGEST = 2_000  # items
FEW = 5  # constants that are combined
USUAL: tuple[Any, ...] = (
    True, False, 0, 1, 2, 3, 5, -1, -2, 0.5, None, "", "a", "b", "1", (), (3,), (2, 3), (1, 2, 3), [], [1], [2],
    [1, 2], [2, 3], [1, 2, 3], {}, {1: 2},
)  # fmt: skip
OPERATIONS: dict[str, Callable[..., Any]] = {
    "__add__": operator.add, "__radd__": lambda a, b: b + a, "__sub__": operator.sub,
    "__rsub__": lambda a, b: b - a, "__mul__": operator.mul, "__rmul__": lambda a, b: b * a,
    "__mod__": operator.mod, "__floordiv__": operator.floordiv, "__neg__": operator.neg, "__abs__": abs,
    "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge,
    "has": operator.contains,
}  # fmt: skip
COMPUTED = frozenset({*OPERATIONS, "__eq__", "__ne__", "tuple"})
SHAPE, SIZE = Constant("shape"), Constant("size")
DTYPES = ("jax.numpy.", "numpy.", "ml_dtypes.")
KINDS = {"floating": ("float", "bfloat"), "integer": ("int", "uint"), "inexact": ("float", "bfloat", "complex")}
OTHER = tuple(Symbol(f"{DTYPES[0]}{name}") for name in ("float32", "int32", "bfloat16", "uint8"))
METHODS = frozenset(name for name in dir(str) if not name.startswith("_")) - {"replace"}
READING = METHODS | {
    "all", "any", "argmax", "argmin", "astype", "cumsum", "flatten", "item", "items", "keys", "max", "mean", "min",
    "prod", "ravel", "reshape", "std", "sum", "tolist", "values", "var",
}  # fmt: skip
PURE = ("jax.", "numpy.", "math.", "builtins.")
FIXED = ("eq", "is", "in", "isinstance")
SHORT = re.compile(r"`[\w.]+(\(\.\.\.\))?`")
"""A value as a reader of the source would write it."""


@dataclass(frozen=True, eq=False)
class Instance:
    """An object of a class that is known by name only."""

    kind: Symbol


class Told(NamedTuple):
    """A condition, whether it holds, and its variables."""

    test: Predicate
    holds: bool
    names: frozenset[Hashable]


def unsettled(literals: Iterable[Literal]) -> str | None:
    """Return why no run is shown in which all conditions hold; ``None`` if a model shows one.

    Args:
        literals: tests, each with whether it holds.
    """
    told = [Told(test, holds, frozenset(variables((test.left, test.right)))) for test, holds in literals]
    if any(each.holds and is_chance(each.test) for each in told):
        return Reason.CHANCE
    if len(told) < 2:
        return None
    own = (name for each in told if not is_count(each.test) for name in each.names)
    failed = any(isinstance(name, Subject) and name.path == FAILED for name in own)
    if failed:
        return Reason.RESULT
    name = entangled(told) or without_model([*told, *sizes(told)])
    if name is None:
        return None
    return Reason.MODEL.of(name) if SHORT.fullmatch(name) else Reason.VALUES


def is_chance(test: Predicate) -> bool:
    """Return whether a test compares a random draw with one number of very many."""
    drawn = isinstance(test.left, Subject) and test.left.path.startswith("jax.random.")
    return test.operation == "eq" and drawn and isinstance(test.right, Constant) and type(test.right.value) is float


def is_count(test: Predicate) -> bool:
    """Return whether a condition is about the number of iterations of a loop."""
    return test.operation == "lt" and isinstance(test.right, Applied) and test.right.function == "len"


def is_turn(condition: Told) -> bool:
    """Return whether a condition only says that a loop goes on."""
    return condition.holds and is_count(condition.test)


def without_model(waiting: Sequence[Told]) -> str | None:
    """Return a variable of conditions for which no values are found; ``None`` if there are values for all."""
    while waiting:
        group, rest = [waiting[0]], list(waiting[1:])
        names = set(group[0].names)
        while joined := [each for each in rest if not names.isdisjoint(each.names)]:
            group += joined
            names.update(*(each.names for each in joined))
            rest = [each for each in rest if each not in joined]
        own = tuple(dict.fromkeys(name for each in group for name in variables((each.test.left, each.test.right))))
        if len(group) > 1 and not has_model(tuple((each.test, each.holds) for each in group), own):
            return next((f"`{name.path}`" for name in own if isinstance(name, Subject)), "one value")
        waiting = rest
    return None


# Variables, and which of them depend on others.

Chain = tuple[Hashable, ...]
"""A value, and the attributes and items that lead from it to a part."""


@lru_cache(maxsize=4096)
def variables(term: Hashable) -> tuple[Hashable, ...]:
    """Return the variables of an expression, each once."""
    match term:
        case None | Constant() | Symbol() | Same():
            return ()
        case Applied(subject=subject) | Shifted(subject=subject):
            return variables(subject)
        case tuple():
            return tuple(dict.fromkeys(name for each in term for name in variables(each)))
        case Derived(operation, operands) if operation in COMPUTED:
            return variables(operands)
        case Derived("call", (Derived(".", (owner, Constant(name))), *given)) if name in METHODS:
            return variables((owner, *given))
        case Derived(operation, (dtype, Symbol())) if operation.endswith(".issubdtype"):
            return variables(dtype)
    return (term,)


def sizes(told: Sequence[Told]) -> Iterator[Told]:
    """Return that a value with item ``n`` is longer than ``n``, for values whose lengths are in a condition."""
    names = {name for each in told for name in each.names}
    for name in names:
        match name:
            case Derived("[", (owner, Constant(int()) as item)) if owner in names:
                yield Told(Predicate("lt", item, Applied("len", owner)), True, frozenset({owner}))


def entangled(told: Sequence[Told]) -> str | None:
    """Return a variable that depends on one in another condition, or may be a part of it."""
    for one, other in combinations(told, 2):
        if is_only_some(one) or is_only_some(other) or (is_turn(one) and is_turn(other)):
            continue
        for a in one.names:
            for b in other.names:
                if a != b and (depends(a, b, other) or depends(b, a, one)):
                    return f"`{described(a)}`"
    return None


def depends(name: Hashable, other: Hashable, about: Told) -> bool:
    """Return whether a variable may be computed from another one, or be a part of it.

    Args:
        name: the variable.
        other: the other one.
        about: the condition on the other one.
    """
    chain, rest = split(name), split(other)
    if chain[0] != rest[0]:
        return any(overlap(one, two) for one in reads(chain[0]) for two in {rest, *reads(rest[0])})
    steps = zip(chain, rest, strict=False)
    parting = next((pair for pair in steps if pair[0] != pair[1]), None)
    if parting is not None:
        return not all(map(is_first, parting)) and not all(map(is_last, parting))
    if len(chain) <= len(rest):
        return len(chain) == len(rest) and not has_attribute(name) and not (has_attribute(other) and about.holds)
    step = chain[len(rest)]
    return not is_first(step) or is_made_fixed(about, other, step)


def has_attribute(name: Hashable) -> bool:
    """Return whether a variable says that there is an attribute."""
    return isinstance(name, Derived) and name.operation == "hasattr"


def is_first(step: Hashable) -> bool:
    """Return whether a step leads to one attribute or item, whatever the length of its owner."""
    return isinstance(step, Constant) and step != SIZE and not is_last(step)


def is_last(step: Hashable) -> bool:
    """Return whether a step leads to an item that is counted from the end."""
    return isinstance(step, Constant) and type(step.value) is int and step.value < 0


def overlap(one: Chain, other: Chain) -> bool:
    """Return whether one of two parts is in the other."""
    return all(a == b for a, b in zip(one, other, strict=False))


def is_made_fixed(condition: Told, name: Hashable, step: Hashable) -> bool:
    """Return whether a condition fixes a value, or says that it does not have an attribute or item."""
    test, holds = condition.test, condition.holds
    if has_attribute(name):
        return not holds
    computed = [side for side in (test.left, test.right) if isinstance(side, Derived) and variables(side) != (side,)]
    if any(name in variables(side) for side in computed):
        return True
    missing = (test.operation, test.right) == ("contains", step)
    return name in (test.left, test.right) and (test.operation in FIXED if holds else missing)


def is_only_some(condition: Told) -> bool:
    """Return whether a condition only says that a value is of some class."""
    test, holds = condition.test, condition.holds
    if test.operation == "is":
        return not holds and test.right == Constant(None)
    kinds = test.right if isinstance(test.right, tuple) else ()
    return holds and test.operation == "isinstance" and bool(kinds) and not any(map(is_plain, kinds))


def split(part: Hashable) -> Chain:
    """Return a variable as the value that it is a part of, and the way from there."""
    way: list[Hashable] = []
    while True:
        match part:
            case Derived("." | "[" | "hasattr", (owner, step)):
                way += [SIZE, SHAPE] if step == SIZE else [step]
            case Derived("call", (Derived(".", (owner, Constant("get"))), Constant() as step, *_)):
                way.append(step)
            case Derived("call", (Derived(".", (owner, Constant("replace" | "_replace"))), *_)):
                pass  # most of it is as it was
            case _:
                return part, *reversed(way)
        part = owner


@lru_cache(maxsize=4096)
def reads(value: Hashable) -> frozenset[Chain]:
    """Return what a value is computed from; nothing for a value of its own, or the result of an unknown call."""
    if not isinstance(value, Derived) or not is_pure(value):
        return frozenset()
    found: set[Chain] = set()
    waiting: list[Hashable] = [value]
    seen: set[Hashable] = set()  # operands are shared: there may be very many ways to one
    while waiting:
        term = waiting.pop()
        if term in seen:
            continue
        seen.add(term)
        match split(term), term:
            case (Subject(), *_) as chain, _:
                found.add(chain)
            case _, Derived("call", (Derived(".", (owner, _)), *given)):
                waiting += [owner, *given]
            case _, Derived(_, operands):
                waiting += operands
            case _, Applied(subject=subject) | Shifted(subject=subject):
                waiting.append(subject)
            case _, tuple():
                waiting += term
    return frozenset(found)


def is_pure(term: Derived) -> bool:
    """Return whether a value is the result of a known function of its operands."""
    match term:
        case Derived("value", _):
            return False
        case Derived("call", (Derived(".", (_, Constant(name))), *_)):
            return name in READING
        case Derived("call", (function, *_)):
            return isinstance(function, Symbol) and function.name.startswith(PURE)
    return True


def is_plain(kind: Hashable) -> bool:
    """Return whether a class is one of Python's own."""
    return isinstance(kind, Symbol) and kind.name.startswith("builtins.")


def described(term: Hashable) -> str:
    """Return an expression roughly as a reader would write it."""
    match term:
        case Subject(path):
            return path
        case Symbol(name):
            return name
        case Derived("." | "[", (owner, Constant(name))):
            return f"{described(owner)}.{name}"
        case Derived("call", (function, *_)):
            return f"{described(function)}(...)"
        case Derived(operation, (first, *_)):
            return f"{operation.removeprefix('jax.').strip('_')}({described(first)})"
    return "..."


# Models.


@lru_cache(maxsize=1024)
def has_model(literals: tuple[Literal, ...], names: tuple[Hashable, ...]) -> bool:
    """Return whether all of some conditions hold for some of the values that are tried.

    Args:
        literals: the conditions.
        names: their variables.
    """
    usual = candidates(list(constants(literals)))
    values = {name: [value for value in usual if is_able(name, value)] for name in names}
    due: list[list[Literal]] = [[] for _ in names]
    for literal in literals:
        places = [names.index(name) for name in variables((literal[0].left, literal[0].right))]
        if places:
            due[max(places)].append(literal)
    left = [ENOUGH]

    def assign(place: int, known: Mapping[Hashable, Any]) -> bool:
        if place == len(names):
            return True
        for value in values[names[place]]:
            own = {**known, names[place]: value}
            left[0] -= 1
            if left[0] < 0:
                return False
            if all(holds(literal, own) for literal in due[place]) and assign(place + 1, own):
                return True
        return False

    return assign(0, {})


def is_able(name: Hashable, value: Any) -> bool:
    """Return whether a variable can have a value: a shape is a tuple of integers that are not negative."""
    match name:
        case Derived(".", (_, Constant("shape"))):
            return type(value) is tuple and all(type(each) is int and each >= 0 for each in value)
        case Derived(".", (_, Constant("dtype"))):
            return isinstance(value, Symbol)
    return True


def constants(term: Any) -> Iterator[Constant | Symbol]:
    """Return the constants in an expression, without those in its variables."""
    match term:
        case Constant() | Symbol():
            yield term
        case tuple():
            for each in term:
                yield from constants(each)
        case Predicate(_, left, right):
            yield from constants((left, right))
        case Applied(_, subject, arguments):
            yield from constants((subject, *map(Constant, arguments)))
        case Shifted(subject, offset):
            yield from constants((subject, Constant(offset), Constant(-offset)))
        case Derived("call", (Derived(".", (owner, Constant(name))), *given)) if name in METHODS:
            yield from constants((owner, *given))
        case Derived(operation, operands) if operation in COMPUTED:
            yield from constants(operands)


def candidates(mentioned: Sequence[Constant | Symbol]) -> list[Any]:
    """Return the values to try: usual ones, the constants, and values between and beside these."""
    own: list[Any] = [each.value for each in mentioned if isinstance(each, Constant)]
    symbols = [each for each in mentioned if isinstance(each, Symbol)]
    members = [Symbol(name) for each in symbols for name in MEMBERS.get(each.name, ())]
    if members:  # a value that is compared with a member is most likely a member
        return [*dict.fromkeys(members), *dict.fromkeys(own), None]
    own += [part for each in own if isinstance(each, tuple | frozenset) for part in each]
    numbers = sorted({each for each in own if type(each) in (int, float) and abs(each) < 1e6})
    beside = [each + step for each in numbers for step in (-1, 1)]
    between = [(a + b) / 2 for a, b in pairwise(numbers)]
    lists = [[1] * each for each in (*numbers, *beside) if isinstance(each, int) and 3 < each < LONGEST]
    if len(own) <= FEW:  # containers of some of them
        lists += [list(some) for count in range(1, len(own) + 1) for some in combinations(own, count)]
    texts = [each for each in own if isinstance(each, str)][:FEW]
    texts += [made for each in texts for made in (each.upper(), f"{each}x", *(each + other for other in texts))]
    kinds = [getattr(builtins, each.name.removeprefix("builtins."), None) for each in symbols if is_plain(each)]
    empty = [kind() for kind in kinds if kind in (bytes, complex, set, frozenset, float)]
    found: dict[tuple[type, str], Any] = {}
    for value in (*own, *USUAL, *beside, *between, *texts, *lists, *symbols, *map(Instance, symbols), *empty, *OTHER):
        found.setdefault((type(value), repr(value)), value)
    return list(found.values())


def holds(literal: Literal, known: Mapping[Hashable, Any]) -> bool:
    """Return whether a condition certainly has the wanted truth value."""
    test, wanted = literal
    try:
        return tested(test, known) == wanted
    except Exception:  # it raises for this value, or is unknown
        return False


def tested(test: Predicate, known: Mapping[Hashable, Any]) -> bool:
    """Return whether a test holds.

    Raises:
        TypeError: it is unknown.
    """
    left = value_of(test.left, known)
    if test.operation == "truth":
        return bool(certain(left))
    if test.operation == "isinstance" and isinstance(test.right, tuple):
        return any(is_instance(certain(left), kind) for kind in test.right)
    right = value_of(test.right, known)
    match test.operation:
        case "in":
            return any(equal(left, each) for each in right)
        case "contains":
            return bool(right in certain(left))
        case "lt":
            return bool(left < right)
        case "is" if not isinstance(left, Symbol | Instance | Same):
            return type(left) is type(right) and left == right
    return equal(left, right)


def value_of(term: Any, known: Mapping[Hashable, Any]) -> Any:
    """Return the value of an expression.

    Raises:
        TypeError: it is unknown.
    """
    if term in known:
        return known[term]
    match term:
        case Constant(value):
            return value
        case Symbol() | Same():
            return term
        case Applied("len", subject):
            return len(value_of(subject, known))
        case Applied("type", subject):
            value = certain(value_of(subject, known))
            return value.kind if isinstance(value, Instance) else Symbol(f"builtins.{type(value).__name__}")
        case Applied("%", subject, (other,)):
            return value_of(subject, known) % other
        case Shifted(subject, offset):
            return value_of(subject, known) + offset
        case tuple() | Derived("tuple", tuple()):
            parts = term if isinstance(term, tuple) else term.operands
            return tuple(value_of(each, known) for each in parts)
        case Derived("__eq__" | "__ne__" as operation, (left, right)):
            return equal(value_of(left, known), value_of(right, known)) == (operation == "__eq__")
        case Derived("call", (Derived(".", (owner, Constant(name))), *given)) if name in METHODS:
            text: str = value_of(owner, known)
            return getattr(str, name)(text, *(value_of(each, known) for each in given))
        case Derived(operation, (dtype, Symbol(name))) if operation.endswith(".issubdtype"):
            return is_subdtype(value_of(dtype, known), KINDS[name.rpartition(".")[2]])
        case Derived(operation, operands) if operation in OPERATIONS:
            return OPERATIONS[operation](*(value_of(each, known) for each in operands))
    raise TypeError(term)


def certain(value: Any) -> Any:
    """Return a value.

    Raises:
        TypeError: it is one that is known by name only.
    """
    if isinstance(value, Symbol | Same):
        raise TypeError(value)
    return value


def equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal; a dtype equals its name."""
    names = [each.name if isinstance(each, Symbol) else each for each in (left, right)]
    dtypes = [isinstance(name, str) and name.startswith(DTYPES) for name in names]
    if any(dtypes) and all(isinstance(name, str) for name in names):
        left, right = (name.rpartition(".")[2] for name in names)
    return bool(left == right)


def is_subdtype(dtype: Symbol, names: tuple[str, ...]) -> bool:
    """Return whether a dtype is of a kind, by the beginnings of the names of that kind.

    Raises:
        TypeError: it is no known dtype.
    """
    if not dtype.name.startswith(DTYPES):
        raise TypeError(dtype)
    return dtype.name.rpartition(".")[2].startswith(names)


def is_instance(value: Any, kind: Any) -> bool:
    """Return whether a value is an instance of a class."""
    if isinstance(value, Instance):
        return value.kind == kind or kind.name in value.kind.bases
    own = getattr(builtins, kind.name.removeprefix("builtins."), None) if is_plain(kind) else None
    return isinstance(own, type) and isinstance(value, own)
