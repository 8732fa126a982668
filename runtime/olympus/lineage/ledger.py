"""Who consumed which identity, and which two consumptions may meet in one execution."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from olympus.lineage.conditions import agree
from olympus.lineage.events import Event, Misuse, MisuseKind
from olympus.lineage.identity import Identities

# Generators whose split(key, n)[i] is fold_in(key, i), bit for bit; threefry only while it is partitionable.
COLLIDING = frozenset({"key<fry>", "key<fry4>", "key<rbg>", "key<phx2>", "key<phx4>"})
LANES = 64  # lanes of a mapped key that are looked at one by one


@dataclass(frozen=True, slots=True)
class Consumption:
    """One identity, consumed by one event.

    Attributes:
        event: what consumed it.
        lanes: the maps and loops in whose lanes it was consumed, each lane with a key of its own.
    """

    event: Event
    lanes: frozenset[int] = frozenset()


class Ledger:
    """The consumptions of one lineage, and the misuses that they add up to."""

    def __init__(self, identities: Identities, *, partitionable: bool) -> None:
        self.identities = identities
        self.partitionable = partitionable
        self.consumptions: defaultdict[int, list[Consumption]] = defaultdict(list)
        self.derivations: defaultdict[int, list[tuple[int, Event]]] = defaultdict(list)
        self.lanes: dict[int, tuple[int, tuple[int, ...]]] = {}
        self.misuses: list[Misuse] = []
        self.places: set[tuple[object, ...]] = set()
        self._in_lane: dict[tuple[int, int], dict[int, int]] = {}  # what was replaced before: chains grow at their end

    def map(self, element: int, execution: int, keys: tuple[int, ...]) -> None:
        """Say which keys the key of any one lane stands for.

        Args:
            element: the identity of the key in any one lane.
            execution: the number of the execution of the loop or map.
            keys: the identities of the mapped keys, one for each lane.
        """
        self.lanes[element] = (execution, keys)

    def consume(self, key: int, event: Event) -> None:
        """Note that an event consumes a key, and what is wrong with that."""
        self._enter(key, Consumption(event))
        execution, lane_keys = self.lanes_of(key)
        seen = set()
        for each in lane_keys:
            if each in seen:
                self.report("reuse", event, event, each)
            elif each != key:
                self._enter(each, Consumption(event, frozenset({execution})))
            seen.add(each)

    def lanes_of(self, key: int) -> tuple[int, list[int]]:
        """Return the keys that one key stands for in the lanes of a map: itself mapped, or derived of a mapped one.

        Returns:
            The number of the execution of the map and a key for each lane; no keys if it is the key of no lane.
        """
        element = key
        while self.identities[element].operation in ("fold_in", "split"):
            element = self.identities[element].children[0]
        execution, keys = self.lanes.get(element, (0, ()))
        lanes = [self._in_lane.setdefault((element, each), {element: each}) for each in keys[:LANES]]
        return execution, [self.identities.replace(key, replaced) for replaced in lanes]

    def _enter(self, key: int, consumption: Consumption) -> None:
        for target in (key, *self._certain_alternative(key)):
            if consumption.event.context.recomputed and self._recomputes(target, consumption.event):
                return
            for earlier in self.consumptions[target]:
                if may_meet(earlier, consumption):
                    self.report("reuse", earlier.event, consumption.event, target)
                    break
        self.consumptions[key].append(consumption)
        self._collide(key, consumption.event)

    def _recomputes(self, key: int, event: Event) -> bool:
        """Return whether a backward pass does again what the forward pass did: at the same place, with the same key."""
        earlier = (each.event for each in self.consumptions[key])
        return any(each.kind == event.kind and each.chain[:1] == event.chain[:1] for each in earlier)

    def _certain_alternative(self, key: int) -> list[int]:
        """Return a key that has been consumed if one of several is consumed and all of them have been."""
        term = self.identities[key]
        if term.operation != "join" or len(term.children) < 2:
            return []
        alternatives = term.children[1:]
        entries = [self.consumptions[each] for each in alternatives if each in self.consumptions]
        if len(entries) < len(alternatives):
            return []
        return [min(alternatives, key=lambda each: self.consumptions[each][0].event.order)]

    def _collide(self, key: int, event: Event) -> None:
        """Compare ``fold_in(key, i)`` with ``split(key)[i]``: two names of one key under most generators.

        The two may lie further back: what is derived of them in one way are two names of one key as well.
        """
        if self.identities.child(key) is None:
            return
        if event.implementation not in COLLIDING or (event.implementation == "key<fry>" and not self.partitionable):
            return
        same = self.derivations[self.identities.sibling(key)]
        for other, earlier in same:
            differs = other != key and self.identities.are_one(other, key)
            if differs and may_meet(Consumption(earlier), Consumption(event)):
                self.report("collision", earlier, event, key)
                break
        same.append((key, event))

    def report(self, kind: MisuseKind, first: Event, second: Event, key: int) -> None:
        """Note a misuse, once for each pair of places."""
        misuse = Misuse.of(kind, first, second, key)
        place: object = misuse.where or (id(first.equation.eqn), id(second.equation.eqn))
        if (kind, place) not in self.places:
            self.places.add((kind, place))
            self.misuses.append(misuse)


def may_meet(first: Consumption, second: Consumption) -> bool:
    """Return whether two consumptions of one key are a mistake: both can happen, and not in two lanes."""
    one, other = first.event.context, second.event.context
    if first.lanes & second.lanes or one.never != other.never:
        return False
    same = all(other.conditions.get(decision, branch) == branch for decision, branch in one.conditions.items())
    return same and agree(one.facts, other.facts)
