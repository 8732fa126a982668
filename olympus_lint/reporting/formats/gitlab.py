"""``gitlab``: a Code Quality report, which GitLab compares with that of the target branch of a merge request."""

from __future__ import annotations

import json
from typing import Any

from olympus_lint.reporting.fingerprints import TOP, fingerprints, spans_in_file
from olympus_lint.reporting.phrases import from_here, place, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_lint.reporting.severities import SEVERITIES
from olympus_rules.finding import Finding, Span

LEVELS = {"error": "major", "warning": "minor", "note": "info"}


def render(run: RunResult, *, color: bool) -> str:
    """Return an indented JSON array and a line end."""
    span_of = spans_in_file(run)
    named = zip(run.findings, fingerprints(run), strict=True)
    issues = [issue(finding, span_of(finding) or TOP, name) for finding, name in named]
    return json.dumps(issues, indent=2) + "\n"


def issue(finding: Finding, span: Span, fingerprint: str) -> dict[str, Any]:
    """Return a finding, with its place in the file, as an issue of Code Climate, as far as GitLab reads it."""
    where = f"{place(finding.filename, finding.span, finding.cell)}: " if finding.cell is not None else ""
    return {
        "type": "issue",
        "check_name": finding.code,
        "description": f"{where}{finding.code} {finding.message}{verdict_mark(finding)}",
        "categories": ["Bug Risk"],
        "severity": LEVELS[SEVERITIES[finding.confidence]],
        "fingerprint": fingerprint,
        "location": {
            "path": from_here(finding.filename),
            "positions": {
                "begin": {"line": span.start.row, "column": span.start.column},
                "end": {"line": span.end.row, "column": span.end.column},
            },
        },
    }
