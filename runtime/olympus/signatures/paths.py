"""Paths: the names of the places in a callable's inputs and outputs, as text and taken apart.

``state.keys[0]`` is taken apart into ``("state", ".keys", "[0]")``. The path of an output has no parameter, so that
its first part is empty: ``[0]`` is ``("", "[0]")``.
"""

from __future__ import annotations

import re
from ast import literal_eval
from functools import lru_cache

Path = tuple[str, ...]
ANY = "[*]"  # every element of an array

_ROOT = re.compile(r"[^.\[]*")
_STEP = re.compile(r"""\.[^.\[]+|\[(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\]]*)\]""")


@lru_cache(maxsize=4096)
def parse(path: str) -> Path:
    """Return a path taken apart; the two ways to quote a key give one step.

    Raises:
        ValueError: it is not a path.
    """
    matched = _ROOT.match(path)
    root = matched.group() if matched else ""
    steps = _STEP.findall(path, len(root))
    if root + "".join(steps) != path:
        raise ValueError(f"{path!r} is not a path such as state.keys[0]; write attributes, [index] and ['key']")
    return (root, *map(_canonical, steps))


def _canonical(step: str) -> str:
    return f'["{literal_eval(step[1:-1])}"]' if step.startswith("['") else step


def text(path: Path) -> str:
    """Return the text of a path."""
    return "".join(path)


def covers(whole: Path, part: Path) -> bool:
    """Return whether the second path is the place of the first one, or in it."""
    return len(whole) <= len(part) and all(
        own == other or (own == ANY and other.startswith("[")) for own, other in zip(whole, part, strict=False)
    )
