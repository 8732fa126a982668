"""Limits on what Python computes by itself: a number of a billion digits takes hours, and no alarm ends that.

A result over the limit is unknown. Long ranges, and iterators without an end, end in an error that makes the result of
the statement unknown.
"""

from __future__ import annotations

import itertools
import math
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any

from olympus.predicates import Symbol
from olympus.verdicts.reasons import Reason
from olympus.witness.budget import TooLong
from olympus.witness.choices import FEW
from olympus.witness.decisions import joined
from olympus.witness.unknown import Unknown, is_unknown

if TYPE_CHECKING:
    from olympus.witness.state import State

BITS = 100_000  # of a number
ELEMENTS = 1_000_000  # of a list or a text
LONG = 10_000  # elements that are taken from a range or an iterator
STRIDE = 100  # elements that cost a step
FACTORIAL = 5_000  # the largest argument

NUMBERS = (int, bool)
WHOLE = (Symbol("builtins.int"),)
SEQUENCES = (str, bytes, bytearray, list, tuple)
OPERATORS = {
    "**": ("pow", "__pow__", "ipow", "__ipow__"),
    "*": ("mul", "__mul__", "imul", "__imul__"),
    "<<": ("lshift", "__lshift__", "ilshift", "__ilshift__"),
}
ENDLESS = ("count", "cycle", "repeat", "product", "permutations", "combinations", "combinations_with_replacement")


def is_too_large(sign: str, left: Any, right: Any) -> bool:
    """Return whether an operation on plain values has a result over the limits."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        bits = int(left).bit_length()
        match sign:
            case "*":
                return bits + int(right).bit_length() > BITS
            case "<<":
                return bool(left and right + bits > BITS)
        return bool(abs(left) > 1 and right * bits > BITS)
    values, number = (left, right) if type(left) in SEQUENCES else (right, left)
    repeats = sign == "*" and type(values) in SEQUENCES and type(number) in NUMBERS
    return repeats and len(values) * number > ELEMENTS


class LongRange(Sequence[int]):
    """A long range, from which only so many elements can be taken."""

    def __init__(self, world: State, full: range) -> None:
        """Take the range."""
        self._world, self._full = world, full

    def __len__(self) -> int:
        return len(self._full)

    def __getitem__(self, index: Any) -> Any:
        return self._full[index]

    def __contains__(self, value: object) -> bool:
        return value in self._full

    def __iter__(self) -> Iterator[int]:
        return counted(self._world, iter(self._full))

    def __reversed__(self) -> Iterator[int]:
        return counted(self._world, reversed(self._full))


class OpenRange:
    """A range with unknown bounds: it gives the first few numbers, if there can be as many."""

    def __init__(self, world: State, bounds: tuple[Any, ...]) -> None:
        """Take the arguments of ``range``."""
        self.world = world
        start, stop = (0, *bounds) if len(bounds) == 1 else (*bounds, None, None)[:2]
        is_counted = len(bounds) in (1, 2) and isinstance(start, int) and is_unknown(stop)
        self.first: int = start if is_counted else 0
        self.stop = stop._olympus_term if is_counted else None
        self.bounds = [bound._olympus_term for bound in bounds if is_unknown(bound)]

    def __iter__(self) -> Iterator[int]:
        self.world.cut = Reason.LOOP
        for bound in self.bounds:
            self.world.decisions.allows(joined("isinstance", (bound, WHOLE)), True)
        yield from self.world.few_turns(self.stop, self.first)

    def __reversed__(self) -> OpenRange:
        return self

    def __len__(self) -> int:
        return FEW

    def __getitem__(self, index: Any) -> Any:
        return range(self.first, self.first + FEW)[index]


def counted(world: State, elements: Iterator[Any]) -> Iterator[Any]:
    """Return elements, which cost steps.

    Raises:
        TooLong: there are very many.
    """
    for number, element in enumerate(elements):
        if number % STRIDE == 0:
            world.budget.step()
        if number == LONG:
            raise TooLong(f"more than {LONG} elements")
        yield element


class Sizes:
    """Keeps the operations of one world within the limits."""

    def __init__(self, world: State) -> None:
        """Take the world."""
        self._world = world
        self.modules: Mapping[str, Any] = {
            "itertools": replaced(itertools, {name: self._counted(getattr(itertools, name)) for name in ENDLESS}),
            "math": replaced(
                math, {"factorial": self.factorial, "comb": partial(self._of, math.comb), "perm": self.chosen_in_order}
            ),
            "operator": replaced(
                operator,
                {
                    name: self._within(sign, getattr(operator, name))
                    for sign, names in OPERATORS.items()
                    for name in names
                },
            ),
        }
        self.pow = self._within("**", pow)

    def operation(self, left: Any, right: Any, sign: str) -> Any:
        """Stand for an operation; its result is unknown if it would be too large."""
        if self._world.is_claimed(sys._getframe(1)):
            key = self._world.players.key
            left, right = (key(left), right) if is_unknown(left) else (left, key(right))
        operate: Callable[[Any, Any], Any] = getattr(operator, OPERATORS[sign][0])
        return operate(left, self.operand(left, right, sign))

    def operand(self, left: Any, right: Any, sign: str) -> Any:
        """Return the right operand of an operation; an unknown one if the result would be too large."""
        return self._unknown(f"... {sign} {shown(right)}") if is_too_large(sign, left, right) else right

    def factorial(self, number: Any) -> Any:
        """Stand for ``math.factorial``."""
        if type(number) is int and number > FACTORIAL:
            return self._unknown(f"factorial({shown(number)})")
        return math.factorial(number)

    def chosen_in_order(self, number: Any, chosen: Any = None) -> Any:
        """Stand for ``math.perm``."""
        return self.factorial(number) if chosen is None else self._of(math.perm, number, chosen)

    def _of(self, function: Callable[[Any, Any], int], number: Any, chosen: Any) -> Any:
        if is_too_large("**", number, chosen):
            return self._unknown(f"{function.__name__}({shown(number)}, {shown(chosen)})")
        return function(number, chosen)

    def _within(self, sign: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def apply(*args: Any) -> Any:
            if len(args) == 2 and is_too_large(sign, *args):
                return self._unknown(f"... {sign} {shown(args[1])}")
            return function(*args)

        return apply

    def _counted(self, function: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        @wraps(function)
        def apply(*args: Any, **kwargs: Any) -> Iterator[Any]:
            return counted(self._world, function(*args, **kwargs))

        return apply

    def _unknown(self, path: str) -> Unknown:
        return Unknown(self._world, path, term=Symbol(path))


def replaced(module: ModuleType, names: Mapping[str, Any]) -> ModuleType:
    """Return a copy of a module with other functions under some names."""
    made = ModuleType(module.__name__)
    vars(made).update(vars(module))
    vars(made).update({name: value for name, value in names.items() if hasattr(module, name)})
    return made


def shown(value: Any) -> str:
    """Return a number that is not too long, as a reader would write it."""
    return str(value) if type(value) in NUMBERS and abs(value) < 1 << 64 else "..."
