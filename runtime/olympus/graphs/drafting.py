"""The first step from a lineage to its graph: which keys matter, what they are made of, and what uses them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from olympus.graphs.calls import Call, Calls, parents
from olympus.graphs.labels import Namer
from olympus.lineage.events import Event, Misuse, MisuseKind

if TYPE_CHECKING:
    from olympus.lineage import Lineage
    from olympus.tracing.spans import Chain

DERIVATIONS = ("split", "fold_in", "clone")
TEARING = ("indexing", "arithmetic", "transposition")


@dataclass(frozen=True, slots=True)
class Use:
    """One key, used by one call.

    Attributes:
        key: the key, that of the first iteration in a loop.
        call: what uses it; ``None`` for the result of the function.
        what: ``draw``, ``split``, ``returned``, or ``use`` for an unknown effect.
        again: whether it is so in a later iteration of a loop.
    """

    key: int
    call: Call | None
    what: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One key, made of another one.

    Attributes:
        parent: a key, that of the first iteration in a loop.
        child: the other one, likewise.
        what: the operation of the child's term, or the kind of misuse that tears a key.
        call: what does it; ``None`` where no equation does.
        again: whether it does so in a later iteration of a loop.
        misuse: whether it is a part of a misuse.
    """

    parent: int
    child: int
    what: str
    call: Call | None
    again: bool
    misuse: bool


class Draft:
    """The keys that matter, what they are made of and what uses them.

    Attributes:
        lineage: the lineage.
        calls: its calls.
        names: gives the names of keys.
        members: the keys that matter; in a loop those of the first iteration.
        steps: how they are made of each other.
        uses: what uses them.
        marks: what is wrong with some of them.
        misused: keys, each with the ``id`` of a call that misuses it.
    """

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage
        self.calls = Calls(lineage)
        self.same = self.calls.same_in_turns()
        turns: defaultdict[int, list[int]] = defaultdict(list)
        for key in self.same:
            turns[self.first(key)].append(key)
        self.names = Namer(lineage, turns)
        self.marks: defaultdict[int, set[MisuseKind]] = defaultdict(set)
        self.misused: set[tuple[int, int]] = set()
        self.torn: dict[int, Misuse] = {}
        for misuse in lineage.misuses:
            self._mark(misuse)
        used = dict.fromkeys((*self._used(), *self._returned(), *self.marks))
        self.members = self._closure(used)
        self.uses = list(dict.fromkeys(self._uses()))
        self.members.update(self._closure({use.key: None for use in self.uses}))
        self.steps = list(dict.fromkeys(self._steps()))
        self.members = {self.first(key): None for key in self.members}

    def first(self, key: int) -> int:
        """Return the key of the first iteration for one of another iteration."""
        while self.same.get(key, key) != key:
            key = self.same[key]
        return key

    # What is misused.

    def _mark(self, misuse: Misuse) -> None:
        if misuse.kind in TEARING:
            made = misuse.second.made or tuple(self.lineage.identities.keys_of(misuse.key))
            keys = (misuse.key,) if misuse.key in made else made
            self.torn.update(dict.fromkeys(map(self.first, keys), misuse))
            for key in keys:
                self.marks[self.first(key)].add(misuse.kind)
            return
        for event in (misuse.first, misuse.second):
            call = self.calls.of_event[id(event)]
            for key in self.calls.roots(call, self._culprits(misuse, event)):
                self.misused.add((self.first(key), id(call)))
                if misuse.kind == "collision":
                    self.marks[self.first(key)].add(misuse.kind)
        self.marks[self.first(misuse.key)].add(misuse.kind)

    def _culprits(self, misuse: Misuse, event: Event) -> tuple[int, ...]:
        """Return which of the keys of an event are those that a misuse is about."""
        if misuse.key in event.keys:
            return (misuse.key,)
        if misuse.kind == "collision":
            parent, index = self.calls.term(misuse.key).children[:1], self.names.index(misuse.key)
            alike = (key for key in event.keys if self.calls.term(key).children[:1] == parent)
            return tuple(key for key in alike if self.names.index(key) == index)
        return event.keys

    # Which keys matter.

    def _used(self) -> Iterator[int]:
        for call in self.calls.by_path.values():
            for event in call.events:
                if event.kind in ("draw", "unmodelled"):
                    yield from self.calls.roots(call, event.keys)

    def _returned(self) -> Iterator[int]:
        """Yield the keys that the function returns, whole or in words, but for arrays that only look like raw keys."""
        identities = self.lineage.identities
        used = {self.first(key) for event in self.lineage.events for key in event.keys}
        for value in self.lineage.outputs:
            labels = [value.bulk] if value.labels is None else value.labels.ravel().tolist()
            for label in filter(None, dict.fromkeys(labels)):
                word = identities[label].operation == "word"
                key = identities[label].children[0] if word else label
                operation, _, data = identities[key]
                given = data[0] if operation in ("argument", "constant") and isinstance(data, tuple) else None
                looks = given is not None and (word or value.bulk is not None)
                raw = looks and given not in self.lineage.trace.raw_keys
                if identities.is_key(key) and (not raw or self.first(key) in used):
                    yield key

    def _closure(self, keys: Iterable[int]) -> dict[int, None]:
        """Return keys and all that they are made of, as they are in the first and the other iterations of loops."""
        found = dict.fromkeys(key for key in keys if self.lineage.identities.is_key(key))
        waiting = list(found)
        while waiting:
            key = waiting.pop()
            turns = (each for each in self.names.turns.get(self.first(key), ()) if each in self.calls.makers)
            for near in (*parents(self.lineage, key), *turns):
                if near not in found:
                    found[near] = None
                    waiting.append(near)
        return found

    # What uses them, and how they are made.

    def _uses(self) -> Iterator[Use]:
        seen: set[tuple[Chain, int]] = set()
        for call in self.calls.by_path.values():
            makes = any(key in self.members for event in call.events for key in event.made)
            for event in call.events:
                if event.kind not in ("draw", "unmodelled") and (event.kind != "split" or makes):
                    continue
                for key in map(self.first, self.calls.roots(call, event.keys)):
                    drawn = (call.equation.chain[:1], key)
                    if event.context.recomputed and drawn in seen:
                        continue  # a backward pass draws again what the forward pass drew
                    seen.add(drawn)
                    yield Use(key, call, _what(call, event), call.again(event))
        for key in self._returned():
            yield Use(self.first(key), None, "returned")

    def _steps(self) -> Iterator[Step]:
        for key in self.members:
            child = self.first(key)
            if child in self.calls.makers and key not in self.calls.makers:
                continue  # a child of one lane's key: the key of any one lane stands for it
            event, what = self.calls.maker(key), self.calls.term(key).operation
            torn = self.torn.get(child)
            if torn is not None and what not in DERIVATIONS:
                event, what = torn.first, torn.kind
            call = self.calls.of_event[id(event)] if event else None
            again = call.again(event) if call and event else False
            for parent in map(self.first, parents(self.lineage, key)):
                misuse = what in TEARING or (parent, id(call)) in self.misused
                yield Step(parent, child, what, call, again, misuse)


def _what(call: Call, event: Event) -> str:
    """Return what a call does with a key: one that splits it inside draws with it."""
    if event.kind == "unmodelled":
        return "use"
    return event.kind if event.equation is call.equation else "draw"
