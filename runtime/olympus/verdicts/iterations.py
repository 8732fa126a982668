"""Whether keys differ in all iterations of loops, given an execution of the first few.

An *open* loop has an unknown number of iterations. An execution runs three of them, and the number of an iteration is a
symbol that stands for any number. Every iteration after the second does what the second did, unless a known value
decided that; the executor reports it then. It remains to show that the key of an iteration differs from those of all
others by how it was made:

* by a split of the same iteration, or of the one before it: each execution of a split makes keys of its own;
* as an element whose place is the number of the iteration, or with that number folded in.

So each key is described relative to the iteration that uses it, by :class:`Made`. If the later iterations have equal
descriptions, all further ones have, too; and two places with different descriptions never have one key.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from olympus.lineage import Event, Lineage
from olympus.lineage.identity import Term

if TYPE_CHECKING:
    from olympus.lineage.movement import Array
    from olympus.tracing.jaxprs import Equation

__all__ = [
    "FOLDED",
    "LATER",
    "LENGTHS",
    "LOOP",
    "MANY",
    "ROOTS",
    "WHICH",
    "Made",
    "Making",
    "Turn",
    "Turns",
    "Vector",
    "outermost",
]

LATER = "the later iterations of a loop were left out"
MANY = "how many keys a split makes is not known"
LOOP = "how often a loop runs is not known"
WHICH = "it is not known which keys are used there"
FOLDED = "it is not known which numbers are folded in"
ROOTS = "it is not known whether the keys there come from one"

LENGTHS = frozenset({LATER, LOOP, MANY})
"""Reasons of an execution that stands for one length of a loop or array only."""

INDEXING = frozenset({"add", "convert_element_type", "lt", "select_n"})
"""Primitives that an index passes: a negative one counts from the end."""

NOTHING = Term("nothing", (), None)

Vector = tuple[tuple[int, int], ...]
"""The open loops around an event, outermost first: the number of the loop's execution, and that of the iteration."""


class Turn(NamedTuple):
    """The number of an iteration, or a number that was computed from it.

    Attributes:
        loop: the number of the loop's execution.
        number: which iteration.
        computed: the steps of the computation, each of them injective.
    """

    loop: int
    number: int
    computed: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Turns:
    """The iterations of open loops in one execution.

    Attributes:
        vectors: the open loops around an equation at the top of the trace, by its ``id``.
        numbers: the numbers of iterations, by their terms.
    """

    vectors: Mapping[int, Vector] = field(default_factory=dict)
    numbers: Mapping[int, Turn] = field(default_factory=dict)

    def around(self, event: Event) -> Vector:
        """Return the open loops around an event."""
        return self.vectors.get(id(outermost(event).eqn), ())


def outermost(event: Event) -> Equation:
    """Return the equation at the top of the trace that an event is in."""
    equation: Equation = event.equation
    while equation.outer is not None:
        equation = equation.outer
    return equation


class Chosen(NamedTuple):
    """How one key is chosen from an array.

    Attributes:
        shape: the shape of the array.
        layout: which of the keys that were made together are in it.
        starts: the start of a part, for each axis.
        position: the position of the key in that part.
    """

    shape: tuple[int, ...]
    layout: tuple[tuple[int, int], ...]
    starts: tuple[Hashable, ...]
    position: tuple[int, ...]


class Made(NamedTuple):
    """How a key was made, relative to the iterations in which it is used.

    Attributes:
        site: the call that made it, with its chain of calls, or the root that it is.
        back: how many iterations ago, for each loop around.
        results: which of the keys that are made there it may be.
        place: how it was chosen from an array, if its position there is unknown.
        folded: what was folded in after that, last first.
    """

    site: Hashable
    back: tuple[Hashable, ...]
    results: frozenset[tuple[int, int]]
    place: Chosen | None
    folded: tuple[Hashable, ...]

    def doubt(self, other: Made) -> str | None:
        """Return why two keys may be equal in some iterations; ``None`` if they never are."""
        if self.site != other.site or not self.results & other.results or len(self.folded) != len(other.folded):
            return None
        if any(are_two_numbers(a, b) for a, b in zip(self.folded, other.folded, strict=True)):
            return None
        if self.folded and (self.folded != other.folded or any(is_open(each) for each in self.folded)):
            return FOLDED
        return WHICH if len(self.results | other.results) > 1 else LOOP

    def may_be_child(self, other: Made) -> bool:
        """Return whether two keys are one if the keys are one that their splits are given."""
        if len(self.folded) != len(other.folded):
            return False
        apart = any(are_two_numbers(a, b) for a, b in zip(self.folded, other.folded, strict=True))
        return not apart and bool({child for _, child in self.results} & {child for _, child in other.results})

    def depends_on(self, level: int) -> bool:
        """Return whether a key differs in each iteration of a loop, since the number of the iteration is in it."""
        if level < len(self.back) and isinstance(self.back[level], int):
            return True
        numbers = (*self.folded, *(self.place.starts if self.place is not None else ()))
        return any(isinstance(number, tuple) and number[:2] == ("turn", level) for number in numbers)


