"""What a migration to typed keys aims at: the kind of keys its code works with, and the oldest JAX that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["NEWEST", "SINCE", "Style", "Target"]

Style: TypeAlias = Literal["portable", "typed"]

NEWEST = (0, 10, 2)

SINCE = {
    "prng_key": (0, 4, 14),
    "typed-keys": (0, 4, 16),
    "wrap_key_data": (0, 4, 16),
    "split-shape": (0, 4, 16),
    "key_impl": (0, 4, 21),
    "key_dtype": (0, 10, 1),
}
"""The release of JAX that a rewrite needs, from JAX's changelog."""


@dataclass(frozen=True, slots=True)
class Target:
    """What rewritten code has to work with.

    Attributes:
        style: ``portable`` code works with raw keys and with typed ones; ``typed`` code with typed ones only, and is
            for projects of which every key is typed in the end.
        jax: the oldest release of JAX that the code has to run on.
    """

    style: Style = "portable"
    jax: tuple[int, ...] = NEWEST

    def has(self, feature: str) -> bool:
        """Say whether the oldest release has a feature of :data:`SINCE`."""
        return self.jax >= SINCE[feature]
