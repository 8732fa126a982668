"""A record of the keys that a running program consumes, in eager code and in compiled functions.

Two consumptions of one key are a reuse. A key is told by its words and by the seeding that it comes from, so that a
program which seeds with one number twice reuses nothing.

Seen is what is executed while the recorder is on, in all threads: key operations outside of compiled functions, and
each call of a compiled function, whose jaxpr is followed once. Not seen are draws in one branch of ``lax.cond`` only
(nothing is known of which branch ran), turns of a compiled loop after the second, keys that a compiled loop refreshes
depending on data, keys in Pallas kernels or callbacks of compiled code, and functions that were compiled ahead of
time, with ``lower(...).compile()``. A key that comes back through NumPy or a file is known by its words, unless several
seedings of the record have given such a key. Outside of compiled functions, indexing into a raw key and arithmetic on
one are seen only if the result is a key that was consumed already.

What is said of branches and loops is otherwise with ``olympus record --probe``: see :mod:`olympus.recording.probe`.

JAX compiles anew what was compiled without the recorder, and calls of compiled functions take a slower path. Before
JAX 0.9 this is not so, and then calls of functions that were compiled before are not seen, nor are any but the
first calls of compiled functions with raw keys.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ContextDecorator
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from olympus.lineage.diagnosis import Diagnosis, of_misuse
from olympus.recording.epochs import Epochs
from olympus.recording.executed import Event, Key, Repeat, Stack, is_installed, places_of, user_frames
from olympus.recording.lanes import Lanes, current_lanes
from olympus.recording.words import folded, words_of
from olympus.tracing import adapter
from olympus.tracing.spans import Span

if TYPE_CHECKING:
    from olympus import lineage
    from olympus.recording.compiled import Plan, Use
    from olympus.recording.probing import Probed

__all__ = ["Event", "Key", "Recorder", "Stack", "reuse_allowed"]

LARGEST = 2048  # keys: a larger array of keys counts as one key
PLANS = 4096  # compiled functions whose keys are known


class Recorder:
    """Records key operations while it is entered; what it can and cannot see is said at the head of this module.

    It may be entered several times, and several recorders may be on at once. It never raises into the program.

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

    def __enter__(self) -> Self:
        _HOOKS.add(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _HOOKS.remove(self)

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
        match operation:
            case "seed":
                return f"key({data})"
            case "split" if parent is not None:
                return f"split({inner})[{data}]"
            case "fold_in" if parent is not None:
                return f"fold_in({inner}, {data})"
            case "clone":
                return f"clone({inner})"
        words = key.numbers
        return f"the key {list(words)}" if len(words) <= 8 else "an array of keys"

    # What is executed. The hooks call these; `before` reads what the program may give away in the call.

    def before(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Callable[[Any], None] | None:
        """Look at a primitive that is about to be executed; return what looks at its results."""
        name = adapter.PRIMITIVES.get(primitive.name, primitive.name)
        if name == "jit":
            return self._before_call(primitive, args, params)
        if name == "remat2" and params.get("differentiated"):
            return _recompute()
        look = EAGER.get(name)
        if look is None:
            return None
        words = _rows(args[0]) if name in CONSUMERS or name in DERIVATIONS else None
        return lambda results: None if results is None else look(self, args, words, results)

    def fail(self, what: str, error: Exception) -> None:
        """Note what could not be followed."""
        with self.lock:
            self.unfollowed.append(f"{what}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")

    def _happened(self, event: Event) -> None:
        self.events.append(event)

    def _key(self, array: Any, words: bytes, implementation: str) -> Key:
        epoch = self.epochs.resolve(array, words)
        return Key(-1 if epoch is None else epoch, implementation, words)

    def _make(
        self, operation: str, array: Any, rows: list[bytes], epoch: int, origins: Iterable[tuple[Key | None, object]]
    ) -> list[Key]:
        """Note that keys were made: where from, one by one, and by what."""
        self.epochs.track(array, frozenset([epoch]))
        if len(rows) != array.size:
            return []
        keys = [Key(epoch, str(array.dtype), words) for words in rows]
        for key, origin in zip(keys, origins, strict=True):
            self._derive_one(operation, key, *origin)
        return keys

    def _derive_one(self, operation: str, key: Key, parent: Key | None, data: object) -> None:
        self.epochs.born(key.words, key.epoch)
        known = self._origins.setdefault(key, (operation, parent, data))
        if known[0] != operation:
            self._derived_twice.add(key)

    def _consume(self, key: Key, event: Event) -> bool:
        """Note that a key is consumed; return whether it was before."""
        if key.epoch < 0 or _state("recomputing"):
            return False
        earlier = self._consumed.setdefault(key, event)
        recomputed = event.inner is not None and event.inner.context.recomputed
        if earlier is event or (recomputed and earlier.chain[:1] == event.chain[:1]):
            return False
        self._repeat("collision" if key in self._derived_twice else "reuse", earlier, event, key)
        return True

    def _repeat(self, kind: Literal["reuse", "collision"], first: Event, second: Event, key: Key) -> None:
        if key.epoch >= 0:
            place = (id(first.stack), id(first.inner), id(second.stack), id(second.inner))
            self._repeats.setdefault(place, Repeat(kind, first, second, key))

    def _stack(self) -> Stack:
        """Return the user's part of the stack; equal ones are one object."""
        frames = user_frames()
        calls = [(code, lasti) for _, code, lasti in frames]
        if adapter.current_branches():
            calls = [*adapter.current_calls(), *calls]
        numbers = tuple(number for code, lasti in calls for number in (id(code), lasti))
        known = self._stacks.get(numbers)
        if known is None:
            known = self._stacks.setdefault(numbers, Stack(tuple(calls)))
        self._came(frames)
        return known

    def _came(self, frames: Sequence[tuple[int, CodeType, int]]) -> None:
        """Be told of the calls that led to an operation, innermost first."""

    # Operations outside of compiled functions.

    def _seed(self, args: Sequence[Any], _: None, keys: Any) -> None:
        import numpy as np

        seeds, rows = np.asarray(args[0]).ravel().tolist(), _rows(keys)
        with self.lock:
            made = self._make("seed", keys, rows, self.epochs.begin(), ((None, seed) for seed in seeds))
            self._happened(Event("seed", "key", (), tuple(made), self._stack()))

    def _move(self, args: Sequence[Any], _: None, result: Any) -> None:
        """Follow keys that become words, or words that become keys."""
        epochs = self.epochs.of(args[0])
        if epochs is not None:
            self.epochs.track(result, epochs)

    def _split(self, args: Sequence[Any], words: list[bytes], children: Any) -> None:
        rows = _rows(children)
        with self.lock:
            repeated, parents = self._draws("split", args, words)
            one = {parent.epoch for parent in parents}
            certain = len(one) == 1 and min(one) >= 0 and not repeated
            each = children.size // max(len(parents), 1)
            origins = ((parent, index) for parent in parents for index in range(each))
            self._make("split", children, rows, one.pop() if certain else self.epochs.begin(), origins)

    def _draw(self, args: Sequence[Any], words: list[bytes], _: Any) -> None:
        with self.lock:
            self._draws("draw", args, words)

    def _draws(self, kind: Literal["split", "draw"], args: Sequence[Any], words: list[bytes]) -> tuple[bool, list[Key]]:
        """Note that all keys of an array are consumed; return whether one was before, or may be on purpose."""
        keys = [self._key(args[0], row, str(args[0].dtype)) for row in words]
        lanes = current_lanes()
        if lanes.none:
            return False, keys
        own, known = _of_lanes(lanes, keys, args[0].shape)
        name = "split" if kind == "split" else "bits"
        event = Event(kind, name, tuple(own) if known else (), (), self._stack())
        self._happened(event)
        if allows_reuse():
            return True, keys
        repeated = [self._consume(key, event) for key in dict.fromkeys(own)]
        twice = next((key for key in own if own.count(key) > 1), None) if len(set(own)) < len(own) else None
        if twice is not None:
            self._repeat("reuse", event, event, twice)
        return any(repeated) or twice is not None, keys

    def _derive(
        self, operation: Literal["fold_in", "clone"], args: Sequence[Any], words: list[bytes], made: Any
    ) -> None:
        import numpy as np

        rows = _rows(made)
        data = np.asarray(args[1]).ravel().tolist() if operation == "fold_in" else [None]
        with self.lock:
            parents = [self._key(args[0], row, str(args[0].dtype)) for row in words]
            one = {parent.epoch for parent in parents}
            certain = len(one) == 1 and min(one) >= 0 and operation != "clone"
            count = max(len(parents), len(data)) if parents and data else 0
            origins = [(parents[i % len(parents)], data[i % len(data)]) for i in range(count)]
            keys = self._make(operation, made, rows, one.pop() if certain else self.epochs.begin(), origins)
            self._happened(Event(operation, operation, tuple(parents), tuple(keys), self._stack()))

    # Calls of compiled functions.

    def _before_call(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Callable[[Any], None] | None:
        plan = _plan(self, primitive, args, params)
        if plan is None:
            epochs = self.epochs.united(args)
            return None if epochs is None else lambda results: self._follow(epochs, results)
        stack = self._stack()
        if plan.misuses:
            self._look_at_misuses(plan, args, stack)
        probed = self._probe(plan, args)
        uses = [(use, _found(plan, use, args, None)) for use in (plan.uses if probed is None else plan.elsewhere)]
        epochs_of = {place: self._epochs_of(args[place]) for places in plan.results.values() for place in places}

        def after(results: Any) -> None:
            if results is not None:
                late = [(use, found or _found(plan, use, args, results)) for use, found in uses]
                self._after_call(plan, late, epochs_of, stack, results, probed)

        return after

    def _follow(self, epochs: frozenset[int], results: Sequence[Any] | None) -> None:
        for result in results or ():
            if str(getattr(result, "dtype", "")).startswith(("key<", "uint32")):
                self.epochs.track(result, epochs)

    def _epochs_of(self, array: Any) -> frozenset[int]:
        known = self.epochs.of(array)
        if known is None and not str(getattr(array, "dtype", "")).startswith("key<"):
            return frozenset()
        if known is None:
            found = {self.epochs.resolve(array, row) for row in _rows(array)[:LARGEST]}
            known = frozenset(epoch for epoch in found if epoch is not None)
        return known

    def _after_call(
        self,
        plan: Plan,
        uses: list[tuple[Use, Found | None]],
        epochs_of: dict[int, frozenset[int]],
        stack: Stack,
        results: Sequence[Any],
        probed: Probed | None,
    ) -> None:
        """Note what a call has consumed, and follow the keys that it returns."""
        with self.lock:
            for number, places in plan.results.items():
                epochs = frozenset().union(*(epochs_of[place] for place in places))
                if number in plan.fresh:
                    epochs = frozenset([self.epochs.begin()])
                if epochs:
                    self.epochs.track(results[number], epochs)
            repeated = [self._use(use, found, stack) for use, found in uses]
            if probed is not None:
                repeated.append(self._use_probed(plan, probed, stack))
            self._skip((e for e in plan.hidden if probed is None or probed.probe.number(e) is None), stack)
            if not allows_reuse() and not current_lanes().none:
                for misuse in plan.misuses:
                    if probed is None or not probed.tells(misuse):
                        self._misused(misuse, plan, stack)
            if any(repeated) or allows_reuse():
                for number in plan.results:
                    self.epochs.track(results[number], frozenset([self.epochs.begin()]))

    def _look_at_misuses(self, plan: Plan, args: Sequence[Any], stack: Stack) -> None:
        """Be told of a call in which something is wrong, before it."""

    def _skip(self, events: Iterable[lineage.Event], stack: Stack) -> None:
        """Be told what may have happened in a call."""

    def _misused(self, misuse: lineage.Misuse, plan: Plan, stack: Stack) -> None:
        self._inside.setdefault((id(misuse), id(stack)), (misuse, plan, stack))

    def _use(self, use: Use, found: Found | None, stack: Stack) -> bool:
        kind: Literal["split", "draw"] = "split" if use.event.kind == "split" else "draw"
        lanes = current_lanes()
        takes = True if lanes.all else None
        if use.source is not None and found is not None and not lanes.all:
            shape = _key_shape(found.array)
            takes = lanes.takes_key(shape, use.source.position) if use.source.position else None
        if takes is False or lanes.none:
            return False
        if found is None or takes is None:
            self._happened(Event(kind, use.event.name, (), (), stack, use.event, use.certain and takes is not None))
            return False
        implementation = use.event.implementation
        key = self._key(found.array, found.words, implementation)
        for number, words in found.folded:
            parent, key = key, Key(key.epoch, implementation, words)
            self._derive_one("fold_in", key, parent, number)
        event = Event(kind, use.event.name, (key,), (), stack, use.event)
        self._happened(event)
        return not allows_reuse() and self._consume(key, event)

    # What a probe finds; this recorder makes none.

    def _probe(self, plan: Plan, args: Sequence[Any]) -> Probed | None:
        """Find out what the loops and branches of a function will consume, which is about to be called."""
        return None

    def _use_probed(self, plan: Plan, probed: Probed, stack: Stack) -> bool:
        """Note what the loops and branches of a call have consumed; return whether a key was consumed before."""
        raise NotImplementedError


def _of_lanes(lanes: Lanes, keys: list[Key], shape: Sequence[int]) -> tuple[list[Key], bool]:
    """Return the keys of an array that the lanes of its branches take, and whether all of these are known.

    One key that all lanes have is that of the branch, and not of a lane: which branch draws from it is not known.
    """
    if lanes.all:
        return keys, True
    if len(set(keys)) < len(keys):
        return [], False
    takes = [lanes.takes(shape, row) for row in range(len(keys))]
    return [key for key, taken in zip(keys, takes, strict=True) if taken], None not in takes


def _key_shape(array: Any) -> tuple[int, ...]:
    """Return the shape of an array of keys, without the axis of words of raw ones."""
    shape = tuple(array.shape)
    return shape if str(array.dtype).startswith("key<") else shape[:-1]


class Found(NamedTuple):
    """A key that a compiled function consumes: the array that it comes from, its words there, and what is folded in."""

    array: Any
    words: bytes
    folded: list[tuple[int, bytes]]


def _found(plan: Plan, use: Use, args: Sequence[Any], results: Sequence[Any] | None) -> Found | None:
    """Return the key of one use in a call, ``None`` where it cannot be told, or not before the call."""
    from olympus.recording.compiled import message

    source = use.source
    if source is None:
        return None
    match source.kind:
        case "argument" if results is None:  # the call may be given its buffer to write into
            array = args[source.holder]
        case "argument":
            return None
        case "result":
            if results is None:
                return None
            array = results[source.holder]
        case _:
            array = source.holder
    own = words = words_of(array)[source.position].tobytes()
    steps = []
    for term in source.messages:
        number = message(plan.identities, term, args)
        if number is None:
            return None
        words = folded(use.event.equation.inputs[0].aval.dtype, words, number)
        steps.append((number, words))
    return Found(array, own, steps)


EAGER: dict[str, Callable[..., None]] = {
    "random_seed": Recorder._seed,
    "random_wrap": Recorder._move,
    "random_unwrap": Recorder._move,
    "random_split": Recorder._split,
    "random_bits": Recorder._draw,
    "random_gamma": Recorder._draw,
    "random_fold_in": lambda self, *of: self._derive("fold_in", *of),
    "random_clone": lambda self, *of: self._derive("clone", *of),
}
CONSUMERS = {"random_split", "random_bits", "random_gamma"}
DERIVATIONS = {"random_fold_in", "random_clone"}


def _rows(array: Any) -> list[bytes]:
    """Return the words of each key in an array; those of too many keys as if they were one."""
    words = words_of(array)
    if words.size == 0:
        return []
    rows = words.reshape(-1, words.shape[-1]) if words.ndim else words.reshape(1, 1)
    return [row.tobytes() for row in rows] if len(rows) <= LARGEST else [words.tobytes()]


_plans: dict[int, tuple[weakref.ref[Any], dict[tuple[frozenset[int], bool], Plan | None] | None]] = {}


def _plan(recorder: Recorder, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Plan | None:
    """Return what is known of a compiled function, ``None`` if it has no key operations."""
    closed = params["jaxpr"]
    known = _plans.get(id(closed))
    if known is None or known[0]() is not closed:
        from olympus.recording.compiled import has_key_operations

        if len(_plans) >= PLANS:
            _plans.clear()
        known = _plans[id(closed)] = weakref.ref(closed), {} if has_key_operations(closed.jaxpr) else None
    plans = known[1]
    if plans is None:
        return None
    raw = frozenset(place for place, array in enumerate(args) if recorder.epochs.of(array) is not None)
    which = raw, recorder.probing
    if which not in plans:
        from olympus.recording.compiled import plan

        plans[which] = None
        try:
            plans[which] = plan(primitive, args, params, raw, probing=recorder.probing)
        except Exception as error:
            recorder.fail(str(params.get("name")), error)
    return plans[which]


class reuse_allowed(ContextDecorator, AbstractContextManager["reuse_allowed"]):
    """Let a recorder, and the mark ``check_keys``, accept what this thread consumes inside: it is meant to be.

    It is a context manager and a decorator. What is consumed inside is not compared with anything, inside or outside.
    In a function that is compiled it has no effect; there, and for :func:`olympus.check`, ``jax.random.clone`` says
    that a key is to be consumed twice.
    """

    def __enter__(self) -> Self:
        _local.allowed = _state("allowed") + 1
        return self

    def __exit__(self, *exception: object) -> None:
        _local.allowed -= 1


_local = threading.local()


def _state(name: Literal["allowed", "recomputing"]) -> int:
    """Return how often this thread is inside of something."""
    depth: int = getattr(_local, name, 0)
    return depth


def allows_reuse() -> bool:
    """Say whether what this thread consumes is meant to be: see :class:`reuse_allowed`."""
    return _state("allowed") > 0


def _recompute() -> Callable[[Any], None]:
    """Note that ``jax.checkpoint`` does in a backward pass what it did before; what is returned ends it."""
    _local.recomputing = _state("recomputing") + 1

    def end(_: Any) -> None:
        _local.recomputing -= 1

    return end


class _Hooks:
    """The recorders that are on; JAX is hooked while there is one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.recorders: tuple[Recorder, ...] = ()
        self.context: AbstractContextManager[None] | None = None

    def add(self, recorder: Recorder) -> None:
        with self.lock:
            if self.context is None:
                self.context = adapter.key_hooks(self.observe)
                self.context.__enter__()
            self.recorders = (*self.recorders, recorder)

    def remove(self, recorder: Recorder) -> None:
        with self.lock:
            last = len(self.recorders) - 1 - self.recorders[::-1].index(recorder)
            self.recorders = (*self.recorders[:last], *self.recorders[last + 1 :])
            if not self.recorders and self.context is not None:
                context, self.context = self.context, None
                context.__exit__(None, None, None)

    def observe(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Callable[[Any], None] | None:
        waiting = []
        for recorder in dict.fromkeys(self.recorders):
            try:
                done = recorder.before(primitive, args, params)
            except Exception as error:
                recorder.fail(primitive.name, error)
            else:
                if done is not None:
                    waiting.append((recorder, done))
        if not waiting:
            return None

        def after(results: Any) -> None:
            for recorder, done in waiting:
                try:
                    done(results)
                except Exception as error:
                    recorder.fail(primitive.name, error)

        return after


_HOOKS = _Hooks()
