"""The target of a migration to typed keys: the kind of keys its code works with, and the oldest JAX that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Style: TypeAlias = Literal["portable", "typed"]

NEWEST = (0, 10, 2)

SINCE = {
    "array": (0, 4, 1),
    "key_data": (0, 4, 14),
    "prng_key": (0, 4, 14),
    "split-shape": (0, 4, 14),
    "typed-keys": (0, 4, 16),
    "wrap_key_data": (0, 4, 17),
    "key_impl": (0, 4, 18),
    "key_dtype": (0, 10, 1),
}
"""The release of JAX that a rewrite needs.

These are the first releases whose source has the name; 0.4.14 is the oldest that was examined. ``jax.random.key`` is
older than ``typed-keys``, the first release whose documentation has it.
"""


@dataclass(frozen=True, slots=True)
class Target:
    """The keys and releases that rewritten code has to work with.

    Attributes:
        style: ``portable`` code works with raw keys and with typed ones; ``typed`` code with typed ones only, for
            projects in which every key becomes typed.
        jax: the oldest release of JAX that the code has to run on.
    """

    style: Style = "portable"
    jax: tuple[int, ...] = NEWEST

    def has(self, feature: str) -> bool:
        """Return whether the oldest release has a feature of :data:`SINCE`."""
        return self.jax >= SINCE[feature]
