"""What the syntax of a condition says, before anything is known of its values."""

from __future__ import annotations

import ast

from olympus_rules.code.names import dotted_name
from olympus_rules.syntax.document import every_node

ASKING_METHODS = (
    "issubdtype", "startswith", "endswith", "isdigit", "isalpha", "isidentifier", "isupper", "lower", "upper", "strip",
)  # fmt: skip
CONDITION_NODES = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set, ast.Compare,
    ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp, ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop, ast.operator,
)  # fmt: skip


def missing(test: ast.expr, *, negated: bool = False) -> dict[str, str]:
    """Return the variables and attributes that a test shows to be ``None`` (``none``) or not true (``true``)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return missing(test.operand, negated=not negated)
    if isinstance(test, ast.BoolOp):
        return {name: kind for part in test.values for name, kind in missing(part, negated=negated).items()}
    if isinstance(test, ast.Compare):
        asks = ast.IsNot if negated else ast.Is
        nothing = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        return {dotted_name(test.left): "none"} if nothing and isinstance(test.ops[0], asks) else {}
    return {dotted_name(test): "true"} if negated and isinstance(test, ast.Name | ast.Attribute) else {}


def default(node: ast.Assign) -> ast.If | None:
    """Return ``x = x or y`` and the like as ``if not x: x = y``, ``None`` for any other assignment."""
    target, value = node.targets[0], node.value
    if not isinstance(value, ast.BoolOp | ast.IfExp) or not isinstance(target, ast.Name | ast.Attribute):
        return None
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) and len(value.values) == 2:
        kept, made = value.values
        test: ast.expr = ast.copy_location(ast.UnaryOp(ast.Not(), kept), kept)
    elif isinstance(value, ast.IfExp):
        made, kept, test = value.body, value.orelse, value.test
        if dotted_name(kept) != dotted_name(target):
            made, kept, test = kept, made, ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
    else:
        return None
    if dotted_name(kept) != dotted_name(target) or "?" in dotted_name(target):
        return None
    return ast.If(test, [ast.copy_location(ast.Assign([target], made), node)], [])


def matters_when(node: ast.AST) -> bool:
    """Return whether the conditional evaluation of an operand of ``and`` or ``or`` matters."""
    return isinstance(node, ast.Call | ast.NamedExpr) or (
        isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "dtype", "size")
    )


def calls_asked(test: ast.expr) -> list[ast.Call]:
    """Return the calls that are operands of a condition."""
    if isinstance(test, ast.Call):
        return [test]
    if isinstance(test, ast.BoolOp):
        return [call for value in test.values for call in calls_asked(value)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return calls_asked(test.operand)
    return []


def is_simple(test: ast.expr) -> bool:
    """Return whether a condition compares names and constants, so that recording that it held is useful."""
    return all(
        isinstance(node, CONDITION_NODES) or (isinstance(node, ast.Call) and _only_asks(node.func))
        for node in every_node(test)
    )


def _only_asks(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) or (isinstance(function, ast.Attribute) and function.attr in ASKING_METHODS)
