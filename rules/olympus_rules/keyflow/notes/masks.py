"""Detects masks over keys that are widened for the words of raw keys: they have an axis too many for typed keys."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes.pending import note, spelled

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements hold statements."""
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def chosen(flow: State, arguments: Arguments) -> None:
    """Detect ``where(done[:, None], keys, other_keys)``."""
    node, mask = arguments.node, arguments.expression(0, "condition")
    if node is None or mask is None:
        return
    widened = widened_parts(mask)
    if isinstance(mask, ast.Name) and mask.id in flow.code.bound_once:
        assigned = _assigned(flow.code.node, mask.id)
        widened = [mask] if assigned is not None and widened_parts(assigned) else []
    if not widened:
        return
    for position, name in ((1, "x"), (2, "y")):
        value, subject = arguments.get(position, name), arguments.expression(position, name)
        if isinstance(value, Term) and subject is not None:
            _note(flow, value, node, subject, widened)


def _assigned(scope: ast.AST, name: str) -> ast.expr | None:
    """Return the value that a statement of a function or module assigns to a name; ``None`` if none does."""
    waiting = [scope]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Assign) and any(
            isinstance(each, ast.Name) and each.id == name for each in node.targets
        ):
            return node.value
        if not isinstance(node, INNER) or node is scope:
            for field in BLOCKS:
                block = getattr(node, field, ())
                waiting += block if isinstance(block, list) else ()
    return None


def _note(flow: State, term: Value, node: ast.Call, subject: ast.expr, widened: Sequence[ast.expr]) -> None:
    assert isinstance(term, Term)

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
            parts=tuple(widened),
        )

    note(flow, term, Need.KNOWN, build, at=subject)


def widened_parts(mask: ast.expr) -> list[ast.expr]:
    """Return the widened operands of a mask if all others are constants, else the whole mask if any is widened."""
    operands = _operands(mask)
    widened = [operand for operand in operands if is_widened(operand)]
    known = all(operand in widened or isinstance(operand, ast.Constant) for operand in operands)
    return widened if known else [mask] if widened else []


def _operands(mask: ast.expr) -> list[ast.expr]:
    """Return the operands from which a mask is computed element by element."""
    match mask:
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Compare(left=left, comparators=[right]):
            parts = [left, right]
        case ast.Call(func=ast.Attribute(attr="logical_not" | "logical_and" | "logical_or"), args=parts):
            pass
        case _:
            return [mask]
    return [operand for part in parts for operand in _operands(part)]


def is_widened(mask: ast.expr) -> bool:
    """Return whether an expression appends an axis to an array."""
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
