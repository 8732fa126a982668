"""``pylint``: one line for a finding, in the form of pylint's parseable output, which many CI services read."""

from __future__ import annotations

from olympus_lint.files.problems import printable
from olympus_lint.reporting.phrases import named, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Finding


def render(run: RunResult, *, color: bool) -> str:
    """Return ``file:row: [CODE] message`` lines."""
    return "".join(f"{line(finding)}\n" for finding in run.findings)


def line(finding: Finding) -> str:
    """Return the line for a finding; the rows of a notebook's cell are no rows of its file, so the cell comes first."""
    row, cell = finding.span.start.row, finding.cell
    place, within = (row, "") if cell is None else (1, f"cell {cell}, row {row}: ")
    said = f"{within}{printable(finding.message)}{verdict_mark(finding)}"
    return f"{named(finding.filename)}:{place}: [{finding.code}] {said}"
