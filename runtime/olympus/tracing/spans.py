"""Where events happen in a user's source: spans, call chains, and the two places to report for a pair.

Spans follow the convention of findings: rows and columns start at 1, columns count characters, and the end is
the position after the last character. Python and JAX count UTF-8 bytes from 0; :func:`span` converts.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, TracebackType

TRACER = "olympus.tracing.jaxprs"  # what called its trace() is not a part of the traced program


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters in a file, and the function that it lies in.

    Attributes:
        file: the path as Python compiled it.
        line: the first line, from 1.
        column: the first character, from 1; 0 if only lines are known (``PYTHONNODEBUGRANGES``).
        end_line: the line of the end.
        end_column: the position after the last character, from 1; 0 if only lines are known.
        function: the qualified name of the function, such as ``Model.step.<locals>.body``.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str

    def text(self) -> str:
        """Return the source, empty where there is none or only lines are known."""
        lines = [linecache.getline(self.file, line) for line in range(self.line, self.end_line + 1)]
        if not self.column or not all(lines):
            return ""
        lines[-1] = lines[-1][: self.end_column - 1]
        lines[0] = lines[0][self.column - 1 :]
        return "".join(lines)

    def called(self) -> str | None:
        """Return the name of the function, without its module, if the source is a call of a name."""
        try:
            expression = ast.parse(f"({self.text()})", mode="eval").body
        except (SyntaxError, ValueError):
            return None
        if not isinstance(expression, ast.Call):
            return None
        function = expression.func
        return getattr(function, "id", None) or getattr(function, "attr", None)

    def __str__(self) -> str:
        if not self.column:
            return f"{self.file}:{self.line}"
        return f"{self.file}:{self.line}:{self.column}-{self.end_line}:{self.end_column}"


Chain = tuple[Span, ...]
"""The spans of an event and of the calls that led to it, innermost first."""


def span(file: str, line: int, start: int, end_line: int, end: int, function: str) -> Span:
    """Return the span of a range in bytes.

    Args:
        file: the path; its lines come from :mod:`linecache`. Where there are none, bytes count as characters.
        line: the first line, from 1.
        start: the first byte, from 0; negative if unknown.
        end_line: the line of the end.
        end: the byte after the last one, from 0; negative if unknown.
        function: the qualified name of the function.
    """
    if start < 0 or end < 0:
        return Span(file, line, 0, line, 0, function)
    return Span(file, line, _column(file, line, start), end_line, _column(file, end_line, end), function)


def _column(file: str, line: int, offset: int) -> int:
    text = linecache.getline(file, line)
    if text.isascii():
        return offset + 1
    return len(text.encode()[:offset].decode(errors="replace")) + 1


def diverging(a: Chain, b: Chain) -> tuple[Span, Span]:
    """Return the two spans that tell two events apart.

    They are the innermost ones that differ: two calls of a sampler, or the two calls of a helper that draws.

    Args:
        a: the chain of one event.
        b: the chain of the other event.

    Returns:
        One span of each chain; twice the innermost one if the chains do not differ so.

    Raises:
        ValueError: if a chain is empty.
    """
    if not a or not b:
        raise ValueError("an event without a place in user code cannot be reported: its chain is empty")
    return next(((one, other) for one, other in zip(a, b, strict=False) if one != other), (a[0], b[0]))


def traceback_chain(exception: BaseException) -> Chain:
    """Return the user's call chain of a raised exception.

    Frames of JAX, of the standard library and of this package are left out, and so is what called
    :func:`olympus.tracing.jaxprs.trace`, for which the traced function is the outermost one.
    """
    chain: list[Span] = []
    for step in steps(exception.__traceback__):
        code = step.tb_frame.f_code
        if step.tb_frame.f_globals.get("__name__") == TRACER:
            chain.clear()
        elif is_user_file(code.co_filename):
            chain.append(span_at(code, step.tb_lasti))
    return tuple(reversed(chain))


def steps(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """Return the steps of a traceback, outermost first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def span_at(code: CodeType, lasti: int) -> Span:
    """Return the span of an instruction: ``lasti`` is its offset in bytes, as frames and tracebacks have it."""
    line, end_line, start, end = next(islice(code.co_positions(), lasti // 2, None))
    line = line or code.co_firstlineno
    return span(
        code.co_filename,
        line,
        -1 if start is None else start,
        end_line or line,
        -1 if end is None else end,
        code.co_qualname,
    )


@lru_cache(maxsize=4096)
def is_user_file(file: str) -> bool:
    """Return whether a file is the user's: not of JAX, of the standard library, or of this package.

    Installed third-party packages count as the user's, wherever they are installed.
    """
    if file.startswith(_library_folders()):
        return False
    standard = sysconfig.get_path("stdlib") + os.sep
    installed = ("site-packages" + os.sep, "dist-packages" + os.sep)
    inside = file.removeprefix(standard)
    return (inside == file or inside.startswith(installed)) and not file.startswith("<frozen ")


def _library_folders() -> tuple[str, ...]:
    packages = [sys.modules.get(name) for name in ("jax", "jaxlib", "olympus")]
    files = [package.__file__ for package in packages if package is not None and package.__file__]
    return tuple(f"{Path(file).parent}{os.sep}" for file in files)
