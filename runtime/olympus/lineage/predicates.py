"""What a decision says of the numbers that it was computed of: two branches may exclude each other by it.

A decision of ``cond`` is a term and a case. ``d == 0`` and ``d > 2`` are different terms, and say different things of
the term ``d``: nowhere are both true. What is not understood says no more than that this term has this value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from olympus.lineage.identity import Identities

__all__ = ["Bounds", "Range", "agree", "both", "bounds_of", "canonical"]

SAME = frozenset({"broadcast_in_dim", "copy", "expand_dims", "reshape", "squeeze", "stop_gradient"})
"""Primitives whose results have the numbers of their operand, lane by lane, as far as a decision looks at these."""

OF_BOOLEAN = ("operand", "bool")
"""The parameter that the term of a conversion or of a logical operation has where its operand is a boolean."""

DEPTH = 32  # of the terms that are looked at, which a program makes as deep as it likes


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a value may be.

    Attributes:
        low: none is lower.
        high: none is higher.
        open_low: whether it is not ``low`` itself.
        open_high: whether it is not ``high`` itself.
        without: some that it is not.
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    without: frozenset[float] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Say whether there are no such numbers."""
        if self.low == self.high:
            return self.open_low or self.open_high or self.low in self.without
        return self.low > self.high

    def __and__(self, other: Range) -> Range:
        """Return the numbers that are in both."""
        low, open_low = max((self.low, self.open_low), (other.low, other.open_low))
        high, closed_high = min((self.high, not self.open_high), (other.high, not other.open_high))
        return Range(low, high, open_low, not closed_high, self.without | other.without)

    def moved(self, distance: float) -> Range:
        """Return the numbers with another one added to each."""
        without = frozenset(each + distance for each in self.without)
        return Range(self.low + distance, self.high + distance, self.open_low, self.open_high, without)

    def whole(self) -> Range:
        """Return the whole numbers among these, where the ends are whole or infinite."""
        low = self.low + 1 if self.open_low else self.low
        high = self.high - 1 if self.open_high else self.high
        return Range(low, high, without=self.without)

    def mirrored(self) -> Range:
        """Return the numbers with the other sign."""
        without = frozenset(-each for each in self.without)
        return Range(-self.high, -self.low, self.open_high, self.open_low, without)


Base = tuple[int, int]
"""A number that something is said of: one term less another, which is -1 where there is none."""

Bounds = dict[Base, Range]


def _below(bound: float, *, open_: bool) -> Range:
    return Range(high=bound, open_high=open_)


def _above(bound: float, *, open_: bool) -> Range:
    return Range(low=bound, open_low=open_)


COMPARISONS: dict[str, tuple[Range, Range]] = {
    "eq": (Range(without=frozenset({0.0})), Range(0.0, 0.0)),
    "ne": (Range(0.0, 0.0), Range(without=frozenset({0.0}))),
    "lt": (_above(0.0, open_=False), _below(0.0, open_=True)),
    "le": (_above(0.0, open_=True), _below(0.0, open_=False)),
    "gt": (_below(0.0, open_=False), _above(0.0, open_=True)),
    "ge": (_below(0.0, open_=True), _above(0.0, open_=False)),
}
"""What a comparison says of its left side less its right side, where it is false and where it is true.

That NaN is neither below a number nor at or above it is not looked at.
"""


def agree(first: Bounds, second: Bounds) -> bool:
    """Say whether both can hold together, as far as can be told."""
    return not any(base in second and (each & second[base]).is_empty for base, each in first.items())


def both(first: Bounds, second: Bounds) -> Bounds:
    """Return what is known where both hold."""
    return {**first, **{base: each & first.get(base, Range()) for base, each in second.items()}}


def canonical(identities: Identities, number: int, case: int) -> tuple[int, int]:
    """Return the decision and the case of a predicate without what only reshapes, converts or negates it."""
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


def bounds_of(identities: Identities, number: int, case: int) -> Bounds:
    """Return what is known of numbers where a decision has a case.

    Args:
        identities: the terms.
        number: the term of what decides.
        case: its value.
    """
    found: Bounds = {}
    for base, each in _said(identities, number, case, DEPTH):
        found[base] = each & found.get(base, Range())
    return found


def _said(identities: Identities, number: int, case: int, depth: int) -> Iterator[tuple[Base, Range]]:
    number, case = canonical(identities, number, case)
    name, children, params = _computed(identities, number)
    if name in COMPARISONS:
        yield from _compared(identities, children, COMPARISONS[name][bool(case)])
    elif name in ("and", "or") and case == (name == "and") and depth and OF_BOOLEAN in params:
        for child in children:
            yield from _said(identities, child, case, depth - 1)
    elif name == "clamp" and (ends := [_literal(identities, children[place]) for place in (0, 2)]) and None not in ends:
        # The index of a switch: the first branch is taken for all lower numbers, the last one for all higher ones.
        low, high = (float(end) for end in ends if end is not None)
        own = Range(-math.inf if case <= low else case, math.inf if case >= high else case)
        yield from _of(identities, children[1], own)
    else:
        yield from _of(identities, number, Range(case, case))


def _compared(identities: Identities, sides: tuple[int, ...], difference: Range) -> Iterator[tuple[Base, Range]]:
    """Yield what a comparison says, given what its left side less its right side is."""
    (left, added), (right, also) = (_with_distance(identities, side) for side in sides)
    if any(identities[side].operation == "literal" for side in sides):
        difference = difference.whole()
    difference = difference.moved(also - added)
    if left == right:
        return
    if left >= 0 and (right < 0 or left < right):
        yield (left, right), difference
    else:
        yield (right, left), difference.mirrored()


def _of(identities: Identities, number: int, own: Range) -> Iterator[tuple[Base, Range]]:
    base, distance = _with_distance(identities, number)
    if base >= 0:
        yield (base, -1), own.moved(-distance)


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
