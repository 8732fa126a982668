"""The codemods, one module for each rule that has a fix."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec

from olympus_codemods.codemod import Codemod
from olympus_rules.registry import find_all

__all__ = ["all_codemods"]


@cache
def all_codemods() -> dict[str, Codemod]:
    """Return every codemod of this package by the code of its rule.

    A codemod is a module of this package with a subclass of :class:`Codemod` in it; nothing else lists it. Where LibCST
    is not installed, as in a browser, there are none: findings need none.
    """
    if find_spec("libcst") is None:
        return {}
    return {codemod.code: codemod() for codemod in find_all(sys.modules[__name__], Codemod)}
