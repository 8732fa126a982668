"""Answer questions about the functions of one file by executing them with stand-ins."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from olympus.verdicts.judge import WORDS, Execution, at, better, judge_one
from olympus.verdicts.question import Place, Question, Status, Verdict
from olympus.verdicts.reasons import Reason
from olympus.witness.callers import callers
from olympus.witness.execution import Executor, Target
from olympus.witness.preparation import Branch

SHOWN = 3  # conditions in a reason
ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
AGAIN = (
    ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""Constructs that are executed several times, or at another time."""
RAW, TYPED, BOTH = (False,), (True,), (False, True)  # whether keys are typed, for each kind that is tried
ENOUGH = 150_000  # steps, after which no other entry is tried
NET = 40  # seconds of processor time for that: a net below the steps
STRUCK: Any = {"status": "inconclusive", "reason": Reason.STRUCK.of(NET)}


def answer(target: Target, questions: Sequence[Question]) -> list[Verdict]:
    """Judge the findings of one file.

    Args:
        target: the file; its function and claims are put in here.
        questions: the findings.
    """
    try:
        tree = ast.parse(target.text)
    except (SyntaxError, ValueError) as error:
        reason = f"the file is no Python of this version: {error}"
        return [Verdict("not reached", "witness", reason)] * len(questions)
    lines = target.text.split("\n")
    about_words = [question for question in sorted(questions, key=rank) if question.code in WORDS]
    words = {in_bytes(question.place, lines): question.place for question in about_words}
    branches = frozenset(branch for question in questions for branch in way(tree, question))
    told = replace(target, asked=tuple(words.items()), branches=branches)
    verdicts: dict[int, Verdict] = {}
    for function, indices in by_function(tree, questions).items():
        asked = [questions[index] for index in indices]
        claimed = frozenset(
            in_bytes(question.place, lines) for question in asked if question.certain and question.code in WORDS
        )
        ways = tuple({tuple(sorted(way(tree, question).items())): None for question in asked})
        twice = any(question.code not in WORDS and is_round(tree, question) for question in asked)
        own = replace(told, function=function, claimed=claimed, ways=tuple(map(dict, ways)), twice=twice)
        verdicts.update(zip(indices, Findings(own, tree, asked).verdicts(), strict=True))
    return [verdicts[index] for index in range(len(questions))]


def by_function(tree: ast.Module, questions: Sequence[Question]) -> dict[str, list[int]]:
    """Return the numbers of the questions about each function, in whatever order they come."""
    groups: dict[str, list[int]] = {}
    for index in sorted(range(len(questions)), key=lambda index: rank(questions[index])):
        groups.setdefault(outermost(tree, questions[index].place.line), []).append(index)
    return groups


def rank(question: Question) -> tuple[Any, ...]:
    """Return the sort key of a question: the order in which questions arrive does not matter."""
    return question.place, question.code, question.other or (), question.certain


@dataclass(slots=True)
class Findings:
    """The findings in one function.

    Attributes:
        target: the function.
        tree: its file.
        questions: the findings.
        seen: the places that an execution reached with a known key.
        apart: conditions that were implied by others, by the status that follows.
    """

    target: Target
    tree: ast.Module
    questions: Sequence[Question]
    seen: set[Place] = field(default_factory=set)
    apart: dict[Status, list[str]] = field(default_factory=dict)

    def verdicts(self) -> list[Verdict]:
        """Judge them."""
        kinds = BOTH if any(question.code in WORDS for question in self.questions) else TYPED
        found = self.tried(kinds)
        if kinds is TYPED and any(verdict.status == "not reached" for verdict in found):
            # the way may be one of raw keys: `assert key.shape == (2,)`
            raw = zip(found, Findings(self.target, self.tree, self.questions).tried(RAW), strict=True)
            found = [better(one, other) if one.status == "not reached" else one for one, other in raw]
        return [self.parted(question, verdict) for question, verdict in zip(self.questions, found, strict=True)]

    def parted(self, question: Question, verdict: Verdict) -> Verdict:
        """Return which conditions keep two places apart that executions reach one by one and never both."""
        if verdict.status != "not reached" or question.other is None:
            return verdict
        places = (question.place, question.other)
        for status, conditions in self.apart.items() if self.seen.issuperset(places) else ():
            decided = ", ".join(f"`{each}`" for each in conditions[:SHOWN])
            why = Reason.DECIDED.of(decided) if decided else Reason.APART
            if status == "refuted" and all(is_once(self.tree, place) for place in places):
                return Verdict(status, verdict.tier, why)
            if decided:
                return Verdict("inconclusive", verdict.tier, why)
        return verdict

    def tried(self, kinds: Sequence[bool]) -> list[Verdict]:
        """Judge them by the entries of the function, one after the other.

        Args:
            kinds: whether keys are typed, for each kind to try.
        """
        found = [Verdict("not reached", "witness", Reason.UNREACHED)] * len(self.questions)
        by_kind = dict.fromkeys(kinds, found)
        start, spent = time.process_time(), 0
        for executor in executors(self.target, self.tree, kinds):
            before = executor.world.budget.spent
            by_kind[executor.typed] = self.judged(executor, by_kind[executor.typed])
            status: Status = "refuted" if executor.complete and executor.whole and not self.apart else "inconclusive"
            self.apart.setdefault(status, list(executor.forced))
            both = zip(self.questions, zip(*by_kind.values(), strict=True), strict=True)
            found = [together(question, verdicts) for question, verdicts in both]
            decided = ("confirmed", "refuted") if executor.typed else ("confirmed",)
            spent += executor.world.budget.spent - before
            if all(verdict.status in decided for verdict in found) or spent > ENOUGH:
                break
            if time.process_time() - start > NET:
                return [verdict if verdict.status == "confirmed" else replace(verdict, **STRUCK) for verdict in found]
        return found

    def judged(self, executor: Executor, verdicts: list[Verdict]) -> list[Verdict]:
        """Return their verdicts after the executions of one entry, until all of them are confirmed.

        Args:
            executor: executes the function.
            verdicts: their verdicts so far.
        """
        asked = {place for each in self.questions for place in (each.place, each.other) if place is not None}
        for execution in executor.executions():
            self.seen.update(place for place in asked if comes(execution, place))
            verdicts = [
                verdict if verdict.status == "confirmed" else better(verdict, judge_one(question, execution, "witness"))
                for question, verdict in zip(self.questions, verdicts, strict=True)
            ]
            if all(verdict.status == "confirmed" for verdict in verdicts):
                return verdicts
        untried = Verdict("inconclusive", "witness", Reason.BRANCHES)
        return [untried if verdict.status == "refuted" and not executor.complete else verdict for verdict in verdicts]


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
    return bool(first <= line <= (node.end_lineno or node.lineno))


