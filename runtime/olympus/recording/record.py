"""What a recorder keeps of the keys that a program makes and consumes."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from olympus.lineage.diagnosis import Diagnosis, of_misuse
from olympus.recording.executed import Event, Key, Repeat, Stack, is_installed, places_of, user_frames
from olympus.recording.intended import is_recomputing
from olympus.recording.words import LARGEST, rows_of
from olympus.tracing import adapter
from olympus.tracing.spans import Span

if TYPE_CHECKING:
    from olympus import lineage
    from olympus.recording.compiled import Plan
    from olympus.recording.probe import Probed


OUTSIDE = 0
"""The epoch of all keys that were made before the recording, or in a way that it does not see."""

MANY = 16  # epochs that one key's words are looked up in
MADE = {"seed": "key({1})", "split": "split({0})[{1}]", "fold_in": "fold_in({0}, {1})", "clone": "clone({0})"}
"""What keys are to a reader, by their operation: of their parent, and with the index or number."""


class Record:
    """The keys that a program has made and consumed, and what is wrong with that.

    Attributes:
        events: the key operations in the order of their execution.
        unfollowed: the compiled functions and operations that could not be followed, and why.
        probing: whether compiled loops and branches are executed a second time, to see what they consume.
    """

    probing = False

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.clear()

    def clear(self) -> None:
        """Forget all events and misuses, and which keys have been consumed."""
        with self.lock:
            self.events: list[Event] = []
            self.unfollowed: list[str] = []
            self.epochs = Epochs()
            self._consumed: dict[Key, Event] = {}
            self._origins: dict[Key, tuple[str, Key | None, object]] = {}
            self._derived_twice: set[Key] = set()
            self._repeats: dict[tuple[int, ...], Repeat] = {}
            self._inside: dict[tuple[int, int], tuple[lineage.Misuse, Plan, Stack]] = {}
            self._stacks: dict[tuple[int, ...], Stack] = {}

    @property
    def misuses(self) -> tuple[Diagnosis, ...]:
        """Return what is wrong: keys that were consumed twice, and misuses inside of compiled functions.

        A reuse that happens inside of one call into an installed package is the package's own and is left out.
        """
        with self.lock:
            repeats, inside = list(self._repeats.values()), list(self._inside.values())
        found: dict[tuple[str, Span, Span], Diagnosis] = {}
        for misuse, plan, stack in inside:
            places = places_of((*misuse.first.chain, *stack.chain), (*misuse.second.chain, *stack.chain))
            if places is not None:
                found.setdefault((misuse.kind, *places), of_misuse(misuse, plan.describe, places))
        for repeat in repeats:
            places = places_of(repeat.first.chain, repeat.second.chain)
            if places is not None and (repeat.kind, *places) not in found:
                found[repeat.kind, *places] = self._diagnosis(repeat, *places)
        return tuple(found.values())

    def _diagnosis(self, repeat: Repeat, first: Span, second: Span) -> Diagnosis:
        names = (repeat.first.name, repeat.second.name)
        calls = repeat.second.stack.chain if repeat.second.inner is not None and first == second else ()
        call = next((span for span in calls if not is_installed(span.file)), None)
        if call == second:
            call = None
        return Diagnosis(repeat.kind, self.describe(repeat.key), first, second, names, call=call)

    def describe(self, key: Key) -> str:
        """Return a key as a reader would write it, such as ``split(key(0))[1]``."""
        operation, parent, data = self._origins.get(key, ("", None, None))
        inner = self.describe(parent) if parent is not None else ""
        if parent is not None or operation in ("seed", "clone"):
            return MADE[operation].format(inner, data)
        words = key.numbers
        return f"the key {list(words)}" if len(words) <= 8 else "an array of keys"

    # What is noted.

    def fail(self, what: str, error: Exception) -> None:
        """Note what could not be followed."""
        with self.lock:
            self.unfollowed.append(f"{what}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")

    def happened(self, event: Event) -> None:
        """Note a key operation."""
        self.events.append(event)

    def key(self, array: Any, words: bytes, implementation: str) -> Key:
        """Return a key of an array, with the seeding that it comes from."""
        epoch = self.epochs.resolve(array, words)
        return Key(-1 if epoch is None else epoch, implementation, words)

    def make(
        self, operation: str, array: Any, rows: list[bytes], epoch: int, origins: Iterable[tuple[Key | None, object]]
    ) -> list[Key]:
        """Note that keys were made: where from, one by one, and by what."""
        self.epochs.track(array, frozenset([epoch]))
        if len(rows) != array.size:
            return []
        keys = [Key(epoch, str(array.dtype), words) for words in rows]
        for key, origin in zip(keys, origins, strict=True):
            self.derive_one(operation, key, *origin)
        return keys

    def derive_one(self, operation: str, key: Key, parent: Key | None, data: object) -> None:
        """Note where a key comes from."""
        self.epochs.born(key.words, key.epoch)
        known = self._origins.setdefault(key, (operation, parent, data))
        if known[0] != operation:
            self._derived_twice.add(key)

    def consume(self, key: Key, event: Event) -> bool:
        """Note that a key is consumed; return whether it was before."""
        if key.epoch < 0 or is_recomputing():
            return False
        earlier = self._consumed.setdefault(key, event)
        recomputed = event.inner is not None and event.inner.context.recomputed
        if earlier is event or (recomputed and earlier.chain[:1] == event.chain[:1]):
            return False
        self.repeat("collision" if key in self._derived_twice else "reuse", earlier, event, key)
        return True

    def repeat(self, kind: Literal["reuse", "collision"], first: Event, second: Event, key: Key) -> None:
        """Note that two operations consume one key."""
        if key.epoch >= 0:
            place = (id(first.stack), id(first.inner), id(second.stack), id(second.inner))
            self._repeats.setdefault(place, Repeat(kind, first, second, key))

    def stack(self) -> Stack:
        """Return the user's part of the stack; equal ones are one object."""
        frames = user_frames()
        calls = [(code, lasti) for _, code, lasti in frames]
        if adapter.current_branches():
            calls = [*adapter.current_calls(), *calls]
        numbers = tuple(number for code, lasti in calls for number in (id(code), lasti))
        known = self._stacks.get(numbers)
        if known is None:
            known = self._stacks.setdefault(numbers, Stack(tuple(calls)))
        self.came(frames)
        return known

    def epochs_of(self, array: Any) -> frozenset[int]:
        """Return the seedings that the keys of an array come from."""
        known = self.epochs.of(array)
        if known is None and not str(getattr(array, "dtype", "")).startswith("key<"):
            return frozenset()
        if known is None:
            found = {self.epochs.resolve(array, row) for row in rows_of(array)[:LARGEST]}
            known = frozenset(epoch for epoch in found if epoch is not None)
        return known

    def misused(self, misuse: lineage.Misuse, plan: Plan, stack: Stack) -> None:
        """Note a misuse inside of one call of a compiled function."""
        self._inside.setdefault((id(misuse), id(stack)), (misuse, plan, stack))

    # What a record of another kind does besides.

    def came(self, frames: Sequence[tuple[int, CodeType, int]]) -> None:
        """Be told of the calls that led to an operation, innermost first."""

    def look_at_misuses(self, plan: Plan, args: Sequence[Any], stack: Stack) -> None:
        """Be told of a call in which something is wrong, before it."""

    def skip(self, events: Iterable[lineage.Event], stack: Stack) -> None:
        """Be told what may have happened in a call."""

    def called(self, which: object, events: Sequence[lineage.Event]) -> None:
        """Be told what one execution of a compiled function has consumed.

        Args:
            which: equal for executions with the same events.
            events: the consumptions.
        """

    def probe(self, plan: Plan, args: Sequence[Any]) -> Probed | None:
        """Find out what the loops and branches of a function will consume, which is about to be called."""
        return None

    def use_probed(self, probed: Probed, stack: Stack) -> bool:
        """Note what the loops and branches of a call have consumed; return whether a key was consumed before."""
        raise NotImplementedError


