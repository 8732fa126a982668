"""Findings as JSON objects."""

from __future__ import annotations

from typing import Any

from olympus_lint.reporting.phrases import rule_url
from olympus_rules.finding import Applicability, Confidence, Edit, Finding, Fix, Position, Related, Span, Step

__all__ = ["finding_object", "finding_of"]


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return a finding as a JSON object, with ``effect`` and ``lineage`` if the finding has them."""
    made: dict[str, Any] = {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "filename": finding.filename,
        "cell": finding.cell,
        **locations(finding.span),
        "related": [
            {"message": other.message, "filename": other.filename, **cell(other), **locations(other.span)}
            for other in finding.related
        ],
        "confidence": finding.confidence.label,
        "url": rule_url(finding.name),
        "fix": fix_object(finding.fix) if finding.fix else None,
        "verdict": finding.verdict.to_json() if finding.verdict else None,
    }
    if finding.effect is not None:
        made["effect"] = finding.effect
    if finding.lineage:
        made["lineage"] = [
            {"kind": step.kind, "label": step.label, "how": step.how, "row": step.row, "cell": step.cell}
            for step in finding.lineage
        ]
    return made


def finding_of(made: dict[str, Any]) -> Finding:
    """Return the finding of a JSON object that :func:`finding_object` has made.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: it is none.
    """
    from olympus.verdicts import Verdict

    related = [
        Related(str(each["message"]), str(each["filename"]), _span(each), each.get("cell")) for each in made["related"]
    ]
    return Finding(
        str(made["code"]),
        str(made["name"]),
        str(made["message"]),
        str(made["filename"]),
        _span(made),
        next(level for level in Confidence if level.label == made["confidence"]),
        tuple(related),
        made.get("effect"),
        None if made["fix"] is None else _fix(made["fix"]),
        made["cell"],
        None if made["verdict"] is None else Verdict.from_json(made["verdict"]),
        tuple(_step(each) for each in made.get("lineage", ())),
    )


def _fix(made: dict[str, Any]) -> Fix:
    edits = tuple(Edit(_span(each), str(each["content"]), each.get("cell")) for each in made["edits"])
    return Fix(Applicability(made["applicability"]), str(made["message"]), edits)


def _step(made: dict[str, Any]) -> Step:
    return Step(str(made["kind"]), str(made["label"]), str(made["how"]), int(made["row"]), made["cell"])


def _span(made: dict[str, Any]) -> Span:
    start, end = (Position(int(at["row"]), int(at["column"])) for at in (made["location"], made["end_location"]))
    return Span(start, end)


def fix_object(fix: Fix) -> dict[str, Any]:
    """Return a fix as a JSON object."""
    return {
        "applicability": fix.applicability.value,
        "message": fix.message,
        "edits": [{"content": edit.content, **cell(edit), **locations(edit.span)} for edit in fix.edits],
    }


def cell(place: Related | Edit) -> dict[str, int]:
    """Return the cell of a place in a notebook."""
    return {} if place.cell is None else {"cell": place.cell}


def locations(span: Span) -> dict[str, Any]:
    """Return the two ends of a span."""
    return {
        "location": {"row": span.start.row, "column": span.start.column},
        "end_location": {"row": span.end.row, "column": span.end.column},
    }
