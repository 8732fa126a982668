"""One text: parse, check, suppress, select, fix."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from olympus_lint.results import FileResult, FixResult, Objection, Problem, can_fix
from olympus_lint.settings import Settings
from olympus_lint.sources import InputError, check_size
from olympus_lint.suppression import Suppressions
from olympus_lint.validity import NOT_PARSED, newer_syntax, parse_error, promised
from olympus_rules.check import RuleError, check
from olympus_rules.finding import Confidence, Finding, Fix
from olympus_rules.further import grouped, told_together
from olympus_rules.rule import Report, Rule
from olympus_rules.rules.invalid_syntax import InvalidSyntax, invalid_syntax
from olympus_rules.rules.legacy_constructor import LegacyConstructor
from olympus_rules.rules.unused_suppression import UnusedSuppression
from olympus_rules.syntax import Document
from olympus_rules.syntax.array_names import may_hold_arrays
from olympus_rules.syntax.document import decode
from olympus_rules.syntax.prefilter import may_hold_keys
from olympus_rules.syntax.project import locate

if TYPE_CHECKING:
    from olympus_lint.cache import Cache
    from olympus_lint.migration.safety import Clearance
    from olympus_rules.keyflow.facts import Unfinished
    from olympus_rules.keyflow.linking.answers import Answers, Need
    from olympus_rules.keyflow.linking.project import Project

__all__ = ["Projects", "checks_syntax", "fix_text", "lint_text", "not_parsed", "settled", "worth_checking"]

ISSUES = "https://github.com/olympus-lint/olympus-lint/issues"
CONSTRUCTOR = LegacyConstructor.code
PASSES = 10
RECURSION_LIMIT = 20_000
PassesOver: TypeAlias = Callable[[str, Finding], bool]
"""Says of a finding on a text whether it is passed over."""


def worth_checking(filename: str, data: bytes, settings: Settings) -> bool:
    """Say whether a file can hold a key, an object with ``__jax_array__``, or a suppression of ours that may be idle.

    Args:
        filename: where its imports are looked for.
        data: its bytes.
        settings: those of the file.
    """
    if may_hold_keys(data, settings.library_roots) or b"OLY" in data or b"olympus:" in data:
        return True
    return may_hold_arrays(data, Path(filename), settings.library_roots)


def lint_text(
    filename: str,
    text: str | bytes,
    settings: Settings,
    projects: Projects | None = None,
    passes_over: PassesOver | None = None,
) -> FileResult:
    """Check one file's text; of the disk, only the files that it imports from its project are read.

    Args:
        filename: the path as the user gave it, for messages and per-file ignores.
        text: the source; bytes are decoded as Python decodes them.
        settings: which rules to run and what to report.
        projects: keeps what is known of other files from one call to the next.
        passes_over: says which findings are passed over.

    Returns:
        The findings with their fixes. What goes wrong inside is one of its errors, never an exception.
    """
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if not worth_checking(filename, data, settings):
        return without_keys(filename, data, settings, projects)
    rules = settings.rules_for(filename)
    try:
        check_size(data)
        text = text if isinstance(text, str) else decode(text)
        projects = projects or Projects()
        project = projects.get(settings)
        document = project.document(filename, text)
    except InputError as error:
        return FileResult(filename, errors=[Problem(filename, str(error))], analysed=False)
    except NOT_PARSED as error:
        return not_parsed(filename, text, error, settings)
    own_comments = "OLY" in text or "olympus:" in text  # a finding of less confidence keeps its suppression in use
    checked = check(
        document,
        rules,
        min_confidence=Confidence.POSSIBLE if own_comments else settings.min_confidence,
        project=project,
    )
    if checked.errors and projects.distrust():
        return lint_text(filename, text, settings, projects, passes_over)
    errors = [internal_error(filename, failure) for failure in checked.errors]
    reports, idle = suppressed(document, checked.reports, checked.errors, rules, settings)
    findings = idle
    wanted = [report for report in reports if report.finding.confidence >= settings.min_confidence]
    for group in grouped(wanted if passes_over is None else [r for r in wanted if not passes_over(text, r.finding)]):
        findings.append(with_fix(group, document, errors))
    findings.sort(key=lambda finding: finding.sort_key)
    notes = [unfinished_note(filename, fact) for fact in checked.unfinished]
    result = FileResult(filename, findings, errors, text if findings else "", notes=notes)
    projects.keep(document, data, settings, result)
    return settled(result, text, settings, projects)


def settled(result: FileResult, text: str, settings: Settings, projects: Projects) -> FileResult:
    """Return a result whose fixes are safe in view of other files, too; that is asked for constructors of keys."""
    if not any(finding.code == CONSTRUCTOR and can_fix(finding, unsafe=False) for finding in result.findings):
        return result
    from olympus_lint.migration.safety import distrusted, settle_fixes

    try:
        return settle_fixes(result, text, settings, projects.clearance)
    except Exception as error:
        who = f"the look for what the fixes of {CONSTRUCTOR} change"
        problem = Problem(result.filename, sentence(who, f"failed with {named(error)}"), trace(error))
        return replace(distrusted(result), errors=[*result.errors, problem])


def checks_syntax(filename: str, settings: Settings) -> bool:
    """Say whether a file that is no Python is to be reported."""
    return any(rule.code == InvalidSyntax.code for rule in settings.rules_for(filename))


def without_keys(filename: str, data: bytes, settings: Settings, projects: Projects | None) -> FileResult:
    """Return the result of a file that cannot hold a key: nothing is to be found but that it is no Python."""
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
    if projects is not None and projects.cache is not None:
        projects.cache.save_valid(data)
    return result


def not_parsed(
    filename: str, text: str | bytes, error: Exception, settings: Settings, cell: int | None = None
) -> FileResult:
    """Return the result of a file that the running Python cannot parse, or of a cell of one.

    Syntax of a newer Python is an error of the run, since the file is not checked and nothing is wrong with it; but not
    where the project promises to run on this Python.
    """
    if isinstance(text, bytes):
        try:
            text = decode(text)
        except NOT_PARSED:
            text = ""
    newer = newer_syntax(text) if isinstance(error, SyntaxError) else None
    if newer is not None:
        release, running = (".".join(map(str, each)) for each in (newer.release, sys.version_info[:2]))
        promise = promised(filename)
        place = f"line {newer.row}" if cell is None else f"line {newer.row} of cell {cell}"
        if promise is None:
            message = (
                f"cannot be read by Python {running}, which runs this: {place} has {newer.what}, syntax of Python "
                f"{release}; run olympus-lint with Python {release} or later, or exclude it."
            )
            return FileResult(filename, errors=[Problem(filename, message, is_newer=True)], analysed=False)
        cause = f'{newer.what} is syntax of Python {release}, and `requires-python = "{promise}"` admits {running}'
        error = SyntaxError(cause, ("", newer.row, 1, None))
    if not checks_syntax(filename, settings):
        return FileResult(filename, text=text)
    found = invalid_syntax(filename, text, error, part="file" if cell is None else "cell")
    return FileResult(filename, [replace(found, cell=cell)], text=text)


Choice: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def _choice(settings: Settings) -> Choice:
    return tuple(settings.library_roots), tuple(settings.signature_packs)


class Projects:
    """What is known of the files that others import, for each choice of ``library-roots`` and ``signature-packs``, and
    of earlier runs.

    Attributes:
        cache: what is kept between runs; ``None`` without.
        clearance: which constructors of keys the files of the project let be renamed; ``None`` for files alone.
    """

    def __init__(self, cache: Cache | None = None, clearance: Clearance | None = None) -> None:
        """Start without any file; with a cache, what was kept of earlier runs is used, and this one is kept."""
        self.cache = cache
        self.clearance = clearance
        self._projects: dict[Choice, Project] = {}
        self._answers: dict[Choice, Answers] = {}
        self._unsettled: list[tuple[str, tuple[Path, ...], dict[Need, None], FileResult, Settings]] = []

    def get(self, settings: Settings) -> Project:
        """Return the project of files with these settings."""
        from olympus_rules.keyflow.linking.project import Project  # loads the interpreter only where a file needs it

        choice = _choice(settings)
        if choice not in self._projects:
            self._projects[choice] = Project(*choice, self._answers_of(settings))
        return self._projects[choice]

    def _answers_of(self, settings: Settings) -> Answers:
        from olympus_rules.keyflow.linking.answers import Answers

        choice = _choice(settings)
        if choice not in self._answers:
            memory = None
            if self.cache is not None:
                from olympus_lint.cache import AnswerMemory

                memory = AnswerMemory(self.cache, settings)
            self._answers[choice] = Answers(lambda question: self.get(settings).compute(question), memory)
        return self._answers[choice]

    def recall(self, filename: str, data: bytes, settings: Settings) -> FileResult | None:
        """Return the result of an earlier run, if it is still what a check would give."""
        entry = self.cache.load_result(filename, settings) if self.cache is not None else None
        if entry is None:
            return None
        path = Path(filename).absolute()
        answers = self._answers_of(settings)
        if answers.stamp(str(path), data) != entry.stamp:
            return None
        try:
            with deep_recursion():
                if not answers.holds(locate(path).roots, entry.needs):
                    return None
            if entry.result.findings:
                entry.result.text = decode(data)
        except Exception:  # what goes wrong inside is reported by the check of the file
            self.distrust()
            return None
        finally:
            for project in self._projects.values():
                project.trim()
        return entry.result

    def keep(self, document: Document, data: bytes, settings: Settings, result: FileResult) -> None:
        """Keep a result for later runs, if nothing went wrong and all that it rests on is known for good."""
        if self.cache is None:
            return
        answers, needs = self._answers_of(settings), self.get(settings).needs(document)
        answers.flush()
        if needs is None or result.errors:
            return
        stamp, settled = answers.stamp(document.path, data), answers.settled(document.roots, needs)
        if len(settled) == len(needs):
            self.cache.save_result(stamp, settled, result, settings)
        else:
            self._unsettled.append((stamp, document.roots, needs, replace(result, text=""), settings))

    def finish(self) -> None:
        """Keep what could not be kept yet, since it rests on circles of files; nothing may be checked after that."""
        if self.cache is None:
            return
        try:
            with deep_recursion():
                for answers in self._answers.values():
                    answers.flush(finally_=True)
                for stamp, roots, needs, result, settings in self._unsettled:
                    settled = self._answers_of(settings).settled(roots, needs, finally_=True)
                    if len(settled) == len(needs):
                        self.cache.save_result(stamp, settled, result, settings)
        except Exception:  # the results are there, and the next run computes these again
            self.distrust()

    def distrust(self) -> bool:
        """Go on without the cache, as if there had been none; say whether it was in use."""
        used = any(answers.recalled for answers in self._answers.values())
        if self.cache is not None:
            self.cache, self._projects, self._answers, self._unsettled = None, {}, {}, []
        return used

    def forget(self, filename: str) -> None:
        """Forget a file that was rewritten."""
        for project in self._projects.values():
            project.forget(str(Path(filename).absolute()))


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Let functions call each other more deeply: one answer rests on another, which rests on another."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def suppressed(
    document: Document, reports: list[Report], failures: list[RuleError], rules: list[Rule], settings: Settings
) -> tuple[list[Report], list[Finding]]:
    """Return the reports that no comment hides, and the findings about comments that hide nothing."""
    comments = Suppressions("" if settings.ignore_noqa or not may_suppress(document, reports) else document.text)
    if not comments:
        return reports, []
    kept: list[Report] = []
    for group in grouped(reports):
        hidden = [comments.hides(report.finding) for report in group]  # all are asked, so that no comment is idle
        if not hidden[0]:
            kept += [report for report, is_hidden in zip(group, hidden, strict=True) if not is_hidden]
    if UnusedSuppression.code not in {rule.code for rule in rules}:
        return kept, []
    failed = {failure.rule for failure in failures}
    checked = {rule.code for rule in rules if rule.facts and not failed & {rule, None}}
    unused = [finding for finding in comments.unused(document.filename, checked) if not comments.hides(finding)]
    return kept, unused


def may_suppress(document: Document, reports: list[Report]) -> bool:
    """Say whether it is worth while to look for comments: tokenizing a file takes longer than parsing it."""
    if "OLY" in document.text or "olympus:" in document.text:
        return True
    spans = [report.finding.span for report in reports]
    rows = [row for span in spans for row in (span.start.row, span.end.row)]
    return any("noqa" in document.lines[row - 1].lower() for row in rows if row <= len(document.lines))


def with_fix(group: list[Report], document: Document, errors: list[Problem]) -> Finding:
    """Return the finding of reports that are told together, with a fix; a codemod that raises is added to the errors.

    The fix is that of the first of them that has one. The next pass sees what it leaves.
    """
    from olympus_codemods.fixes import fix_for

    fix = None
    for report in group:
        try:
            fix = fix_for(report, document)
        except Exception as error:
            who = f"the fix of {report.finding.code}"
            problem = Problem(document.filename, sentence(who, f"failed with {named(error)}"), trace(error))
            errors.append(problem)
        if fix is not None:
            break
    return replace(told_together(group), fix=fix)


def internal_error(filename: str, failure: RuleError) -> Problem:
    """Return the sentence for a rule, or the key flow, that raised."""
    cause = failure.__cause__ or failure
    who = f"rule {failure.rule.code}" if failure.rule else "the key flow"
    return Problem(filename, sentence(who, f"failed with {named(cause)}"), trace(cause))


def unfinished_note(filename: str, fact: Unfinished) -> Problem:
    """Return the sentence for a function that the analysis did not get through."""
    row = getattr(fact.node, "lineno", 1)
    what = f"function `{fact.function}` on line {row}" if fact.function else "the code outside functions"
    return Problem(
        filename,
        f"{what} takes more than {fact.steps:,} steps to analyse, so findings in it may be missing; "
        f"split it into smaller functions to have all of it checked.",
    )


def sentence(who: str, what: str) -> str:
    """Say who failed how, and how to report it."""
    return f"internal error: {who} {what}; please report it at {ISSUES} with this file and what --verbose prints."


def named(error: BaseException) -> str:
    """Return an exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def trace(error: BaseException) -> str:
    """Return the traceback of an exception as text."""
    return "".join(traceback.format_exception(error))


