"""Condition terms translated to predicates, which `olympus.predicates` decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from olympus.predicates import Applied, Constant, Counter, Expression, Predicate, Shifted, Symbol
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.libraries.names import NONE_TYPE

COMPARISONS = {"Is": "is", "Eq": "eq", "Lt": "lt"}
COLLECTIONS = ("tuple", "list", "set")
DIMENSIONS = ("shape", "ndim", "size", "dtype")
SCALARS = (type(None), bool, int, float, complex, str, bytes)
MISSING = Ellipsis
COUNTERS = "counters"  # of all loops: they distinguish iterations


def predicate(terms: Terms, test: Term) -> Predicate:
    """Return the predicate of a condition, by default the truth of its term."""
    operation, data, *args = terms.parts[test]
    if operation == "op" and len(args) == 2:
        if data in COMPARISONS:
            return _comparison(terms, COMPARISONS[data], *args)
        if data in ("In", "isinstance"):
            members = tuple(_members(terms, args[1], classes=data == "isinstance"))
            if members and None not in members:
                return Predicate("in" if data == "In" else data, _expression(terms, args[0]), members)
            wanted = _expression(terms, args[0])
            if data == "In" and isinstance(wanted, Constant):
                return Predicate("contains", _expression(terms, args[1]), wanted)
    if operation == "op" and data == "bool" and len(args) == 1:
        return Predicate("truth", _expression(terms, args[0]))
    return Predicate("truth", test if operation == "symbol" else _expression(terms, test))


def _comparison(terms: Terms, operation: str, one: Term, other: Term) -> Predicate:
    left, right = _expression(terms, one), _expression(terms, other)
    if isinstance(left, Symbol) and isinstance(right, Constant | Symbol):
        left = one  # a module's variable compared with a value
    elif isinstance(right, Symbol) and isinstance(left, Constant):
        right = other
    if operation == "eq" and isinstance(left, Constant):
        left, right = right, left
    return Predicate(operation, left, right)


def _expression(terms: Terms, term: Term) -> Expression:
    operation, data, *args = terms.parts[term]
    if operation == "const" and isinstance(data, SCALARS):
        return Constant(data)
    if operation == "symbol":
        return Symbol(data, terms.bases.get(data, frozenset()), terms.members.get(data.rpartition(".")[0], frozenset()))
    if operation == "counter":
        return Counter(data)
    if operation == "attr":
        return _attribute(terms, term, data, args[0])
    if operation != "op" or not (args or data in COLLECTIONS):
        return term
    if len(args) == 1 and data in ("len", "type"):
        return Applied(data, _expression(terms, args[0]))
    if data == "ndim":
        return Applied("len", terms.make("op", "shape", args[0]))
    if data == "Mod":
        return _remainder(terms, *args)
    if len(args) == 2 and data in ("Add", "Sub"):
        return _shifted(terms, term, data, args)
    if isinstance(data, tuple) and str(data[0]).startswith("."):
        arguments = tuple(_python(terms, arg) for arg in args[1:])
        return term if MISSING in arguments else Applied(str(data[0]), _expression(terms, args[0]), arguments)
    value = _python(terms, term)
    return term if value is MISSING else Constant(value)


def _python(terms: Terms, term: Term) -> Any:
    """Return the value of a constant, or of a tuple or list of constants as a tuple."""
    operation, data, *args = terms.parts[term]
    if operation == "const" and isinstance(data, SCALARS):
        return data
    if operation == "op" and data in ("tuple", "list"):
        parts = tuple(_python(terms, arg) for arg in args)
        return MISSING if MISSING in parts else parts
    return MISSING


def _attribute(terms: Terms, term: Term, data: tuple[str, int], owner: Term) -> Expression:
    if data[0] == "__class__":
        return Applied("type", _expression(terms, owner))
    if data[0] == "ndim":
        return Applied("len", terms.make("attr", ("shape", data[1]), owner))
    return term


def _remainder(terms: Terms, left: Term, right: Term) -> Expression:
    number, subject = _python(terms, right), _expression(terms, left)
    if type(number) is int:
        return Applied("%", subject, (number,))
    return Applied("remainder", subject) if isinstance(subject, Counter) else terms.make("op", "Mod", left, right)


def _shifted(terms: Terms, term: Term, operation: str, args: list[Term]) -> Expression:
    """Return a sum with a constant as a shifted subject, any other sum unchanged."""
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
    """Return the values of a display, or the classes of an ``isinstance`` test; ``None`` for anything else."""
    operation, data, *args = terms.parts[term]
    if operation == "op" and (data in COLLECTIONS or (classes and data == "BitOr")):
        for arg in args:
            yield from _members(terms, arg, classes=classes)
        return
    found = _expression(terms, term)
    if classes and found == Constant(None):
        found = Symbol(NONE_TYPE)  # int | None
    yield found if isinstance(found, Symbol if classes else Constant | Symbol) else None


def counters(said: Predicate) -> Iterator[Counter]:
    """Return the loop counters in a predicate."""
    for side in (said.left, said.right):
        part = _innermost(side)
        if isinstance(part, Counter):
            yield part


def in_first_iteration(said: Predicate) -> Predicate:
    """Return a predicate in the first iteration, where a counter that starts at 0 is still 0."""
    return Predicate(said.operation, _started(said.left), _started(said.right))


def _started(side: Expression) -> Expression:
    if isinstance(side, Shifted) and side.subject == Counter(0):
        return Constant(side.offset)
    if isinstance(side, Applied) and side.subject == Counter(0):
        return Constant(0)  # a remainder
    return Constant(0) if side == Counter(0) else side


def _innermost(side: Expression) -> Expression:
    while isinstance(side, Applied | Shifted):
        side = side.subject
    return side


def subjects(said: Predicate) -> Iterator[Expression]:
    """Return the subjects of a predicate, without functions and sums around them; all counters are one subject."""
    for side in (said.left, said.right):
        part = _innermost(side)
        if isinstance(part, Counter):
            yield COUNTERS
        elif part is not None and not isinstance(part, Constant | Symbol | tuple):
            yield part


def roots(terms: Terms, test: Term) -> set[Term]:
    """Return the outside values from which a condition is computed."""
    found: set[Term] = set()
    waiting = [test]
    while waiting:
        term = waiting.pop()
        operation, data, *args = terms.parts[term]
        is_part = operation in ("slice", "list", "view", "op") or (operation == "attr" and data[0] in DIMENSIONS)
        if is_part and args:
            waiting += args
        elif operation not in ("const", "symbol"):
            found.add(term)
    return found


def is_opaque(terms: Terms, test: Term) -> bool:
    """Return whether a condition tests its subject in a way that the decision procedure does not model."""
    if terms.operation(test) == "op" and terms.data(test) in ("and", "or", "not"):
        return any(is_opaque(terms, part) for part in terms.args(test))
    said = predicate(terms, test)
    if isinstance(said.left, Applied) and said.left.function not in ("len", "type"):
        return True
    return said.operation == "contains" or any(
        isinstance(part, Term) and roots(terms, part) != {part} for part in subjects(said)
    )


def is_unmodelled(terms: Terms, test: Term) -> bool:
    """Return whether a condition depends on the result of an unknown call."""
    waiting = [test]
    while waiting:
        operation, data, *args = terms.parts[waiting.pop()]
        if operation == "attr":
            continue  # attributes of an object are not unknown results
        if operation == "fresh" and not terms.is_structural(data):
            return True
        if operation == "op" and not isinstance(data, str):
            return True
        waiting += args
    return False
