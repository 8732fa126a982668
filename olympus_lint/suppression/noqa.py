"""``--add-noqa``: writing suppression comments for findings."""

from __future__ import annotations

from collections.abc import Iterable

from olympus_lint.suppression.directives import CommentRows, Kind, read_directives
from olympus_rules.finding import Finding
from olympus_rules.rules.invalid_syntax import InvalidSyntax
from olympus_rules.rules.unused_suppression import UnusedSuppression
from olympus_rules.syntax.text import split_lines

NOT_SUPPRESSED = (InvalidSyntax.code, UnusedSuppression.code)


def add_noqa(text: str, findings: Iterable[Finding]) -> str:
    """Return a text with a ``# noqa`` for each finding, at the end of every line where its mistake begins.

    Codes are added to an existing ``# noqa`` with codes. If the line ends inside a string or with a backslash, the
    comment follows the string or the last of the continued lines.
    """
    rows = CommentRows(text)
    ends = {d.row: d.end for d in read_directives(text) if d.kind is Kind.NOQA and d.listed}
    wanted: dict[int, set[str]] = {}
    for finding in (place for each in findings for place in each.at_each_place):
        if finding.code not in NOT_SUPPRESSED:
            wanted.setdefault(rows.of(finding.span.start.row), set()).add(finding.code)
    lines = split_lines(text)
    for row, codes in wanted.items():
        lines[row - 1] = with_codes(lines[row - 1], sorted(codes), ends.get(row))
    return "".join(lines)


def with_codes(line: str, codes: list[str], end: int | None) -> str:
    """Return a line with more suppressed codes; ``end`` is the column, from 0, after the last code that it has."""
    body = line.rstrip("\r\n")
    ending = line[len(body) :]
    if end is not None:
        return f"{body[:end]}, {', '.join(codes)}{body[end:]}{ending}"
    return f"{body.rstrip()}  # noqa: {', '.join(codes)}{ending}"
