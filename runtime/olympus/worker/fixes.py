"""Compare a function before and after a fix: a safe fix keeps all draws, any other one removes a misuse."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from olympus.lineage import Lineage
from olympus.verdicts.judge import WORDS, Execution, judge
from olympus.verdicts.question import Question
from olympus.witness.answer import in_bytes, outermost
from olympus.witness.execution import Executor, Target

MAKING = ("seed", "split", "fold_in", "clone")

MOST = 6
"""Executions of one function with one kind of keys; a recursive function has very many."""


def objection(
    before: Target, after: Target, lines: Iterable[int], *, safe: bool, question: Question | None = None
) -> str | None:
    """Return why a fix should not be applied, as a sentence without a full stop; ``None`` if it may be.

    Both texts are executed with stand-ins for unknown values. A safe fix has to give the same draws with keys of
    the same streams, in the same order, with raw and with typed keys. Another one has to remove a misuse, and to
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
    return [each for typed in (False, True) for each in islice(Executor(target, typed=typed).executions(), MOST)]


def differs(old: Sequence[Execution], new: Sequence[Execution]) -> str | None:
    """Return what a safe fix changes against its promise."""
    if not any(trail(execution) for execution in old) and any(execution.interruptions for execution in old):
        return f"it cannot be traced what the fix changes ({old[0].interruptions[0].text})"
    if {trail(execution) for execution in old} != {trail(execution) for execution in new}:
        return "with it, a trace has other draws, other keys, or another order of them"
    return None


def trail(execution: Execution) -> tuple[tuple[object, ...], ...]:
    """Return the draws of one execution with their streams, and without any draw how keys are made.

    A key may be made in another way if its stream is the same; how it is wrapped does not matter.
    """
    lineage = execution.lineage
    draws = [event for event in lineage.events if event.kind == "draw"]
    steps = []
    for event in draws or [event for event in lineage.events if event.kind in MAKING]:
        streams = tuple(described(lineage, lineage.identities.stream(key)) for key in event.keys)
        steps.append((event.kind, str(event.equation.eqn).partition("\n")[0], streams))
    return tuple(steps)


def described(lineage: Lineage, stream: Hashable) -> object:
    """Return a stream without the numbers of its lineage."""
    match stream:
        case ("child", parent, index):
            return described(lineage, parent), index
        case ("key", int(number)):
            return lineage.describe(number)
    return stream


def remains(old: Sequence[Execution], new: Sequence[Execution], question: Question | None) -> str | None:
    """Return what is still wrong after a fix."""
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
