"""The words of evidence: what was executed, what a signature pack documents, and what is assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus.lineage import Event

ASSUMED = "assumed_consumption"
"""The name of the compiled function that stands for a call with unknown effect on a key."""

DOCUMENTED = "documented_consumption"
"""The name of the compiled function that stands for a call that consumes a key by a signature pack."""

FAILED = "failed(...)"
"""The name of the value of an expression that has failed."""


def key_text(told: str) -> str:
    """Return the description of a key; a key of a failed expression is marked as such."""
    if FAILED not in told:
        return told
    own = told.replace(FAILED, "the missing value")
    return f"{own} (no execution has made it: the expression that gives it ended in an error here)"


def operation_text(event: Event) -> str:
    """Return what consumes a key: its equation, or the source of the claim if the call was not executed."""
    claim = _stands_for(event)
    if claim is None:
        return f"{event.name}: {str(event.equation.eqn).partition(chr(10))[0].strip()}"
    called = (event.chain[0].called() if event.chain else None) or "a call"
    if claim == DOCUMENTED:
        return f"{called}: not executed; its signature pack says that it consumes the key"
    return f"{called}: not executed; it is taken to consume the key"


def is_assumed(event: Event) -> bool:
    """Return whether an event stands for a call with unknown effect."""
    return _stands_for(event) == ASSUMED


def _stands_for(event: Event) -> str | None:
    """Return the name of the claim that an event stands for; ``None`` for an executed call."""
    names = (each.params.get("name") for each in event.equation.around if each.primitive == "jit")
    return next((str(name) for name in names if name in (ASSUMED, DOCUMENTED)), None)
