"""``github``: workflow commands that annotate both places of a finding on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from olympus_lint.reporting.phrases import place, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_lint.reporting.severities import SEVERITIES
from olympus_rules.finding import Finding, Position, Span

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
TOP = Span(Position(1, 1), Position(1, 1))
"""The place of all annotations of a notebook, since the rows of its cells are not those of its file."""


def render(run: RunResult, *, color: bool) -> str:
    """Return one command for each finding, and a notice for each of its related places."""
    return "".join(f"{line}\n" for finding in run.findings for line in commands(finding))


def commands(finding: Finding) -> Iterator[str]:
    """Return the commands of a finding."""
    title = f"olympus-lint ({finding.code})"
    level = COMMANDS[SEVERITIES[finding.confidence]]
    where = place(finding.filename, finding.span, finding.cell)
    yield command(
        level,
        title,
        finding.filename,
        finding.span if finding.cell is None else TOP,
        f"{where}: {finding.code} {finding.message}{verdict_mark(finding)}",
    )
    for other in finding.related:
        message = f"{place(other.filename, other.span, other.cell)}: {finding.code} {other.message} (see {where})"
        yield command("notice", title, other.filename, other.span if other.cell is None else TOP, message)


def command(level: str, title: str, filename: str, span: Span, message: str) -> str:
    """Return one command; GitHub accepts columns only for places within one line."""
    fields = {"file": filename, "line": span.start.row, "endLine": span.end.row, "col": span.start.column}
    if span.start.row == span.end.row:
        fields["endColumn"] = span.end.column
    given = ",".join(f"{name}={escape_field(str(value))}" for name, value in (fields | {"title": title}).items())
    return f"::{level} {given}::{escape(message)}"


def escape(text: str) -> str:
    """Escape characters that would end the command or start an escape."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_field(text: str) -> str:
    """Escape characters that would end a field, too."""
    return escape(text).replace(":", "%3A").replace(",", "%2C")
