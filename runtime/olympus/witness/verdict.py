"""Findings against executions: does what the finding says happen?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from olympus.lineage import Event, Failure
from olympus.spans import Span
from olympus.witness.question import Execution, Executor, Target

__all__ = ["Question", "Status", "Verdict", "Where", "answer"]

Status = Literal["confirmed", "refuted", "inconclusive", "not reached"]
Where = tuple[int, int, int, int]
"""Line, column, end line, end column; lines and columns from 1, in characters, the end exclusive."""

MISUSES = {"OLY101": "indexing", "OLY102": "arithmetic", "OLY103": "transposition", "OLY109": "seed"}
ASSUMED = "assumed_consumption"


@dataclass(frozen=True, slots=True)
class Question:
    """One finding to judge.

    Attributes:
        code: the rule's code.
        where: the place that is flagged.
        other: the place of the other consumption or derivation, ``None`` where it is the same place in a loop.
        certain: whether the static analysis is certain of it, and so knows what the calls there do with keys.
    """

    code: str
    where: Where
    other: Where | None = None
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the executions say of a finding.

    Attributes:
        status: whether it is true.
        reason: why, in a sentence.
        evidence: lines that show it.
    """

    status: Status
    reason: str
    evidence: tuple[str, ...] = ()


def answer(target: Target, questions: Sequence[Question]) -> list[Verdict]:
    """Judge the findings of one file.

    Args:
        target: the file; its function and claims are put in here.
        questions: the findings.
    """
    try:
        tree = ast.parse(target.text)
    except (SyntaxError, ValueError) as error:
        return [Verdict("not reached", f"the file is no Python of this version: {error}")] * len(questions)
    lines = target.text.split("\n")
    groups: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        groups.setdefault(outermost(tree, question.where[0]), []).append(index)
    verdicts: dict[int, Verdict] = {}
    for function, indices in groups.items():
        asked = [questions[index] for index in indices]
        claimed = frozenset(in_bytes(question.where, lines) for question in asked if question.code in MISUSES)
        own = replace(target, function=function, claimed=claimed)
        verdicts.update(zip(indices, judged(own, asked), strict=True))
    return [verdicts[index] for index in range(len(questions))]


def outermost(tree: ast.Module, line: int) -> str:
    """Return the qualified name of the outermost function around a line, with the classes around it."""
    names: list[str] = []
    body: Sequence[ast.stmt] = tree.body
    while True:
        inner = next((node for node in body if _spans(node, line)), None)
        while isinstance(inner, ast.If | ast.Try | ast.With):
            nested = [*inner.body, *getattr(inner, "orelse", []), *getattr(inner, "finalbody", [])]
            inner = next((node for node in nested if _spans(node, line)), None)
        if isinstance(inner, ast.ClassDef):
            names.append(inner.name)
            body = inner.body
            continue
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            return ".".join([*names, inner.name])
        return ""


def _spans(node: ast.stmt, line: int) -> bool:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    return first <= line <= (node.end_lineno or node.lineno)


def in_bytes(where: Where, lines: Sequence[str]) -> tuple[int, int, int, int]:
    """Return a place as code objects have it."""
    line, column, end_line, end_column = where
    start = len(lines[line - 1][: column - 1].encode())
    return line, start, end_line, len(lines[end_line - 1][: end_column - 1].encode())


def judged(target: Target, questions: Sequence[Question]) -> Iterator[Verdict]:
    """Execute a function with both kinds of keys, and judge the findings in it.

    Reuse is the same for both kinds; what is done to the words of keys is silent with raw ones, and an error with typed
    ones. An execution that confirms all findings is the last.
    """
    runs: list[Execution] = []
    verdicts: list[Verdict] = []
    torn_words = any(question.code in MISUSES for question in questions)
    for typed in (False, True) if torn_words else (True,):
        for run in Executor(target, typed=typed).executions():
            runs.append(run)
            verdicts = [
                torn(target, question, runs) if question.code in MISUSES else consumed_twice(target, question, runs)
                for question in questions
            ]
            if all(verdict.status == "confirmed" for verdict in verdicts):
                return iter(verdicts)
    return iter(verdicts)


