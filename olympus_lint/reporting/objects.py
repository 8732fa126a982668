"""Findings as JSON objects."""

from __future__ import annotations

from typing import Any

from olympus_lint.reporting.phrases import rule_url
from olympus_rules.finding import Edit, Finding, Fix, Related, Span

__all__ = ["finding_object"]


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return a finding as a JSON object, with ``effect`` if the finding has one."""
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
    return made


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
