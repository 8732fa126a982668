"""The report on a migration: rewritten places, places that are left, held constructors, and how to check it."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from olympus_lint.migration.mentions import Mention
from olympus_lint.migration.plan import Constructor
from olympus_lint.migration.project import Migration
from olympus_lint.migration.reasons import Reason, short
from olympus_lint.reporting.phrases import count, place
from olympus_rules.finding import Finding, Fix
from olympus_rules.keyflow.facts import Conversion, DtypeLogic, Fact, KeyIndexing, KeyTransposition, ShapeLogic
from olympus_rules.rule import Report

__all__ = ["DRY_RUN", "render"]

DRY_RUN = "JAX_ENABLE_CUSTOM_PRNG=1 python -m pytest"
"""With this flag, JAX's ``PRNGKey`` makes typed keys, so that the tests run as after the migration."""

MENTIONS = "Mentioned in strings, comments and prose, not rewritten"
FAILING = frozenset(
    {"axis", "dynamic-slice", "len", "permutation", "shape-unpack", "signature", "spec", "vstack", "word-shape"}
)
"""Forms of logic on shapes that raise an error with typed keys; the others silently give another result."""


def is_silent(fact: Fact) -> bool:
    """Say whether a typed key gives another result at a place, without an error."""
    match fact:
        case ShapeLogic(form=form):
            return form not in FAILING
        case DtypeLogic(form=form):
            return form != "numpy"
        case KeyTransposition(how=how):
            return how == "out_axes"
        case KeyIndexing(batch=batch):
            return batch
        case Conversion(effect=effect):
            return effect != "fails"
    return False


@dataclass(frozen=True, slots=True)
class Done:
    """A rewritten place: the report on the text before the rewrite, and the fix."""

    report: Report
    fix: Fix

    def __str__(self) -> str:
        """Return place, code and the message of the fix."""
        finding = self.report.finding
        silent = " (would change silently)" if is_silent(self.report.fact) else ""
        return f"{where(finding)} {finding.code}{silent}: {self.fix.message}"


@dataclass(frozen=True, slots=True)
class Left:
    """A place that a person has to review.

    Attributes:
        report: the report on the place.
        holds: the number of constructors that it holds back.
    """

    report: Report
    holds: int

    @property
    def is_silent(self) -> bool:
        """Say whether a typed key gives another result there, without an error."""
        return is_silent(self.report.fact)

    @property
    def place(self) -> str:
        """Return the place as text."""
        finding = self.report.finding
        return place(finding.filename, finding.span, finding.cell)


def left_in_order(migration: Migration) -> list[Left]:
    """Return the places that are left: silent changes first, then by the number of constructors that they hold back."""
    holding: Counter[tuple[str, int | None, int, str]] = Counter(
        (reason.filename, reason.cell, reason.row, reason.code) for each in migration.held for reason in each.reasons
    )
    left = [Left(report, holding[_key(report.finding)]) for reports in migration.left.values() for report in reports]
    return sorted(left, key=lambda each: (not each.is_silent, -each.holds, each.report.finding.sort_key))


def _key(finding: Finding) -> tuple[str, int | None, int, str]:
    return finding.filename, finding.cell, finding.span.start.row, finding.code


def where(place: Constructor | Reason | Mention | Finding) -> str:
    """Return the file, the cell in a notebook, and the row."""
    row = place.span.start.row if isinstance(place, Finding) else place.row
    return f"{place.filename}:{'' if place.cell is None else f'cell {place.cell}:'}{row}"


def render(migration: Migration, name: str, *, written: bool, color: bool = False) -> str:
    """Return the report in one of the formats ``full``, ``markdown``, ``html`` and ``json``.

    Args:
        migration: the result of the migration.
        name: the format.
        written: whether the files were changed.
        color: whether the output is a terminal that shows colours.
    """
    if name == "json":
        return as_json(migration, written=written)
    if name == "html":
        return as_html(migration, written=written)
    return as_text(migration, written=written, markdown=name == "markdown")


def sentences(migration: Migration, *, written: bool) -> list[str]:
    """Return the summary of a migration as sentences."""
    style = "portable code, for raw and typed keys" if migration.target.style == "portable" else "typed keys"
    release = ".".join(map(str, migration.target.jax))
    places = sum(len(text.rewritten) for text in migration.texts)
    verb = "Rewrote" if written else "Would rewrite"
    lines = [
        f"Migration to {style}, for JAX {release} and later.",
        f"{verb} {count(places, 'place')} in {count(len(migration.changed), 'file')}.",
    ]
    free, held = len(migration.free), len(migration.held)
    if free + held and migration.target.style == "typed":
        lines.append(f"{free} of {count(free + held, 'constructor')} can make typed keys, {held} held back.")
    elif free + held:
        lines.append(f"{count(free + held, 'constructor')} stay; the code around them accepts both kinds of keys.")
    return lines


