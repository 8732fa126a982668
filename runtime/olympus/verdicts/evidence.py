"""How evidence is told: what was executed, and what is only said to happen, by a signature pack or for want of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus.lineage import Event
    from olympus.tracing.jaxprs import Equation

__all__ = ["ASSUMED", "DOCUMENTED", "is_assumed", "key_text", "operation_text"]

ASSUMED = "assumed_consumption"
"""The name of a compiled function that stands for a call of which it is not known what it does with a key."""

DOCUMENTED = "documented_consumption"
"""The name of one that stands for a call of which a signature pack says that it consumes a key."""

FAILED = "failed(...)"
"""What the witness calls a value that an expression would have given which ended in an error."""


def key_text(told: str) -> str:
    """Return the description of a key; one that nothing has made says so."""
    if FAILED not in told:
        return told
    own = told.replace(FAILED, "the missing value")
    return f"{own} (no execution has made it: the expression that gives it ended in an error here)"


def operation_text(event: Event) -> str:
    """Return what consumes a key: its equation, or whose word it is where the call was not executed."""
    claim = _stands_for(event)
    if claim is None:
        return f"{event.name}: {str(event.equation.eqn).partition(chr(10))[0].strip()}"
    called = (event.chain[0].called() if event.chain else None) or "a call"
    if claim == DOCUMENTED:
        return f"{called}: not executed; its signature pack says that it consumes the key"
    return f"{called}: not executed; it is taken to consume the key"


def is_assumed(event: Event) -> bool:
    """Say whether an event stands for a call of which it is not known what it does."""
    return _stands_for(event) == ASSUMED


def _stands_for(event: Event) -> str | None:
    """Return what an event stands for that no equation of the user's does; ``None`` for one that is executed."""
    equation: Equation | None = event.equation
    while equation is not None:
        if equation.primitive == "jit" and equation.params.get("name") in (ASSUMED, DOCUMENTED):
            return str(equation.params["name"])
        equation = equation.outer
    return None
