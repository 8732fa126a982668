"""Calls of compiled functions, whose jaxprs are followed once."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from olympus.recording.executed import Event, Key
from olympus.recording.intended import allows_reuse
from olympus.recording.lanes import current_lanes
from olympus.recording.record import Record
from olympus.recording.words import folded, words_of
from olympus.tracing import adapter

if TYPE_CHECKING:
    from olympus.recording.compiled import Place, Plan, Use

PLANS = 4096  # compiled functions whose keys are known


def before_call(
    record: Record, primitive: Any, args: Sequence[Any], params: dict[str, Any]
) -> Callable[[Any], None] | None:
    """Look at a call of a compiled function that is about to be executed; return what looks at its results."""
    plan = _plan(record, primitive, args, params)
    if plan is not None:
        return Call(record, plan, args).done
    epochs = record.epochs.united(args)
    return None if epochs is None else lambda results: _follow(record, epochs, results)


def _follow(record: Record, epochs: frozenset[int], results: Sequence[Any] | None) -> None:
    for result in results or ():
        if str(getattr(result, "dtype", "")).startswith(("key<", "uint32")):
            record.epochs.track(result, epochs)


class Call:
    """One call of a compiled function with key operations."""

    def __init__(self, record: Record, plan: Plan, args: Sequence[Any]) -> None:
        """Find the keys of the arguments, before the call.

        Args:
            record: what is told of the call.
            plan: what the function does with keys.
            args: the arguments.
        """
        self.record, self.plan, self.args = record, plan, args
        self.stack = record.stack()
        if plan.misuses:
            record.look_at_misuses(plan, args, self.stack)
        self.probed = record.probe(plan, args)
        uses = plan.uses if self.probed is None else plan.elsewhere
        self.uses = [(use, _found(plan, use, args, None)) for use in uses]
        self.epochs_of = {place: record.epochs_of(args[place]) for places in plan.results.values() for place in places}

    def done(self, results: Sequence[Any] | None) -> None:
        """Note what the call has consumed, and follow the keys that it returns; there are none after an error."""
        if results is None:
            return
        record, plan, probed = self.record, self.plan, self.probed
        uses = [(use, found or _found(plan, use, self.args, results)) for use, found in self.uses]
        with record.lock:
            record.called((plan, len(uses)), [use.event for use, _ in uses])
            self.track(results)
            repeated = [self.use(use, found) for use, found in uses]
            if probed is not None:
                repeated.append(record.use_probed(probed, self.stack))
            record.skip((e for e in plan.hidden if probed is None or probed.probe.number(e) is None), self.stack)
            if not allows_reuse() and not current_lanes().none:
                for misuse in plan.misuses:
                    if probed is None or not probed.tells(misuse):
                        record.misused(misuse, plan, self.stack)
            if any(repeated) or allows_reuse():
                for number in plan.results:
                    record.epochs.track(results[number], frozenset([record.epochs.begin()]))

    def track(self, results: Sequence[Any]) -> None:
        """Follow the keys that the call returns."""
        for number, places in self.plan.results.items():
            epochs = frozenset[int]().union(*(self.epochs_of[place] for place in places))
            if number in self.plan.fresh:
                epochs = frozenset([self.record.epochs.begin()])
            if epochs:
                self.record.epochs.track(results[number], epochs)

    def use(self, use: Use, found: Found | None) -> bool:
        """Note one consumption; return whether the key was consumed before."""
        from olympus.lineage.values import key_shape

        record = self.record
        kind: Literal["split", "draw"] = "split" if use.event.kind == "split" else "draw"
        lanes = current_lanes()
        takes = True if lanes.all else None
        if found is not None and not lanes.all:
            shape = key_shape(found.array)
            takes = lanes.takes_key(shape, found.position) if found.position else None
        if takes is False or lanes.none:
            return False
        if found is None or takes is None:
            certain = takes is not None and self.plan.identities.is_certain(use.key)
            record.happened(Event(kind, use.event.name, (), (), self.stack, use.event, certain))
            return False
        implementation = use.event.implementation
        key = record.key(found.array, found.words, implementation)
        for number, words in found.folded:
            parent, key = key, Key(key.epoch, implementation, words)
            record.derive_one("fold_in", key, parent, number)
        event = Event(kind, use.event.name, (key,), (), self.stack, use.event)
        record.happened(event)
        return not allows_reuse() and record.consume(key, event)


class Found(NamedTuple):
    """A key that a compiled function consumes: where it comes from, its words there, and what is folded in."""

    array: Any
    position: tuple[int, ...]
    words: bytes
    folded: list[tuple[int, bytes]]


def _found(plan: Plan, use: Use, args: Sequence[Any], results: Sequence[Any] | None) -> Found | None:
    """Return the key of one use in a call, ``None`` where it cannot be told, or not before the call.

    A child of a split needs no words of its own while it stays inside: it is consumed twice only if its parent is.
    """
    from olympus.recording.compiled import message

    key, messages = use.key, list[int]()
    while (place := _place(plan, key, args, results)) is None:
        operation, children, _ = plan.identities[key]
        if operation != "fold_in" or key in plan.held:
            return None
        key, messages = children[0], [children[1], *messages]
    array, position = place
    own = words = words_of(array)[position].tobytes()
    steps = []
    for term in messages:
        number = message(plan.identities, term, args)
        if number is None:
            return None
        words = folded(use.event.equation.inputs[0].aval.dtype, words, number)
        steps.append((number, words))
    return Found(array, position, own, steps)


def _place(plan: Plan, key: int, args: Sequence[Any], results: Sequence[Any] | None) -> Place | None:
    """Return where a key is: before the call in what it is given, and after it, which may write there, in a result."""
    if results is None:
        return plan.given(key, args)
    number, position = plan.held.get(key, (None, ()))
    return None if number is None else (results[number], position)


_plans: dict[int, tuple[weakref.ref[Any], dict[tuple[frozenset[int], bool], Plan | None] | None]] = {}


def _plan(record: Record, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Plan | None:
    """Return what is known of a compiled function, ``None`` if it has no key operations."""
    closed = params["jaxpr"]
    known = _plans.get(id(closed))
    if known is None or known[0]() is not closed:
        has_keys = any(eqn.primitive.name.startswith("random_") for eqn in adapter.every_equation(closed.jaxpr))
        if len(_plans) >= PLANS:
            _plans.clear()
        known = _plans[id(closed)] = weakref.ref(closed), {} if has_keys else None
    plans = known[1]
    if plans is None:
        return None
    raw = frozenset(place for place, array in enumerate(args) if record.epochs.of(array) is not None)
    which = raw, record.probing
    if which not in plans:
        from olympus.recording.compiled import plan

        plans[which] = None
        try:
            plans[which] = plan(primitive, args, params, raw, probing=record.probing)
        except Exception as error:
            record.fail(str(params.get("name")), error)
    return plans[which]
