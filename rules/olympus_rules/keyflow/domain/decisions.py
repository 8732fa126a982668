"""The decisions of a file, and their consequences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from olympus.predicates import Consistency
from olympus_rules.keyflow.domain.conditions import is_opaque, is_unmodelled, roots
from olympus_rules.keyflow.domain.meanings import Meanings
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, bit_numbers, bits, both, compatible, implies
from olympus_rules.keyflow.domain.terms import Term, Terms

__all__ = ["Decisions"]

MAX_CASES = 4  # decisions of several parts that are checked together


class Decisions:
    """Numbers the conditions that a program branches on; equal condition terms are one decision."""

    def __init__(self, terms: Terms) -> None:
        """Share the table of terms."""
        self._terms = terms
        self._bits: dict[Term, int] = {}
        self.tests: list[Term] = []
        self._equalities: dict[Term, list[int]] = {}
        self._meanings = Meanings(terms, self.tests)
        self._involved = 0
        self._wholes: dict[int, list[PathCondition]] = {}
        self._combined: dict[PathCondition, tuple[PathCondition | None, list[PathCondition]]] = {}
        self._conditions = 0  # decisions that are conditions of the program
        self._entering = 0  # decisions whether a loop has a first iteration
        self._continuing = 0  # decisions whether a loop has another iteration
        self._iterating = 0  # the conditions of loops
        self._counting = 0  # those that compare a counter with its end
        self._raising = 0
        self._unmodelled = 0  # those that depend on the result of an unknown call
        self._traced_back = 0  # those for which this is computed

    def bit(self, test: Term) -> int:
        """Return the mask of a decision, a new one if necessary."""
        mask = self._bits.get(test)
        if mask is None:
            mask = self._bits[test] = 1 << len(self.tests)
            self.tests.append(test)
            self._describe(mask, test)
        return mask

    def _describe(self, mask: int, test: Term) -> None:
        """Record the kind of a decision."""
        kind = self._terms.kind(test)
        if kind == "first":
            self._entering |= mask
        elif kind == "more":
            self._continuing |= mask
        elif kind == "raised":
            self._raising |= mask
        if kind:
            return
        self._conditions |= mask

    def outcomes(self, test: Term) -> tuple[PathCondition, PathCondition]:
        """Return the conditions under which a test holds and fails.

        Comparisons of one value with different constants exclude each other, and so do smaller, equal and larger.
        """
        mask = self.bit(test)
        holds: PathCondition = (mask, 0)
        parts = self._terms.parts[test]
        if parts[0] == "op" and parts[1] == "Eq" and self._terms.operation(parts[3]) == "const":
            others = self._equalities.setdefault(parts[2], [])
            if mask not in others:
                others.append(mask)
            excluded = 0
            for other in others:
                excluded |= other if other != mask else 0
            holds = (mask, excluded)
        elif parts[0] == "op" and parts[1] == "Lt":
            left, right = parts[2:]
            contrary = (("Eq", left, right), ("Eq", right, left), ("Lt", right, left))
            excluded = 0
            for operation, *terms in contrary:
                excluded |= self.bit(self._terms.make("op", operation, *terms))
            holds = (mask, excluded & ~mask)
        return holds, (0, mask)

    def combine(self, whole: PathCondition, every: PathCondition | None, parts: list[PathCondition]) -> None:
        """Record the parts of an ``and`` or ``or``.

        Args:
            whole: the condition that the ``and`` holds, or that the ``or`` fails.
            every: the conjunction that ``whole`` is equivalent to, ``None`` for never.
            parts: the conditions of which one holds wherever ``whole`` does not.
        """
        if whole in self._combined:
            return
        self._combined[whole] = (every, parts)
        for path in (whole, every or ALWAYS, *parts):
            for mask in bits(path):
                self._involved |= mask
                self._wholes.setdefault(mask, []).append(whole)

    def alternatives(self, path: PathCondition) -> tuple[PathCondition, PathCondition]:
        """Return the condition of a path, and its opposite.

        A path with several decisions becomes a decision of its own, so that it has an opposite.
        """
        holds, fails = path
        if (holds | fails).bit_count() == 1:
            return path, (fails, holds)
        mask = self.bit(self.whole(path))
        return (holds | mask, fails), (0, mask)

    def whole(self, path: PathCondition) -> Term:
        """Return the term of a decision that stands for all decisions of a path."""
        terms = self._terms
        test = terms.make("op", "path", terms.const(path[0]), terms.const(path[1]))
        own = [bit for bit in bits(path) if not self._follows(bit, path)]
        parts: list[PathCondition] = [(0, bit) if bit & path[0] else (bit, 0) for bit in own]
        self.combine((self.bit(test), 0), path, parts)
        return test

    def _follows(self, bit: int, path: PathCondition) -> bool:
        """Return whether a decision is redundant on a path because the decisions that it is made of are on it."""
        every, _ = self._combined.get((path[0] & bit, path[1] & bit), (None, []))
        return every is not None and implies((path[0] & ~bit, path[1] & ~bit), every)

    def parts(self, test: Term) -> PathCondition | None:
        """Return the path that a decision stands for, ``None`` for a decision of its own."""
        if self._terms.data(test) != "path" or self._terms.operation(test) != "op":
            return None
        holds, fails = (self._terms.constant(arg) for arg in self._terms.args(test))
        assert isinstance(holds, int) and isinstance(fails, int)
        return holds, fails

    def consistency(self, path: PathCondition) -> Consistency:
        """Return whether the decisions of a path can hold together."""
        asked = (path[0] | path[1]) & self._conditions
        if not asked:
            return Consistency.POSSIBLE
        return self._meanings.consistency(path, asked, goes_on=bool(path[0] & self._continuing))

    def is_doubtful(self, path: PathCondition) -> bool:
        """Return whether a path needs a loop without iterations, an exception, or two names of one value."""
        doubtful = path[1] & self._entering or path[0] & self._raising
        return bool(doubtful) or self.consistency(path) == Consistency.DOUBTFUL

    def enter(self, path: PathCondition, *, counted: bool = False) -> None:
        """Record a condition under which a loop has an iteration; the iteration is assumed to happen.

        Args:
            path: the condition.
            counted: whether it compares a counter with its end, and is not written in the program.
        """
        self._iterating |= path[0] | path[1]
        if counted:
            self._counting |= path[0] | path[1]

    def enters(self, mask: int, found: PathCondition) -> None:
        """Record the condition that a decision became; it is a loop's condition if the decision was."""
        if self._iterating & mask:
            self.enter(found, counted=bool(self._counting & mask))

    def is_assumed(self, a: PathCondition, b: PathCondition) -> bool:
        """Return whether two conditions may exclude each other because their decisions are not fully known."""
        asked = self._conditions & ~self._counting
        one, other = (a[0] | a[1]) & asked, (b[0] | b[1]) & asked
        own = one & ~other, other & ~one
        if not (own[0] and own[1]):
            return False
        if self._unmodelled_of((own[0] | own[1]) & ~self._iterating):
            return True
        return self._shares(own[0], own[1]) or self._shares(own[1], own[0])

    def _unmodelled_of(self, mask: int) -> int:
        """Return the decisions of a mask that depend on the result of an unknown call."""
        for number in bit_numbers(mask & ~self._traced_back):
            if any(is_unmodelled(self._terms, test) for test in self._single(1 << number)):
                self._unmodelled |= 1 << number
        self._traced_back |= mask
        return mask & self._unmodelled

    def _single(self, mask: int) -> Iterator[Term]:
        """Return the tests of decisions; a decision that stands for others gives their tests."""
        for number in bit_numbers(mask):
            parts = self.parts(self.tests[number])
            if parts is None:
                yield self.tests[number]
            else:
                yield from self._single(parts[0] | parts[1])

    def _shares(self, some: int, others: int) -> bool:
        """Return whether an opaque decision of ``some`` is computed from a value that ``others`` depend on."""
        opaque = [test for test in self._single(some) if is_opaque(self._terms, test)]
        known = {root for test in self._single(others) for root in roots(self._terms, test)} if opaque else set()
        return any(not known.isdisjoint(roots(self._terms, test)) for test in opaque)

    def closure(self, path: PathCondition | None) -> PathCondition | None:
        """Return a condition with the consequences of each ``and`` and ``or``; ``None`` for never."""
        path = self._followed_up(path)
        if path is None or self.consistency(path) == Consistency.IMPOSSIBLE:
            return None
        if not (path[0] | path[1]) & self._involved:
            return path
        return path if self._has_case(path, self._cases(path)) else None

    def _wholes_of(self, path: PathCondition) -> dict[PathCondition, None]:
        """Return the combined decisions that a path's decisions are parts of, or are themselves."""
        involved = (path[0] & self._involved, path[1] & self._involved)
        return {whole: None for mask in bits(involved) for whole in self._wholes.get(mask, ())}

    def _cases(self, path: PathCondition) -> list[list[PathCondition]]:
        """Return the possible parts of each decision on a path that needs one of its parts to hold."""
        cases: list[list[PathCondition]] = []
        for whole in self._wholes_of(path):
            parts = self._combined[whole][1]
            if not compatible(path, whole) and not any(implies(path, part) for part in parts):
                cases.append([part for part in parts if self._is_able(part, path)])
        return cases[:MAX_CASES]

    def _has_case(self, path: PathCondition, cases: list[list[PathCondition]]) -> bool:
        """Return whether one part of each decision can be chosen so that all hold together."""
        if not cases:
            return True
        followed = (self._followed_up(both(path, part)) for part in cases[0])
        return any(
            case is not None and self.consistency(case) != Consistency.IMPOSSIBLE and self._has_case(case, cases[1:])
            for case in followed
        )

    def _followed_up(self, path: PathCondition | None) -> PathCondition | None:
        before = None
        while path is not None and path != before and (path[0] | path[1]) & self._involved:
            before = path
            wholes = self._wholes_of(path)
            for whole in wholes:
                path = self._followed(path, whole, *self._combined[whole])
                if path is None:
                    return None
        return path

    def _followed(
        self, path: PathCondition, whole: PathCondition, every: PathCondition | None, parts: list[PathCondition]
    ) -> PathCondition | None:
        """Return a path with the consequences of a combined decision."""
        if not compatible(path, whole):
            able = [part for part in parts if self._is_able(part, path)]
            if not able:
                return None
            common = reduce(lambda a, b: (a[0] & b[0], a[1] & b[1]), able)
            return both(path, common)
        if every is None or not self._is_able(every, path):
            return None if implies(path, whole) else path  # perhaps never evaluated, so not false
        return both(path, whole) if implies(path, every) else path

    def _is_able(self, part: PathCondition, path: PathCondition) -> bool:
        joined = both(part, path)
        return joined is not None and self.consistency(joined) != Consistency.IMPOSSIBLE
