"""One verdict from the verdicts of several tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from olympus.verdicts import Tier, Verdict

STRENGTH: dict[Tier, int] = {"witness": 0, "function": 1, "recorded": 2}
TRY_REAL = "`--trace-import` tries the real function"
GIVE = "give the function its arguments in the setting `trace`, or run your program with `olympus record`"
DECIDED = ("confirmed", "refuted")


def advised(verdict: Verdict, tiers: Sequence[Tier]) -> Verdict:
    """Return a verdict whose reason, if it is open, ends with the next step: a stronger tier.

    Args:
        verdict: the verdict.
        tiers: the tiers that were tried.
    """
    if verdict.status in DECIDED or verdict.reason is None:
        return verdict
    return replace(verdict, reason=f"{verdict.reason}; {GIVE if 'function' in tiers else TRY_REAL}")


def combined(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict on a finding from those of several tiers.

    The strongest tier that has decided wins; the reason names a tier that contradicts it. If none has decided, a
    verdict on a reached finding wins over `not reached`, and then that of the stronger tier.
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
