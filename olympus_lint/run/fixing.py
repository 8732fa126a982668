"""The fixes of one text, applied until nothing is left to fix."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from olympus_lint.analysis.failures import named, sentence, trace
from olympus_lint.analysis.projects import Projects
from olympus_lint.files.problems import Problem
from olympus_lint.files.validity import NOT_PARSED
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult, FixResult, can_fix
from olympus_lint.run.context import Context, Objection
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import Finding, Fix

__all__ = ["fix_text"]

PASSES = 10


def fix_text(
    filename: str, text: str, settings: Settings, context: Context | None = None, *, unsafe: bool = False
) -> FixResult:
    """Apply fixes until nothing is left to fix.

    Args:
        filename: the path as the user gave it.
        text: the source with its own line endings, without byte order mark.
        settings: which rules to run and what to report.
        context: what this check shares with others. A fix to which it has an objection is withheld, with a note.
        unsafe: whether unsafe fixes are applied, too.

    Returns:
        The last text that parses, the applied fixes and what is left. After ten passes, a pass that leaves as much
        to fix as the one before is an error.
    """
    objection = None if context is None else context.objection
    applied: Counter[str] = Counter()
    result = lint_text(filename, text, settings, context)
    withhold(result, text, settings, objection, unsafe=unsafe)
    passes, left = 0, len(text)
    while fixable := [finding for finding in result.findings if can_fix(finding, unsafe=unsafe)]:
        codes = ", ".join(sorted({finding.code for finding in fixable}))
        places = sum(finding.places for finding in fixable)
        if passes >= PASSES and places >= left:
            problem = Problem(filename, sentence(f"fixes of {codes}", "find no end"))
            return FixResult(text, applied, result.findings, [*result.errors, problem], result.notes, result.quiet)
        passes, left = passes + 1, places
        new, fixed = apply(text, fixable)
        if new == text:
            break
        try:
            Projects().get(settings).document(filename, new)
        except NOT_PARSED as error:
            problem = Problem(filename, sentence(f"fixes of {codes}", f"gave {named(error)}"), trace(error))
            return FixResult(text, applied, result.findings, [*result.errors, problem], result.notes, result.quiet)
        text, applied = new, applied + fixed
        result = lint_text(filename, text, settings, context)
        withhold(result, text, settings, objection, unsafe=unsafe)
    return FixResult(text, applied, result.findings, result.errors, result.notes, result.quiet)


def withhold(result: FileResult, text: str, settings: Settings, objection: Objection | None, *, unsafe: bool) -> None:
    """Drop the fixes to which there is an objection, with a note on each."""
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
    """Apply the fixes that do not overlap; return the new text, and the number of applied fixes by code."""
    from olympus_codemods.fixes import apply_fixes, first_place

    pairs = [(finding.fix, finding.code) for finding in findings if finding.fix is not None]
    pairs.sort(key=lambda pair: first_place(pair[0]))
    fixes: list[Fix] = [fix for fix, _ in pairs]
    new, count = apply_fixes(text, fixes)
    if count == len(fixes):
        return new, Counter(code for _, code in pairs)
    counts = [0, *(apply_fixes(text, fixes[: n + 1])[1] for n in range(len(fixes)))]
    return new, Counter(code for n, (_, code) in enumerate(pairs) if counts[n + 1] > counts[n])
