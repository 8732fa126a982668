"""From a lineage to its graph: which keys matter, what uses them, which of them are one node, and what it is called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path as File
from typing import TYPE_CHECKING

from olympus.lineage.calls import Call, Calls, parents
from olympus.lineage.events import Event, Misuse, MisuseKind
from olympus.lineage.graph import Edge, Graph, Node, NodeKind
from olympus.lineage.labels import Namer, spelled

if TYPE_CHECKING:
    from olympus.lineage import Lineage
    from olympus.spans import Chain

__all__ = ["Draft"]

SOURCES = ("argument", "constant", "seed")
DERIVATIONS = ("split", "fold_in", "clone")
TEARING = ("indexing", "arithmetic", "transposition")
RETURNED = ("returned",)


@dataclass(frozen=True, slots=True)
class Use:
    """One key, used by one call.

    Attributes:
        key: the key, that of the first turn in a loop.
        call: what uses it; ``None`` for the result of the function.
        what: ``draw``, ``split``, or the primitive of which nothing is known.
        again: whether it is so in a later turn of a loop.
    """

    key: int
    call: Call | None
    what: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One key, made of another one.

    Attributes:
        parent: a key, that of the first turn in a loop.
        child: the other one, likewise.
        what: the operation of the child's term, or the kind of misuse that tears a key.
        call: what does it; ``None`` where no equation does.
        again: whether it does so in a later turn of a loop.
        misuse: whether it is a part of a misuse.
    """

    parent: int
    child: int
    what: str
    call: Call | None
    again: bool
    misuse: bool


