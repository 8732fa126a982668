"""What stand-ins need of the execution that they are in."""

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
        """Return the key of an unknown value; any other value itself."""

    @abstractmethod
    def number(self, value: Any) -> Any:
        """Return the number of an unknown value."""

    @abstractmethod
    def is_key(self, value: Any) -> bool:
        """Return whether an unknown value was used as a key."""

    @abstractmethod
    def consume(self, values: Sequence[Any], *, known: bool = False) -> None:
        """Consume the keys that are passed to an unknown call, ``known`` if a signature pack says that it does."""

    @abstractmethod
    def mark(self, doubt: str) -> None:
        """Note why what comes now may not follow on what was before."""


class Host(ABC):
    """One execution, as unknown values and loops know it.

    Attributes:
        choices: the decisions of this execution.
        players: what plays the part of unknown values.
        decisions: the decisions, with what they imply.
        helpers: stand-ins for what is imported under some names.
        written: the parts of unknown values that this execution has set.
        guessed: whether a decision was made without trying the other one.
        cut: why loops were cut short, ``None`` if none was.
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
        """Return the key of an unknown value that was used as one, or stands where only a key can stand."""

    @abstractmethod
    def read(self, owner: Any, name: Hashable, value: Any) -> Any:
        """Return what a read of an attribute or item gives, whose value is known for the first read."""

    @abstractmethod
    def decide(self, value: Any) -> bool:
        """Decide an unknown condition: consistently, and so that all decisions can hold in one run."""

    @abstractmethod
    def few_turns(self, count: Hashable, first: int = 0) -> Iterator[int]:
        """Return the first iterations of a loop with an unknown number of iterations; then it is taken to end.

        Args:
            count: the term of its end, ``None`` if that is unknown.
            first: where it begins.
        """

    @abstractmethod
    def unknown_call(self, callee: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of an unknown call."""
