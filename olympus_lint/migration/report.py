"""The report on a migration: what to do, what was rewritten, and how to check it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from olympus_lint.migration import report_content as content
from olympus_lint.migration.constructors import Constructor, Reason
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.report_formats import as_markdown, as_text
from olympus_lint.migration.section import Item, Section
from olympus_lint.migration.text import Rewritten
from olympus_rules.finding import Finding

DRY_RUN = "JAX_ENABLE_CUSTOM_PRNG=1 python -m pytest"
"""With this flag, JAX's ``PRNGKey`` makes typed keys, so that the tests run as after the migration."""
HOLDING = {"typed": "What holds constructors back", "portable": "What typed keys would break"}


def render(migration: Migration, name: str, *, written: bool, section: Section | None = None) -> str:
    """Return the report in one of the formats ``full``, ``markdown`` and ``json``.

    Args:
        migration: the result of the migration.
        name: the format.
        written: whether the files were changed.
        section: a further section.
    """
    sentences = content.sentences(migration, written=written)
    if name == "json":
        return json.dumps(as_data(migration, sentences, written=written, section=section), indent=2) + "\n"
    every = [each for each in sections(migration, section, written=written) if each]
    return as_markdown(sentences, every) if name == "markdown" else as_text(sentences, every)


def sections(migration: Migration, further: Section | None, *, written: bool) -> Iterator[Section]:
    """Yield the sections: first those that say what to do; some may be empty."""
    outside = migration.outside
    unread = [*map(content.unread, outside.unread), *([content.CUT_SHORT] if outside.is_cut_short else [])]
    yield Section("Not read, although they import what changes; name them, too", [*map(Item, unread)])
    yield Section("Imports that may mean several files", [Item(content.doubt(each)) for each in outside.doubts])
    obstacles = [
        Item(each.headline, held=each.held, below=[Item(text, place) for place, text in each.lines])
        for each in content.obstacles(migration)
    ]
    yield Section(HOLDING[migration.target.style], obstacles)
    checks = [Item(each.text, str(each.reason.line)) for each in content.checks(migration)]
    yield Section("Check these lines, which typed keys may get to", checks)
    left = [Item(each.text, each.place) for each in content.left_alone(migration)]
    yield Section("Left to review, silent changes first", left)
    rules = [Item(f"{code} {name}: {number}") for code, name, number in content.by_rule(migration)]
    yield Section("Rewritten" if written else "To be rewritten", rules)
    places = [
        Item(content.headline(equal), content.title(equal), change=(equal[0].before, equal[0].after))
        for equal in content.equal_rewrites(migration)
    ]
    yield Section("Places, silent changes first", places)
    if further is not None:
        yield further
    sentence = content.check_it(migration)
    yield Section("Check it", command=(sentence, DRY_RUN) if sentence else None)


# JSON


def as_data(migration: Migration, sentences: list[str], *, written: bool, section: Section | None) -> dict[str, object]:
    """Return the report as data for JSON."""
    outside = migration.outside
    return {
        "style": migration.target.style,
        "jax": ".".join(map(str, migration.target.jax)),
        "written": written,
        "open": migration.is_open,
        "unlisted": migration.unlisted,
        "summary": sentences,
        "files": [text.filename for text in migration.changed],
        "not_in_git": migration.not_in_git,
        "unread": [asdict(each) for each in outside.unread],
        "unread_is_cut_short": outside.is_cut_short,
        "doubts": [asdict(each) for each in outside.doubts],
        "rewritten": [
            {"code": code, "name": name, "places": number} for code, name, number in content.by_rule(migration)
        ],
        "places": [rewritten_as_data(each) for each in content.rewritten_places(migration)],
        "renamed": [rewritten_as_data(each) for each in content.rewritten_places(migration, renamed=True)],
        "left": [
            {
                "code": each.report.finding.code,
                **located(each.report.finding),
                "message": each.report.finding.message,
                "silent": each.is_silent,
                "holds_back": each.holds,
            }
            for each in content.left_in_order(migration)
        ],
        "obstacles": [
            {
                "silent": each.is_silent,
                "lines": [{"place": place, "text": text} for place, text in each.lines],
                "reasons": [*map(reason_as_data, each.reasons)],
                "constructors": [located(one) | {"spelled": one.spelled} for one in each.constructors],
            }
            for each in content.obstacles(migration)
        ],
        "checks": [
            reason_as_data(each.reason) | {"constructors": len(each.constructors)} for each in content.checks(migration)
        ],
        "constructors": [constructor_as_data(each) for found in migration.constructors.values() for each in found],
        "parameters": [*map(constructor_as_data, migration.taken)],
        **({"check": section.data} if section is not None else {}),
    }


def located(each: Finding | Constructor) -> dict[str, object]:
    """Return the place of something as data."""
    start = each.span.start if isinstance(each, Finding) else each
    return {"filename": each.filename, "cell": each.cell, "location": {"row": start.row, "column": start.column}}


def rewritten_as_data(done: Rewritten) -> dict[str, object]:
    """Return a rewritten place as data."""
    finding = done.report.finding
    return {
        "code": finding.code,
        "filename": finding.filename,
        "cell": finding.cell,
        "row": finding.span.start.row,
        "silent": content.is_silent(done.report.fact),
        "message": done.fix.message,
        "before": done.before,
        "after": done.after,
    }


def reason_as_data(reason: Reason) -> dict[str, object]:
    """Return a reason as data."""
    return {
        **asdict(reason.line),
        "code": reason.code or None,
        "text": reason.text,
        "path": [*map(asdict, reason.path)],
    }


def constructor_as_data(constructor: Constructor) -> dict[str, object]:
    """Return a constructor with its reasons as data."""
    return {
        **located(constructor),
        "spelled": constructor.spelled,
        "held_back_by": [*map(reason_as_data, constructor.reasons)],
        "to_check": [*map(reason_as_data, constructor.checks)],
    }
