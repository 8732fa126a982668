"""What a decision says of the numbers that it was computed of: two branches may exclude each other by it.

A decision of ``cond`` is a term and a case. ``d == 0`` and ``d > 2`` are different terms, and say different things of
the term ``d``: nowhere are both true. A decision is translated into the predicates of `olympus.predicates`, which
decides whether they can hold together. What is not understood says no more than that this term has this value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from olympus.predicates import Consistency, Constant, Expression, Literal, Predicate, Shifted, Symbol, consistency

if TYPE_CHECKING:
    from olympus.lineage.identity import Identities

Facts = tuple[Literal, ...]
"""Conditions that hold, or do not, where a branch is taken. They speak of terms by their numbers."""

SAME = frozenset({"broadcast_in_dim", "copy", "expand_dims", "reshape", "squeeze", "stop_gradient"})
"""Primitives whose results have the numbers of their operand, lane by lane, as far as a decision looks at these."""

OF_BOOLEAN = ("operand", "bool")
"""The parameter that the term of a conversion or of a logical operation has where its operand is a boolean."""

DEPTH = 32  # of the terms that are looked at, which a program makes as deep as it likes


WHOLE = (Symbol("builtins.int"),)

COMPARISONS = {
    "eq": ("eq", False, True), "ne": ("eq", False, False),
    "lt": ("lt", False, True), "ge": ("lt", False, False),
    "gt": ("lt", True, True), "le": ("lt", True, False),
}  # fmt: skip
"""The predicate of a comparison, whether its sides change places, and whether it holds where the comparison does.

NaN, which is neither below a number nor at or above it, is left out.
"""


def agree(first: Facts, second: Facts) -> bool:
    """Return whether both can hold together, as far as is known."""
    return not (first and second) or consistency(both(first, second)) is not Consistency.IMPOSSIBLE


def both(first: Facts, second: Facts) -> Facts:
    """Return what is known where both hold."""
    return tuple(dict.fromkeys((*first, *second)))


def canonical(identities: Identities, number: int, case: int) -> tuple[int, int]:
    """Return the decision and the case of a predicate without reshapes, conversions and negations."""
    for _ in range(DEPTH):
        name, children, params = _computed(identities, number)
        of_boolean = OF_BOOLEAN in params
        if name in SAME or (name == "convert_element_type" and of_boolean):
            number = children[0]
        elif name == "not" and of_boolean:
            number, case = children[0], 1 - case
        else:
            break
    return number, case


def facts_of(identities: Identities, number: int, case: int) -> Facts:
    """Return what is known of numbers where a decision has a case.

    Args:
        identities: the terms.
        number: the term of what decides.
        case: its value.
    """
    return tuple(_said(identities, number, case, DEPTH))


def _said(identities: Identities, number: int, case: int, depth: int) -> Iterator[Literal]:
    number, case = canonical(identities, number, case)
    name, children, params = _computed(identities, number)
    if name in COMPARISONS:
        yield from _compared(identities, children, name, bool(case))
    elif name in ("and", "or") and case == (name == "and") and depth and OF_BOOLEAN in params:
        for child in children:
            yield from _said(identities, child, case, depth - 1)
    elif name == "clamp" and (ends := [_literal(identities, children[place]) for place in (0, 2)]) and None not in ends:
        yield from _switched(identities, children[1], case, *(end for end in ends if end is not None))
    elif not isinstance(own := _expression(identities, number), Constant):
        yield Predicate("eq", own, Constant(case)), True


def _compared(identities: Identities, sides: tuple[int, ...], name: str, case: bool) -> Iterator[Literal]:
    """Yield what a comparison says, where it is true or false."""
    operation, is_mirrored, holds = COMPARISONS[name]
    left, right = (_expression(identities, side) for side in (reversed(sides) if is_mirrored else sides))
    if _base(left) == _base(right) or not all(map(_is_finite, (left, right))):
        return
    if any(identities[side].operation == "literal" for side in sides):
        yield from (
            (Predicate("isinstance", _base(each), WHOLE), True)
            for each in (left, right)
            if not isinstance(each, Constant)
        )
    yield Predicate(operation, left, right), holds == case


def _switched(identities: Identities, index: int, case: int, low: float, high: float) -> Iterator[Literal]:
    """Yield what the branch of a switch says of its index before that was put into bounds.

    The first branch is taken for all lower numbers, the last one for all higher ones.
    """
    own, known = _expression(identities, index), Constant(case)
    if case > low and not isinstance(own, Constant):
        yield Predicate("lt", own, known), False
    if case < high and not isinstance(own, Constant):
        yield Predicate("lt", known, own), False


def _expression(identities: Identities, number: int) -> Expression:
    """Return what conditions say of a term."""
    base, distance = _with_distance(identities, number)
    offset = int(distance) if math.isfinite(distance) and distance.is_integer() else distance
    if base < 0:
        return Constant(offset)
    return Shifted(base, offset) if offset else base


def _base(expression: Expression) -> Expression:
    """Return what a number is added to; the same for all known numbers."""
    if isinstance(expression, Constant):
        return Constant(0)
    return expression.subject if isinstance(expression, Shifted) else expression


def _is_finite(expression: Expression) -> bool:
    return not (isinstance(expression, Constant) and isinstance(expression.value, float)) or math.isfinite(
        expression.value
    )


def _with_distance(identities: Identities, number: int) -> tuple[int, float]:
    """Return a term and the number that is added to it; -1 for the term of a number that is known."""
    distance = 0.0
    for _ in range(DEPTH):
        known = _literal(identities, number)
        if known is not None:
            return -1, distance + known
        name, children, _ = _computed(identities, number)
        if name in SAME:
            number = children[0]
            continue
        numbers = [_literal(identities, child) for child in children] if name in ("add", "sub") else []
        if len(numbers) == 2 and numbers[1] is not None and float(numbers[1]).is_integer():
            number, distance = children[0], distance + (numbers[1] if name == "add" else -numbers[1])
        elif len(numbers) == 2 and name == "add" and numbers[0] is not None and float(numbers[0]).is_integer():
            number, distance = children[1], distance + numbers[0]
        else:
            break
    return number, distance


def _computed(identities: Identities, number: int) -> tuple[str, tuple[int, ...], tuple[object, ...]]:
    """Return the primitive, the operands and the parameters of what a term is a result of; empty for another term."""
    operation, children, data = identities[number]
    if operation == "value" and data == 0 and len(children) == 1:
        operation, children, data = identities[children[0]]
    if operation == "computed" and isinstance(data, tuple):
        return data[0], children, data[1] if isinstance(data[1], tuple) else ()
    return "", (), ()


def _literal(identities: Identities, number: int) -> float | None:
    """Return the number that a term is, ``None`` where it is not known, or not the same in all places."""
    operation, children, data = identities[number]
    if operation == "literal" and isinstance(data, int):
        return float(data)
    if operation == "literals" and isinstance(data, tuple):
        numbers = np.frombuffer(data[1], data[2])
        return float(numbers[0]) if numbers.size and (numbers == numbers[0]).all() else None
    if operation == "value" and not children and isinstance(data, tuple) and str(data[0]).startswith("float"):
        try:
            return float(data[1])
        except ValueError:
            return None
    return None
