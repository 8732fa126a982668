"""The formats of the report on a migration for people: plain text and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from olympus_lint.files.problems import printable
from olympus_lint.migration.section import Item, Section

TITLE = "Migration of JAX random keys"


def as_text(sentences: Sequence[str], sections: Sequence[Section]) -> str:
    """Return the report as plain text."""
    parts = [[*sentences], *map(_text_of, sections)]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in parts)


def _text_of(section: Section) -> list[str]:
    lines = [f"{section.title}:", *(f"  {each}" for each in section.sentences)]
    for item in section.items:
        lines += [f"  {_line(item)}", *(f"    {_line(each)}" for each in item.below), *_changed_lines(item)]
    if section.command is not None:
        lines += [f"{section.command[0]}:", f"  {section.command[1]}"]
    return lines


def _line(item: Item, mark: str = "") -> str:
    """Return an item as one line; ``mark`` stands around places."""
    place, held = (printable(each) and f"{mark}{printable(each)}{mark}" for each in (item.place, item.held))
    return f"{place}{' ' if place else ''}{item.text}{f': {held}' if held else ''}"


def _changed_lines(item: Item) -> list[str]:
    before, after = item.change or ("", "")
    return [
        f"    {sign} {printable(line)}" for sign, code in (("-", before), ("+", after)) for line in code.splitlines()
    ]


def as_markdown(sentences: Sequence[str], sections: Sequence[Section]) -> str:
    """Return the report as Markdown."""
    parts = [[f"# {TITLE}"], ["  \n".join(sentences)], *map(_markdown_of, sections)]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in parts)


def _markdown_of(section: Section) -> list[str]:
    lines = [f"## {section.title}", "", *(f"- {each}" for each in section.sentences)]
    for item in section.items:
        lines += [f"- {_line(item, '`')}", *(f"  - {_line(each, '`')}" for each in item.below)]
        if item.change is not None:
            fence = "```" if "```" not in "".join(item.change) else "````"
            changed = [line.removeprefix("  ") for line in _changed_lines(item)]
            lines += [f"  {fence}diff", *changed, f"  {fence}"]
    if section.command is not None:
        lines += [f"{section.command[0]}:", "", "```console", f"$ {section.command[1]}", "```"]
    return lines
