"""Callables that are made of other ones: with arguments bound, mapped over axes, or paired with a gradient."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from olympus_rules.reach.reading.binding import MANY, Binding
from olympus_rules.reach.solver.heap import MOST_AXES
from olympus_rules.reach.solver.mapping import ANYHOW, Mapped
from olympus_rules.reach.solver.slots import Slot
from olympus_rules.reach.solver.values import Constructor, Function


class Partials:
    """The calls that make callables.

    A call that makes very many of them is given what was joined before. Of callables that such calls have made, it
    tells neither arguments nor axes apart: in the core of a framework each call takes what others give, and each
    function of the project would get a callable for each way to bind and map it again and again.
    """

    def __init__(self, binding: Binding) -> None:
        """Start without any call."""
        self._slots = binding.slots
        self._made: Counter[Slot] = Counter()

    def bind(self, function: Function, count: int, result: Slot) -> None:
        """Put a function into a slot, whose first arguments are bound, ``count`` of them."""
        if self._is_over_limit(function, result) or function.given is None:
            bound = replace(function, given=None, mapped=function.mapped.anywhere())
        elif function.is_made and function.given + count > len(function.code.parameters):
            bound = function
        else:
            bound = replace(function, given=function.given + count, mapped=function.mapped.after(count))
        self._slots.put(result, bound)

    def map(self, value: Function | Constructor, mapped: Mapped, result: Slot) -> None:
        """Put a function into a slot that is mapped over axes of its arguments; over the limit, of unknown axes."""
        if isinstance(value, Function):
            is_over = self._is_over_limit(value, result)
            both = ANYHOW if is_over else value.mapped.within(mapped)
            self._slots.put(result, replace(value, mapped=ANYHOW if both is None else both))
        else:
            axes = 1 if mapped.axes is None else mapped.axes
            self._slots.put(result, replace(value, axes=min(value.axes + axes, MOST_AXES)))

    def pair(self, function: Function, result: Slot) -> None:
        """Put a function into a slot that gives its result in a pair with the gradient."""
        self._slots.put(result, replace(function, is_paired=True))

    def _is_over_limit(self, function: Function, result: Slot) -> bool:
        """Count one more callable that a call makes; return whether there are too many, and it was made by a call."""
        self._made[result] += 1
        return self._made[result] > MANY and function.is_made