class Epochs:
    """Which seeding each concrete key comes from: two programs that seed 0 have equal keys, and reuse nothing.

    Each execution of a seed begins an *epoch*, and what is derived of its key belongs to it. Arrays are followed
    through the operations that move them; a key that comes back another way, through NumPy or a file, is known by its
    words if only one epoch has such a key.
    """

    def __init__(self) -> None:
        self.numbers = itertools.count(OUTSIDE + 1)
        self.arrays: dict[int, tuple[weakref.ref[Any], frozenset[int]]] = {}
        self.words: dict[bytes, tuple[int, ...]] = {}

    def begin(self) -> int:
        """Return the number of a new epoch."""
        return next(self.numbers)

    def track(self, array: Any, epochs: frozenset[int]) -> None:
        """Say which epochs the keys in an array belong to."""
        buffer = adapter.key_buffer(array)
        number, arrays = id(buffer), self.arrays
        # The number of an array is given out again once it is gone.
        self.arrays[number] = weakref.ref(buffer, lambda _: arrays.pop(number, None)), epochs

    def of(self, array: Any) -> frozenset[int] | None:
        """Return the epochs of the keys in an array, ``None`` if it was not followed to here."""
        found = self.arrays.get(id(adapter.key_buffer(array)))
        return None if found is None else found[1]

    def born(self, words: bytes, epoch: int) -> None:
        """Note that an epoch has a key of these words."""
        known = self.words.get(words, ())
        if epoch not in known:
            self.words[words] = (*known[-MANY + 1 :], epoch)

    def resolve(self, array: Any, words: bytes) -> int | None:
        """Return the epoch of a key in an array, ``None`` where it may be one of several."""
        own = self.of(array)
        if own is not None and len(own) == 1:
            return next(iter(own))
        found = [epoch for epoch in self.words.get(words, ()) if own is None or epoch in own]
        if not found and own is None:
            self.track(array, frozenset([OUTSIDE]))  # a clone of it will have the same words, and an epoch of its own
            self.born(words, OUTSIDE)
            return OUTSIDE
        return found[0] if len(found) == 1 else None

    def united(self, arrays: Iterable[Any]) -> frozenset[int] | None:
        """Return the epochs of several arrays together, ``None`` if none of them was followed."""
        known = [epochs for array in arrays if (epochs := self.of(array)) is not None]
        return frozenset().union(*known) if known else None
