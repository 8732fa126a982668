"""Detection of syntax that needs a newer Python."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from olympus_lint.files.validity import NOT_PARSED

if TYPE_CHECKING:
    from olympus_lint.files.older import Newer

__all__ = ["newer_syntax"]

LARGEST = 1_000_000  # characters that are read with LibCST

HINT = re.compile(r"\[|^\s*type\s|\b[fFrRtT]{1,2}['\"]|^\s*except\b", re.MULTILINE)
"""One of these is part of all newer syntax: a bracket, ``type``, a formatted string, ``except``."""


def newer_syntax(text: str) -> Newer | None:
    """Return the newest syntax in a text that a newer Python can parse; ``None`` if no Python can.

    LibCST's parser knows newer syntax, and accepts some texts that no Python does. So newer syntax is written in the
    old way, and the running Python has to parse the result.
    """
    if len(text) > LARGEST or not HINT.search(text):
        return None
    import libcst as cst
    from libcst.metadata import MetadataWrapper

    from olympus_lint.files.older import Older

    try:
        wrapper = MetadataWrapper(cst.parse_module(text))
        older = Older()
        old = wrapper.visit(older).code
        found: list[Newer] = older.found
        if not found:
            return None
        ast.parse(old)
    except (*NOT_PARSED, cst.ParserSyntaxError, cst.CSTValidationError):
        return None
    newest = max(each.release for each in found)
    return next(each for each in found if each.release == newest)
