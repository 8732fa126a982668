"""Detects descriptions of each axis that count the words: specs of shardings, signatures of ``vectorize``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import NamedTuple

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Sequence, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes.pending import note, spelled

_GROUP = re.compile(r"\(([^()]*)\)")
_WORDS = ("2", "4")


def given(
    flow: State, value: Value, spec: Value, node: ast.AST, subject: ast.expr | None, written: ast.expr | None
) -> None:
    """Record a spec that has an entry for the words of its keys.

    Args:
        flow: the state at the sharding.
        value: the array.
        spec: the spec.
        node: the call that shards it.
        subject: the expression of the array.
        written: the expression of the spec.
    """
    if not isinstance(value, Term) or not isinstance(spec, Sequence) or spec.kind != "spec" or not spec.items:
        return
    entries = len(spec.items)
    if spec.items[-1] == Const(None):
        parts = (written,) if written is not None else ()
        counted = _Counted("spec", written or node, subject or node, parts)
        _note(flow, value, counted, lambda rank, _: rank == entries - 1)


def placed(flow: State, arguments: Arguments) -> None:
    """Check ``device_put(keys, NamedSharding(mesh, P("x", None)))``."""
    if arguments.node is not None and len(arguments.positional) > 1:
        value, spec = arguments.positional[0][0], arguments.positional[1][0]
        given(flow, value, spec, arguments.node, arguments.expression(0, "x"), arguments.expression(1, "device"))


def vectorized(flow: State, mapping: ast.Call | None, arguments: Arguments) -> None:
    """Check a call of ``vectorize(f, signature="(2),()->()")``: a group of one axis for a key is its word axis."""
    signature = next((k.value for k in mapping.keywords if k.arg == "signature"), None) if mapping else None
    if arguments.node is None or not isinstance(signature, ast.Constant) or not isinstance(signature.value, str):
        return
    groups = _GROUP.findall(signature.value.partition("->")[0])
    for position, (value, _) in enumerate(arguments.positional[: len(groups)]):
        subject, group = arguments.expression(position, ""), groups[position].strip()
        if isinstance(value, Term) and subject is not None and group and "," not in group:
            literal = group in _WORDS
            counted = _Counted("signature", arguments.node, subject, (signature,))
            _note(flow, value, counted, _always if literal else _if_raw)


def _always(rank: int | None, kind: KeyKind) -> bool:
    return True


def _if_raw(rank: int | None, kind: KeyKind) -> bool:
    return kind is KeyKind.RAW


class _Counted(NamedTuple):
    """A place that counts the words of keys: its form, its node, the keys, and the parts to remove."""

    form: str
    node: ast.AST
    subject: ast.AST
    parts: tuple[ast.expr, ...]


def _note(flow: State, term: Term, counted: _Counted, holds: Callable[[int | None, KeyKind], bool]) -> None:
    form, node, subject, parts = counted
    assert isinstance(subject, ast.expr)

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        rank = flow.knowledge.rank(term)
        if kind is KeyKind.TYPED or not holds(rank, kind):
            return None
        return facts.ShapeLogic(
            node=node,
            confidence=confidence,
            key=spelled(subject),
            kind=kind,
            form=form,
            subject=subject,
            rank=rank,
            parts=parts,
        )

    note(flow, term, Need.KNOWN, build)
