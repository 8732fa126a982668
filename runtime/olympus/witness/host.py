"""What stand-ins ask of the execution that they are in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from olympus.witness.choices import Choices
from olympus.witness.decisions import Decisions

__all__ = ["Host", "Players"]


class Players(ABC):
    """What plays the part of unknown values that are used as keys or numbers."""

    @abstractmethod
    def key(self, value: Any) -> Any:
        """Return the key that a value is; what is no unknown value is itself."""

    @abstractmethod
    def number(self, value: Any) -> Any:
        """Return the number that an unknown value is."""

    @abstractmethod
    def is_key(self, value: Any) -> bool:
        """Return whether an unknown value was used as a key."""

    @abstractmethod
    def consume(self, values: Sequence[Any], *, known: bool = False) -> None:
        """Consume the keys that are given to something unknown, of which that may be known."""

    @abstractmethod
    def turn(self, loop: int, number: int | None) -> None:
        """Be told that an iteration of an open loop begins, or, without a number, that the loop has ended."""


class Host(ABC):
    """One execution, as unknown values and loops know it.

    Attributes:
        choices: the decisions of this execution.
        players: what plays the part of unknown values.
        decisions: what is decided, and what follows from it.
        helpers: stand-ins for what is imported under some names.
        written: the parts of unknown values that were set in this execution.
        guessed: whether something was decided in one way only that may be otherwise.
        cut: why loops did not run as they would, ``None`` if they did.
    """

    choices: Choices
    players: Players
    decisions: Decisions
    helpers: Mapping[str, Any]
    written: list[tuple[dict[Hashable, Any], Hashable]]
    guessed: bool
    cut: str | None

    @abstractmethod
    def as_claimed_key(self, value: Any) -> Any:
        """Return the key that an unknown value is: it was used as one, or stands at a place that says so."""

    @abstractmethod
    def decide(self, value: Any) -> bool:
        """Decide what is not known: the same way for the same value, and so that all decisions hold in one run."""

    @abstractmethod
    def few_turns(self, count: Hashable, first: int = 0) -> Iterator[int]:
        """Return the first iterations of a loop with an unknown number of iterations; then it is taken to end.

        Args:
            count: where it ends, ``None`` if nothing is known of that.
            first: where it begins.
        """

    @abstractmethod
    def unknown_call(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call of something unknown."""
