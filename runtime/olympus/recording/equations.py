"""Where an equation stands in a compiled function: in calls, loops and branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from olympus.tracing import adapter

if TYPE_CHECKING:
    from olympus.lineage.events import Event
    from olympus.tracing.jaxprs import Equation


def is_sampler(equation: Equation) -> bool:
    """Return whether an equation calls a function of ``jax.random``, which consumes its key once whatever it does."""
    return equation.primitive == "jit" and adapter.is_sampler(equation.subs[0].jaxpr)


def around(equation: Equation) -> tuple[Equation, ...]:
    """Return an equation and those around it, outermost first, down to a call of a function of ``jax.random``."""
    found = equation.around[::-1]
    last = next((number for number, each in enumerate(found) if is_sampler(each)), len(found))
    return found[: last + 1]


def is_in_branch(event: Event) -> bool:
    """Return whether an event is in a branch of a ``lax.cond`` that may not be taken.

    Under ``vmap`` it may be executed for all lanes, and used for those that take it.
    """
    outer = around(event.equation)
    if any(each.primitive == "cond" for each in outer[:-1]):
        return True
    return any(branch.case is not None for each in outer for branch in adapter.branches_of(each.eqn))
