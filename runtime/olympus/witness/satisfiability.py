"""Whether the decisions of an execution can hold in one run, shown by a model: values for which all of them hold.

The decision procedure of `olympus.predicates` finds contradictions, but not all of them. So the absence of one proves
nothing: a verdict needs values, out of those that are tried here, for which the conditions hold together.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any, NoReturn

from olympus.predicates import Applied, Constant, Literal, Predicate, Shifted, Symbol
from olympus.witness.decisions import MEMBERS, Derived, Same, Subject, joined

__all__ = ["unsettled"]

ENOUGH = 20_000  # evaluated conditions, after which no other values are tried
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
DTYPES = ("jax.numpy.", "numpy.", "ml_dtypes.")
SHAPE = Constant("shape")
PURE = ("jax.", "numpy.", "math.", "builtins.")
READING = METHODS | {
    "all", "any", "argmax", "argmin", "astype", "cumsum", "flatten", "item", "items", "keys", "max", "mean", "min",
    "prod", "ravel", "reshape", "std", "sum", "tolist", "values", "var",
}  # fmt: skip
KINDS = {"floating": ("float", "bfloat"), "integer": ("int", "uint"), "inexact": ("float", "bfloat", "complex")}


class Unclear(Exception):
    """The value of an expression is unknown."""


@dataclass(frozen=True, eq=False)
class Instance:
    """An object of a class that is known by name only."""

    kind: Symbol


def unsettled(literals: Iterable[Literal]) -> str | None:
    """Return a condition without a model; ``None`` if a model shows that all conditions can hold in one run.

    Args:
        literals: tests, each with whether it holds.
    """
    literals = list(literals)
    for test, wanted in literals:
        if wanted and is_chance(test.operation, test.left, test.right):
            return "what was drawn, which is taken to be one number of very many,"
    whole = frozenset(name for test, _ in literals for name in variables(test, frozenset()) if not is_sized(name, test))
    literals += sizes(literals, whole)
    told = [(literal, dict.fromkeys(variables(literal[0], whole)).keys()) for literal in literals]
    waiting: Sequence[tuple[Literal, KeysView[Hashable]]] = told
    while waiting:
        group, names, waiting = joined_to(waiting, whole)
        if len(group) > 1 and not has_model(tuple(group), tuple(names), whole.intersection(names)):
            return next((f"`{name.path}`" for name in names if isinstance(name, Subject)), "one value")
    return None if len(told) < 2 else entangled(told)


def is_sized(name: Hashable, test: Predicate) -> bool:
    """Return whether a condition is about the length of a value only."""
    length = Applied("len", name)
    return length in (test.left, test.right)


def sizes(literals: Sequence[Literal], whole: frozenset[Hashable]) -> list[Literal]:
    """Return that a value with item ``n`` is longer than ``n``, for values whose lengths are in a condition."""
    names = dict.fromkeys(name for test, _ in literals for name in variables(test, whole))
    items = [name.operands for name in names if isinstance(name, Derived) and name.operation == "["]
    return [
        (Predicate("lt", item, Applied("len", owner)), True)
        for owner, item in items
        if owner in names and is_number(item)
    ]


def is_chance(operation: str, left: Hashable, right: Hashable) -> bool:
    """Return whether a test compares a random draw with one number of very many."""
    drawn = isinstance(left, Subject) and left.path.startswith("jax.random.")
    return operation == "eq" and drawn and isinstance(right, Constant) and type(right.value) is float


def joined_to(
    waiting: Sequence[tuple[Literal, KeysView[Hashable]]], whole: frozenset[Hashable]
) -> tuple[list[Literal], dict[Hashable, None], list[tuple[Literal, KeysView[Hashable]]]]:
    """Return the conditions that share variables with the first one, directly or through others, and the rest."""
    group: list[Literal] = []
    names: dict[Hashable, None] = {}
    rest = list(waiting)
    found = rest[:1]
    while found:
        group += [literal for literal, _ in found]
        names.update(dict.fromkeys(name for literal, _ in found for name in variables(literal[0], whole)))
        rest = [each for each in rest if each not in found]
        found = [each for each in rest if not each[1].isdisjoint(names)]
    return group, names, rest


def variables(term: Hashable, whole: frozenset[Hashable]) -> Iterator[Hashable]:
    """Return the variables of an expression.

    Args:
        term: the expression.
        whole: values that some condition is about as a whole: their items are no variables.
    """
    match term:
        case Predicate(_, left, right):
            yield from variables(left, whole)
            yield from variables(right, whole)
        case None | Constant() | Symbol() | Same():
            return
        case Applied(subject=subject) | Shifted(subject=subject):
            yield from variables(subject, whole)
        case tuple():
            for each in term:
                yield from variables(each, whole)
        case Derived(operation, operands) if operation in OPERATIONS or operation == "tuple":
            yield from variables(operands, whole)
        case Derived("value", (Symbol(),)):
            yield term
        case Derived("call", (Derived(".", (owner, Constant(name))), *given)) if name in METHODS:
            yield from variables(owner, whole)
            yield from variables(tuple(given), whole)
        case Derived(operation, (dtype, Symbol())) if operation.endswith(".issubdtype"):
            yield from variables(dtype, whole)
        case Derived(".", (owner, Constant("size"))):
            yield joined(".", (owner, SHAPE))
        case Derived("[", (owner, item)) if is_from_end(item) or (is_number(item) and is_whole(owner, whole)):
            yield from variables(owner, whole)
        case _:
            yield term


def is_whole(owner: Hashable, whole: frozenset[Hashable]) -> bool:
    """Return whether an item belongs to such a whole value, directly or through other items."""
    return owner in whole or owner not in variables(owner, whole)


def is_number(item: Hashable) -> bool:
    """Return whether an index is a known number."""
    return isinstance(item, Constant) and type(item.value) is int


def is_from_end(item: Hashable) -> bool:
    """Return whether an index counts from the end, or is a slice between known numbers."""
    if isinstance(item, Constant):
        return type(item.value) is int and item.value < 0
    if not isinstance(item, Same) or not isinstance(item.thing, slice):
        return False
    return all(isinstance(end, int | None) for end in (item.thing.start, item.thing.stop, item.thing.step))


# An operation that is not computed here is a variable, if no other condition is about its operands.

Chain = tuple[Hashable, ...]
"""A variable, and the attributes and items that lead from it to a part."""

FAILED = "failed(...)"
FIXED = ("eq", "is", "in", "isinstance")


def entangled(told: Sequence[tuple[Literal, KeysView[Hashable]]]) -> str | None:
    """Return an uninterpreted function whose operands occur in other conditions.

    Args:
        told: the conditions, each with its variables.
    """
    for literal, names in told:
        others = [(test, holds, each) for (test, holds), each in told if (test, holds) != literal]
        for name in names:
            if isinstance(name, Subject) and name.path == FAILED and not is_count(literal[0]):
                return "what failed"
            if is_shared(name, literal, others) or any(is_made_fixed(name, test, holds) for test, holds, _ in others):
                return f"`{described(name)}`"
    return None


def is_shared(name: Hashable, literal: Literal, others: Sequence[tuple[Predicate, bool, KeysView[Hashable]]]) -> bool:
    """Return whether a variable is the result of a function whose operands occur in other conditions.

    Args:
        name: the variable.
        literal: the condition that it is in.
        others: the other conditions, each with whether it holds and its variables.
    """
    if not is_opaque(name):
        return False
    own = list(chains(name))
    about = [each for test, holds, names in others if not is_only_some(test, holds) for each in names]
    found = [chain for each in about if basis(each) != basis(name) for chain in chains(each)]
    if literal[1] and isinstance(name, Derived) and name.operation == "hasattr":
        return any(len(chain) < len(each) and overlap(chain, each) for chain in found for each in own)
    return any(overlap(chain, each) for chain in found for each in own)


def is_only_some(test: Predicate, holds: bool) -> bool:
    """Return whether a condition only says that a value is of some class."""
    if test.operation == "is":
        return not holds and test.right == Constant(None)
    kinds = test.right if isinstance(test.right, tuple) else ()
    return holds and test.operation == "isinstance" and bool(kinds) and not any(map(is_plain, kinds))


def basis(part: Hashable) -> Hashable:
    """Return the value that a part belongs to, without attributes and items."""
    while isinstance(part, Derived) and part.operation in (".", "["):
        part = part.operands[0]
    return part


def is_count(test: Predicate) -> bool:
    """Return whether a condition is about the number of iterations of a loop."""
    return test.operation == "lt" and isinstance(test.right, Applied) and test.right.function == "len"


def is_opaque(term: Hashable) -> bool:
    """Return whether a variable is the result of a known function that is not computed here."""
    match term:
        case Derived("." | "[", (owner, _)):
            return is_opaque(owner)
        case Derived("value", _):
            return False
        case Derived("call", (Derived(".", (_, Constant(name))), *_)):
            return name in READING
        case Derived("call", (function, *_)):
            return isinstance(function, Symbol) and function.name.startswith(PURE)
        case Derived():
            return True
    return False


@lru_cache(maxsize=4096)
def chains(term: Hashable) -> Collection[Chain]:
    """Return the operands of an expression, each once: an operand of an operand may be in it very often."""
    match term:
        case Subject():
            return {(term,)}
        case Derived("." | "[", (owner, Constant() as name)):
            return {(*chain, name) for chain in chains(owner)}
        case Derived("." | "[", (owner, _)):
            return chains(owner)
        case Derived("call", (Derived(".", (owner, Constant("get"))), Constant() as name, *_)):
            return {(*chain, name) for chain in chains(owner)}
        case Derived("call", (Derived(".", (owner, _)), *given)):
            return {*chains(owner), *chains(tuple(given))}
        case Derived("hasattr", (owner, name)):
            return {(*chain, name) for chain in chains(owner)}
        case Derived(_, operands):
            return chains(operands)
        case Applied(function, subject):
            return {(*chain, function) for chain in chains(subject)}
        case Shifted(subject):
            return chains(subject)
        case tuple():
            return {chain for each in term for chain in chains(each)}
    return ()


def overlap(one: Chain, other: Chain) -> bool:
    """Return whether one of two parts is in the other."""
    return all(a == b for a, b in zip(one, other, strict=False))


def is_made_fixed(part: Hashable, test: Predicate, holds: bool) -> bool:
    """Return whether a condition fixes the value that a part belongs to, or says that it has no such part."""
    if test.operation == "contains" and not holds:
        return (*next(iter(chains(test.left)), ()), test.right) in chains(part)
    if not holds or test.operation not in FIXED:
        return False
    if test.operation == "isinstance" and not (isinstance(test.right, tuple) and all(map(is_plain, test.right))):
        return False
    owner: Hashable = part
    while isinstance(owner, Derived) and owner.operation in (".", "["):
        owner = owner.operands[0]
        if owner == test.left:
            return True
    return False


def is_plain(kind: Hashable) -> bool:
    """Return whether a class is one of Python's own."""
    return isinstance(kind, Symbol) and is_builtin(kind)


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


