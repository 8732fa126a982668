"""What a term has to be for a note about it to hold."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["Need"]


class Need(Enum):
    """What a term has to be; whether it is may be clear only at the end of the file.

    By its *name* a term is a key with the lowest confidence, so that only some of these take a name as evidence.
    """

    KEY = auto()
    """A key or a key array."""
    KNOWN = auto()
    """The same, by source or use and never by name; or a parameter that a call gives a key to."""
    RAW = auto()
    """The same as ``KNOWN``, and not typed."""
    SINGLE = auto()
    """One key."""
    WORD = auto()
    """One key, as an element of it is used as a number."""
    SEED = auto()
    """One key, as an element of it is a seed of JAX."""
    FLAT = auto()
    """A key array with one batch axis."""
    RAW_FLAT = auto()
    """The same, and not typed."""
    RAW_ARRAY = auto()
    """A key array that is not typed."""
    UNTYPED = auto()
    """A key or a key array that is raw as far as is known."""
    FEWER_AXES = auto()
    """A key or a key array with fewer batch axes than the note says."""
