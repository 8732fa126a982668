"""Operators and comparisons: arithmetic on keys, tests of shape and dtype, conditions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from olympus_rules.keyflow.domain.access import as_term, choose, is_never_none, map_choice, operand_term
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.paths import ALWAYS
from olympus_rules.keyflow.domain.presence import answers
from olympus_rules.keyflow.domain.terms import COPIES, Term
from olympus_rules.keyflow.domain.values import Choice, Condition, Const, Metadata, Sequence, Value
from olympus_rules.keyflow.facts import KeyKind
from olympus_rules.keyflow.interpret import made_objects
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import conversions, layout
from olympus_rules.keyflow.notes.pending import (
    arithmetic_fact,
    dtype_fact,
    is_stored,
    note,
    passes_by,
    passes_value,
    shape_fact,
)
from olympus_rules.syntax.kinds_of_keys import tells_kinds_apart

ARITHMETIC = {
    "Add": "+",
    "Sub": "-",
    "Mult": "*",
    "Div": "/",
    "FloorDiv": "//",
    "Mod": "%",
    "Pow": "**",
    "MatMult": "@",
    "BitXor": "^",
    "BitAnd": "&",
    "BitOr": "|",
    "LShift": "<<",
    "RShift": ">>",
    "Invert": "~",
    "USub": "-",
}
COMPARISONS = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "In", "NotIn"}
OPAQUE = frozenset({"caught", "format", "match", "opaque", "part", "raise", "yield"})
"""Operations that give an unknown value; what a pattern matches comes after the word."""


WHOLE: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Mult": operator.mul,
    "Pow": lambda base, exponent: base**exponent if 0 <= exponent < 64 and abs(base) < 64 else 2**64,
    "Sub": operator.sub,
}
"""Operators whose result is a whole number if both operands are."""

NUMBERS: dict[str, Callable[[int | float], int | float]] = {"bool": bool, "float": float, "int": int}
MAX_COPIES = 16  # in a list that is written out


def binary(flow: Flow, operation: str, operands: list[Value], node: ast.AST) -> Value:
    """Look for misuses of keys in an operator or comparison, and return its value."""
    if operation in COMPARISONS or operation in ("Is", "IsNot"):
        return _comparison(flow, operation, operands, node)
    if operation in ARITHMETIC:
        folded = _folded(operation, operands)
        if folded is not None:
            return folded
        if operation == "Add" and all(isinstance(operand, Sequence) for operand in operands):
            return _concatenated(operands)
        if operation == "Mult" and (copies := _copies(flow, operands)) is not None:
            sides = (getattr(node, "left", None), getattr(node, "right", None))
            written = next((side.elts for side in sides if isinstance(side, ast.List)), None)
            if written is not None:
                flow.events.displays[copies.items if isinstance(copies, Sequence) else copies] = written
            return copies
        longer = _longer_list(flow, operands) if operation in ("Add", "Mult") else None
        if longer is not None:
            return longer
        for operand in operands:
            if isinstance(operand, Metadata):
                layout.reckoned(flow, operand, operation, node)
        result = flow.terms.make("op", operation, *(operand_term(flow, operand) for operand in operands))
        _arithmetic(flow, operation, operands, node, result)
        return result
    if operation == "format":
        conversions.shown(flow, operands, node)
    if operation == "with":
        made_objects.used(flow, operands[0], node)
        if isinstance(operands[0], Term) and made_objects.takes_key(flow, operands[0]):
            flow.events.is_seeded = True
        return operands[0]
    if operation in OPAQUE or operation.startswith("match "):
        return flow.terms.fresh()
    return flow.terms.make("op", operation, *(as_term(flow, operand) for operand in operands))


def _concatenated(operands: list[Value]) -> Value:
    left, right = operands
    assert isinstance(left, Sequence) and isinstance(right, Sequence)
    if left.open:
        return Sequence(left.kind, left.items, True)
    return Sequence(left.kind, left.items + right.items, right.open)


def _copies(flow: Flow, operands: list[Value]) -> Sequence | Term | None:
    """Return ``[key] * n``: the list, or the array of copies for which it stands; ``None`` for any other product."""
    lists = [part for part in operands if isinstance(part, Sequence) and not part.open and len(part.items) == 1]
    key = lists[0].items[0] if len(operands) == 2 and len(lists) == 1 else None
    if not isinstance(key, Term) or not flow.knowledge.is_candidate(key):
        return None
    count = next((part.value for part in operands if isinstance(part, Const)), None)
    if type(count) is int and count <= MAX_COPIES:
        return replace(lists[0], items=(key,) * count)
    return flow.knowledge.view(COPIES, key, 1) if flow.knowledge.rank(key) == 0 else None


def _longer_list(flow: Flow, operands: list[Value]) -> Value | None:
    """Return a sum or multiple of a list of an unknown number of keys, ``None`` if no operand is one."""
    lists = [part for part in operands if isinstance(part, Term) and flow.terms.operation(part) == "list"]
    if not lists:
        return None
    first = operands[0]
    if isinstance(first, Sequence):
        return Sequence(first.kind, first.items, True)
    return flow.knowledge.listed(lists[0], is_open=True) if lists[0] is first else flow.terms.fresh()


def converted(name: str, values: list[Value]) -> Const | None:
    """Return what ``bool``, ``float`` or ``int`` makes of a constant number, ``None`` of anything else."""
    convert = NUMBERS.get(name) if len(values) == 1 else None
    first = values[0] if values else None
    if convert is None or not isinstance(first, Const) or not isinstance(first.value, int | float):
        return None
    return Const(convert(first.value), first.counter) if abs(first.value) < 2**64 else None


def _folded(operation: str, operands: list[Value]) -> Value | None:
    """Compute with whole numbers, so that ``i + 1`` in one iteration is ``i`` in the next."""
    if len(operands) != 2 or operation not in WHOLE:
        return None
    left, right = operands
    if not (isinstance(left, Const) and isinstance(right, Const)):
        return None
    if type(left.value) is not int or type(right.value) is not int:
        return None
    if right.value == 0 and operation in ("FloorDiv", "Mod"):
        return None
    value = WHOLE[operation](left.value, right.value)
    return Const(value, left.counter or right.counter) if abs(value) < 2**64 else None


def _arithmetic(flow: Flow, operation: str, operands: list[Value], node: ast.AST, result: Term) -> None:
    expressions = _operand_nodes(node)
    if any(isinstance(operand, Const) and isinstance(operand.value, str) for operand in operands):
        return  # "…" % key
    if operation == "Mult" and any(isinstance(each, Metadata) and each.what == "len" for each in operands):
        return  # a list that is as long as another one
    pairs = [
        (operand, expression)
        for operand, expression in zip(operands, expressions, strict=False)
        if isinstance(operand, Term) and not is_stored(flow, operand)
    ]
    if flow.loops and len(pairs) < len(operands):
        for operand, expression in zip(operands, expressions, strict=False):
            if not isinstance(operand, Term):
                passes_value(flow, operand, expression)
            elif is_stored(flow, operand):
                passes_by(flow, operand, expression)
    for operand, expression in pairs:
        others = [part for part in expressions if part is not expression]
        batch = any(isinstance(part, ast.Call | ast.Subscript) for part in others)
        first = sorted(pairs, key=lambda pair: pair[1] is not expression)
        build = arithmetic_fact(flow, node, ARITHMETIC[operation], first, result, batch=batch)
        note(flow, operand, Need.KEY, build, at=expression)


def _operand_nodes(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    return [node.operand] if isinstance(node, ast.UnaryOp) else []


def _comparison(flow: Flow, operation: str, operands: list[Value], node: ast.AST) -> Value:
    operands = [map_choice(flow, operand, lambda part: part) for operand in operands]
    is_chain = isinstance(node, ast.Compare) and len(node.ops) > 1
    if not is_chain and not (isinstance(operands[0], Choice) and operation in ("Is", "IsNot")):
        _look_at_comparison(flow, operation, operands, node)
    return compare(flow, operation, *operands)


def _look_at_comparison(flow: Flow, operation: str, operands: list[Value], node: ast.AST) -> None:
    """Look for comparisons of keys, or of their shape and dtype."""
    for operand in operands:
        others = [other for other in operands if other is not operand]
        for _, part in flow.arms(operand) if isinstance(operand, Choice) else [(ALWAYS, operand)]:
            if isinstance(part, Metadata):
                _metadata_comparison(flow, operation, part, node, others)
    if operation not in ("Is", "IsNot"):
        conversions.compared(flow, operation, operands, node)


NEGATED = {"NotEq": "Eq", "NotIn": "In", "GtE": "Lt", "LtE": "Gt", "IsNot": "Is"}


def compare(flow: Flow, operation: str, left: Value, right: Value) -> Value:
    """Return the result of a comparison: a constant if the values decide it, else a condition."""
    if operation in NEGATED:
        found = compare(flow, NEGATED[operation], left, right)
        return Const(not found.value) if isinstance(found, Const) else Condition("not", (found,))
    if isinstance(left, Choice):
        arms = answers(flow, left, lambda part: compare(flow, operation, part, right))
        if operation == "Is" or all(isinstance(answer, Const) for _, answer in arms):
            return choose(flow, arms)
    if operation == "Is":
        return _identity(flow, left, right)
    decided = _passed(operation, left, right)
    if decided is None:
        decided = _decided(operation, left, right)
    if decided is not None:
        return decided
    if operation == "Gt":  # one operation for all orders: a > b is b < a
        operation, left, right = "Lt", right, left
    return flow.terms.make("op", operation, operand_term(flow, left), operand_term(flow, right))


def _decided(operation: str, left: Value, right: Value) -> Const | None:
    """Compare constants."""
    if not isinstance(left, Const) or left.counter:
        return None
    if operation == "In" and isinstance(right, Sequence) and not right.open:
        items = [item.value for item in right.items if isinstance(item, Const) and not item.counter]
        return Const(left.value in items) if len(items) == len(right.items) else None
    if not isinstance(right, Const) or right.counter:
        return None
    try:
        return Const(bool(ORDERS[operation](left.value, right.value))) if operation in ORDERS else None
    except TypeError:
        return None


ORDERS: dict[str, Callable[[Any, Any], Any]] = {"Eq": operator.eq, "Lt": operator.lt, "Gt": operator.gt}


MIRRORED = {"Eq": "Eq", "NotEq": "NotEq", "Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE"}


def _passed(operation: str, left: Value, right: Value) -> Const | None:
    """Compare a loop's counter with a number that it has passed and cannot equal in later iterations."""
    if isinstance(right, Const) and right.counter and operation in MIRRORED:
        operation, left, right = MIRRORED[operation], right, left
    if not (isinstance(left, Const) and left.counter and isinstance(right, Const) and not right.counter):
        return None
    if type(left.value) is not int or type(right.value) is not int or left.value <= right.value:
        return None
    return Const(operation in ("NotEq", "Gt", "GtE")) if operation in MIRRORED else None


