"""What one execution chooses where that is not known: decisions, a row of arguments, iterations of loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from olympus.witness.preparation import Branch

__all__ = ["FEW", "Choices"]

FEW = 2  # turns of a loop that is not open
DECISIONS = 24  # of one execution: what is unknown after that is false


class Choices:
    """The decisions of one execution: some that are given, and one answer to all after them; and a row of arguments.

    Attributes:
        prefix: the first decisions.
        default: all after them.
        row: the row of arguments with which a test is called.
        wanted: what conditions of the user's have to be where that can be chosen, by line and column.
        few: how many turns a loop does of which that is not known.
        made: what was decided so far.
    """

    def __init__(
        self,
        prefix: tuple[bool, ...] = (),
        *,
        default: bool = True,
        row: int = 0,
        wanted: Mapping[Branch, bool] | None = None,
        few: int = FEW,
    ) -> None:
        self.prefix, self.default, self.row = prefix, default, row
        self.made: list[bool] = []
        self.wanted, self.few = wanted or {}, few

    def again(self, few: int | None = None) -> Choices:
        """Return the same, before anything is decided; with another number of turns if one is given."""
        few = self.few if few is None else few
        return Choices(self.prefix, default=self.default, row=self.row, wanted=self.wanted, few=few)

    @property
    def is_over(self) -> bool:
        """Whether no more decisions are made, and the other side of the next one is not tried."""
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
        """Return the beginnings of other executions: as this one, but for one decision after those that were given."""
        for index in range(len(self.prefix), len(self.made)):
            yield (*self.made[:index], not self.made[index])
