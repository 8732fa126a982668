"""The state of one function's interpretation, between two of its instructions."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain.environment import Environment
from olympus_rules.keyflow.domain.events import Events
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.ledger import Departure, Ledger
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Value

Snapshot: TypeAlias = tuple[PathCondition, dict[object, Any]]
"""The end of an arm: its condition, and the variables that it has bound."""


@dataclass(slots=True)
class Exits:
    """The exits of the innermost loop, and of its current iteration.

    Attributes:
        depth: the depth of the loop's layer.
        ends: the states at the exits of the loop in iteration order, each with whether the loop ended by itself.
        continued: the states at ``continue`` in this iteration.
        breaks, continues: the departures of ``break`` and ``continue``.
    """

    depth: int
    ends: list[tuple[Snapshot, bool]] = field(default_factory=list)
    continued: list[Snapshot] = field(default_factory=list)
    breaks: list[Departure] = field(default_factory=list)
    continues: list[Departure] = field(default_factory=list)


class Thrown(NamedTuple):
    """An exception that leaves the body of a ``try``.

    Attributes:
        handlers: the numbers of the handlers that may catch it.
        way: the condition that it is raised.
        state: the state in which it is.
        departure: what follows in the body is not on its path.
        ends: whether what follows the handler does not count either: after a failure that says nothing of the value
            that was drawn, the same work is done again with the same key.
    """

    handlers: frozenset[int]
    way: PathCondition
    state: Snapshot
    departure: Departure
    ends: bool


@dataclass(slots=True)
class Attempt:
    """The body of a ``try`` that has handlers.

    Attributes:
        catches: the names of the classes that each handler catches.
        depth: the depth of the body's layer.
        consumed: the number of consumptions before the body.
        thrown: the exceptions that leave the body after a draw.
        drawn: the results of the calls in the body that drew.
    """

    catches: tuple[tuple[str, ...], ...]
    depth: int
    consumed: int
    thrown: list[Thrown] = field(default_factory=list)
    drawn: set[Term] = field(default_factory=set)


class State:
    """The state of the interpretation at one point of a function.

    Attributes:
        file: the tables that all functions of the file share; ``terms``, ``knowledge``, ``decisions`` and ``linker``
            are those of the file.
        code: the function.
        env: variables by name; attributes and items of objects by (term, name).
        path: the condition under which the present instruction runs.
        alive: whether the present instruction is reachable.
        site: the expression at which a transformation or a property calls, if any.
        read_properties: the properties whose results are being worked out, which their results may mention.
        loops: the labels of the loops around the present instruction, each with the number of its iteration.
        exits: the exits of these loops.
        attempts: the bodies of ``try`` around the present instruction.
        ledger: the consumptions up to now.
        events: what else has happened up to now.
        holders: objects whose attributes or named items were consumed, or written by functions.
        born: the path condition of each object's creation, unless it is empty.
        replaced: the replaced elements of containers, with condition and time.
    """

    def __init__(self, file: File, code: FunctionCode) -> None:
        """Start at the head of a function."""
        self.file, self.code, self.linker = file, code, file.linker
        self.terms, self.knowledge, self.decisions = file.terms, file.knowledge, file.decisions
        self.env = Environment()
        self.path: PathCondition = ALWAYS
        self.alive = True
        self.site: ast.expr | None = None
        self.read_properties: set[FunctionCode] = set()
        self.loops: list[tuple[str, int]] = []
        self.exits: list[Exits] = []
        self.attempts: list[Attempt] = []
        self.ledger = Ledger(self.terms, self.decisions)
        self.events = Events()
        self.holders: set[Term] = set()
        self.born: dict[Term, PathCondition] = {}
        self.replaced: dict[Term, dict[Term, tuple[PathCondition, int]]] = {}

    @property
    def innermost(self) -> str:
        """The label of the innermost loop around the present instruction; empty if there is none."""
        return self.loops[-1][0] if self.loops else ""

    def arms(self, choice: Choice) -> Iterator[tuple[PathCondition, Value]]:
        """Yield the values of a choice that the present path allows, each under its own condition."""
        outer = self.path
        for path, part in choice.arms:
            joined = both(outer, path)
            if joined is not None:
                self.path = joined
                yield path, part
        self.path = outer

    @contextmanager
    def under(self, path: PathCondition) -> Iterator[bool]:
        """Let a condition hold within a block; yields whether it can hold there."""
        outer = self.path
        joined = both(outer, path)
        self.path = joined or outer
        yield joined is not None
        self.path = outer

    def generation(self, term: Term) -> int:
        """Return the number of unknown callees so far that may have changed an object."""
        return self.env.get((term, "generation")) or 0

    def make(self, operation: str, data: Hashable, *args: Term) -> Term:
        """Return an object that is made here; its existence implies the present condition."""
        term = self.terms.make(operation, data, *args)
        if self.path != ALWAYS:
            self.born[term] = self.path
        return term

    def since(self, term: Term) -> PathCondition:
        """Return the decisions of the present path that were made after an object's creation."""
        born = self.born.get(term)
        return self.path if born is None else (self.path[0] & ~born[0], self.path[1] & ~born[1])

    def set_attribute(self, term: Term, name: str, value: Value) -> None:
        """Write an attribute of an object."""
        self.env.set((term, name, self.generation(term)), value)
        self.events.writes.append((term, name, value, self.since(term)))

    def forget(self, term: Term, *, handed: bool = False) -> None:
        """Record that an unknown callee may have changed an object's attributes and items.

        Args:
            term: the object.
            handed: whether the object was passed to the callee.
        """
        owner = self.terms.namespace_of(term)
        if owner is not None:
            term, handed = owner, True
        self.env.set((term, "generation"), self.generation(term) + 1)
        self.events.forgotten[term] = len(self.events.writes)
        if handed:
            self.events.handed.add(term)
