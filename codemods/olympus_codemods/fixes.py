"""The interface of this package: the fix of a report, and fixes applied to a text."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Edit, Fix, Position, Span
from olympus_rules.rule import Report
from olympus_rules.syntax import Document
from olympus_rules.syntax.text import split_lines


def fix_for(report: Report, document: Document) -> Fix | None:
    """Return the fix of a report, ``None`` when there is no correct rewrite here.

    No rewrite is safe where other values than keys arrive as well.
    """
    from olympus_codemods.codemods import all_codemods  # loads LibCST

    codemod = all_codemods().get(report.finding.code)
    fix = None if codemod is None or is_deep(report, document) else codemod.fix(report.fact, document)
    return fix if fix is None or report.fact.alone or fix.applicability is Applicability.UNSAFE else None


def fix_for_all(reports: Sequence[Report], document: Document) -> Fix | None:
    """Return the fix of reports that are told together, as far as they are equally sure; ``None`` if there is none."""
    from olympus_codemods.codemods import all_codemods

    first = reports[0].finding
    facts = [report.fact for report in reports if report.finding.confidence == first.confidence]
    codemod = all_codemods().get(first.code)
    if codemod is None or len(facts) < 2 or any(is_deep(report, document) for report in reports):
        return None
    return codemod.fix_together(facts, document)


def is_whole(fix: Fix, reports: Sequence[Report], document: Document) -> bool:
    """Return whether a fix puts right all of the reports that are told together."""
    from olympus_codemods.codemods import all_codemods

    codemod = all_codemods().get(reports[0].finding.code)
    return codemod is None or codemod.is_whole(fix, [report.fact for report in reports], document)


def migration_for(report: Report, document: Document, target: Target) -> Fix | None:
    """Return the edits that make the place of a report ready for typed keys, ``None`` when there are none."""
    from olympus_codemods.codemods import all_codemods

    codemod = all_codemods().get(report.finding.code)
    if codemod is None or not report.fact.alone or is_deep(report, document):
        return None
    return codemod.migrate(report.fact, document, target)


def is_deep(report: Report, document: Document) -> bool:
    """Return whether a report is about an expression that nests too deeply for LibCST."""
    node = report.fact.node
    return isinstance(node, ast.expr) and document.is_deep(document.statement(node))


def apply_fixes(text: str, fixes: Iterable[Fix]) -> tuple[str, int]:
    """Apply as many fixes as are compatible: see :func:`compatible`.

    Args:
        text: the text that the fixes were made for, with its own line endings.
        fixes: fixes whose rows and columns are characters of ``text`` counted from 1.

    Returns:
        The new text, unchanged outside the edits, and how many fixes were applied.

    Raises:
        IndexError: an edit lies outside the text.
    """
    chosen = compatible(fixes)
    return replace_spans(text, dict.fromkeys(edit for fix in chosen for edit in fix.edits)), len(chosen)


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """Return the fixes that can be applied together, in order of place.

    A fix is applied as a whole or not at all. One that overlaps an applied fix is left out: it was made for a
    text that no longer exists. So is one that binds a name which an applied fix binds, too: each chose it because
    nothing else had it. An edit of an import statement may be shared by any number of fixes.
    """
    applied: list[Edit] = []
    chosen: list[Fix] = []
    bound: set[str] = set()
    for fix in sorted(fixes, key=first_place):
        edits = [edit for edit in fix.edits if not (is_import(edit) and edit in applied)]
        if bound.isdisjoint(fix.binds) and edits and not any(conflict(e, other) for e in edits for other in applied):
            applied += edits
            chosen.append(fix)
            bound.update(fix.binds)
    return chosen


def first_place(fix: Fix) -> Span:
    """Return the first span that a fix changes."""
    return min((edit.span for edit in fix.edits), default=Span(Position(1, 1), Position(1, 1)))


def is_import(edit: Edit) -> bool:
    """Return whether an edit writes an import statement; no expression starts with these words."""
    return edit.content.lstrip().startswith(("import ", "from "))


def conflict(one: Edit, other: Edit) -> bool:
    """Return whether two edits overlap; two insertions at one place do, as their order would be a guess."""
    if one.span == other.span:
        return True
    return one.span.start < other.span.end and other.span.start < one.span.end


def replace_spans(text: str, edits: Iterable[Edit]) -> str:
    """Return the text after edits that do not overlap."""
    starts = line_starts(text)
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits):
        start, end = offset(starts, edit.span.start), offset(starts, edit.span.end)
        pieces += [text[done:start], edit.content]
        done = end
    return "".join([*pieces, text[done:]])


def moved(positions: Iterable[Position], text: str, new: str, edits: Iterable[Edit]) -> list[Position]:
    """Return where positions of a text are in the new text after edits; a position inside an edit is at its start."""
    starts, new_starts = line_starts(text), line_starts(new)
    changes = [(offset(starts, edit.span.start), offset(starts, edit.span.end), len(edit.content)) for edit in edits]
    places: list[Position] = []
    for position in positions:
        at = offset(starts, position)
        inside = next((start for start, end, _ in changes if start < at < end), at)
        at = inside + sum(length - (end - start) for start, end, length in changes if end <= inside)
        row = bisect_right(new_starts, at, hi=len(new_starts) - 1)
        places.append(Position(row, at - new_starts[row - 1] + 1))
    return places


def line_starts(text: str) -> list[int]:
    """Return the offset of each line of a text, and its length."""
    starts = [0]
    for line in split_lines(text):
        starts.append(starts[-1] + len(line))
    return starts


def offset(starts: Sequence[int], position: Position) -> int:
    """Return the offset of a position in a text whose lines start at these offsets."""
    return starts[position.row - 1] + position.column - 1