def fix_text(
    filename: str,
    text: str,
    settings: Settings,
    *,
    unsafe: bool = False,
    projects: Projects | None = None,
    objection: Objection | None = None,
    passes_over: PassesOver | None = None,
) -> FixResult:
    """Apply fixes until nothing is left to fix.

    Args:
        filename: the path as the user gave it.
        text: the source with its own line endings, without byte order mark.
        settings: which rules to run and what to report.
        unsafe: whether unsafe fixes are applied, too.
        projects: as for :func:`lint_text`.
        objection: says why a fix should not be applied; it is then withheld, and a note says so.
        passes_over: as for :func:`lint_text`.

    Returns:
        The last text that parses, what was applied and what is left. Fixes that still find work after ten
        passes are an error as soon as a pass does not leave less to fix.
    """
    applied: Counter[str] = Counter()
    result = lint_text(filename, text, settings, projects, passes_over)
    withhold(result, text, settings, objection, unsafe=unsafe)
    passes, left = 0, len(text)
    while fixable := [finding for finding in result.findings if can_fix(finding, unsafe=unsafe)]:
        codes = ", ".join(sorted({finding.code for finding in fixable}))
        places = sum(finding.places for finding in fixable)
        if passes >= PASSES and places >= left:
            problem = Problem(filename, sentence(f"fixes of {codes}", "find no end"))
            return FixResult(text, applied, result.findings, [*result.errors, problem], result.notes)
        passes, left = passes + 1, places
        new, fixed = apply(text, fixable)
        if new == text:
            break
        try:
            Projects().get(settings).document(filename, new)
        except NOT_PARSED as error:
            problem = Problem(filename, sentence(f"fixes of {codes}", f"gave {named(error)}"), trace(error))
            return FixResult(text, applied, result.findings, [*result.errors, problem], result.notes)
        text, applied = new, applied + fixed
        result = lint_text(filename, text, settings, projects, passes_over)
        withhold(result, text, settings, objection, unsafe=unsafe)
    return FixResult(text, applied, result.findings, result.errors, result.notes)


