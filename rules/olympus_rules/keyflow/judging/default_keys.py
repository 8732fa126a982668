"""Keys in default arguments: whether calls that leave the argument out are seen to draw from it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import UNKNOWN_DRAW, Certainty
from olympus_rules.keyflow.domain.paths import ALWAYS
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.summary import GENERAL, Summary
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.facts import Fact
from olympus_rules.keyflow.judging.constant_noise import root_of

Parameter: TypeAlias = tuple[FunctionCode, str]
"""A parameter: its function, and its name."""


def default_keys(file: File, found: Iterable[Fact]) -> list[Fact]:
    """Return the facts, each default key with the confidence that its function draws from it."""
    found = list(found)
    noted = {fact.node for fact in found if isinstance(fact, facts.ConstantKey) and fact.where == "default-argument"}
    if not noted:
        return found
    sure = {
        (run.code, name): _confidence(run, file.summaries[task], name)
        for task, run in file.runs.items()
        if task[1] == GENERAL
        for name in run.code.parameters
        if run.code.default(name) in noted
    }
    told = {parameter for parameter, confidence in sure.items() if confidence >= Confidence.LIKELY}
    sure.update(dict.fromkeys(_passed_on(file, told), Confidence.POSSIBLE))
    by_node = {code.default(name): confidence for (code, name), confidence in sure.items()}
    return [
        replace(fact, confidence=by_node[fact.node])
        if isinstance(fact, facts.ConstantKey) and fact.node in by_node
        else fact
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


def _passed_on(file: File, told: set[Parameter]) -> set[Parameter]:
    """Return the parameters that get the default key of another function, or a child of it, at every call in the file.

    The function at which the key enters is told in their place. Of 47 such default keys in the packages of first looks,
    35 were meant, and of the 12 mistakes 9 were that one again. Functions that only call each other are all told.
    """
    calls: dict[Parameter, dict[ast.AST, set[Parameter]]] = defaultdict(lambda: defaultdict(set))
    for run in file.runs.values():
        for use in run.ledger.consumptions:
            taker, giver = _parameter(run, use.origin), _parameter(run, root_of(run, use.term))
            if taker in told and taker != giver:
                calls[taker][use.node].update({giver} if giver in told else ())
    followed = {taker: givers.values() for taker, givers in calls.items() if all(givers.values())}
    passed = set[Parameter]()

    def stands(giver: Parameter) -> bool:
        return giver not in followed or giver in passed

    def is_settled(taker: Parameter) -> bool:
        return all(any(map(stands, givers)) for givers in followed[taker])

    while fresh := set(filter(is_settled, followed)) - passed:
        passed |= fresh
    return passed


def _parameter(run: Run, term: Term | None) -> Parameter | None:
    """Return the parameter that a term is."""
    return run.terms.data(term) if term is not None and run.terms.operation(term) == "param" else None
