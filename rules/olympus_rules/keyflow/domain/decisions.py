"""The decisions of a file, and their consequences."""

from __future__ import annotations

from collections.abc import Iterator

from olympus.predicates import Consistency
from olympus_rules.keyflow.domain.combinations import Combinations
from olympus_rules.keyflow.domain.conditions import is_opaque, is_unmodelled, roots
from olympus_rules.keyflow.domain.meanings import Meanings
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, bit_numbers, bits
from olympus_rules.keyflow.domain.terms import CHOICE, Term, Terms

NAME = "name"  # of a dictionary's entry, where its names are iterated
ASKING_ITEMS = frozenset({"Eq", "Lt", "and", "len", "not", "or"})
"""Operations in a condition on the items of a list."""


class Decisions:
    """Numbers the conditions that a program branches on; equal condition terms are one decision.

    Attributes:
        tests: the condition of each decision.
        combinations: the decisions that stand for several others.
        entering: the mask of the decisions whether a loop has a first iteration.
    """

    def __init__(self, terms: Terms) -> None:
        """Share the table of terms."""
        self._terms = terms
        self._bits: dict[Term, int] = {}
        self.tests: list[Term] = []
        self._ordered: dict[Term, tuple[PathCondition, PathCondition]] = {}
        self._equalities: dict[Term | tuple[Term, Term], int] = {}
        self._meanings = Meanings(terms, self.tests)
        self.entering = 0
        self._iterating = 0  # the conditions of loops
        self._counting = 0  # those that compare a counter with its end
        self._raising = 0
        self._thrown = 0  # whether a call raises that may do so
        self._left_out = ALWAYS  # whether a result that a call passes is the ``None`` of a parameter that is left out
        self._unmodelled = 0  # those that depend on the result of an unknown call
        self._traced_back = 0  # those for which this is computed
        self.combinations = Combinations(self._meanings)

    def let_go(self) -> None:
        """Forget which decisions were found to hold together; it is found again if anybody asks."""
        self._meanings.let_go()
        self.combinations.let_go()

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
            self.entering |= mask
        elif kind == "more":
            self._meanings.continuing |= mask
        elif kind == "raised":
            self._raising |= mask
        elif kind == "thrown":
            self._thrown |= mask
        if kind:
            return
        self._meanings.conditions |= mask

    def outcomes(self, test: Term) -> tuple[PathCondition, PathCondition]:
        """Return the conditions under which a test holds and fails.

        Comparisons of one value with different constants exclude each other, and so do smaller, equal and larger, and
        comparisons of two names of a dictionary with one constant.
        """
        if test in self._ordered:
            return self._ordered[test]
        mask = self.bit(test)
        holds: PathCondition = (mask, 0)
        parts = self._terms.parts[test]
        if parts[0] == "op" and parts[1] == "Eq" and self._terms.operation(parts[3]) == "const":
            excluded = 0
            for slot in self._slots(parts[2], parts[3]):
                excluded |= self._equalities.get(slot, 0)
                self._equalities[slot] = self._equalities.get(slot, 0) | mask
            holds = (mask, excluded & ~mask)
        elif parts[0] == "op" and parts[1] == "Lt":
            left, right = parts[2:]
            contrary = (("Eq", left, right), ("Eq", right, left), ("Lt", right, left))
            excluded = 0
            for operation, *terms in contrary:
                excluded |= self.bit(self._terms.make("op", operation, *terms))
            holds = (mask, excluded & ~mask)
            self._ordered[test] = holds, (0, mask)
        return holds, (0, mask)

    def _slots(self, left: Term, right: Term) -> list[Term | tuple[Term, Term]]:
        """Return the groups of comparisons with constants of which at most one holds."""
        is_name = self._terms.operation(left) == "op" and self._terms.data(left) == NAME
        return [left, (self._terms.args(left)[0], right)] if is_name else [left]

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
        own = [bit for bit in bits(path) if not self.combinations.is_redundant(bit, path)]
        parts: list[PathCondition] = [(0, bit) if bit & path[0] else (bit, 0) for bit in own]
        self.combinations.add((self.bit(test), 0), path, parts)
        return test

    def parts(self, test: Term) -> PathCondition | None:
        """Return the path that a decision stands for, ``None`` for a decision of its own."""
        if self._terms.data(test) != "path" or self._terms.operation(test) != "op":
            return None
        holds, fails = (self._terms.constant(arg) for arg in self._terms.args(test))
        assert isinstance(holds, int) and isinstance(fails, int)
        return holds, fails

    def leave_out(self, path: PathCondition) -> None:
        """Record a condition under which a result that a call passes stands for a parameter that is left out."""
        if (path[0] | path[1]).bit_count() == 1:
            self._left_out = self._left_out[0] | path[0], self._left_out[1] | path[1]

    def is_hardly_taken(self, path: PathCondition, known: PathCondition) -> bool:
        """Return whether a path needs a loop without iterations, or the result of an unknown call to be ``None``.

        Args:
            path: the path.
            known: the decisions that are taken anyway.
        """
        if path[0] & ~known[0] & self.entering:
            return False
        return all(self._is_of_results(test) for test in self._single(path[0] | path[1], known[0] | known[1]))

    def _is_of_results(self, test: Term) -> bool:
        """Return whether a decision is on the iterations of a loop, or on an unknown result that may be ``None``."""
        terms = self._terms
        operation, data, *args = terms.parts[test]
        if operation == "op" and isinstance(data, tuple) and data[0] == CHOICE:
            return all(terms.operation(arm) == "const" or self._is_of_results(arm) for arm in args)
        return terms.kind(test) in ("first", "more") or (
            (operation, data) == ("op", "Is") and is_unmodelled(terms, args[0])
        )

    def needs_items(self, path: PathCondition) -> bool:
        """Return whether a path depends on the items of a list of which only some are known: it may have none."""
        return any(map(self._is_of_open_list, self._single(path[0] | path[1])))

    def _is_of_open_list(self, term: Term) -> bool:
        operation, data, *args = self._terms.parts[term]
        is_open = operation == "op" and isinstance(data, str) and data.startswith("open ")
        return is_open or (operation == "op" and data in ASKING_ITEMS and any(map(self._is_of_open_list, args)))

    def is_doubtful(self, path: PathCondition) -> bool:
        """Return whether a path needs a loop without iterations, an exception, a parameter that is left out though it
        is passed, or two names of one value.
        """
        doubtful = path[1] & (self.entering | self._left_out[1]) or path[0] & (self._raising | self._left_out[0])
        return bool(doubtful) or self._meanings.consistency(path) == Consistency.DOUBTFUL

    def is_possible(self, path: PathCondition) -> bool:
        """Return whether the decisions of a path can hold together, each by itself: without what follows from several.

        What follows (``combinations.closure``) takes twice the time.
        """
        return self._meanings.is_possible(path)

    def is_thrown(self, path: PathCondition) -> bool:
        """Return whether a path needs a call to raise that may do so."""
        return bool(path[0] & self._thrown)

    def unthrown(self, path: PathCondition) -> PathCondition:
        """Return a path without the condition that such a call does not raise."""
        return path[0], path[1] & ~self._thrown

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
        asked = self._meanings.conditions & ~self._counting
        one, other = (a[0] | a[1]) & asked, (b[0] | b[1]) & asked
        own = one & ~other, other & ~one
        if not (own[0] and own[1]):
            return False
        if self._unmodelled_of((own[0] | own[1]) & ~self._iterating):
            return True
        if not self._named(own[0] & a[0]).isdisjoint(self._named(own[1] & b[0])):
            return True
        return self._shares(own[0], own[1]) or self._shares(own[1], own[0])

    def _named(self, mask: int) -> set[tuple[Term, Term]]:
        """Return the containers of which an item is to equal a word, with the word: two items may well differ."""
        found = set[tuple[Term, Term]]()
        for test in self._single(mask):
            operation, data, *args = self._terms.parts[test]
            is_equality = (operation, data) == ("op", "Eq") and self._terms.operation(args[0]) == "item"
            if is_equality and isinstance(self._terms.constant(args[1]), str):
                found.add((self._terms.args(args[0])[0], args[1]))
        return found

    def _unmodelled_of(self, mask: int) -> int:
        """Return the decisions of a mask that depend on the result of an unknown call."""
        for number in bit_numbers(mask & ~self._traced_back):
            if any(is_unmodelled(self._terms, test) for test in self._single(1 << number)):
                self._unmodelled |= 1 << number
        self._traced_back |= mask
        return mask & self._unmodelled

    def _single(self, mask: int, known: int = 0) -> Iterator[Term]:
        """Return the tests of decisions, but for known ones; a decision that stands for others gives their tests."""
        for number in bit_numbers(mask & ~known):
            parts = self.parts(self.tests[number])
            if parts is None:
                yield self.tests[number]
            else:
                yield from self._single(parts[0] | parts[1], known)

    def _shares(self, some: int, others: int) -> bool:
        """Return whether an opaque decision of ``some`` is computed from a value that ``others`` depend on."""
        opaque = [test for test in self._single(some) if is_opaque(self._terms, test)]
        known = {root for test in self._single(others) for root in roots(self._terms, test)} if opaque else set()
        return any(not known.isdisjoint(roots(self._terms, test)) for test in opaque)
