"""The check of one text: parse, run the rules, apply suppressions, attach fixes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from olympus_lint.analysis.cache import Cache
from olympus_lint.analysis.failures import failed, internal_error, unfinished_note
from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.analysis.unparsed import checks_syntax, not_parsed
from olympus_lint.files.problems import Problem
from olympus_lint.files.sources import InputError, check_size
from olympus_lint.files.validity import NOT_PARSED, parse_error
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult, can_fix
from olympus_lint.run.clearance import Clearance
from olympus_lint.run.context import Context
from olympus_lint.suppression.comments import Suppressions
from olympus_rules.check import RuleError, check
from olympus_rules.finding import Applicability, Confidence, Finding, Span
from olympus_rules.further import grouped, told_together
from olympus_rules.rule import Report, Rule
from olympus_rules.rules import all_rules
from olympus_rules.rules.legacy_constructor import LegacyConstructor
from olympus_rules.rules.unused_suppression import UnusedSuppression
from olympus_rules.syntax import Document, disk
from olympus_rules.syntax.project import is_test
from olympus_rules.syntax.text import decode

CONSTRUCTOR = LegacyConstructor.code
FEW = 3
"""How many reports of a group are asked for a fix of their own that may put all of them right."""


def lint_text(filename: str, text: str | bytes, settings: Settings, context: Context | None = None) -> FileResult:
    """Check the text of one file; from disk, only the files that it imports from its project are read.

    Args:
        filename: the path as the user gave it, for messages and per-file ignores.
        text: the source; bytes are decoded as Python decodes them.
        settings: which rules to run and what to report.
        context: what this check shares with others.

    Returns:
        The findings with their fixes. An internal failure is one of its errors, never an exception.
    """
    context = context or Context()
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if not worth_checking(filename, data, settings):
        return without_keys(filename, data, settings, context.projects.cache)
    rules = settings.rules_for(filename)
    try:
        check_size(data)
        text = text if isinstance(text, str) else decode(text)
        context.projects.enter(filename)
        project = context.projects.get(settings)
        document = project.document(filename, text)
    except InputError as error:
        return FileResult(filename, errors=[Problem(filename, str(error))], analysed=False)
    except NOT_PARSED as error:
        return not_parsed(filename, text, error, settings)
    own_comments = "OLY" in text or "olympus:" in text  # a suppression is in use for findings of less confidence, too
    checked = check(
        document,
        rules,
        min_confidence=Confidence.POSSIBLE if own_comments else settings.min_confidence,
        project=project,
    )
    if checked.errors and context.projects.distrust():
        return lint_text(filename, text, settings, context)
    errors = [internal_error(filename, failure) for failure in checked.errors]
    reports, idle = suppressed(document, checked.reports, checked.errors, rules, settings)
    reports = [report for report in reports if report.finding.confidence >= settings.min_confidence]
    if context.passes_over is not None:
        reports = [report for report in reports if not context.passes_over(text, report.finding)]
    shown = shown_of(reports, filename, settings)
    findings = [*idle, *(with_fix(group, document, errors) for group in grouped(shown))]
    findings = [each if each.code in settings.fixable_codes else replace(each, fix=None) for each in findings]
    findings.sort(key=lambda finding: finding.sort_key)
    notes = [unfinished_note(filename, fact) for fact in checked.unfinished]
    result = FileResult(filename, findings, errors, text if findings else "", notes=notes)
    result.quiet = len(grouped(reports)) - len(grouped(shown)) if len(shown) < len(reports) else 0
    context.projects.keep(document, data, settings, result)
    return settled(result, text, settings, context.clearance)


def shown_of(reports: list[Report], filename: str, settings: Settings) -> list[Report]:
    """Return the reports that are shown: in a test, under the quiet preset, those that may change what it checks."""
    if settings.tests != "quiet":
        return reports
    rules = all_rules()
    shown = [report for report in reports if rules[report.finding.code].matters_in_tests(report.fact)]
    return shown if len(shown) < len(reports) and is_test(disk.absolute(filename)) else reports


def settled(result: FileResult, text: str, settings: Settings, clearance: Clearance | None) -> FileResult:
    """Return a result whose fixes of key constructors are safe only where other files allow it.

    Where nobody asks, it stays open whether they are: to find out takes an analysis of the whole project.

    Args:
        result: the findings on a text.
        text: the text.
        settings: those of the file.
        clearance: the constructors of the project that can be renamed safely; ``None`` for a file by itself.
    """
    if not any(finding.code == CONSTRUCTOR and can_fix(finding, unsafe=False) for finding in result.findings):
        return result
    if clearance is not None and not clearance.is_asked:
        return replace(result, findings=[unsettled(finding) for finding in result.findings])
    from olympus_lint.migration.safety import distrusted, settle_fixes

    try:
        known = None if clearance is None else clearance.of(result.filename, text)
        return settle_fixes(result, text, settings, known)
    except Exception as error:
        problem = failed(result.filename, f"the analysis behind the fixes of {CONSTRUCTOR}", error)
        return replace(distrusted(result), errors=[*result.errors, problem])


def unsettled(finding: Finding) -> Finding:
    """Return a finding without the claim that the fix of a constructor is safe."""
    if finding.code != CONSTRUCTOR or finding.fix is None or not can_fix(finding, unsafe=False):
        return finding
    return replace(finding, fix=replace(finding.fix, applicability=Applicability.UNSETTLED))


def without_keys(filename: str, data: bytes, settings: Settings, cache: Cache | None) -> FileResult:
    """Return the result of a file that cannot hold a key; its only finding can be invalid syntax."""
    result = FileResult(filename, analysed=False)
    if not checks_syntax(filename, settings):
        return result
    try:
        check_size(data)
    except InputError as error:
        message = f"{error} It cannot hold a key, and is not parsed to see whether it is valid Python."
        return replace(result, notes=[Problem(filename, message)])
    wrong = parse_error(data)
    if wrong is not None:
        return not_parsed(filename, data, wrong, settings)
    if cache is not None:
        cache.save_valid(data)
    return result


def suppressed(
    document: Document, reports: list[Report], failures: list[RuleError], rules: list[Rule], settings: Settings
) -> tuple[list[Report], list[Finding]]:
    """Return the reports that no comment suppresses, and the findings about comments that suppress nothing."""
    comments = Suppressions("" if settings.ignore_noqa or not may_suppress(document, reports) else document.text)
    if not comments:
        return reports, []
    kept: list[Report] = []
    for group in grouped(reports):
        hidden = [comments.hides(report.finding) for report in group]  # every report marks its comments as used
        covered = {other.span for other in group[0].finding.related} if hidden[0] else set[Span]()
        kept += [
            replace(report, in_part=any(hidden))
            for report, is_hidden in zip(group, hidden, strict=True)
            if not is_hidden and report.finding.span not in covered
        ]
    if UnusedSuppression.code not in {rule.code for rule in rules}:
        return kept, []
    raised = {failure.rule for failure in failures}
    checked = {rule.code for rule in rules if rule.facts and not raised & {rule, None}}
    unused = [finding for finding in comments.unused(document.filename, checked) if not comments.hides(finding)]
    return kept, unused


def may_suppress(document: Document, reports: list[Report]) -> bool:
    """Say whether the text can have suppression comments: tokenizing a file takes longer than parsing it."""
    if "OLY" in document.text or "olympus:" in document.text:
        return True
    spans = [report.finding.span for report in reports]
    rows = [row for span in spans for row in (span.start.row, span.end.row)]
    return any("noqa" in document.lines[row - 1].lower() for row in rows if row <= len(document.lines))


def with_fix(group: list[Report], document: Document, errors: list[Problem]) -> Finding:
    """Return the finding for a group of reports, with the first fix that puts all of them right.

    A codemod that raises is added to the errors. Where a comment says that one use of a key may equal another, no fix
    gives these keys of their own. The message says what the fix does.
    """
    from olympus_codemods.fixes import fix_for, fix_for_all, is_whole

    fix = None
    attempts = (partial(fix_for_all, group), *(partial(fix_for, report) for report in group[:FEW]))
    for attempt in () if group[0].in_part else attempts:
        try:
            made = attempt(document)
            fix = made if made is not None and is_whole(made, group, document) else None
        except Exception as error:
            errors.append(failed(document.filename, f"the fix of {group[0].finding.code}", error))
        if fix is not None:
            break
    found = replace(told_together(group), fix=fix)
    return replace(found, message=f"{found.claim} {fix.advice}") if fix is not None and fix.advice else found
