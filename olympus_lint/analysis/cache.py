"""The entries of the cache: results of files, and the answers that files give each other.

Entries are JSON, and their types are checked when they are read. A cache that somebody else has committed can at worst
hide findings, as a comment can.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import olympus
import olympus_codemods
import olympus_rules
from olympus_lint import __version__
from olympus_lint.analysis.store import Store
from olympus_lint.files.problems import Problem
from olympus_lint.project.configuration import CACHE
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.objects import finding_object, finding_of
from olympus_lint.reporting.plain import list_in, natural_in, text_in
from olympus_lint.reporting.results import FileResult
from olympus_rules.finding import Finding
from olympus_rules.keyflow.linking.answers import Kept, Outcome
from olympus_rules.keyflow.linking.rests import Question

VARIABLE = "OLYMPUS_LINT_CACHE_DIR"
WRONG = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""Raised by an entry of the wrong form."""


def cache_folder(args: Namespace, settings: Settings) -> Path:
    """Return the cache folder: from the command line, the environment, the settings or the default, in this order."""
    chosen = None if "cache_dir" in args else os.environ.get(VARIABLE)
    return Path(chosen or settings.cache_dir or CACHE).absolute()


@dataclass(frozen=True, slots=True)
class Entry:
    """The kept result of a file.

    Attributes:
        stamp: the digest of the file's bytes and of its place among modules.
        needs: the lookups of the file in other files, each with the digest of its answer.
        result: the result, without the text.
    """

    stamp: str
    needs: Sequence[Outcome]
    result: FileResult


class Cache:
    """Reads and writes entries."""

    def __init__(self, folder: Path) -> None:
        """Take the folder."""
        self.folder = folder
        self.store = Store(folder)
        self._needs: dict[str, Sequence[Outcome] | None] = {}

    def load_result(self, filename: str, settings: Settings) -> Entry | None:
        """Return the entry of a file under these settings."""
        text = self.store.get(self._result_key(filename, settings))
        if text is None:
            return None
        try:
            stamp, name, result = json.loads(text)
            needs = self.load_needs(text_in(name))
            return None if needs is None else Entry(text_in(stamp), needs, read_result(result, filename))
        except WRONG:
            return None

    def save_result(self, stamp: str, needs: Sequence[Outcome], result: FileResult, settings: Settings) -> None:
        """Keep the result of a file."""
        entry = [stamp, self.save_needs(needs), write_result(result, result.findings)]
        self.store.put(self._result_key(result.filename, settings), as_json(entry))

    def load_needs(self, name: str) -> Sequence[Outcome] | None:
        """Return the needs of a file by the name of their entry."""
        if name not in self._needs:
            text = self.store.get(key_of("needs", name))
            try:
                self._needs[name] = None if text is None else [_outcome(need) for need in list_in(json.loads(text))]
            except WRONG:
                self._needs[name] = None
        return self._needs[name]

    def save_needs(self, needs: Sequence[Outcome]) -> str:
        """Save the needs of a file, and return the name of the entry."""
        text = as_json(needs)
        name = digest_of(text)
        if self._needs.get(name) is None:
            self.store.put(key_of("needs", name), text)
            self._needs[name] = needs
        return name

    def is_valid(self, data: bytes) -> bool:
        """Say whether an earlier run has parsed these bytes."""
        return self.store.get(_valid_key(data)) is not None

    def save_valid(self, data: bytes) -> None:
        """Save that some bytes can be parsed."""
        self.store.put(_valid_key(data), "[]")

    def close(self) -> None:
        """Write pending entries; the cache can still be used."""
        self.store.close()

    def _result_key(self, filename: str, settings: Settings) -> bytes:
        codes = sorted(rule.code for rule in settings.rules_for(filename))
        fixable = sorted(settings.fixable_codes)
        chosen = [
            codes,
            fixable,
            settings.min_confidence.label,
            settings.tests,
            settings.ignore_noqa,
            *knowledge(settings),
        ]
        return key_of("result", tool(), str(Path(filename).absolute()), chosen)


