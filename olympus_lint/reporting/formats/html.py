"""``html``: one page to read in a browser, offline: numbers by rule and folder, filters, and each finding in its code.

The page loads nothing, and its content policy forbids that it could: file names and source text in it are text.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import PurePath

from olympus_lint import __version__
from olympus_lint.files.problems import printable
from olympus_lint.reporting.formats.full import frames, verdict_rows
from olympus_lint.reporting.frame import Piece
from olympus_lint.reporting.lineage import graph_of, is_long
from olympus_lint.reporting.phrases import DONE_BY, blank, count, left_out, place, with_code
from olympus_lint.reporting.results import RunResult
from olympus_rules.finding import Finding

STYLE = """
:root { color-scheme: light dark; --text: light-dark(#1d1d1f, #e8e8ea); --quiet: light-dark(#62626a, #9a9aa4);
  --page: light-dark(#fff, #17171a); --card: light-dark(#f5f5f7, #222227); --line: light-dark(#d9d9df, #3a3a42);
  --first: light-dark(#b3261e, #ff8a80); --other: light-dark(#00639b, #80c8ff); --good: light-dark(#1a6b2f, #7fcf93) }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; color: var(--text); background: var(--page);
  overflow-wrap: anywhere }
header, main { max-width: 72rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.4rem; margin: 0.5rem 0 } h2 { font-size: 1rem; margin: 0 0 0.3rem }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em }
.tables { display: flex; flex-wrap: wrap; gap: 2rem } table { border-collapse: collapse }
td, th { padding: 0.1rem 1rem 0.1rem 0; text-align: left; font-weight: normal } td:last-child { text-align: right }
form { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 0.6rem; padding: 0.6rem 0;
  background: var(--page); border-bottom: 1px solid var(--line); align-items: center }
input, select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 0.3rem; padding: 0.2rem 0.5rem }
input, select { max-width: 100% }
input { flex: 1 1 14rem } output { color: var(--quiet) } button.link { border: 0; background: none; padding: 0;
  text-decoration: underline dotted; cursor: pointer }
article { content-visibility: auto; contain-intrinsic-size: auto 20rem;
  margin: 1rem 0; padding: 0.8rem 1rem; background: var(--card); border-left: 4px solid var(--line);
  border-radius: 0.3rem; scroll-margin-top: 5rem }
article:focus { outline: 2px solid var(--other) } article[hidden] { display: none }
.certain { border-left-color: var(--first) } .likely { border-left-color: light-dark(#b26a00, #ffc56b) }
pre { margin: 0.5rem 0; tab-size: 1; white-space: pre-wrap }
.row { display: block; padding-left: 7ch; text-indent: -7ch }
.gutter, .quiet { color: var(--quiet) } mark { background: none; border-bottom: 2px solid }
.first { color: var(--first); font-weight: 600 } .other { color: var(--other); font-weight: 600 }
.help { color: var(--good) }
.lineage svg { max-width: 100%; height: auto } .lineage .page { fill: none }
"""
SCRIPT = """
"use strict";
const form = document.querySelector("form"), shown = document.querySelector("output");
const cards = [...document.querySelectorAll("article")];
const fields = ["text", "rule", "confidence", "verdict", "folder"];
function filter() {
  const wanted = Object.fromEntries(fields.map(name => [name, form.elements[name].value]));
  const text = wanted.text.toLowerCase();
  let number = 0;
  for (const card of cards) {
    const of = card.dataset;
    card.hidden = !(fields.slice(1).every(name => !wanted[name] || of[name] === wanted[name])
      && (!text || card.textContent.toLowerCase().includes(text)));
    number += !card.hidden;
  }
  shown.textContent = number + " of " + cards.length;
  const told = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
  history.replaceState(null, "", told.size ? "#" + told : location.pathname + location.search);
}
function read() {
  const told = new URLSearchParams(location.hash.slice(1));
  for (const name of fields) form.elements[name].value = told.get(name) || "";
  filter();
}
function go(step) {
  const visible = cards.filter(card => !card.hidden), at = visible.indexOf(document.activeElement);
  const next = visible[at < 0 ? (step > 0 ? 0 : visible.length - 1) : at + step];
  if (next) next.focus();
}
form.addEventListener("input", filter);
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
addEventListener("hashchange", read);
addEventListener("click", event => {
  const link = event.target.closest("button[data-name]");
  if (link) { form.elements[link.dataset.name].value = link.dataset.value; filter(); form.scrollIntoView(); }
});
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { form.reset(); document.activeElement.blur(); }
  if (event.target.closest("input, select")) return;
  if (event.key === "/") { form.elements.text.focus(); event.preventDefault(); }
  if (event.key === "j") go(1);
  if (event.key === "k") go(-1);
});
read();
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'"
ROLES = {"gutter": "gutter", "^": "first", "-": "other", "help": "help", "label": "other"}
SIGNS = ("^", "-")


def render(run: RunResult, *, color: bool) -> str:
    """Return the page; ``color`` makes no difference."""
    findings, lines = run.findings, run.lines
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    tables = table("Rules", "rule", (f"{each.code} {each.name}" for each in findings), lambda name: name.split()[0])
    tables += table("Folders", "folder", map(folder_of, findings), str)
    cards = "".join("".join(card(number, each, lines)) for number, each in enumerate(findings, 1))
    hidden = f"<p>{said(left_out(run.quiet))}</p>" if run.quiet else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(digest)}">'
        '<meta name="viewport" content="width=device-width"><title>olympus-lint</title>'
        f"<style>{STYLE}{pictures_style(cards)}</style></head>\n<body><header><h1>{summary(run)}</h1>"
        f'{hidden}<div class="tables">{tables}</div></header>\n<main>{filters(findings)}\n'
        f"{cards or '<p>No findings.</p>'}\n"
        f'<p class="quiet">olympus-lint {escape(__version__)} · keys: / search, j and k next and previous, '
        f"Escape all</p></main><script>{SCRIPT}</script></body></html>\n"
    )


