"""Looks at what knows the layout of a key: shape, rank, dtype, transposition, reshaping."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from olympus_rules.keyflow import facts
from olympus_rules.keyflow.access import as_term
from olympus_rules.keyflow.notes import arithmetic_fact, dtype_fact, is_stored, note, shape_fact, spelled
from olympus_rules.keyflow.terms import Term
from olympus_rules.keyflow.values import Const, Metadata, Sequence, SliceOf, Value

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpreter import Interpreter

__all__ = ["array_method", "attribute", "axes", "dtype_attribute", "shape_item"]

ARITHMETIC_METHODS = frozenset({"astype", "view", "sum", "prod", "mean", "max", "min", "cumsum", "dot", "byteswap"})
DTYPE_ATTRIBUTES = frozenset({"byteorder", "char", "itemsize", "kind", "name", "num", "str"})
METADATA = frozenset({"shape", "ndim", "dtype", "size"})


def attribute(flow: Interpreter, term: Term, name: str, node: ast.Attribute) -> Value | None:
    """Look at ``term.name``; returns a value for metadata and layout."""
    if name in METADATA:
        return Metadata(name, term, node.value)
    if name == "T" and flow.knowledge.is_known(term):
        _transposed(flow, term, ".T", node)
        return flow.knowledge.view("T", term, flow.knowledge.rank(term))
    if name == "T":
        _transposed(flow, term, ".T", node)
    if name == "at" and flow.knowledge.rank(term) == 0 and isinstance(node.ctx, ast.Load):
        note(
            flow,
            term,
            "single",
            lambda c, k: facts.KeyArithmetic(
                node=node, confidence=c, key=spelled(node.value), kind=k, operation="at", subjects=(node.value,)
            ),
        )
    return None


def dtype_attribute(flow: Interpreter, value: Metadata, name: str, node: ast.Attribute) -> None:
    """Look at ``key.dtype.name`` and the like; a comparison says more, and is looked at itself."""
    if name in DTYPE_ATTRIBUTES and not isinstance(flow.analysis.document.parents.get(node), ast.Compare):
        dtype_fact(flow, value, "name" if name == "name" else "kind", node)


def _transposed(flow: Interpreter, term: Term, how: str, node: ast.AST, axis: ast.expr | None = None) -> None:
    subject = node.value if isinstance(node, ast.Attribute) else node
    note(
        flow,
        term,
        {"in_axes": "flat", "out_axes": "raw-array"}.get(how, "raw-flat"),
        lambda confidence, kind: facts.KeyTransposition(
            node=node, confidence=confidence, key=spelled(subject), kind=kind, how=how, axis=axis
        ),
    )


def axes(flow: Interpreter, term: Term, how: str, node: ast.AST | None, axis: ast.expr | None) -> None:
    """Note that a map goes over an axis of a key array that is not a batch axis, or puts one behind the words."""
    if node is not None:
        _transposed(flow, term, how, node, axis)


def array_method(
    flow: Interpreter, term: Term, name: str, args: tuple[Value, ...], node: ast.Call, subject: ast.expr
) -> Value | None:
    """Look at a method of an array, or at a ``jax.numpy`` function with the array as its first argument.

    ``subject`` is the expression of the array.

    Returns:
        The result where the call is one that this module understands.
    """
    knowledge = flow.knowledge
    if not knowledge.is_known(term) and term not in knowledge.named:
        return None
    if name in ARITHMETIC_METHODS:
        result = flow.terms.fresh()
        arithmetic = partial(arithmetic_fact, flow, node, name, [(term, subject)], result, False)
        if not is_stored(flow, term):
            note(flow, term, "key", arithmetic)
        return result
    if name in ("transpose", "swapaxes", "moveaxis"):
        _transposed(flow, term, name, node)
        return knowledge.view(f"{name} {flow.terms.number()}", term, knowledge.rank(term))
    if name == "reshape":
        return _reshaped(flow, term, args, node, subject)
    if name in ("broadcast_to", "tile"):
        shape = args[-1] if args else Const(None)
        if isinstance(shape, Sequence) and not shape.open and shape.items and shape.items[-1] in (Const(2), Const(4)):
            shape_fact(flow, term, "key", "broadcast", node, subject)
    if name in ("flatten", "ravel", "squeeze", "copy", "repeat", "broadcast_to", "tile"):
        return knowledge.view(f"{name} {flow.terms.number()}", term, None)
    return None


def _reshaped(flow: Interpreter, term: Term, args: tuple[Value, ...], node: ast.Call, subject: ast.expr) -> Value:
    shape = args[0].items if len(args) == 1 and isinstance(args[0], Sequence) else args
    last = shape[-1] if shape else None
    if (last in (Const(2), Const(4)) and (len(shape) > 1 or flow.knowledge.rank(term) == 0)) or (
        last == Const(-1) and len(shape) > 1 and flow.knowledge.rank(term) == 1
    ):
        shape_fact(flow, term, "array", "reshape", node, subject)
        return flow.knowledge.view(f"reshape {flow.terms.number()}", term, len(shape) - 1)
    return flow.knowledge.view(f"reshape {flow.terms.number()}", term, len(shape))


def shape_item(flow: Interpreter, value: Metadata, index: Value, node: ast.Subscript) -> Value:
    """Look at ``key.shape[…]``: the number of keys is portable, the word axis is not."""
    if isinstance(index, SliceOf):
        if _minus_one(index.upper) and index.lower is None:
            shape_fact(flow, value.term, "key", "shape-slice", node, value.subject)
        return flow.terms.make("op", "shape", value.term)
    if _minus_one(index):
        return Metadata("shape-item", value.term, value.subject)
    if isinstance(index, Const) and index.value == 0:
        return Metadata("first-length", value.term, value.subject)
    return flow.terms.make("op", "shape-item", value.term, as_term(flow, index))


def _minus_one(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value == -1
