"""The order in which one call reaches two places, as far as the syntax determines it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from olympus.verdicts.question import Place, Question, Verdict

__all__ = ["excluded", "is_once", "is_round"]

AGAIN = (
    ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


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


def excluded(tree: ast.Module, question: Question, verdict: Verdict, seen: set[Place]) -> Verdict:
    """Refute a finding if no call reaches its two places in that order, and an execution has reached one of them.

    Args:
        tree: the file.
        question: the finding.
        verdict: the verdict of the executions.
        seen: the places that an execution reached with a known key.
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
    """Return whether a place is in a constructor that calls no method of its object, and another in such a method.

    Args:
        own: the constructs around the place.
        other: the constructs around the other place.
    """
    match own, other:
        case [ast.ClassDef() as owner, ast.FunctionDef(name="__init__") as made], [same, ast.FunctionDef() as method]:
            itself = made.args.args[0].arg if made.args.args else ""
            methods = {node.name for node in owner.body if isinstance(node, ast.FunctionDef)}
            named = [node for node in ast.walk(made) if isinstance(node, ast.Name) and node.id == itself]
            attributes = [node for node in ast.walk(made) if isinstance(node, ast.Attribute) and node.value in named]
            whole = len(named) > len(attributes)  # the object escapes
            return owner is same and made is not method and not whole and not {a.attr for a in attributes} & methods
    return False


def choices(node: Any, start: tuple[int, int], kept: frozenset[str] | None = None) -> Iterator[tuple[Any, Any]]:
    """Return the decisions on the way to a place, each with its outcome; those in loops and methods are left out.

    Args:
        node: the syntax to search.
        start: the start of the place.
        kept: the names of the function that are never rebound; ``None`` outside of functions.
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
    """Return the parameters that a function only tests: their truth value does not change."""
    parameters = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    tests = [node.test for node in ast.walk(function) if isinstance(node, ast.If | ast.IfExp)]
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and node not in tests}
    return frozenset(parameters - used)


def tested(node: ast.If | ast.IfExp, kept: frozenset[str] | None) -> Any:
    """Return the key of a condition: the test itself if it is a name that is never rebound."""
    return node.test.id if isinstance(node.test, ast.Name) and node.test.id in (kept or ()) else node


def attempted(node: ast.Try, field: str, index: int, start: tuple[int, int]) -> Iterator[tuple[Any, Any]]:
    """Return the decisions on the way to a place in a ``try``: after its last call has returned, no handler runs."""
    if field == "handlers":
        yield (node, "handler"), index
        yield (node, "failed"), True
    last: Any = getattr(node.body[-1], "value", None)
    done = field == "body" and is_draw(last) and (last.lineno, last.col_offset + 1) == start
    if done or field == "orelse":
        yield (node, "failed"), False


def is_draw(node: Any) -> bool:
    """Return whether a node looks like a call of ``jax.random``: one that fails has consumed nothing."""
    import jax

    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and hasattr(jax.random, function.attr)


def end_of_loop(node: ast.For | ast.While, start: tuple[int, int]) -> Iterator[tuple[Any, Any]]:
    """Return how a loop ends on the way to a place: by its ``else``, or in a block that leaves the loop."""
    if any(contains(statement, start) for statement in node.orelse):
        yield node, "else"
    blocks: list[list[ast.stmt]] = [node.body]
    while blocks:
        block = blocks.pop()
        inside = next((statement for statement in block if contains(statement, start)), None)
        goes_on = any(isinstance(each, ast.Continue) for statement in block for each in ast.walk(statement))
        if inside is not None and isinstance(block[-1], ast.Break) and not goes_on:
            yield node, "break"
        if isinstance(inside, ast.If | ast.With):
            blocks += [inside.body, getattr(inside, "orelse", [])]


def is_conditional(node: ast.AST) -> bool:
    """Return whether a node is a call of ``lax.cond``, which calls one of its functions."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("lax.cond")


def span_of(node: Any) -> Any:
    """Return a node with a place: a case of ``match`` spans its pattern and body."""
    if not isinstance(node, ast.match_case):
        return node
    last = node.body[-1]
    return ast.Pass(
        lineno=node.pattern.lineno,
        col_offset=node.pattern.col_offset,
        end_lineno=last.end_lineno,
        end_col_offset=last.end_col_offset,
    )
