"""The record of a long run: written as it happens, in bounded memory, for a reader in another process.

Each process writes one file of JSON lines; :mod:`olympus.recording.eventfile` says what they hold. What a verdict rests
on is written when it is first seen, so that the file can be read after a crash; numbers of times follow now and then.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from olympus.recording.executed import Event, Key, Stack
from olympus.recording.lanes import current_lanes
from olympus.recording.recorder import Found, Recorder, allows_reuse
from olympus.tracing.spans import Chain, Span, span_at

if TYPE_CHECKING:
    from olympus import lineage
    from olympus.lineage import Misuse
    from olympus.recording.compiled import Plan, Use

    Uses = list[tuple[Use, Found | None]]

__all__ = ["Recent", "Stream", "kind_of", "start_recording"]

KEYS = 1_000_000  # keys of which it is known who consumed them, and where they come from
PLACES = 100_000  # places, and pairs of places, of one process
ROWS = 1_000_000  # of all tables of one process
CONSUMERS = 8  # of one key; a ninth is compared with these
CALLS = 32  # calls of one function that are told apart by what they have consumed
LONGEST = 32  # bytes of one key's buffer; a longer one is that of an array of keys
SECONDS = 5.0  # between numbers of times

K = TypeVar("K")
V = TypeVar("V")


class Recent(dict[K, V], Generic[K, V]):
    """A dictionary that forgets its oldest entries when there are too many."""

    def __init__(self, largest: int) -> None:
        super().__init__()
        self.largest = largest

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        if len(self) > self.largest:
            self._forget()

    def setdefault(self, key: K, default: V) -> V:
        """Return the value of a key, the given one if there is none yet."""
        found = super().setdefault(key, default)
        if len(self) > self.largest:
            self._forget()
        return found

    def _forget(self) -> None:
        for key in list(islice(self, max(self.largest // 4, 1))):
            del self[key]


class Activation:
    """One call of a function of the user's that is going on: where it has consumed keys so far.

    Frames are told apart by their number, which is given out again: a call begins where it comes from another place
    of its caller, or where it goes back. So a loop's turns are calls of their own here.
    """

    __slots__ = ("code", "lasti", "number", "places")

    def __init__(self, number: int, code: CodeType, lasti: int) -> None:
        self.number = number
        self.code = code
        self.lasti = lasti
        self.places: dict[int, None] = {lasti: None}

    def goes_on(self, number: int, code: CodeType, lasti: int) -> bool:
        """Say whether an instruction is a later one, or the same, of this call."""
        return self.number == number and self.code is code and lasti >= self.lasti


class Stream(Recorder):
    """A recorder that writes down where keys were consumed, and keeps no events.

    ``events`` stays empty, and ``misuses`` as well: the reader of the file tells them.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; the process is described in its first line."""
        super().__init__()
        self.begin_file(path)

    def begin_file(self, path: Path) -> None:
        """Go on in another file, as another process, which knows of no keys."""
        self.lock = threading.RLock()  # another thread may have held it in the process that this one comes from
        self.clear()
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except FileNotFoundError:  # the command is over, and this process has outlived it
            self._file = os.open(os.devnull, os.O_WRONLY)
        self._write(process=os.getpid(), **_versions(), **({"probe": True} if self.probing else {}))

    def clear(self) -> None:
        """Begin anew."""
        with self.lock:
            super().clear()
            self._consumed = Recent(KEYS)
            self._origins = Recent(KEYS)
            self.epochs.words = Recent(KEYS)
            self._consumers: Recent[Key, list[Event]] = Recent(KEYS)
            self._alike: Recent[tuple[str, bytes], int] = Recent(KEYS)
            self._makers: Recent[Key, int] = Recent(KEYS)
            self._inside_words: Recent[tuple[object, object], bytes] = Recent(PLACES)
            self._numbers: dict[object, int] = {}
            self._sites: Recent[tuple[object, object], int] = Recent(PLACES)
            self._unknown: set[int] = set()
            self._times: dict[int, list[int]] = {}
            self._told: dict[int, int] = {}
            self._pairs: set[tuple[int, int, str]] = set()
            self._together: Recent[object, set[frozenset[int]]] = Recent(PLACES)
            self._seen: Recent[tuple[object, object], None] = Recent(PLACES)
            self._stacks = Recent(PLACES)
            self._calls = threading.local()
            self._reported = time.monotonic()
            self._site = 0

    def fail(self, what: str, error: Exception) -> None:
        """Note what could not be followed."""
        with self.lock:
            if len(self.unfollowed) < CALLS:
                super().fail(what, error)
                self._write(unfollowed=self.unfollowed[-1])

    # What a recorder notes.

    def _happened(self, event: Event) -> None:
        if event.kind in ("seed", "clone"):
            return
        self._site = self._number_of(event)
        if event.kind in ("draw", "split"):
            times = self._times.setdefault(self._site, [0, 0])
            times[0] += 1
            if self._site not in self._unknown and not _is_known(event):
                self._unknown.add(self._site)
                self._write(unknown=self._site)
        elif event.kind == "fold_in":
            self._made(event.made)
        if time.monotonic() - self._reported > SECONDS:
            self.report()

    def _make(self, operation: str, *rest: Any) -> list[Key]:
        made = super()._make(operation, *rest)
        if operation == "split":
            self._made(made)
        return made

    def _made(self, keys: Iterable[Key]) -> None:
        for key in keys if current_lanes().all else ():
            earlier = self._makers.setdefault(key, self._site)
            if earlier != self._site and key.epoch >= 0:
                self._pair("derived", earlier, self._site, key)

    def _consume(self, key: Key, event: Event) -> bool:
        repeated = super()._consume(key, event)
        if not repeated:
            self._times[self._site][1] += 1
            alike = self._alike.setdefault((key.implementation, key.words), self._site)
            if alike != self._site:  # of another seeding, or one that has lost its track
                self._pair("words", alike, self._site, key)
            return False
        others = self._consumers.setdefault(key, [])
        for other in others:
            self._repeat("collision" if key in self._derived_twice else "reuse", other, event, key)
        alike = any((other.stack, other.inner) == (event.stack, event.inner) for other in others)
        if len(others) < CONSUMERS and not alike:
            others.append(event)
        return True

    def _repeat(self, kind: Literal["reuse", "collision"], first: Event, second: Event, key: Key) -> None:
        if key.epoch >= 0:
            at, maybe = (first.turns or (), second.turns or ()), _may_be(first) or _may_be(second)
            self._pair(
                kind, self._number_of(first), self._number_of(second), key, at=at if any(at) else (), maybe=maybe
            )

    def _look_at_misuses(self, plan: Plan, args: Sequence[Any], stack: Stack) -> None:
        from olympus.recording.words import words_inside

        for misuse in plan.misuses:
            if (misuse, stack) not in self._seen and misuse.second.consumes:
                dtype = misuse.second.equation.inputs[0].aval.dtype
                try:
                    words = words_inside(plan, misuse.key, dtype, args)
                except Exception as error:  # such as an array of which this process has only a part
                    self.fail(f"the words of a key in {plan.name}", error)
                else:
                    self._inside_words[misuse, stack] = words or b""

    def _misused(self, misuse: Misuse, plan: Plan, stack: Stack) -> None:
        if (misuse, stack) in self._seen:
            return
        self._seen[misuse, stack] = None
        first, second = (
            self._number("site", each.kind, each.name, *self._chain((*each.chain, *stack.chain)))
            for each in (misuse.first, misuse.second)
        )
        maybe = misuse.first.conditional or misuse.second.conditional or _needs_turn(misuse)
        maybe = maybe or not current_lanes().known
        own = memoryview(self._inside_words.get((misuse, stack), b"")).cast("I").tolist()
        words = {"words": own, "device": _device()} if own else {}
        self._entry(
            misuse.kind, first, second, plan.describe(misuse.key), turns=misuse.across_turns, maybe=maybe, **words
        )

    def _pair(self, kind: str, first: int, second: int, key: Key, **details: Any) -> None:
        if (first, second, kind) not in self._pairs and len(self._pairs) < PLACES:
            words = list(key.numbers) if len(key.words) <= LONGEST else []
            self._entry(kind, first, second, self.describe(key), words=words, device=_device(), **details)

    def _entry(self, kind: str, first: int, second: int, key: str, **details: Any) -> None:
        if (first, second, kind) not in self._pairs and len(self._pairs) < PLACES:
            self._pairs.add((first, second, kind))
            self._write(pair=[first, second], kind=kind, key=key[:500], **{k: v for k, v in details.items() if v})

    # Places.

    def _came(self, frames: Sequence[tuple[int, CodeType, int]]) -> None:
        with self.lock:
            self._follow_calls(frames)

    def _follow_calls(self, frames: Sequence[tuple[int, CodeType, int]]) -> None:
        """Note which places one call of a function has come to."""
        calls: list[Activation] | None = getattr(self._calls, "now", None)
        if calls is None:
            calls = self._calls.now = []
        depth, same = 0, True
        for depth, (number, code, lasti) in enumerate(reversed(frames)):
            call = calls[depth] if same and depth < len(calls) else None
            if call is not None and call.goes_on(number, code, lasti):
                same = call.lasti == lasti
                call.lasti = lasti
                call.places[lasti] = None
            else:
                same = False
                if call is not None or depth < len(calls):
                    self._end(calls, depth)
                calls.append(Activation(number, code, lasti))
            if not same:
                self._end(calls, depth + 1)
        self._end(calls, depth + 1)

    def _end(self, calls: list[Activation], depth: int) -> None:
        """Write down where calls that are over have consumed keys."""
        for call in calls[depth:]:
            self._met(call.code, call.places)
        del calls[depth:]

    def _met(self, code: CodeType, places: Iterable[int]) -> None:
        found = frozenset(places)
        known = self._together.setdefault(code, set())
        if len(found) < 2 or found in known or len(known) >= CALLS:
            return
        known.add(found)
        self._write(together=sorted(self._span(span_at(code, lasti)) for lasti in found))

    def _met_inside(self, which: object, events: Iterable[lineage.Event]) -> None:
        """Write down which places the events of one execution of a compiled function have in common, once."""
        if which in self._together:
            return
        self._together[which] = set()
        levels: dict[Chain, set[Span]] = {}
        for event in events:
            chain = event.chain
            for depth, span in enumerate(chain):
                levels.setdefault(chain[depth + 1 :], set()).add(span)
        for spans in levels.values():
            if len(spans) > 1:
                self._write(together=sorted(map(self._span, spans)))

    def _after_call(self, plan: Plan, uses: Uses, *rest: Any) -> None:
        with self.lock:
            self._met_inside((plan, len(uses)), [use.event for use, _ in uses])
            super()._after_call(plan, uses, *rest)

    def _skip(self, events: Iterable[lineage.Event], stack: Stack) -> None:
        """Note what may have happened in a call: it is in a branch of which it is not known that it was taken."""
        for inner in events:
            if (inner, stack) not in self._sites:
                site = self._number_of(Event(kind_of(inner), inner.name, (), (), stack, inner))
                if site not in self._unknown:
                    self._unknown.add(site)
                    self._write(unknown=site)

    def _number_of(self, event: Event) -> int:
        known = self._sites.get((event.stack, event.inner))
        if known is None:
            looped = event.inner is not None and bool(event.inner.context.turns)
            known = self._number("site", event.kind, event.name, *self._chain(event.chain), looped=looped)
            self._sites[event.stack, event.inner] = known
        return known

    def _chain(self, chain: Chain) -> tuple[int, ...]:
        return tuple(map(self._span, chain))

    def _span(self, span: Span) -> int:
        file = self._file_number(span.file)
        return self._number("span", file, span.line, span.column, span.end_line, span.end_column, span.function)

    def _file_number(self, name: str) -> int:
        known = self._numbers.get(("file", name))
        if known is None:
            path, digest = os.path.realpath(name), ""
            with suppress(OSError, ValueError):  # such as a cell of a notebook: there is no file to find it in
                digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            known = self._numbers["file", name] = len(self._numbers)
            self._write(file=known, path=path, sha256=digest)
        return known

    def _number(self, table: str, *row: Any, **details: Any) -> int:
        """Return the number of a row of one of the file's tables; a new one is written."""
        known = self._numbers.get((table, *row))
        if known is None and len(self._numbers) >= ROWS:
            return -1
        if known is None:
            known = self._numbers[(table, *row)] = len(self._numbers)
            self._write(**{table: known, "is": row}, **{name: value for name, value in details.items() if value})
        return known

    # Writing.

    def report(self) -> None:
        """Write how often each place was reached, as far as that has changed."""
        with self.lock:
            self._reported = time.monotonic()
            times = [[site, *numbers] for site, numbers in self._times.items() if self._told.get(site) != numbers[0]]
            if times:
                self._told.update((site, number) for site, number, _ in times)
                self._write(times=times)

    def finish(self) -> None:
        """Write what is left."""
        with self.lock:
            self._end(getattr(self._calls, "now", []), 0)
            self.report()
            self._write(finished=True)

    def finish_file(self) -> None:
        """Close the file; nothing may be recorded after that."""
        os.close(self._file)

    def _write(self, **row: Any) -> None:
        line = json.dumps(row, separators=(",", ":")) + "\n"
        with suppress(OSError):  # a full disk is no reason to stop the program
            os.write(self._file, line.encode())  # in one piece, and at once: the process may be killed