def by_rule(migration: Migration) -> list[tuple[str, str, int]]:
    """Return the number of rewritten places of each rule, as (code, name, number)."""
    done = Counter(
        (report.finding.code, report.finding.name) for text in migration.texts for report, _ in text.rewritten
    )
    return [(code, name, number) for (code, name), number in sorted(done.items())]


def rewritten_places(migration: Migration) -> list[Done]:
    """Return the rewritten places, silent changes first, without the constructors."""
    done = [
        Done(report, fix)
        for text in migration.texts
        for report, fix in text.rewritten
        if report.finding.code != "OLY201"
    ]
    return sorted(done, key=lambda each: (not is_silent(each.report.fact), each.report.finding.sort_key))


def reasons_of(constructor: Constructor) -> list[str]:
    """Return the reasons that hold back a constructor, one line each."""
    lines = []
    for reason in constructor.reasons:
        code = f", {reason.code}" if reason.code else ""
        path = short(reason.path)
        lines.append(f"{reason.text} ({where(reason)}{code}){f', by {path}' if path else ''}")
    return lines


def held_back(migration: Migration) -> list[Constructor]:
    """Return the constructors that are held back; none in portable code, which keeps all of them."""
    return migration.held if migration.target.style == "typed" else []


def as_text(migration: Migration, *, written: bool, markdown: bool) -> str:
    """Return the report as plain text, or as Markdown."""
    code: Callable[[str], str] = (lambda text: f"`{text}`") if markdown else (lambda text: text)
    lines = ["# Migration of JAX random keys", ""] if markdown else []
    lines += [
        "  \n".join(sentences(migration, written=written))
        if markdown
        else "\n".join(sentences(migration, written=written)),
        "",
    ]

    def heading(text: str) -> None:
        lines.extend([f"## {text}", ""] if markdown else [f"{text}:"])

    if by_rule(migration):
        heading("Rewritten" if written else "To be rewritten")
        bullet = "- " if markdown else "  "
        lines.extend(f"{bullet}{each[0]} {each[1]}: {each[2]}" for each in by_rule(migration))
        lines.append("")
    if done := rewritten_places(migration):
        heading("Places, silent changes first")
        lines.extend(f"{'- ' if markdown else '  '}{each}" for each in done)
        lines.append("")
    if left := left_in_order(migration):
        heading("Left to review, in this order")
        for number, each in enumerate(left, 1):
            notes = ["changes silently"] if each.is_silent else []
            notes += [f"holds {count(each.holds, 'constructor')} back"] if each.holds else []
            why = f" ({', '.join(notes)})" if notes else ""
            finding = each.report.finding
            lines.append(f"{number:3}. {code(each.place)} {finding.code}{why}: {finding.message}")
        lines.append("")
    if held := held_back(migration):
        heading("Constructors that stay, and why")
        for constructor in held:
            place = f"{where(constructor)}:{constructor.column}"
            lines.append(f"{'- ' if markdown else '  '}{code(place)} {code(constructor.spelled)}: its key")
            lines.extend(f"    {'- ' if markdown else ''}{reason}" for reason in reasons_of(constructor))
        lines.append("")
    if migration.mentions:
        heading(MENTIONS)
        bullet = "- " if markdown else "  "
        lines.extend(f"{bullet}{code(f'{where(each)}:{each.column}')} {code(each.word)}" for each in migration.mentions)
        lines.append("")
    heading("Check it")
    lines.append(f"{check_it(migration)}:")
    lines.extend(["", "```console", f"$ {DRY_RUN}", "```"] if markdown else [f"  {DRY_RUN}"])
    return "\n".join(lines) + "\n"


def check_it(migration: Migration) -> str:
    """Return the sentence about the dry run."""
    if migration.target.style == "portable":
        return "Run the tests without this flag, and then with it: it lets `PRNGKey` make typed keys"
    return "With this flag, JAX makes typed keys wherever `PRNGKey` is left"


def as_json(migration: Migration, *, written: bool) -> str:
    """Return the report as JSON."""
    report = {
        "style": migration.target.style,
        "jax": ".".join(map(str, migration.target.jax)),
        "written": written,
        "files": [text.filename for text in migration.changed],
        "rewritten": [{"code": code, "name": name, "places": number} for code, name, number in by_rule(migration)],
        "places": [done_as_json(each) for each in rewritten_places(migration)],
        "left": [left_as_json(each) for each in left_in_order(migration)],
        "constructors": [constructor_as_json(each) for found in migration.constructors.values() for each in found],
        "mentions": [
            {
                "filename": each.filename,
                "cell": each.cell,
                "location": {"row": each.row, "column": each.column},
                "word": each.word,
            }
            for each in migration.mentions
        ],
    }
    return json.dumps(report, indent=2) + "\n"


