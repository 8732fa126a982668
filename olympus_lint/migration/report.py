"""The report on a migration: what to do, what holds constructors back, the rewritten places, and how to check it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from olympus_lint.migration import content
from olympus_lint.migration.content import DRY_RUN, HEADINGS, Done, Left, Obstacle
from olympus_lint.migration.page import as_html
from olympus_lint.migration.plan import Constructor
from olympus_lint.migration.project import Migration
from olympus_lint.migration.reasons import Reason, Step
from olympus_lint.migration.section import Section
from olympus_lint.reporting.phrases import printable

__all__ = ["DRY_RUN", "render"]


def render(
    migration: Migration, name: str, *, written: bool, color: bool = False, section: Section | None = None
) -> str:
    """Return the report in one of the formats ``full``, ``markdown``, ``html`` and ``json``.

    Args:
        migration: the result of the migration.
        name: the format.
        written: whether the files were changed.
        color: whether the output is a terminal that shows colours.
        section: a further section.
    """
    if name == "json":
        return as_json(migration, written=written, section=section)
    if name == "html":
        return as_html(migration, written=written, further=section)
    writer = Markdown() if name == "markdown" else Plain()
    return "".join(f"{line}\n" for line in as_text(migration, writer, written=written, section=section))


class Plain:
    """Lines of plain text."""

    bullet, inner = "  ", "    "

    def start(self, sentences: list[str]) -> list[str]:
        """Return the lines of the summary."""
        return [*sentences, ""]

    def heading(self, text: str) -> list[str]:
        """Return the lines of a heading."""
        return [f"{text}:"]

    def code(self, text: str) -> str:
        """Return a piece of code."""
        return printable(text)

    def pair(self, before: str, after: str) -> list[str]:
        """Return the lines of code before and after a rewrite."""
        return [*(f"    - {printable(line)}" for line in before.splitlines()),
                *(f"    + {printable(line)}" for line in after.splitlines())]  # fmt: skip

    def command(self, text: str) -> list[str]:
        """Return the lines of a command."""
        return [f"  {text}"]


class Markdown(Plain):
    """Lines of Markdown."""

    bullet, inner = "- ", "  - "

    def start(self, sentences: list[str]) -> list[str]:
        """Return the lines of the summary."""
        return ["# Migration of JAX random keys", "", "  \n".join(sentences), ""]

    def heading(self, text: str) -> list[str]:
        """Return the lines of a heading."""
        return [f"## {text}", ""]

    def code(self, text: str) -> str:
        """Return a piece of code."""
        return f"`{printable(text)}`"

    def pair(self, before: str, after: str) -> list[str]:
        """Return the lines of code before and after a rewrite."""
        fence = "```" if "```" not in before + after else "````"
        lines = [line.removeprefix("    ") for line in super().pair(before, after)]
        return [f"  {fence}diff", *(f"  {line}" for line in lines), f"  {fence}"]

    def command(self, text: str) -> list[str]:
        """Return the lines of a command."""
        return ["", "```console", f"$ {text}", "```"]


def as_text(migration: Migration, to: Plain, *, written: bool, section: Section | None = None) -> Iterator[str]:
    """Yield the lines of the report as plain text, or as Markdown."""
    yield from to.start(content.sentences(migration, written=written))
    yield from _actions(migration, to)
    rules = [f"{code} {name}: {number}" for code, name, number in content.by_rule(migration)]
    yield from _section(to, "Rewritten" if written else "To be rewritten", rules)
    if done := content.rewrites(migration):
        yield from to.heading(HEADINGS["places"])
        for each in done:
            yield f"{to.bullet}{to.code(content.title(each))} {each.headline}"
            yield from to.pair(each.first.before, each.first.after)
        yield ""
    mentions = [
        f"{to.code(f'{content.where(each)}:{each.column}')} {to.code(each.word)}" for each in migration.mentions
    ]
    yield from _section(to, HEADINGS["mentions"], mentions)
    yield from section.lines(markdown=isinstance(to, Markdown)) if section is not None else ()
    if sentence := content.check_it(migration):
        yield from to.heading(HEADINGS["check"])
        yield f"{sentence}:"
        yield from to.command(DRY_RUN)


def _actions(migration: Migration, to: Plain) -> Iterator[str]:
    """Yield the lines of the sections that say what to do."""
    outside = migration.outside
    cut = [content.CUT_SHORT] if outside.is_cut_short else []
    yield from _section(to, HEADINGS["unread"], [*map(content.unread, outside.unread), *cut])
    yield from _section(to, HEADINGS["doubts"], list(map(content.doubt, outside.doubts)))
    if found := content.obstacles(migration):
        yield from to.heading(HEADINGS[migration.target.style])
        for each in found:
            yield f"{to.bullet}{each.headline}: {to.code(each.held)}"
            yield from (f"{to.inner}{to.code(place)} {text}" for place, text in each.lines)
        yield ""
    checks = [f"{to.code(content.where(each.reason))} {each.text}" for each in content.checks(migration)]
    yield from _section(to, HEADINGS["checks"], checks)
    left = [f"{to.code(each.place)} {each.text}" for each in content.left_alone(migration)]
    yield from _section(to, HEADINGS["left"], left)


def _section(to: Plain, heading: str, items: list[str]) -> Iterator[str]:
    if items:
        yield from to.heading(heading)
        yield from (f"{to.bullet}{item}" for item in items)
        yield ""


# JSON


def as_json(migration: Migration, *, written: bool, section: Section | None = None) -> str:
    """Return the report as JSON."""
    rules = content.by_rule(migration)
    report = {
        "style": migration.target.style,
        "jax": ".".join(map(str, migration.target.jax)),
        "written": written,
        "open": migration.is_open,
        "unlisted": migration.unlisted,
        "summary": content.sentences(migration, written=written),
        "files": [text.filename for text in migration.changed],
        "not_in_git": migration.not_in_git,
        "unread": [
            {"path": each.path, "imports": each.imports, "filename": each.filename, "row": each.row}
            for each in migration.outside.unread
        ],
        "unread_is_cut_short": migration.outside.is_cut_short,
        "doubts": [
            {"filename": each.filename, "row": each.row, "module": each.module, "paths": list(each.paths)}
            for each in migration.outside.doubts
        ],
        "rewritten": [{"code": code, "name": name, "places": number} for code, name, number in rules],
        "places": [done_as_json(each) for each in content.rewritten_places(migration)],
        "renamed": [done_as_json(each) for each in content.rewritten_places(migration, renamed=True)],
        "left": [left_as_json(each) for each in content.left_in_order(migration)],
        "obstacles": [obstacle_as_json(each) for each in content.obstacles(migration)],
        "checks": [
            reason_as_json(each.reason) | {"constructors": len(each.constructors)} for each in content.checks(migration)
        ],
        "constructors": [constructor_as_json(each) for found in migration.constructors.values() for each in found],
        "parameters": [constructor_as_json(each) for each in migration.taken],
        "mentions": [
            {
                "filename": each.filename,
                "cell": each.cell,
                "location": {"row": each.row, "column": each.column},
                "word": each.word,
            }
            for each in migration.mentions
        ],
        **({"check": section.data} if section is not None else {}),
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
        "silent": done.is_silent,
        "message": done.fix.message,
        "before": done.before,
        "after": done.after,
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


def obstacle_as_json(obstacle: Obstacle) -> dict[str, object]:
    """Return lines that hold back the same constructors as JSON."""
    return {
        "silent": obstacle.is_silent,
        "lines": [{"place": place, "text": text} for place, text in obstacle.lines],
        "reasons": list(map(reason_as_json, obstacle.reasons)),
        "constructors": [
            {
                "filename": each.filename,
                "cell": each.cell,
                "location": {"row": each.row, "column": each.column},
                "spelled": each.spelled,
            }
            for each in obstacle.constructors
        ],
    }


def reason_as_json(reason: Reason) -> dict[str, object]:
    """Return a reason as JSON."""
    return {
        "filename": reason.filename,
        "cell": reason.cell,
        "row": reason.row,
        "code": reason.code or None,
        "text": reason.text,
        "path": [step_as_json(step) for step in reason.path],
    }


def step_as_json(step: Step) -> dict[str, object]:
    """Return a line on the path of a key as JSON."""
    return {"filename": step.filename, "cell": step.cell, "row": step.row}


def constructor_as_json(constructor: Constructor) -> dict[str, object]:
    """Return a constructor with its reasons as JSON."""
    return {
        "filename": constructor.filename,
        "cell": constructor.cell,
        "location": {"row": constructor.row, "column": constructor.column},
        "spelled": constructor.spelled,
        "held_back_by": list(map(reason_as_json, constructor.reasons)),
        "to_check": list(map(reason_as_json, constructor.checks)),
    }
