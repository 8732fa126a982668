"""Which places one call of a function has reached: keys of different calls are no reuse within one."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING

from olympus.recording.recent import Recent
from olympus.recording.writing import Rows
from olympus.tracing.spans import Chain, Span, span_at

if TYPE_CHECKING:
    from olympus import lineage

CALLS = 32  # calls of one function that are told apart by what they have consumed


@dataclass(slots=True)
class Activation:
    """One call of a function of the user's that is going on: where it has consumed keys so far.

    Frames are told apart by their number, which is given out again: a call begins where it comes from another place
    of its caller, or where it goes back. So a loop's iterations are calls of their own here.
    """

    number: int
    code: CodeType
    lasti: int
    places: dict[int, None]

    def goes_on(self, number: int, code: CodeType, lasti: int) -> bool:
        """Return whether an instruction is a later one, or the same, of this call."""
        return self.number == number and self.code is code and lasti >= self.lasti


class Together:
    """Writes down the places that one call has reached, once for each set of places."""

    def __init__(self, rows: Rows, largest: int) -> None:
        """Prepare for a process.

        Args:
            rows: where they are written.
            largest: how many functions are remembered.
        """
        self._rows = rows
        self._together: Recent[object, set[frozenset[int]]] = Recent(largest)
        self._calls = threading.local()

    def follow(self, frames: Sequence[tuple[int, CodeType, int]]) -> None:
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
                calls.append(Activation(number, code, lasti, {lasti: None}))
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
        self._rows.write(together=sorted(self._rows.span(span_at(code, lasti)) for lasti in found))

    def inside(self, which: object, events: Iterable[lineage.Event]) -> None:
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
                self._rows.write(together=sorted(map(self._rows.span, spans)))

    def finish(self) -> None:
        """Write down where the calls of this thread that are still going on have consumed keys."""
        self._end(getattr(self._calls, "now", []), 0)
