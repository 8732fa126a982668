"""One verdict of several tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from olympus.verdicts import Tier, Verdict

__all__ = ["combined"]

STRENGTH: dict[Tier, int] = {"witness": 0, "function": 1, "recorded": 2}
DECIDED = ("confirmed", "refuted")


def combined(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return what several tiers say of a finding together.

    The strongest tier that has decided it wins; one that contradicts it is named in the reason. Where none has, a
    finding that was reached counts more than one that was not, and then the stronger tier.
    """
    if not verdicts:
        return None
    ordered = sorted(verdicts, key=lambda verdict: STRENGTH[verdict.tier], reverse=True)
    decided = [verdict for verdict in ordered if verdict.status in DECIDED]
    if not decided:
        return next((verdict for verdict in ordered if verdict.status == "inconclusive"), ordered[0])
    chosen = decided[0]
    against = [verdict for verdict in decided if verdict.status != chosen.status]
    reasons = [chosen.reason] if chosen.reason else []
    for verdict in against:
        reasons.append(f"the tiers contradict each other: {verdict.tier} says {verdict.status}")
        reasons += [verdict.reason] if verdict.reason else []
    return replace(chosen, reason="; ".join(reasons) or None)
