"""TOML of unknown origin."""

from __future__ import annotations


def read_toml(text: str) -> dict[str, object]:
    """Return the table of a TOML text.

    Raises:
        ValueError: it is none, or its values are deeper in each other than Python can read.
    """
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it nests too deeply") from None
