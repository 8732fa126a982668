"""The edges of a graph as they were added, along which keys and containers go; see :mod:`olympus_rules.reach.paths`."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["BOTH", "CONTAINERS", "KEYS", "LATER", "Trail"]

KEYS, CONTAINERS, LATER = 1, 2, 4
"""What an edge carries, and whether it writes to a container some time after that was made."""
BOTH = KEYS | CONTAINERS
MOST_EDGES = 1_000_000
"""The limit of edges: an index of more would take more memory than the rest of the analysis."""


class Trail:
    """The edges of a graph, in the order in which they were added; the graph itself joins slots and forgets them.

    An edge has a tag: the slot of a call's result plus one, if it leads into a callee or back; the complement of the
    slot of a container, if it reads a part of that; or zero.

    Attributes:
        is_kept: whether edges are recorded; false for a graph in which nobody looks for paths.
        is_complete: whether there are not too many edges; if there are, only the first ones are kept.
    """

    def __init__(self) -> None:
        """Start without any edge."""
        self.is_kept = True
        self.is_complete = True
        self._numbers = array("i")
        self._opened = 0

    def add(self, source: int, target: int, carries: int, site: int = 0) -> None:
        """Add an edge; ``site`` is the slot of a call's result plus one."""
        if source != target and self.is_kept:
            self._numbers.extend((source, target, carries, site or self._opened))
            if len(self._numbers) > 4 * MOST_EDGES:
                self.is_kept = self.is_complete = False

    @contextmanager
    def reading(self, owner: int) -> Iterator[None]:
        """Tag the edges that are added meanwhile as reads of the parts of what a slot holds."""
        with self.at(~owner):
            yield

    @contextmanager
    def at(self, tag: int) -> Iterator[None]:
        """Give a tag to the edges that are added meanwhile and have none."""
        former, self._opened = self._opened, tag
        try:
            yield
        finally:
            self._opened = former

    def edges(self) -> Iterator[tuple[int, int, int, int]]:
        """Return source, target, what it carries, and the tag of each edge."""
        numbers = iter(self._numbers)
        return zip(numbers, numbers, numbers, numbers, strict=True)
