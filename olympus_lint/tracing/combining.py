"""One verdict from the verdicts of several tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from olympus.verdicts import Tier, Verdict

STRENGTH: dict[Tier, int] = {"witness": 0, "framework": 1, "function": 2, "recorded": 3}
TRY_REAL = "`--trace-import` tries the real function"
GIVE = "give the function its arguments in the setting `trace`, or run your program with `olympus record`"
DECIDED = ("confirmed", "refuted")
CONFIRMS: Tier = "framework"
"""The tier whose verdicts are dropped unless they confirm."""


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
    verdict on a reached finding wins over `not reached`, and then that of the stronger tier. One by frameworks that
    confirms nothing adds its reason to that: a framework is missing.
    """
    others = [verdict for verdict in verdicts if verdict.tier != CONFIRMS or verdict.status in DECIDED]
    if not others:
        return None
    ordered = sorted(others, key=lambda verdict: STRENGTH[verdict.tier], reverse=True)
    decided = [verdict for verdict in ordered if verdict.status in DECIDED]
    if not decided:
        best = next((verdict for verdict in ordered if verdict.status == "inconclusive"), ordered[0])
        told = [best, *(verdict for verdict in verdicts if verdict.tier == CONFIRMS)]
        return replace(best, reason="; ".join(each.reason for each in told if each.reason) or None)
    chosen = decided[0]
    against = [verdict for verdict in decided if verdict.status != chosen.status]
    reasons = [chosen.reason] if chosen.reason else []
    for verdict in against:
        reasons.append(f"the tiers contradict each other: {verdict.tier} says {verdict.status}")
        reasons += [verdict.reason] if verdict.reason else []
    return replace(chosen, reason="; ".join(reasons) or None)
