"""One mistake, one report: places that consume one key again, or name one wrong type in a row, are told together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from olympus_rules.finding import Finding, Related
from olympus_rules.keyflow.facts import EqualKeys, Reference, Reuse
from olympus_rules.rule import Report


def grouped(reports: Iterable[Report]) -> list[list[Report]]:
    """Return reports with those on one mistake together, the surest of them first.

    The groups are in the order of their first reports. Any other report is a group of its own.
    """
    groups: dict[Hashable, list[Report]] = {}
    for report in reports:
        identity = mistake(report)
        slot = id(report) if identity is None else (report.finding.code, report.finding.filename, identity)
        groups.setdefault(slot, []).append(report)
    for group in groups.values():
        group.sort(key=lambda report: surest(report.finding))
    return sorted(groups.values(), key=lambda group: group[0].finding.sort_key)


def mistake(report: Report) -> Hashable:
    """Return what a report has in common with others on one mistake; ``None`` if it stands by itself.

    That is a key in one function, or a name that is no type, in the annotations of one row.
    """
    fact = report.fact
    if isinstance(fact, Reuse | EqualKeys):
        return fact.identity
    return (report.finding.span.start.row, report.finding.message) if type(fact) is Reference else None


def surest(finding: Finding) -> tuple[int, tuple[object, ...]]:
    """Return the order in which the places of one mistake are its finding."""
    return -finding.confidence, finding.sort_key


def told_together(group: list[Report]) -> Finding:
    """Return the first finding of a group, with the places of the others as related ones."""
    finding = group[0].finding
    told = {finding.span, *(other.span for other in finding.related)}
    further: list[Related] = []
    for report in group[1:]:
        span = report.finding.span
        if span in told:
            continue
        told.add(span)
        message = "here, too"
        if isinstance(report.fact, Reuse | EqualKeys):
            surely = "consumed" if report.finding.confidence == finding.confidence else "may be consumed"
            message = f"{surely} again here, by `{report.fact.again.what}`"
            if isinstance(report.fact, Reuse) and report.fact.taker and report.fact.repeated_by == "call":
                message = f"`{report.fact.taker}` draws from it here, and does not replace it"
        further.append(Related(message, finding.filename, span, further=report.finding))
    further.sort(key=lambda other: other.span)
    return replace(finding, related=(*finding.related, *further)) if further else finding


def left_of(finding: Finding, places: Sequence[Finding]) -> Finding | None:
    """Return a finding without some of its places: the surest of those that are left, with the others as related ones.

    Args:
        finding: the finding.
        places: those of its findings at each place that are left; ``None`` is returned if there are none.
    """
    if not places:
        return None
    first = min(places, key=surest)
    own = [other for other in first.related if other.further is None]
    others = [other for other in finding.related if other.further in places and other.further != first]
    return replace(first, related=(*own, *others), fix=finding.fix)
