"""The last step from a lineage to its graph: nodes and edges, in the order of the program, and what they are called."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from olympus.graphs.calls import Call, parents
from olympus.graphs.drafting import Draft, Step, Use
from olympus.graphs.labels import spelled
from olympus.graphs.model import Edge, Graph, Node, NodeKind
from olympus.graphs.variables import Variables

if TYPE_CHECKING:
    from olympus.lineage import Lineage
    from olympus.tracing.spans import Chain

SOURCES = ("argument", "constant", "seed")
RETURNED = ("returned",)
"""The place of the function's result, where that of a call would stand."""
WORDS = {"join": "one of", "wrap": "words", "mangled": "words", "opaque": "unknown"}


def graph(lineage: Lineage) -> Graph:
    """Return the graph of a lineage."""
    return Assembly(Draft(lineage)).graph()


class Assembly:
    """The groups of keys and of uses that are one node each."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.calls = draft.calls
        self.variables = Variables(draft.calls)
        self.groups = grouped(draft)
        self.keys: defaultdict[int, list[int]] = defaultdict(list)
        for key in sorted(draft.members, key=lambda key: (self._order(key), key)):
            self.keys[self.groups[key]].append(key)
        self.sinks = self._sinks()
        self.places = _Places(call.equation.chain for call in self._placed())
        order = {("key", group): self._order(members[0]) for group, members in self.keys.items()}
        order |= {("sink", number): _sink_order(uses) for number, uses in enumerate(self.sinks)}
        self.ids = {name: f"n{number}" for number, name in enumerate(sorted(order, key=lambda name: order[name]), 1)}

    def _placed(self) -> Iterator[Call]:
        yield from (step.call for step in self.draft.steps if step.call)
        yield from (use.call for use in self.draft.uses if use.call)

    def graph(self) -> Graph:
        """Return the nodes and edges."""
        nodes = {
            self.ids["key", group]: self._key_node(self.ids["key", group], members)
            for group, members in self.keys.items()
        }
        for number, uses in enumerate(self.sinks):
            name = self.ids["sink", number]
            nodes[name] = _sink_node(name, uses)
        edges = _put_together((*self._derivations(), *self._consumptions()))
        return Graph(tuple(nodes[name] for name in self.ids.values()), edges)

    def _derivations(self) -> Iterator[Edge]:
        for step in self.draft.steps:
            source, target = (self.ids["key", self.groups[key]] for key in (step.parent, step.child))
            turn = step.what == "element" and self.calls.is_loop(step.child)
            yield Edge(source, target, self._what(step), self._place(step.call), step.again or turn, 1, step.misuse)

    def _what(self, step: Step) -> str:
        if step.what == "fold_in":
            members = self.keys[self.groups[step.child]]
            return f"fold_in {spelled(map(self.draft.names.index, members))}"
        if step.what == "element":  # a loop's edge says "each turn" by itself
            return "" if self.calls.is_loop(step.child) else "each shard"
        return WORDS.get(step.what, step.what)

    def _sinks(self) -> list[list[Use]]:
        """Return the uses of each sink: of calls at one place with keys of the same nodes."""
        by_call: defaultdict[int, list[Use]] = defaultdict(list)
        for use in self.draft.uses:
            by_call[id(use.call)].append(use)
        found: defaultdict[object, list[Use]] = defaultdict(list)
        for uses in by_call.values():
            site = uses[0].call.site if uses[0].call else RETURNED
            found[site, frozenset(self.groups[use.key] for use in uses)] += uses
        return list(found.values())

    def _consumptions(self) -> Iterator[Edge]:
        for number, uses in enumerate(self.sinks):
            by_group: defaultdict[int, list[Use]] = defaultdict(list)
            for use in uses:
                by_group[self.groups[use.key]].append(use)
            for group, own in by_group.items():
                yield self._consumption(self.ids["key", group], self.ids["sink", number], own)

    def _consumption(self, source: str, target: str, uses: list[Use]) -> Edge:
        first = uses[0]
        calls = {(use.key, id(use.call)) for use in uses}
        counts = Counter(key for key, _ in calls)
        what = "" if first.what == "returned" else first.what
        again = any(use.again for use in uses)
        misuse = not self.draft.misused.isdisjoint(calls)
        return Edge(source, target, what, self._place(first.call), again, max(counts.values()), misuse)

    def _place(self, call: Call | None) -> str:
        return self.places.text(call.equation.chain) if call else ""

    def _order(self, key: int) -> tuple[float, int]:
        """Return when a key is made: what no event makes comes after what it is made of."""
        made = self.calls.makers.get(key)
        if made:
            return made[0].order, made[1]
        above = [self._order(parent) for parent in parents(self.draft.lineage, key)]
        return (max(above)[0] + 0.5, key) if above else (-1, key)

    def _key_node(self, name: str, members: list[int]) -> Node:
        kind: NodeKind = "source" if self.calls.term(members[0]).operation in SOURCES else "key"
        names = self.draft.names
        title = names.label(members, depth=8, longest=200)
        misuses = tuple(sorted(self.draft.marks[members[0]]))
        return Node(name, kind, names.label(members), title, misuses, self.variables.of(members))


def _sink_order(uses: list[Use]) -> tuple[float, int]:
    call = uses[0].call
    return (call.events[0].order + 0.25, 0) if call else (float("inf"), 0)


def _sink_node(name: str, uses: list[Use]) -> Node:
    call = uses[0].call
    if call is None:
        return Node(name, "returned", "returned", "returned by the function")
    label = call.events[0].name
    if uses[0].what == "use":
        return Node(name, "unknown", f"{label}?", f"{label}: what it does with keys is not known")
    if not call.equation.chain:
        return Node(name, "sink", label, label)
    span = call.equation.chain[0]
    return Node(name, "sink", label, f"{label} at {Path(span.file).name}:{span.line}:{span.column}")


def _put_together(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return edges in the order of their nodes, those between two nodes that say the same put together."""
    found: dict[tuple[str, str, str, str], Edge] = {}
    for edge in edges:
        name = (edge.source, edge.target, edge.what, edge.place)
        other = found.get(name, edge)
        often, misuse = max(edge.times, other.times), edge.misuse or other.misuse
        found[name] = Edge(*name, edge.each_turn or other.each_turn, often, misuse)
    return tuple(sorted(found.values(), key=lambda edge: (int(edge.source[1:]), int(edge.target[1:]))))


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
        text = f"{Path(chain[0].file).name}:{line}" if len(self.files) > 1 else f"line {line}"
        others = [other for other in self.chains if other != chain and other[0] == chain[0]]
        for back in range(1, len(chain)):
            caller = chain[-back]
            alike = [other[-back] for other in others if len(other) >= back]
            if any(other.line != caller.line for other in alike):
                return f"{text} from {caller.line}"
            if any(other != caller for other in alike):
                return f"{text} from {caller.line}:{caller.column}"
        return text