def _may_be(event: Event) -> bool:
    """Say whether an event stands for what all branches do: it is not known that this one was taken."""
    from olympus.recording.compiled import is_in_branch

    return event.inner is not None and event.turns is None and event.inner.conditional and is_in_branch(event.inner)


def kind_of(inner: lineage.Event) -> Literal["split", "draw"]:
    """Return what an event of a lineage does with its key, which it consumes."""
    return "split" if inner.kind == "split" else "draw"


def _is_known(event: Event) -> bool:
    """Say whether it is known which keys an event consumes."""
    if allows_reuse():
        return False
    return event.certain if not event.keys else all(k.epoch >= 0 and len(k.words) <= LONGEST for k in event.keys)


def _needs_turn(misuse: Misuse) -> bool:
    """Say whether a misuse happens only if a loop has a second turn, of which it is not known how many it has."""
    outer = misuse.second.equation.outer if misuse.across_turns else None
    while outer is not None and outer.primitive != "while":
        outer = outer.outer
    return outer is not None


def _versions() -> dict[str, str]:
    import jax

    from olympus._version import __version__

    python = ".".join(map(str, sys.version_info[:3]))
    return {"olympus": __version__, "jax": jax.__version__, "python": python}


def _device() -> str:
    import jax

    device = jax.devices()[0]
    return f"{device.platform}:{device.id}"


def start_recording(folder: str, *, probe: bool = False) -> None:
    """Record this process to its end, and those that it forks; JAX is imported."""
    kind = Stream
    if probe:
        from olympus.recording.probing import ProbingStream

        kind = ProbingStream
    stream = kind(_file_in(folder))
    stream.__enter__()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: stream.begin_file(_file_in(folder)))
    atexit.register(stream.finish)


def _file_in(folder: str) -> Path:
    return Path(folder) / f"events-{os.getpid()}-{time.monotonic_ns()}.jsonl"
