"""Which statements may bind a name."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def binds(block: Sequence[ast.AST], name: str) -> bool:
    """Return whether statements or expressions may bind a name; nothing binds an empty one."""
    return bool(name) and any(
        (isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load))
        or name in (getattr(each, "name", None), getattr(each, "rest", None))
        or (isinstance(each, ast.Global | ast.Nonlocal) and name in each.names)
        or (isinstance(each, ast.alias) and name in (each.name, each.asname))
        for statement in block
        for each in ast.walk(statement)
    )