@lru_cache(maxsize=1024)
def has_model(literals: tuple[Literal, ...], names: tuple[Hashable, ...], whole: frozenset[Hashable]) -> bool:
    """Return whether all of some conditions hold for some of the values that are tried.

    Args:
        literals: the conditions.
        names: their variables.
        whole: the variables that some condition is about as a whole.
    """
    mentioned = list(constants(literals))
    usual = candidates(mentioned)
    values = {name: [value for value in usual if is_able(name, value)] for name in names}
    later = {name: place for place, name in enumerate(names)}
    due: list[list[Literal]] = [[] for _ in names]
    for literal in literals:
        places = [later[name] for name in variables(literal[0], whole)]
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


def constants(terms: Iterable[Any]) -> Iterator[Constant | Symbol]:
    """Return the constants in some expressions."""
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
            case Derived("[" | ".", (owner, _)):
                yield from constants((owner,))
            case Derived(operation, operands) if operation in OPERATIONS or operation in ("tuple", "call"):
                yield from constants(operands)


def candidates(mentioned: Sequence[Constant | Symbol]) -> list[Any]:
    """Return the values to try: usual ones, the constants, and values between and beside these."""
    found: dict[tuple[type, str], Any] = {}
    own: list[Any] = [each.value for each in mentioned if isinstance(each, Constant)]
    enumerated = [Symbol(name) for each in mentioned if isinstance(each, Symbol) for name in MEMBERS.get(each.name, ())]
    if enumerated:  # a value that is compared with a member is most likely a member
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
    """Return whether a symbol is a class of Python's own."""
    return symbol.name.startswith("builtins.")


def holds(literal: Literal, known: Mapping[Hashable, Any]) -> bool:
    """Return whether a condition certainly has the wanted truth value."""
    test, wanted = literal
    try:
        return tested(test, known) == wanted
    except Exception:  # it raises for this value, or is not clear
        return False


def tested(test: Predicate, known: Mapping[Hashable, Any]) -> bool:
    """Return whether a test holds.

    Raises:
        Unclear: it is unknown.
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
    """Return the value of an expression.

    Raises:
        Unclear: it is unknown.
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
        case Derived(".", (owner, Constant("size"))):
            return prod(value_of(joined(".", (owner, SHAPE)), known))
        case Derived("[", (owner, Same(thing) | Constant(thing))):
            return value_of(owner, known)[thing]
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
    """Raise the error for an unknown value.

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
