"""The consumptions of identities, and which two of them lie on one path."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

from olympus_rules.keyflow.domain.decisions import Decisions
from olympus_rules.keyflow.domain.paths import PathCondition, both, implies
from olympus_rules.keyflow.domain.terms import Term, Terms
from olympus_rules.keyflow.facts import Place

LONG = 1 << 30  # an unknown length: indices from opposite ends of an array never overlap
NEAREST = 64  # how many earlier consumptions of one identity are compared with a new one


STATE_OF_OBJECT = "state"
"""The label of a draw from the state of an object that counts its draws."""
STATE = "$state"
"""The attribute that is this state: no program writes it."""


class Meeting(IntEnum):
    """Whether two consumptions can happen in one run, and how well this is shown."""

    NEVER = 0
    DOUBTFUL = 1  # needs a loop with zero iterations, or two names for one value
    ASSUMED = 2  # needs unknown calls to return, and values that suit both
    SHOWN = 3


class Certainty(IntEnum):
    """How well the callee that took a key is known."""

    DOUBTFUL = 0  # a class from elsewhere, which may only store it, or a method that may only fold into it
    UNKNOWN = 1  # a function from elsewhere
    KNOWN = 2


UNSET = Term(-1)
UNKNOWN_DRAW = "call"  # of a callee out of sight
DRAWING = frozenset(
    """
    block crossover draw dropout explore generate init initial initialize layer mcmc mutate mutation noise noisy perturb
    pmap rand random randomize reset sample sampled sampler samples sampling shuffle simulate split step transition vmap
    """.split()  # noqa: SIM905
)
"""Words in the names of callables that draw or split their key, or that are called with a key for each lane."""


@dataclass(slots=True)
class Consumption:
    """One consumption.

    Attributes:
        node: the expression that is flagged.
        what: the callee as the user knows it.
        certainty: how well the callee is known.
        path: the path condition.
        term: the identity; the interpreter fills it in.
        key: the expression that held the key.
        draw: which bits of the key are drawn; equal labels draw equal bits.
        call: a number for the call; consumptions of one call are compared only if they come through
            different parameters or elements (``origin``).
        origin: the parameter, or the element of a parameter, through which the key entered.
        loop: the construct that repeats the place: ``loop``, ``comprehension``, ``scan`` …
        outer: the loops around that construct, each with the number of its iteration.
        count: the number of children of a split, if it is a literal.
        taken: the numbers of its children that the code takes where it splits; ``None`` for all of them.
        sampler: the library function that draws, here or in a function that is called.
        time: when it happens, counted in consumptions and departures.
        arms: the possible callee that made it, as (number of the choice, number of the callee); only one callee of a
            choice is called.
        site: the call of a transformation, loop or map that makes the call, if any.
        replaced: the replaced elements of the container, each with condition and time.
        computed: whether code out of sight may compute the key, anew each time.
        given: the arguments of a call whose function makes the key itself.
        stored: the attribute from which a method draws, of its own object; empty elsewhere.
        inside: the call in this file that draws, if ``node`` calls a function that does.
        folded: what a framework folds into the key before it draws; two consumptions that fold in the same draw equal
            bits, and others unequal ones.
    """

    node: ast.AST
    what: str
    certainty: Certainty
    path: PathCondition
    term: Term = UNSET
    key: ast.expr | None = None
    draw: str = UNKNOWN_DRAW
    call: int = 0
    origin: Term | None = None
    loop: str = ""
    outer: tuple[tuple[str, int], ...] = ()
    count: int | None = None
    taken: frozenset[int] | None = None
    sampler: str = ""
    time: int = 0
    arms: tuple[tuple[int, int], ...] = ()
    site: ast.AST | None = None
    replaced: tuple[tuple[Term, PathCondition, int], ...] = ()
    computed: bool = False
    folded: Term | None = None
    given: Term | None = None
    stored: str = ""
    inside: Place | None = None

    def shares_children(self, other: Consumption) -> bool:
        """Return whether two splits of one key may take a child of one number, as far as seen."""
        return self.taken is None or other.taken is None or not self.taken.isdisjoint(other.taken)

    @property
    def is_seen_to_draw(self) -> bool:
        """Whether the callee draws or splits, or is called as if it did: one out of sight may as well pass a key on.

        Of 47 reuses by two callees of which neither says so, 18 were mistakes in the packages of first looks.
        """
        keywords = self.node.keywords if isinstance(self.node, ast.Call) else ()
        if self.draw != UNKNOWN_DRAW or any(keyword.arg == "rngs" for keyword in keywords):
            return True
        return not DRAWING.isdisjoint(re.findall("[a-z]+", self.what.lower()))


@dataclass(slots=True)
class Derivation:
    """A ``fold_in``: where, when, the child, the innermost loop around it, and a number for the call."""

    node: ast.Call
    path: PathCondition
    child: Term
    loop: str
    call: int
    time: int


@dataclass(slots=True)
class Departure:
    """A path that ends: code executed from ``start`` to ``end`` (``None``: for good) is not on it.

    It may go on, unless it is ``sure`` to end: an unknown function was called that may not return.
    """

    path: PathCondition
    start: int
    end: int | None = None
    sure: bool = True

    def in_force(self, time: int) -> bool:
        """Return whether the path is left at this time."""
        return self.start <= time and (self.end is None or time <= self.end)


def certainty_of(first: Consumption, again: Consumption) -> Certainty:
    """Return how well it is known that two consumptions of one key draw from the same child of it."""
    if first.folded is not None and first.folded == again.folded:
        return Certainty.UNKNOWN
    return min(first.certainty, again.certainty)


class Ledger:
    """The consumptions of one function, in the order of execution, and the paths that leave it early."""

    def __init__(self, terms: Terms, decisions: Decisions) -> None:
        """Share the tables of terms and decisions."""
        self._terms = terms
        self._decisions = decisions
        self.consumptions: list[Consumption] = []
        self.departures: list[Departure] = []
        self._time = 0

    def add(self, consumption: Consumption) -> None:
        """Record a consumption; one of a list, or in every lane of a map, consumes the whole array."""
        term = consumption.term
        while self._terms.operation(term) in ("lane", "list"):
            term = self._terms.args(term)[0]
        self.consumptions.append(consumption if term == consumption.term else replace(consumption, term=term))

    @cached_property
    def takers(self) -> Mapping[object, Certainty]:
        """How well the best known callee that takes children of a split is known, by the number of the split's call.

        For the judges: it is computed once.
        """
        found: dict[object, Certainty] = {}
        for use in self.consumptions:
            for term in (use.term, *self._terms.ancestors(use.term)):
                if self._terms.operation(term) == "split":
                    call = self._terms.data(term)
                    found[call] = max(use.certainty, found.get(call, use.certainty))
        return found

    def tick(self) -> int:
        """Return the current time, and advance it."""
        self._time += 1
        return self._time

    def depart(self, path: PathCondition, *, sure: bool = True) -> Departure:
        """Record that a path ends here (``return``, ``raise``, ``break``, ``continue``), or may end."""
        departure = Departure(path, self.tick(), sure=sure)
        self.departures.append(departure)
        return departure

    def pairs(self, is_candidate: Callable[[Term], bool]) -> Iterator[tuple[Consumption, Consumption]]:
        """Yield each consumption with the surest earlier consumption of the same identity on its path.

        If the same place consumed the identity in an earlier iteration, this pair is yielded as well.

        Terms that are neither candidates for keys nor parts of one are left out.
        """
        own: dict[Term, list[Consumption]] = {}
        parts: dict[Term, list[Consumption]] = {}
        items: dict[Term, list[Consumption]] = {}
        slices: dict[Term, list[Consumption]] = {}
        for again in self.consumptions:
            ancestors = self._terms.ancestors(again.term)
            if not (is_candidate(again.term) or any(map(is_candidate, ancestors))):
                continue
            earlier = [own.get(again.term, ()), parts.get(again.term, ())]
            earlier += [own.get(ancestor, ()) for ancestor in ancestors]
            is_slice = self._terms.operation(again.term) == "slice"
            if ancestors:  # items of one array overlap only if they are equal, which `own` covers
                ranges = [*slices.get(ancestors[0], ()), *(items.get(ancestors[0], ()) if is_slice else ())]
                earlier.append([c for c in ranges if self._overlap(c.term, again.term)])
            first = self._surest(earlier, again)
            if first is not None:
                yield first, again
                before = own.get(again.term, [again])[-1]  # an earlier iteration may be better evidence
                if before.node is again.node is not first.node and self.meeting(before, again):
                    yield before, again
            own.setdefault(again.term, []).append(again)
            for ancestor in ancestors:
                parts.setdefault(ancestor, []).append(again)
            if ancestors and self._range(again.term) is not None:
                (slices if is_slice else items).setdefault(ancestors[0], []).append(again)

    def remade(self) -> Iterator[tuple[Consumption, Consumption]]:
        """Yield each consumption of a key with the surest earlier one of a key made apart from its seed."""
        made: dict[Term, list[Consumption]] = {}
        for again in self.consumptions:
            seed = self._terms.seed_of(again.term)
            for path, equal in self._terms.equal_keys(again.term):
                joined, uses = both(path, again.path), made.setdefault(equal, [])
                if joined is None:
                    continue
                use = again if joined == again.path else replace(again, path=joined)
                first = self._surest([[use for use in uses if self._terms.seed_of(use.term) != seed]], use)
                if first is not None:
                    yield first, use
                uses.append(use)

    def _surest(self, earlier: Iterable[Sequence[Consumption]], again: Consumption) -> Consumption | None:
        """Return the earlier consumption that most surely shares a run with a later one, the first of equals."""
        surest: tuple[int, bool] = (Meeting.NEVER, True)
        found: Consumption | None = None
        for candidate in (candidate for group in earlier for candidate in group[:NEAREST]):
            grade = min(int(self.meeting(candidate, again)), certainty_of(candidate, again) + 1)
            if grade >= surest[0] and (grade, candidate.is_seen_to_draw) > surest:
                surest, found = (grade, candidate.is_seen_to_draw), candidate
                if grade == Meeting.SHOWN:
                    break
        return found

    def meeting(self, first: Consumption, again: Consumption) -> Meeting:
        """Return whether two consumptions of one identity can happen in one run."""
        if first.call == again.call and self._one_way_in(first.origin, again.origin):
            return Meeting.NEVER
        if first.arms and again.arms and any(a != b and a[0] == b[0] for a in first.arms for b in again.arms):
            return Meeting.NEVER
        if again.replaced and self._is_replaced(first, again):
            return Meeting.NEVER
        if not first.shares_children(again):
            return Meeting.NEVER
        return self.on_one_path(first, again)

    def _is_replaced(self, first: Consumption, again: Consumption) -> bool:
        """Return whether the first consumed part is no longer in the container that is consumed again."""
        parts = {first.term, *self._terms.ancestors(first.term)}
        joined = both(first.path, again.path)
        return joined is not None and any(
            time > first.time and (part in parts or first.term == again.term) and implies(joined, path)
            for part, path, time in again.replaced
        )

    def on_one_path(self, first: Consumption | Derivation, again: Consumption | Derivation) -> Meeting:
        """Return whether both can happen in one run, in this order."""
        joined = self._decisions.combinations.closure(both(first.path, again.path))
        if joined is None:
            return Meeting.NEVER
        left = {
            departure.sure and implies(joined, departure.path)
            for departure in self.departures
            if (departure.in_force(first.time) or departure.in_force(again.time))
            and implies(joined, self._decisions.unthrown(departure.path))
        }
        if True in left:
            return Meeting.NEVER
        if self._decisions.is_doubtful(joined):
            return Meeting.DOUBTFUL
        is_unasked = self._decisions.combinations.is_too_large(joined)
        is_assumed = is_unasked or self._decisions.is_assumed(first.path, again.path)
        is_assumed = is_assumed or self._decisions.is_thrown(joined)
        return Meeting.ASSUMED if is_assumed or left else Meeting.SHOWN

    def _one_way_in(self, a: Term | None, b: Term | None) -> bool:
        """Return whether two keys entered a function through one part of its arguments, or one inside the other."""
        if a is None or b is None or a == b:
            return a == b
        return a in self._terms.ancestors(b) or b in self._terms.ancestors(a)

    def _overlap(self, a: Term, b: Term) -> bool:
        """Return whether two parts of one array surely share an element."""
        first, second = self._range(a), self._range(b)
        if a == b or first is None or second is None:
            return False
        return max(first[0], second[0]) < min(first[1], second[1])

    def _range(self, term: Term) -> tuple[int, int] | None:
        data, args = self._terms.data(term), self._terms.args(term)
        length = self._terms.length(args[0]) if args else None
        end = LONG if length is None else length
        if self._terms.operation(term) == "item":
            index = self._terms.constant(args[1])
            if not isinstance(index, int):
                return None
            position = index if index >= 0 else end + index
            return position, position + 1
        if self._terms.operation(term) != "slice":
            return None
        lower, upper = data[0] or 0, end if data[1] is None else data[1]
        return lower if lower >= 0 else end + lower, upper if upper >= 0 else end + upper
