"""Pending facts about a key's representation, kept until it is clear whether the value is a key.

Whether a term is a key may become clear only later. So most facts are pending on their term, and are settled at the
end of the analysis.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import as_term, leaves
from olympus_rules.keyflow.domain.file import Pending
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import WORDS, Term
from olympus_rules.keyflow.domain.values import Choice, Const, Map, Metadata, Value
from olympus_rules.keyflow.domain.values import Sequence as Items
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.syntax.kinds_of_keys import finds_every_typed_key


def note(
    flow: State,
    term: Term,
    need: Need,
    build: Callable[[Confidence, KeyKind], Fact | None],
    *,
    metadata: bool = False,
    at: ast.AST | None = None,
) -> None:
    """Add a fact that depends on the nature of a term, the value of the expression ``at``."""
    keep(flow, Pending(term, need, flow.path, build, metadata, at=at))


def keep(flow: State, pending: Pending) -> None:
    """Add a pending fact, except about the words from ``key_data``: they are no key, even if used as one."""
    if flow.terms.operation(pending.term) in ("const", "op"):
        passes_by(flow, pending.term, pending.at)
        at, is_computed = pending.at, flow.terms.operation(pending.term) == "op"
        if at is not None and is_computed and (flow.file.may_get_keys(at) or flow.file.gets_keys_only(at)):
            flow.file.pending.append(pending)
    elif not is_words(flow, pending.term):
        flow.file.pending.append(pending)


def passes_by(flow: State, term: Term, at: ast.AST | None) -> None:
    """Record a value of an expression whose other values may be keys: a rewrite must be right for it, too.

    The words of a key are no such value: `key_data` returns them unchanged.
    """
    if at is not None and not is_words(flow, term):
        flow.file.others.setdefault(at, set()).add(term)


def passes_value(flow: State, value: Value, at: ast.AST | None) -> None:
    """Record a value of an expression that is no array of keys, if it is a constant, a container or a stack of these.

    ``key_data`` takes no list, and no number.
    """
    if isinstance(value, Const):
        passes_by(flow, as_term(flow, value), at)
    elif isinstance(value, Choice):
        for _, part in value.arms:
            passes_value(flow, part, at)
    elif isinstance(value, Items) and value.kind == "stack":
        for item in value.items:
            passes_value(flow, item, at)
    elif isinstance(value, Items | Map):
        passes_by(flow, flow.terms.const("container"), at)


def passes(flow: State, value: Value, at: ast.AST | None) -> None:
    """Record a value of an expression whose other values may be keys, an array of numbers, too."""
    if isinstance(value, Term):
        passes_by(flow, value, at)
    else:
        passes_value(flow, value, at)


def spelled(node: ast.AST) -> str:
    """Return the source of a name, attribute or subscript, empty for any other expression."""
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else ""


def is_stored(flow: State, term: Term) -> bool:
    """Return whether a term is the result of ``key_data``, or cannot be a key."""
    return flow.terms.operation(term) in ("unwrap", "op", "const") or is_words(flow, term)


def is_used_as_key(flow: State, result: Value) -> bool:
    """Return whether a value or a part of it is used as a key; known at the end of the analysis."""
    made = set(leaves(result))
    ancestors = flow.terms.ancestors
    return any(not made.isdisjoint((term, *ancestors(term))) for term in flow.knowledge.used) if made else False


def is_words(flow: State, term: Term) -> bool:
    """Return whether a term is the result of ``key_data``, a NumPy array made from a key, or a part of one."""
    terms = flow.terms
    parts = [term, *terms.ancestors(term)]
    if terms.operation(parts[-1]) == "unwrap":
        return True
    return any(terms.parts[part][:2] == ("view", WORDS) for part in parts)


def arithmetic_fact(
    flow: State,
    node: ast.AST,
    operation: str,
    operands: Sequence[tuple[Term, ast.expr]],
    result: Value,
    *,
    batch: bool,
) -> Callable[[Confidence, KeyKind], Fact]:
    """Return the builder of the fact that an operation is applied to a key; confidence and kind are settled later.

    Args:
        flow: the state at the operation.
        node: the operation.
        operation: as spelled.
        operands: the possible keys, first the operand that the fact is about.
        result: the result of the operation.
        batch: whether the result is used as a batch of keys.
    """

    def build(confidence: Confidence, kind: KeyKind) -> Fact:
        others = (expression for term, expression in operands[1:] if flow.knowledge.is_known(term))
        return facts.KeyArithmetic(
            node=node,
            confidence=confidence,
            key=spelled(operands[0][1]),
            kind=kind,
            operation=operation,
            batch=batch,
            subjects=(operands[0][1], *others),
            is_key=is_used_as_key(flow, result),
        )

    return build


def dtype_fact(flow: State, value: Metadata, form: str, node: ast.AST) -> None:
    """Add a pending fact about a key's dtype."""
    if form == "name" and finds_every_typed_key(node, flow.file.document):
        return
    subject = value.subject
    note(
        flow,
        value.term,
        Need.KEY,
        lambda confidence, kind: facts.DtypeLogic(
            node=node, confidence=confidence, key=spelled(subject), kind=kind, form=form, subject=subject
        ),
        metadata=True,
        at=subject,
    )


def shape_fact(flow: State, term: Term, need: Need, form: str, node: ast.AST, subject: ast.expr) -> None:
    """Add a pending fact about a key's shape."""
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
        at=subject,
    )
