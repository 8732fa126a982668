"""Detects code that depends on the layout of a key: shape, rank, dtype, transposition, reshaping."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from olympus_rules.code import instructions as ir
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import as_term
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.places import span_of
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Const, Library, Metadata, Sequence, SliceOf, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes.axes import ArrayCall, Transposed, look, transposition
from olympus_rules.keyflow.notes.pending import (
    arithmetic_fact,
    dtype_fact,
    is_stored,
    note,
    passes_by,
    passes_value,
    shape_fact,
    spelled,
)

ARITHMETIC_METHODS = frozenset({"astype", "view", "sum", "prod", "mean", "max", "min", "cumsum", "dot", "byteswap"})
DTYPE_ATTRIBUTES = frozenset({"byteorder", "char", "itemsize", "kind", "name", "num", "str"})
METADATA = frozenset({"shape", "ndim", "dtype", "size"})
METHODS = frozenset(
    {"reshape", "transpose", "swapaxes", "flatten", "ravel", "squeeze", "copy", "repeat", "take"}
)  # of arrays; other objects have methods called `split` and `append`


def attribute(flow: State, term: Term, name: str, node: ast.Attribute) -> Value | None:
    """Check ``term.name``, and return its value for metadata and layout."""
    if name in METADATA:
        return Metadata(name, term, node.value)
    if name == "T":
        transposition(flow, term, Transposed(".T", node, (node.value,)), Need.RAW_FLAT)
        if flow.knowledge.is_known(term):
            return flow.knowledge.view("T", term, flow.knowledge.rank(term))
    if name == "at" and isinstance(node.ctx, ast.Load):
        if flow.knowledge.rank(term) != 0 and flow.file.places.ranks.get(span_of(node.value)) != 0:
            passes_by(flow, flow.terms.const("no single key"), node.value)
            return None
        note(
            flow,
            term,
            Need.SINGLE,
            lambda c, k: facts.KeyArithmetic(
                node=node, confidence=c, key=spelled(node.value), kind=k, operation="at", subjects=(node.value,)
            ),
            at=node.value,
        )
    return None


def dtype_attribute(flow: State, value: Metadata, name: str, node: ast.Attribute) -> None:
    """Detect ``key.dtype.name`` and the like; a comparison says more, and has a check of its own."""
    if name not in DTYPE_ATTRIBUTES or isinstance(flow.file.document.parents.get(node), ast.Compare):
        return
    if name == "itemsize" and _counts_bytes(flow, node):
        return  # raw keys have more elements, typed keys have larger ones
    dtype_fact(flow, value, "name" if name == "name" else "kind", node)


def _counts_bytes(flow: State, itemsize: ast.Attribute) -> bool:
    """Return whether ``key.dtype.itemsize`` is multiplied by ``key.size`` or by the product of ``key.shape``."""
    parents = flow.file.document.parents
    product: ast.AST = itemsize
    while isinstance(parent := parents.get(product), ast.BinOp) and isinstance(parent.op, ast.Mult):
        product = parent
    key = ast.unparse(itemsize.value).removesuffix(".dtype")
    return any(_is_size(factor, key) for factor in _factors(product))


def _factors(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield node


def _is_size(node: ast.AST, key: str) -> bool:
    """Return whether an expression is ``key.size``, ``math.prod(key.shape)`` or the like."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        name, argument = ast.unparse(node.func).rpartition(".")[2], ast.unparse(node.args[0])
        return (name == "prod" and argument == f"{key}.shape") or (name == "size" and argument == key)
    return ast.unparse(node) == f"{key}.size"


def mapped_axis(flow: State, term: Term, mapped: Transposed) -> None:
    """Record that a map goes over an axis of a key array other than a batch axis, or puts one behind the words."""
    transposition(flow, term, mapped, Need.FLAT if mapped.how == "in_axes" else Need.RAW_ARRAY)


def array_method(flow: State, receiver: Value, call: ArrayCall) -> Value | None:
    """Check a call on an array, and return its result if this module models the call."""
    knowledge = flow.knowledge
    if isinstance(receiver, Choice):
        for _, part in flow.arms(receiver):
            array_method(flow, part, call)
        return None
    if not isinstance(receiver, Term):
        passes_value(flow, receiver, call.subject)
    if call.name in ARITHMETIC_METHODS and isinstance(receiver, Term):
        if not (knowledge.is_known(receiver) or receiver in knowledge.named):
            passes_by(flow, receiver, call.subject)
            return None
        result = flow.terms.fresh()
        operands = [(receiver, call.subject)]
        arithmetic = arithmetic_fact(flow, call.node, call.name, operands, result, batch=False)
        if not is_stored(flow, receiver):
            note(flow, receiver, Need.KEY, arithmetic, at=call.subject)
        return result
    return look(flow, receiver, call) if call.first or call.name in METHODS else None


