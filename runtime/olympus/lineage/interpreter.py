"""Follow a jaxpr with key identities in the place of numbers.

Each primitive is looked up by name in a few closed lists: a rule for each key operation, each primitive with a jaxpr
inside and each choice; what moves elements; what computes with them; what only looks at them. A primitive on none of
the lists that meets keys is *unmodelled*: its results have nothing to do with keys any more, and the lineage says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from olympus.lineage.control import CONTROL
from olympus.lineage.elements import CHOICES, mix, move
from olympus.lineage.events import Context
from olympus.lineage.keys import KEY_OPERATIONS
from olympus.lineage.movement import MOVEMENTS
from olympus.lineage.selection import Selected, selected
from olympus.lineage.state import Rule, State
from olympus.lineage.values import Value
from olympus.tracing.jaxprs import Equation

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

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
OBSERVATIONS = frozenset({"debug_callback", "debug_print"})
BUDGET = 200_000  # equations; those of a loop's body count once for each iteration that is followed


class Exhausted(Exception):
    """The function has more equations than the budget allows."""


class Interpreter(State):
    """Walks the equations of a jaxpr, and follows each by the rule of its primitive."""

    def __init__(self, *, partitionable: bool) -> None:
        super().__init__(partitionable=partitionable)
        self.spent = 0
        self.selections: dict[Jaxpr, Selected] = {}

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
            inner = self.inside(id(eqn), selections, held, execution, context)
            operands = [self.read(held, atom) for atom in eqn.invars]
            held.update(zip(eqn.outvars, self.follow(Equation(eqn, context.outer), operands, inner), strict=True))
        return [self.read(held, atom) for atom in jaxpr.outvars]

    def inside(
        self, equation: int, selections: Selected, held: dict[Any, Value], execution: int, context: Context
    ) -> Context:
        """Return the context of an equation, whose results may be of use in some cases only.

        Args:
            equation: the ``id`` of the equation.
            selections: what is of use in some cases only, of the jaxpr.
            held: the values of its variables, as far as it has been followed.
            execution: the number of this execution of the jaxpr.
            context: the branches and loops around the jaxpr.
        """
        inner = context
        if equation in selections.cases:
            conditions: dict[object, tuple[int, int]] = dict(inner.conditions)
            conditions.update(((execution, which), case) for which, case in selections.cases[equation].items())
            inner = replace(inner, conditions=conditions)
        for branch in selections.branches.get(equation, ()):
            if branch.case is not None:
                index = selections.indices.get(branch.decision)
                value = self.read(held, index) if index in held or hasattr(index, "val") else None
                term = self.identities.number("decision", (), (execution, branch.decision))
                number = term if value is None else self.values.number(value)
                inner = self.decided(inner, number, branch.case, branch.cases)
        return inner

    def selection(self, jaxpr: Jaxpr) -> Selected:
        """Return the equations whose results are of use in some cases only; found once for a jaxpr."""
        if jaxpr not in self.selections:
            self.selections[jaxpr] = selected(jaxpr)
        return self.selections[jaxpr]

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
