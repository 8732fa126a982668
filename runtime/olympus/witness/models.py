"""Whether what an execution has decided can hold in one run, shown by values for which all of it holds.

The decision procedure of `olympus.predicates` finds contradictions, and not all of them. What it does not find is no
proof: a verdict rests on conditions that hold together for some values, of those that are tried here.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NoReturn

from olympus.predicates import Applied, Constant, Literal, Predicate, Shifted, Symbol
from olympus.witness.decisions import MEMBERS, Derived, Same, Subject

__all__ = ["unsettled"]

ENOUGH = 20_000  # conditions that are evaluated, after which no other values are tried
LONGEST = 2_000  # items
USUAL: tuple[Any, ...] = (
    True, False, 0, 1, 2, 3, 5, -1, -2, 0.5, None, "", "a", "b", "1", (), (3,), (2, 3), (1, 2, 3), [], [1], [2],
    [1, 2], [2, 3], [1, 2, 3], {}, {1: 2},
)  # fmt: skip
OPERATIONS: dict[str, Callable[..., Any]] = {
    "__add__": operator.add, "__radd__": lambda a, b: b + a, "__sub__": operator.sub,
    "__rsub__": lambda a, b: b - a, "__mul__": operator.mul, "__rmul__": lambda a, b: b * a,
    "__mod__": operator.mod, "__floordiv__": operator.floordiv, "__neg__": operator.neg, "__abs__": abs,
    "__eq__": operator.eq, "__ne__": operator.ne, "__lt__": operator.lt, "__le__": operator.le,
    "__gt__": operator.gt, "__ge__": operator.ge, "has": operator.contains,
}  # fmt: skip
METHODS = frozenset(name for name in dir(str) if not name.startswith("_"))
DTYPES = ("jax.numpy.", "numpy.")
KINDS = {"floating": ("float", "bfloat"), "integer": ("int", "uint"), "inexact": ("float", "bfloat", "complex")}


class Unclear(Exception):
    """It is not known what an expression gives."""


@dataclass(frozen=True, eq=False)
class Instance:
    """An object of a class of which only the name is known."""

    kind: Symbol


def unsettled(literals: Iterable[Literal]) -> str | None:
    """Return a condition of which no values show that it can hold beside others; ``None`` if all can hold in one run.

    Args:
        literals: tests, each with whether it holds.
    """
    literals = list(literals)
    for test, wanted in literals:
        if wanted and is_chance(test.operation, test.left, test.right):
            return "what was drawn, which is taken to be one number of very many,"
    waiting = [(literal, frozenset(variables(literal[0]))) for literal in literals]
    while waiting:
        group, names, waiting = joined_to(waiting)
        if len(group) > 1 and not has_model(tuple(group), tuple(names)):
            return next((f"`{name.path}`" for name in names if isinstance(name, Subject)), "one value")
    return None


def is_chance(operation: str, left: Hashable, right: Hashable) -> bool:
    """Say whether a test asks if what was drawn is one number of very many."""
    drawn = isinstance(left, Subject) and left.path.startswith("jax.random.")
    return operation == "eq" and drawn and isinstance(right, Constant) and type(right.value) is float


def joined_to(
    waiting: Sequence[tuple[Literal, frozenset[Hashable]]],
) -> tuple[list[Literal], dict[Hashable, None], list[tuple[Literal, frozenset[Hashable]]]]:
    """Return the conditions that speak of what the first one speaks of, be it through others, and what is left."""
    group: list[Literal] = []
    names: dict[Hashable, None] = {}
    rest = list(waiting)
    found = rest[:1]
    while found:
        group += [literal for literal, _ in found]
        names.update(dict.fromkeys(name for literal, _ in found for name in variables(literal[0])))
        rest = [each for each in rest if each not in found]
        found = [each for each in rest if not each[1].isdisjoint(names)]
    return group, names, rest


def variables(term: Hashable) -> Iterator[Hashable]:
    """Return the parts of an expression of which nothing is known."""
    match term:
        case Predicate(_, left, right):
            yield from variables(left)
            yield from variables(right)
        case None | Constant() | Symbol() | Same():
            return
        case Applied(subject=subject) | Shifted(subject=subject):
            yield from variables(subject)
        case tuple():
            for each in term:
                yield from variables(each)
        case Derived(operation, operands) if operation in OPERATIONS or operation == "tuple":
            yield from variables(operands)
        case Derived("value", (Symbol(),)):
            yield term
        case Derived("call", (Derived(".", (owner, Constant(name))), *given)) if name in METHODS:
            yield from variables(owner)
            yield from variables(tuple(given))
        case Derived(operation, (dtype, Symbol())) if operation.endswith(".issubdtype"):
            yield from variables(dtype)
        case _:
            yield term


@lru_cache(maxsize=1024)
def has_model(literals: tuple[Literal, ...], names: tuple[Hashable, ...]) -> bool:
    """Say whether all of some conditions hold for some of the values that are tried.

    Args:
        literals: the conditions.
        names: what they speak of.
    """
    mentioned = list(constants(literals))
    values = candidates(mentioned)
    later = {name: place for place, name in enumerate(names)}
    due: list[list[Literal]] = [[] for _ in names]
    for literal in literals:
        places = [later[name] for name in variables(literal[0])]
        if places:
            due[max(places)].append(literal)
    left = [ENOUGH]

    def assign(place: int, known: Mapping[Hashable, Any]) -> bool:
        if place == len(names):
            return True
        for value in values:
            own = {**known, names[place]: value}
            left[0] -= 1
            if left[0] < 0:
                return False
            if all(holds(literal, own) for literal in due[place]) and assign(place + 1, own):
                return True
        return False

    return assign(0, {})


def constants(terms: Iterable[Any]) -> Iterator[Constant | Symbol]:
    """Return what is known in some expressions."""
    for term in terms:
        match term:
            case Constant() | Symbol():
                yield term
            case tuple():
                yield from constants(term)
            case Predicate(_, left, right):
                yield from constants((left, right))
            case Applied(_, subject, arguments):
                yield from constants((subject, *(Constant(each) for each in arguments)))
            case Shifted(subject, offset):
                yield from constants((subject, Constant(offset), Constant(-offset)))
            case Derived("call", (Derived(".", (owner, _)), *given)):
                yield from constants((owner, *given))
            case Derived(operation, operands) if operation in OPERATIONS or operation in ("tuple", "call"):
                yield from constants(operands)


def candidates(mentioned: Sequence[Constant | Symbol]) -> list[Any]:
    """Return the values that are tried: usual ones, those that are mentioned, and those between and beside them."""
    found: dict[tuple[type, str], Any] = {}
    own: list[Any] = [each.value for each in mentioned if isinstance(each, Constant)]
    enumerated = [Symbol(name) for each in mentioned if isinstance(each, Symbol) for name in MEMBERS.get(each.name, ())]
    if enumerated:  # what is compared with a member is most likely one
        return [*dict.fromkeys(enumerated), *dict.fromkeys(own), None]
    own += [part for each in own if isinstance(each, tuple | frozenset) for part in each]
    numbers = sorted({each for each in own if type(each) in (int, float) and abs(each) < 1e6})
    beside = [each + step for each in numbers for step in (-1, 1)]
    between = [(a + b) / 2 for a, b in pairwise(numbers)]
    texts = [each for each in own if isinstance(each, str)]
    lists = [[1] * each for each in (*numbers, *beside) if isinstance(each, int) and 3 < each < LONGEST]
    longer = [f(text) for text in texts for f in (str.upper, str.lower, "{}x".format)] + [
        a + b for a in texts for b in texts if len(texts) < 6
    ]
    symbols = [each for each in mentioned if isinstance(each, Symbol)]
    dtypes = [Symbol(f"{DTYPES[0]}{name}") for name in ("float32", "int32", "bfloat16", "uint8")]
    kinds = [Instance(each) for each in dict.fromkeys(symbols)]
    known = [getattr(builtins, each.name.rpartition(".")[2], None) for each in symbols if is_builtin(each)]
    empty: list[Any] = [
        kind() for kind in known if isinstance(kind, type) and kind in (bytes, complex, set, frozenset, float)
    ]
    for value in (*own, *USUAL, *beside, *between, *texts, *longer, *lists, *symbols, *kinds, *empty, *dtypes):
        found.setdefault((type(value), repr(value)), value)
    return list(found.values())


def is_builtin(symbol: Symbol) -> bool:
    """Say whether a symbol is a class of Python's own."""
    return symbol.name.startswith("builtins.")


