"""The free choices of one execution: decisions on unknown conditions, a row of arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from olympus.witness.preparation import Branch

FEW = 2  # iterations of a loop
DECISIONS = 24  # of one execution: later unknown conditions are false


@dataclass(slots=True)
class Choices:
    """The decisions of one execution: a given prefix, one default after it; and a row of arguments.

    Attributes:
        prefix: the first decisions.
        default: all later decisions.
        row: the row of arguments for a test.
        wanted: the wanted values of conditions, by line and column.
        few: how often a loop runs whose number of iterations is unknown.
        proven: the arguments of the function that an execution with these choices has used as keys.
        made: the decisions so far.
    """

    prefix: tuple[bool, ...] = ()
    default: bool = True
    row: int = 0
    wanted: Mapping[Branch, bool] = field(default_factory=dict)
    few: int = FEW
    proven: frozenset[str] = frozenset()
    made: list[bool] = field(default_factory=list, init=False)

    @property
    def is_over(self) -> bool:
        """Whether the number of decisions is exhausted, so that the other side of the next one is not tried."""
        return len(self.made) >= DECISIONS

    def choose(self) -> bool:
        """Make the next decision."""
        index = len(self.made)
        if index >= DECISIONS:
            return False
        choice = self.prefix[index] if index < len(self.prefix) else self.default
        self.made.append(choice)
        return choice

    def others(self) -> Iterator[tuple[bool, ...]]:
        """Return the prefixes of other executions, which differ from this one in one decision after the given ones."""
        for index in range(len(self.prefix), len(self.made)):
            yield (*self.made[:index], not self.made[index])
