"""The places of one file that break with typed keys: found, and rewritten where the rewrite is certain."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from olympus_codemods.fixes import apply_fixes, compatible, migration_for
from olympus_codemods.target import Target
from olympus_lint.analysis.failures import internal_error, unfinished_note
from olympus_lint.analysis.projects import Projects
from olympus_lint.files.problems import Problem
from olympus_lint.files.validity import NOT_PARSED
from olympus_lint.migration.changed_lines import changed_lines
from olympus_lint.migration.key_places import NAME
from olympus_lint.migration.text import Rewritten, Text
from olympus_lint.project.settings import Settings
from olympus_lint.suppression.comments import Suppressions
from olympus_rules.check import check
from olympus_rules.finding import Confidence, Fix
from olympus_rules.keyflow.domain.places import NOWHERE, Places
from olympus_rules.keyflow.facts import Conversion, Fact, Reference
from olympus_rules.rule import Report
from olympus_rules.rules import all_rules
from olympus_rules.rules.legacy_constructor import LegacyConstructor
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node
from olympus_rules.syntax.text import split_lines

CONSTRUCTOR = LegacyConstructor.code
PASSES = 20
READING = frozenset({"attrgetter", "getattr", "methodcaller"})
MOCK = re.compile(r"\bpatch\b")
"""Functions, by last name, that read an attribute by its name."""


def reports_of(text: Text, projects: Projects) -> tuple[Document, list[Report]]:
    """Return the reports on a file: places that break with typed keys, and constructors of raw keys.

    Ignored and suppressed reports are left out.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as the parser raises them.
    """
    rules = [rule for rule in all_rules().values() if rule.migrates]
    settings = _with_all_rules(text)
    project = projects.get(settings)
    document = project.document(text.filename, text.new)
    wanted = {rule.code for rule in settings.rules_for(text.filename)}
    checked = check(document, rules, min_confidence=Confidence.POSSIBLE, project=project)
    reports = [report for report in checked.reports if _counts(report, settings)]
    reports = [report for report in reports if report.finding.code in wanted]
    text.problems = [internal_error(text.filename, failure) for failure in checked.errors]
    text.notes = [unfinished_note(text.filename, fact) for fact in checked.unfinished]
    if not settings.ignore_noqa:
        comments = Suppressions(text.new)
        reports = [report for report in reports if not comments.hides(report.finding)]
    text.checked, text.references = text.new, [report for report in reports if report.finding.code == CONSTRUCTOR]
    return document, reports


def references_of(text: Text, projects: Projects) -> list[Report]:
    """Return the reports on the constructor of raw keys in a file, of an earlier check if it was of the same text.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as the parser raises them.
    """
    if text.checked != text.new:
        reports_of(text, projects)
    return text.references


def _with_all_rules(text: Text) -> Settings:
    """Return the settings of a file, with all rules of the migration; those that it ignores are still left out."""
    codes = tuple(rule.code for rule in all_rules().values() if rule.migrates)
    return replace(text.settings, select=codes, extend_select=())


def _counts(report: Report, settings: Settings) -> bool:
    """Say whether a report has enough confidence; what keys may get to, and a possible silent change, always has."""
    is_possible = report.fact.reached or isinstance(report.fact, Conversion)
    return is_possible or report.finding.confidence >= settings.min_confidence


def is_note(report: Report, target: Target) -> bool:
    """Say whether a place is only a note: typed keys work there on every target release."""
    fact = report.fact
    if not isinstance(fact, Conversion) or fact.reached:
        return False
    only_possible = fact.confidence == Confidence.POSSIBLE and not fact.before  # `before` is a release that breaks
    return only_possible or not fact.breaks(target.jax)


def _works_by_now(report: Report, target: Target) -> bool:
    """Say whether a place breaks only on releases older than the target."""
    fact = report.fact
    return isinstance(fact, Conversion) and bool(fact.before) and not fact.breaks(target.jax)


def rewrite(text: Text, target: Target, projects: Projects, *, withheld: bool = False) -> list[Report]:
    """Make the places of a file ready for typed keys; return those without a certain rewrite.

    Constructors are not renamed.

    Args:
        text: the file.
        target: the keys and the release that its code has to support.
        projects: the open projects, which know the other files.
        withheld: whether the file stays as it is, so that all of its places are left.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: the file cannot be parsed.
    """
    left: list[Report] = []
    for _ in range(PASSES):
        document, reports = reports_of(text, projects)
        counts = [
            report for report in reports if report.finding.code != CONSTRUCTOR or _is_named(report, document, target)
        ]
        places = [report for report in counts if not _works_by_now(report, target)]
        ready = [r for r in places if not withheld and not is_note(r, target) and r.finding.code != CONSTRUCTOR]
        fixes = [(r, migration_for(r, document, target) if r in ready else None) for r in places]
        left = [report for report, fix in fixes if fix is None]
        if not _apply(text, [(report, fix) for report, fix in fixes if fix is not None], projects):
            break
    return left


def constructors(reports: Sequence[Report]) -> list[Report]:
    """Return the reports on constructors of raw keys that are called or passed on."""
    return [report for report in reports if context_of(report) in ("call", "value")]


def _is_named(report: Report, document: Document, target: Target) -> bool:
    """Say whether code names the constructor, and whether that matters.

    It does where constructors are renamed. In portable style, it does where the constructor is read by its name, as the
    keys that it makes are not followed, and where a mock replaces it, which may make keys of another kind.
    """
    if context_of(report) != "name":
        return False
    node = report.fact.node
    user = document.parents.get(node)
    if isinstance(node, ast.Attribute):
        matters = isinstance(node.ctx, ast.Load)
    else:
        callee = ast.unparse(user.func) if isinstance(user, ast.Call) else ""
        matters = not callee or callee.rpartition(".")[2] in READING or MOCK.search(callee) is not None
    return target.style == "typed" or matters


def context_of(report: Report) -> str:
    """Return how a report mentions the constructor; empty for one of another rule."""
    is_one = report.finding.code == CONSTRUCTOR and isinstance(report.fact, Reference)
    return report.fact.context if is_one and isinstance(report.fact, Reference) else ""


def rename(
    text: Text,
    held: Sequence[bool],
    target: Target,
    projects: Projects,
    read_elsewhere: frozenset[str],
) -> None:
    """Rename constructors of a file, and remove imports that become unused.

    Args:
        text: the file.
        held: for each constructor, in the order of places, whether it is held back.
        target: the keys and the release that the code has to support.
        projects: the open projects, which know the other files.
        read_elsewhere: the names that other files read from this one; their imports stay.
    """
    waiting = list(held)
    for _ in range(PASSES):
        if all(waiting) and not any(context_of(report) == "import" for report in references_of(text, projects)):
            if not text.renew_docstrings():
                return
            continue
        document, reports = _opened(text, references_of(text, projects), projects)
        document.read_elsewhere = read_elsewhere
        made = list(zip(constructors(reports), waiting, strict=True))
        wanted = [report for report, stays in made if not stays]
        wanted += [report for report in reports if context_of(report) == "import"]
        fixes = [(report, migration_for(report, document, target)) for report in wanted]
        applied = _apply(text, [(report, fix) for report, fix in fixes if fix is not None], projects)
        if not applied and not text.renew_docstrings():
            return
        done = {id(report) for report in applied}
        waiting = [stays for report, stays in made if id(report) not in done]
        has_names = any(isinstance(report.fact.node, ast.Name) for report in applied)  # and imports that go with them
        if all(waiting) and text.embedded is None and not has_names and NAME not in text.new:
            return


def _opened(text: Text, reports: Sequence[Report], projects: Projects) -> tuple[Document, list[Report]]:
    """Return a document of a text that was checked, and the reports on it with nodes of that document.

    The document of the check is not kept: those of all files together take much memory.
    """
    document = projects.get(text.settings).document(text.filename, text.new)
    nodes: dict[tuple[object, ...], list[ast.AST]] = defaultdict(list)
    for node in every_node(document.tree):
        nodes[_spot(node)].append(node)
    found = [nodes[_spot(report.fact.node)] for report in reports]
    if any(len(each) != 1 for each in found):  # in an f-string, whose nodes have no places of their own
        return reports_of(text, projects)
    return document, [
        replace(each, fact=replace(each.fact, node=node)) for each, [node] in zip(reports, found, strict=True)
    ]


def _spot(node: ast.AST) -> tuple[object, ...]:
    """Return what a node has in common with that of another tree of the same text."""
    return type(node), *(getattr(node, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))


def _apply(text: Text, fixes: Sequence[tuple[Report, Fix]], projects: Projects) -> list[Report]:
    """Apply the fixes of a file that do not overlap; return their reports."""
    chosen = {id(fix) for fix in compatible(fix for _, fix in fixes)}
    applied = [(report, fix) for report, fix in fixes if id(fix) in chosen]
    new, _ = apply_fixes(text.new, [fix for _, fix in applied])
    if new == text.new:
        return []
    try:
        ast.parse(new)
    except NOT_PARSED as error:
        codes = ", ".join(sorted({report.finding.code for report, _ in applied}))
        text.problems.append(Problem(text.filename, f"internal error: the migration of {codes} gave {error!r}."))
        return []
    rows, lines = text.rows_now(), split_lines(text.new)
    for report, fix in applied:
        pair = map(text.with_magics, changed_lines(lines, report, fix))
        text.rewritten.append(Rewritten(replace(report, finding=rows.finding(report.finding)), fix, *pair))
    _move_places(text, new, [fix for _, fix in applied], projects)
    text.new = new
    return [report for report, _ in applied]


def _move_places(text: Text, new: str, fixes: Sequence[Fix], projects: Projects) -> None:
    """Keep what is known of the expressions of a text that some fixes change."""
    known = places_of(text, projects)
    if known.ranks:
        edits = {edit for fix in fixes for edit in fix.edits}
        projects.get(text.settings).session.places[text.path] = known.after(edits, new)


def subjects_of(fact: Fact) -> list[ast.AST]:
    """Return the expressions that a fact is about; none if it names only the place."""
    return [*getattr(fact, "subjects", ()), *filter(None, [getattr(fact, "subject", None)])]


def places_of(text: Text, projects: Projects) -> Places:
    """Return what is known of the expressions of the current text of a file."""
    return projects.get(text.settings).session.places.get(text.path, NOWHERE).of(text.new)
