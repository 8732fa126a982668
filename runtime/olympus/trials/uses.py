"""What a function reads off its parameters: attributes and items, in its source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Use:
    """How a value is used.

    Attributes:
        attributes: what is read off it, by name.
        items: the texts that it is indexed with.
        called: whether it is called.
    """

    attributes: dict[str, Use] = field(default_factory=dict)
    items: dict[str, Use] = field(default_factory=dict)
    called: bool = False


def uses_of(function: Callable[..., Any]) -> dict[str, Use]:
    """Return how the names in a function are used; nothing where there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    reader = Reader()
    reader.visit(tree)
    return reader.names


class Reader(ast.NodeVisitor):
    """Notes what is read off names."""

    def __init__(self) -> None:
        self.names: dict[str, Use] = {}

    def visit_Call(self, node: ast.Call) -> None:
        """Note that something is called."""
        use = self.use(node.func)
        if use is not None:
            use.called = True
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note an attribute."""
        self.use(node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Note an item."""
        self.use(node)
        self.generic_visit(node)

    def use(self, node: ast.expr) -> Use | None:
        """Return the use of what an expression reads off a name; ``None`` for any other expression."""
        if isinstance(node, ast.Name):
            return self.names.setdefault(node.id, Use())
        if isinstance(node, ast.Attribute):
            whole = self.use(node.value)
            return None if whole is None else whole.attributes.setdefault(node.attr, Use())
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        ):
            whole = self.use(node.value)
            return None if whole is None else whole.items.setdefault(node.slice.value, Use())
        return None
