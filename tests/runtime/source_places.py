"""Where an expression stands in a test's own source, as `ast` has it: what traced spans are compared with."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

from olympus.tracing.spans import Span


def at(function: Callable[..., object], text: str, nth: int = 0) -> Span:
    """Return the span of the nth place in a function where an expression is spelled so, in the order of the source.

    Args:
        function: where to look; functions inside it count.
        text: the expression; spaces and line breaks do not matter.
        nth: which of several places.
    """
    code = inspect.unwrap(function).__code__
    file = code.co_filename
    wanted = ast.unparse(ast.parse(text, mode="eval"))
    source = Path(file).read_text("utf-8")
    found = [
        (node, scope)
        for node, scope in scoped(ast.parse(source), "")
        if isinstance(node, ast.expr) and ast.unparse(node) == wanted and inside(scope, code.co_qualname)
    ]
    found.sort(key=lambda pair: (pair[0].lineno, pair[0].col_offset))
    assert len(found) > nth, f"{text!r} is not in {code.co_qualname}"
    node, scope = found[nth]
    return span_of(node, scope, file, source.splitlines())


def inside(scope: str, function: str) -> bool:
    return scope == function or scope.startswith(f"{function}.<locals>.")


def scoped(node: ast.AST, scope: str) -> Iterator[tuple[ast.AST, str]]:
    """Return all nodes with the qualified name of the function that runs them."""
    for child in ast.iter_child_nodes(node):
        yield child, scope
        if isinstance(child, ast.FunctionDef):
            for decorator in child.decorator_list:
                yield from scoped(ast.Expr(decorator), scope)
            name = child.name if not scope else f"{scope}.<locals>.{child.name}"
            yield from scoped(ast.Module(child.body, []), name)
        elif isinstance(child, ast.Lambda):
            name = f"{scope}.<locals>.<lambda>" if scope else "<lambda>"
            yield child.body, name
            yield from scoped(child.body, name)
        else:
            yield from scoped(child, scope)


def span_of(node: ast.expr, scope: str, file: str, lines: list[str]) -> Span:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = characters(lines[node.lineno - 1], node.col_offset)
    end = characters(lines[node.end_lineno - 1], node.end_col_offset)
    return Span(file, node.lineno, start, node.end_lineno, end, scope)


def characters(line: str, offset: int) -> int:
    """Return the column, from 1, of a byte of a line, from 0."""
    column, passed = 1, 0
    for character in line:
        if passed >= offset:
            break
        passed += len(character.encode("utf-8"))
        column += 1
    return column