def done_as_json(done: Done) -> dict[str, object]:
    """Return a rewritten place as JSON."""
    finding = done.report.finding
    return {
        "code": finding.code,
        "filename": finding.filename,
        "cell": finding.cell,
        "row": finding.span.start.row,
        "silent": is_silent(done.report.fact),
        "message": done.fix.message,
    }


def left_as_json(left: Left) -> dict[str, object]:
    """Return a place that is left as JSON."""
    finding = left.report.finding
    return {
        "code": finding.code,
        "filename": finding.filename,
        "cell": finding.cell,
        "location": {"row": finding.span.start.row, "column": finding.span.start.column},
        "message": finding.message,
        "silent": left.is_silent,
        "holds_back": left.holds,
    }


def constructor_as_json(constructor: Constructor) -> dict[str, object]:
    """Return a constructor with its reasons as JSON."""
    return {
        "filename": constructor.filename,
        "cell": constructor.cell,
        "location": {"row": constructor.row, "column": constructor.column},
        "spelled": constructor.spelled,
        "held_back_by": [
            {
                "filename": reason.filename,
                "cell": reason.cell,
                "row": reason.row,
                "code": reason.code or None,
                "text": reason.text,
                "path": [{"filename": step.filename, "cell": step.cell, "row": step.row} for step in reason.path],
            }
            for reason in constructor.reasons
        ],
    }


STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; background: #f3f3f3; padding: 0.1em 0.3em }
pre { padding: 0.6em 1em; overflow-x: auto } li { margin: 0.4em 0 } table { border-collapse: collapse }
td, th { padding: 0.2em 1em 0.2em 0; text-align: left } .silent { color: #a33c00; font-weight: 600 }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #e6e6e6 } code, pre { background: #2a2a2a } }
"""


def as_html(migration: Migration, *, written: bool) -> str:
    """Return the report as one page without external resources."""
    said = html.escape
    parts = [f"<p>{'<br>'.join(map(said, sentences(migration, written=written)))}</p>"]
    if by_rule(migration):
        rows = "".join(f"<tr><td>{code}</td><td>{name}</td><td>{n}</td></tr>" for code, name, n in by_rule(migration))
        title = "Rewritten" if written else "To be rewritten"
        parts.append(f"<h2>{title}</h2><table><tr><th>Rule</th><th></th><th>Places</th></tr>{rows}</table>")
        items = "".join(f"<li>{said(str(each))}</li>" for each in rewritten_places(migration))
        parts.append(f"<ul>{items}</ul>" if items else "")
    if left := left_in_order(migration):
        parts.append(f"<h2>Left to review, in this order</h2><ol>{''.join(map(left_item, left))}</ol>")
    if held := held_back(migration):
        parts.append(f"<h2>Constructors that stay, and why</h2><ul>{''.join(map(held_item, held))}</ul>")
    if migration.mentions:
        found = (
            f"<code>{said(where(each))}:{each.column}</code> <code>{each.word}</code>" for each in migration.mentions
        )
        parts.append(f"<h2>{MENTIONS}</h2><ul>{''.join(f'<li>{item}</li>' for item in found)}</ul>")
    parts.append(f"<h2>Check it</h2><p>{said(check_it(migration))}:</p><pre>{said(DRY_RUN)}</pre>")
    title = "Migration of JAX random keys"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    body = "\n".join(parts)
    page = f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n'
    return f"{page}<body><h1>{title}</h1>\n{body}\n</body></html>\n"


def left_item(left: Left) -> str:
    """Return a place that is left as an item of a list."""
    finding = left.report.finding
    silent = '<span class="silent">changes silently</span> ' if left.is_silent else ""
    holds = f" Holds {count(left.holds, 'constructor')} back." if left.holds else ""
    return (
        f"<li><code>{html.escape(left.place)}</code> {finding.code} {silent}{html.escape(finding.message)}{holds}</li>"
    )


def held_item(constructor: Constructor) -> str:
    """Return a constructor that is held back as an item of a list."""
    place = html.escape(f"{where(constructor)}:{constructor.column}")
    reasons = "".join(f"<li>its key {html.escape(reason)}</li>" for reason in reasons_of(constructor))
    return f"<li><code>{place}</code> <code>{html.escape(constructor.spelled)}</code><ul>{reasons}</ul></li>"
