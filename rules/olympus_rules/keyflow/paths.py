"""Execution paths: which decisions hold, and the variables that differ between them.

A path condition is a pair of bit masks (decisions that hold, decisions that do not). Consumptions and values
remember the condition under which they came about; two of them lie on one path unless their conditions
contradict each other. So branches need no copy of anything: an arm runs in the one environment, which keeps an
undo log.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from olympus_rules.keyflow.terms import Term, Terms

__all__ = ["ALWAYS", "Decisions", "Environment", "PathCondition", "both", "compatible", "implies"]

PathCondition: TypeAlias = tuple[int, int]
ALWAYS: PathCondition = (0, 0)


def both(a: PathCondition, b: PathCondition) -> PathCondition | None:
    """Return the condition under which both hold, ``None`` when they contradict each other."""
    holds, fails = a[0] | b[0], a[1] | b[1]
    return None if holds & fails else (holds, fails)


def compatible(a: PathCondition, b: PathCondition) -> bool:
    """Say whether both conditions can hold on one path."""
    return not (a[0] & b[1] or a[1] & b[0])


def implies(a: PathCondition, b: PathCondition) -> bool:
    """Say whether all that ``b`` demands is demanded by ``a``."""
    return not (b[0] & ~a[0] or b[1] & ~a[1])


class Decisions:
    """Numbers the conditions that a program branches on; equal condition terms are one decision."""

    def __init__(self, terms: Terms) -> None:
        """Share the table of terms."""
        self._terms = terms
        self._bits: dict[Term, int] = {}
        self.tests: list[Term] = []
        self._equalities: dict[Term, list[int]] = {}

    def bit(self, test: Term) -> int:
        """Return the mask of a decision, new if need be."""
        mask = self._bits.get(test)
        if mask is None:
            mask = self._bits[test] = 1 << len(self.tests)
            self.tests.append(test)
        return mask

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


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class Environment:
    """Variables and the attributes and items of objects, with an undo log of layers."""

    def __init__(self) -> None:
        """Start empty, outside any layer."""
        self.values: dict[object, Any] = {}
        self._layers: list[dict[object, Any]] = []

    def get(self, name: object) -> Any:
        """Return a variable's value, ``None`` when it has none."""
        return self.values.get(name)

    def set(self, name: object, value: object) -> None:
        """Bind a variable."""
        if self._layers:
            self._layers[-1].setdefault(name, self.values.get(name, MISSING))
        self.values[name] = value

    def open(self) -> int:
        """Start a layer; returns its depth."""
        self._layers.append({})
        return len(self._layers)

    def changes(self, depth: int) -> dict[object, Any]:
        """Return what was bound since the layer of this depth was opened, without closing it."""
        return {name: self.values[name] for layer in self._layers[depth - 1 :] for name in layer}

    def before(self, name: object, depth: int) -> Any:
        """Return what a variable held before the layer of this depth was opened, ``None`` for nothing."""
        for layer in self._layers[depth - 1 :]:
            if name in layer:
                return None if layer[name] is MISSING else layer[name]
        return self.values.get(name)

    def close(self) -> dict[object, Any]:
        """Undo the last layer and return what it had bound."""
        layer = self._layers.pop()
        changed = {name: self.values[name] for name in layer}
        for name, old in layer.items():
            if old is MISSING:
                del self.values[name]
            else:
                self.values[name] = old
        return changed

    def update(self, changes: dict[object, Any]) -> None:
        """Bind several variables."""
        for name, value in changes.items():
            self.set(name, value)