def summary(run: RunResult) -> str:
    """Return how many findings there are, in how many files."""
    findings = run.findings
    if not findings:
        return "No findings"
    files = count(len({finding.filename for finding in findings}), "file")
    return f"{count(len(findings), 'finding')} in {files}"


def folder_of(finding: Finding) -> str:
    """Return the folder of a finding's file."""
    return printable(PurePath(finding.filename).parent.as_posix())


def table(heading: str, name: str, values: Iterable[str], value_of: Callable[[str], str]) -> str:
    """Return a table of numbers, each with a button that filters by its row."""
    rows = "".join(
        f'<tr><th><button class="link" data-name="{name}" data-value="{escape(value_of(value))}">{escape(value)}'
        f"</button></th><td>{number}</td></tr>"
        for value, number in sorted(Counter(values).items(), key=lambda each: (-each[1], each[0]))
    )
    return f"<div><h2>{heading}</h2><table>{rows}</table></div>" if rows else ""


def filters(findings: Sequence[Finding]) -> str:
    """Return the form with the filters."""
    choices: dict[str, list[str]] = {
        "rule": sorted({finding.code for finding in findings}),
        "confidence": sorted({finding.confidence.label for finding in findings}),
        "verdict": sorted({finding.verdict.status for finding in findings if finding.verdict is not None}),
        "folder": sorted({folder_of(finding) for finding in findings}),
    }
    fields = "".join(choice(name, values) for name, values in choices.items())
    search = '<input name="text" type="search" placeholder="Search" aria-label="Search">'
    return f'<form>{search}{fields}<button type="reset">All</button><output aria-live="polite"></output></form>'


def choice(name: str, values: Sequence[str]) -> str:
    """Return a field that chooses one of some values."""
    options = "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)
    hidden = "" if values else " hidden"
    return f'<select name="{name}" aria-label="{name}"{hidden}><option value="">every {name}</option>{options}</select>'


