"""The file of events that ``olympus record`` writes: JSON lines, read without JAX.

The first line begins with :data:`HEADER` and has the format's number, the version of olympus and the command. Then
come the processes that have imported JAX, one after the other. A row of a process is one of these; numbers are those
of its own tables:

* ``process`` begins a process: its number, the versions of olympus, JAX and Python; ``probe`` if compiled loops and
  branches were probed.
* ``file``, with ``path`` and ``sha256``: a source file, and what it held.
* ``span``, with ``is``: a place, as file, line, column, end line, end column and function.
* ``site``, with ``is``: an operation, as kind, name and its chain of spans, innermost first; ``looped`` if it is inside
  of a compiled loop.
* ``pair``: two sites of one key, with ``kind`` and ``key``; ``words`` and ``device`` if known; ``turns`` if it is one
  place in two iterations of a compiled loop; ``at`` for the iterations of the compiled loops around each of
  the two, outermost first, counted from 0, where they were probed; ``maybe`` if it is unknown whether the branch or
  iteration ran. Besides misuses there are two more kinds: ``derived``, two sites that made one key, and ``words``, two
  sites that consumed keys of equal words from different seedings.
* ``unknown``: a site that consumed an unknown key.
* ``together``: spans that one call of a function reached.
* ``times``: for some sites, how often they were reached, and how often with a key that was new.
* ``unfollowed``, ``note``: what could not be recorded.
* ``finished`` ends a process that has ended.

The last line has the number of processes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from olympus.tracing.spans import Span

FORMAT = 1
HEADER = b'{"olympus":"events",'
LONGEST = 10_000_000  # bytes of one line


class NotEvents(Exception):
    """A file that cannot be read as events; the message is a sentence without the file's name."""


