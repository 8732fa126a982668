"""Which functions of a file can have anything to do with keys, judged by their text.

Most functions of a file that holds keys do not touch one. A function is left out when its text has none of the words
below, no local name of something in ``jax.random``, and no name of a function that was not left out. What is called
from the others is followed all the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from olympus_rules.keyflow.instructions import FunctionCode
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import first_line

__all__ = ["relevant"]

WORDS = ("random", "rng", "split", "seed")
# A key by its name alone is worth a finding of the lowest confidence only.
NAMES = ("key",)
ROUNDS = 3  # helpers of helpers of helpers


def relevant(
    document: Document, module: FunctionCode, callables: Collection[str], *, by_name: bool
) -> list[FunctionCode]:
    """Return the functions of the module's level, methods included, that are worth interpreting by themselves.

    Args:
        document: the file.
        module: its lowered module.
        callables: the module's variables that hold functions (``noise = lambda key: …``, ``step = jax.jit(…)``).
        by_name: whether to look at functions in which something is called a key and nothing shows it to be one.
    """
    words = WORDS + NAMES if by_name else WORDS
    aliases = _pattern([*callables, *(name for name, qualified in module.imported.items() if "random" in qualified)])
    found: list[FunctionCode] = []
    rest: list[tuple[FunctionCode, str]] = []
    for code in module.nested:
        text = _text(document, code)
        lower = text.lower()
        if any(word in lower for word in words) or (aliases is not None and aliases.search(text)):
            found.append(code)
        else:
            rest.append((code, text))
    fresh = found
    for _ in range(ROUNDS):
        pattern = _pattern(_called_as(code) for code in fresh)
        if pattern is None or not rest:
            break
        fresh = [code for code, text in rest if pattern.search(text)]
        rest = [(code, text) for code, text in rest if not pattern.search(text)]
        found = found + fresh
    return found


def _called_as(code: FunctionCode) -> str:
    """Return how other functions of the file call one: by its name, or as a method of their own object."""
    name = code.name.rpartition(".")[2]
    if code.owner is None:
        return name if name.isidentifier() else ""
    return "" if name.startswith("__") else f"self.{name}"


def _pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    wanted = sorted({name for name in names if name})
    return re.compile(r"\b(?:" + "|".join(map(re.escape, wanted)) + r")\b") if wanted else None


def _text(document: Document, code: FunctionCode) -> str:
    node = code.node
    start = first_line(node)  # type: ignore[arg-type]
    return "".join(document.lines[start - 1 : getattr(node, "end_lineno", start)])
