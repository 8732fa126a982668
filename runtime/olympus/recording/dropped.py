"""Results that a selection drops: ``jnp.where`` computes both of its values, and only one of them is used.

So do masked loops, and ``lax.cond`` under ``vmap``: what is computed in a lane that has ended comes to nothing. What
the lineage takes of this is in :mod:`olympus.lineage.selection`, without values; here the predicates have values, and
are followed through calls and through the shapes that they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from olympus import adapter

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

__all__ = ["Need", "needs"]

Need = dict[Any, int]
"""Where a value is used: only where each of these predicates, variables of the jaxpr, has that value."""

RESHAPED = frozenset({"broadcast_in_dim", "convert_element_type", "copy", "expand_dims", "reshape", "squeeze"})
CALLS = frozenset({"jit", "pjit"})


def needs(jaxpr: Jaxpr, results: Sequence[Need] = ()) -> tuple[dict[int, Need], list[Need]]:
    """Return where the results of each equation are used, by its ``id``, and where the inputs of the jaxpr are.

    Args:
        jaxpr: an open jaxpr.
        results: where its own results are used, if not everywhere.
    """
    made = {variable: eqn for eqn in jaxpr.eqns for variable in eqn.outvars}
    used: dict[Any, Need] = {}

    def use(atom: Any, need: Need) -> None:
        if not hasattr(atom, "val"):
            used[atom] = common([used[atom], need]) if atom in used else need

    for atom, need in zip(jaxpr.outvars, results or [{}] * len(jaxpr.outvars), strict=True):
        use(atom, need)
    found = {}
    for eqn in reversed(jaxpr.eqns):
        own = [used.get(variable) for variable in eqn.outvars]
        need = found[id(eqn)] = common([each for each in own if each is not None])
        for atom, inner in zip(eqn.invars, _of_inputs(eqn, need, own, made), strict=True):
            use(atom, inner)
    return found, [used.get(variable, {}) for variable in jaxpr.invars]


def common(found: Iterable[Need]) -> Need:
    """Return what several uses have in common."""
    first, *others = [*found] or [{}]
    return {which: case for which, case in first.items() if all(other.get(which) == case for other in others)}


def _of_inputs(eqn: Any, need: Need, results: Sequence[Need | None], made: dict[Any, Any]) -> list[Need]:
    """Return where an equation uses what goes into it."""
    name = eqn.primitive.name
    if name == "select_n" and not hasattr(eqn.invars[0], "val"):
        which = _origin(eqn.invars[0], made)
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
                    origin, turned = _origin(outer[variable], made)
                    own[origin] = turned(case)
            translated.append(own)
        return translated
    return [need] * len(eqn.invars)


def _origin(atom: Any, made: dict[Any, Any]) -> tuple[Any, Callable[[int], int]]:
    """Return the variable whose values a predicate has, in another shape, and what gives its value for a case."""
    negated = False
    while atom in made:
        eqn = made[atom]
        turns = eqn.primitive.name == "not" and str(eqn.invars[0].aval.dtype) == "bool"
        if not turns and (eqn.primitive.name not in RESHAPED or hasattr(eqn.invars[0], "val")):
            break
        atom, negated = eqn.invars[0], negated != turns
    return atom, (lambda case: 1 - case) if negated else (lambda case: case)
