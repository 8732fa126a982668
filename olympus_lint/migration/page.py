"""The report on a migration as one HTML page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from olympus_lint.migration import content
from olympus_lint.migration.content import DRY_RUN, HEADINGS, Obstacle, Rewrite
from olympus_lint.migration.project import Migration
from olympus_lint.migration.section import Section

__all__ = ["as_html"]

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; background: #f3f3f3; padding: 0.1em 0.3em }
pre { padding: 0.6em 1em; overflow-x: auto } li { margin: 0.4em 0 } table { border-collapse: collapse }
td, th { padding: 0.2em 1em 0.2em 0; text-align: left } .silent { color: #a33c00; font-weight: 600 }
del, ins { text-decoration: none; display: block } del { color: #a33c00 } ins { color: #1a6b2f }
@media (prefers-color-scheme: dark) {
  body { background: #181818; color: #e6e6e6 } code, pre { background: #2a2a2a }
  .silent, del { color: #f0986b } ins { color: #7fcf93 }
}
"""
TITLE = "Migration of JAX random keys"
CODE = re.compile(r"`([^`]+)`")
SILENT = re.compile(r"\((changes silently|would change silently)")


def as_html(migration: Migration, *, written: bool, further: Section | None = None) -> str:
    """Return the report as one page without external resources."""
    outside = migration.outside
    cut = [content.CUT_SHORT] if outside.is_cut_short else []
    rows = "".join(
        f"<tr><td>{code}</td><td>{name}</td><td>{number}</td></tr>" for code, name, number in content.by_rule(migration)
    )
    parts = [
        f"<p>{'<br>'.join(map(said, content.sentences(migration, written=written)))}</p>",
        section(HEADINGS["unread"], map(said, [*map(content.unread, outside.unread), *cut])),
        section(HEADINGS["doubts"], map(said, map(content.doubt, outside.doubts))),
        section(HEADINGS[migration.target.style], map(obstacle_item, content.obstacles(migration))),
        section(
            HEADINGS["checks"],
            (f"{code_of(content.where(each.reason))} {said(each.text)}" for each in content.checks(migration)),
        ),
        section(
            HEADINGS["left"], (f"{code_of(each.place)} {said(each.text)}" for each in content.left_alone(migration))
        ),
        f"<h2>{'Rewritten' if written else 'To be rewritten'}</h2>\n"
        f"<table><tr><th>Rule</th><th></th><th>Places</th></tr>{rows}</table>"
        if rows
        else "",
        section(HEADINGS["places"], map(rewrite_item, content.rewrites(migration))),
        section(
            HEADINGS["mentions"],
            (f"{code_of(f'{content.where(each)}:{each.column}')} {code_of(each.word)}" for each in migration.mentions),
        ),
        further.page() if further is not None else "",
        f"<h2>{HEADINGS['check']}</h2><p>{said(sentence)}:</p><pre><code>{html.escape(DRY_RUN)}</code></pre>"
        if (sentence := content.check_it(migration))
        else "",
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{TITLE}</title>'
    body = "\n".join(filter(None, parts))
    page = f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n'
    return f"{page}<body><h1>{TITLE}</h1>\n{body}\n</body></html>\n"


def section(heading: str, items: Iterable[str]) -> str:
    """Return a heading with a list; nothing for an empty one."""
    listed = "".join(f"<li>{item}</li>\n" for item in items)
    return f"<h2>{html.escape(heading)}</h2>\n<ul>\n{listed}</ul>" if listed else ""


def said(text: str) -> str:
    """Return a sentence, with what stands in backticks as code."""
    parts = CODE.split(text)
    shown = "".join(code_of(part) if number % 2 else html.escape(part) for number, part in enumerate(parts))
    return SILENT.sub(r'(<span class="silent">\1</span>', shown)


def code_of(text: str) -> str:
    """Return a piece of code."""
    return f"<code>{html.escape(text)}</code>"


def obstacle_item(obstacle: Obstacle) -> str:
    """Return lines that hold back the same constructors as an item of a list."""
    lines = "".join(f"<li>{code_of(place)} {said(text)}</li>" for place, text in obstacle.lines)
    return f"{said(obstacle.headline)}: {code_of(obstacle.held)}<ul>{lines}</ul>"


def rewrite_item(rewrite: Rewrite) -> str:
    """Return equal rewrites as an item of a list, with the lines before and after."""
    one = rewrite.first
    before = "".join(f"<del>- {html.escape(line)}</del>" for line in one.before.splitlines())
    after = "".join(f"<ins>+ {html.escape(line)}</ins>" for line in one.after.splitlines())
    return f"{code_of(content.title(rewrite))} {said(rewrite.headline)}<pre><code>{before}{after}</code></pre>"
