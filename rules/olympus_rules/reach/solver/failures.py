"""What an internal error keeps the analysis from reading: one function, one call site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from olympus_rules.reach.solver.slots import TooMuchWork


class Unread(Exception):
    """A part of a project could not be read; ``__cause__`` is what was raised."""


class Failure(NamedTuple):
    """A part of a project that could not be read: what it does with keys is not known.

    Attributes:
        file: its path.
        row: its line.
        where: the part.
        error: what was raised.
    """

    file: str
    row: int
    where: str
    error: Exception

    def exception(self) -> Unread:
        """Return an exception that says what failed where."""
        raised = Unread(f"{self.where} on line {self.row} of {self.file}: {self.error!r}")
        raised.__cause__ = self.error
        return raised


@contextmanager
def contained(failures: list[Failure], file: str, row: int, where: str) -> Iterator[None]:
    """Record what is raised as a failure of one part."""
    try:
        yield
    except Exception as error:
        record(failures, error, file, row, where)


def record(failures: list[Failure], error: Exception, file: str, row: int, where: str) -> None:
    """Record an exception as a failure of one part; a lack of memory or of allowed steps is raised again."""
    if isinstance(error, MemoryError | TooMuchWork):
        raise error
    failures.append(Failure(file, row, where, error))
