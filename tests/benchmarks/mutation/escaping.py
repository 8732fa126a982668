"""Changes that let a used key out of a function, into a field from which another function draws."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from mutation.change import Mutant, between, comes_before, replaced
from mutation.draws import DRAWS, SIMPLE, Draw, Source, bound, parameters, statements, surely


@cache
def drawn_fields(source: Source) -> dict[str, list[int]]:
    """Return the attributes that the file hands to a function of ``jax.random``, with the rows of the calls."""
    found: dict[str, list[int]] = {}
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=callee, args=[ast.Attribute(value=ast.Name(), attr=name), *_]) if (
                source.names.called(callee) in DRAWS
            ):
                found.setdefault(name, []).append(node.lineno)
    return found


@cache
def fields(source: Source) -> dict[str, set[str]]:
    """Return the annotated fields of the classes of a file."""
    return {
        node.name: {s.target.id for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef)
    }


def uses(source: Source, function: ast.FunctionDef) -> list[int]:
    """Return the rows of the calls of a function in its file, where a repeat between two calls may be reported."""
    callees = [(node.func, node.lineno) for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    return [row for callee, row in callees if ast.unparse(callee).rpartition(".")[2] == function.name]


def escapes(source: Source, function: ast.FunctionDef, found: list[Draw]) -> Iterator[Mutant]:
    """Yield the mutants that put a used key into a field, in place of a fresh one.

    A field is one of a record that the file defines, or one that ``replace`` writes; another function of the file
    draws from a field of that name. The key repeats when a record goes from the one to the other.
    """
    drawn, records = drawn_fields(source), fields(source)
    shared = bound(node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    for statement, path in statements(function.body):
        for node in surely(statement) if isinstance(statement, SIMPLE) else ():
            if not isinstance(node, ast.Call):
                continue
            callee = ast.unparse(node.func).rpartition(".")[2]
            for each in node.keywords:
                known = callee in ("replace", "_replace") or each.arg in records.get(callee, ())
                if not known or each.arg not in drawn or not isinstance(each.value, ast.Name):
                    continue
                at = Draw(each.value, node, path, statement, is_direct=False)
                for first in found:
                    if first.name == at.name or not first.is_direct or not comes_before(first, at):
                        continue
                    if first.name not in bound(between(function, first, at)) | shared:
                        rows = (
                            node.lineno,
                            at.key.lineno,
                            first.call.lineno,
                            *drawn[each.arg],
                            *uses(source, function),
                        )
                        yield Mutant("escaped", function, first.name, None, rows, (replaced(at.key, first.name),))


def kept_fields(source: Source, function: ast.FunctionDef) -> Iterator[Mutant]:
    """Yield the mutants of ``key, sub = split(state.key)`` that write ``state.key`` back in place of ``key``.

    It repeats when the function is called again with what it returns.
    """
    split: dict[str, ast.Attribute] = {}
    for statement in function.body:
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=key), *_])],
                value=ast.Call(func=callee, args=[ast.Attribute(value=ast.Name(id=state)) as parent, *_]),
            ) if source.names.called(callee) == "split" and state in parameters(function):
                split[key] = parent
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("replace", "_replace"):
            for each in node.keywords:
                if isinstance(each.value, ast.Name) and (old := split.get(each.value.id)) and old.attr == each.arg:
                    rows = (node.lineno, each.value.lineno, old.lineno, *uses(source, function))
                    yield Mutant("replace", function, old.attr, None, rows, (replaced(each.value, ast.unparse(old)),))


def stored(function: ast.FunctionDef, source: Source) -> Iterator[Mutant]:
    """Yield the mutants of a method that splits the key of its object and keeps the old one.

    It repeats when the method is called again, as no other method but ``__init__`` writes the attribute.
    """
    owner = source.parents.get(function)
    if not isinstance(owner, ast.ClassDef) or function.name == "__init__":
        return
    for statement in function.body:
        match statement:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Attribute(value=ast.Name(id="self"), attr=name) as target, _])],
                value=ast.Call(
                    func=callee, args=[ast.Attribute(value=ast.Name(id="self"), attr=parent)], keywords=[]
                ) as value,
            ) if name == parent and source.names.called(callee) == "split":
                written = [
                    part
                    for each in source.tree.body
                    for part in ast.walk(each)
                    if isinstance(part, ast.Attribute) and part.attr == name and not isinstance(part.ctx, ast.Load)
                ]
                init = next((s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"), None)
                at_first = {id(part) for part in ast.walk(init)} if init else set()
                if all(part is target or id(part) in at_first for part in written):
                    edits = (replaced(target, "_"),)
                    yield Mutant("stored", function, name, None, (value.lineno, *uses(source, function)), edits)
