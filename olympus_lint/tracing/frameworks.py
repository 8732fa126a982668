"""Frameworks: packages that take, make or keep keys, as the bundled packs say. Their code is as good as JAX's own."""

from __future__ import annotations

import ast
from functools import cache

from olympus_rules.libraries import libraries


@cache
def frameworks() -> frozenset[str]:
    """Return the import names of all that are known."""
    return libraries(()).of_keys - {"jax"}


def imported_frameworks(text: str) -> tuple[str, ...]:
    """Return the frameworks that a source imports."""
    if not any(name in text for name in frameworks()):
        return ()
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return tuple(sorted({name.partition(".")[0] for name in names} & frameworks()))