def holds(literal: Literal, known: Mapping[Hashable, Any]) -> bool:
    """Say whether a condition surely holds, or surely does not where it is not to."""
    test, wanted = literal
    try:
        return tested(test, known) == wanted
    except Exception:  # it raises for this value, or is not clear
        return False


def tested(test: Predicate, known: Mapping[Hashable, Any]) -> bool:
    """Return whether a test holds.

    Raises:
        Unclear: if that is not known.
    """
    left = value_of(test.left, known)
    if test.operation == "truth":
        return truth(left)
    if test.operation in ("in", "isinstance"):
        if not isinstance(test.right, tuple):
            raise Unclear
        parts = [value_of(each, known) for each in test.right]
        return any(is_instance(left, each) if test.operation == "isinstance" else equal(left, each) for each in parts)
    right = value_of(test.right, known)
    if test.operation == "contains":
        return bool(right in left)
    if test.operation == "lt":
        return bool(left < right)
    if test.operation == "is" and not isinstance(left, Symbol | Instance | Same):
        return type(left) is type(right) and left == right
    return equal(left, right)


def value_of(term: Any, known: Mapping[Hashable, Any]) -> Any:
    """Return what an expression gives.

    Raises:
        Unclear: if that is not known.
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
            return kind_of(value_of(subject, known))
        case Applied("%", subject, (other,)):
            return value_of(subject, known) % other
        case Shifted(subject, offset):
            return value_of(subject, known) + offset
        case Derived("tuple", operands):
            return tuple(value_of(each, known) for each in operands)
        case Derived("__eq__" | "__ne__" as operation, (left, right)):
            return equal(value_of(left, known), value_of(right, known)) == (operation == "__eq__")
        case Derived(operation, operands) if operation in OPERATIONS:
            return OPERATIONS[operation](*(value_of(each, known) for each in operands))
        case Derived("call", (Derived(".", (owner, Constant(name))), *given)) if name in METHODS:
            text = value_of(owner, known)
            return (
                getattr(text, str(name))(*(value_of(each, known) for each in given)) if type(text) is str else clear()
            )
        case Derived(operation, (dtype, Symbol() as kind)) if operation.endswith(".issubdtype"):
            return is_subdtype(value_of(dtype, known), value_of(kind, known))
    clear()


def clear() -> NoReturn:
    """Say that something is not known.

    Raises:
        Unclear: always.
    """
    raise Unclear


def truth(value: Any) -> bool:
    """Return whether a value is true."""
    return clear() if isinstance(value, Symbol | Same) else bool(value)


def equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal."""
    if isinstance(left, Symbol) and isinstance(right, Symbol):
        one, other = left.name, right.name
        if one != other and one.startswith(DTYPES) and other.startswith(DTYPES):
            return one.rpartition(".")[2] == other.rpartition(".")[2]
        return one == other
    if isinstance(left, Symbol) and isinstance(right, str):
        return left.name.startswith(DTYPES) and left.name.rpartition(".")[2] == right
    if isinstance(right, Symbol) and isinstance(left, str):
        return equal(right, left)
    return bool(left == right)


def is_instance(value: Any, kind: Any) -> bool:
    """Return whether a value is an instance of a class."""
    if not isinstance(kind, Symbol):
        clear()
    if isinstance(value, Instance):
        return value.kind == kind or kind.name in value.kind.bases
    if isinstance(value, Symbol | Same):
        clear()
    own = getattr(builtins, kind.name.removeprefix("builtins."), None) if is_builtin(kind) else None
    return isinstance(value, own) if isinstance(own, type) else False


def kind_of(value: Any) -> Any:
    """Return the class of a value."""
    if isinstance(value, Symbol | Same):
        clear()
    return value.kind if isinstance(value, Instance) else Symbol(f"builtins.{type(value).__name__}")


def is_subdtype(dtype: Any, kind: Any) -> bool:
    """Return whether a dtype is of a kind of dtypes."""
    if not isinstance(dtype, Symbol) or not isinstance(kind, Symbol) or not dtype.name.startswith(DTYPES):
        clear()
    starts = KINDS.get(kind.name.rpartition(".")[2])
    return clear() if starts is None else dtype.name.rpartition(".")[2].startswith(starts)
