"""The condition that a term has to meet for a pending fact about it to hold."""

from __future__ import annotations

from enum import Enum, auto


class Need(Enum):
    """The condition on a term; whether it is met may be clear only at the end of the file.

    A *name* makes a term a key with the lowest confidence, so only some needs accept a name as evidence.
    """

    KEY = auto()
    """A key or a key array."""
    KNOWN = auto()
    """The same, by source or use and never by name; or a parameter that gets a key from a call."""
    RAW = auto()
    """The same as ``KNOWN``, and not typed."""
    SINGLE = auto()
    """One key."""
    WORD = auto()
    """One key: an element of it is used as a number."""
    SEED = auto()
    """One key: an element of it is used as a JAX seed."""
    FLAT = auto()
    """A key array with one batch axis."""
    RAW_FLAT = auto()
    """The same, and not typed."""
    RAW_ARRAY = auto()
    """A key array that is not typed."""
    UNTYPED = auto()
    """A key or a key array that is raw as far as is known."""
    FEWER_AXES = auto()
    """A key or a key array with fewer batch axes than the pending fact requires."""
