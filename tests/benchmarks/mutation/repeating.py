"""Changes that make a key repeat inside one function, whatever the rest of the project does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mutation.change import Edit, Mutant, between, comes_before, replaced
from mutation.draws import Draw, Project, Source, Steps, bound, parameters, statements
from mutation.escaping import escapes, kept_fields, stored

SCANS = {"scan": 0, "fori_loop": 1, "while_loop": 0}
"""The parameter of the body that each loop of ``jax.lax`` carries its state in."""


def mutants(project: Project, source: Source, function: ast.FunctionDef) -> Iterator[Mutant]:
    """Yield the mutants of a function."""
    found = project.draws(source, function)
    shared = bound(node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    pairs = [(first, again) for first in found for again in found if comes_before(first, again)]
    for first, again in pairs:
        written = bound(between(function, first, again))
        kind = "again" if first.is_direct and again.is_direct else "calls"
        if first.name != again.name and first.name not in written | shared:
            edits = (replaced(again.key, first.name),)
            yield Mutant(kind, function, first.name, again, (again.call.lineno,), edits, first)
    for first, again in pairs:
        if first.name == again.name and first.name not in shared:
            yield from _kept(function, source, first, again)
    for statement, path in statements(function.body):
        if isinstance(statement, ast.For) and not any(isinstance(part, ast.Break) for part in ast.walk(statement)):
            yield from _loop(function, statement, found, source)
            yield from _constant(function, statement, path, found, source)
    for inner in ast.walk(function):
        if isinstance(inner, ast.FunctionDef):
            yield from _carried(function, inner, project, source)
    yield from escapes(source, function, found)
    yield from kept_fields(source, function)
    yield from stored(function, source)


def _split(statement: ast.stmt, source: Source) -> tuple[str, list[str], ast.expr] | None:
    """Return the names of ``key, sub = split(key)`` and its right side; ``None`` for any other statement."""
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id=key), *subs])],
            value=ast.Call(func=callee, args=[ast.Name(id=parent), *_], keywords=[]) as value,
        ) if key == parent and source.names.called(callee) == "split" and statement.lineno == statement.end_lineno:
            names = [each.id for each in subs if isinstance(each, ast.Name)]
            if len({key, *names}) == len(subs) + 1:
                return key, names, value
    return None


def _kept(function: ast.FunctionDef, source: Source, first: Draw, again: Draw) -> Iterator[Mutant]:
    """Yield the mutant that leaves out the one split between two draws from one name."""
    inner = between(function, first, again)
    made = [(each, split) for each in inner if (split := _split(each, source)) and split[1] == [first.name]]
    if len(made) == 1 and first.name not in bound(each for each in inner if each is not made[0][0]):
        key, subs, value = made[0][1]
        edits = (replaced(value, f"{key}, {subs[0]}"),)
        yield Mutant("kept", function, first.name, again, (again.call.lineno,), edits, first)


def _loop(function: ast.FunctionDef, loop: ast.For, found: list[Draw], source: Source) -> Iterator[Mutant]:
    """Yield the mutants of a loop that splits its key in every turn: without the split, and with it in front."""
    for number, statement in enumerate(loop.body):
        split = _split(statement, source)
        if split is None or bound(each for each in (*loop.body, loop.target) if each is not statement) & {
            split[0],
            *split[1],
        }:
            continue
        key, subs, value = split
        for draw in found:
            if draw.name in subs and draw.path[-1][0] == id(loop.body) and draw.path[-1][1] > number:
                if len(subs) == 1:
                    edits: tuple[Edit, ...] = (replaced(value, f"{key}, {key}"),)
                    yield Mutant("loop", function, draw.name, draw, (draw.call.lineno,), edits)
                indent, text = loop.col_offset, ast.unparse(statement)
                edits = (replaced(statement, "pass"), (loop.lineno, indent, indent, f"{text}\n{' ' * indent}"))
                yield Mutant("hoist", function, draw.name, draw, (draw.call.lineno,), edits)
                break


def _constant(
    function: ast.FunctionDef, loop: ast.For, path: Steps, found: list[Draw], source: Source
) -> Iterator[Mutant]:
    """Yield the mutants of a loop that folds its variable into a key and draws from what it gets."""
    turns, written = bound([loop.target]), bound(loop.body)
    for number, statement in enumerate(loop.body):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=sub)],
                value=ast.Call(func=callee, args=[ast.Name(id=key), ast.Name(id=count) as data], keywords=[]) as value,
            ) if source.names.called(callee) == "fold_in" and count in turns and key not in written | turns:
                for draw in found:
                    inside = draw.path[-1][0] == id(loop.body) and draw.path[-1][1] > number
                    if draw.name == sub and inside and sub not in bound(s for s in loop.body if s is not statement):
                        yield Mutant(
                            "constant", function, sub, draw, (draw.call.lineno, value.lineno), (replaced(data, "0"),)
                        )
                        break


def _position(function: ast.FunctionDef, carry: str, key: str) -> int | None:
    """Return where a state holds a key: -1 where it is the key, ``None`` where that is not clear."""
    if carry == key:
        return -1
    for statement in function.body:
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name(id=name)) if name == carry:
                names = [each.id if isinstance(each, ast.Name) else "" for each in elts]
                return names.index(key) if key in names else None
    return None


def _carried(function: ast.FunctionDef, inner: ast.FunctionDef, project: Project, source: Source) -> Iterator[Mutant]:
    """Yield the mutants of the body of a loop of ``jax.lax`` that splits the key in its state."""
    loops = [
        (call.func.attr, call)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in SCANS
        if any(isinstance(each, ast.Name) and each.id == inner.name for each in call.args)
    ]
    returns = [part for part in ast.walk(inner) if isinstance(part, ast.Return)]
    if len(loops) != 1 or len(returns) != 1 or inner.decorator_list or returns[0] not in inner.body:
        return
    (loop, _), (returned,) = loops[0], returns
    if loop == "while_loop" and ast.unparse(loops[0][1].args[1]) != inner.name:
        return
    names, state = parameters(inner), returned.value
    if loop == "scan":
        state = state.elts[0] if isinstance(state, ast.Tuple) and state.elts else None
    for number, statement in enumerate(inner.body):
        split = _split(statement, source)
        if split is None or len(split[1]) != 1 or len(names) <= SCANS[loop]:
            continue
        key, (sub,), value = split
        at = _position(inner, names[SCANS[loop]], key)
        match state:
            case ast.Name(id=name):
                comes_back = at == -1 and name == key
            case ast.Tuple(elts=elts):
                comes_back = at is not None and 0 <= at < len(elts) and ast.unparse(elts[at]) == key
            case _:
                comes_back = False
        rest = bound(inner.body[number + 1 :])
        if comes_back and not rest & {key, sub}:
            for draw in project.draws(source, inner):
                if draw.name == sub and len(draw.path) == 1 and draw.path[0][1] > number:
                    edits = (replaced(value, f"{key}, {key}"),)
                    yield Mutant("carried", function, sub, draw, (draw.call.lineno,), edits)
                    break
