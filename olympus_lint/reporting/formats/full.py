"""``full``: a code frame with every place of a finding, and its fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from olympus.verdicts import Verdict
from olympus_lint.files.problems import printable
from olympus_lint.reporting.frame import Mark, Piece, frame
from olympus_lint.reporting.lineage import is_long, tree_rows
from olympus_lint.reporting.phrases import DONE_BY, headline, place
from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Finding, Related

SUMMARY = True

STYLES = {"gutter": "blue", "code": "", "^": "bold red", "-": "bold cyan", "place": "bold", "help": "green"}


def render(run: RunResult, *, color: bool) -> str:
    """Return a block for each finding; ``color`` adds the colours of a terminal."""
    lines = run.lines
    blocks = [[*block(finding, lines, run.unsafe), []] for finding in run.findings]
    rows = [row for rows in blocks for row in rows]
    return colored(rows) if color else "".join("".join(p.text for p in row) + "\n" for row in rows)


def block(
    finding: Finding, lines: Mapping[tuple[str, int | None], Sequence[str]], unsafe: bool
) -> Iterator[list[Piece]]:
    """Return the lines for one finding."""
    where = Piece(f"{place(finding.filename, finding.span, finding.cell)}: ", "place")
    yield [where, Piece(headline(finding, unsafe=unsafe), "code")]
    for other, rows in frames(finding, lines):
        if other is not None:
            yield [Piece(f"{place(other.filename, other.span, other.cell)}: ", "place"), Piece(other.message, "code")]
        yield from rows
    if is_long(finding):
        yield from lineage_rows(finding)
    if finding.verdict is not None:
        yield from verdict_rows(finding.verdict)
    if finding.fix is not None:
        options, does = DONE_BY[finding.fix.applicability]
        yield [Piece("help: ", "help"), Piece(f"{printable(finding.fix.message)} (`{options}` {does})", "code")]


def frames(
    finding: Finding, lines: Mapping[tuple[str, int | None], Sequence[str]]
) -> Iterator[tuple[Related | None, Iterator[list[Piece]]]]:
    """Return the code frame of a finding with its places near by, and one for each place in another file or cell."""
    here = (finding.filename, finding.cell)
    near = [other for other in finding.related if (other.filename, other.cell) == here]
    marks = [Mark(finding.span, "^"), *(Mark(other.span, "-", other.message) for other in near)]
    yield None, frame(lines.get(here, ()), marks)
    for other in finding.related:
        if (other.filename, other.cell) != here:
            yield other, frame(lines.get((other.filename, other.cell), ()), [Mark(other.span, "-")])


def lineage_rows(finding: Finding) -> Iterator[list[Piece]]:
    """Return the lines with the way of a key to its uses."""
    yield [Piece("lineage:", "help")]
    yield from ([Piece(f"    {printable(line)}", "code")] for line in tree_rows(finding))


def verdict_rows(verdict: Verdict) -> Iterator[list[Piece]]:
    """Return the lines with the verdict on a finding and its evidence."""
    reason = f": {printable(verdict.reason)}" if verdict.reason else ""
    yield [Piece("verdict: ", "help"), Piece(f"{verdict.status} ({verdict.tier}){reason}", "code")]
    yield from ([Piece(f"    {printable(line)}", "code")] for line in verdict.evidence)


def colored(rows: Sequence[Sequence[Piece]]) -> str:
    """Return lines with the escape sequences of a terminal."""
    import io

    from rich.console import Console
    from rich.text import Text

    console = Console(file=io.StringIO(), force_terminal=True, soft_wrap=True, highlight=False)
    with console.capture() as captured:
        for row in rows:
            console.print(Text.assemble(*((piece.text, STYLES[piece.role]) for piece in row)), soft_wrap=True)
    return captured.get()
