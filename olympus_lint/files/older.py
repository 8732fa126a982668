"""Syntax of newer Pythons, written in the old way."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

import libcst as cst
from libcst.metadata import PositionProvider

from olympus_lint.files.validity import NOT_PARSED, RUNNING


class Newer(NamedTuple):
    """Syntax that the running Python does not support.

    Attributes:
        release: the first Python that supports it.
        what: its name.
        row: its row.
    """

    release: tuple[int, int]
    what: str
    row: int


class Older(cst.CSTTransformer):
    """Writes newer syntax in the old way and records each occurrence."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        """Start with nothing found."""
        super().__init__()
        self.found: list[Newer] = []

    def note(self, node: cst.CSTNode, release: tuple[int, int], what: str) -> bool:
        """Record syntax at a node; return whether the running Python lacks it."""
        if release <= RUNNING:
            return False
        row = self.get_metadata(PositionProvider, node).start.line
        self.found.append(Newer(release, what, row))
        return True

    def leave_FunctionDef(self, node: cst.FunctionDef, new: cst.FunctionDef) -> Any:
        """Drop type parameters."""
        return self.without_types(node, new)

    def leave_ClassDef(self, node: cst.ClassDef, new: cst.ClassDef) -> Any:
        """Drop type parameters."""
        return self.without_types(node, new)

    def without_types(self, node: Any, new: Any) -> Any:
        """Return a definition without its type parameters."""
        if node.type_parameters is None:
            return new
        has_default = any(param.default is not None for param in node.type_parameters.params)
        if has_default and self.note(node, (3, 13), "a type parameter with a default"):
            return new.with_changes(type_parameters=None)
        if self.note(node, (3, 12), "a list of type parameters"):
            return new.with_changes(type_parameters=None)
        return new

    def leave_TypeAlias(self, node: cst.TypeAlias, new: cst.TypeAlias) -> Any:
        """Write an alias as an assignment."""
        if not self.note(node, (3, 12), "a `type` statement"):
            return new
        return cst.Assign([cst.AssignTarget(new.name)], new.value)

    def leave_FormattedString(self, node: cst.FormattedString, new: cst.FormattedString) -> Any:
        """Replace an f-string that the running Python cannot parse."""
        if _parses(cst.Module([]).code_for_node(node)):
            return new
        self.note(node, (3, 12), "an f-string with quotes, a backslash or a comment inside its braces")
        return cst.SimpleString("''")

    def leave_TemplatedString(self, node: Any, new: Any) -> Any:
        """Replace a t-string."""
        return cst.SimpleString("''") if self.note(node, (3, 14), "a t-string") else new

    def leave_ExceptHandler(self, node: cst.ExceptHandler, new: cst.ExceptHandler) -> Any:
        """Add parentheses around several types."""
        return self.with_parentheses(node, new)

    def leave_ExceptStarHandler(self, node: Any, new: Any) -> Any:
        """Add parentheses around several types."""
        return self.with_parentheses(node, new)

    def with_parentheses(self, node: Any, new: Any) -> Any:
        """Return a clause with parentheses around its types."""
        bare = isinstance(node.type, cst.Tuple) and not node.type.lpar
        if not bare or not self.note(node, (3, 14), "an `except` clause with several types and no parentheses"):
            return new
        return new.with_changes(type=new.type.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


def _parses(expression: str) -> bool:
    try:
        ast.parse(f"({expression})")
    except NOT_PARSED:
        return False
    return True
