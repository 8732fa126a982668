"""Plain data of unknown origin: parts of JSON, whose types are checked."""

from __future__ import annotations

from typing import Any


def text_in(data: Any) -> str:
    """Return data that should be a text.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(data, str):
        raise TypeError("expected a text")
    return data


def natural_in(data: Any) -> int:
    """Return data that should be a natural number.

    Raises:
        TypeError: it is none.
    """
    if type(data) is not int or data < 0:
        raise TypeError("expected a number")
    return data


def list_in(data: Any) -> list[Any]:
    """Return data that should be a list.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(data, list):
        raise TypeError("expected a list")
    return data
