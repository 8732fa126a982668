"""The flow graph of a project, while its files are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from olympus_rules.reach.reading.attributes import Attributes
from olympus_rules.reach.reading.calls import Calls
from olympus_rules.reach.reading.fixtures import Fixtures
from olympus_rules.reach.solver.failures import Failure
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.slots import Slot, forget
from olympus_rules.reach.solver.values import Place


class Meeting(NamedTuple):
    """A comparison or assignment of arrays, which must be of one kind.

    Attributes:
        place: where it is.
        text: how it is written.
        slots: the arrays.
    """

    place: Place
    text: str
    slots: tuple[Slot, ...]


@dataclass(slots=True)
class Graph:
    """The slots of a project and the edges between them.

    Attributes:
        sites: the mentions of the constructor of raw keys; ``None`` while all that are spelled out count.
        heap: where values are kept.
        attributes: reads and writes of attributes.
        calls: the call sites.
        fixtures: the fixtures of tests.
        expressions: the slots of each expression.
        nothing: registers that hold ``None``; in the end all slots that may.
        meetings: where arrays meet without a call.
    """

    sites: frozenset[Place] | None
    heap: Heap
    attributes: Attributes
    calls: Calls
    fixtures: Fixtures
    expressions: dict[Place, tuple[Slot, ...]] = field(default_factory=dict)
    nothing: set[Slot] = field(default_factory=set)
    meetings: list[Meeting] = field(default_factory=list)

    @property
    def failures(self) -> list[Failure]:
        """The parts of the project that could not be read."""
        return self.calls.failures

    @property
    def remade(self) -> Mapping[Place, str]:
        """The calls that derive keys from words, if they count, with their callees."""
        return self.calls.libraries.remade or {}

    @property
    def makers(self) -> frozenset[Place] | None:
        """The constructors, and the calls that derive keys from words where these count; ``None`` without ``sites``."""
        return None if self.sites is None else self.sites.union(self.remade)

    def express(self, place: Place, slot: Slot) -> None:
        """Take the slot of an expression; most have one."""
        self.expressions[place] = (*self.expressions.get(place, ()), slot)

    def forget(self) -> None:
        """Let the memory go, which is full of circles; nothing can be asked afterwards."""
        forget(self.heap.slots)
        self.expressions.clear()