def withhold(result: FileResult, text: str, settings: Settings, objection: Objection | None, *, unsafe: bool) -> None:
    """Take the fixes away to which there is an objection, and note which."""
    if objection is None:
        return
    for place, finding in enumerate(result.findings):
        if can_fix(finding, unsafe=unsafe):
            fixed, _ = apply(text, [finding])
            said = objection(result.filename, text, fixed, finding, settings)
            if said is not None:
                message = f"the fix of {finding.code} on line {finding.span.start.row} is withheld: {said}."
                result.notes.append(Problem(result.filename, message))
                result.findings[place] = replace(finding, fix=None)


def apply(text: str, findings: list[Finding]) -> tuple[str, Counter[str]]:
    """Apply the fixes of findings that do not get in each other's way, counted by code."""
    from olympus_codemods.fixes import apply_fixes, first_place

    pairs = [(finding.fix, finding.code) for finding in findings if finding.fix is not None]
    pairs.sort(key=lambda pair: first_place(pair[0]))
    fixes: list[Fix] = [fix for fix, _ in pairs]
    new, count = apply_fixes(text, fixes)
    if count == len(fixes):
        return new, Counter(code for _, code in pairs)
    counts = [0, *(apply_fixes(text, fixes[: n + 1])[1] for n in range(len(fixes)))]
    return new, Counter(code for n, (_, code) in enumerate(pairs) if counts[n + 1] > counts[n])
