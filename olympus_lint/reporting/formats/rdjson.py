"""``rdjson``: the Reviewdog Diagnostic Format, from which reviewdog comments on a pull request of any service.

The format is that of https://github.com/reviewdog/reviewdog/tree/master/proto/rdf: columns count bytes in UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from olympus_lint.reporting.fingerprints import SpanOf, spans_in_file
from olympus_lint.reporting.phrases import rule_url, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_lint.reporting.severities import SEVERITIES
from olympus_rules.finding import Finding, Position, Related, Span

LEVELS = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render(run: RunResult, *, color: bool) -> str:
    """Return one object with all diagnostics."""
    lines, span_of = run.lines, spans_in_file(run)
    found = [diagnostic(finding, lines.get((finding.filename, None), ()), span_of) for finding in run.findings]
    return json.dumps({"source": {"name": "olympus-lint"}, "diagnostics": found}, indent=2) + "\n"


def diagnostic(finding: Finding, lines: Sequence[str], span_of: SpanOf) -> dict[str, Any]:
    """Return a finding with its other places and, outside notebooks, its fix as suggestions."""
    told: dict[str, Any] = {
        "message": f"{finding.message}{verdict_mark(finding)}",
        "location": location(finding, span_of(finding), lines),
        "severity": LEVELS[SEVERITIES[finding.confidence]],
        "code": {"value": finding.code, "url": rule_url(finding.name)},
    }
    if finding.related:
        told["relatedLocations"] = [
            {
                "message": each.message,
                "location": location(each, span_of(each), lines if each.filename == finding.filename else ()),
            }
            for each in finding.related
        ]
    if finding.fix is not None and finding.cell is None:
        told["suggestions"] = [
            {"range": range_of(edit.span, lines), "text": edit.content} for edit in finding.fix.edits
        ]
    return told


def location(place: Finding | Related, span: Span | None, lines: Sequence[str]) -> dict[str, Any]:
    """Return a place in a file: in a notebook its lines, as the bytes in a line of JSON are not at hand."""
    if span is None:
        return {"path": place.filename}
    if place.cell is not None:
        return {"path": place.filename, "range": {"start": {"line": span.start.row}, "end": {"line": span.end.row}}}
    return {"path": place.filename, "range": range_of(span, lines)}


def range_of(span: Span, lines: Sequence[str]) -> dict[str, Any]:
    """Return a span with columns in bytes."""
    return {"start": position(span.start, lines), "end": position(span.end, lines)}


def position(at: Position, lines: Sequence[str]) -> dict[str, int]:
    """Return a position; without its line, the column counts characters."""
    line = lines[at.row - 1] if at.row <= len(lines) else " " * at.column
    return {"line": at.row, "column": len(line[: at.column - 1].encode(errors="surrogatepass")) + 1}
