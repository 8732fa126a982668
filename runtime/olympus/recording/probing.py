"""A stream that also finds out what compiled loops and branches consume: ``olympus record --probe``."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from olympus.recording.executed import Event, Key, Stack
from olympus.recording.intended import allows_reuse
from olympus.recording.probe import Probed
from olympus.recording.stream import Stream, kind_of

if TYPE_CHECKING:
    from olympus.recording.compiled import Plan
    from olympus.recording.probe import Site


def start_recording(folder: str, *, probe: bool = False) -> None:
    """Record this process to its end, and those that it forks, for ``olympus record``; JAX is imported."""
    stream = (ProbingStream if probe else Stream)(_file_in(folder))
    stream.__enter__()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: stream.begin_file(_file_in(folder)))
    atexit.register(stream.finish)


def _file_in(folder: str) -> Path:
    return Path(folder) / f"events-{os.getpid()}-{time.monotonic_ns()}.jsonl"


class ProbingStream(Stream):
    """A stream whose compiled loops and branches are executed a second time."""

    probing = True

    def probe(self, plan: Plan, args: Sequence[Any]) -> Probed | None:
        """Execute the loops and branches of a function that is about to be called."""
        if plan.unprobed is not None:
            self._not_probed(plan, plan.unprobed)
        if plan.probe is None:
            return None
        try:
            rows, missing = plan.probe.rows(args)
        except Exception as error:  # such as one of memory
            self._not_probed(plan, f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
            return None
        known = [epochs for array in args if (epochs := self.epochs_of(array))]
        return Probed(plan.probe, rows, missing, frozenset().union(*known))

    def _not_probed(self, plan: Plan, reason: str) -> None:
        """Note once why a function has no probe."""
        if (plan, "probe") not in self._seen:
            self._seen[plan, "probe"] = None
            self.rows.write(note=f"`{plan.name}` could not be probed: {reason[:200]}")

    def use_probed(self, probed: Probed, stack: Stack) -> bool:
        """Note what the loops and branches of a call have consumed; return whether a key was consumed before."""
        seeded = frozenset(self.epochs.begin() for _ in range(probed.probe.seeds))
        epochs, repeated = probed.epochs | seeded, set[int]()
        together: dict[tuple[int, ...], dict[int, None]] = {}
        for row in probed.rows:
            site = probed.probe.sites[row.site]
            together.setdefault(row.turns, {})[row.site] = None
            epoch = self._epoch_inside(row.words, epochs)
            if any(row.site in probed.probe.after.get(number, ()) for number in repeated):
                epoch = -1  # it comes of a key that was split twice, which is reported
            key = Key(epoch, site.event.implementation, row.words)
            if self._use_row(site, key, row.turns, stack):
                repeated.add(row.site)
        for number in probed.missing:
            site = probed.probe.sites[number]
            self.happened(Event(kind_of(site.event), site.event.name, (), (), stack, site.event))
        for numbers in together.values():
            self.called((probed.probe, frozenset(numbers)), [probed.probe.sites[each].event for each in numbers])
        return bool(repeated)

    def _use_row(self, site: Site, key: Key, turns: tuple[int, ...], stack: Stack) -> bool:
        if site.way and self._origins.setdefault(key, (site.way, None, None))[0] != site.way:
            self._derived_twice.add(key)
        event = Event(kind_of(site.event), site.event.name, (key,), (), stack, site.event, turns=turns)
        self.happened(event)
        return not allows_reuse() and self.consume(key, event)

    def _epoch_inside(self, words: bytes, epochs: frozenset[int]) -> int:
        """Return the epoch of a key inside of a compiled function, given those of the keys that it was made of."""
        known = [epoch for epoch in self.epochs.words.get(words, ()) if epoch in epochs]
        if len(known) == 1:
            return known[0]
        return next(iter(epochs)) if len(epochs) == 1 else -1
