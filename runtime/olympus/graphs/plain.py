"""Labels as they can stand in a picture."""

from __future__ import annotations

__all__ = ["plain"]


def plain(text: str) -> str:
    """Return a text with a mark in the place of what cannot be printed: control characters end lines or are no XML."""
    return "".join(character if character.isprintable() else "�" for character in text)