class Draft:
    """The keys that matter, what they are made of and what uses them; then the groups of keys that are one node."""

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage
        self.calls = Calls(lineage)
        self.same = self.calls.same_in_turns()
        turns: defaultdict[int, list[int]] = defaultdict(list)
        for key in self.same:
            turns[self.first(key)].append(key)
        self.names = Namer(lineage, turns)
        self.marks: defaultdict[int, set[MisuseKind]] = defaultdict(set)
        self.misused: set[tuple[int, int]] = set()  # keys, each with the id of the call that misuses it
        self.torn: dict[int, Misuse] = {}
        for misuse in lineage.misuses:
            self._mark(misuse)
        used = dict.fromkeys((*self._used(), *self._returned(), *self.marks))
        self.members = self._closure(used)
        self.uses = list(dict.fromkeys(self._uses()))
        self.members.update(self._closure({use.key: None for use in self.uses}))
        self.steps = list(dict.fromkeys(self._steps()))
        self.members = {self.first(key): None for key in self.members}
        self.groups = self._grouped()

    def first(self, key: int) -> int:
        """Return the key of the first turn for one of another turn."""
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
        certain = {self.first(key) for event in self.lineage.events for key in event.keys}
        for value in self.lineage.outputs:
            labels = [value.bulk] if value.labels is None else value.labels.ravel().tolist()
            for label in dict.fromkeys(labels):
                if label is None or not label:
                    continue
                term = identities[label]
                key = label if identities.is_key(label) else term.children[0] if term.operation == "word" else None
                if key is not None and (identities[key].operation not in SOURCES[:2] or self.first(key) in certain):
                    yield key

    def _closure(self, keys: Iterable[int]) -> dict[int, None]:
        """Return keys and all that they are made of, as they are in the first and the other turns of loops."""
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
        for call in self.calls.by_path.values():
            makes = any(key in self.members for event in call.events for key in event.made)
            for event in call.events:
                if event.kind in ("draw", "unmodelled") or (event.kind == "split" and not makes):
                    what = event.equation.primitive if event.kind == "unmodelled" else event.kind
                    internal = event.equation is not call.equation and event.kind == "split"
                    for key in self.calls.roots(call, event.keys):
                        yield Use(self.first(key), call, "draw" if internal else what, call.again(event))
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

    # Which keys are one node.

    def _grouped(self) -> dict[int, int]:
        """Return a number for each key: the same for keys of one origin that are made and used alike."""
        above, below = defaultdict(set), defaultdict(set)
        for step in self.steps:
            above[step.child].add(step.parent)
            below[step.parent].add(step.child)
        ends = defaultdict(set)
        for use in self.uses:
            ends[use.key].add(use.call.site if use.call else RETURNED)
        # Derivations are counted first: otherwise it takes a round for each to tell the keys of a long chain apart.
        depths: dict[int, int] = {}
        for key in sorted(self.members):
            depths[key] = 1 + max((depths.get(each, 0) for each in above[key]), default=0)
        numbers = _numbered({key: (depths[key], self._origin(key), frozenset(ends[key])) for key in self.members})
        while True:
            refined = _numbered(
                {
                    key: (
                        numbers[key],
                        frozenset(numbers[each] for each in above[key]),
                        frozenset(numbers[each] for each in below[key]),
                    )
                    for key in self.members
                }
            )
            if len(set(refined.values())) == len(set(numbers.values())):
                return refined
            numbers = refined

    def _origin(self, key: int) -> tuple[object, ...]:
        operation, _, data = self.calls.term(key)
        maker = self.calls.maker(key)
        place: object = self.calls.of_event[id(maker)].site if maker else key
        if operation in ("argument", "constant") and isinstance(data, tuple):
            place = data[0]
        return operation, place, frozenset(self.marks[key])

    # The graph.

    def graph(self) -> Graph:
        """Return the nodes and edges."""
        keys: defaultdict[int, list[int]] = defaultdict(list)
        for key in sorted(self.members, key=lambda key: (self._order(key), key)):
            keys[self.groups[key]].append(key)
        sinks = self._sinks()
        chains = _Places(call.equation.chain for call in self._placed_calls())
        order = {("key", group): self._order(members[0]) for group, members in keys.items()}
        order |= {("sink", number): _last_order(sink) for number, sink in enumerate(sinks)}
        ids = {name: f"n{number}" for number, name in enumerate(sorted(order, key=lambda name: order[name]), 1)}
        nodes = {ids["key", group]: self._key_node(ids["key", group], members) for group, members in keys.items()}
        edges = _Edges()
        for step in self.steps:
            source, target = ids["key", self.groups[step.parent]], ids["key", self.groups[step.child]]
            what = self._what(step, keys[self.groups[step.child]])
            place = chains.text(step.call.equation.chain) if step.call else ""
            turns = step.again or what == "each turn"
            edges.add(Edge(source, target, what.removesuffix("each turn"), place, turns, 1, step.misuse))
        for number, uses in enumerate(sinks):
            nodes[ids["sink", number]] = _sink_node(ids["sink", number], uses)
            for edge in self._sink_edges(uses, ids, ids["sink", number], chains):
                edges.add(edge)
        return Graph(tuple(nodes[name] for name in ids.values()), edges.merged())

    def _placed_calls(self) -> Iterator[Call]:
        yield from (step.call for step in self.steps if step.call)
        yield from (use.call for use in self.uses if use.call)

    def _sinks(self) -> list[list[Use]]:
        """Return the uses of each sink: of calls at one place with keys of the same nodes."""
        by_call: defaultdict[int, list[Use]] = defaultdict(list)
        for use in self.uses:
            by_call[id(use.call)].append(use)
        found: defaultdict[object, list[Use]] = defaultdict(list)
        for uses in by_call.values():
            site = uses[0].call.site if uses[0].call else RETURNED
            found[site, frozenset(self.groups[use.key] for use in uses)] += uses
        return list(found.values())

    def _sink_edges(
        self, uses: list[Use], ids: dict[tuple[str, int], str], target: str, chains: _Places
    ) -> Iterator[Edge]:
        by_group: defaultdict[int, list[Use]] = defaultdict(list)
        for use in uses:
            by_group[self.groups[use.key]].append(use)
        for group, own in by_group.items():
            call = own[0].call
            calls = {(use.key, id(use.call)) for use in own}
            times = max(sum(key == each for key, _ in calls) for each in {key for key, _ in calls})
            yield Edge(
                ids["key", group],
                target,
                {"returned": "", "draw": "draw", "split": "split"}.get(own[0].what, "use"),
                chains.text(call.equation.chain) if call else "",
                any(use.again for use in own),
                times,
                not self.misused.isdisjoint(calls),
            )

    def _order(self, key: int) -> tuple[float, int]:
        made = self.calls.makers.get(key)
        if made:
            return made[0].order, made[1]
        above = [self._order(parent) for parent in parents(self.lineage, key)]
        return (max(above)[0] + 0.5, key) if above else (-1, key)

    def _what(self, step: Step, members: list[int]) -> str:
        if step.what == "fold_in":
            return f"fold_in {spelled(map(self.names.index, members))}"
        if step.what == "element":
            return "each turn" if self.calls.is_loop(step.child) else "each shard"
        return {"join": "one of", "wrap": "words", "mangled": "words", "opaque": "unknown"}.get(step.what, step.what)

    def _key_node(self, name: str, members: list[int]) -> Node:
        kind: NodeKind = "source" if self.calls.term(members[0]).operation in SOURCES else "key"
        label = self.names.label(members)
        title = self.names.label(members, depth=8, longest=200)
        return Node(name, kind, label, title, tuple(sorted(self.marks[members[0]])))