def _identity(flow: Flow, left: Value, right: Value) -> Value:
    """Decide ``x is None`` if the value of ``x`` is known."""
    if right == Const(None):
        if isinstance(left, Const):
            return Const(left.value is None)
        if is_never_none(flow, left):
            return Const(False)
    return flow.terms.make("op", "Is", operand_term(flow, left), operand_term(flow, right))


def _metadata_comparison(flow: Flow, operation: str, value: Metadata, node: ast.AST, others: list[Value]) -> None:
    term, subject = value.term, value.subject
    other = others[0] if others else None
    if value.what == "dtype" or value.what.startswith("dtype."):
        form = {"Eq": "equals", "NotEq": "not-equals"}.get(operation, "in")
        if value.what != "dtype":
            form = value.what.partition(".")[2]
        elif isinstance(other, Const) and isinstance(other.value, str):
            form = "name"
        if form in ("equals", "not-equals", "in", "name", "kind") and not layout.is_other_dtype(other):
            typed = operation in ("NotEq", "IsNot")
            if not (layout.is_uint32(other) and tells_kinds_apart(node, flow.file.document, typed=typed)):
                dtype_fact(flow, value, form, node)
    elif value.what == "shape" and isinstance(other, Sequence):
        if other.items and other.items[-1] in (Const(2), Const(4)) and not other.open:  # not in `(2, *key.shape)`
            shape_fact(flow, term, Need.KEY, "shape-equals", node, subject)
    elif not isinstance(other, Const) or _is_typed(flow, value, other):
        return
    elif value.what == "ndim" and other.value == 0:
        layout.asked_for_no_axes(flow, value, node)
    elif value.what in ("ndim", "shape-item"):
        shape_fact(flow, term, Need.KEY, value.what, node, subject)
    elif value.what in ("len", "first-length", "size"):
        shape_fact(flow, term, Need.SINGLE, "shape-item" if value.what == "first-length" else value.what, node, subject)


def _is_typed(flow: Flow, value: Metadata, number: Const) -> bool:
    """Return whether the metadata of a typed key is compared with what a typed key has."""
    rank, kind = flow.knowledge.rank(value.term), flow.knowledge.kind(value.term)
    has = {"ndim": rank, "size": 1 if rank == 0 else None}.get(value.what)
    return has is not None and has == number.value and kind is KeyKind.TYPED
