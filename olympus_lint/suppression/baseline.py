"""Baselines: the findings that a project had when it began to use the linter, which are not reported again.

A finding is known by its rule, its file and the text of its first line, so that it stays known when lines are added
above it. Equal ones are counted: one more than before is new. If a finding has several places that make its mistake,
each of them is known by itself, so that one more place is new.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from olympus_lint.files.sources import InputError, read_bytes, write_new
from olympus_lint.project.settings import SettingsError
from olympus_lint.reporting.fingerprints import lines_of
from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Finding
from olympus_rules.further import left_of
from olympus_rules.rules.invalid_syntax import InvalidSyntax

VERSION = 1


@dataclass(frozen=True, slots=True)
class Applied:
    """A run without the findings of a baseline.

    Attributes:
        run: the findings that are new.
        known: how many findings are in the baseline with all of their places.
        gone: those in the baseline that the files, as far as they were checked, no longer have.
    """

    run: RunResult
    known: int
    gone: tuple[str, ...]


def apply(run: RunResult, file: str) -> Applied:
    """Take the findings of a baseline out of a run; invalid syntax is always reported.

    Raises:
        SettingsError: the file is no baseline.
    """
    left = _read(file)
    new: dict[str, list[Finding]] = {result.filename: [] for result in run.files}
    known = 0
    for finding, places in _named(run, Path(file)):
        rest = left_of(finding, [place for place, name in places if not (left.get(name) and left[name].pop())])
        if rest is None:
            known += 1
        else:
            new[finding.filename].append(rest)
    checked = {_path(result.filename, Path(file)) for result in run.files}
    gone = [said for places in left.values() for path, said in places if path in checked or not _exists(path, file)]
    files = [replace(result, findings=new[result.filename], places=None) for result in run.files]
    return Applied(replace(run, files=files), known, tuple(sorted(gone)))


def write(run: RunResult, file: str) -> int:
    """Write the findings of a run as a baseline; return how many there are.

    Raises:
        InputError: it cannot be written.
    """
    findings = [places for finding, places in _named(run, Path(file)) if finding.code != InvalidSyntax.code]
    rows = [
        {"name": name, "path": _path(place.filename, Path(file)), "finding": f"{place.code} {place.message}"}
        for places in findings
        for place, name in places
    ]
    rows.sort(key=lambda row: (row["path"], row["finding"], row["name"]))
    write_new(file, (json.dumps({"version": VERSION, "findings": rows}, indent=1) + "\n").encode())
    return len(findings)


def _read(file: str) -> dict[str, list[tuple[str, str]]]:
    """Return the paths and texts of the findings of a baseline, by their names."""
    try:
        data = json.loads(read_bytes(file))
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']!r} is not {VERSION}")
        found: dict[str, list[tuple[str, str]]] = {}
        for row in data["findings"]:
            found.setdefault(str(row["name"]), []).append((str(row["path"]), str(row["finding"])))
    except InputError as error:
        cause = f"{file} {str(error).partition(';')[0]}"
        raise SettingsError(f"baseline: {cause}; name another file, or write it with --write-baseline.") from None
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        said = "it nests too deeply" if isinstance(error, RecursionError) else error
        cause = f"{file} is no baseline ({said})"
        raise SettingsError(f"baseline: {cause}; write it again with --write-baseline.") from None
    return found


def _named(run: RunResult, file: Path) -> Iterator[tuple[Finding, list[tuple[Finding, str]]]]:
    """Yield the findings with those of their places, and the names by which a baseline in a file knows these."""
    lines = lines_of(run)
    for finding in run.findings:
        yield finding, [(place, _name(place, lines(place), file)) for place in finding.at_each_place]


def _name(finding: Finding, line: str, file: Path) -> str:
    parts = (finding.code, _path(finding.filename, file), line)
    digest = hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]
    return "" if finding.code == InvalidSyntax.code else digest


def _path(filename: str, file: Path) -> str:
    """Return the path of a file as seen from the folder of the baseline."""
    return Path(os.path.relpath(filename, file.parent)).as_posix()


def _exists(path: str, file: str) -> bool:
    try:
        return (Path(file).parent / path).exists()
    except (OSError, ValueError):  # no file can have this name
        return False
