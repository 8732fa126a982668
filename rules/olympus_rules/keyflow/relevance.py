"""Which functions of a file can have anything to do with keys, judged by their text.

Most functions of a file that holds keys do not touch one. A function is left out when its text has none of the words
below, no local name of ``jax.random`` or of something in it, and no name of a function that was not left out. What is
called from the others is followed all the same.
"""

from __future__ import annotations

import re

from olympus_rules.keyflow.instructions import FunctionCode
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import first_line

__all__ = ["relevant"]

WORDS = re.compile(r"key|rng|prng|random|seed|split", re.IGNORECASE)
ROUNDS = 3  # helpers of helpers of helpers


def relevant(document: Document, module: FunctionCode) -> list[FunctionCode]:
    """Return the functions of the module's level, methods included, that are worth interpreting by themselves."""
    aliases = {name for name, qualified in module.imported.items() if "random" in qualified}
    pattern = _names(aliases)
    found: list[FunctionCode] = []
    rest: list[tuple[FunctionCode, str]] = []
    for code in module.nested:
        text = _text(document, code)
        if WORDS.search(text) or (pattern is not None and pattern.search(text)):
            found.append(code)
        else:
            rest.append((code, text))
    fresh = found
    for _ in range(ROUNDS):
        pattern = _names({code.name for code in fresh if code.owner is None and code.name.isidentifier()})
        if pattern is None or not rest:
            break
        fresh = [code for code, text in rest if pattern.search(text)]
        rest = [(code, text) for code, text in rest if not pattern.search(text)]
        found = found + fresh
    return found


def _names(names: set[str]) -> re.Pattern[str] | None:
    return re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(names))) + r")\b") if names else None


def _text(document: Document, code: FunctionCode) -> str:
    node = code.node
    start = first_line(node)  # type: ignore[arg-type]
    return "".join(document.lines[start - 1 : getattr(node, "end_lineno", start)])
