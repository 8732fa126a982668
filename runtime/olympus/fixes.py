"""A function before and after a fix: is kept what has to be kept, and removed what has to be removed?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace

from olympus.verdicts.judge import WORDS, Execution, judge
from olympus.verdicts.question import Question
from olympus.witness.answer import in_bytes, outermost
from olympus.witness.execution import Executor, Target

__all__ = ["objection"]

KEPT = ("seed", "split", "fold_in", "clone", "draw")
"""The operations that a safe fix keeps, in their order and with their keys; wrapping and unwrapping it may change."""


def objection(
    before: Target, after: Target, lines: Iterable[int], *, safe: bool, question: Question | None = None
) -> str | None:
    """Return why a fix should not be applied, as a sentence without a full stop; ``None`` if it may be.

    Both texts are executed with stand-ins for what is not known. A safe fix has to give the same operations on keys of
    the same identities, in the same order, with raw and with typed keys. Another one has to remove a misuse, and to
    add no error.

    Args:
        before: the file as it is.
        after: the same file with the fix.
        lines: the lines of the file that the fix changes, as they are numbered before it.
        safe: whether the fix promises that all numbers stay as they are.
        question: the finding, if a trace can show whether it is true.
    """
    trees = ast.parse(before.text), ast.parse(after.text)
    if ast.dump(trees[0]) == ast.dump(trees[1]):
        return None  # comments and spaces
    for function in sorted({outermost(trees[0], line) for line in lines}):
        claimed = frozenset[tuple[int, int, int, int]]()
        if question is not None and question.code in WORDS:
            claimed = frozenset({in_bytes(question.place, before.text.split("\n"))})
        old = executions(replace(before, function=function, claimed=claimed))
        new = executions(replace(after, function=function))
        said = differs(old, new) if safe else remains(old, new, question)
        if said is not None:
            return f"{said}, in `{function}`" if function else said
    return None


def executions(target: Target) -> list[Execution]:
    """Execute a function with raw and with typed keys."""
    return [execution for typed in (False, True) for execution in Executor(target, typed=typed).executions()]


def differs(old: Sequence[Execution], new: Sequence[Execution]) -> str | None:
    """Say what a fix changes that promises to change nothing."""
    if not any(trail(execution) for execution in old) and any(execution.interruptions for execution in old):
        return f"it cannot be traced what the fix changes ({old[0].interruptions[0].text})"
    if {trail(execution) for execution in old} != {trail(execution) for execution in new}:
        return "with it, a trace has other draws, other keys, or another order of them"
    return None


def trail(execution: Execution) -> tuple[tuple[object, ...], ...]:
    """Return the operations on keys of one execution, the way to compare them with those of another text."""
    describe = execution.lineage.describe
    steps = []
    for event in execution.lineage.events:
        if event.kind in KEPT:
            keys, made = tuple(map(describe, event.keys)), tuple(map(describe, event.made))
            steps.append((event.kind, str(event.equation.eqn).partition("\n")[0], keys, made))
    return tuple(steps)


def remains(old: Sequence[Execution], new: Sequence[Execution], question: Question | None) -> str | None:
    """Say what is still wrong after a fix that is to put something right."""
    if question is not None:
        verdict = judge(question, old, "witness")
        if verdict.status != "confirmed":
            return f"the finding is {verdict.status} ({verdict.reason})" if verdict.reason else verdict.status
        if len(misuses(new)) >= len(misuses(old)):
            return "with it, a trace shows as many misuses of keys as without"
    known = {interruption.text for execution in old for interruption in execution.interruptions}
    for execution in new:
        for interruption in execution.interruptions:
            if interruption.text not in known:
                return f"with it, there is a new error ({interruption.text})"
    return None


def misuses(found: Sequence[Execution]) -> set[tuple[object, ...]]:
    """Return the misuses of several executions, each once."""
    return {
        (misuse.kind, misuse.first.chain, misuse.second.chain, misuse.across_turns)
        for execution in found
        for misuse in execution.lineage.misuses
    } | {(failed.error, failed.chain) for execution in found for failed in execution.failures}