def at(chain: Iterable[Span], file: str, where: Where) -> bool:
    """Say whether a chain of calls goes through a place."""
    return any(span.file == file and (span.line, span.column, span.end_line, span.end_column) == where for span in chain)


# Reuse and collisions.


def consumed_twice(target: Target, question: Question, runs: Sequence[Execution]) -> Verdict:
    """Judge a finding of two uses of one key, by the identities at its two places."""
    best = Verdict("not reached", not_reached(runs))
    for run in runs:
        one = [event for event in run.lineage.events if at(event.chain, target.file, question.where)]
        other = one
        if question.other is not None:
            other = [event for event in run.lineage.events if at(event.chain, target.file, question.other)]
        verdict = compared(question, run, one, other)
        if verdict is not None and RANK[verdict.status] > RANK[best.status]:
            best = verdict
        if best.status == "confirmed":
            break
    return best


RANK = {"not reached": 0, "refuted": 1, "inconclusive": 2, "confirmed": 3}


def compared(question: Question, run: Execution, one: Sequence[Event], other: Sequence[Event]) -> Verdict | None:
    """Compare the keys at two places in one execution; ``None`` if it does not reach both."""
    identities = run.lineage.identities
    if question.code == "OLY108":
        first = [(event, identities.stream(key)) for event in other for key in event.made]
        second = [(event, identities.stream(key)) for event in one for key in event.made]
    else:
        first = [(event, key) for event in other if event.consumes for key in event.keys]
        second = [(event, key) for event in one if event.consumes for key in event.keys]
    if not one or not other or (one is other and len(one) < 2):
        return None
    if not first or not second:
        return Verdict("refuted", "the calls there derive keys or pass them on, and consume none")
    pairs = [(a, b, key) for a, key in first for b, again in second if a is not b and key == again]
    for a, b, key in sorted(pairs, key=lambda pair: ASSUMED in (pair[0].name, pair[1].name)):
        if ASSUMED in (a.name, b.name) and not question.certain:
            return Verdict("inconclusive", "what the call does with the key is not known")
        told = run.lineage.describe(key) if isinstance(key, int) else "one key"
        return Verdict("confirmed", f"both use {told}", (str(a.chain[0]), str(b.chain[0])))
    keys = {key for _, key in (*first, *second) if isinstance(key, int)}
    if all(identities.is_certain(key) for key in keys):
        return Verdict("refuted", "the keys there are different ones")
    return Verdict("inconclusive", "it is not known which keys are used there")


def not_reached(runs: Sequence[Execution]) -> str:
    """Say why no execution came to a place."""
    errors = [run.error for run in runs if run.error] or [run.failure.text for run in runs if run.failure]
    return f"the execution ended before: {errors[-1]}" if errors else "no execution comes there"


# Words taken out of a key, arithmetic, transposition.


def torn(target: Target, question: Question, runs: Sequence[Execution]) -> Verdict:
    """Judge a finding of something that is done to the words of a key."""
    for run in runs:
        for misuse in run.lineage.misuses:
            if misuse.kind in ("indexing", "arithmetic", "transposition"):
                if any(at(event.chain, target.file, question.where) for event in (misuse.first, misuse.second)):
                    return Verdict("confirmed", f"a key is put together of {run.lineage.describe(misuse.key)}")
        if run.failure is not None and at(run.failure.chain, target.file, question.where):
            return Verdict("confirmed", f"with a typed key it is an error: {failure_text(run.failure)}")
    return Verdict("not reached", not_reached(runs))


def failure_text(failure: Failure) -> str:
    """Return the error that JAX raises, in one line."""
    return f"{failure.error}: {failure.text}"


def module_name(file: Path, folders: Sequence[Path]) -> str:
    """Return the name under which a file is imported."""
    for folder in folders:
        if file.is_relative_to(folder):
            parts = list(file.relative_to(folder).with_suffix("").parts)
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return file.stem
