"""Examples with prompts, in docstrings and in the code blocks of a page."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from doctest import DocTestParser

from olympus_lint.embedded.pieces import Lines, Piece, parsed
from olympus_rules.syntax.text import split_lines

ENDS = "\r\n"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def read_doctests(text: str) -> Lines:
    """Return the examples in the docstrings of a module; none if the module cannot be parsed."""
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Lines(text, ())
    lines = split_lines(text)
    pieces: list[Piece] = []
    for number, node in enumerate(sorted(_docstrings(tree), key=lambda node: node.lineno), 1):
        # without the lines of the opening and the closing quotes
        rows = lines[node.lineno : (node.end_lineno or node.lineno) - 1]
        if any(">>>" in row for row in rows):
            pieces += examples("".join(rows), node.lineno + 1, [""] * len(rows), number)
    return Lines(text, pieces)


def _docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    """Return the docstrings of a module."""
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and node.body and isinstance(node.body[0], ast.Expr):
            value = node.body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def examples(text: str, row: int, before: Sequence[str], block: int) -> Iterator[Piece]:
    """Return the examples of a text, each a piece.

    Args:
        text: the text.
        row: the row of its first line.
        before: the text before each of its lines, such as an indentation.
        block: the number of the docstring or block.
    """
    lines = split_lines(text)
    try:  # the parser of doctests splits at `\n` only
        found = DocTestParser().get_examples("".join(f"{line.rstrip(ENDS)}\n" for line in lines))
    except ValueError:
        return  # a prompt without a space after it, or an indentation that changes
    for example in found:
        rows = range(example.lineno, example.lineno + example.source.count("\n"))
        heads = [lines[number][: example.indent + 4].rstrip(ENDS) for number in rows]
        if any(head.strip() not in (">>>", "...") for head in heads):
            continue  # indented with tabs
        code = "".join(lines[number][len(head) :] for number, head in zip(rows, heads, strict=True))
        starts = tuple(f"{before[number]}{head}" for number, head in zip(rows, heads, strict=True))
        yield Piece(code, row + example.lineno, starts, block, prompts=True, output=example.want)
