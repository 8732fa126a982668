"""``concise``: one line for a finding."""

from __future__ import annotations

from olympus_lint.reporting.phrases import headline, place, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Finding

SUMMARY = True


def render(run: RunResult, *, color: bool) -> str:
    """Return ``file:row:column: CODE message`` lines."""
    return "".join(f"{line(finding, unsafe=run.unsafe)}\n" for finding in run.findings)


def line(finding: Finding, *, unsafe: bool) -> str:
    """Return the line for a finding."""
    where = place(finding.filename, finding.span, finding.cell)
    return f"{where}: {headline(finding, unsafe=unsafe)}{verdict_mark(finding)}"
