"""What the terms of conditions say, as predicates that `olympus.predicates` decides about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from olympus.predicates import Applied, Constant, Counter, Expression, Predicate, Shifted, Symbol

if TYPE_CHECKING:
    from olympus_rules.keyflow.terms import Term, Terms

__all__ = ["counters", "in_first_iteration", "is_unmodelled", "predicate", "subjects"]

COMPARISONS = {"Is": "is", "Eq": "eq", "Lt": "lt"}
COLLECTIONS = ("tuple", "list", "set")
SCALARS = (type(None), bool, int, float, complex, str, bytes)


def predicate(terms: Terms, test: Term) -> Predicate:
    """Return what a condition says: the truth of its term where it says nothing else that is known."""
    operation, data, *args = terms.parts[test]
    if operation == "op" and len(args) == 2:
        if data in COMPARISONS:
            left, right = _expression(terms, args[0]), _expression(terms, args[1])
            if isinstance(left, Symbol) and isinstance(right, Constant | Symbol):
                left = args[0]  # a variable of a module that is compared with a value
            elif isinstance(right, Symbol) and isinstance(left, Constant):
                right = args[1]
            return Predicate(COMPARISONS[data], left, right)
        if data in ("In", "isinstance"):
            members = tuple(_members(terms, args[1], classes=data == "isinstance"))
            if members and None not in members:
                return Predicate("in" if data == "In" else data, _expression(terms, args[0]), members)
    if operation == "op" and data == "bool" and len(args) == 1:
        return Predicate("truth", _expression(terms, args[0]))
    return Predicate("truth", test if operation == "symbol" else _expression(terms, test))


def _expression(terms: Terms, term: Term) -> Expression:
    operation, data, *args = terms.parts[term]
    if operation == "const" and isinstance(data, SCALARS):
        return Constant(data)
    if operation == "symbol":
        return Symbol(data)
    if operation == "counter":
        return Counter(data)
    if operation == "attr" and data[0] == "__class__":
        return Applied("type", _expression(terms, args[0]))
    if operation == "op" and len(args) == 1 and data in ("len", "type"):
        return Applied(data, _expression(terms, args[0]))
    if operation == "op" and data == "Mod" and terms.operation(args[0]) == "counter":
        return Applied("remainder", _expression(terms, args[0]))
    if operation == "op" and len(args) == 2 and data in ("Add", "Sub"):
        return _shifted(terms, term, data, args)
    return term


def _shifted(terms: Terms, term: Term, operation: str, args: list[Term]) -> Expression:
    """Return a sum with a constant as what the constant is added to, any other sum as it is."""
    left, right = (_expression(terms, arg) for arg in args)
    if operation == "Add" and isinstance(left, Constant):
        left, right = right, left
    if not isinstance(right, Constant) or type(right.value) not in (int, float) or isinstance(left, Constant | Symbol):
        return term
    offset = cast(float, right.value) if operation == "Add" else -cast(float, right.value)
    if isinstance(left, Shifted):
        return Shifted(left.subject, left.offset + offset)
    return Shifted(left, offset)


def _members(terms: Terms, term: Term, *, classes: bool) -> Iterator[Constant | Symbol | None]:
    """Return the values of a display, or the classes that an object is asked to be of; ``None`` for anything else."""
    operation, data, *args = terms.parts[term]
    if operation == "op" and (data in COLLECTIONS or (classes and data == "BitOr")):
        for arg in args:
            yield from _members(terms, arg, classes=classes)
        return
    found = _expression(terms, term)
    if classes and found == Constant(None):
        found = Symbol("types.NoneType")  # int | None
    yield found if isinstance(found, Symbol if classes else Constant | Symbol) else None


def counters(said: Predicate) -> Iterator[Counter]:
    """Return the counters of loops that a predicate speaks of."""
    for side in (said.left, said.right):
        while isinstance(side, Applied | Shifted):
            side = side.subject
        if isinstance(side, Counter):
            yield side


def in_first_iteration(said: Predicate) -> Predicate:
    """Return what a predicate says where a counter that starts at 0 has not gone up yet."""
    return Predicate(said.operation, _started(said.left), _started(said.right))


def _started(side: Expression) -> Expression:
    if isinstance(side, Shifted) and side.subject == Counter(0):
        return Constant(side.offset)
    return Constant(0) if side in (Counter(0), Applied("remainder", Counter(0))) else side


def subjects(said: Predicate) -> Iterator[Expression]:
    """Return what a predicate speaks of, without functions and sums around it."""
    for side in (said.left, said.right):
        while isinstance(side, Applied | Shifted):
            side = side.subject
        if side is not None and not isinstance(side, Constant | Symbol | Counter | tuple):
            yield side


def is_unmodelled(terms: Terms, test: Term) -> bool:
    """Return whether a condition rests on the result of a call of which nothing is known."""
    waiting = [test]
    while waiting:
        operation, data, *args = terms.parts[waiting.pop()]
        if operation == "attr":
            continue  # an object has what attributes it is given
        if operation == "fresh" and not terms.is_structural(data):
            return True
        if operation == "op" and not (isinstance(data, str) and data in KNOWN):
            return True
        waiting += args
    return False


KNOWN = frozenset(
    {
        *COMPARISONS, *COLLECTIONS, "In", "isinstance", "bool", "len", "type", "not", "and", "or", "compare", "path",
        "Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "USub", "BitAnd", "BitOr", "BitXor", "Invert",
        "callable", "hasattr", "shape", "ndim", "size", "dtype", "shape-item", "int", "float", "str", "issubclass",
    }
)  # fmt: skip
