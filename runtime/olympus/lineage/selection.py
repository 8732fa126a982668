"""Draws of which one is used: both are made, and ``select_n`` drops one of the results.

This is what becomes of ``lax.cond`` under ``vmap``, where the predicate differs from lane to lane. Where JAX was
watched while it did that, each equation tells the branches that it stands in, whatever uses its results. Otherwise
the results are followed to the selections that use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from olympus.tracing import adapter
from olympus.tracing.adapter import Branch

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

Need = dict[Any, int]
"""Where a value is used: only where each of these predicates, variables of the jaxpr, has that value."""

RESHAPED = frozenset({"broadcast_in_dim", "copy", "expand_dims", "reshape", "squeeze"})


@dataclass(frozen=True, slots=True)
class Selected:
    """What is of use in some cases only, in one jaxpr.

    Attributes:
        cases: the predicates of selections, variables of the jaxpr, each with the case that uses the results of an
            equation and the number of cases; by the ``id`` of the equation.
        branches: the branches that an equation stands in, which ``jax.vmap`` executes for all lanes; likewise.
        indices: what decides among these branches, by the number of the decision.
    """

    cases: dict[int, dict[Any, tuple[int, int]]]
    branches: dict[int, tuple[Branch, ...]]
    indices: dict[int, Any]


def selected(jaxpr: Jaxpr) -> Selected:
    """Return the equations of a jaxpr whose results are used in one case of a selection only.

    The equations are walked from the last to the first. What the jaxpr returns is used in all cases; what an equation
    takes is used where its results are, and in the case of a ``select_n`` that it stands for.
    """
    branches = {id(eqn): around for eqn in jaxpr.eqns if (around := adapter.branches_of(eqn))}
    if not branches and not any(eqn.primitive.name == "select_n" for eqn in jaxpr.eqns):
        return Selected({}, {}, {})
    found: dict[int, dict[Any, tuple[int, int]]] = {}
    cases: dict[Any, int] = {}
    made = {variable: eqn for eqn in jaxpr.eqns for variable in eqn.outvars}
    used: dict[Any, Need] = {}

    for atom in jaxpr.outvars:
        use(used, atom, {})
    for eqn in reversed(jaxpr.eqns):
        need = common(used[variable] for variable in eqn.outvars if variable in used)
        own = branches.get(id(eqn), ())
        if need:
            found[id(eqn)] = {which: (case, cases[which]) for which, case in need.items()}
        selects = eqn.primitive.name == "select_n" and not hasattr(eqn.invars[0], "val")
        if selects and not (own and own[-1].case is None):  # that of a branch is told by the branch
            which, turned = origin(eqn.invars[0], made)
            cases[which] = len(eqn.invars) - 1
            use(used, eqn.invars[0], need)
            for case, atom in enumerate(eqn.invars[1:]):
                use(used, atom, {**need, which: turned(case)})
        else:
            for atom in eqn.invars:
                use(used, atom, need)
    return Selected(found, branches, indices_of(jaxpr) if branches else {})


def indices_of(jaxpr: Jaxpr) -> dict[int, Any]:
    """Return what decides among branches that stand in a jaxpr, by the number of the decision.

    JAX compares it with the number of each branch, and the first equation that does is before all of the branches.
    """
    found: dict[int, Any] = {}
    for eqn in jaxpr.eqns:
        own = adapter.branches_of(eqn) if eqn.primitive.name == "eq" else ()
        if own and own[-1].case is None:
            found.setdefault(own[-1].decision, eqn.invars[0])
    return found


def use(used: dict[Any, Need], atom: Any, need: Need) -> None:
    """Note a use of what goes into an equation, or comes out of a jaxpr; a literal has none."""
    if not hasattr(atom, "val"):
        used[atom] = common([used[atom], need]) if atom in used else need


def common(found: Iterable[Need]) -> Need:
    """Return what several uses have in common."""
    first, *others = [*found] or [{}]
    return {which: case for which, case in first.items() if all(other.get(which) == case for other in others)}


def origin(atom: Any, made: dict[Any, Any]) -> tuple[Any, Callable[[int], int]]:
    """Return the variable whose values a predicate has, in another shape, and what gives its value for a case."""
    negated = False
    while atom in made:
        eqn = made[atom]
        name, of_boolean = eqn.primitive.name, str(eqn.invars[0].aval.dtype) == "bool" if eqn.invars else False
        turns = name == "not" and of_boolean
        same = turns or name in RESHAPED or (name == "convert_element_type" and of_boolean)
        if not same or hasattr(eqn.invars[0], "val"):
            break
        atom, negated = eqn.invars[0], negated != turns
    return atom, (lambda case: 1 - case) if negated else (lambda case: case)
