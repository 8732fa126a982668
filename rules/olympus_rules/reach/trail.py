"""The edges of a graph as they were added, along which keys and containers go; see :mod:`olympus_rules.reach.paths`."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["BOTH", "CONTAINERS", "KEYS", "LATER", "Trail"]

KEYS, CONTAINERS, LATER = 1, 2, 4
"""What an edge carries, and whether it writes to a container some time after that was made."""
BOTH = KEYS | CONTAINERS


class Trail:
    """The edges of a graph, in the order in which they were added; the graph itself joins slots and forgets them.

    An edge has a tag: the slot of a call's result plus one, if it leads into a callee or back; the complement of the
    slot of a container, if it reads a part of that; or zero.
    """

    def __init__(self) -> None:
        """Start without any edge."""
        self._numbers = array("i")
        self._opened = 0

    def add(self, source: int, target: int, carries: int, site: int = 0) -> None:
        """Add an edge; ``site`` is the slot of a call's result plus one."""
        if source != target:
            self._numbers.extend((source, target, carries, site or self._opened))

    @contextmanager
    def reading(self, owner: int) -> Iterator[None]:
        """Tag the edges that are added meanwhile as reads of the parts of what a slot holds."""
        former, self._opened = self._opened, ~owner
        try:
            yield
        finally:
            self._opened = former

    def edges(self) -> Iterator[tuple[int, int, int, int]]:
        """Return source, target, what it carries, and the tag of each edge."""
        numbers = iter(self._numbers)
        return zip(numbers, numbers, numbers, numbers, strict=True)
