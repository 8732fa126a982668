"""Looks at masks over keys: one that is widened for the words of raw keys has an axis too many for typed keys."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from olympus_rules.keyflow import facts
from olympus_rules.keyflow.arguments import Arguments
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes import note, spelled
from olympus_rules.keyflow.values import Value

if TYPE_CHECKING:
    from olympus_rules.finding import Confidence
    from olympus_rules.keyflow.interpreter import Interpreter

__all__ = ["chosen"]


def chosen(flow: Interpreter, arguments: Arguments) -> None:
    """Look at ``where(done[:, None], keys, other_keys)``."""
    node, mask = arguments.node, arguments.expression(0, "condition")
    if node is None or mask is None or not is_widened(mask):
        return
    for position, name in ((1, "x"), (2, "y")):
        value, subject = arguments.get(position, name), arguments.expression(position, name)
        if type(value) is int and subject is not None:
            _note(flow, value, node, subject, mask)


def _note(flow: Interpreter, term: Value, node: ast.Call, subject: ast.expr, mask: ast.expr) -> None:
    assert type(term) is int

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        rank = flow.knowledge.rank(term)
        if not rank or kind is KeyKind.TYPED or (kind is not KeyKind.RAW and rank > 1):
            return None
        return facts.ShapeLogic(
            node=node,
            confidence=confidence,
            key=spelled(subject),
            kind=kind,
            form="mask",
            subject=subject,
            rank=rank,
            parts=(mask,),
        )

    note(flow, term, "known", build)


def is_widened(mask: ast.expr) -> bool:
    """Say whether an expression gives an array one more axis, behind all others."""
    match mask:
        case ast.Subscript(slice=ast.Tuple(elts=[*_, last])):
            return _is_none(last)
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=[_, axis]):
            return _is_number(axis, -1) or _is_number(axis, 1)
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=[_], keywords=[ast.keyword(arg="axis", value=axis)]):
            return _is_number(axis, -1) or _is_number(axis, 1)
        case ast.Call(func=ast.Attribute(attr="reshape"), args=[first, last]):
            return _is_number(first, -1) and _is_number(last, 1)
    return False


def _is_none(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (
        isinstance(node, ast.Attribute) and node.attr == "newaxis"
    )


def _is_number(node: ast.expr, number: int) -> bool:
    if number < 0:
        return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_number(node.operand, -number)
    return isinstance(node, ast.Constant) and node.value == number
