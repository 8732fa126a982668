"""Detects where typed and raw keys meet: joined values of both kinds, and functions that take only raw keys."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Map, Value
from olympus_rules.keyflow.domain.values import Sequence as SequenceValue
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes.pending import note, spelled

Part: TypeAlias = tuple[Value, ast.expr | None]


def given(flow: State, function: str, value: Value, expression: ast.expr | None, node: ast.AST | None) -> None:
    """Record a key that is passed to a function which takes only raw keys."""
    if node is None or expression is None or isinstance(expression, ast.Starred):
        return
    subject = expression
    for term in leaves(value) if isinstance(value, Term) else ():
        if flow.terms.operation(term) == "unwrap":
            continue

        def build(confidence: Confidence, kind: KeyKind) -> Fact:
            return facts.UntypedBoundary(
                node=subject,
                confidence=confidence,
                key=spelled(subject),
                kind=kind,
                form="argument",
                function=function,
                subject=subject,
            )

        note(flow, term, Need.KEY, build)


def joined(flow: State, function: str, parts: Sequence[Part], node: ast.AST | None) -> None:
    """Check values that are alternatives for one result: all must be of one kind.

    Args:
        flow: the state at the call.
        function: the function that joins them.
        parts: the values, each with its own expression if it has one.
        node: the call.
    """
    if node is None or len(parts) < 2:
        return
    for row in _rows(parts):
        kinds = [flow.knowledge.kind(term) for term, _ in row]
        if KeyKind.RAW in kinds and KeyKind.TYPED in kinds:
            _mixed(flow, function, row[kinds.index(KeyKind.RAW)], row[kinds.index(KeyKind.TYPED)], node)
            return


def _rows(parts: Sequence[Part]) -> Iterator[list[tuple[Term, ast.expr | None]]]:
    """Return the terms that share a place in the result, for each place of equal containers."""
    values = [value for value, _ in parts]
    if all(isinstance(value, Term) for value in values):
        yield [(value, expression) for value, expression in parts if isinstance(value, Term)]
        return
    first = values[0]
    if isinstance(first, SequenceValue) and not first.open:
        if all(isinstance(value, SequenceValue) and len(value.items) == len(first.items) for value in values):
            for index in range(len(first.items)):
                items = [value.items[index] for value in values if isinstance(value, SequenceValue)]
                nodes = [_element(expression, index) for _, expression in parts]
                yield from _rows(list(zip(items, nodes, strict=True)))
    elif isinstance(first, Map) and all(isinstance(value, Map) for value in values):
        tables = [dict(value.items) for value in values if isinstance(value, Map)]
        for key, _ in first.items:
            if all(key in table for table in tables):
                yield from _rows([(table[key], None) for table in tables])


def _element(expression: ast.expr | None, index: int) -> ast.expr | None:
    if isinstance(expression, ast.Tuple | ast.List) and len(expression.elts) > index:
        found = expression.elts[index]
        return None if isinstance(found, ast.Starred) else found
    return None


def _mixed(
    flow: State,
    function: str,
    raw: tuple[Term, ast.expr | None],
    typed: tuple[Term, ast.expr | None],
    node: ast.AST,
) -> None:
    subject, other = raw[1], typed[1]

    def build(confidence: Confidence, kind: KeyKind) -> Fact:
        return facts.UntypedBoundary(
            node=subject or node,
            confidence=confidence,
            key=spelled(subject) if subject is not None else "",
            kind=kind,
            form="mixed",
            function=function,
            subject=subject,
            other=other,
        )

    note(flow, raw[0], Need.KEY, build)
