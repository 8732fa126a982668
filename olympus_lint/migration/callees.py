"""The library functions at expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from olympus_rules.reach.reading import place_of

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach

__all__ = ["library_of"]


def library_of(function: ast.expr, path: str, reached: ProjectReach) -> str:
    """Return the qualified name of the library function at an expression, if nothing else may be there."""
    if not isinstance(function, ast.Name | ast.Attribute):
        return ""
    return reached.library_at(place_of(path, function))
