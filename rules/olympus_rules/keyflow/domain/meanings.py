"""The predicates of decisions, and whether these can hold together."""

from __future__ import annotations

from olympus.predicates import Consistency, Constant, Counter, Expression, Predicate, consistency
from olympus_rules.keyflow.domain.conditions import counters, in_first_iteration, predicate, subjects
from olympus_rules.keyflow.domain.paths import PathCondition, bits
from olympus_rules.keyflow.domain.terms import Term, Terms

__all__ = ["Meanings"]


class Meanings:
    """The predicates behind the decisions of a file; each predicate is built on first use."""

    def __init__(self, terms: Terms, tests: list[Term]) -> None:
        """Share the terms, and the test of each decision by its number."""
        self._terms, self._tests = terms, tests
        self._predicates: dict[int, Predicate] = {}
        self._groups: dict[Expression, list[int]] = {}  # the decisions about one subject
        self._neighbours: dict[int, int] = {}  # the decisions that share a subject with a decision
        self._related = 0  # decisions that may constrain others
        self._decided = 0  # decisions that may have one possible outcome only
        self._understood = 0
        self._consistency: dict[tuple[PathCondition, bool], Consistency] = {}

    def consistency(self, path: PathCondition, asked: int, *, goes_on: bool) -> Consistency:
        """Return whether the decisions of a path can hold together.

        Args:
            path: the path.
            asked: which of its decisions are conditions of the program.
            goes_on: whether a loop on the path has another iteration.
        """
        for mask in bits((asked & ~self._understood, 0)):
            self._understand(mask)
        asked &= self._related
        if not asked & (asked - 1) and not asked & self._decided:
            return Consistency.POSSIBLE
        related = asked & self._decided
        for mask in bits((asked & ~related, 0)):
            if self._neighbours[mask] & asked:
                related |= mask
        if not related:
            return Consistency.POSSIBLE
        slot = (path[0] & related, path[1] & related), goes_on
        found = self._consistency.get(slot)
        if found is None:
            found = self._consistency[slot] = self._decide(*slot)
        return found

    def _understand(self, mask: int) -> None:
        """Build a decision's predicate, and find the decisions that share its subjects."""
        self._understood |= mask
        said = self._predicates[mask] = predicate(self._terms, self._tests[mask.bit_length() - 1])
        if isinstance(said.left, Constant) or said.left == said.right or Counter(0) in counters(said):
            self._decided |= mask
            self._related |= mask
        self._neighbours.setdefault(mask, 0)
        for subject in subjects(said):
            group = self._groups.setdefault(subject, [])
            for other in group:
                self._neighbours[other] |= mask
                self._related |= other | mask
            self._neighbours[mask] |= sum(group)
            group.append(mask)

    def _decide(self, path: PathCondition, goes_on: bool) -> Consistency:
        literals = [(self._predicates[mask], bool(mask & path[0])) for mask in bits(path)]
        if not goes_on and {counter for said, _ in literals for counter in counters(said)} == {Counter(0)}:
            # the end of a counter is a whole number, which is lost when 0 replaces the counter
            ends = [(said, holds) for said, holds in literals if said.operation == "lt" and said.left == Counter(0)]
            literals = [*((in_first_iteration(said), holds) for said, holds in literals), *ends]
        return consistency(literals)
