"""The findings that suppression comments hide, and the comments that hide nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from olympus_lint.suppression.directives import CommentRows, Directive, Kind, Listed, read_directives
from olympus_rules.finding import Applicability, Edit, Finding, Fix, Position, Span
from olympus_rules.rules.unused_suppression import UnusedSuppression
from olympus_rules.syntax.text import split_lines


class Suppressions:
    """The suppression comments of one text, and the findings that each has hidden so far."""

    def __init__(self, text: str) -> None:
        """Read the comments."""
        self._text = text
        self._directives = read_directives(text)
        self._rows = CommentRows(text if self._directives else "")
        self._used: set[tuple[Directive, str]] = set()
        self._standing: dict[str, list[tuple[int, int]]] = {}  # the rows of visible findings, by code

    def __bool__(self) -> bool:
        """Say whether the text has suppression comments."""
        return bool(self._directives)

    def hides(self, finding: Finding) -> bool:
        """Say whether a comment hides a finding, and mark the comment as used.

        A comment hides findings that begin or end in its line. An ``ignore`` on a line of its own hides those of the
        statement below. If a line ends inside a string or with a backslash, the comment at the end of the string or
        of the continued lines counts.
        """
        start, end = finding.span.start.row, finding.span.end.row
        rows = {self._rows.of(start), self._rows.of(end)}
        found = False
        for directive in self._directives:
            named = any(listed.code == finding.code for listed in directive.listed)
            below = start in directive.below or end in directive.below
            in_reach = directive.kind is Kind.IGNORE_FILE or directive.row in rows or below
            if in_reach and (named or directive.hides_all):
                self._used.add((directive, finding.code))
                found = True
        if not found:
            self._standing.setdefault(finding.code, []).append((start, end))
        return found

    def unused(self, filename: str, checked: Collection[str]) -> Iterator[Finding]:
        """Yield a finding for each comment that is malformed, or names a rule without a hidden finding.

        Args:
            filename: the path as the user gave it.
            checked: the codes of the rules that have checked the file; comments on others are not reported.
        """
        for directive in self._directives:
            for error in directive.errors:
                yield report(filename, directive, f"Suppression not understood: {error}.")
            idle = [
                listed
                for listed in directive.listed
                if listed.code in checked
                and listed.code != UnusedSuppression.code
                and (directive, listed.code) not in self._used
            ]
            meant = [row for each in idle if (row := self._meant(directive, each.code or "")) is not None]
            if idle:
                names = join_words(dict.fromkeys(f"`{listed.text}`" for listed in idle))
                where = "in this file" if directive.kind is Kind.IGNORE_FILE else "here"
                message = f"Nothing {where} is reported as {names}."
                if meant:
                    place = "at its end" if directive.kind is Kind.NOQA else "at its end, or above its statement"
                    said = f"{message} For the finding on line {meant[0]}, put the suppression {place}."
                    yield report(filename, directive, said)
                else:
                    removal = self._removal(directive, idle)
                    yield report(filename, directive, f"{message} Remove the suppression.", removal)

    def _meant(self, directive: Directive, code: str) -> int | None:
        """Return the row of the visible finding that a misplaced comment is probably meant for.

        For a comment on a line of its own, this is the next finding, or else the last one before. For another comment,
        it is the finding that spans the comment's row.
        """
        standing = self._standing.get(code, [])
        if not directive.is_alone:
            return next((start for start, end in standing if start <= directive.row <= end), None)
        behind = [start for start, _ in standing if start > directive.row]
        return min(behind) if behind else max((start for start, _ in standing), default=None)

    def _removal(self, directive: Directive, idle: list[Listed]) -> Fix:
        line = split_lines(self._text)[directive.row - 1]
        kept = [listed for listed in directive.listed if listed not in idle]
        if kept:
            start, end = directive.listed[0].start, directive.listed[-1].end
            edit = Edit(row_span(directive.row, start, end), rejoin(line, directive.listed, kept))
        else:
            edit = without_directive(line, directive)
        return Fix(Applicability.SAFE, "Remove the unused suppression", (edit,))


def report(filename: str, directive: Directive, message: str, fix: Fix | None = None) -> Finding:
    """Return the finding for a directive."""
    span = row_span(directive.row, directive.start, directive.end)
    return Finding(UnusedSuppression.code, UnusedSuppression.name, message, filename, span, fix=fix)


def row_span(row: int, start: int, end: int) -> Span:
    """Return the span of columns counted from 0 in one row."""
    return Span(Position(row, start + 1), Position(row, end + 1))


def rejoin(line: str, listed: Iterable[Listed], kept: list[Listed]) -> str:
    """Return the kept names of a list, each but the first with the separator before it."""
    pieces: list[str] = []
    previous_end = 0
    for each in listed:
        if each in kept:
            pieces += [line[previous_end : each.start]] if pieces else []
            pieces.append(each.text)
        previous_end = each.end
    return "".join(pieces)


def without_directive(line: str, directive: Directive) -> Edit:
    """Return the edit that removes a directive from its line, or the whole line if it holds nothing else."""
    body = line.rstrip("\r\n")
    before, after = body[: directive.start].rstrip(), body[directive.end :].strip()
    if after:
        rest = after if after.startswith("#") else f"# {after}"
        return Edit(row_span(directive.row, directive.start, len(body)), rest)
    if not before:
        start = Position(directive.row, 1)
        end = Position(directive.row + 1, 1) if body != line else Position(directive.row, len(line) + 1)
        return Edit(Span(start, end), "")
    return Edit(row_span(directive.row, len(before), len(body)), "")


def join_words(words: Iterable[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
