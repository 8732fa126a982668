"""Whether keys differ in all turns of loops of which an execution has done the first few.

It is not known how often an *open* loop runs. An execution does three turns of it, and what is counted in it is a
number that stands for any number. A turn that follows the second one does what the second one did, unless something
that is known decided there what is done; who executes it says so. What is left to show is that a key which a turn
uses is told from those of all others by how it was made:

* by a split of the same turn, or of the one before it: each execution of a split makes keys of its own;
* as an element whose place is the number of the turn, or with that number folded in.

So each key is described relative to the turn that uses it, by :class:`Made`. If the later turns describe their keys
in the same words, all that follow do; and two places with different words never have one key.
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

__all__ = ["FOLDED", "LATER", "LENGTHS", "LOOP", "MANY", "ROOTS", "WHICH", "Made", "Making", "Turn", "Turns", "Vector"]

LATER = "the later turns of a loop were left out"
MANY = "how many keys a split makes is not known"
LOOP = "how often a loop runs is not known"
WHICH = "it is not known which keys are used there"
FOLDED = "it is not known which numbers are folded in"
ROOTS = "it is not known whether the keys there come from one"

LENGTHS = frozenset({LATER, LOOP, MANY})
"""What is not known where an execution stands for one length of a loop, or of an array, and not for all."""

INDEXING = frozenset({"add", "convert_element_type", "lt", "select_n"})
"""Primitives that an index goes through: one that is less than 0 counts from the end."""

NOTHING = Term("nothing", (), None)

Vector = tuple[tuple[int, int], ...]
"""The open loops around an event, outermost first: the number of the loop's execution, and that of the turn."""


