"""``concise``: one line for a finding."""

from __future__ import annotations

from olympus_lint.reporting._text import headline, place, verdict_mark
from olympus_lint.results import RunResult

__all__ = ["SUMMARY", "render"]

SUMMARY = True


def render(run: RunResult, *, color: bool) -> str:
    """Return ``file:row:column: CODE message`` lines."""
    lines = (
        f"{place(finding.filename, finding.span)}: {headline(finding, unsafe=run.unsafe)}{verdict_mark(finding)}\n"
        for finding in run.findings
    )
    return "".join(lines)
