"""``github``: workflow commands that annotate both places of a finding on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from olympus_lint.reporting.fingerprints import TOP, SpanOf, spans_in_file
from olympus_lint.reporting.phrases import place, verdict_mark
from olympus_lint.reporting.results import RunResult
from olympus_lint.reporting.severities import SEVERITIES
from olympus_rules.finding import Finding, Span

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(run: RunResult, *, color: bool) -> str:
    """Return one command for each finding, and a notice for each of its related places."""
    span_of = spans_in_file(run)
    return "".join(f"{line}\n" for finding in run.findings for line in commands(finding, span_of))


def commands(finding: Finding, span_of: SpanOf) -> Iterator[str]:
    """Return the commands of a finding."""
    title = f"olympus-lint ({finding.code})"
    level = COMMANDS[SEVERITIES[finding.confidence]]
    where = place(finding.filename, finding.span, finding.cell)
    yield command(
        level,
        title,
        finding.filename,
        span_of(finding) or TOP,
        f"{where}: {finding.code} {finding.message}{verdict_mark(finding)}",
    )
    for other in finding.related:
        message = f"{place(other.filename, other.span, other.cell)}: {finding.code} {other.message} (see {where})"
        yield command("notice", title, other.filename, span_of(other) or TOP, message)


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
