"""``azure``: logging commands that Azure Pipelines shows as errors and warnings of a build."""

from __future__ import annotations

from olympus_lint.reporting.fingerprints import TOP, spans_in_file
from olympus_lint.reporting.phrases import place, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_lint.reporting.severities import SEVERITIES
from olympus_rules.finding import Finding, Span

LEVELS = {"error": "error", "warning": "warning", "note": "warning"}
ESCAPES = (("%", "%AZP25"), ("\r", "%0D"), ("\n", "%0A"))
"""What would end the command or start an escape: https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands"""
FIELD_ESCAPES = (*ESCAPES, (";", "%3B"), ("]", "%5D"))
"""What would end a field, too."""


def render(run: RunResult, *, color: bool) -> str:
    """Return one command for each finding."""
    span_of = spans_in_file(run)
    return "".join(f"{command(finding, span_of(finding) or TOP)}\n" for finding in run.findings)


def command(finding: Finding, span: Span) -> str:
    """Return the command of a finding, with its place in the file."""
    fields = {
        "type": LEVELS[SEVERITIES[finding.confidence]],
        "sourcepath": finding.filename,
        "linenumber": span.start.row,
        "columnnumber": span.start.column,
        "code": finding.code,
    }
    given = "".join(f"{name}={escaped(str(value), FIELD_ESCAPES)};" for name, value in fields.items())
    where = f"{place(finding.filename, finding.span, finding.cell)}: " if finding.cell is not None else ""
    return f"##vso[task.logissue {given}]{escaped(f'{where}{finding.message}{verdict_mark(finding)}', ESCAPES)}"


def escaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    """Return a text without the characters that mean something in a command."""
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text
