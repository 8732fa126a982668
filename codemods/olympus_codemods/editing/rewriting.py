"""From LibCST expressions to the smallest text edits."""

from __future__ import annotations

import ast
from collections import Counter

import libcst as cst

from olympus_rules.finding import Edit, Position, Span
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import first_line


def expression(document: Document, node: ast.AST | None) -> cst.BaseExpression | None:
    """Return the LibCST expression of an ``ast`` expression, ``None`` if it has no counterpart."""
    fragment = document.fragment(node) if node is not None else None
    found = fragment.find(node, document) if fragment and node is not None else None
    if not isinstance(found, cst.BaseExpression) or node is None:
        return None
    in_f_string = any(isinstance(each, ast.JoinedStr) for each in (node, *document.around(node)))
    if in_f_string and document.segment(node) != ast.unparse(node):
        return None  # Python 3.11 gives wrong places inside f-strings over several lines
    return found


def argument(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression as written between commas: without redundant parentheses."""
    if isinstance(node, cst.Tuple | cst.NamedExpr | cst.Yield | cst.GeneratorExp):
        return node
    return node.with_changes(lpar=[], rpar=[])


def call(
    function: str | None, *arguments: cst.BaseExpression | None, **keywords: cst.BaseExpression | None
) -> cst.Call | None:
    """Build a call of a dotted name; ``None`` if the name or an argument is missing."""
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    given = [cst.Arg(argument(value)) for value in arguments if value is not None]
    given += [cst.Arg(argument(v), cst.Name(name), equal=tight) for name, v in keywords.items() if v is not None]
    is_whole = function is not None and len(given) == len(arguments) + len(keywords)
    return cst.Call(cst.parse_expression(function), given) if function is not None and is_whole else None


def parsed(code: str | None) -> cst.BaseExpression | None:
    """Return the expression of a text; ``None`` if there is no text."""
    return None if code is None else cst.parse_expression(code)


def replace(document: Document, node: ast.expr, new: cst.BaseExpression | None) -> Edit | None:
    """Return the edit that puts ``new`` in the place of an expression.

    ``None`` if there is no ``new``, the expression has no LibCST counterpart or a comment inside it would be lost.
    """
    old = expression(document, node)
    fragment = document.fragment(node)
    if new is None or old is None or fragment is None or Counter(comments(old)) - Counter(comments(new)):
        return None
    code = fragment.code(new)
    if isinstance(new, cst.UnaryOperation) and not old.lpar and _binds_tightly(document, node):
        code = f"({code})"
    start = document.span(node).start
    before = document.lines[start.row - 1][: start.column - 1]
    if _is_word(before[-1:]) and _is_word(code[:1]):
        code = f" {code}"  # `assert(key).dtype == …`
    return Edit(fragment.span(old), code)


def comments(node: cst.CSTNode) -> list[str]:
    """Return the comments inside a node, in order; importing libcst.matchers for that takes longer than a run."""
    if isinstance(node, cst.Comment):
        return [node.value]
    return [comment for child in node.children for comment in comments(child)]


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _binds_tightly(document: Document, node: ast.expr) -> bool:
    """Return whether the parent of an expression takes only operands that bind more tightly than ``not``."""
    parent = document.parents.get(node)
    if isinstance(parent, ast.UnaryOp):
        return not isinstance(parent.op, ast.Not)
    if isinstance(parent, ast.Call):
        return parent.func is node
    if isinstance(parent, ast.Subscript):
        return parent.value is node
    return isinstance(parent, ast.BinOp | ast.Compare | ast.Attribute | ast.Await | ast.Starred)


def ending(document: Document, row: int) -> str:
    """Return the line ending to write beside a row: its own, else the first one of the file."""
    for line in (document.lines[row - 1], document.lines[0]):
        stripped = line.rstrip("\r\n")
        if stripped != line:
            return line[len(stripped) :]
    return "\n"


def insert_line(document: Document, statement: ast.stmt, code: str) -> Edit | None:
    """Return the edit that writes a statement on a line of its own before another one.

    ``None`` if the other one does not start its line: after a semicolon, or in ``if x: f()``.
    """
    row = first_line(statement)
    line = document.lines[row - 1]
    indent = line[: document.position(row, statement.col_offset).column - 1]
    continued = row > 1 and document.lines[row - 2].rstrip("\r\n").endswith("\\")
    if indent.strip() or continued:
        return None
    start = Position(row, 1)
    return Edit(Span(start, start), f"{indent}{code}{ending(document, row)}")


def remove_line(document: Document, statement: ast.stmt) -> Edit | None:
    """Return the edit that takes a statement away with its lines; ``None`` if something else stands on them."""
    span = document.span(statement)
    before = document.lines[span.start.row - 1][: span.start.column - 1]
    after = document.lines[span.end.row - 1][span.end.column - 1 :]
    if before.strip() or after.strip() or span.end.row >= len(document.lines):
        return None
    return Edit(Span(Position(span.start.row, 1), Position(span.end.row + 1, 1)), "")
