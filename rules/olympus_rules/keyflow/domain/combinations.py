"""The decisions that stand for several others, an ``and``, an ``or`` or a whole path, and what follows from them."""

from __future__ import annotations

from itertools import islice

from olympus_rules.keyflow.domain.meanings import Meanings
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, bit_numbers, both, compatible, implies

MAX_CASES = 4  # decisions of several parts that are checked together
MOST_WHOLES = 64
"""Combined decisions that the decisions of one path are parts of; what follows from more is not asked.

The paths of functions as people write them have fewer; a chain of hundreds of tests that return early would take
minutes, since each test asks again what follows from all before it.
"""
MOST_KEPT = 1 << 12
"""Answers that are kept: in a file of thousands of lines, each takes kilobytes."""
TOO_MANY: dict[PathCondition, None] = {}


class Combinations:
    """The combined decisions of a file."""

    def __init__(self, meanings: Meanings) -> None:
        """Share the predicates, which say what can hold together."""
        self._meanings = meanings
        self._involved = 0
        self._wholes: dict[int, dict[PathCondition, None]] = {}  # by the number of a decision
        self._combined: dict[PathCondition, tuple[PathCondition | None, list[PathCondition]]] = {}
        self.let_go()

    def let_go(self) -> None:
        """Forget the answers, which hold until the next combination."""
        self._closures: dict[PathCondition | None, PathCondition | None] = {None: None}
        self._wholes_found: dict[int, dict[PathCondition, None]] = {}

    def add(self, whole: PathCondition, every: PathCondition | None, parts: list[PathCondition]) -> None:
        """Record the parts of an ``and`` or ``or``.

        Args:
            whole: the condition that the ``and`` holds, or that the ``or`` fails.
            every: the conjunction that ``whole`` is equivalent to, ``None`` for never.
            parts: the conditions of which one holds wherever ``whole`` does not.
        """
        if whole in self._combined:
            return
        self._combined[whole] = (every, parts)
        self.let_go()
        for path in (whole, every or ALWAYS, *parts):
            self._involved |= path[0] | path[1]
            for number in bit_numbers(path[0] | path[1]):
                self._wholes.setdefault(number, {})[whole] = None

    def is_redundant(self, bit: int, path: PathCondition) -> bool:
        """Return whether a decision is redundant on a path because the decisions that it is made of are on it."""
        every, _ = self._combined.get((path[0] & bit, path[1] & bit), (None, []))
        return every is not None and implies((path[0] & ~bit, path[1] & ~bit), every)

    def closure(self, path: PathCondition | None) -> PathCondition | None:
        """Return a condition with the consequences of each ``and`` and ``or``; ``None`` for never."""
        if path not in self._closures:
            if len(self._closures) >= MOST_KEPT:
                self.let_go()
            self._closures[path] = self._closure(path)
        return self._closures[path]

    def is_too_large(self, path: PathCondition) -> bool:
        """Return whether a path has so many combined decisions that nobody asks whether it is possible."""
        return self._wholes_of(path) is TOO_MANY

    def _closure(self, path: PathCondition | None) -> PathCondition | None:
        path = self._followed_up(path)
        if path is None or not self._meanings.is_possible(path):
            return None
        if not (path[0] | path[1]) & self._involved:
            return path
        cases = self._cases(path)
        return path if self._has_first_case(path, cases) or self._has_case(path, cases) else None

    def _wholes_of(self, path: PathCondition) -> dict[PathCondition, None]:
        """Return the combined decisions that a path's decisions are parts of, or are themselves; none if too many."""
        involved = (path[0] | path[1]) & self._involved
        found = self._wholes_found.get(involved)
        if found is None:
            found = self._wholes_found[involved] = self._wholes_with(involved)
        return found

    def _wholes_with(self, decisions: int) -> dict[PathCondition, None]:
        found: dict[PathCondition, None] = {}
        for number in bit_numbers(decisions):
            wholes = self._wholes[number]
            if len(wholes) > MOST_WHOLES:
                return TOO_MANY
            found.update(wholes)
            if len(found) > MOST_WHOLES:
                return TOO_MANY
        return found

    def _cases(self, path: PathCondition) -> list[list[PathCondition]]:
        """Return the possible parts of the first decisions on a path that need one of their parts to hold."""
        failing = (self._combined[whole][1] for whole in self._wholes_of(path) if not compatible(path, whole))
        needing = (parts for parts in failing if not any(implies(path, part) for part in parts))
        may_join = self._meanings.may_join
        return [[part for part in parts if may_join(part, path)] for parts in islice(needing, MAX_CASES)]

    def _has_first_case(self, path: PathCondition, cases: list[list[PathCondition]]) -> bool:
        """Return whether the first parts that do not contradict each other hold together."""
        for parts in cases:
            joined = next(filter(None, (both(path, part) for part in parts)), None)
            if joined is None:
                return False
            path = joined
        followed = self._followed_up(path) if cases else path
        return followed is not None and self._meanings.is_possible(followed)

    def _has_case(self, path: PathCondition, cases: list[list[PathCondition]]) -> bool:
        """Return whether one part of each decision can be chosen so that all hold together."""
        if not cases:
            return True
        followed = (self._followed_up(both(path, part)) for part in cases[0])
        return any(
            case is not None and self._meanings.is_possible(case) and self._has_case(case, cases[1:])
            for case in followed
        )

    def _followed_up(self, path: PathCondition | None) -> PathCondition | None:
        before = None
        while path is not None and path != before and (path[0] | path[1]) & self._involved:
            before = path
            for whole in self._wholes_of(path):
                path = self._followed(path, whole, *self._combined[whole])
                if path is None:
                    return None
        return path

    def _followed(
        self, path: PathCondition, whole: PathCondition, every: PathCondition | None, parts: list[PathCondition]
    ) -> PathCondition | None:
        """Return a path with the consequences of a combined decision."""
        if not compatible(path, whole):
            return self._with_a_part(path, parts)
        if implies(path, whole):
            return None if every is None or not self._meanings.may_join(every, path) else path
        return both(path, whole) if every is not None and implies(path, every) else path

    def _with_a_part(self, path: PathCondition, parts: list[PathCondition]) -> PathCondition | None:
        """Return a path on which one of some conditions holds, with what all those have in common that can hold."""
        if any(implies(path, part) for part in parts):
            return path
        common: PathCondition | None = None
        for part in parts:
            if self._meanings.may_join(part, path):
                common = part if common is None else (common[0] & part[0], common[1] & part[1])
                if common == ALWAYS:
                    return path
        return None if common is None else both(path, common)
