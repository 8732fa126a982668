"""What plays the part of unknown values that are used as keys or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from olympus.witness.unknown import is_unknown


class Players:
    """One key and one number for all unknown values: while modules are executed, which is not traced."""

    def key(self, value: Any) -> Any:
        """Return the key of an unknown value; any other value itself."""
        import jax

        return jax.random.key(0) if is_unknown(value) else value

    def number(self, value: Any) -> Any:
        """Return the number of an unknown value."""
        return 0

    def is_key(self, value: Any) -> bool:
        """Return whether an unknown value was used as a key."""
        return False

    def consume(self, values: Sequence[Any], *, known: bool = False) -> None:
        """Consume the keys that are passed to an unknown call, ``known`` if a signature pack says that it does."""

    def consume_seeds(self, numbers: Sequence[int]) -> None:
        """Consume the keys that a library makes of numbers, as a signature pack says."""

    def mark(self, doubt: str) -> None:
        """Note why what comes now may not follow on what was before."""
