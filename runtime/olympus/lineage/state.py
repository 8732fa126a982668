"""The state of one lineage, which the rules of the primitives read and add to.

A rule that follows an inner jaxpr calls :meth:`State.run`, which the interpreter defines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from olympus.lineage.conditions import agree, both, facts_of
from olympus.lineage.events import Context, Event, EventKind, MisuseKind
from olympus.lineage.identity import Identities
from olympus.lineage.ledger import Ledger
from olympus.lineage.movement import COMPUTATIONS, MOVEMENTS, Array
from olympus.lineage.values import LARGEST, Value, Values, is_key_dtype

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

    from olympus.tracing.jaxprs import Equation

OF_TYPE = frozenset({"and", "convert_element_type", "not", "or"})  # those whose meaning depends on a type


class State(ABC):
    """The state of one lineage.

    Attributes:
        identities: the terms.
        values: makes values of them.
        ledger: who consumed what.
        events: the key operations in the order in which they were followed.
        torn: what took words out of keys, or computed with them.
    """

    def __init__(self, *, partitionable: bool) -> None:
        self.identities = Identities()
        self.values = Values(self.identities)
        self.ledger = Ledger(self.identities, partitionable=partitionable)
        self.events: list[Event] = []
        self.torn: list[Event] = []
        self.executions = 0

    @abstractmethod
    def run(self, jaxpr: Jaxpr, consts: Sequence[Any], inputs: Sequence[Value], context: Context) -> list[Value]:
        """Follow the equations of a jaxpr, and return its outputs: see the interpreter."""

    def execution(self) -> int:
        """Return a number that was not given out before."""
        self.executions += 1
        return self.executions

    def decided(self, context: Context, number: int, case: int, cases: int) -> Context:
        """Return the context of a branch.

        Args:
            context: that of the ``cond`` or ``switch``.
            number: the term of what decides.
            case: the number of the branch.
            cases: how many there are.
        """
        facts = both(context.facts, facts_of(self.identities, number, case))
        if context.conditions.get(number, (case,))[0] != case or not agree(facts, facts):
            return replace(context, never=(*context.never, self.execution()))
        return replace(context, conditions={**context.conditions, number: (case, cases)}, facts=facts)

    # Values that have nothing to do with keys.

    def plain(self, equation: Equation, operands: list[Value]) -> list[Value]:
        """Return results without keys; small known numbers stay known."""
        known = self.computed(equation, operands)
        if known is not None:
            return [Value(array.shape, known=array) for array in known]
        number = self.equation_number(equation, operands)
        return [self.outcome(equation, index, number) for index in range(len(equation.outputs))]

    def outcome(self, equation: Equation, index: int, number: int) -> Value:
        """Return one result of an equation of which no more is known than its number."""
        aval = equation.outputs[index].aval
        shape = tuple(getattr(aval, "shape", ()))
        own = self.identities.number("value", (number,), index)
        if is_key_dtype(aval):
            return self.values.keys(shape, lambda at: self.identities.number("opaque", (own,), at), own)
        return Value(shape, own)

    def computed(self, equation: Equation, operands: list[Value]) -> list[Array] | None:
        """Return the results of an equation on small known numbers, ``None`` where they are not known."""
        rule = COMPUTATIONS.get(equation.primitive) or MOVEMENTS.get(equation.primitive)
        arrays = [operand.known for operand in operands if operand.known is not None]
        if rule is None or len(arrays) < len(operands):
            return None
        avals = [output.aval for output in equation.outputs]
        if any(is_key_dtype(aval) or aval.dtype.kind not in "iub" or prod(aval.shape) > LARGEST for aval in avals):
            return None
        with np.errstate(all="ignore"):
            results = rule(arrays, equation.params)
        return [np.asarray(array, aval.dtype) for array, aval in zip(results, avals, strict=True)]

    def equation_number(self, equation: Equation, operands: Sequence[Value]) -> int:
        """Return the term of what an equation computes: one operation on the same operands has one number."""
        params: Hashable = tuple(equation.params.items())
        try:
            hash(params)
        except TypeError:
            params = self.execution()
        if equation.eqn.effects:
            params = self.execution()
        elif equation.primitive in OF_TYPE and isinstance(params, tuple):
            params = (*params, ("operand", str(equation.inputs[0].aval.dtype)))
        children = tuple(self.values.number(operand) for operand in operands)
        return self.identities.number("computed", children, (equation.primitive, params))

    # What is noted.

    def unmodelled(self, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
        """Note a primitive on keys that nothing is known of, and return results of unknown origin."""
        keys = dict.fromkeys(key for operand in operands for key in self.keys_in(operand))
        self.event("unmodelled", equation, tuple(keys), (), context)
        return self.plain(equation, operands)

    def keys_in(self, value: Value) -> tuple[int, ...]:
        """Return the identities of the keys that are in a value, whole or in words, each once."""
        if value.bulk is not None:
            return (value.bulk,)
        if value.labels is None:
            return ()
        found: dict[int, None] = {}
        for label in dict.fromkeys(value.labels.ravel().tolist()):
            found.update(dict.fromkeys([label] if self.identities.is_key(label) else self.identities.keys_of(label)))
        return tuple(found)

    def event(
        self, kind: EventKind, equation: Equation, keys: tuple[int, ...], made: tuple[int, ...], context: Context
    ) -> Event:
        """Note a key operation."""
        event = Event(kind, equation, keys, made, context, len(self.events))
        self.events.append(event)
        return event

    def tear(self, equation: Equation, operands: Sequence[Value]) -> None:
        """Note that an equation takes words out of keys, unless they were asked for with ``key_data``."""
        if any(operand.unwrapped is not None and _is_asked_for(operand.unwrapped) for operand in operands):
            return
        keys = dict.fromkeys(key for operand in operands for key in self.keys_in(operand))
        self.torn.append(Event("torn", equation, tuple(keys), (), Context(), len(self.events)))

    def put_together(self, kind: MisuseKind, words: Value, key: int, second: Event) -> None:
        """Note that words which are not one whole key are used as a key or as a seed."""
        first = second
        if words.broken is not None:
            first = Event("torn", words.broken, tuple(self.identities.keys_of(key)), (), second.context, second.order)
        self.ledger.report(kind, first, second, key)

    # Which arrays of type uint32 are keys.

    def is_used_whole(self, key: int) -> None:
        """Note that the words of a key were used as one: the array that they come from holds keys."""
        self.values.doubtful.difference_update(self.origin(key))

    def origin(self, key: int) -> list[tuple[str, Hashable]]:
        """Return the argument or constant that a key is in, in a list, which is empty for another key."""
        operation, _, data = self.identities[key]
        return [(operation, data[0])] if operation in ("argument", "constant") and isinstance(data, tuple) else []

    def are_keys(self, keys: Iterable[int]) -> bool:
        """Return whether all of these are keys for certain, and not numbers of the same shape and type."""
        return not any(origin in self.values.doubtful for key in keys for origin in self.origin(key))


Rule = Callable[[State, "Equation", list[Value], Context], list[Value]]
"""Follows an equation: gives its results, one for each output."""


def _is_asked_for(unwrapped: Equation) -> bool:
    """Return whether keys became words because the user asked for them."""
    outer = unwrapped.outer
    compiled = None if outer is None else outer.params.get("name")
    return "key_data" in (compiled, Event("unwrap", unwrapped, (), (), Context(), 0).name)