def index_with_words(flow: State, term: Term, index: Sequence, node: ast.Subscript) -> None:
    """Detect ``keys[i, :]`` and ``key[None, :]``, whose last slice selects the words."""
    axes = [part for part in index.items if part != Const(None)]
    if index.open or Const(...) in axes or axes[-1:] != [SliceOf(None, None, None)]:
        return

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        rank = flow.knowledge.rank(term)
        if kind is KeyKind.TYPED or rank is None or len(axes) != rank + 1:
            return None
        return facts.ShapeLogic(
            node=node,
            confidence=confidence,
            key=spelled(node.value),
            kind=kind,
            form="index",
            subject=node.value,
            rank=rank,
        )

    if index.items[-1] == axes[-1]:
        note(flow, term, Need.KNOWN, build, at=node.value)


def shape_item(flow: State, value: Metadata, index: Value, node: ast.Subscript) -> Value:
    """Check ``key.shape[…]``: the number of keys is portable, the word axis is not."""
    if isinstance(index, SliceOf):
        _shape_slice(flow, value, index, node)
        return flow.terms.make("op", "shape", value.term)
    number = index.value if isinstance(index, Const) else None
    if type(number) is int and number < 0 and not _is_compared(flow, node):
        _shape_fact(flow, value, "shape-item", node, lambda rank: number < -rank)
    elif type(number) is int and number >= 0 and not _is_compared(flow, node) and not _is_broadcast(flow, node):
        _shape_fact(flow, value, "shape-item", node, lambda rank: rank == number, is_raw=True)
    if _minus_one(index):
        return Metadata("shape-item", value.term, value.subject)
    if number == 0:
        return Metadata("first-length", value.term, value.subject)
    return flow.terms.make("op", "shape-item", value.term, as_term(flow, index))


def _shape_slice(flow: State, value: Metadata, index: SliceOf, node: ast.Subscript) -> None:
    """Detect ``key.shape[:-1]``, the shape of the batch, and ``keys.shape[-1:]``, the shape of one key."""
    lower, upper = index.lower, index.upper
    if _minus_one(upper) and lower in (None, Const(0), Const(None)):
        shape_fact(flow, value.term, Need.KEY, "shape-slice", node, value.subject)
    elif _minus_one(lower) and upper in (None, Const(None)):
        _shape_fact(flow, value, "word-shape", node, lambda rank: False)
    elif any(isinstance(end, Const) and type(end.value) is int and end.value < 0 for end in (lower, upper)):
        _shape_fact(flow, value, "shape-slice", node, lambda rank: False)


def _shape_fact(
    flow: State,
    value: Metadata,
    form: str,
    node: ast.AST,
    misses: Callable[[int], bool],
    *,
    is_raw: bool = False,
) -> None:
    """Record a fact about the shape of raw keys.

    Keys of unknown kind count if a typed key with as many batch axes ``misses`` the wanted part of the shape; if
    ``is_raw``, only raw ones of which this holds.
    """

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        rank = flow.knowledge.rank(value.term)
        if kind is KeyKind.TYPED or (form == "word-shape" and not rank):
            return None
        if is_raw and kind is not KeyKind.RAW:
            return None
        if (is_raw or kind is not KeyKind.RAW) and (rank is None or not misses(rank)):
            return None
        return facts.ShapeLogic(
            node=node,
            confidence=confidence,
            key=spelled(value.subject),
            kind=kind,
            form=form,
            subject=value.subject,
            rank=rank,
            exact=form != "ndim",
        )

    note(flow, value.term, Need.KNOWN, build, metadata=True, at=value.subject)


