"""Notes on what happens to a key's representation, kept until it is clear whether the value is a key.

Whether a term is a key may become clear only later, so most notes are kept with the term that they depend on and
become facts at the end of the analysis.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.paths import PathCondition
from olympus_rules.keyflow.terms import Term

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpreter import Interpreter

__all__ = ["Pending", "arithmetic_fact", "is_stored", "is_words", "note", "shape_fact", "spelled"]


@dataclass(slots=True)
class Pending:
    """A fact that holds if a term turns out to be a key.

    Attributes:
        term: the term.
        need: ``key`` (a key or key array), ``single`` (one key), ``word`` (one key, as its element is used as a
            number), ``seed`` (the same, as a seed of JAX), ``array`` (a key array), ``raw-array`` (one that is not
            typed), ``flat`` (one with one batch axis), ``raw-flat`` (the same, and not
            typed), ``untyped``, ``rank<n`` (fewer than n batch axes), ``known``
            (a key or key array, and not by its name alone).
        path: when it happens; code behind a test for typed keys knows what it does.
        build: makes the fact; ``None`` where it does not hold after all.
        metadata: whether the code looks at shape or dtype, which no other random generator has.
    """

    term: Term
    need: str
    path: PathCondition
    build: Callable[[Confidence, KeyKind], Fact | None]
    metadata: bool = False


def note(
    flow: Interpreter,
    term: Term,
    need: str,
    build: Callable[[Confidence, KeyKind], Fact | None],
    *,
    metadata: bool = False,
    path: PathCondition | None = None,
) -> None:
    """Keep a fact that depends on what a term is; ``path`` is the present one unless given.

    Words that ``key_data`` gives are no key, whoever takes them for one.
    """
    if flow.terms.operation(term) not in ("const", "op") and not is_words(flow, term):
        flow.analysis.pending.append(Pending(term, need, path or flow.path, build, metadata))


def spelled(node: ast.AST) -> str:
    """Return how an expression is written, empty for anything longer than a name, attribute or subscript."""
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else ""


def is_stored(flow: Interpreter, term: Term) -> bool:
    """Say whether a term is the result of ``key_data`` or of nothing that could be a key."""
    return flow.terms.operation(term) in ("unwrap", "op", "const")


def is_words(flow: Interpreter, term: Term) -> bool:
    """Say whether a term is the result of ``key_data``, or a part of it."""
    return flow.terms.operation(flow.terms.root_array(term)) == "unwrap"


def arithmetic_fact(
    node: ast.AST, operation: str, subject: ast.expr, batch: bool, confidence: Confidence, kind: KeyKind
) -> Fact:
    """Return the fact that an operation is applied to a key; the last two arguments come when it is settled."""
    return facts.KeyArithmetic(
        node=node, confidence=confidence, key=spelled(subject), kind=kind, operation=operation, batch=batch
    )


def shape_fact(flow: Interpreter, term: Term, need: str, form: str, node: ast.AST, subject: ast.expr) -> None:
    """Keep a fact about a key's shape."""
    note(
        flow,
        term,
        need,
        lambda confidence, kind: facts.ShapeLogic(
            node=node,
            confidence=confidence,
            key=spelled(subject),
            kind=kind,
            form=form,
            subject=subject,
            rank=flow.knowledge.rank(term),
        ),
        metadata=True,
    )
