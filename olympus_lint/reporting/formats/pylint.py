"""``pylint``: one line for a finding, in the form of pylint's parseable output, which many CI services read."""

from __future__ import annotations

from olympus_lint.files.problems import printable
from olympus_lint.reporting.fingerprints import TOP, spans_in_file
from olympus_lint.reporting.phrases import named, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Finding, Span


def render(run: RunResult, *, color: bool) -> str:
    """Return ``file:row: [CODE] message`` lines."""
    span_of = spans_in_file(run)
    return "".join(f"{line(finding, span_of(finding) or TOP)}\n" for finding in run.findings)


def line(finding: Finding, span: Span) -> str:
    """Return the line for a finding, with its place in the file; in a notebook, the message begins with the cell."""
    within = "" if finding.cell is None else f"cell {finding.cell}, row {finding.span.start.row}: "
    said = f"{within}{printable(finding.message)}{verdict_mark(finding)}"
    return f"{named(finding.filename)}:{span.start.row}: [{finding.code}] {said}"
