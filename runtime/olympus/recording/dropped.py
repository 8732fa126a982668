"""Results that a selection drops: ``jnp.where`` computes both of its values, and only one of them is used.

So do masked loops, and ``lax.cond`` under ``vmap``: what is computed in a lane that has ended comes to nothing. What
the lineage takes of this is in :mod:`olympus.lineage.selection`, without values; here the predicates have values, and
are followed through calls and through the shapes that they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from olympus.lineage.selection import Need, common, indices_of, origin
from olympus.tracing import adapter

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

CALLS = frozenset({"jit", "pjit"})


def needs(jaxpr: Jaxpr, results: Sequence[Need] = ()) -> tuple[dict[int, Need], list[Need]]:
    """Return where the results of each equation are used, by its ``id``, and where the inputs of the jaxpr are.

    Args:
        jaxpr: an open jaxpr.
        results: where its own results are used, if not everywhere.
    """
    made = {variable: eqn for eqn in jaxpr.eqns for variable in eqn.outvars}
    indices = indices_of(jaxpr)
    used: dict[Any, Need] = {}

    def use(atom: Any, need: Need) -> None:
        if not hasattr(atom, "val"):
            used[atom] = common([used[atom], need]) if atom in used else need

    for atom, need in zip(jaxpr.outvars, results or [{}] * len(jaxpr.outvars), strict=True):
        use(atom, need)
    found = {}
    for eqn in reversed(jaxpr.eqns):
        own = [used.get(variable) for variable in eqn.outvars]
        need = found[id(eqn)] = {**common(each for each in own if each is not None), **_of_branches(eqn, indices, made)}
        for atom, inner in zip(eqn.invars, _of_inputs(eqn, need, made), strict=True):
            use(atom, inner)
    return found, [used.get(variable, {}) for variable in jaxpr.invars]


def _of_branches(eqn: Any, indices: dict[int, Any], made: dict[Any, Any]) -> Need:
    """Return where an equation is used whose branch is known, whatever becomes of its results."""
    need: Need = {}
    for branch in adapter.branches_of(eqn):
        index = indices.get(branch.decision)
        if branch.case is not None and index is not None and not hasattr(index, "val"):
            which, turned = origin(index, made)
            need[which] = turned(branch.case)
    return need


def _of_inputs(eqn: Any, need: Need, made: dict[Any, Any]) -> list[Need]:
    """Return where an equation uses what goes into it."""
    name = eqn.primitive.name
    if name == "select_n" and not hasattr(eqn.invars[0], "val"):
        which = origin(eqn.invars[0], made)
        return [need, *({**need, which[0]: which[1](case)} for case in range(len(eqn.invars) - 1))]
    if name in CALLS:
        inner = adapter.closed_parts(eqn.params["jaxpr"])[0]
        outer = dict(zip(inner.invars, eqn.invars, strict=True))
        # The predicates of a call's own inputs are known by other names inside; what is needed outside, stays so.
        _, of_inputs = needs(inner, [{}] * len(inner.outvars))
        translated = []
        for each in of_inputs:
            own = dict(need)
            for variable, case in each.items():
                if variable in outer and not hasattr(outer[variable], "val"):
                    which, turned = origin(outer[variable], made)
                    own[which] = turned(case)
            translated.append(own)
        return translated
    return [need] * len(eqn.invars)