class AnswerMemory:
    """Keeps the answers of files, for one choice of ``library-roots`` and ``signature-packs``."""

    def __init__(self, cache: Cache, roots: Sequence[str], packs: Sequence[str]) -> None:
        """Take the cache, and the settings that answers depend on."""
        self._cache = cache
        self._knowledge = known_by(roots, packs)
        self.load_needs = cache.load_needs
        self.save_needs = cache.save_needs

    def load(self, question: Question) -> Kept | None:
        """Return the saved answer to a question."""
        text = self._cache.store.get(self._key(question))
        if text is None:
            return None
        try:
            stamp, digest, alias, needs, count, answer = json.loads(text)
            return Kept(
                text_in(stamp), text_in(digest), text_in(alias), text_in(needs), natural_in(count), text_in(answer)
            )
        except WRONG:
            return None

    def save(self, question: Question, kept: Kept) -> None:
        """Keep an answer."""
        self._cache.store.put(self._key(question), as_json(kept))

    def _key(self, question: Question) -> bytes:
        return key_of("answer", tool(), self._knowledge, list(question))


def knowledge(settings: Settings) -> list[list[str]]:
    """Return the settings that an answer depends on: the library roots, and a digest of each signature pack."""
    return known_by(settings.library_roots, settings.signature_packs)


def known_by(roots: Sequence[str], packs: Sequence[str]) -> list[list[str]]:
    """Return the library roots, and a digest of each signature pack."""
    return [list(roots), [_pack_digest(path) for path in packs]]


@cache
def _pack_digest(path: str) -> str:
    return blake2b(Path(path).read_bytes(), digest_size=12).hexdigest()


@cache
def tool() -> str:
    """Return a digest of the program, its signature packs and the version of Python."""
    status = ((name, file.stat()) for name, file in program_files())
    files = [f"{name} {found.st_mtime_ns} {found.st_size}" for name, found in status]
    return digest_of("\n".join([__version__, sys.version, *files]))


def program_files() -> Iterator[tuple[str, Path]]:
    """Yield the files of the program and its signature packs, each with its name in its package."""
    for package in (olympus, olympus_rules, olympus_codemods, sys.modules["olympus_lint"]):
        folder = Path(package.__file__ or "").parent
        for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
            yield str(file.relative_to(folder)), file


def as_json(value: object) -> str:
    """Return plain data as text."""
    return json.dumps(value, separators=(",", ":"))


def digest_of(text: str) -> str:
    """Return a digest of a text."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()


def key_of(*parts: object) -> bytes:
    """Return the key of an entry: a digest of what it is for."""
    return blake2b(as_json(parts).encode(), digest_size=16).digest()


def _valid_key(data: bytes) -> bytes:
    return blake2b(data, digest_size=16, person=b"valid", salt=tool()[:16].encode()).digest()


def write_result(result: FileResult, findings: Iterable[Finding]) -> list[Any]:
    """Return a result as plain data, without the texts, which the file has, and without notes on the run itself.

    Args:
        result: the result.
        findings: its findings, at the places that count later.
    """
    notes = [note.message for note in result.notes if note.filename]
    return [[write_finding(finding) for finding in findings], notes, result.quiet]


def read_result(data: Any, filename: str) -> FileResult:
    """Return the result for plain data, under the name that this run has for the file.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: the data are no result.
    """
    findings, notes, quiet = list_in(data)
    return FileResult(
        filename,
        [read_finding(finding, filename) for finding in list_in(findings)],
        notes=[Problem(filename, text_in(note)) for note in list_in(notes)],
        cached=True,
        quiet=natural_in(quiet),
    )


def write_finding(finding: Finding) -> list[Any]:
    """Return a finding as plain data: as a JSON object, with which of its other places are later, and which aside."""
    later = [number for number, other in enumerate(finding.related) if other.later]
    aside = [number for number, other in enumerate(finding.related) if other.aside]
    return [finding_object(finding), later, aside]


def read_finding(data: Any, filename: str) -> Finding:
    """Return the finding for plain data, under the name that this run has for its file.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: the data are no finding.
    """
    made, later, aside = list_in(data)
    found = under_name(finding_of(made), filename)
    related = (
        replace(other, later=number in list_in(later), aside=number in list_in(aside))
        for number, other in enumerate(found.related)
    )
    return replace(found, related=tuple(related))


def under_name(finding: Finding, filename: str) -> Finding:
    """Return a finding with another name of its file, and of other files as seen from there."""
    old, new = Path(finding.filename), Path(filename)

    def seen_from_there(other: str) -> str:
        return Path(os.path.normpath(new.parent / os.path.relpath(other, old.parent))).as_posix()

    related = (
        replace(
            other,
            filename=filename if other.filename == finding.filename else seen_from_there(other.filename),
            further=other.further and under_name(other.further, filename),
        )
        for other in finding.related
    )
    return replace(finding, filename=filename, related=tuple(related))


def _outcome(data: Any) -> Outcome:
    what, qualified, digest = list_in(data)
    return text_in(what), text_in(qualified), text_in(digest)
