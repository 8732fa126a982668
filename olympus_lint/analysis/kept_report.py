"""The report of a whole migration, which holds as long as all that it looked at on disk would show the same.

A migration follows keys through the whole project, so that a change of one file may change all of the report. The
results of a check, in :mod:`olympus_lint.analysis.manifest`, hold file by file.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_lint.analysis.cache import WRONG, as_json, key_of, tool
from olympus_lint.project.git import not_in_git
from olympus_lint.reporting.plain import list_in, natural_in, text_in
from olympus_rules.syntax import disk

if TYPE_CHECKING:
    from olympus_lint.analysis.cache import Cache

ELSEWHERE = frozenset({"cache_dir", "output_file"})
"""Options that say where something is written, and change nothing of it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a run says.

    Attributes:
        text: its report; ``None`` where it prints none.
        notes: its sentences on standard error.
        status: its exit status.
    """

    text: str | None
    notes: Sequence[str]
    status: int


class KeptReport:
    """The kept report of the runs with some options."""

    def __init__(self, cache: Cache | None, args: Namespace) -> None:
        """Take what a run is told.

        Args:
            cache: where the report is kept; ``None`` if it is not.
            args: the arguments.
        """
        self._cache = cache
        told = {name: value for name, value in sorted(vars(args).items()) if name not in ELSEWHERE}
        self._key = b"" if cache is None else key_of("report", tool(), str(Path.cwd()), repr(told))

    def recall(self) -> Report | None:
        """Return the report of an earlier run; ``None`` if something that it looked at has changed since."""
        kept = None if self._cache is None else self._cache.store.get(self._key)
        with suppress(*WRONG, OSError):
            looks, names, uncommitted, text, notes, status = json.loads(kept or "")
            holds = disk.rewritten(looks) == [] and not_in_git(_contents(names)) == uncommitted
            said = Report(None if text is None else text_in(text), [*map(text_in, list_in(notes))], natural_in(status))
            return said if holds else None
        return None

    def keep(self, report: Report, files: Mapping[str, bytes], uncommitted: Sequence[str]) -> None:
        """Keep the report of a run that has written nothing.

        Args:
            report: the report.
            files: the content of the files whose state in git the report may tell.
            uncommitted: those of them that git has another content of.
        """
        if self._cache is not None:
            looks = disk.without_listed(disk.taken())
            entry = [looks, [*files], uncommitted, report.text, report.notes, report.status]
            self._cache.store.put(self._key, as_json(entry))
            self._cache.close()


def _contents(names: Sequence[str]) -> dict[str, bytes]:
    return {name: disk.contents(str(disk.absolute(name))) for name in names}