def are_two_numbers(one: Hashable, other: Hashable) -> bool:
    """Return whether two descriptions are of two known numbers."""
    return isinstance(one, int) and isinstance(other, int) and one != other


def is_open(number: Hashable) -> bool:
    """Return whether a description is of an unknown number."""
    return not isinstance(number, int)


class Sliced(NamedTuple):
    """A part of an array of keys: the array, where the part begins, and how large it is, for each axis."""

    keys: Array
    starts: tuple[int, ...]
    sizes: tuple[int, ...]


class Making:
    """How the keys of one execution were made."""

    def __init__(self, lineage: Lineage, turns: Turns) -> None:
        """Prepare for an execution; nothing is computed yet."""
        self.lineage, self.turns = lineage, turns
        self.identities = lineage.identities
        self.doubts: dict[tuple[int, int], str | None] = {}  # of keys that were split

    @cached_property
    def makers(self) -> dict[int, Event]:
        """The event that made each key, without what was folded in."""
        makers = ("split", "seed", "clone")
        return {key: event for event in self.lineage.events if event.kind in makers for key in event.made}

    @cached_property
    def sites(self) -> dict[int, Hashable]:
        """The site of each event, by its order: the same in each iteration, and different for different calls."""
        counts: dict[Hashable, int] = {}
        sites: dict[int, Hashable] = {}
        for event in self.lineage.events:
            vector = self.turns.around(event)
            turn = (event.chain, event.kind, vector)
            counts[turn] = number = counts.get(turn, -1) + 1
            sites[event.order] = (event.chain, event.kind, number) if vector else event.order
        return sites

    @cached_property
    def by_site(self) -> dict[Hashable, list[Event]]:
        """The events of each site."""
        found: dict[Hashable, list[Event]] = {}
        for event in self.lineage.events:
            found.setdefault(self.sites[event.order], []).append(event)
        return found

    # Two places.

    def doubt(self, first: Iterable[tuple[Event, int]], second: Sequence[tuple[Event, int]]) -> str | None:
        """Return why keys at two places may be equal in some iterations; ``None`` if they never are.

        Args:
            first: the events at one place, each with its keys.
            second: the events at the other place.
        """
        for event, key in first:
            for other, its in second:
                found = None if event is other else self.doubt_of_two(event, key, other, its)
                if found is not None:
                    return found
        return None

    def doubt_of_two(self, event: Event, key: int, other: Event, its: int) -> str | None:
        """Return why the keys of two events, or those that they were split from, may be equal in some iterations."""
        doubt = self.doubt_of_one_split(event, key, other, its)
        return self.doubt_of_parents(event, key, other, its) if doubt is None and key != its else doubt

    def doubt_of_parents(self, event: Event, key: int, other: Event, its: int) -> str | None:
        """Return why two executions of splits may give one key at two places: they may split one key."""
        one, two = self.maker(key), self.maker(its)
        if one is None or two is None or one is two or {one.kind, two.kind} != {"split"}:
            return None
        first, second = self.made(key, event), self.made(its, other)
        if first is None or second is None or not first.may_be_child(second):
            return None
        for a in one.keys:
            for b in two.keys:
                if (a, b) not in self.doubts:
                    self.doubts[a, b] = WHICH if a == b else self.doubt_of_two(one, a, two, b)
                if self.doubts[a, b] is not None:
                    return self.doubts[a, b]
        return None

    def doubt_of_one_split(self, event: Event, key: int, other: Event, its: int) -> str | None:
        """Return why the keys of two events may be equal in some iterations, if equal keys are made by one split."""
        first, second = self.made(key, event), self.made(its, other)
        if first is None or second is None:
            return WHICH
        one_site = self.sites[event.order] == self.sites[other.order]
        if one_site and not self.is_alike(event):
            return LOOP
        doubt = first.doubt(second)
        if doubt is None or key == its:
            return doubt
        if one_site and first == second:
            level = parting(self.turns.around(event), self.turns.around(other))
            return None if level is not None and first.depends_on(level) else doubt
        return None if doubt == LOOP and self.is_near(key, event) and self.is_near(its, other) else doubt

    def is_near(self, key: int, event: Event) -> bool:
        """Return whether a key always comes from the same iteration, the one before, or a loop that has ended.

        If two such keys of one split were equal in loops of any length, they would be in loops of three iterations.
        """
        made = self.made(key, event)
        near = made is not None and all(back in (0, 1) or not isinstance(back, int) for back in made.back)
        return near and self.is_alike(event)

    def doubt_of_derivations(self) -> str | None:
        """Return why two derivations of the execution may give one key; ``None`` if no two of them do.

        If no key is derived from twice with one number, all derivations give different keys.
        """
        derived = [event for event in self.lineage.events if event.kind in ("split", "fold_in")]
        for one, other in combinations(derived, 2):
            for a, b in pairs(one, other):
                alike = one.kind == other.kind
                found = self.doubt_of_two(one, a, other, b) if alike else self.doubt_of_a_split(one, a, other, b)
                if found is not None:
                    return found
        return None

    def doubt_of_a_split(self, one: Event, a: int, other: Event, b: int) -> str | None:
        """Return why a child of a split may equal a key that ``fold_in`` makes from the same parent."""
        count = children(one if one.kind == "split" else other)
        split, folded = self.made(a, one), self.made(b, other)
        if one.kind != "split":
            split, folded = folded, split
        if split is None or folded is None:
            return WHICH
        message, *before = folded.folded
        if isinstance(message, int) and message >= count:
            return None
        return split.doubt(folded._replace(folded=tuple(before)))

    def is_alike(self, event: Event) -> bool:
        """Return whether a call has equal descriptions in all iterations after the first."""
        found: dict[tuple[bool, ...], Hashable] = {}
        for each in self.by_site[self.sites[event.order]]:
            vector = self.turns.around(each)
            made = tuple(self.made(key, each) for key in (*each.keys, *each.made))
            follows = tuple(turn > 0 for _, turn in vector)
            if None in made or found.setdefault(follows, made) != made:
                return False
        return True

    # One key.

    def made(self, key: int, event: Event) -> Made | None:
        """Describe a key relative to an event; ``None`` if its making is unknown."""
        folded: list[Hashable] = []
        vector, term = self.turns.around(event), self.identities[key]
        while term.operation == "fold_in":
            folded.append(self.told(term.children[1], vector))
            key = term.children[0]
            term = self.identities[key]
        if term.operation in ("argument", "constant"):
            return Made(("root", key), (), frozenset({(0, 0)}), None, tuple(folded))
        maker = self.maker(key)
        if maker is None:
            return None
        back = tuple(since(vector, level, turn) for level, turn in enumerate(self.turns.around(maker)))
        site = self.sites[maker.order]
        if term.operation != "join":
            return Made(site, back, frozenset({self.result(key, maker)}), None, tuple(folded))
        chosen = self.chosen(term, maker, vector)
        return None if chosen is None else Made(site, back, *chosen, tuple(folded))

    def maker(self, key: int) -> Event | None:
        """Return the event that made a key, without what was folded in; ``None`` if it is unknown."""
        term = self.identities[key]
        while term.operation == "fold_in":
            key = term.children[0]
            term = self.identities[key]
        first = term.children[1] if term.operation == "join" and len(term.children) > 1 else key
        return self.makers.get(first)

    def result(self, key: int, maker: Event) -> tuple[int, int]:
        """Return the position of a key among those that an event has made: the number of its parent, and its own."""
        term = self.identities[key]
        if term.operation != "split" or not isinstance(term.data, tuple):
            return 0, maker.made.index(key)
        return maker.keys.index(term.children[0]), int(term.data[1])

    def chosen(self, term: Term, maker: Event, vector: Vector) -> tuple[frozenset[tuple[int, int]], Chosen] | None:
        """Return which keys of an array a key may be, and how it was chosen; ``None`` for keys of several events."""
        import numpy as np

        array = self.sliced(term.children[0])
        if array is None or any(self.makers.get(int(key)) is not maker for key in array.keys.flat):
            return None
        starts = [self.told(start, vector) for start in array.starts]
        position: tuple[int, ...] = term.data  # type: ignore[assignment]  # of a join
        index: list[int | slice] = []
        for start, size, length, at in zip(starts, array.sizes, array.keys.shape, position, strict=False):
            index.append(min(max(start, 0), length - size) + at if isinstance(start, int) else slice(None))
        layout = tuple(self.result(int(key), maker) for key in array.keys.flat)
        found = frozenset(self.result(int(key), maker) for key in np.asarray(array.keys[tuple(index)]).flat)
        return found, Chosen(array.keys.shape, layout, tuple(starts), position)

    def sliced(self, number: int) -> Sliced | None:
        """Return the array that a term takes a part of, as ``lax.dynamic_slice`` does; ``None`` for another term."""
        operation, operands, data = self.identities[number]
        if operation != "computed" or not isinstance(data, tuple) or data[0] != "dynamic_slice":
            return None
        keys = self.array(operands[0])
        return None if keys is None else Sliced(keys, operands[1 : keys.ndim + 1], dict(data[1])["slice_sizes"])

    def array(self, number: int) -> Array | None:
        """Return the keys of an array, raw or typed, by its term; ``None`` if they are unknown."""
        import numpy as np

        operation, labels, shape = self.identities[number]
        if operation != "labels" or not labels or not isinstance(shape, tuple):
            return None
        if self.identities[labels[0]].operation != "word":
            return np.asarray(labels, np.int64).reshape(shape)
        words = [self.identities[word] for word in labels[:: shape[-1]]]
        if any(word.operation != "word" for word in words):
            return None
        return np.asarray([word.children[0] for word in words], np.int64).reshape(shape[:-1])

    def told(self, number: int, vector: Vector) -> Hashable:
        """Describe a number: by its value, by the iteration whose number it is, or else by its term."""
        term = self.identities[number] if number >= 0 else None
        if term is not None and term.operation == "literal" and isinstance(term.data, int):
            return term.data
        turns = self.turns_in(number)
        if len(turns) == 1:
            (own,) = turns
            turn = self.turns.numbers[own]
            for level, (loop, current) in enumerate(vector):
                if loop == turn.loop:
                    shape = self.identities.replace(number, {own: self.identities.number("turn")})
                    return "turn", level, current - turn.number, turn.computed, shape
        return "number", number

    def turns_in(self, number: int) -> set[int]:
        """Return the numbers of iterations that a number is computed from injectively.

        The operations on an index are injective; the remainder of a division is not.
        """
        found: set[int] = set()
        waiting = [number]
        while waiting:
            current = waiting.pop()
            if current in self.turns.numbers:
                found.add(current)
                continue
            operation, operands, data = self.identities[current] if current >= 0 else NOTHING
            known = operation == "literal" or (operation == "value" and bool(operands))
            if not known and not (operation == "computed" and isinstance(data, tuple) and data[0] in INDEXING):
                return set()
            waiting += operands
        return found


def parting(one: Vector, other: Vector) -> int | None:
    """Return the outermost loop that has two events in different iterations; ``None`` if there is none."""
    for level, (first, second) in enumerate(zip(one, other, strict=True)):
        if first != second:
            return level if first[0] == second[0] else None
    return None


def since(vector: Vector, level: int, turn: tuple[int, int]) -> Hashable:
    """Return how many iterations ago an event was, in one of the loops around it."""
    if level < len(vector) and vector[level][0] == turn[0]:
        return vector[level][1] - turn[1]
    return "left", turn[1]


def pairs(one: Event, other: Event) -> Iterable[tuple[int, int]]:
    """Return the keys of two derivations to compare."""
    first, second = (event.keys if event.kind == "split" else event.made for event in (one, other))
    return ((a, b) for a in first for b in second)


def children(event: Event) -> int:
    """Return how many children a split makes of each key."""
    return max(1, len(event.made) // max(1, len(event.keys)))
