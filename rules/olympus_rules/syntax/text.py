"""Source text: its decoding, its lines, and the place of a node in it."""

from __future__ import annotations

import ast
import io
import tokenize
from functools import cached_property
from operator import attrgetter

from olympus_rules.finding import Position, Span

PLACE = attrgetter("lineno", "col_offset", "end_lineno", "end_col_offset")


def decode(data: bytes) -> str:
    """Decode Python source by its byte order mark or coding comment (PEP 263), line endings untouched.

    Raises:
        SyntaxError: the coding comment names an unknown encoding, or contradicts the byte order mark.
        UnicodeDecodeError: the bytes are not in that encoding.
    """
    head = data[:1000].replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # a coding comment stands in the first two lines
    encoding, _ = tokenize.detect_encoding(io.BytesIO(head + b"\n" if len(data) > 1000 else head).readline)
    return data.decode(encoding)


class Text:
    """A decoded text with its own line endings; a byte order mark is not part of it."""

    text: str

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines with their endings, split as Python's parser splits them (not at form feeds)."""
        return split_lines(self.text)

    def position(self, line: int, byte_column: int) -> Position:
        """Turn an ``ast`` place (columns count UTF-8 bytes from 0) into characters counted from 1."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        if text.isascii():
            return Position(line, byte_column + 1)
        return Position(line, len(text.encode()[:byte_column].decode(errors="ignore")) + 1)

    def span(self, node: ast.AST) -> Span:
        """Return the span of an ``ast`` node that has a position.

        Python 3.11 misplaces the parts of an f-string that spans lines; their span is that of the string.
        """
        row, column, end_row, end_column = PLACE(node)
        return Span(self.position(row, column), self.position(end_row, end_column))

    def segment(self, node: ast.AST) -> str:
        """Return the source text of a node, as written."""
        return self.slice(self.span(node))

    def slice(self, span: Span) -> str:
        """Return the text of a span."""
        start, end = span.start, span.end
        if start.row == end.row:
            return self.lines[start.row - 1][start.column - 1 : end.column - 1]
        first = self.lines[start.row - 1][start.column - 1 :]
        return "".join([first, *self.lines[start.row : end.row - 1], self.lines[end.row - 1][: end.column - 1]])


def split_lines(text: str) -> list[str]:
    r"""Split at ``\n``, ``\r\n`` and ``\r`` only, keeping the endings."""
    lines = io.StringIO(text, newline="").readlines()
    return lines or [""]
