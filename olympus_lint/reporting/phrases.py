"""Phrases that several output formats share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from olympus_lint.files.problems import printable
from olympus_lint.reporting.results import can_fix, is_unsettled
from olympus_rules.finding import Applicability, Finding, Span
from olympus_rules.syntax import disk

DONE_BY = {
    Applicability.SAFE: ("--fix", "does it"),
    Applicability.UNSAFE: ("--fix --unsafe-fixes", "tries it"),
    Applicability.UNSETTLED: ("--fix", "does it where that is safe"),
}
"""The options that apply a fix, and the rest of the sentence."""

CODE = re.compile(r"`([^`]+)`")
NO_TABS = re.compile(r"[^\t]+")
RULE_PAGES = "https://github.com/olympus-lint/olympus-lint/blob/main/docs/rules/"


def place(filename: str, span: Span, cell: int | None = None) -> str:
    """Return ``file:row:column``, as editors and terminals link it; ``file:cell 3:row:column`` in a notebook."""
    return f"{named(filename)}:{in_file(span, cell)}"


def named(filename: str) -> str:
    """Return a path for the beginning of a line, where a CI service takes some texts for commands."""
    shown = printable(filename)
    return f"./{shown}" if shown.startswith(("::", "##")) else shown


def in_file(span: Span, cell: int | None = None) -> str:
    """Return ``row:column``, in a notebook after the cell."""
    return f"{'' if cell is None else f'cell {cell}:'}{span.start.row}:{span.start.column}"


def headline(finding: Finding, *, unsafe: bool) -> str:
    """Return code and message, with a mark between them: ``[*]`` if ``--fix`` would apply a fix, ``[?]`` if it may."""
    mark = " [*]" if can_fix(finding, unsafe=unsafe) else " [?]" if is_unsettled(finding) else ""
    return f"{finding.code}{mark} {printable(finding.message)}"


def verdict_mark(finding: Finding) -> str:
    """Return the end of a finding's line: the verdict in brackets, or nothing."""
    return f" [{finding.verdict.status}]" if finding.verdict is not None else ""


def rule_url(name: str) -> str:
    """Return the address of a rule's page by the rule's name."""
    return f"{RULE_PAGES}{name}.md"


def left_out(quiet: int) -> str:
    """Return the sentence on the findings that the quiet preset does not show; empty if there are none."""
    if not quiet:
        return ""
    verb, them = ("is", "it") if quiet == 1 else ("are", "them")
    return f"{count(quiet, 'finding')} in tests {verb} not shown; `--tests all` shows {them}."


def with_code(text: str, escape: Callable[[str], str]) -> str:
    """Return a sentence for a page, with what stands in backquotes as code."""
    parts = enumerate(CODE.split(text))
    return "".join(f"<code>{escape(part)}</code>" if number % 2 else escape(part) for number, part in parts)


def from_here(filename: str) -> str:
    """Return a path relative to the current folder, if it is below that, without a dot."""
    path, here = Path(filename), disk.absolute(".")
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def blank(text: str) -> str:
    """Return spaces of the width of a text on a terminal; tabs stay tabs."""
    if text.isascii():
        return NO_TABS.sub(lambda found: " " * len(found[0]), text)
    import unicodedata

    def width(character: str) -> str:
        if character == "\t":
            return character
        if unicodedata.combining(character):
            return ""
        return "  " if unicodedata.east_asian_width(character) in "WF" else " "

    return "".join(map(width, text))
