"""The record of a long run: written as it happens, in bounded memory, for a reader in another process.

Each process writes one file of JSON lines; :mod:`olympus.recording.eventfile` says what they hold. What a verdict rests
on is written when it is first seen, so that the file can be read after a crash; numbers of times follow now and then.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from olympus.recording.equations import is_in_branch
from olympus.recording.executed import Event, Key, Stack
from olympus.recording.intended import allows_reuse
from olympus.recording.lanes import current_lanes
from olympus.recording.recent import Recent
from olympus.recording.recorder import Recorder
from olympus.recording.together import Together
from olympus.recording.words import words_inside
from olympus.recording.writing import Rows

if TYPE_CHECKING:
    from olympus import lineage
    from olympus.lineage import Misuse
    from olympus.recording.compiled import Plan

KEYS = 1_000_000  # keys whose consumers and origins are remembered
PLACES = 100_000  # places, and pairs of places, of one process
CONSUMERS = 8  # of one key; a ninth is compared with these
UNFOLLOWED = 32  # functions and operations that could not be followed
LONGEST = 32  # bytes of one key's buffer; a longer one is that of an array of keys
SECONDS = 5.0  # between numbers of times


class Stream(Recorder):
    """A recorder that writes down where keys were consumed, and keeps no events.

    ``events`` stays empty, and ``misuses`` as well: the reader of the file tells them.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; the process is described in its first line."""
        self.rows = Rows(path)
        super().__init__()
        self._describe_process()

    def begin_file(self, path: Path) -> None:
        """Go on in another file, as another process, which knows of no keys."""
        self.lock = threading.RLock()  # another thread may have held it in the process that this one comes from
        self.rows = Rows(path)
        self.clear()
        self._describe_process()

    def _describe_process(self) -> None:
        self.rows.write(process=os.getpid(), **_versions(), **({"probe": True} if self.probing else {}))

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
            self._sites: Recent[tuple[object, object], int] = Recent(PLACES)
            self._unknown: set[int] = set()
            self._times: dict[int, list[int]] = {}
            self._told: dict[int, int] = {}
            self._pairs: set[tuple[int, int, str]] = set()
            self.together = Together(self.rows, PLACES)
            self._seen: Recent[tuple[object, object], None] = Recent(PLACES)
            self._stacks = Recent(PLACES)
            self._reported = time.monotonic()
            self._site = 0

    def fail(self, what: str, error: Exception) -> None:
        """Note what could not be followed."""
        with self.lock:
            if len(self.unfollowed) < UNFOLLOWED:
                super().fail(what, error)
                self.rows.write(unfollowed=self.unfollowed[-1])

    # What a recorder notes.

    def happened(self, event: Event) -> None:
        """Count a consumption at its place."""
        if event.kind in ("seed", "clone"):
            return
        self._site = self._number_of(event)
        if event.kind in ("draw", "split"):
            times = self._times.setdefault(self._site, [0, 0])
            times[0] += 1
            if self._site not in self._unknown and not _is_known(event):
                self._unknown.add(self._site)
                self.rows.write(unknown=self._site)
        elif event.kind == "fold_in":
            self._made(event.made)
        if time.monotonic() - self._reported > SECONDS:
            self.report()

    def make(self, operation: str, *rest: Any) -> list[Key]:
        """Note that keys were made, and whether another place has made them as well."""
        made = super().make(operation, *rest)
        if operation == "split":
            self._made(made)
        return made

    def _made(self, keys: Iterable[Key]) -> None:
        for key in keys if current_lanes().all else ():
            earlier = self._makers.setdefault(key, self._site)
            if earlier != self._site and key.epoch >= 0:
                self._pair("derived", earlier, self._site, key)

    def consume(self, key: Key, event: Event) -> bool:
        """Compare a consumption with the earlier ones of the key; return whether there are any."""
        repeated = super().consume(key, event)
        if not repeated:
            self._times[self._site][1] += 1
            alike = self._alike.setdefault((key.implementation, key.words), self._site)
            if alike != self._site:  # of another seeding, or one that has lost its track
                self._pair("words", alike, self._site, key)
            return False
        others = self._consumers.setdefault(key, [])
        for other in others:
            self.repeat("collision" if key in self._derived_twice else "reuse", other, event, key)
        alike = any((other.stack, other.inner) == (event.stack, event.inner) for other in others)
        if len(others) < CONSUMERS and not alike:
            others.append(event)
        return True

    def repeat(self, kind: Literal["reuse", "collision"], first: Event, second: Event, key: Key) -> None:
        """Write down the two places that consume one key."""
        if key.epoch >= 0:
            at, maybe = (first.turns or (), second.turns or ()), _may_be(first) or _may_be(second)
            self._pair(
                kind, self._number_of(first), self._number_of(second), key, at=at if any(at) else (), maybe=maybe
            )

    def look_at_misuses(self, plan: Plan, args: Sequence[Any], stack: Stack) -> None:
        """Compute the words of misused keys before the call, which may be given their buffers."""
        for misuse in plan.misuses:
            if (misuse, stack) not in self._seen and misuse.second.consumes:
                dtype = misuse.second.equation.inputs[0].aval.dtype
                try:
                    words = words_inside(plan, misuse.key, dtype, args)
                except Exception as error:  # such as an array of which this process has only a part
                    self.fail(f"the words of a key in {plan.name}", error)
                else:
                    self._inside_words[misuse, stack] = words or b""

    def misused(self, misuse: Misuse, plan: Plan, stack: Stack) -> None:
        """Write down a misuse inside of a compiled function, once for each stack."""
        if (misuse, stack) in self._seen:
            return
        self._seen[misuse, stack] = None
        first, second = (
            self.rows.number("site", each.kind, each.name, *self.rows.chain((*each.chain, *stack.chain)))
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
            self.rows.write(pair=[first, second], kind=kind, key=key[:500], **{k: v for k, v in details.items() if v})

    # Places.

    def came(self, frames: Sequence[tuple[int, CodeType, int]]) -> None:
        """Note which places one call of a function has reached."""
        with self.lock:
            self.together.follow(frames)

    def called(self, which: object, events: Sequence[lineage.Event]) -> None:
        """Write down which places the events have in common."""
        self.together.inside(which, events)

    def skip(self, events: Iterable[lineage.Event], stack: Stack) -> None:
        """Note what may have happened in a call: it is in a branch that may not have been taken."""
        for inner in events:
            if (inner, stack) not in self._sites:
                site = self._number_of(Event(kind_of(inner), inner.name, (), (), stack, inner))
                if site not in self._unknown:
                    self._unknown.add(site)
                    self.rows.write(unknown=site)

    def _number_of(self, event: Event) -> int:
        known = self._sites.get((event.stack, event.inner))
        if known is None:
            looped = event.inner is not None and bool(event.inner.context.turns)
            known = self.rows.number("site", event.kind, event.name, *self.rows.chain(event.chain), looped=looped)
            self._sites[event.stack, event.inner] = known
        return known

    # Writing.

    def report(self) -> None:
        """Write how often each place was reached, as far as that has changed."""
        with self.lock:
            self._reported = time.monotonic()
            times = [[site, *numbers] for site, numbers in self._times.items() if self._told.get(site) != numbers[0]]
            if times:
                self._told.update((site, number) for site, number, _ in times)
                self.rows.write(times=times)

    def finish(self) -> None:
        """Write what is left."""
        with self.lock:
            self.together.finish()
            self.report()
            self.rows.write(finished=True)


def _may_be(event: Event) -> bool:
    """Return whether an event stands for what all branches do: it is not known that this one was taken."""
    return event.inner is not None and event.turns is None and event.inner.conditional and is_in_branch(event.inner)


def kind_of(inner: lineage.Event) -> Literal["split", "draw"]:
    """Return what an event of a lineage does with its key, which it consumes."""
    return "split" if inner.kind == "split" else "draw"


def _is_known(event: Event) -> bool:
    """Return whether it is known which keys an event consumes."""
    if allows_reuse():
        return False
    return event.certain if not event.keys else all(k.epoch >= 0 and len(k.words) <= LONGEST for k in event.keys)


def _needs_turn(misuse: Misuse) -> bool:
    """Return whether a misuse needs a second iteration of a loop with an unknown number of iterations."""
    return misuse.across_turns and any(each.primitive == "while" for each in misuse.second.equation.around[1:])


def _versions() -> dict[str, str]:
    import jax

    from olympus._version import __version__

    python = ".".join(map(str, sys.version_info[:3]))
    return {"olympus": __version__, "jax": jax.__version__, "python": python}


def _device() -> str:
    import jax

    device = jax.devices()[0]
    return f"{device.platform}:{device.id}"
