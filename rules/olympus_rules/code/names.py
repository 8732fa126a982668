"""Names as they are spelled in the source."""

from __future__ import annotations

import ast


def dotted_name(node: ast.expr) -> str:
    """Return ``a.b.c`` for a name with attributes; any other part becomes ``?``."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "?")
    return ".".join(reversed(parts))
