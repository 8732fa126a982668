"""The fixes of one text, applied until nothing is left to fix."""

from __future__ import annotations

import re
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
from olympus_rules.rules.key_reuse import KeyReuse

PASSES = 10
ROW = re.compile(r"(?<=line )\d+")


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
        The last text that parses, with the number of findings that are gone and those that are left. The fix of a
        reuse that would leave it, or make another finding, is not applied; a note says so. After ten passes, a pass
        that leaves as much to fix as the one before is an error.
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
        new, fixed = apply(text, fixable)
        if new == text:
            break
        try:
            Projects().get(settings).document(filename, new)
        except NOT_PARSED as error:
            problem = Problem(filename, sentence(f"fixes of {codes}", f"gave {named(error)}"), trace(error))
            result.errors.append(problem)
            break
        after = lint_text(filename, new, settings, context)
        if not ends(fixed, text, new, result, after) and take_back(fixed, text, result, settings, context):
            continue
        passes, left = passes + 1, places
        text, applied, result = new, applied + codes_of(fixed), after
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


def take_back(fixed: list[Finding], text: str, result: FileResult, settings: Settings, context: Context | None) -> bool:
    """Drop the fixes of reuses that do not end what they are for, with a note on each; return whether there are any.

    Args:
        fixed: the findings whose fixes are to be applied.
        text: the text without the fixes.
        result: the findings on it.
        settings: which rules run.
        context: what this check shares with others.
    """
    useless = [finding for finding in fixed if not holds(finding, text, result, settings, context)]
    for finding in useless:
        message = f"the fix of {finding.code} on line {finding.span.start.row} is withheld: it ends no finding."
        result.notes.append(Problem(result.filename, message))
        result.findings[result.findings.index(finding)] = replace(finding, fix=None)
    return bool(useless)


def holds(finding: Finding, text: str, result: FileResult, settings: Settings, context: Context | None = None) -> bool:
    """Return whether the fix of a finding ends it and makes no other one; only fixes of reuses are looked at.

    Args:
        finding: the finding, with its fix.
        text: the text without the fix.
        result: the findings on it.
        settings: which rules run.
        context: what this check shares with others.
    """
    if finding.code != KeyReuse.code:
        return True
    new, _ = apply(text, [finding])
    return ends([finding], text, new, result, lint_text(result.filename, new, settings, context))


def ends(fixed: list[Finding], text: str, new: str, before: FileResult, after: FileResult) -> bool:
    """Return whether each of the fixes ends its finding at all of its places, and all together make no other finding.

    Args:
        fixed: the findings whose fixes are applied.
        text, new: the text without the fixes, and with them.
        before, after: the findings on each of them.
    """
    from olympus_codemods.fixes import moved

    places = [(each, finding) for finding in before.findings for each in finding.at_each_place]
    edits = dict.fromkeys(edit for finding in fixed if finding.fix is not None for edit in finding.fix.edits)
    moves = moved([each.span.start for each, _ in places], text, new, edits)
    found = [each for finding in after.findings for each in finding.at_each_place]
    left = {(each.span.start, wording(each)) for each in found}
    if not {each.span.start for each in found} <= {*moves}:
        return False
    kept = [finding for (each, finding), at in zip(places, moves, strict=True) if (at, wording(each)) in left]
    return not any(finding in kept for finding in fixed)


def wording(finding: Finding) -> str:
    """Return what a finding says is wrong, without the numbers of lines."""
    return f"{finding.code} {ROW.sub('', finding.claim)}"


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