def in_bytes(place: Place, lines: Sequence[str]) -> tuple[int, int, int, int]:
    """Return a place in the units of code objects: lines, and columns in bytes."""
    start = len(lines[place.line - 1][: place.column - 1].encode())
    return place.line, start, place.end_line, len(lines[place.end_line - 1][: place.end_column - 1].encode())


def way(tree: ast.Module, question: Question) -> dict[Branch, bool]:
    """Return the values of the surrounding and earlier conditions with which both places of a question are reached."""
    wanted: dict[Branch, bool] = {}
    for place in (question.other, question.place):
        if place is not None and place.file == question.place.file:
            wanted.update(lead(tree, place.line))
    return wanted


def lead(node: ast.AST, line: int) -> Iterator[tuple[Branch, bool]]:
    """Return the conditions in a statement on which reaching a line depends, each with the value that it needs."""
    for name in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(node, name, ())
        for index, statement in enumerate(block if isinstance(block, list) else ()):
            if not statement.lineno <= line <= statement.end_lineno:
                continue
            if isinstance(node, ast.If | ast.While):
                yield (node.lineno, node.col_offset), name == "body"
            for earlier in block[:index]:
                if isinstance(earlier, ast.If) and isinstance(earlier.body[-1], ENDS):
                    yield (earlier.lineno, earlier.col_offset), False
                elif isinstance(earlier, ast.If) and earlier.orelse and isinstance(earlier.orelse[-1], ENDS):
                    yield (earlier.lineno, earlier.col_offset), True
            yield from lead(statement, line)


def executors(target: Target, tree: ast.Module, kinds: Sequence[bool]) -> Iterator[Executor]:
    """Return the entries of a function: a direct call, a call on a constructed object, and calls by its callers.

    Reuse is the same for typed and raw keys; what is done to the words of keys is silent with raw ones, and an error
    with typed ones.

    Args:
        target: the function.
        tree: its file.
        kinds: whether keys are typed, for each kind to try.
    """
    for typed in kinds:
        yield Executor(target, typed=typed)
    for typed in kinds:
        executor = Executor(target, typed=typed, constructed=True)
        if executor.entry.has_constructor:
            yield executor
    for caller in callers(target, tree):
        for typed in kinds:
            yield Executor(caller, typed=typed, home=target)


def together(question: Question, verdicts: Sequence[Verdict]) -> Verdict:
    """Combine the verdicts of raw and of typed keys: a finding about the words of keys is refuted only by both."""
    best = verdicts[0]
    for verdict in verdicts[1:]:
        best = best if verdict.status == best.status == "confirmed" else better(best, verdict)
    if question.code in WORDS and best.status == "refuted" and any(verdict.status != "refuted" for verdict in verdicts):
        return Verdict("inconclusive", "witness", Reason.OTHER_KIND)
    return best


def comes(execution: Execution, place: Place) -> bool:
    """Return whether an execution reaches a place with a key of its own, and not with one that a module shares."""
    identities = execution.lineage.identities
    keys = [key for event in execution.lineage.events if at(event.chain, place) for key in event.keys]
    return bool(keys) and all(identities[identities.root(key)].operation in ("argument", "seed") for key in keys)


# The order in which one call reaches two places, as far as the syntax determines it.


def is_round(tree: ast.Module, question: Question) -> bool:
    """Return whether a finding outside of loops needs two calls of one method: of one place, or against the text."""
    own, other = (around(tree, place) for place in (question.place, question.other or question.place))
    if own != other or [type(node) for node in own] != [ast.ClassDef, ast.FunctionDef]:
        return False
    back = question.other is not None and starts(question.other) > starts(question.place)
    return question.other is None or (back and getattr(own[-1], "name", "") != "__init__")


def is_once(tree: ast.Module, place: Place) -> bool:
    """Return whether one call reaches a place at most once, and leaves nothing behind for another call."""
    return [type(node) for node in around(tree, place)] == [ast.FunctionDef]


def around(tree: ast.Module, place: Place) -> list[ast.AST]:
    """Return the repeated constructs around a place, such as loops and functions, outermost first."""
    return [node for node in ast.walk(tree) if isinstance(node, AGAIN) and contains(node, starts(place))]


def starts(place: Place) -> tuple[int, int]:
    """Return the line and column of the start of a place."""
    return place.line, place.column


def contains(node: Any, start: tuple[int, int]) -> bool:
    """Return whether a place is inside a node."""
    first, last = (node.lineno, node.col_offset + 1), (node.end_lineno, node.end_col_offset)
    return bool(first <= start <= last)