# Which keys are one node: those of one origin that are made and used alike.


def grouped(draft: Draft) -> dict[int, int]:
    """Return a number for each key that matters: the same for keys that are one node.

    The numbers begin with what each key is by itself, and are refined by those of the keys that it is made of and
    that are made of it, until nothing changes.
    """
    above: defaultdict[int, set[int]] = defaultdict(set)
    below: defaultdict[int, set[int]] = defaultdict(set)
    for step in draft.steps:
        above[step.child].add(step.parent)
        below[step.parent].add(step.child)
    ends: defaultdict[int, set[object]] = defaultdict(set)
    for use in draft.uses:
        ends[use.key].add(use.call.site if use.call else RETURNED)
    # Derivations are counted first: otherwise it takes a round for each to tell the keys of a long chain apart.
    depths: dict[int, int] = {}
    for key in sorted(draft.members):
        depths[key] = 1 + max((depths.get(each, 0) for each in above[key]), default=0)
    numbers = _numbered({key: (depths[key], _origin(draft, key), frozenset(ends[key])) for key in draft.members})
    while True:

        def alike(keys: set[int], numbers: dict[int, int] = numbers) -> frozenset[int]:
            return frozenset(numbers[key] for key in keys)

        refined = _numbered({key: (numbers[key], alike(above[key]), alike(below[key])) for key in draft.members})
        if len(set(refined.values())) == len(set(numbers.values())):
            return refined
        numbers = refined


def _origin(draft: Draft, key: int) -> Hashable:
    operation, _, data = draft.calls.term(key)
    maker = draft.calls.maker(key)
    place: object = draft.calls.of_event[id(maker)].site if maker else key
    if operation in ("argument", "constant") and isinstance(data, tuple):
        place = data[0]
    return operation, place, frozenset(draft.marks[key])


def _numbered(values: Mapping[int, Hashable]) -> dict[int, int]:
    numbers: dict[Hashable, int] = {}
    return {key: numbers.setdefault(value, len(numbers)) for key, value in values.items()}
