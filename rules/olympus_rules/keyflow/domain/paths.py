"""Path conditions: the decisions that hold on a path, and those that fail, as a pair of bit masks.

Consumptions and values store their path condition; two of them lie on one path unless their conditions contradict
each other. So branches need no copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

PathCondition: TypeAlias = tuple[int, int]
ALWAYS: PathCondition = (0, 0)


def both(a: PathCondition, b: PathCondition) -> PathCondition | None:
    """Return the condition under which both hold, ``None`` when they contradict each other."""
    holds, fails = a[0] | b[0], a[1] | b[1]
    return None if holds & fails else (holds, fails)


def compatible(a: PathCondition, b: PathCondition) -> bool:
    """Return whether both conditions can hold on one path."""
    return not (a[0] & b[1] or a[1] & b[0])


def implies(a: PathCondition, b: PathCondition) -> bool:
    """Return whether ``a`` includes every decision of ``b``."""
    return not (b[0] & ~a[0] or b[1] & ~a[1])


def bit_numbers(mask: int) -> Iterator[int]:
    """Return the numbers of the bits that are set."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def bits(path: PathCondition) -> Iterator[int]:
    """Return the masks of the decisions in a condition."""
    rest = path[0] | path[1]
    while rest:
        yield rest & -rest
        rest &= rest - 1
