"""Suggestions for misspelled words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word with the most similar spelling, ignoring case, or ``None`` if none is similar.

    A word with the same letters in another order, such as ``OLY104`` for ``OLY140``, comes first.
    """
    spellings = {spelling.upper(): spelling for spelling in known}
    near = difflib.get_close_matches(word.upper(), spellings, n=len(spellings) or 1)
    swapped = [spelling for spelling in near if sorted(spelling) == sorted(word.upper())]
    return spellings[(swapped + near)[0]] if near else None