class Turn(NamedTuple):
    """A number that stands for that of a turn, or for what was computed of it.

    Attributes:
        loop: the number of the loop's execution.
        number: which turn.
        computed: how it was computed of the turn's own: each step gives different numbers for different ones.
    """

    loop: int
    number: int
    computed: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of open loops in one execution.

    Attributes:
        vectors: the open loops around an equation at the top of the trace, by its ``id``.
        numbers: what stands for turns, by the term of its value.
    """

    vectors: Mapping[int, Vector] = field(default_factory=dict)
    numbers: Mapping[int, Turn] = field(default_factory=dict)

    def around(self, event: Event) -> Vector:
        """Return the open loops around an event."""
        equation = event.equation
        while equation.outer is not None:
            equation = equation.outer
        return self.vectors.get(id(equation.eqn), ())


class Chosen(NamedTuple):
    """How one key is chosen of an array.

    Attributes:
        shape: that of the array.
        layout: which of the keys that were made together are in it.
        starts: where a part begins, for each axis.
        position: which key of that part.
    """

    shape: tuple[int, ...]
    layout: tuple[tuple[int, int], ...]
    starts: tuple[Hashable, ...]
    position: tuple[int, ...]


class Made(NamedTuple):
    """How a key was made, relative to the turns in which it is used.

    Attributes:
        site: what made it: a call that is reached in one way, or the root that it is.
        back: how many turns ago, for each loop around.
        results: which of the keys that are made there it may be.
        place: how it was chosen of them, where it is one of an array and the place in that is not known.
        folded: what was folded in after that, last first.
    """

    site: Hashable
    back: tuple[Hashable, ...]
    results: frozenset[tuple[int, int]]
    place: Chosen | None
    folded: tuple[Hashable, ...]

    def doubt(self, other: Made) -> str | None:
        """Say why two keys may be one, in whatever turns they are used; ``None`` if they are not."""
        if self.site != other.site or not self.results & other.results or len(self.folded) != len(other.folded):
            return None
        if any(are_two_numbers(a, b) for a, b in zip(self.folded, other.folded, strict=True)):
            return None
        if self.folded and (self.folded != other.folded or any(is_open(each) for each in self.folded)):
            return FOLDED
        return WHICH if len(self.results | other.results) > 1 else LOOP

    def depends_on(self, level: int) -> bool:
        """Say whether a key is another one in each turn of a loop around its use, for this is told by the turn."""
        if level < len(self.back) and isinstance(self.back[level], int):
            return True
        numbers = (*self.folded, *(self.place.starts if self.place is not None else ()))
        return any(isinstance(number, tuple) and number[:2] == ("turn", level) for number in numbers)


def are_two_numbers(one: Hashable, other: Hashable) -> bool:
    """Say whether two descriptions are of two known numbers."""
    return isinstance(one, int) and isinstance(other, int) and one != other


def is_open(number: Hashable) -> bool:
    """Say whether a description is of a number that is not known."""
    return not isinstance(number, int)


class Sliced(NamedTuple):
    """A part of an array of keys: the array, where the part begins, and how large it is, for each axis."""

    keys: Array
    starts: tuple[int, ...]
    sizes: tuple[int, ...]


class Making:
    """How the keys of one execution were made."""

    def __init__(self, lineage: Lineage, turns: Turns) -> None:
        """Look at an execution; nothing is computed yet."""
        self.lineage, self.turns = lineage, turns
        self.identities = lineage.identities

    @cached_property
    def makers(self) -> dict[int, Event]:
        """What has made each key, apart from what was folded in."""
        makers = ("split", "seed", "clone")
        return {key: event for event in self.lineage.events if event.kind in makers for key in event.made}

    @cached_property
    def sites(self) -> dict[int, Hashable]:
        """For each event, by its order, the site: the same in each turn, and another one for each other call."""
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
        """Say why keys at two places may be one in some turns; ``None`` if they are not.

        Args:
            first: the events at the one place, each with its keys.
            second: the events at the other.
        """
        for event, key in first:
            for other, its in second:
                found = None if event is other else self.doubt_of_two(event, key, other, its)
                if found is not None:
                    return found
        return None

    def doubt_of_two(self, event: Event, key: int, other: Event, its: int) -> str | None:
        """Say why the keys of two events may be one in some turns."""
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
        """Say whether a key is of the same turn or of the one before, or of a loop that has ended, in all turns.

        If two such keys of one split were one in loops of any length, they would be in loops of three turns.
        """
        made = self.made(key, event)
        near = made is not None and all(back in (0, 1) or not isinstance(back, int) for back in made.back)
        return near and self.is_alike(event)

    def doubt_of_derivations(self) -> str | None:
        """Say why two derivations of the execution may give one key; ``None`` if no two of them do.

        If no key is derived of twice with one number, all ways of derivation lead to keys of their own.
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
        """Say why a child of a split may be the key that folding in makes, of the same parent."""
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
        """Say whether what a call makes or uses is described alike in all turns that follow the first."""
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
        """Describe a key as an event sees it; ``None`` if it is not known how it was made."""
        folded: list[Hashable] = []
        vector, term = self.turns.around(event), self.identities[key]
        while term.operation == "fold_in":
            folded.append(self.told(term.children[1], vector))
            key = term.children[0]
            term = self.identities[key]
        if term.operation in ("argument", "constant"):
            return Made(("root", key), (), frozenset({(0, 0)}), None, tuple(folded))
        first = term.children[1] if term.operation == "join" and len(term.children) > 1 else key
        maker = self.makers.get(first)
        if maker is None:
            return None
        back = tuple(since(vector, level, turn) for level, turn in enumerate(self.turns.around(maker)))
        site = self.sites[maker.order]
        if term.operation != "join":
            return Made(site, back, frozenset({self.result(key, maker)}), None, tuple(folded))
        chosen = self.chosen(term, maker, vector)
        return None if chosen is None else Made(site, back, *chosen, tuple(folded))

    def result(self, key: int, maker: Event) -> tuple[int, int]:
        """Return which of the keys that an event has made one is: the number of its parent, and its own."""
        term = self.identities[key]
        if term.operation != "split" or not isinstance(term.data, tuple):
            return 0, maker.made.index(key)
        return maker.keys.index(term.children[0]), int(term.data[1])

    def chosen(self, term: Term, maker: Event, vector: Vector) -> tuple[frozenset[tuple[int, int]], Chosen] | None:
        """Return which keys of an array one may be, and how it was chosen; ``None`` if they were not made together."""
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
        """Return the array of which a term takes a part, as ``lax.dynamic_slice`` does; ``None`` for another term."""
        operation, operands, data = self.identities[number]
        if operation != "computed" or not isinstance(data, tuple) or data[0] != "dynamic_slice":
            return None
        keys = self.array(operands[0])
        return None if keys is None else Sliced(keys, operands[1 : keys.ndim + 1], dict(data[1])["slice_sizes"])

    def array(self, number: int) -> Array | None:
        """Return the keys of an array, raw or typed, by its term; ``None`` if they are not known."""
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
        """Describe a number: itself if it is known, by the turn if it is that of a turn, otherwise by its term."""
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
        """Return the numbers of turns that one is computed of, if each turn has another; none otherwise.

        That is so for what an index goes through; a rest of a division would begin again.
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
    """Return the outermost loop of which two events are in different turns; ``None`` if they are not in one loop."""
    for level, (first, second) in enumerate(zip(one, other, strict=True)):
        if first != second:
            return level if first[0] == second[0] else None
    return None


def since(vector: Vector, level: int, turn: tuple[int, int]) -> Hashable:
    """Return how many turns ago something was, in one of the loops around it."""
    if level < len(vector) and vector[level][0] == turn[0]:
        return vector[level][1] - turn[1]
    return "left", turn[1]


def pairs(one: Event, other: Event) -> Iterable[tuple[int, int]]:
    """Return the keys of two derivations that are to be compared."""
    first, second = (event.keys if event.kind == "split" else event.made for event in (one, other))
    return ((a, b) for a in first for b in second)


def children(event: Event) -> int:
    """Return how many keys a split makes of each."""
    return max(1, len(event.made) // max(1, len(event.keys)))