def asked_for_no_axes(flow: State, value: Metadata, node: ast.AST) -> None:
    """Detect ``key.ndim == 0`` of what may be a raw key: no raw key is so, and without one, typed keys are meant."""

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        passed = flow.knowledge.passed.get(value.term, frozenset())
        if kind is not KeyKind.RAW and KeyKind.RAW not in passed and not flow.file.may_get_keys(value.subject):
            return None
        return facts.ShapeLogic(
            node=node,
            confidence=confidence,
            key=spelled(value.subject),
            kind=kind,
            form="ndim",
            subject=value.subject,
            rank=flow.knowledge.rank(value.term),
        )

    note(flow, value.term, Need.KEY, build, metadata=True, at=value.subject)


def shape_unpacked(flow: State, value: Metadata, instruction: ir.Unpack) -> None:
    """Detect ``n, _ = keys.shape``."""
    if value.what == "shape" and isinstance(instruction.node, ast.Tuple | ast.List):
        targets = len(instruction.dsts)
        starred = instruction.star is not None
        _shape_fact(flow, value, "shape-unpack", instruction.node, lambda rank: not starred and targets == rank + 1)


def asserted(flow: State, arguments: Arguments) -> None:
    """Detect ``assertEqual(key.shape, (2,))``, ``assert_shape(key, (2,))``, and the same of a length or dtype."""
    node, values = arguments.node, [value for value, _ in arguments.positional[:2]]
    if node is None or len(values) < 2:
        return
    for value, other in (values, values[::-1]):
        if isinstance(value, Term) and value is values[0] and "shape" in ast.unparse(node.func) and node.args:
            value = Metadata("shape", value, node.args[0])
        if isinstance(value, Metadata) and value.what == "shape" and isinstance(other, Sequence) and not other.open:
            _shape_asserted(flow, value, other.items, node)
        if isinstance(value, Metadata) and value.what == "dtype" and not is_other_dtype(other):
            dtype_fact(flow, value, "asserted", node)
    if isinstance(values[0], Term) and node.args and ast.unparse(node.func).endswith("assertLen"):
        shape_fact(flow, values[0], Need.SINGLE, "len", node, node.args[0])


def _shape_asserted(flow: State, value: Metadata, lengths: tuple[Value, ...], node: ast.Call) -> None:
    if lengths[-1:] in ((Const(2),), (Const(4),)):
        _shape_fact(flow, value, "shape-asserted", node, lambda rank: len(lengths) == rank + 1)


def is_other_dtype(value: Value | None) -> bool:
    """Return whether a key's dtype is compared with one that no raw key has, or with the dtype of a value."""
    if isinstance(value, Metadata):
        return True
    if isinstance(value, Choice):
        return any(is_other_dtype(part) for _, part in value.arms)
    if isinstance(value, Sequence):
        return not value.open and bool(value.items) and all(is_other_dtype(item) for item in value.items)
    if isinstance(value, Library):
        return value.qualified.partition(".")[0] in ("jax", "numpy") and not value.qualified.endswith(
            (".uint32", ".dtype")
        )
    return isinstance(value, Const) and isinstance(value.value, str) and value.value.startswith(("f", "b", "i", "c"))


def is_uint32(value: Value | None) -> bool:
    """Return whether a key's dtype is compared with that of raw keys."""
    return value == Const("uint32") or (isinstance(value, Library) and value.qualified.endswith(".uint32"))


def length(flow: State, term: Term, node: ast.Call) -> Value:
    """Check ``len(key)``: the length of a raw key is its number of words, a typed key has no length."""
    subject = node.args[0]
    if not _is_compared(flow, node):
        shape_fact(flow, term, Need.SINGLE, "len", node, subject)
    return Metadata("len", term, subject)


def reckoned(flow: State, value: Metadata, operation: str, node: ast.AST) -> None:
    """Detect arithmetic with metadata: ``key.ndim - 1`` counts batch axes, or the word axis, of raw keys."""
    if (value.what, operation) in (("ndim", "Sub"), ("size", "FloorDiv"), ("size", "Div")):
        _shape_fact(flow, value, value.what, node, lambda rank: rank == 0)


def _is_compared(flow: State, node: ast.AST) -> bool:
    """Return whether an expression is an operand of a comparison, which has a check of its own."""
    return isinstance(flow.file.document.parents.get(node), ast.Compare)


def _is_broadcast(flow: State, node: ast.AST) -> bool:
    """Return whether an expression is the last length that ``broadcast_to`` is given, which has a check of its own."""
    parents = flow.file.document.parents
    lengths = parents.get(node)
    call = parents.get(lengths) if isinstance(lengths, ast.Tuple) and lengths.elts[-1] is node else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith("broadcast_to")


def _minus_one(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value == -1
