"""Places of a joined module's rows in its file, and of a cell's characters in the JSON of its notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from olympus_lint.files.problems import Problem
from olympus_rules.finding import Edit, Finding, Position, Related, Span, Step
from olympus_rules.syntax.text import split_lines

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
CHARACTER = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\.|[^\"\\]")
"""How JSON writes one character: that of a pair of surrogates is one, too."""
TOP = Position(1, 1)
SPAN = r"(\d+):(\d+)-(\d+):(\d+)"
LINE = re.compile(r"\bline (\d+)\b")


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a joined module's rows in the file.

    Attributes:
        rows: for each row its cell (in a notebook), its row in the cell or file, and its shift in columns to the right.
    """

    rows: tuple[tuple[int | None, int, int], ...] = ()

    def at(self, position: Position) -> tuple[int | None, Position]:
        """Return the cell and the place of a position in the module."""
        if not self.rows:
            return None, position
        cell, row, shift = self.rows[min(position.row, len(self.rows)) - 1]
        return cell, Position(row, max(1, position.column + shift))

    def span(self, span: Span) -> tuple[int | None, Span]:
        """Return the cell and the place of a span in the module."""
        cell, start = self.at(span.start)
        other, end = self.at(span.end)
        return cell, Span(start, end if other == cell and end >= start else start)

    def finding(self, finding: Finding) -> Finding:
        """Translate a finding on the module to the file; a finding that names a cell is translated already."""
        if finding.cell is not None:
            return finding
        cell, span = self.span(finding.span)
        fix = finding.fix
        if fix is not None:
            edits = tuple(self._edit(edit) for edit in fix.edits)
            fix = replace(fix, edits=edits, message=self.words(fix.message, cell))
        verdict = finding.verdict
        if verdict is not None:
            evidence = [self._evidence(line, finding.filename) for line in verdict.evidence]
            verdict = replace(verdict, evidence=type(verdict.evidence)(evidence))
        related = tuple(self._related(each, finding.filename) for each in finding.related)
        message = self.words(finding.message, cell)
        lineage = tuple(self._step(each) for each in finding.lineage)
        found = replace(finding, span=span, cell=cell, related=related, message=message, lineage=lineage)
        return replace(found, fix=fix, verdict=verdict)

    def _evidence(self, line: str, filename: str) -> str:
        """Translate the span that a line of evidence names."""

        def said(match: re.Match[str]) -> str:
            row, column, end_row, end_column = map(int, match.groups())
            cell, span = self.span(Span(Position(row, column), Position(end_row, end_column)))
            place = f"{span.start.row}:{span.start.column}-{span.end.row}:{span.end.column}"
            return place if cell is None else f"cell {cell}:{place}"

        return re.sub(rf"(?<={re.escape(Path(filename).name)}:){SPAN}", said, line)

    def _step(self, step: Step) -> Step:
        if not step.row:
            return step
        start = Position(step.row, 1)
        cell, span = self.span(Span(start, start))
        return replace(step, row=span.start.row, cell=cell)

    def _edit(self, edit: Edit) -> Edit:
        cell, span = self.span(edit.span)
        return Edit(span, edit.content, cell)

    def _related(self, related: Related, filename: str) -> Related:
        if related.filename != filename:
            return related
        cell, span = self.span(related.span)
        further = related.further and self.finding(related.further)
        return replace(related, span=span, cell=cell, further=further)

    def problem(self, problem: Problem) -> Problem:
        """Translate a problem of the module to the file."""
        return replace(problem, message=self.words(problem.message))

    def words(self, message: str, cell: int | None = None) -> str:
        """Translate the line numbers in a message."""

        def said(match: re.Match[str]) -> str:
            other, place = self.at(Position(int(match[1]), 1))
            return f"line {place.row}" + (f" of cell {other}" if other not in (None, cell) else "")

        return LINE.sub(said, message)


@dataclass(frozen=True, slots=True)
class Source:
    """The text that the rows of a finding count in: that of a file, or of a cell.

    Attributes:
        text: the text.
        json: the source of a cell as the notebook has it, a string or a list of strings; empty for a file.
        start: where that begins in the notebook.
    """

    text: str
    json: str = ""
    start: Position = TOP

    def in_file(self, span: Span) -> Span:
        """Return the place of a span in the file, which is JSON if this is a cell."""
        if not self.json:
            return span
        written = [
            (string.start() + each.start(), string.start() + each.end())
            for string in STRING.finditer(self.json)
            for each in CHARACTER.finditer(string[0])
        ]
        first, last = self._number(span.start), self._number(span.end)
        if not written or first >= len(written):
            return Span(self.start, self.start)
        start = self._at(written[first][0])
        return Span(start, self._at(written[min(last, len(written)) - 1][1]) if last > first else start)

    def _number(self, at: Position) -> int:
        """Return how many characters of the text stand before a position."""
        return sum(map(len, split_lines(self.text)[: at.row - 1])) + at.column - 1

    def _at(self, offset: int) -> Position:
        """Return the position in the file of a character of the JSON."""
        before = self.json[:offset]
        rows = before.count("\n")
        column = len(before) - before.rfind("\n") if rows else self.start.column + len(before)
        return Position(self.start.row + rows, column)
