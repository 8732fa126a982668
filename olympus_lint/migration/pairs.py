"""The lines of a rewrite, before and after it, as the report shows them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from olympus_codemods.fixes import replace_spans
from olympus_rules.finding import Edit, Fix, Position, Span
from olympus_rules.rule import Report

__all__ = ["before_and_after"]

CONSTRUCTOR = "OLY201"
NAME = re.compile(r"[\w.]*$")


def before_and_after(lines: Sequence[str], report: Report, fix: Fix) -> tuple[str, str]:
    """Return the lines that a fix changes, before and after it; of a constructor, only its name.

    Edits far from each other, such as a new import, give lines one below the other.

    Args:
        lines: the lines of the text, with their ends.
        report: the report on the place.
        fix: its fix.
    """
    before, after = "", ""
    for edits in _together(fix.edits):
        first, last = edits[0].span.start.row, max(edit.span.end.row for edit in edits)
        if last > first and edits[-1].span.end == Position(last, 1):
            last -= 1  # the line below removed lines
        old = "".join(lines[first - 1 : last])
        here = [_moved(edit, 1 - first) for edit in edits]
        if report.finding.code == CONSTRUCTOR and len(edits) == 1 and first == edits[0].span.end.row:
            old, new = _renamed(old, here[0])
        else:
            old, new = _changed(old, replace_spans(old, here))
        before, after = before + old, after + new
    return before.rstrip("\n"), after.rstrip("\n")


def _renamed(line: str, edit: Edit) -> tuple[str, str]:
    """Return the name that an edit changes, with the module in front of it."""
    start, end = edit.span.start.column - 1, edit.span.end.column - 1
    module = NAME.search(line[:start])
    prefix = module[0] if module is not None else ""
    return f"{prefix}{line[start:end]}\n", f"{prefix}{edit.content}\n"


def _together(edits: Sequence[Edit]) -> list[list[Edit]]:
    """Return the edits in the order of places; those on the same lines together."""
    found: list[list[Edit]] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        if found and edit.span.start.row <= max(each.span.end.row for each in found[-1]):
            found[-1].append(edit)
        else:
            found.append([edit])
    return found


def _moved(edit: Edit, rows: int) -> Edit:
    start, end = edit.span.start, edit.span.end
    return Edit(Span(Position(start.row + rows, start.column), Position(end.row + rows, end.column)), edit.content)


def _changed(old: str, new: str) -> tuple[str, str]:
    """Return the lines that differ, with their common indentation removed."""
    before, after = old.splitlines(), new.splitlines()
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    lines = textwrap.dedent("\n".join([*before, *after]).expandtabs(4)).split("\n")
    cut = len(before)
    return "".join(f"{line}\n" for line in lines[:cut]), "".join(f"{line}\n" for line in lines[cut:] if after)
