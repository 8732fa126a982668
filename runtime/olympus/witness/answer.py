"""Answer questions about the functions of one file by executing them with stand-ins."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from olympus.verdicts.judge import WORDS, Execution, at, better, judge_one
from olympus.verdicts.question import Place, Question, Verdict
from olympus.verdicts.turns import LENGTHS
from olympus.witness.callers import callers
from olympus.witness.execution import Executor, Target, module_name
from olympus.witness.preparation import Branch

__all__ = ["answer", "module_name"]

AGAIN = (
    ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
ENOUGH = 5  # seconds of processor time, after which no other way to a place is tried


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
    groups: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        groups.setdefault(outermost(tree, question.place.line), []).append(index)
    words = {in_bytes(question.place, lines): question.place for question in questions if question.code in WORDS}
    branches = frozenset(branch for question in questions for branch in way(tree, question))
    told = replace(target, asked=tuple(words.items()), branches=branches)
    verdicts: dict[int, Verdict] = {}
    for function, indices in groups.items():
        asked = [questions[index] for index in indices]
        claimed = frozenset(
            in_bytes(question.place, lines) for question in asked if question.certain and question.code in WORDS
        )
        ways = tuple({tuple(sorted(way(tree, question).items())): None for question in asked})
        twice = any(is_round(tree, question) for question in asked)
        own = replace(told, function=function, claimed=claimed, ways=tuple(map(dict, ways)), twice=twice)
        verdicts.update(zip(indices, of_function(own, tree, asked), strict=True))
    return [verdicts[index] for index in range(len(questions))]


def of_function(target: Target, tree: ast.Module, questions: Sequence[Question]) -> list[Verdict]:
    """Judge the findings in one function, by one way to execute it after the other.

    Args:
        target: the function.
        tree: its file.
        questions: the findings.
    """
    seen: set[Place] = set()
    found = tried(target, tree, questions, seen)
    if any(verdict.reason in LENGTHS for verdict in found):
        always = tried(target, tree, questions, seen, is_open=True)
        found = [
            other if verdict.status in ("inconclusive", "not reached") and other.status == "refuted" else verdict
            for verdict, other in zip(found, always, strict=True)
        ]
    return [excluded(tree, question, verdict, seen) for question, verdict in zip(questions, found, strict=True)]


def tried(
    target: Target, tree: ast.Module, questions: Sequence[Question], seen: set[Place], *, is_open: bool = False
) -> list[Verdict]:
    """Judge the findings in one function by one way to execute it after the other.

    Args:
        target: the function.
        tree: its file.
        questions: the findings.
        seen: places that an execution came to with a known key; is added to.
        is_open: whether loops stand for all numbers of turns.
    """
    found = [Verdict("not reached", "witness", "no execution comes there")] * len(questions)
    kinds = (False, True) if any(question.code in WORDS for question in questions) else (True,)
    by_kind = dict.fromkeys(kinds, found)
    start = time.process_time()
    for executor in executors(target, tree, kinds, is_open=is_open):
        by_kind[executor.typed] = judged(executor, questions, by_kind[executor.typed], seen)
        both = zip(questions, zip(*by_kind.values(), strict=True), strict=True)
        found = [together(question, verdicts) for question, verdicts in both]
        decided = ("confirmed", "refuted") if executor.typed else ("confirmed",)
        if all(verdict.status in decided for verdict in found) or time.process_time() - start > ENOUGH:
            break
    return found


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
    """Return a place as code objects have it."""
    start = len(lines[place.line - 1][: place.column - 1].encode())
    return place.line, start, place.end_line, len(lines[place.end_line - 1][: place.end_column - 1].encode())


def way(tree: ast.Module, question: Question) -> dict[Branch, bool]:
    """Return what the conditions around and before the places of a question have to be for both to be come to."""
    wanted: dict[Branch, bool] = {}
    for place in (question.other, question.place):
        if place is not None and place.file == question.place.file:
            wanted.update(lead(tree, place.line))
    return wanted


def is_round(tree: ast.Module, question: Question) -> bool:
    """Say whether a finding is about two calls of one method, outside of any loop: about one place, or back in it."""
    if question.code in WORDS:
        return False
    own, other = (around(tree, place) for place in (question.place, question.other or question.place))
    if own != other or [type(node) for node in own] != [ast.ClassDef, ast.FunctionDef]:
        return False
    back = question.other is not None and starts(question.other) > starts(question.place)
    return question.other is None or (back and getattr(own[-1], "name", "") != "__init__")


def around(tree: ast.Module, place: Place) -> list[ast.AST]:
    """Return what is around a place that may be come to again and again, outermost first."""
    return [node for node in ast.walk(tree) if isinstance(node, AGAIN) and contains(node, starts(place))]


def starts(place: Place) -> tuple[int, int]:
    """Return the line and column where a place begins."""
    return place.line, place.column


def contains(node: Any, start: tuple[int, int]) -> bool:
    """Say whether a place is in a node."""
    first, last = (node.lineno, node.col_offset + 1), (node.end_lineno, node.end_col_offset)
    return bool(first <= start <= last)


def lead(node: ast.AST, line: int) -> Iterator[tuple[Branch, bool]]:
    """Return the conditions in a statement that decide whether an execution comes to a line, each with what it is."""
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


def executors(target: Target, tree: ast.Module, kinds: Sequence[bool], *, is_open: bool) -> Iterator[Executor]:
    """Return the ways to execute a function: alone, for an object that its constructor makes, and as it is called.

    Reuse is the same for typed and raw keys; what is done to the words of keys is silent with raw ones, and an error
    with typed ones.

    Args:
        target: the function.
        tree: its file.
        kinds: whether keys are typed, for each of the two kinds that is tried.
        is_open: whether loops stand for all numbers of turns.
    """
    for typed in kinds:
        yield Executor(target, typed=typed, is_open=is_open)
    for typed in kinds:
        executor = Executor(target, typed=typed, constructed=True, is_open=is_open)
        if executor.entry.has_constructor:
            yield executor
    for caller in callers(target, tree):
        for typed in kinds:
            yield Executor(caller, typed=typed, home=target, is_open=is_open)


def judged(
    executor: Executor, questions: Sequence[Question], verdicts: list[Verdict], seen: set[Place]
) -> list[Verdict]:
    """Execute a function, and judge the findings in it; an execution that confirms all of them is the last.

    Args:
        executor: executes it.
        questions: the findings.
        verdicts: what is known of them so far.
        seen: places that an execution came to with a known key; is added to.
    """
    for execution in executor.executions():
        asked = {place for question in questions for place in (question.place, question.other) if place is not None}
        seen.update(place for place in asked if comes(execution, place))
        verdicts = [
            verdict if verdict.status == "confirmed" else better(verdict, judge_one(question, execution, "witness"))
            for question, verdict in zip(questions, verdicts, strict=True)
        ]
        if all(verdict.status == "confirmed" for verdict in verdicts):
            return verdicts
    return verdicts if executor.complete else [undecided(verdict) for verdict in verdicts]


def together(question: Question, verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict of raw keys and of typed ones: both have to refute a finding about the words of keys."""
    best = verdicts[0]
    for verdict in verdicts[1:]:
        best = best if verdict.status == best.status == "confirmed" else better(best, verdict)
    if question.code in WORDS and best.status == "refuted" and any(verdict.status != "refuted" for verdict in verdicts):
        return Verdict("inconclusive", "witness", "no execution comes there with the other kind of keys")
    return best


