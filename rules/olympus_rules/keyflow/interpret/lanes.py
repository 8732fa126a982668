"""Draws in the lanes of a map: which of them get the same key in every lane.

The summary of a function holds its draws, through splits as well: ``split`` of a shared key gives every lane the
same children. If a map calls the function, a draw is shared unless the identity of its key depends on the lane.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import guarded_leaves
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.knowledge import copied_key
from olympus_rules.keyflow.domain.paths import both
from olympus_rules.keyflow.domain.summary import Draw
from olympus_rules.keyflow.domain.terms import MAX_SIZE, Term, Terms
from olympus_rules.keyflow.domain.values import Mapped, Value
from olympus_rules.keyflow.facts import Place
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.instance import Instance
from olympus_rules.keyflow.notes.pending import spelled
from olympus_rules.libraries.names import LANE_NUMBERS

__all__ = ["Lanes", "drawn", "kept", "pass_on"]

MAX_DRAWS = 40  # draws kept of one function
MAX_STEPS = 1_000  # examined to decide whether one key depends on the lane; with a longer history it may
DERIVED = frozenset({"attr", "item", "slice", "list", "lane", "batch", "view", "fold_in", "split"})


def drawn(flow: Flow, value: Value, place: Place) -> None:
    """Record draws from keys."""
    if flow.file.follows_lanes:
        flow.events.draws += [Draw(term, place, path) for path, term in guarded_leaves(flow, value)]


def kept(terms: Terms, draws: Iterable[Draw]) -> tuple[Draw, ...]:
    """Return the draws of a function that concern its callers: those whose key comes from outside.

    A clone is a deliberate duplicate, so that draws from one are left out.
    """
    found: dict[tuple[Term, ast.AST], Draw] = {}
    for draw in draws:
        if len(found) >= MAX_DRAWS:
            break
        small = terms.size(draw.term) <= MAX_SIZE  # as with operators: no growth with the call graph
        if small and terms.operation(_origin(terms, draw.term)) in ("param", "free"):
            found.setdefault((draw.term, draw.place.node), draw)
    return tuple(found.values())


def pass_on(flow: Flow, draws: Iterable[Draw], instance: Instance) -> None:
    """Record the draws of a callee as draws of the caller."""
    for draw in draws:
        path = instance.path(draw.path)
        joined = None if path is None else both(flow.path, path)
        if joined is not None:
            for condition, term in guarded_leaves(flow, instance.value(draw.term)):
                within = both(joined, condition)
                if within is not None:
                    flow.events.draws.append(replace(draw, term=term, path=within))


def _origin(terms: Terms, term: Term) -> Term:
    while terms.operation(term) in DERIVED:
        term = terms.args(term)[0]
    return term


class Lanes:
    """One call of a mapped function.

    Attributes:
        varying: the terms that differ between lanes: the mapped arrays, and the part of each that a lane receives.
        has_stacks: whether a lane receives an element of stacked arrays, for which all of them stand, with their axis.
    """

    def __init__(self, flow: Flow) -> None:
        """Record the state before the call."""
        self._flow = flow
        self._first_draw = len(flow.events.draws)
        self._first_term = len(flow.terms.parts)
        self._known: dict[Term, bool] = {}
        self._copies: set[Term] = set()
        self.varying: set[Term] = set()
        self.has_stacks = False

    def lane(self, array: Term) -> Term:
        """Return the part of an array that one lane receives."""
        part = self._flow.knowledge.lane(array)
        self.varying |= {array, part}
        if copied_key(self._flow.knowledge, array) is not None:
            self._known[part] = True
            self._copies.add(array)
        return part

    def report(self, mapped: Mapped, arguments: Arguments) -> None:
        """Record the draws since the start whose key is the same in all lanes."""
        flow = self._flow
        node = arguments.node or flow.site
        for draw in flow.events.draws[self._first_draw :]:
            if not self._is_same(draw.term):
                continue
            key, name, argument = self._handed(draw.term, arguments)
            flow.file.add(
                facts.SharedKey(
                    node=node or draw.place.node,
                    confidence=Confidence.CERTAIN,
                    key=name,
                    kind=flow.knowledge.kind(key),
                    transform=mapped.name,
                    draw=draw.place,
                    argument=argument,
                    mapping=mapped.node,
                    copies=key in self._copies,
                    batch=flow.knowledge.rank(key) != 0,
                )
            )

    def _is_same(self, term: Term) -> bool:
        """Return whether a term has the same value in all lanes; an unknown value may differ."""
        waiting, steps = [term], 0
        while waiting and (steps := steps + 1) < MAX_STEPS:
            last = waiting[-1]
            if last in self._known:
                waiting.pop()
                continue
            args = self._parts(last)
            unknown = [arg for arg in args or () if arg not in self._known]
            if unknown:
                waiting += unknown
            else:
                self._known[last] = args is not None and all(self._known[arg] for arg in args)
        return self._known.get(term, False)

    def _parts(self, term: Term) -> tuple[Term, ...] | None:
        """Return the terms that a term depends on, ``None`` for one that may differ by itself."""
        terms = self._flow.terms
        operation, data = terms.operation(term), terms.data(term)
        if term in self.varying or (operation == "fresh" and term >= self._first_term):
            return None
        if operation == "op" and isinstance(data, tuple) and data[0] in LANE_NUMBERS:
            return None
        return terms.args(term)

    def _handed(self, term: Term, arguments: Arguments) -> tuple[Term, str, ast.expr | None]:
        """Return the caller's key that a term is derived from, its spelling, and its argument expression."""
        terms = self._flow.terms
        given = {value: node for value, node in arguments.expressions() if isinstance(value, Term) and node is not None}
        while True:
            if term in given:
                return term, spelled(given[term]), given[term]
            name = self._spelling(term)
            if name or terms.operation(term) not in DERIVED:
                return term, name, None
            term = terms.args(term)[0]

    def _spelling(self, term: Term) -> str:
        """Return the spelling of a term that is a variable, attribute or item; empty for any other."""
        terms = self._flow.terms
        operation, data = terms.operation(term), terms.data(term)
        if operation in ("param", "free"):
            return str(data[1])
        if operation == "attr" or (operation == "item" and terms.operation(terms.args(term)[1]) == "const"):
            base = self._spelling(terms.args(term)[0])
            part = f".{data[0]}" if operation == "attr" else f"[{terms.constant(terms.args(term)[1])!r}]"
            if base:
                return f"{base}{part}"
        variables = self._flow.env.values.items()
        return next((str(name) for name, value in variables if value == term and str(name).isidentifier()), "")
