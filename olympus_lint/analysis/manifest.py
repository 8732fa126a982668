"""The results of a whole run. They hold as long as all that the run looked at on disk would show the same.

So a run in which nothing has changed asks for the status of its files and folders, and reads nothing else. The results
of single files, with what each rests on, are kept beside it: :mod:`olympus_lint.analysis.projects`.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from olympus_lint.analysis.cache import (
    WRONG,
    as_json,
    key_of,
    list_in,
    natural_in,
    read_finding,
    text_in,
    tool,
    write_finding,
)
from olympus_lint.files.problems import Problem
from olympus_lint.reporting.results import FileResult, shown_lines
from olympus_rules.rules.legacy_constructor import LegacyConstructor
from olympus_rules.syntax import disk

if TYPE_CHECKING:
    from olympus_lint.analysis.cache import Cache
    from olympus_lint.project.settings import Settings

__all__ = ["Manifest"]


class Manifest:
    """The kept results of the runs with some paths and options."""

    def __init__(self, args: Namespace, options: object) -> None:
        """Take what a run is told.

        Args:
            args: the arguments, of which the paths, the shard and the settings file count.
            options: the settings that the command line gives.
        """
        self._told = [args.paths, args.config, args.isolated, args.shard, repr(options)]

    @cached_property
    def _key(self) -> bytes:
        """The key of the results; the digest of the program in it takes 15 ms, which a run without a cache saves."""
        return key_of("run", tool(), str(Path.cwd()), self._told)

    def recall(self, cache: Cache) -> list[FileResult] | None:
        """Return the results of the files in their order, if all looks of that run would show the same."""
        text = cache.store.get(self._key)
        if text is None:
            return None
        try:
            notes, names, kept = json.loads(text)
            if not disk.hold(notes):
                return None
            told = {result.filename: result for result in map(_read, list_in(kept))}
            return [told.get(name) or FileResult(text_in(name), analysed=False) for name in list_in(names)]
        except WRONG:
            return None

    def keep(self, cache: Cache, results: Sequence[FileResult], settings_of: Mapping[str, Settings]) -> None:
        """Keep the results of a run; none with errors, nor those that rest on the files of a whole project."""
        if any(result.errors for result in results) or any(
            finding.code == LegacyConstructor.code for result in results for finding in result.findings
        ):
            return
        told = [
            _write(result, settings_of[result.filename])
            for result in results
            if result.analysed or result.findings or result.notes or result.quiet
        ]
        cache.store.put(
            self._key, as_json([disk.without_listed(disk.taken()), [result.filename for result in results], told])
        )


def _write(result: FileResult, settings: Settings) -> list[Any]:
    """Return a result as plain data, without the texts, which the file has."""
    kind = settings.kind_of(result.filename)
    notes = [[note.filename, note.message] for note in result.notes]
    placed = result.findings if result.places is None else map(result.places.finding, result.findings)
    findings = [write_finding(finding) for finding in placed]
    return [result.filename, int(result.analysed), kind if result.text else None, findings, notes, result.quiet]


def _read(data: Any) -> FileResult:
    """Return the result for plain data; a report that shows lines reads the file.

    Raises:
        ValueError, TypeError: the data are no result.
    """
    name, analysed, kind, findings, notes, quiet = list_in(data)
    result = FileResult(
        text_in(name),
        [read_finding(finding, name) for finding in list_in(findings)],
        notes=[Problem(text_in(where), text_in(message)) for where, message in list_in(notes)],
        analysed=bool(natural_in(analysed)),
        cached=bool(analysed),
        quiet=natural_in(quiet),
    )
    if kind is not None:
        result.later = partial(shown_lines, result.filename, text_in(kind))
    return result
