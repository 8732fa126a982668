"""Detection of syntax that needs a newer Python."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from olympus_lint.files.validity import NOT_PARSED

if TYPE_CHECKING:
    from olympus_lint.files.older import Newer

LARGEST = 1_000_000  # characters that are read with LibCST

HINT = re.compile(r"\[|^\s*type\s|\b[fFrRtT]{1,2}['\"]|^\s*except\b", re.MULTILINE)
"""One of these is part of all newer syntax: a bracket, ``type``, a formatted string, ``except``."""
BRACKETS = 200  # in each other; no Python parses more
OPERATORS = 2_000  # in one expression; LibCST's parser takes time without measure, and then the end of its stack
TOKEN = re.compile(
    r"""\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*|\\\n"""  # holds no operators
    r"""|(?P<open>[\[({])|(?P<close>[])}])|(?P<end>[,;])|(?P<line>\n)"""
    r"""|(?P<operator>\b(?:not|and|or|if|await|lambda)\b|[^\w\s"'\\])""",
    re.DOTALL,
)


def newer_syntax(text: str) -> Newer | None:
    """Return the newest syntax in a text that a newer Python can parse; ``None`` if no Python can.

    LibCST's parser knows newer syntax, and accepts some texts that no Python does. So newer syntax is written in the
    old way, and the running Python has to parse the result.
    """
    if find_spec("libcst") is None or len(text) > LARGEST or not HINT.search(text) or nests_too_deeply(text):
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


def nests_too_deeply(text: str) -> bool:
    """Return whether brackets or operators nest so deeply that LibCST's parser may end the process."""
    counts = [0]  # of operators, in the expression at each level of brackets
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            counts[-1] += 1
            counts.append(0)
        elif kind == "close" and len(counts) > 1:
            counts.pop()
        elif kind == "end" or (kind == "line" and len(counts) == 1):
            counts[-1] = 0
        elif kind == "operator":
            counts[-1] += 1
        if len(counts) > BRACKETS or counts[-1] > OPERATORS:
            return True
    return False
