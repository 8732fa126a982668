"""Follow a jaxpr with key identities in the place of numbers.

Each primitive is looked up by name in a few closed lists: a rule for each key operation, each primitive with a jaxpr
inside and each choice; what moves elements; what computes with them; what only looks at them. A primitive on none of
the lists that meets keys is *unmodelled*: its results have nothing to do with keys any more, and the lineage says so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from olympus.lineage.conditions import agree, both, facts_of
from olympus.lineage.control import CONTROL
from olympus.lineage.elements import CHOICES, is_key_dtype, mix, move
from olympus.lineage.events import Context, Event, EventKind, MisuseKind
from olympus.lineage.identity import Identities
from olympus.lineage.keys import KEY_OPERATIONS
from olympus.lineage.ledger import Ledger
from olympus.lineage.movement import COMPUTATIONS, MOVEMENTS, Array
from olympus.lineage.selection import Selected, Used, selected
from olympus.lineage.values import LARGEST, Value, Values
from olympus.tracing.jaxprs import Equation

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

__all__ = ["Exhausted", "Interpreter", "Rule"]

Rule = Callable[["Interpreter", Equation, list[Value], Context], list[Value]]
"""Follows an equation: gives its results, one for each output."""

RULES: dict[str, Rule] = {**KEY_OPERATIONS, **CONTROL, **CHOICES}
# Arithmetic is a closed list: a primitive that is new to it must not look like a misuse.
# fmt: off
ARITHMETIC = frozenset({
    "abs", "add", "add_any", "and", "argmax", "argmin", "bitcast_convert_type", "clamp", "clz",
    "convert_element_type", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "div", "dot_general", "eq",
    "floor", "ge", "gt", "integer_pow", "le", "lt", "max", "min", "mul", "ne", "neg", "not", "or",
    "population_count", "pow", "psum", "reduce_and", "reduce_max", "reduce_min", "reduce_or", "reduce_prod",
    "reduce_sum", "reduce_xor", "rem", "round", "shift_left", "shift_right_arithmetic", "shift_right_logical",
    "sign", "sort", "sub", "xor",
})
# fmt: on
OF_TYPE = frozenset({"and", "convert_element_type", "not", "or"})  # those whose meaning depends on a type
OBSERVATIONS = frozenset({"debug_callback", "debug_print"})
BUDGET = 200_000  # equations; those of a loop's body count once for each turn that is followed


class Exhausted(Exception):
    """The function has more equations than the budget allows."""


class Interpreter:
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
        self.spent = 0
        self.executions = 0
        self.selections: dict[int, tuple[Jaxpr, Selected]] = {}

    def execution(self) -> int:
        """Return a number that was not given out before."""
        self.executions += 1
        return self.executions

    def run(self, jaxpr: Jaxpr, consts: Sequence[Any], inputs: Sequence[Value], context: Context) -> list[Value]:
        """Follow the equations of a jaxpr.

        Args:
            jaxpr: the open jaxpr.
            consts: the values of its constants.
            inputs: its inputs.
            context: the branches and loops around it.

        Returns:
            Its outputs.

        Raises:
            Exhausted: if the budget is spent.
        """
        held: dict[Any, Value] = {}
        for variable, const in zip(jaxpr.constvars, consts, strict=True):
            held[variable] = self.values.constant(const)
        held.update(zip(jaxpr.invars, inputs, strict=True))
        selections, execution = self.selection(jaxpr), self.execution()
        for eqn in jaxpr.eqns:
            self.spent += 1
            if self.spent > BUDGET:
                raise Exhausted
            used = selections.equations.get(id(eqn))
            inner = context if used is None else self.inside(used, selections, held, execution, context)
            operands = [self.read(held, atom) for atom in eqn.invars]
            held.update(zip(eqn.outvars, self.follow(Equation(eqn, context.outer), operands, inner), strict=True))
        return [self.read(held, atom) for atom in jaxpr.outvars]

    def inside(
        self, used: Used, selections: Selected, held: dict[Any, Value], execution: int, context: Context
    ) -> Context:
        """Return the context of an equation whose results are of use in some cases only.

        Args:
            used: these cases.
            selections: all of the jaxpr.
            held: the values of its variables, as far as it has been followed.
            execution: the number of this execution of the jaxpr.
            context: the branches and loops around the jaxpr.
        """
        inner = context
        for which, (case, cases) in used.selected.items():
            decision = (execution, which)
            inner = replace(
                inner,
                conditions={**inner.conditions, decision: case},
                cases={**inner.cases, decision: cases},
            )
        for branch in used.branches:
            if branch.case is not None:
                index = selections.indices.get(branch.decision)
                value = self.read(held, index) if index in held or hasattr(index, "val") else None
                term = self.identities.number("decision", (), (execution, branch.decision))
                number = term if value is None else self.values.number(value)
                inner = self.decided(inner, number, branch.case, branch.cases)
        return inner

    def decided(self, context: Context, number: int, case: int, cases: int) -> Context:
        """Return the context of a branch.

        Args:
            context: that of the ``cond`` or ``switch``.
            number: the term of what decides.
            case: the number of the branch.
            cases: how many there are.
        """
        facts = both(context.facts, facts_of(self.identities, number, case))
        if context.conditions.get(number, case) != case or not agree(facts, facts):
            return replace(context, never=(*context.never, self.execution()))
        return replace(
            context,
            conditions={**context.conditions, number: case},
            cases={**context.cases, number: cases},
            facts=facts,
        )

    def selection(self, jaxpr: Jaxpr) -> Selected:
        """Return the equations whose results are of use in some cases only; found once for a jaxpr."""
        known = self.selections.get(id(jaxpr))
        if known is None:
            known = self.selections[id(jaxpr)] = jaxpr, selected(jaxpr)
        return known[1]

    def read(self, held: dict[Any, Value], atom: Any) -> Value:
        """Return the value of a variable or literal."""
        return self.values.constant(atom.val) if hasattr(atom, "val") else held[atom]

    def follow(self, equation: Equation, operands: list[Value], context: Context) -> list[Value]:
        """Return the results of one equation."""
        name = equation.primitive
        rule = RULES.get(name)
        if rule is not None:
            return rule(self, equation, operands, context)
        if any(operand.has_keys for operand in operands):
            if name in MOVEMENTS:
                return move(self, equation, operands)
            if name in ARITHMETIC:
                return mix(self, equation, operands)
            if name not in OBSERVATIONS:
                return self.unmodelled(equation, operands, context)
        return self.plain(equation, operands)

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
        self,
        kind: EventKind,
        equation: Equation,
        keys: tuple[int, ...],
        made: tuple[int, ...],
        context: Context,
        implementation: str = "",
    ) -> Event:
        """Note a key operation."""
        event = Event(kind, equation, keys, made, context, len(self.events), implementation)
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
        """Say whether all of these are keys for certain, and not numbers of the same shape and type."""
        return not any(origin in self.values.doubtful for key in keys for origin in self.origin(key))


def _is_asked_for(unwrapped: Equation) -> bool:
    """Say whether keys became words because the user asked for them."""
    outer = unwrapped.outer
    compiled = None if outer is None else outer.params.get("name")
    return "key_data" in (compiled, Event("unwrap", unwrapped, (), (), Context(), 0).name)
