"""Problems for internal failures: a rule or fix that raised, or an analysis that exhausted its budget."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from olympus_lint.files.problems import Problem
from olympus_rules.check import RuleError

if TYPE_CHECKING:
    from olympus_rules.keyflow.facts import Unfinished

ISSUES = "https://github.com/olympus-lint/olympus-lint/issues"


def failed(filename: str, who: str, error: BaseException) -> Problem:
    """Return the problem of a part of the program that raised."""
    return Problem(filename, sentence(who, f"failed with {named(error)}"), trace(error))


def internal_error(filename: str, failure: RuleError) -> Problem:
    """Return the problem of a rule that raised, or of the key flow."""
    who = f"rule {failure.rule.code}" if failure.rule else "the key flow"
    if failure.where:
        who += f", in {failure.where},"
    return failed(filename, who, failure.__cause__ or failure)


def unfinished_note(filename: str, fact: Unfinished) -> Problem:
    """Return the note on a function whose analysis reached a limit."""
    row = getattr(fact.node, "lineno", 1)
    what = f"function `{fact.function}` on line {row}" if fact.function else "the code outside functions"
    if fact.circle:
        return Problem(
            filename,
            f"{what} calls itself through more than {fact.circle} other functions, and is analysed as if one of them "
            f"did not call it, so findings may be missing.",
        )
    return Problem(
        filename,
        f"{what} takes more than {fact.steps:,} steps to analyse, so findings in it may be missing; "
        f"split it into smaller functions to have the whole code checked.",
    )


def sentence(who: str, what: str) -> str:
    """Return the sentence that says which part failed how, and where to report it."""
    return f"internal error: {who} {what}; please report it at {ISSUES} with this file and what --verbose prints."


def named(error: BaseException) -> str:
    """Return an exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def trace(error: BaseException) -> str:
    """Return the traceback of an exception as text."""
    return "".join(traceback.format_exception(error))
