"""Lanes of ``jax.vmap`` in which an operation comes to nothing: it is in a branch that they do not take.

Where lanes take different branches of a ``cond``, all branches are executed for all lanes, outside of compiled
functions one operation after the other. For each lane, what one branch computes is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING

from olympus.tracing import adapter

if TYPE_CHECKING:
    from olympus.lineage.movement import Array
    from olympus.tracing.adapter import Branch


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes that an operation is for.

    Attributes:
        branches: the branches around it, outermost first.
        used: for each lane, whether it takes all of these branches; ``None`` if that is unknown.
    """

    branches: tuple[Branch, ...] = ()
    used: Array | None = None

    @property
    def all(self) -> bool:
        """Return whether it is for all lanes, or in no branch."""
        return not self.branches or (self.used is not None and bool(self.used.all()))

    @property
    def known(self) -> bool:
        """Return whether it is known which lanes these are."""
        return not self.branches or self.used is not None

    @property
    def none(self) -> bool:
        """Return whether no lane takes the branches."""
        return self.used is not None and not self.used.any()

    def takes(self, shape: Sequence[int], row: int) -> bool | None:
        """Return whether one row of an array is of a lane that takes the branches; ``None`` if that is unknown.

        Args:
            shape: that of the array, whose first axes are those of the maps.
            row: the flat index of the row.
        """
        if self.all:
            return True
        if self.used is None or tuple(shape[: self.used.ndim]) != self.used.shape:
            return False if self.none else None
        return bool(self.used.flat[row // max(prod(shape[self.used.ndim :]), 1)])

    def takes_key(self, shape: Sequence[int], position: Sequence[int]) -> bool | None:
        """Return whether a key that a compiled function is given is of such a lane; ``None`` if that is unknown.

        The axes of the maps may be any of the array: a mapped ``scan`` maps over the first one, a mapped ``jit`` leaves
        them where they are. It is known where all axes of such lengths say the same.

        Args:
            shape: that of the array of keys.
            position: where the key is in it.
        """
        if self.all or self.none:
            return self.all
        if self.used is None:
            return None
        fitting = [
            axes
            for axes in permutations(range(len(shape)), self.used.ndim)
            if tuple(shape[axis] for axis in axes) == self.used.shape
        ]
        found = {bool(self.used[tuple(position[axis] for axis in axes)]) for axes in fitting}
        return found.pop() if len(found) == 1 else None


def current_lanes() -> Lanes:
    """Return the lanes that this thread executes operations for."""
    branches = adapter.current_branches()
    if not branches:
        return Lanes()
    import numpy as np

    indices = adapter.indices_of(branches)
    if indices is None or any(index.shape != indices[0].shape for index in indices):
        return Lanes(branches)
    taken = [index == branch.case for index, branch in zip(indices, branches, strict=True)]
    return Lanes(branches, np.logical_and.reduce(taken))
