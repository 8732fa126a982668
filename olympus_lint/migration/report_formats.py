"""The formats of the report on a migration for people: plain text, Markdown and one HTML page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from olympus_lint.files.problems import printable
from olympus_lint.migration.section import Item, Section

TITLE = "Migration of JAX random keys"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c;
  overflow-wrap: anywhere }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; background: #f3f3f3; padding: 0.1em 0.3em }
pre { padding: 0.6em 1em; white-space: pre-wrap } li { margin: 0.4em 0 } .silent { color: #a33c00; font-weight: 600 }
del, ins { text-decoration: none; display: block } del { color: #a33c00 } ins { color: #1a6b2f }
@media (prefers-color-scheme: dark) {
  body { background: #181818; color: #e6e6e6 } code, pre { background: #2a2a2a }
  .silent, del { color: #f0986b } ins { color: #7fcf93 }
}
"""
CODE = re.compile(r"`([^`]+)`")
SILENT = re.compile(r"\((changes silently|would change silently)")


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


def as_html(sentences: Sequence[str], sections: Sequence[Section]) -> str:
    """Return the report as one page without external resources."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{TITLE}</title>'
    body = "\n".join(line for section in sections for line in _page_of(section))
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n'
        f"<body><h1>{TITLE}</h1>\n<p>{'<br>'.join(map(marked, sentences))}</p>\n{body}\n</body></html>\n"
    )


def _page_of(section: Section) -> Iterator[str]:
    yield f"<h2>{html.escape(section.title)}</h2>"
    items = [*(Item(each) for each in section.sentences), *section.items]
    yield from ["<ul>", *(f"<li>{_item_of(each)}</li>" for each in items), "</ul>"] if items else ()
    if section.command is not None:
        yield f"<p>{marked(section.command[0])}:</p><pre><code>{html.escape(section.command[1])}</code></pre>"


def _item_of(item: Item) -> str:
    place, held = (each and f"<code>{html.escape(each)}</code>" for each in (item.place, item.held))
    line = f"{place} {marked(item.text)}{f': {held}' if held else ''}".strip()
    below = "".join(f"<li>{_item_of(each)}</li>" for each in item.below)
    before, after = item.change or ("", "")
    code = "".join(f"<del>- {html.escape(each)}</del>" for each in before.splitlines())
    code += "".join(f"<ins>+ {html.escape(each)}</ins>" for each in after.splitlines())
    return f"{line}{f'<ul>{below}</ul>' if below else ''}{f'<pre><code>{code}</code></pre>' if code else ''}"


def marked(text: str) -> str:
    """Return a sentence as HTML, with what stands between backquotes as code."""
    parts = (html.escape(part) for part in CODE.split(text))
    shown = "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))
    return SILENT.sub(r'(<span class="silent">\1</span>', shown)
