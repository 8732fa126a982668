"""LibCST trees of single statements, joined to ``ast`` by position.

A statement is parsed alone, in place: the lines before it are dropped and an ``if`` header is put above an
indented one, so that columns stay as they are and rows differ by a constant.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import cast

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from olympus_rules.finding import Position, Span
from olympus_rules.syntax.text import Text

BETWEEN = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER})
COUNTERPARTS: dict[type[ast.AST], type[cst.CSTNode] | tuple[type[cst.CSTNode], ...]] = {
    ast.Call: cst.Call,
    ast.Name: cst.Name,
    ast.Attribute: cst.Attribute,
    ast.Subscript: cst.Subscript,
    ast.BinOp: cst.BinaryOperation,
    ast.UnaryOp: cst.UnaryOperation,
    ast.Compare: cst.Comparison,
    ast.Tuple: cst.Tuple,
    ast.List: cst.List,
    ast.Constant: (
        cst.SimpleString,
        cst.ConcatenatedString,
        cst.Integer,
        cst.Float,
        cst.Name,
        cst.Imaginary,
        cst.Ellipsis,
    ),
    ast.Lambda: cst.Lambda,
    ast.ListComp: cst.ListComp,
    ast.GeneratorExp: cst.GeneratorExp,
    ast.DictComp: cst.DictComp,
    ast.SetComp: cst.SetComp,
    ast.Starred: cst.StarredElement,
    ast.Dict: cst.Dict,
    ast.IfExp: cst.IfExp,
    ast.NamedExpr: cst.NamedExpr,
}


class Fragment:
    """A LibCST module that holds some lines of a document."""

    def __init__(self, module: cst.Module, first_row: int, positions: Mapping[cst.CSTNode, CodeRange]) -> None:
        """Take the parsed lines; ``first_row`` is the document row of the fragment's row 1."""
        self.module = module
        self._offset = first_row - 1
        self._spans = {node: self._to_span(range_) for node, range_ in positions.items()}
        self._at: dict[Span, list[cst.CSTNode]] = {}
        for node, span in self._spans.items():
            self._at.setdefault(span, []).append(node)

    def _to_span(self, range_: CodeRange) -> Span:
        start, end = range_.start, range_.end
        return Span(
            Position(start.line + self._offset, start.column + 1),
            Position(end.line + self._offset, end.column + 1),
        )

    def span(self, node: cst.CSTNode) -> Span:
        """Return the document span of a node of this fragment.

        Raises:
            KeyError: the node is not part of this fragment.
        """
        return self._spans[node]

    def at(self, span: Span) -> Iterator[cst.CSTNode]:
        """Return the nodes that take up exactly this span."""
        return iter(self._at.get(span, ()))

    def find(self, node: ast.AST, document: Text) -> cst.CSTNode | None:
        """Return the LibCST node that is this ``ast`` node, ``None`` where Python misplaced it (f-strings)."""
        wanted = COUNTERPARTS.get(type(node), cst.CSTNode)
        spans = [document.span(node)]
        if isinstance(node, ast.Tuple | ast.GeneratorExp) and document.slice(spans[0]).startswith("("):
            spans.append(without_parentheses(document, spans[0]))
        return next((found for span in spans for found in self.at(span) if isinstance(found, wanted)), None)

    def code(self, node: cst.CSTNode) -> str:
        """Return the source text of a node."""
        return self.module.code_for_node(node)


def without_parentheses(document: Text, span: Span) -> Span:
    """Return the span inside the parentheses of a tuple or generator, which LibCST does not count as part of it."""
    # parentheses of its own, since `(a),\n b` of a subscript begins with one that ends early
    text = StringIO(f"({document.slice(span)})", newline=None)
    code = [token for token in tokenize.generate_tokens(text.readline) if token.type not in BETWEEN]
    return Span(_moved(span.start, code[2].start), _moved(span.start, code[-3].end))


def _moved(start: Position, at: tuple[int, int]) -> Position:
    """Return the position of a token in the text that begins at ``start``, behind one character."""
    row, column = at
    return Position(start.row + row - 1, column + (start.column - 1 if row == 1 else 1))


def parse_fragment(document: Text, first: int, last: int, body: str = "") -> Fragment | None:
    """Parse the document's lines ``first`` to ``last`` (counted from 1, both included), and ``body`` after them.

    Returns:
        The fragment, or ``None`` when these lines are not a piece of Python by themselves (``elif …``).
    """
    lines = document.lines[first - 1 : last]
    indented = lines[0][:1] in (" ", "\t")
    header = "if 1:\n" if indented else ""
    try:
        module = cst.parse_module(header + "".join(lines) + body)
    except cst.ParserSyntaxError:
        return None
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    # what resolve() does, without its walk for visitors of which there are none: half the time
    positions = cast("Mapping[cst.CSTNode, CodeRange]", PositionProvider()._gen(wrapper))
    return Fragment(module, first - 1 if indented else first, positions)
