"""Loops with an unknown number of iterations: see :mod:`olympus.verdicts.iterations`."""

from __future__ import annotations

import builtins
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from olympus.predicates import Symbol
from olympus.verdicts.iterations import LOOP, Turn
from olympus.witness.choices import FEW
from olympus.witness.decisions import joined
from olympus.witness.unknown import DEEPEST, NEST, Unknown, is_unknown

if TYPE_CHECKING:
    from olympus.witness.host import Host

__all__ = ["Enumerated", "Loops", "OpenRange", "Zipped", "is_traced"]

TURNS = 3  # iterations of an open loop: the first, and two that have to be alike
INJECTIVE = frozenset({"__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__xor__", "__rxor__"})


def is_traced(value: Any) -> bool:
    """Return whether a value belongs to JAX, and so has no truth value in a trace."""
    return type(value).__module__.startswith("jax")


WHOLE = (Symbol("builtins.int"),)


class OpenRange:
    """A range with unknown bounds: it gives the first few numbers, if there can be as many."""

    def __init__(self, world: Host, bounds: tuple[Any, ...] = ()) -> None:
        self.world = world
        start, stop = (0, *bounds) if len(bounds) == 1 else (*bounds, None, None)[:2]
        is_counted = len(bounds) in (1, 2) and isinstance(start, int) and is_unknown(stop)
        self.first: int = start if is_counted else 0
        self.stop = stop._olympus_term if is_counted else None
        self.bounds = [bound._olympus_term for bound in bounds if is_unknown(bound)]

    def __iter__(self) -> Iterator[int]:
        self.world.cut = LOOP
        for bound in self.bounds:
            self.world.decisions.allows(joined("isinstance", (bound, WHOLE)), True)
        yield from self.world.few_turns(self.stop, self.first)

    def __reversed__(self) -> OpenRange:
        return self

    def __len__(self) -> int:
        return FEW

    def __getitem__(self, index: Any) -> Any:
        return range(self.first, self.first + FEW)[index]


class Iterated(ABC):
    """An iterator that knows what it iterates over."""

    iterator: Iterator[Any] | None = None

    @abstractmethod
    def begin(self) -> Iterator[Any]:
        """Return the built-in iterator."""

    def __iter__(self) -> Iterated:
        return self

    def __next__(self) -> Any:
        if self.iterator is None:
            self.iterator = self.begin()
        return next(self.iterator)


class Zipped(Iterated):
    """A ``zip`` that knows what it iterates over."""

    def __init__(self, *parts: Any, **options: Any) -> None:
        self.parts, self.options = parts, options

    def begin(self) -> Iterator[Any]:
        """Return what ``zip`` gives."""
        return builtins.zip(*self.parts, **self.options)  # noqa: B905 - as it is called


class Enumerated(Iterated):
    """An ``enumerate`` that knows what it iterates over."""

    def __init__(self, values: Any, start: Any = 0) -> None:
        self.values, self.start = values, start

    def begin(self) -> Iterator[Any]:
        """Return what ``enumerate`` gives."""
        return builtins.enumerate(self.values, self.start)


