"""Key lineage: which key is which in a traced function, what consumes it, and what is wrong with that.

A jaxpr is followed with identities in the place of numbers. Equal identities are equal keys, so that a reuse is two
consumptions of one identity; an unknown key has an identity of its own, so that nothing is reported which is not
certain.

What it can see is what a trace has: both branches of ``lax.cond``, bodies of loops (for two iterations), functions that
are differentiated, mapped or compiled. What it cannot see are other paths through the Python code than the one that
the arguments take, keys inside of Pallas kernels and of callbacks, and key operations that happen before or after.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from olympus.lineage.events import Context, Event, EventKind, Misuse, MisuseKind
from olympus.lineage.failure import Failure, failure
from olympus.tracing import adapter

if TYPE_CHECKING:
    from olympus.lineage.identity import Identities
    from olympus.lineage.interpreter import Interpreter
    from olympus.lineage.stepwise import Stepwise
    from olympus.lineage.values import Value
    from olympus.tracing.jaxprs import Trace

__all__ = [
    "Context",
    "Event",
    "EventKind",
    "Failure",
    "Lineage",
    "Misuse",
    "MisuseKind",
    "failure",
    "follow",
    "of",
    "step_by_step",
]


@dataclass(frozen=True, slots=True, eq=False)
class Lineage:
    """What is known of the keys of a traced function.

    Attributes:
        trace: the traced function.
        identities: the terms that all identities are numbers of.
        events: the key operations, in the order of the trace; those in a loop once for each followed iteration.
        misuses: what is wrong, in the order of the trace.
        torn: what takes words out of raw keys, or computes with them, whatever becomes of these.
        inputs: what is known of each flat input.
        outputs: what is known of each flat output.
        lanes: for the key of any one lane, the number of the map's execution and the keys that are mapped.
        complete: whether the whole function was followed; a very long one is not.
    """

    trace: Trace
    identities: Identities
    events: tuple[Event, ...]
    misuses: tuple[Misuse, ...]
    torn: tuple[Event, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    lanes: dict[int, tuple[int, tuple[int, ...]]]
    complete: bool

    @property
    def unmodelled(self) -> tuple[Event, ...]:
        """Return the events with unknown effects on keys."""
        return tuple(event for event in self.events if event.kind == "unmodelled")

    def describe(self, key: int) -> str:
        """Return an identity as a reader would write it, such as ``fold_in(split(key)[0], 3)``."""
        return self.identities.describe(key, lambda index: self.trace.names[index])


def of(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Lineage:
    """Trace a function and follow its keys.

    Args:
        f: the function.
        args: its arguments, abstract or concrete, as :func:`olympus.tracing.jaxprs.trace` takes them.
        kwargs: its keyword arguments, likewise.

    Raises:
        Exception: what ``f`` raises, unchanged; :func:`failure` says which of these are misuses of a typed key.
    """
    from olympus.tracing.jaxprs import trace

    return follow(trace(f, *args, **kwargs))


def follow(trace: Trace) -> Lineage:
    """Follow the keys of a traced function."""
    return _lineage(trace, *interpreted(trace))


def step_by_step(trace: Trace) -> tuple[Lineage, Stepwise]:
    """Follow the keys of a traced function, and keep those of each equation."""
    from olympus.lineage.stepwise import Stepwise

    state = Stepwise(partitionable=adapter.threefry_partitionable())
    return _lineage(trace, *interpreted(trace, state)), state


def _lineage(trace: Trace, state: Interpreter, inputs: list[Value], outputs: list[Value]) -> Lineage:
    ledger = state.ledger
    return Lineage(
        trace=trace,
        identities=state.identities,
        events=tuple(event for event in state.events if event.kind != "unmodelled" or state.are_keys(event.keys)),
        misuses=tuple(each for each in ledger.misuses if state.are_keys(state.identities.keys_of(each.key))),
        torn=tuple(event for event in state.torn if event.keys and state.are_keys(event.keys)),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        lanes=ledger.lanes,
        complete=len(outputs) == len(trace.jaxpr.jaxpr.outvars),
    )


def interpreted(trace: Trace, state: Interpreter | None = None) -> tuple[Interpreter, list[Value], list[Value]]:
    """Return the interpreter after it has followed a traced function, with the inputs and outputs.

    There are no outputs if the function has more equations than the budget allows.

    Args:
        trace: the function.
        state: an interpreter that has followed nothing; a plain one by default.
    """
    from olympus.lineage.interpreter import Exhausted, Interpreter

    state = state or Interpreter(partitionable=adapter.threefry_partitionable())
    jaxpr = trace.jaxpr.jaxpr
    inputs = [_argument(state, trace, place, variable.aval) for place, variable in enumerate(jaxpr.invars)]
    outputs: list[Value] = []
    with suppress(Exhausted):
        outputs = state.run(jaxpr, trace.jaxpr.consts, inputs, Context())
    return state, inputs, outputs


def _argument(state: Interpreter, trace: Trace, place: int, aval: Any) -> Value:
    """Return the value of a flat input: a key, what may be a raw key, or another array."""
    from olympus.lineage.values import Value, is_key_dtype, may_be_raw

    shape = tuple(aval.shape)
    if is_key_dtype(aval):
        bulk = state.identities.number("argument", (), (place, ()))
        return state.values.keys(shape, lambda at: state.identities.number("argument", (), (place, at)), bulk)
    certain = place in trace.raw_keys
    if not certain and not may_be_raw(shape, aval.dtype):
        return Value(shape, state.identities.number("value", (), ("input", place)))
    if not certain:
        state.values.doubtful.add(("argument", place))
    return state.values.raw(shape, "argument", place)