def comes(execution: Execution, place: Place) -> bool:
    """Say whether an execution comes to a place with a key of its own: one of a module is there for each call."""
    identities = execution.lineage.identities
    keys = [key for event in execution.lineage.events if at(event.chain, place) for key in event.keys]
    return bool(keys) and all(identities[identities.root(key)].operation in ("argument", "seed") for key in keys)


def excluded(tree: ast.Module, question: Question, verdict: Verdict, seen: set[Place]) -> Verdict:
    """Refute a finding about two places that no call comes to in that order, if one of them was come to.

    Args:
        tree: the file.
        question: the finding.
        verdict: what executions say of it.
        seen: the places that an execution came to with a known key.
    """
    place, other = question.place, question.other
    if verdict.status != "not reached" or other is None or place.file != other.file or not {place, other} & seen:
        return verdict
    first, second = (dict(choices(tree, starts(each))) for each in (place, other))
    if any(first[choice] != second[choice] for choice in first.keys() & second.keys()):
        return Verdict("refuted", "witness", "a call comes to one of the two places only")
    if is_made_before(around(tree, place), around(tree, other)):
        return Verdict("refuted", "witness", "an object is made before its other methods are called")
    return verdict


def is_made_before(own: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
    """Say whether a place is in a constructor that calls none of its object's methods, and another in such a method.

    Args:
        own: what is around the place.
        other: what is around the other one.
    """
    match own, other:
        case [ast.ClassDef() as owner, ast.FunctionDef(name="__init__") as made], [same, ast.FunctionDef() as method]:
            itself = made.args.args[0].arg if made.args.args else ""
            methods = {node.name for node in owner.body if isinstance(node, ast.FunctionDef)}
            named = [node for node in ast.walk(made) if isinstance(node, ast.Name) and node.id == itself]
            attributes = [node for node in ast.walk(made) if isinstance(node, ast.Attribute) and node.value in named]
            whole = len(named) > len(attributes)  # it is given away
            return owner is same and made is not method and not whole and not {a.attr for a in attributes} & methods
    return False


def choices(node: Any, start: tuple[int, int], kept: frozenset[str] | None = None) -> Iterator[tuple[Any, Any]]:
    """Return what a call chooses on its way to a place, each with what it chooses: outside of loops and of methods.

    Args:
        node: what is gone through.
        start: where the place begins.
        kept: the names of the function that are one thing all along; ``None`` outside of functions.
    """
    if isinstance(node, ast.For | ast.While):
        yield from end_of_loop(node, start)
        return
    if isinstance(node, ast.FunctionDef):
        if kept is not None:
            return
        kept = names_kept(node)
    elif isinstance(node, AGAIN):
        return
    for field, value in ast.iter_fields(node):
        for index, inner in enumerate(value if isinstance(value, list) else [value]):
            if not hasattr(inner, "lineno") and not isinstance(inner, ast.match_case):
                continue
            if not contains(span_of(inner), start):
                continue
            if isinstance(node, ast.If | ast.IfExp) and field in ("body", "orelse"):
                yield tested(node, kept), field
            if (isinstance(node, ast.Match) and field == "cases") or (is_conditional(node) and field == "args"):
                yield node, index
            if isinstance(node, ast.Try):
                yield from attempted(node, field, index, start)
            for earlier in value[:index] if isinstance(value, list) and field in ("body", "orelse") else ():
                if isinstance(earlier, ast.If) and isinstance(earlier.body[-1], ast.Return | ast.Raise):
                    yield tested(earlier, kept), "orelse"
            yield from choices(inner, start, kept)


def names_kept(function: ast.FunctionDef) -> frozenset[str]:
    """Return the parameters that nothing in a function assigns to."""
    parameters = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return frozenset(parameters - stored)


def tested(node: ast.If | ast.IfExp, kept: frozenset[str] | None) -> Any:
    """Return what a condition is told by: its test, where that is a name that is one thing all along."""
    return node.test.id if isinstance(node.test, ast.Name) and node.test.id in (kept or ()) else node


def attempted(node: ast.Try, field: str, index: int, start: tuple[int, int]) -> Iterator[tuple[Any, Any]]:
    """Return what is known on the way to a place in a ``try``: if its last call is done, no handler comes after it."""
    if field == "handlers":
        yield (node, "handler"), index
        yield (node, "failed"), True
    last = getattr(node.body[-1], "value", None)
    done = field == "body" and isinstance(last, ast.Call) and (last.lineno, last.col_offset + 1) == start
    if done or field == "orelse":
        yield (node, "failed"), False


def end_of_loop(node: ast.For | ast.While, start: tuple[int, int]) -> Iterator[tuple[Any, Any]]:
    """Return how a loop ends on the way to a place: in its ``else``, or in a block that leaves the loop."""
    if any(contains(statement, start) for statement in node.orelse):
        yield node, "else"
    blocks: list[list[ast.stmt]] = [node.body]
    while blocks:
        block = blocks.pop()
        inside = next((statement for statement in block if contains(statement, start)), None)
        if inside is not None and isinstance(block[-1], ast.Break):
            yield node, "break"
        if isinstance(inside, ast.If | ast.With):
            blocks += [inside.body, getattr(inside, "orelse", [])]


def is_conditional(node: ast.AST) -> bool:
    """Say whether a node is a call of ``lax.cond``: one of the functions that it is given is called."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("lax.cond")


def span_of(node: Any) -> Any:
    """Return what has the place of a node: a case has that of its pattern and body."""
    if not isinstance(node, ast.match_case):
        return node
    last = node.body[-1]
    return ast.Pass(
        lineno=node.pattern.lineno,
        col_offset=node.pattern.col_offset,
        end_lineno=last.end_lineno,
        end_col_offset=last.end_col_offset,
    )


def undecided(verdict: Verdict) -> Verdict:
    """Return a verdict of executions that did not try all decisions: what was not seen may still be."""
    if verdict.status != "refuted":
        return verdict
    return Verdict("inconclusive", verdict.tier, "not all branches could be tried")
