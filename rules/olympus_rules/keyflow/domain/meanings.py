"""The predicates of decisions, and whether these can hold together."""

from __future__ import annotations

from olympus.predicates import Consistency, Constant, Counter, Expression, Predicate, consistency
from olympus_rules.keyflow.domain.conditions import counters, in_first_iteration, predicate, subjects
from olympus_rules.keyflow.domain.paths import PathCondition, bit_numbers, both
from olympus_rules.keyflow.domain.terms import Term, Terms

MOST_KEPT = 1 << 14
"""Answers that are kept: in a file of thousands of lines, each takes kilobytes."""


class Meanings:
    """The predicates behind the decisions of a file; each predicate is built on first use.

    Attributes:
        conditions: the decisions that are conditions of the program.
        continuing: the decisions whether a loop has another iteration.
    """

    def __init__(self, terms: Terms, tests: list[Term]) -> None:
        """Share the terms, and the test of each decision by its number."""
        self._terms, self._tests = terms, tests
        self.conditions = 0
        self.continuing = 0
        # by a decision's number: a dictionary of masks is slow, as Python has 61 hash values for single bits
        self._predicates: dict[int, Predicate] = {}
        self._neighbours: dict[int, int] = {}  # the decisions that share a subject with a decision
        self._groups: dict[Expression, list[int]] = {}  # the decisions about one subject
        self._related = 0  # decisions that may constrain others
        self._decided = 0  # decisions that may have one possible outcome only
        self._understood = 0
        self._later = 0  # decisions about counters of later iterations
        self._found: dict[tuple[int, int, bool], Consistency] = {}
        self._consistency: dict[tuple[PathCondition, bool], Consistency] = {}

    def let_go(self) -> None:
        """Forget the answers."""
        self._found, self._consistency = {}, {}

    def consistency(self, path: PathCondition) -> Consistency:
        """Return whether the decisions of a path can hold together."""
        asked = (path[0] | path[1]) & self.conditions
        if not asked:
            return Consistency.POSSIBLE
        slot = path[0] & asked, path[1] & asked, bool(path[0] & self.continuing)
        found = self._found.get(slot)
        if found is None:
            if len(self._found) >= MOST_KEPT:
                self.let_go()
            found = self._found[slot] = self._together(path, asked, asked)
        return found

    def is_possible(self, path: PathCondition) -> bool:
        """Return whether the decisions of a path can hold together."""
        return self.consistency(path) != Consistency.IMPOSSIBLE

    def may_join(self, part: PathCondition, path: PathCondition) -> bool:
        """Return whether a condition can hold on a path that is possible itself."""
        joined = both(part, path)
        if joined is None:
            return False
        asked = (joined[0] | joined[1]) & self.conditions
        new = asked & ~(path[0] | path[1])
        return not new or self._together(joined, asked, new) != Consistency.IMPOSSIBLE

    def _together(self, path: PathCondition, asked: int, wanted: int) -> Consistency:
        """Return whether some decisions of a path can hold together, and with those that share subjects with them."""
        for number in bit_numbers(asked & ~self._understood):
            self._understand(number)
        wanted &= self._related
        if not wanted:
            return Consistency.POSSIBLE
        asked &= self._related
        goes_on = bool(path[0] & self.continuing or asked & self._later)
        found = Consistency.POSSIBLE
        while wanted and found:
            related = self._connected(wanted & -wanted, asked)
            wanted &= ~related
            if related & (related - 1) or related & self._decided:
                found = min(found, self._decide((path[0] & related, path[1] & related), goes_on))
        return found

    def _connected(self, new: int, asked: int) -> int:
        """Return a decision, and those of some others that it constrains through common subjects."""
        related = 0
        while new:
            related |= new
            around = 0
            while new:
                around |= self._neighbours[(new & -new).bit_length() - 1]
                new &= new - 1
            new = around & asked & ~related
        return related

    def _understand(self, number: int) -> None:
        """Build a decision's predicate, and find the decisions that share its subjects."""
        mask = 1 << number
        self._understood |= mask
        said = self._predicates[number] = predicate(self._terms, self._tests[number])
        if any(counter != Counter(0) for counter in counters(said)):
            self._later |= mask
        if isinstance(said.left, Constant) or said.left == said.right or Counter(0) in counters(said):
            self._decided |= mask
            self._related |= mask
        self._neighbours.setdefault(number, 0)
        for subject in subjects(said):
            group = self._groups.setdefault(subject, [])
            around = 0
            for other in group:
                self._neighbours[other] |= mask
                around |= 1 << other
            self._neighbours[number] |= around
            self._related |= around | mask if around else 0
            group.append(number)

    def _decide(self, path: PathCondition, goes_on: bool) -> Consistency:
        found = self._consistency.get((path, goes_on))
        if found is None:
            found = self._consistency[path, goes_on] = self._decided_anew(path, goes_on)
        return found

    def _decided_anew(self, path: PathCondition, goes_on: bool) -> Consistency:
        literals = [
            (self._predicates[number], bool(path[0] >> number & 1)) for number in bit_numbers(path[0] | path[1])
        ]
        if not goes_on and {counter for said, _ in literals for counter in counters(said)} == {Counter(0)}:
            # the end of a counter is a whole number, which is lost when 0 replaces the counter
            ends = [(said, holds) for said, holds in literals if said.operation == "lt" and said.left == Counter(0)]
            literals = [*((in_first_iteration(said), holds) for said, holds in literals), *ends]
        return consistency(literals)
