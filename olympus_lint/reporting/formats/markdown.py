"""``markdown``: a page for the summary of a CI job: numbers, and the lineage of each reuse that is sure, as Mermaid.

Text from sources and file names has each sign as a character reference, so that it is no Markdown and no element.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from olympus_lint.files.problems import printable
from olympus_lint.reporting.lineage import graph_of
from olympus_lint.reporting.phrases import count, left_out, place, with_code
from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Confidence, Finding

MOST = 20
"""Lineages on one page; GitHub shows a summary of at most 1 MiB, and each picture takes a moment to be drawn."""
SIGNS = re.compile(r"[^\w ]|_", re.ASCII)


def render(run: RunResult, *, color: bool) -> str:
    """Return the page; ``color`` makes no difference."""
    return "\n".join(lines(run)) + "\n"


def lines(run: RunResult) -> Iterator[str]:
    """Yield the lines of the page."""
    findings = run.findings
    yield "### olympus-lint"
    yield ""
    if not findings:
        yield "No findings."
    else:
        files = count(len({finding.filename for finding in findings}), "file")
        yield f"{count(len(findings), 'finding')} in {files}."
        yield ""
        yield from table(findings)
    shown = sure(findings)
    for finding in shown[:MOST]:
        yield from section(finding)
    if len(shown) > MOST:
        yield from ("", f"{len(shown) - MOST} more of them are not shown here.")
    if run.quiet:
        yield from ("", with_code(left_out(run.quiet), escape))


def table(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the numbers of findings by rule, and of confirmed ones if there are verdicts."""
    numbers = Counter((each.code, each.name) for each in findings)
    confirmed = Counter((each.code, each.name) for each in findings if is_confirmed(each))
    traced = any(finding.verdict is not None for finding in findings)
    yield "| rule | findings | confirmed |" if traced else "| rule | findings |"
    yield "|---|--:|--:|" if traced else "|---|--:|"
    for rule, number in numbers.most_common():
        last = f" {confirmed[rule]} |" if traced else ""
        yield f"| {' '.join(rule)} | {number} |{last}"


def is_confirmed(finding: Finding) -> bool:
    """Return whether tracing has shown that a finding is true."""
    return finding.verdict is not None and finding.verdict.status == "confirmed"


def sure(findings: Sequence[Finding]) -> list[Finding]:
    """Return the reuses that are confirmed; if nothing was traced, those that are certain."""
    reuses = [finding for finding in findings if finding.lineage]
    if any(finding.verdict is not None for finding in findings):
        return list(filter(is_confirmed, reuses))
    return [finding for finding in reuses if finding.confidence is Confidence.CERTAIN]


def section(finding: Finding) -> Iterator[str]:
    """Yield the lines about one finding; an empty line ends what is HTML."""
    from olympus.graphs import mermaid  # loads what only a sure reuse needs

    where = escape(place(finding.filename, finding.span, finding.cell))
    marks = ", ".join(filter(None, (finding.confidence.label, finding.verdict.status if finding.verdict else "")))
    yield from ("", f"<details><summary><code>{where}</code> {finding.code} ({marks})</summary>", "")
    yield with_code(finding.message, escape)
    yield from ("", "```mermaid")
    yield mermaid(graph_of(finding)).rstrip("\n")
    yield from ("```", "", "</details>")


def escape(text: str) -> str:
    """Return text in which nothing is markup."""
    return SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", printable(text))
