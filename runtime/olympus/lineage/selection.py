"""Draws of which only one is used: both are made, and ``select_n`` drops one of the results.

This is what becomes of ``lax.cond`` under ``vmap``, where the predicate differs from lane to lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

__all__ = ["Selected", "selected"]

Selected = dict[int, dict[Any, int]]
"""For an equation, by its ``id``: the predicates on which its results are used, each with the case that uses them."""


def selected(jaxpr: Jaxpr) -> Selected:
    """Return the equations of a jaxpr whose results are used in one case of a selection only.

    The equations are walked from the last to the first. What the jaxpr returns is used in all cases; what an equation
    takes is used where its results are, and in the case of a ``select_n`` that it stands for.
    """
    if not any(eqn.primitive.name == "select_n" for eqn in jaxpr.eqns):
        return {}
    used: dict[Any, dict[Any, int]] = {}
    found: Selected = {}
    for atom in jaxpr.outvars:
        _use(used, atom, {})
    for eqn in reversed(jaxpr.eqns):
        needs = [used[variable] for variable in eqn.outvars if variable in used]
        need = _common(needs)
        if need:
            found[id(eqn)] = need
        if eqn.primitive.name == "select_n" and not _is_literal(eqn.invars[0]):
            _use(used, eqn.invars[0], need)
            for case, atom in enumerate(eqn.invars[1:]):
                _use(used, atom, {**need, eqn.invars[0]: case})
        else:
            for atom in eqn.invars:
                _use(used, atom, need)
    return found


def _use(used: dict[Any, dict[Any, int]], atom: Any, need: dict[Any, int]) -> None:
    if not _is_literal(atom):
        used[atom] = _common([used[atom], need]) if atom in used else need


def _common(needs: list[dict[Any, int]]) -> dict[Any, int]:
    """Return the cases that several uses have in common."""
    if not needs:
        return {}
    first, *others = needs
    return {which: case for which, case in first.items() if all(other.get(which) == case for other in others)}


def _is_literal(atom: Any) -> bool:
    return hasattr(atom, "val")
