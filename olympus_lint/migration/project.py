"""The migration of a project: all of its files, their rewrites, and the places that are left."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from olympus_codemods.target import Target
from olympus_lint.analysis.failures import failed
from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.analysis.projects import Projects, deep_recursion
from olympus_lint.analysis.unparsed import not_parsed
from olympus_lint.files.problems import Problem
from olympus_lint.files.validity import NOT_PARSED
from olympus_lint.migration.constructors import line_of
from olympus_lint.migration.imports import read_elsewhere
from olympus_lint.migration.key_places import NAME, key_places
from olympus_lint.migration.migration import NOTHING, Migration, Withheld
from olympus_lint.migration.plan import plan
from olympus_lint.migration.rewriting import (
    constructors,
    places_of,
    references_of,
    rename,
    rewrite,
    subjects_of,
)
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.domain.places import span_of
from olympus_rules.keyflow.facts import GlobalImplementation
from olympus_rules.reach.solver.values import place_of
from olympus_rules.rule import Report

if TYPE_CHECKING:
    from olympus_rules.keyflow.domain.places import Places

RARELY = (500_000, 20, 20)
"""Thresholds of the garbage collector."""


def migrate(
    texts: Iterable[Text], target: Target, *, unsafe: bool = False, strict: bool = False, withheld: Withheld = NOTHING
) -> Migration:
    """Rewrite the files of a project in memory, where the rewrite is certain.

    Args:
        texts: the files; ``new`` is changed.
        target: the keys and the release that the code has to support; only style ``typed`` renames constructors.
        unsafe: whether constructors are renamed even if their keys reach places that are not ready.
        strict: whether places to which keys only may get hold constructors back, too.
        withheld: what stays as it is.
    """
    migration = Migration(target, list(texts))
    with deep_recursion(), rare_collections():
        strict = strict or target.style == "portable"
        projects, found = _all_ready(migration, withheld)
        if not strict:
            _count_unlisted(migration)
        files = {text.path: text.filename for text in migration.texts}
        migration.problems += [
            failed(files[each.file], "the analysis of where keys get to", each.exception())
            for each in plan(migration, found, withheld.staying(found), strict=strict)
        ]
        _put_in_files(migration)
        _leave_out_idle(migration)
        if target.style == "typed" and target.has("typed-keys"):
            _leave_out_raw_keys(migration, found, unsafe=unsafe)
        if target.style == "typed":
            _rename_free(migration, found, projects, unsafe=unsafe, withheld=withheld)
    for text in migration.texts:
        text.settle()
        if text.is_named:
            migration.problems += map(text.rows.problem, text.problems)
    return migration


def _all_ready(migration: Migration, withheld: Withheld) -> tuple[Projects, dict[str, list[Report]]]:
    """Make the places of all files ready; return the constructors by file.

    What is known of the expressions moves with the edits. It is looked for again after a rewrite that shows more keys,
    as that of words to a constructor, and if a place is left whose keys may be words by now.
    """
    while True:
        before = {text.filename: len(text.rewritten) for text in migration.texts}
        projects = Projects()
        found = _make_ready(migration, projects, withheld, key_places(migration))
        new = [each.fix for text in migration.texts for each in text.rewritten[before[text.filename] :]]
        is_open = new and any(_may_be_words(migration, text, projects) for text in migration.texts)
        projects.close()  # the plan takes the memory that they do
        if not is_open and not any(fix.shows_keys for fix in new):
            return projects, found


def _may_be_words(migration: Migration, text: Text, projects: Projects) -> bool:
    """Return whether a place that is left is about an expression around a rewrite."""
    around = places_of(text, projects).around
    facts = [report.fact for report in migration.left.get(text.filename, ())] if around else []
    parts = (part for fact in facts for part in subjects_of(fact) or [fact.node])
    return any(isinstance(part, ast.expr) and span_of(part) in around for part in parts)


def _make_ready(
    migration: Migration, projects: Projects, withheld: Withheld, places: Mapping[str, Places]
) -> dict[str, list[Report]]:
    """Make the places of all files ready, but for constructors; return these by file."""
    found: dict[str, list[Report]] = {}
    migration.problems = []
    for text in migration.texts:
        session = projects.get(text.settings).session
        session.places = session.places or dict(places)  # which move with the edits
        session.further = migration.further
        speaks_of_keys = worth_checking(text.filename, text.new.encode(errors="replace"), text.settings)
        speaks_of_keys |= NAME in text.new  # which may be replaced in a module of the project
        if not speaks_of_keys and text.path not in places:
            continue
        try:
            stays_whole = text.filename in withheld.files or not text.is_named
            migration.left[text.filename] = rewrite(text, migration.target, projects, withheld=stays_whole)
            if text.is_named:
                found[text.filename] = constructors(references_of(text, projects))
        except NOT_PARSED as error:
            migration.problems += stays(text.filename, text.new, error, text.settings) if text.is_named else []
        if not text.settle():
            found.pop(text.filename, None)
            migration.left.pop(text.filename, None)
    return found


def _rename_free(
    migration: Migration, found: dict[str, list[Report]], projects: Projects, *, unsafe: bool, withheld: Withheld
) -> None:
    """Rename the constructors that nothing holds back."""
    staying, target = withheld.staying(found), migration.target
    held = {
        filename: [
            bool(one.reasons) and not (unsafe and (filename, number) not in staying) for number, one in enumerate(made)
        ]
        for filename, made in migration.constructors.items()
    }
    read = read_elsewhere(migration.documents().values())
    for text in migration.texts:
        each = held.get(text.filename, [])
        text.ready = text.after
        migration.renamed[text.filename] = [not one and target.has("typed-keys") for one in each]
        if (each or text.filename in found) and text.filename not in withheld.files:
            rename(text, each, target, projects, frozenset(read.get(text.path, ())))


def stays(filename: str, text: str, error: Exception, settings: Settings, cell: int | None = None) -> list[Problem]:
    """Return the problem of a file, or a cell, that the running Python cannot parse and that stays unchanged."""
    newer = not_parsed(filename, text, error, settings, cell).errors
    where = "" if cell is None else f"cell {cell} "
    cause = f"{error.msg}, line {error.lineno}" if isinstance(error, SyntaxError) else error
    return newer or [Problem(filename, f"{where}cannot be parsed ({cause}), so it is not changed.")]


def _count_unlisted(migration: Migration) -> None:
    """Count the places that keys may reach, and do not list them."""
    for filename, reports in migration.left.items():
        listed = [each for each in reports if not each.fact.reached or each.fact.confidence > Confidence.POSSIBLE]
        migration.unlisted += len(reports) - len(listed)
        migration.left[filename] = listed


def _leave_out_idle(migration: Migration) -> None:
    """Remove the places of files that were not named which hold no constructor back."""
    sources = [*migration.taken, *(each for made in migration.constructors.values() for each in made)]
    lines = {(reason.line, reason.code) for each in sources for reason in (*each.reasons, *each.checks)}
    for text in migration.texts:
        if not text.is_named:
            reports = migration.left.pop(text.filename, [])
            holding = [report for report in reports if (line_of(report.finding), report.finding.code) in lines]
            migration.left.update({text.filename: holding} if holding else {})


def _leave_out_raw_keys(migration: Migration, found: dict[str, list[Report]], *, unsafe: bool) -> None:
    """Remove places that are wrong only for raw keys, if their constructors are renamed."""
    for filename, made in found.items():
        planned = zip(made, migration.constructors[filename], strict=True)
        typed = {place_of(filename, report.fact.node) for report, one in planned if unsafe or not one.reasons}
        migration.left[filename] = [
            report
            for report in migration.left[filename]
            if not (isinstance(report.fact, GlobalImplementation) and report.fact.form == "raw-key")
            or not (isinstance(report.fact.node, ast.Call) and place_of(filename, report.fact.node.func) in typed)
        ]


def _put_in_files(migration: Migration) -> None:
    """Translate what is said of joined modules to their files and cells."""
    for text in migration.texts:
        reports = migration.left.get(text.filename, [])
        reports[:] = [replace(report, finding=text.rows.finding(report.finding)) for report in reports]


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage rarely: nearly all objects of an analysis live as long as it does."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