def card(
    number: int,
    finding: Finding,
    lines: Mapping[tuple[str, int | None], Sequence[str]],
    is_drawn: Callable[[Finding], bool] = is_long,
) -> Iterator[str]:
    """Yield the parts of the card of one finding.

    Args:
        number: of the finding on the page.
        finding: the finding.
        lines: the lines of the files.
        is_drawn: whether there is a picture of the way of its key.
    """
    verdict = finding.verdict.status if finding.verdict is not None else ""
    told = {
        "rule": finding.code,
        "confidence": finding.confidence.label,
        "verdict": verdict,
        "folder": folder_of(finding),
    }
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in told.items())
    yield f'<article id="f{number}" tabindex="0" class="{finding.confidence.label}"{data}>'
    where = escape(place(finding.filename, finding.span, finding.cell))
    marks = " · ".join(filter(None, (finding.confidence.label, verdict)))
    yield f'<h2><code>{where}</code> {finding.code} <span class="quiet">{finding.name} · {escape(marks)}</span></h2>'
    yield f"<p>{said(finding.message)}</p>"
    for other, rows in frames(finding, lines):
        if other is not None:
            yield f"<p><code>{escape(place(other.filename, other.span, other.cell))}</code> {said(other.message)}</p>"
        yield code(rows)
    if is_drawn(finding):
        yield lineage(finding)
    if finding.verdict is not None:
        yield code(verdict_rows(finding.verdict))
    if finding.fix is not None:
        options, does = DONE_BY[finding.fix.applicability]
        yield f'<p class="help">{said(finding.fix.message)} (<code>{options}</code> {does})</p>'
    yield "</article>\n"


def lineage(finding: Finding) -> str:
    """Return the way of a key as a picture."""
    from olympus.graphs import column

    where = place(finding.filename, finding.span, finding.cell)
    return f'<div class="lineage">{column(graph_of(finding), f"Key lineage of {where}", styled=False)}</div>'


def pictures_style(cards: str) -> str:
    """Return the style of the pictures if there is one; source text has no element."""
    if "<svg " not in cards:
        return ""
    from olympus.graphs.shapes import STYLE

    return STYLE


def said(text: str) -> str:
    """Return a sentence of the page."""
    return with_code(printable(text), escape)


def code(rows: Iterable[Sequence[Piece]]) -> str:
    """Return lines of code. A place that a frame underlines is marked in its line, which may wrap."""
    lines: list[tuple[Sequence[Piece], list[Sequence[Piece]]]] = []
    for row in rows:
        if row[-1].role in SIGNS:
            lines[-1][1].append(row)
        elif len(row) > 1 or row[0].text.strip() != "|":
            lines.append((row, []))
    shown = "".join(f'<span class="row">{text}\n</span>' for row, marks in lines for text in line(row, marks))
    return f"<pre>{shown}</pre>" if shown else ""


def line(row: Sequence[Piece], marks: Sequence[Sequence[Piece]]) -> Iterator[str]:
    """Yield a line, with what is drawn below it as marks in it, and the labels of these."""
    if not marks:
        yield "".join(map(piece, row))
        return
    gutter, text = row
    yield piece(gutter) + "".join(map(piece, marked(text.text, marks)))
    for below, _, drawn in marks:
        label = drawn.text.lstrip(drawn.role)
        if label:
            yield piece(below) + piece(Piece(label, "label"))


def marked(text: str, marks: Sequence[Sequence[Piece]]) -> Iterator[Piece]:
    """Yield a line in pieces, those above a mark with its sign as their role."""
    columns = list(accumulate((len(blank(character)) for character in text), initial=0))
    roles = ["code"] * len(columns)  # the place after the last character, too
    for _, before, drawn in marks:
        first = len(before.text)
        end = first + len(drawn.text) - len(drawn.text.lstrip(drawn.role))
        for at, column in enumerate(columns):
            if first <= column < end and roles[at] == "code":
                roles[at] = drawn.role
    padded = text if roles[-1] == "code" else f"{text} "
    for role, characters in groupby(zip(padded, roles, strict=False), key=itemgetter(1)):
        yield Piece("".join(character for character, _ in characters), role)


def piece(each: Piece) -> str:
    """Return a piece of a line."""
    role = ROLES.get(each.role)
    element = "mark" if each.role in SIGNS else "span"
    return f'<{element} class="{role}">{escape(each.text)}</{element}>' if role else escape(each.text)
