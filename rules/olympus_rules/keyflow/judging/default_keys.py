"""Keys in default arguments: whether calls that leave the argument out are seen to draw from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import UNKNOWN_DRAW, Certainty
from olympus_rules.keyflow.domain.paths import ALWAYS
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import GENERAL, Summary
from olympus_rules.keyflow.facts import Fact
from olympus_rules.keyflow.judging.constant_noise import root_of


def default_keys(file: File, found: Iterable[Fact]) -> list[Fact]:
    """Return the facts, each default key with the confidence that its function draws from it."""
    found = list(found)
    noted = {fact.node for fact in found if isinstance(fact, facts.ConstantKey) and fact.where == "default-argument"}
    sure = {
        run.code.default(name): _confidence(run, file.summaries[task], name)
        for task, run in (file.runs.items() if noted else ())
        if task[1] == GENERAL
        for name in run.code.parameters
        if run.code.default(name) in noted
    }
    return [
        replace(fact, confidence=sure[fact.node]) if isinstance(fact, facts.ConstantKey) and fact.node in sure else fact
        for fact in found
    ]


def _confidence(run: Run, summary: Summary, name: str) -> Confidence:
    """Return how likely a function draws from a parameter's key.

    A split alone draws nothing, but its children go somewhere, as a key does that an object keeps. What code out of
    sight gets under a condition, as a layer does that may have no dropout, is less.
    """
    key = run.terms.make("param", (run.code, name))
    uses = [use for use in run.ledger.consumptions if root_of(run, use.term) == key]
    taken = [use for use in uses if use.draw != "split"]
    if any(use.certainty == Certainty.KNOWN and use.draw not in ("fold", UNKNOWN_DRAW) for use in taken):
        return Confidence.CERTAIN
    if taken:
        is_sure = any(use.path == ALWAYS and use.draw != "fold" for use in taken)
    else:
        kept = (leaf for _, _, value, _ in summary.writes for leaf in leaves(value))
        is_sure = bool(uses) or any(root_of(run, leaf) == key for leaf in kept)
    return Confidence.LIKELY if is_sure else Confidence.POSSIBLE
