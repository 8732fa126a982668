"""The lines that a rewrite changes, before and after it, as the report shows them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from difflib import SequenceMatcher

from olympus_codemods.fixes import replace_spans
from olympus_rules.finding import Edit, Fix, Position, Span
from olympus_rules.rule import Report
from olympus_rules.rules.legacy_constructor import LegacyConstructor

NAME = re.compile(r"[\w.]*$")


def changed_lines(lines: Sequence[str], report: Report, fix: Fix) -> tuple[str, str]:
    """Return the lines that a fix changes, before and after it; of a constructor, only its name.

    Edits far from each other, such as a new import, give lines one below the other.

    Args:
        lines: the lines of the text, with their ends.
        report: the report on the place.
        fix: its fix.
    """
    span = fix.edits[0].span
    if report.finding.code == LegacyConstructor.code and len(fix.edits) == 1 and span.start.row == span.end.row:
        line, start, end = lines[span.start.row - 1], span.start.column - 1, span.end.column - 1
        module = NAME.search(line[:start])
        prefix = module[0] if module is not None else ""
        return f"{prefix}{line[start:end]}", f"{prefix}{fix.edits[0].content}"
    first, last = min(each.span.start.row for each in fix.edits), max(each.span.end.row for each in fix.edits)
    old = "".join(lines[first - 1 : last])
    new = replace_spans(old, [_moved(edit, 1 - first) for edit in fix.edits])
    before, after = list[str](), list[str]()
    for piece in _pieces(old.splitlines(), new.splitlines()):
        before += piece[0]
        after += piece[1]
    return "\n".join(before), "\n".join(after)


def _moved(edit: Edit, rows: int) -> Edit:
    start, end = edit.span.start, edit.span.end
    return Edit(Span(Position(start.row + rows, start.column), Position(end.row + rows, end.column)), edit.content)


def _pieces(old: list[str], new: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return the pieces that differ, each without the indentation that its lines share."""
    found = []
    for what, start, end, new_start, new_end in SequenceMatcher(None, old, new).get_opcodes():
        if what != "equal":
            piece = "\n".join([*old[start:end], *new[new_start:new_end]]).expandtabs(4)
            lines = textwrap.dedent(piece).split("\n")
            found.append((lines[: end - start], [line for line in lines[end - start :] if line]))
    return found
