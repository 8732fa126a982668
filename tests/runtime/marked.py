"""Programs whose text marks the places that a report has to name.

``«1 expression»`` is where the first place is, ``«2 expression»`` the second, ``«12 expression»`` both, and
``«e expression»`` where JAX raises an error. The marks are taken out before the program is compiled.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from typing import Any

from olympus.tracing.spans import Span

MARK = re.compile(r"«([12e]+) |»")


@dataclass(frozen=True)
class Marked:
    """A program without its marks.

    Attributes:
        text: the source.
        places: by mark, the line, column, end line and end column, as spans have them.
    """

    text: str
    places: dict[str, tuple[int, int, int, int]]

    def run(self, filename: str, **names: Any) -> dict[str, Any]:
        """Execute the program under a file name of its own and return its names."""
        linecache.cache[filename] = (len(self.text), None, self.text.splitlines(keepends=True), filename)
        namespace = {"__name__": "program", **names}
        exec(compile(self.text, filename, "exec"), namespace)
        return namespace


def read(source: str) -> Marked:
    """Take the marks out of a program."""
    text, places, opened, last = "", {}, [], 0
    for match in MARK.finditer(source):
        text += source[last : match.start()]
        last = match.end()
        place = (text.count("\n") + 1, len(text) - text.rfind("\n"))
        if match[1]:
            opened.append((match[1], place))
        else:
            marks, start = opened.pop()
            places.update(dict.fromkeys(marks, (*start, *place)))
    assert not opened, "a mark is not closed"
    return Marked(text + source[last:], places)


def place(span: Span) -> tuple[int, int, int, int]:
    """Return a span as :class:`Marked` has it."""
    return span.line, span.column, span.end_line, span.end_column
