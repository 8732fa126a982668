"""The sections of the report on a migration, which the formats for people render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list.

    Attributes:
        text: what it says; code stands between backquotes.
        place: the place that it speaks of.
        held: the places of constructors behind the text.
        below: the items of a list below it.
        change: lines of code before and after a rewrite.
    """

    text: str
    place: str = ""
    held: str = ""
    below: Sequence[Item] = ()
    change: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report.

    Attributes:
        title: its heading.
        items: a list.
        sentences: what it says above the list.
        command: a command, with the sentence in front of it.
        data: the same for JSON.
    """

    title: str
    items: Sequence[Item] = ()
    sentences: Sequence[str] = ()
    command: tuple[str, str] | None = None
    data: Mapping[str, object] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether it says anything."""
        return bool(self.items or self.sentences or self.command)