@dataclass(frozen=True, slots=True)
class Site:
    """One operation on a key at one place, with the calls that led there.

    Attributes:
        kind: ``draw``, ``split``, ``fold_in``, or what was done to the words of a key.
        name: the function that was called, such as ``normal``.
        chain: the spans of the calls, innermost first.
        looped: whether it is in a compiled loop.
    """

    kind: str
    name: str
    chain: tuple[Span, ...]
    looped: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two operations that had one key; see the head of this module."""

    first: int
    second: int
    kind: str
    key: str
    words: tuple[int, ...] = ()
    device: str = ""
    turns: bool = False
    maybe: bool = False
    at: tuple[tuple[int, ...], ...] = ((), ())


@dataclass(slots=True)
class Process:
    """What one process did with keys.

    Attributes:
        number: the process's number in its system.
        jax: the version of JAX.
        digests: the SHA-256 of each file that spans are in, by its path.
        sites: the operations, by number.
        pairs: what is wrong.
        unknown: the sites where it is not known which keys they had.
        together: spans that one call of a function reached.
        times: for each site, how often it was reached, and how often with a new key.
        finished: whether it has ended.
        probed: whether its compiled loops and branches were probed.
    """

    number: int
    jax: str
    digests: dict[str, str] = field(default_factory=dict)
    sites: dict[int, Site] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    unknown: set[int] = field(default_factory=set)
    together: list[frozenset[Span]] = field(default_factory=list)
    times: dict[int, tuple[int, int]] = field(default_factory=dict)
    finished: bool = False
    probed: bool = False


@dataclass(slots=True)
class EventFile:
    """What a command did with keys.

    Attributes:
        command: the command.
        processes: its processes that have imported JAX.
        notes: what could not be recorded, as sentences.
        damage: why the file ends too early, as a sentence; ``None`` if it is whole.
    """

    command: tuple[str, ...]
    processes: list[Process] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    damage: str | None = None


def read_events(path: Path) -> EventFile:
    """Read a file of events, up to where it is damaged.

    Raises:
        NotEvents: it cannot be read, or it is none.
    """
    try:
        with path.open("rb") as file:
            return _read(file)
    except OSError as error:
        raise NotEvents(f"cannot be read: {error.strerror or error}; check the path.") from error


def _read(file: IO[bytes]) -> EventFile:
    first = file.readline(LONGEST)
    if not first.startswith(HEADER):
        raise NotEvents("is no file of events; `olympus record -- COMMAND` writes one.")
    try:
        header = json.loads(first)
        command = tuple(map(_text, header["command"]))
        version = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NotEvents("is damaged in its first line; record the command again.") from None
    if version != FORMAT:
        raise NotEvents(
            f"has format {_text(str(version))[:20]}, and this release reads {FORMAT}; record again with it."
        )
    found = EventFile(command)
    reader, skipping, whole = _Reader(found), False, False
    for number, line in enumerate(iter(lambda: file.readline(LONGEST), b""), start=2):
        try:
            row = _object(json.loads(line))
            skipping = skipping and "process" not in row
            whole = "processes" in row
            if not skipping and not whole:
                reader.read(row)
        except (ValueError, LookupError, TypeError, RecursionError):
            skipping = True  # up to the next process: this one may have been killed while it wrote
            found.damage = found.damage or f"is damaged in line {number}; the events of that process end there."
    if not whole:
        found.damage = found.damage or "is truncated; the events in it are used."
    return found


class _Reader:
    """Reads rows; what is not as it should be raises one of the errors of looking something up."""

    def __init__(self, found: EventFile) -> None:
        self.found = found
        self.files: dict[int, str] = {}
        self.spans: dict[int, Span] = {}
        self.readers: dict[str, Callable[[Any], None]] = {
            "process": self.process,
            "file": self.file,
            "span": self.span,
            "site": self.site,
            "pair": self.pair,
            "unknown": lambda row: self.current.unknown.add(_whole(row["unknown"])),
            "together": lambda row: self.current.together.append(
                frozenset(map(self.spans.__getitem__, row["together"]))
            ),
            "times": self.times,
            "unfollowed": lambda row: self.found.notes.append(f"could not be followed: {_text(row['unfollowed'])}"),
            "note": lambda row: self.found.notes.append(_text(row["note"])),
            "finished": self.finished,
        }

    @property
    def current(self) -> Process:
        return self.found.processes[-1]

    def read(self, row: Any) -> None:
        reader = next(filter(None, map(self.readers.get, row)), None)
        if reader is not None:  # a later release may write more
            reader(row)

    def process(self, row: Any) -> None:
        self.files, self.spans = {}, {}
        probed = row.get("probe") is True
        self.found.processes.append(Process(_whole(row["process"]), _text(row["jax"]), probed=probed))

    def file(self, row: Any) -> None:
        path = row["path"]
        if not isinstance(path, str):
            raise TypeError(path)
        self.files[_whole(row["file"])] = path
        self.current.digests[path] = _text(row["sha256"])

    def span(self, row: Any) -> None:
        file, *places, function = row["is"]
        line, column, end_line, end_column = map(_whole, places)
        self.spans[_whole(row["span"])] = Span(self.files[file], line, column, end_line, end_column, _text(function))

    def site(self, row: Any) -> None:
        kind, name, *chain = row["is"]
        spans = tuple(self.spans[number] for number in chain if number != -1)
        self.current.sites[_whole(row["site"])] = Site(_text(kind), _text(name), spans, row.get("looped") is True)

    def pair(self, row: Any) -> None:
        first, second = map(_whole, row["pair"])
        words = tuple(map(_whole, row.get("words", ())))
        turns, maybe = row.get("turns") is True, row.get("maybe") is True
        one, other = (tuple(map(_whole, each)) for each in row.get("at", ((), ())))
        device, at = _text(row.get("device", "")), (one, other)
        pair = Pair(first, second, _text(row["kind"]), _text(row["key"]), words, device, turns, maybe, at)
        if first in self.current.sites and second in self.current.sites:
            self.current.pairs.append(pair)

    def times(self, row: Any) -> None:
        for site, often, new in row["times"]:
            self.current.times[_whole(site)] = _whole(often), _whole(new)

    def finished(self, row: Any) -> None:
        self.current.finished = True


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _whole(value: object) -> int:
    if type(value) is not int or not -1 <= value < 2**63:
        raise TypeError(value)
    return value


def _text(value: object) -> str:
    """Return a text for a terminal: no control characters."""
    if not isinstance(value, str):
        raise TypeError(value)
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in value)
