"""The rows that one process writes to its file of events."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from olympus.tracing.spans import Chain, Span

ROWS = 1_000_000  # of all tables of one process


class Rows:
    """The tables of one file: each source file, place and site is written once, under a number."""

    def __init__(self, path: Path) -> None:
        """Open the file."""
        self._numbers: dict[object, int] = {}
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except FileNotFoundError:  # the command is over, and this process has outlived it
            self._file = os.open(os.devnull, os.O_WRONLY)

    def chain(self, chain: Chain) -> tuple[int, ...]:
        """Return the numbers of the places of a chain of calls."""
        return tuple(map(self.span, chain))

    def span(self, span: Span) -> int:
        """Return the number of a place."""
        file = self.file(span.file)
        return self.number("span", file, span.line, span.column, span.end_line, span.end_column, span.function)

    def file(self, name: str) -> int:
        """Return the number of a source file."""
        known = self._numbers.get(("file", name))
        if known is None:
            path, digest = os.path.realpath(name), ""
            with suppress(OSError, ValueError):  # such as a cell of a notebook: there is no file to find it in
                digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            known = self._numbers["file", name] = len(self._numbers)
            self.write(file=known, path=path, sha256=digest)
        return known

    def number(self, table: str, *row: Any, **details: Any) -> int:
        """Return the number of a row of one of the file's tables; a new one is written."""
        known = self._numbers.get((table, *row))
        if known is None and len(self._numbers) >= ROWS:
            return -1
        if known is None:
            known = self._numbers[(table, *row)] = len(self._numbers)
            self.write(**{table: known, "is": row}, **{name: value for name, value in details.items() if value})
        return known

    def write(self, **row: Any) -> None:
        """Write a row."""
        line = json.dumps(row, separators=(",", ":")) + "\n"
        with suppress(OSError):  # a full disk is no reason to stop the program
            os.write(self._file, line.encode())  # in one piece, and at once: the process may be killed
