"""``grouped``: findings under the name of their file."""

from __future__ import annotations

from itertools import groupby

from olympus_lint.reporting.phrases import headline, in_file, named, verdict_mark
from olympus_lint.reporting.results import RunResult

SUMMARY = True


def render(run: RunResult, *, color: bool) -> str:
    """Return a block for each file, with aligned places."""
    blocks: list[str] = []
    for filename, group in groupby(run.findings, key=lambda finding: finding.filename):
        findings = list(group)
        places = [in_file(finding.span, finding.cell) for finding in findings]
        width = max(map(len, places))
        blocks.append(f"{named(filename)}:\n")
        for where, finding in zip(places, findings, strict=True):
            blocks.append(f"  {where:<{width}} {headline(finding, unsafe=run.unsafe)}{verdict_mark(finding)}\n")
        blocks.append("\n")
    return "".join(blocks)