class Loops:
    """The open loops of one execution.

    Attributes:
        running: how many are running.
        numbers: the stand-ins for the numbers of iterations.
        lengths: the number of iterations of each loop, by the calls that lead to it.
        grown: lists whose length depends on such a loop.
        many: the number of children of a split that stand for any number; 0 if there is no such split.
    """

    def __init__(self, world: Host) -> None:
        self.world = world
        self.count = self.running = 0
        self.numbers: dict[Unknown, Turn] = {}
        self.lengths: dict[Hashable, int] = {}
        self.grown: list[Any] = []
        self.many = 0

    def is_open(self, values: Any) -> bool:
        """Return whether a loop over this has an unknown number of iterations."""
        if isinstance(values, Zipped):
            return bool(values.parts) and values.iterator is None and all(map(self.is_open, values.parts))
        if isinstance(values, Enumerated):
            return values.iterator is None and self.is_open(values.values)
        if is_traced(values):
            return bool(getattr(values, "ndim", 0)) and values.shape[0] >= TURNS
        return isinstance(values, OpenRange) or (is_unknown(values) and values._olympus_depth <= DEEPEST)

    def over(self, values: Any) -> Iterator[Any]:
        """Run a few iterations of a loop over something of unknown length."""
        for turn in self.turns():
            yield self.element(values, turn)

    def length(self) -> int:
        """Decide the number of iterations: three, which stand for any greater number, or fewer."""
        calls = []
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            calls.append((frame.f_code, frame.f_lasti))
            frame = frame.f_back
        place = tuple(calls)
        if place not in self.lengths:
            length = 0
            while length < TURNS and self.world.choices.choose():
                length += 1
            self.lengths[place] = length
        return self.lengths[place]

    def turns(self) -> Iterator[Turn]:
        """Run up to three iterations of a loop, and mark each in the trace."""
        self.count += 1
        loop, world, length = self.count, self.world, self.length()
        self.running += 1
        try:
            for number in range(length):
                world.players.turn(loop, number)
                yield Turn(loop, number)
        finally:
            self.running -= 1
            with suppress(Exception):  # an abandoned generator may end after the execution
                world.players.turn(loop, None)

    def element(self, values: Any, turn: Turn) -> Any:
        """Return the element of one iteration."""
        if isinstance(values, OpenRange):
            return self.number(turn)
        if isinstance(values, Enumerated):
            return self.number(turn), self.element(values.values, turn)
        if isinstance(values, Zipped):
            return tuple(self.element(part, turn) for part in values.parts)
        if is_unknown(values):
            if not self.world.players.is_key(values):
                return values._olympus_part(("[", turn.number), f"{values._olympus_path}[{turn.number}]", NEST)
            values = self.world.players.key(values)
        return values[self.world.players.number(self.number(turn))]

    def number(self, turn: Turn) -> Unknown:
        """Return a stand-in for the number of an iteration, which differs from those of all others of the loop."""
        known = (value for value, own in self.numbers.items() if own == turn)
        value = next(known, None)
        if value is None:
            value = Unknown(self.world, "the number of a turn")
            self.numbers[value] = turn
        return value

    def told(self, value: Unknown) -> Turn | None:
        """Return the iteration from whose number a value was computed injectively; ``None`` if there is none."""
        waiting = list(self.numbers.items())
        while waiting:
            number, turn = waiting.pop()
            if number is value:
                return turn
            for name, part in number._olympus_parts.items():
                if is_unknown(part) and isinstance(name, tuple) and name[0] in INJECTIVE and is_fixed(name[1]):
                    waiting.append((part, turn._replace(computed=(*turn.computed, name))))
        return None

    def vary(self, value: Any) -> Any:
        """Note that a known value decides what a loop does: it may be another value in a later iteration."""
        if self.running and not is_unknown(value) and not is_traced(value):
            self.world.cut = LOOP
        return value

    def grow(self, values: Any) -> None:
        """Remember a list that may be longer if a loop runs more iterations."""
        for part in parts(values):
            if self.count and isinstance(part, list | deque):
                self.grown.append(part)

    def is_grown(self, values: Any) -> bool:
        """Return whether a loop iterates over such a list, or over keys that stand for any number."""
        return any(
            any(part is each for each in self.grown)
            or (self.many and isinstance(part, list | tuple) and any(map(is_traced, part)))
            for part in parts(values)
        )

    def take(self, container: Any, index: Any) -> None:
        """Note the lookup of an item that may be another one in a later iteration, or after a longer loop."""
        if not isinstance(index, int) or index not in (0, -1):
            self.vary(index)
            if self.count and isinstance(container, list | deque):
                self.world.cut = LOOP


def parts(values: Any) -> list[Any]:
    """Return what a loop iterates over, without ``zip`` and ``enumerate`` around it."""
    if isinstance(values, Enumerated):
        return parts(values.values)
    return [part for each in values.parts for part in parts(each)] if isinstance(values, Zipped) else [values]


def is_fixed(operand: Hashable) -> bool:
    """Return whether the other operand is a known integer other than 0, whose products are all equal."""
    return isinstance(operand, tuple) and operand[0] == "int" and operand[1] != 0
