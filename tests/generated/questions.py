"""Questions for the judge and the witness: the findings of the key flow, and pairs of places with nothing wrong."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from olympus.tracing.spans import Span
from olympus.verdicts import Place, Question
from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

from .expected import Term, chain, consumptions
from .programs import Program
from .reference import FILENAME, Derivation, Recorder, evaluate

__all__ = ["of_findings", "of_nothing", "of_something"]

SOME = 6  # pairs of places with nothing wrong, of each sort


def of_findings(program: Program) -> list[Question]:
    """Return the findings of the key flow as questions."""
    truth = evaluate(program.source, program.entries)
    groups = {"OLY104": [truth.reuses, truth.excused], "OLY108": [truth.collisions, truth.excused]}
    questions = []
    for report in check(Document("program.py", program.source), min_confidence=Confidence.LIKELY).reports:
        finding = report.finding
        start = (finding.span.start.row, finding.span.start.column)
        if any(start in group for group in groups.get(finding.code, ())):
            other = next((place(each.span) for each in finding.related), None)
            questions.append(
                Question(finding.code, place(finding.span), other, finding.confidence == Confidence.CERTAIN)
            )
    return questions


def place(span: Any) -> Place:
    """Return the place of a finding's span."""
    return Place(FILENAME, span.start.row, span.start.column, span.end.row, span.end.column)


def of_nothing(runs: list[Recorder], some: int | None = SOME) -> list[Question]:
    """Return questions about calls of one function that have no key in common, in no execution.

    Args:
        runs: the executions.
        some: how many of each sort; ``None`` for all.
    """
    consumed, made = [], []
    for run in runs:
        through: defaultdict[Span, set[Term]] = defaultdict(set)
        for event, key in consumptions(run):
            for span in chain(event.calls):
                through[span].add(key)
        consumed.append(through)
        folds: defaultdict[Span, set[Term]] = defaultdict(set)
        for each in run.events:
            if isinstance(each, Derivation):
                folds[chain(each.calls)[0]].add(each.child.stream)
        made.append(folds)
    return [
        Question(code, spot(second), spot(first), certain=True)
        for code, keys in (("OLY104", consumed), ("OLY108", made))
        for first, second in chosen(apart(keys), some)
    ]


def of_something(runs: list[Recorder]) -> list[Question]:
    """Return questions about places that one call of a function comes to with one key, in some execution."""
    pairs: set[tuple[Span, Span]] = set()
    for run in runs:
        earlier: defaultdict[Term, list[dict[int, Span]]] = defaultdict(list)
        for event, key in consumptions(run):
            spans = {(span.line, span.column): span for span in chain(event.calls)}
            own = {frame: spans[start] for frame, start in event.stack}
            pairs |= {(other[frame], own[frame]) for other in earlier[key] for frame in own.keys() & other.keys()}
            earlier[key].append(own)
    some = chosen(sorted(pairs), SOME)
    return [Question("OLY104", spot(b), None if a == b else spot(a), certain=True) for a, b in some]


def chosen(pairs: list[tuple[Span, Span]], count: int | None) -> list[tuple[Span, Span]]:
    """Return some of many pairs, from all over."""
    return pairs if count is None else pairs[:: max(1, len(pairs) // count)][:count]


def apart(runs: Sequence[Mapping[Span, set[Term]]]) -> list[tuple[Span, Span]]:
    """Return pairs of places that have no key in common, given the keys of each place in each execution."""
    shared: set[tuple[Span, Span]] = set()
    for keys in runs:
        shared |= {(a, b) for a, b in itertools.combinations(sorted(keys), 2) if keys[a] & keys[b]}
    places = sorted(set().union(*runs))
    return [(a, b) for a, b in itertools.combinations(places, 2) if owner(a) == owner(b) and (a, b) not in shared]


def owner(span: Span) -> str:
    """Return the outermost function around a span."""
    return span.function.partition(".<locals>")[0]


def spot(span: Any) -> Place:
    """Return the place of a span."""
    return Place(FILENAME, span.line, span.column, span.end_line, span.end_column)
