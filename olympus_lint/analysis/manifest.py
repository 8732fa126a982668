"""The results of a whole run. They hold as long as all that the run looked at on disk would show the same.

So a run in which nothing has changed asks for the status of its files and folders, and reads nothing else. Where only
the text of some files has changed, the results of other projects hold, and these files are not read either. Where few
have, that is so for all files but those and the ones to which they give another answer than before. The results of
single files, with what each rests on, are kept beside it: :mod:`olympus_lint.analysis.projects`.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from olympus_lint.analysis.cache import (
    WRONG,
    Cache,
    as_json,
    key_of,
    read_result,
    tool,
    write_result,
)
from olympus_lint.analysis.kept_rests import KeptRests, root_of
from olympus_lint.analysis.projects import Projects
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.plain import list_in, natural_in, text_in
from olympus_lint.reporting.results import FileResult, shown_lines
from olympus_rules.syntax import disk
from olympus_rules.syntax.array_names import glimpses

MOST_CHANGED = 64
"""Files with other texts; where more have, what rests on them is found out in several processes."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The results of an earlier run, of which those of some files hold.

    Attributes:
        names: all files of the run, in their order.
        stale: the files whose results may be others now: those that have changed, and those that look for imports in
            a folder above one that has.
        looks: what the run looked at on disk.
        told: their results as plain data, by name; files that hold no key are left out.
        roots: the outermost folder in which the imports of each file are looked for.
        parts: what is kept of what rests on what.
        changed: the absolute names of the files that have changed.
        results: the results of all files.
    """

    names: Sequence[str]
    stale: Sequence[str]
    looks: Mapping[str, disk.Note]
    told: Mapping[str, Any]
    roots: Mapping[str, str]
    parts: Mapping[str, Any]
    changed: Sequence[str]
    results: Mapping[str, FileResult]

    def holding(self) -> list[FileResult]:
        """Return the results that hold."""
        stale = set(self.stale)
        return [result for name, result in self.results.items() if name not in stale]


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
    def key(self) -> bytes:
        """The key of the results; the digest of the program in it takes 15 ms, which a run without a cache saves."""
        return key_of("run", tool(), str(Path.cwd()), self._told)

    def recall(self, cache: Cache) -> Earlier | None:
        """Return the results of that run; ``None`` if more has changed since than the text of some of its files."""
        text = cache.store.get(self.key)
        if text is None:
            return None
        try:
            looks, files, folders, kept, parts = json.loads(text)
            changed = disk.rewritten(looks)
            roots = {text_in(name): text_in(folders[natural_in(number)]) for name, number in list_in(files)}
            told = {text_in(list_in(each)[0]): each for each in list_in(kept)}
            stale = None if changed is None else _stale(changed, roots)
            if changed is None or stale is None:
                return None
            results = {n: _read(told[n]) if n in told else FileResult(n, analysed=False) for n in roots}
            return Earlier([*roots], stale, looks, told, roots, dict(parts), changed, results)
        except WRONG:
            return None

    def opened(
        self, cache: Cache, earlier: Earlier | None, files: list[SourceFile]
    ) -> tuple[Projects, Earlier | None, list[SourceFile]]:
        """Return the projects of a run, the earlier results that no change reaches, and the files that are left.

        Args:
            cache: where all of it is kept.
            earlier: the earlier results.
            files: the files whose results may be others.
        """
        rests = KeptRests(cache, self.key, {} if earlier is None else earlier.parts)
        projects = Projects(cache, rests)
        glimpses()  # of this run only
        if earlier is None:
            return projects, None, files
        group = rests.take({earlier.roots[name] for name in earlier.stale})
        if group is None or len(earlier.changed) > MOST_CHANGED:
            return projects, earlier, files
        paths = {name: str(disk.absolute(name)) for name in earlier.stale}
        analysed = {path for name, path in paths.items() if earlier.results[name].analysed}
        reached = projects.reached(group, earlier.changed, analysed - group.analysed())
        if reached is None:
            return projects, earlier, files
        stale = [name for name, path in paths.items() if path in reached]
        left = set(stale)
        return projects, replace(earlier, stale=stale), [file for file in files if file.filename in left]

    def keep(
        self,
        cache: Cache,
        results: Sequence[FileResult],
        settings_of: Mapping[str, Settings],
        earlier: Earlier | None = None,
        projects: Projects | None = None,
    ) -> None:
        """Keep the results of a run; none with errors.

        Args:
            cache: where they are kept.
            results: those of the files that were checked.
            settings_of: the settings of these files.
            earlier: the results of the other files.
            projects: those of the run, which know what rests on what.
        """
        if any(result.errors for result in results):
            return
        told = {
            result.filename: _write(result, settings_of[result.filename])
            for result in results
            if result.analysed or result.findings or result.notes or result.quiet
        }
        roots = {result.filename: root_of(disk.absolute(result.filename)) for result in results}
        looks = disk.without_listed(disk.taken())
        if earlier is not None:
            stale = set(earlier.stale)
            told |= {name: each for name, each in earlier.told.items() if name not in stale}
            roots = {name: roots.get(name, root) for name, root in earlier.roots.items()}
            looks = {**earlier.looks, **{name: _certain(name, note, earlier) for name, note in looks.items()}}
        folders = {folder: number for number, folder in enumerate(dict.fromkeys(roots.values()))}
        files = [[name, folders[root]] for name, root in roots.items()]
        parts = {} if projects is None or projects.rests is None else projects.rests.parts
        cache.store.put(self.key, as_json([looks, files, [*folders], [*told.values()], parts]))


def _certain(name: str, note: disk.Note, earlier: Earlier) -> disk.Note:
    """Return a look: what an earlier run has read, where this one has asked for no more than whether it is there.

    It is an uncertain one at a file that has changed since this run began: earlier results rest on it.
    """
    before = earlier.looks.get(name, [])
    if len(note) == 1 and len(before) > 1 and before[0] == note[0]:
        return before
    is_other = len(before) > 1 and len(note) > 1 and before[-2] != note[-2]
    return [] if is_other and name not in earlier.changed else note


def _stale(changed: Sequence[str], roots: Mapping[str, str]) -> list[str] | None:
    """Return the files whose results may rest on files that have changed; ``None`` if these are not all checked files.

    Whatever a check looks at beside its file, it finds by an import.
    """
    if not changed:
        return []
    paths = {str(disk.absolute(name)) for name in roots}
    if not paths.issuperset(changed):
        return None  # settings, or a file that is imported and not checked
    touched = {root for root in set(roots.values()) if any(Path(name).is_relative_to(root) for name in changed)}
    return [name for name, root in roots.items() if root in touched]


def _write(result: FileResult, settings: Settings) -> list[Any]:
    """Return a result as plain data, with its places in the file."""
    kind = settings.kind_of(result.filename) if result.text else None
    placed = result.findings if result.places is None else map(result.places.finding, result.findings)
    return [result.filename, int(result.analysed), kind, write_result(result, placed)]


def _read(data: Any) -> FileResult:
    """Return the result for plain data; a report that shows lines reads the file.

    Raises:
        ValueError, TypeError: the data are no result.
    """
    name, analysed, kind, kept = list_in(data)
    result = read_result(kept, text_in(name))
    result.analysed = result.cached = bool(natural_in(analysed))
    if kind is not None:
        result.later = partial(shown_lines, result.filename, text_in(kind))
    return result