def _numbered(values: dict[int, object]) -> dict[int, int]:
    numbers: dict[object, int] = {}
    return {key: numbers.setdefault(value, len(numbers)) for key, value in values.items()}


def _last_order(uses: list[Use]) -> tuple[float, int]:
    call = uses[0].call
    return (call.events[0].order + 0.25, 0) if call else (float("inf"), 0)


def _sink_node(name: str, uses: list[Use]) -> Node:
    call = uses[0].call
    if call is None:
        return Node(name, "returned", "returned", "returned by the function")
    label = call.events[0].name
    if uses[0].what not in ("draw", "split"):
        return Node(name, "unknown", f"{label}?", f"{label}: what it does with keys is not known")
    if not call.equation.chain:
        return Node(name, "sink", label, label)
    span = call.equation.chain[0]
    return Node(name, "sink", label, f"{label} at {File(span.file).name}:{span.line}:{span.column}")


class _Edges:
    """Edges, those between two nodes that say the same put together."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str, str], Edge] = {}

    def add(self, edge: Edge) -> None:
        name = (edge.source, edge.target, edge.what, edge.place)
        other = self.found.get(name, edge)
        self.found[name] = Edge(
            *name, edge.each_turn or other.each_turn, max(edge.times, other.times), edge.misuse or other.misuse
        )

    def merged(self) -> tuple[Edge, ...]:
        return tuple(sorted(self.found.values(), key=lambda edge: (int(edge.source[1:]), int(edge.target[1:]))))


class _Places:
    """Writes source lines: with the file where there are several, with the caller where a helper is called often."""

    def __init__(self, chains: Iterable[Chain]) -> None:
        self.chains = [chain for chain in dict.fromkeys(chains) if chain]
        self.files = {chain[0].file for chain in self.chains}

    def text(self, chain: Chain) -> str:
        """Return the line of a chain of calls."""
        if not chain:
            return ""
        line = chain[0].line
        text = f"{File(chain[0].file).name}:{line}" if len(self.files) > 1 else f"line {line}"
        others = [other for other in self.chains if other != chain and other[0] == chain[0]]
        for back in range(1, len(chain)):
            caller = chain[-back]
            alike = [other[-back] for other in others if len(other) >= back]
            if any(other.line != caller.line for other in alike):
                return f"{text} from {caller.line}"
            if any(other != caller for other in alike):
                return f"{text} from {caller.line}:{caller.column}"
        return text
