"""The fixes of one text, applied until nothing is left to fix."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from olympus_lint.analysis.failures import named, sentence, trace
from olympus_lint.analysis.projects import Projects
from olympus_lint.files.problems import Problem
from olympus_lint.files.validity import NOT_PARSED
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.results import FileResult, can_fix
from olympus_lint.run.context import Context, Objection
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import Finding, Fix

PASSES = 10


def fix_text(
    filename: str, text: str, settings: Settings, context: Context | None = None, *, unsafe: bool = False
) -> FileResult:
    """Apply fixes until nothing is left to fix.

    Args:
        filename: the path as the user gave it.
        text: the source with its own line endings, without byte order mark.
        settings: which rules to run and what to report.
        context: what this check shares with others. A fix to which it has an objection is withheld, with a note.
        unsafe: whether unsafe fixes are applied, too.

    Returns:
        The last text that parses, with the number of findings that are gone and those that are left. After ten passes,
        a pass that leaves as much to fix as the one before is an error.
    """
    objection = None if context is None else context.objection
    applied: Counter[str] = Counter()
    result = lint_text(filename, text, settings, context)
    withhold(result, text, settings, objection, unsafe=unsafe)
    before = result.findings[:]
    passes, left = 0, len(text)
    while fixable := [finding for finding in result.findings if can_fix(finding, unsafe=unsafe)]:
        codes = ", ".join(sorted({finding.code for finding in fixable}))
        places = sum(len(finding.at_each_place) for finding in fixable)
        if passes >= PASSES and places >= left:
            problem = Problem(filename, sentence(f"fixes of {codes}", "find no end"))
            result.errors.append(problem)
            break
        passes, left = passes + 1, places
        new, fixed = apply(text, fixable)
        if new == text:
            break
        try:
            Projects().get(settings).document(filename, new)
        except NOT_PARSED as error:
            problem = Problem(filename, sentence(f"fixes of {codes}", f"gave {named(error)}"), trace(error))
            result.errors.append(problem)
            break
        text, applied = new, applied + codes_of(fixed)
        result = lint_text(filename, text, settings, context)
        withhold(result, text, settings, objection, unsafe=unsafe)
    gone = codes_of(before) - codes_of(result.findings) or applied
    own = sum(can_fix(finding, unsafe=unsafe) for finding in before)
    along = max(gone.total() - own, 0)
    return replace(result, text=text, fixes=gone, along=along)


def codes_of(findings: list[Finding]) -> Counter[str]:
    """Return the number of findings of each code.

    What is fixed is the difference of two such numbers, so that fixed and remaining findings are those there were: one
    finding may take several fixes, and one fix may end several findings.
    """
    return Counter(finding.code for finding in findings)


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


def apply(text: str, findings: list[Finding]) -> tuple[str, list[Finding]]:
    """Apply the fixes that do not overlap; return the new text, and the findings whose fixes were applied."""
    from olympus_codemods.fixes import apply_fixes, first_place

    pairs = [(finding.fix, finding) for finding in findings if finding.fix is not None]
    pairs.sort(key=lambda pair: first_place(pair[0]))
    fixes: list[Fix] = [fix for fix, _ in pairs]
    new, count = apply_fixes(text, fixes)
    if count == len(fixes):
        return new, [finding for _, finding in pairs]
    counts = [0, *(apply_fixes(text, fixes[: n + 1])[1] for n in range(len(fixes)))]
    return new, [finding for n, (_, finding) in enumerate(pairs) if counts[n + 1] > counts[n]]
