"""A further section of the report on a migration, for all of its formats."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Section"]


@dataclass(frozen=True, slots=True)
class Section:
    """A further section of the report.

    Attributes:
        title: its heading.
        sentences: what it says.
        items: a list, each item with a list below it.
        data: the same for JSON.
    """

    title: str
    sentences: Sequence[str]
    items: Sequence[tuple[str, Sequence[str]]]
    data: Mapping[str, object]

    def lines(self, *, markdown: bool) -> list[str]:
        """Return the lines as plain text, or as Markdown, with an empty one at the end."""
        found = [f"## {self.title}", ""] if markdown else [f"{self.title}:"]
        found += [f"{'- ' if markdown else '  '}{each}" for each in self.sentences]
        for item, below in self.items:
            found.append(f"{'- ' if markdown else '  '}{item}")
            found += [f"    {'- ' if markdown else ''}{each}" for each in below]
        return [*found, ""]

    def page(self) -> str:
        """Return the part of an HTML page."""
        said = "".join(f"<li>{as_code(each)}</li>" for each in self.sentences)
        items = "".join(
            f"<li>{as_code(item)}<ul>{''.join(f'<li>{as_code(each)}</li>' for each in below)}</ul></li>"
            for item, below in self.items
        )
        return f"<h2>{html.escape(self.title)}</h2><ul>{said}{items}</ul>"


def as_code(text: str) -> str:
    """Return text as HTML, with what stands between backquotes as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))
