"""What each equation of a traced function gives, for those who show the equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from olympus.lineage.interpreter import Interpreter

if TYPE_CHECKING:
    from olympus.lineage.events import Context
    from olympus.lineage.values import Value
    from olympus.tracing.jaxprs import Equation


@dataclass(frozen=True, slots=True)
class Step:
    """The keys of one equation.

    Attributes:
        given: the identities of the keys in its results, whole or in words.
        taken: those in its operands.
        whole: whether the results have whole keys, and not words that were taken apart.
    """

    given: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    whole: bool = True


class Stepwise(Interpreter):
    """An interpreter that keeps the keys of each equation: in a loop, those of the first iteration."""

    def __init__(self, *, partitionable: bool) -> None:
        super().__init__(partitionable=partitionable)
        self._steps: dict[tuple[int, ...], Step] = {}

    def follow(self, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
        """Return the results of one equation."""
        place = equation.path
        results = super().follow(equation, operands, context)
        if place not in self._steps:
            whole = all(map(self._is_whole, results))
            self._steps[place] = Step(self._keys(results), self._keys(operands), whole)
        return results

    def step(self, equation: Equation) -> Step:
        """Return the keys of an equation, without what only looks like a raw key."""
        step = self._steps.get(equation.path, Step())
        given, taken = (tuple(key for key in keys if self.are_keys([key])) for keys in (step.given, step.taken))
        return Step(given, taken, step.whole)

    def _keys(self, values: list[Value]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(key for value in values for key in self.keys_in(value)))

    def _is_whole(self, value: Value) -> bool:
        if value.labels is None or all(map(self.identities.is_key, value.labels.ravel().tolist())):
            return True
        return self.values.rows(value.labels) is not None
