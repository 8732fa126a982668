"""Which streams of a key a function reads: two draws from one key share their bits if these words are equal.

``bits`` and ``gamma`` read the key itself. ``split(gamma, bits)`` splits it, reads a gamma stream of child 0 and a
bits stream of child 1; ``_`` is a child that is left alone. A function that reads a key in a loop has a word of its
own, because how often it does so depends on the numbers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from olympus.signatures.traced import DERIVATIONS, meant

if TYPE_CHECKING:
    from olympus.lineage import Event, Lineage

WORDS = {"random_bits": "bits", "random_gamma": "gamma"}


class _NoWord(Exception):
    """There is no word for what a function reads."""


def streams(lineage: Lineage, key: int, own: str) -> str | None:
    """Return the word for what a function reads of a key.

    Args:
        lineage: what is known of the function's keys.
        key: the identity of the key.
        own: the word of a function that reads the key in a loop.

    Returns:
        The word; ``None`` for what has none: another derivation than a split, a reuse, a primitive that is not
        modelled.
    """
    if lineage.misuses or lineage.unmodelled:
        return None
    done: defaultdict[int, list[Event]] = defaultdict(list)
    for event in lineage.events:
        for each in event.keys:
            for key_meant, _ in meant(lineage, each):
                done[key_meant].append(event)
    try:
        return own if _loops(done, key) else _word(done, key)
    except _NoWord:
        return None


def _loops(done: dict[int, list[Event]], key: int) -> bool:
    """Return whether a key, or one that is derived from it, is used in a loop."""
    waiting, seen = [key], {key}
    while waiting:
        for event in done.get(waiting.pop(), ()):
            if event.context.turns:
                return True
            fresh = [made for made in event.made if event.kind in DERIVATIONS and made not in seen]
            seen.update(fresh)
            waiting += fresh
    return False


def _word(done: dict[int, list[Event]], key: int) -> str:
    words: dict[str, None] = {}
    for event in done.get(key, ()):
        if event.kind == "split":
            words[f"split({', '.join(_word(done, child) for child in event.made)})"] = None
        elif event.kind == "draw":
            words[WORDS.get(event.equation.primitive, event.equation.primitive)] = None
        elif event.kind != "unwrap":
            raise _NoWord
    return " and ".join(sorted(words)) or "_"
