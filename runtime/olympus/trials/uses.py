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
    names: dict[str, Use] = {}
    reads = [node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Attribute | ast.Subscript)]
    for node in sorted(reads, key=lambda node: (node.lineno, node.col_offset)):
        use = use_of(node.func if isinstance(node, ast.Call) else node, names)
        if use is not None and isinstance(node, ast.Call):
            use.called = True
    return names


def use_of(node: ast.expr, names: dict[str, Use]) -> Use | None:
    """Return the use of what an expression reads off a name, noted there; ``None`` for any other expression."""
    match node:
        case ast.Name(name):
            return names.setdefault(name, Use())
        case ast.Attribute(value, attribute):
            whole = use_of(value, names)
            return None if whole is None else whole.attributes.setdefault(attribute, Use())
        case ast.Subscript(value, ast.Constant(str() as item)):
            whole = use_of(value, names)
            return None if whole is None else whole.items.setdefault(item, Use())
    return None
