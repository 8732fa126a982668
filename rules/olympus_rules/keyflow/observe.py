"""Notes what the program does with a key's representation: words, shape, dtype, arithmetic, layout.

Whether a term is a key may become clear only later, so most notes are kept with the term that they depend on and
become facts at the end of the analysis.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow import instructions as ir
from olympus_rules.keyflow.access import as_term, choose, map_choice
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.paths import PathCondition, both, implies
from olympus_rules.keyflow.terms import Term
from olympus_rules.keyflow.values import Choice, Condition, Const, Metadata, Sequence, SliceOf, Value

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpreter import Interpreter

__all__ = [
    "Pending",
    "array_method",
    "attribute",
    "axes",
    "binary",
    "bound",
    "class_fields",
    "default",
    "item",
    "iterated",
    "note",
    "unpacked",
]

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
ARITHMETIC_METHODS = frozenset({"astype", "view", "sum", "prod", "mean", "max", "min", "cumsum", "dot", "byteswap"})
METADATA = frozenset({"shape", "ndim", "dtype", "size"})


@dataclass(slots=True)
class Pending:
    """A fact that holds if a term turns out to be a key.

    Attributes:
        term: the term.
        need: ``key`` (a key or key array), ``single`` (one key), ``word`` (one key, as its element is used as a
            number), ``array`` (a key array), ``raw-array`` (one that is not
            typed), ``flat`` (one with one batch axis), ``raw-flat`` (the same, and not
            typed), ``untyped``, ``rank<n`` (fewer than n batch axes).
        path: when it happens; code behind a test for typed keys knows what it does.
        build: makes the fact.
        metadata: whether the code looks at shape or dtype, which no other random generator has.
    """

    term: Term
    need: str
    path: PathCondition
    build: Callable[[Confidence, KeyKind], Fact]
    metadata: bool = False


def note(
    flow: Interpreter,
    term: Term,
    need: str,
    build: Callable[[Confidence, KeyKind], Fact],
    *,
    metadata: bool = False,
    path: PathCondition | None = None,
) -> None:
    """Keep a fact that depends on what a term is; ``path`` is the present one unless given."""
    if flow.terms.operation(term) not in ("const", "op"):
        flow.analysis.pending.append(Pending(term, need, path or flow.path, build, metadata))


def spelled(node: ast.AST) -> str:
    """Return how an expression is written, empty for anything longer than a name, attribute or subscript."""
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else ""


# words of the buffer


def item(flow: Interpreter, value: Value, index: Value, node: ast.Subscript) -> Value | None:
    """Look at ``value[index]``; returns a value where the subscript is one of metadata."""
    if isinstance(value, Metadata) and value.what == "shape":
        return _shape_item(flow, value, index, node)
    if isinstance(value, Choice):
        for path, part in value.arms:
            joined = both(flow.path, path)
            if type(part) is int and joined is not None:
                _index(flow, part, index, node, joined)
        return None
    if type(value) is int:
        _index(flow, value, index, node, flow.path)
        _split_then_index(flow, value, index, node)
    return None


def _index(flow: Interpreter, term: Term, index: Value, node: ast.Subscript, path: PathCondition) -> None:
    if _is_stored(flow, term):
        return
    if isinstance(index, Const) and (isinstance(index.value, str) or index.value is None):
        return
    axes_used = _axes_used(index)
    if axes_used == 0:
        return

    def build(confidence: Confidence, kind: KeyKind) -> Fact:
        use, consumer = _use_of_word(flow, node)
        return facts.KeyIndexing(
            node=node,
            confidence=confidence,
            key=spelled(node.value),
            kind=kind,
            use=use,
            consumer=consumer,
            batch=(flow.knowledge.rank(term) or 0) > 0,
        )

    need = "single" if axes_used == 1 else f"rank<{axes_used}"
    if need == "single" and term in flow.knowledge.generators and isinstance(index, Const):
        need = "single" if _use_of_word(flow, node)[0] == "unknown" else "word"
    if isinstance(index, Sequence) and index.items[:1] == (Const(...),):
        need = "untyped"
    note(flow, term, need, build, path=path)


def _is_stored(flow: Interpreter, term: Term) -> bool:
    """Say whether a term is the result of ``key_data`` or of nothing that could be a key."""
    return flow.terms.operation(term) in ("unwrap", "op", "const")


def _axes_used(index: Value) -> int:
    """Return how many axes an index takes away or cuts; a full slice or ``...`` before the last counts."""
    if isinstance(index, Sequence):
        if index.items[:1] == (Const(...),):
            return 1
        parts = [part for part in index.items if part != Const(None)]
        return len(parts) if parts and not isinstance(parts[-1], SliceOf) else 0
    if isinstance(index, SliceOf) or index == Const(...):
        return 0
    return 1


def _use_of_word(flow: Interpreter, node: ast.AST) -> tuple[str, ast.Call | None]:
    """Say what the word that an expression reads is used for, from the syntax around it."""
    parents = flow.analysis.document.parents
    current, parent = node, parents.get(node)
    while isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in ("int", "str"):
        current, parent = parent, parents.get(parent)
    if isinstance(parent, ast.keyword):
        parent = parents.get(parent)
    if isinstance(parent, ast.Call) and current is not parent.func:
        name = ast.unparse(parent.func).rpartition(".")[2]
        if name in ("PRNGKey", "key"):
            return "seed", parent
        if "seed" in name.lower() or name in ("default_rng", "RandomState", "Random", "Generator"):
            return "foreign-seed", parent
        return "value" if current is not node else "unknown", None
    if isinstance(parent, ast.FormattedValue | ast.Compare):
        return "value", None
    return ("value" if current is not node else "unknown"), None


def _split_then_index(flow: Interpreter, term: Term, index: Value, node: ast.Subscript) -> None:
    """Find ``split(key, i + 1)[i]``, a long way to write ``fold_in(key, i)``."""
    terms = flow.terms
    if terms.operation(term) != "split" or not isinstance(node.value, ast.Call):
        return
    count, wanted = terms.args(term)[1], as_term(flow, index)
    one = terms.const(1)
    if isinstance(index, Const) or count not in (
        terms.make("op", "Add", wanted, one),
        terms.make("op", "Add", one, wanted),
    ):
        return
    flow.analysis.add(
        facts.DerivationCollision(
            node=node,
            confidence=Confidence.CERTAIN,
            key=spelled(node.value.args[0]) if node.value.args else "",
            how="split-then-index",
            index=node.slice,
        )
    )


def unpacked(flow: Interpreter, value: Value, instruction: ir.Unpack) -> None:
    """Look at the unpacking of a value: a key's words are no keys."""
    if type(value) is int and not _is_stored(flow, value) and isinstance(instruction.node, ast.Tuple | ast.List):
        node = instruction.node

        def build(confidence: Confidence, kind: KeyKind) -> Fact:
            source = getattr(flow.analysis.document.parents.get(node), "value", None)
            key = spelled(source) if isinstance(source, ast.Name | ast.Attribute) else ""
            return facts.KeyIndexing(node=node, confidence=confidence, key=key, kind=kind, use="unpack")

        note(flow, value, "single", build)


def iterated(flow: Interpreter, value: Value, loop: ir.Loop) -> None:
    """Look at what a loop goes over: the elements of a single key are its words."""
    node = loop.node
    if type(value) is int and node is not None and not _is_stored(flow, value):
        note(
            flow,
            value,
            "single",
            lambda confidence, kind: facts.KeyIndexing(
                node=node, confidence=confidence, key=spelled(node), kind=kind, use="unpack"
            ),
        )


# metadata


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
            lambda c, k: facts.KeyArithmetic(node=node, confidence=c, key=spelled(node.value), kind=k, operation="at"),
        )
    return None


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
        note(
            flow,
            term,
            "key",
            lambda c, k: facts.KeyArithmetic(node=node, confidence=c, key=spelled(subject), kind=k, operation=name),
        )
        return flow.terms.fresh()
    if name in ("transpose", "swapaxes", "moveaxis"):
        _transposed(flow, term, name, node)
        return knowledge.view(f"{name} {flow.terms.number()}", term, knowledge.rank(term))
    if name == "reshape":
        return _reshaped(flow, term, args, node, subject)
    if name in ("broadcast_to", "tile"):
        shape = args[-1] if args else Const(None)
        if isinstance(shape, Sequence) and not shape.open and shape.items and shape.items[-1] in (Const(2), Const(4)):
            _shape_fact(flow, term, "key", "broadcast", node, subject)
    if name in ("flatten", "ravel", "squeeze", "copy", "repeat", "broadcast_to", "tile"):
        return knowledge.view(f"{name} {flow.terms.number()}", term, None)
    return None


def _reshaped(flow: Interpreter, term: Term, args: tuple[Value, ...], node: ast.Call, subject: ast.expr) -> Value:
    shape = args[0].items if len(args) == 1 and isinstance(args[0], Sequence) else args
    last = shape[-1] if shape else None
    if (last in (Const(2), Const(4)) and (len(shape) > 1 or flow.knowledge.rank(term) == 0)) or (
        last == Const(-1) and len(shape) > 1 and flow.knowledge.rank(term) == 1
    ):
        _shape_fact(flow, term, "array", "reshape", node, subject)
        return flow.knowledge.view(f"reshape {flow.terms.number()}", term, len(shape) - 1)
    return flow.knowledge.view(f"reshape {flow.terms.number()}", term, len(shape))


def _shape_item(flow: Interpreter, value: Metadata, index: Value, node: ast.Subscript) -> Value:
    """Look at ``key.shape[…]``: the number of keys is portable, the word axis is not."""
    if isinstance(index, SliceOf):
        if _minus_one(index.upper) and index.lower is None:
            _shape_fact(flow, value.term, "key", "shape-slice", node, value.subject)
        return flow.terms.make("op", "shape", value.term)
    if _minus_one(index):
        return Metadata("shape-item", value.term, value.subject)
    if isinstance(index, Const) and index.value == 0:
        return Metadata("first-length", value.term, value.subject)
    return flow.terms.make("op", "shape-item", value.term, as_term(flow, index))


def _minus_one(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value == -1


def _shape_fact(flow: Interpreter, term: Term, need: str, form: str, node: ast.AST, subject: ast.expr) -> None:
    note(
        flow,
        term,
        need,
        lambda confidence, kind: facts.ShapeLogic(
            node=node, confidence=confidence, key=spelled(subject), kind=kind, form=form, subject=subject
        ),
        metadata=True,
    )


# operators


def binary(flow: Interpreter, operation: str, operands: list[Value], node: ast.AST) -> Value:
    """Look at an operator or comparison and return its value."""
    if operation in COMPARISONS or operation in ("Is", "IsNot"):
        return _comparison(flow, operation, operands, node)
    if operation in ARITHMETIC:
        folded = _folded(operation, operands)
        if folded is not None:
            return folded
        if operation == "Add" and all(isinstance(operand, Sequence) for operand in operands):
            return _concatenated(operands)
        _arithmetic(flow, operation, operands, node)
    elif operation in ("opaque", "part", "format", "with", "match"):
        return flow.terms.fresh() if operation != "with" else operands[0]
    return flow.terms.make("op", operation, *(as_term(flow, operand) for operand in operands))


def _concatenated(operands: list[Value]) -> Value:
    left, right = operands
    assert isinstance(left, Sequence) and isinstance(right, Sequence)
    if left.open:
        return Sequence(left.kind, left.items, True)
    return Sequence(left.kind, left.items + right.items, right.open)


def _folded(operation: str, operands: list[Value]) -> Value | None:
    """Compute integer sums and products, so that ``i + 1`` in one turn is ``i`` in the next."""
    if len(operands) != 2 or operation not in ("Add", "Sub", "Mult"):
        return None
    left, right = operands
    if not (isinstance(left, Const) and isinstance(right, Const)):
        return None
    if type(left.value) is not int or type(right.value) is not int:
        return None
    a, b = left.value, right.value
    value = a + b if operation == "Add" else a - b if operation == "Sub" else a * b
    return Const(value, left.counter or right.counter) if abs(value) < 2**64 else None


def _arithmetic(flow: Interpreter, operation: str, operands: list[Value], node: ast.AST) -> None:
    expressions = _operand_nodes(node)
    if any(isinstance(operand, Const) and isinstance(operand.value, str) for operand in operands):
        return  # "…" % key
    for operand, expression in zip(operands, expressions, strict=False):
        if type(operand) is int and not _is_stored(flow, operand):
            others = [part for part in expressions if part is not expression]
            batch = any(isinstance(part, ast.Call | ast.Subscript) for part in others)
            note(flow, operand, "key", partial(_arithmetic_fact, node, ARITHMETIC[operation], expression, batch))


def _arithmetic_fact(
    node: ast.AST, operation: str, subject: ast.expr, batch: bool, confidence: Confidence, kind: KeyKind
) -> Fact:
    return facts.KeyArithmetic(
        node=node, confidence=confidence, key=spelled(subject), kind=kind, operation=operation, batch=batch
    )


def _operand_nodes(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    return [node.operand] if isinstance(node, ast.UnaryOp) else []


def _comparison(flow: Interpreter, operation: str, operands: list[Value], node: ast.AST) -> Value:
    operands = [map_choice(flow, operand, lambda part: part) for operand in operands]
    if isinstance(operands[0], Choice) and operation in ("Is", "IsNot"):
        return _identities(flow, operation, operands[0], operands[1])
    for operand in operands:
        if isinstance(operand, Metadata):
            _metadata_comparison(flow, operation, operand, node, [o for o in operands if o is not operand])
    left, right = operands
    if operation in ("Is", "IsNot"):
        return _identity(flow, operation, left, right)
    terms = [as_term(flow, operand) for operand in operands]
    if operation == "NotEq":
        return Condition("not", (flow.terms.make("op", "Eq", *terms),))
    if operation == "NotIn":
        return Condition("not", (flow.terms.make("op", "In", *terms),))
    return flow.terms.make("op", operation, *terms)


def _identities(flow: Interpreter, operation: str, left: Choice, right: Value) -> Value:
    """Ask each value of a choice whether it is ``None``; where its own condition says so, that is the answer."""
    arms: list[tuple[PathCondition, Value]] = []
    for path, part in left.arms:
        answer = _identity(flow, operation, part, right)
        holds, fails = flow.outcomes(answer)
        if holds is not None and fails is not None:
            if implies(path, holds):
                answer = Const(True)
            elif implies(path, fails):
                answer = Const(False)
        arms.append((path, answer))
    return choose(flow, arms)


def _identity(flow: Interpreter, operation: str, left: Value, right: Value) -> Value:
    """Decide ``x is None`` where what ``x`` holds is known."""
    if right == Const(None) and not isinstance(left, Choice):
        if isinstance(left, Const):
            return Const((left.value is None) == (operation == "Is"))
        if type(left) is not int or left in flow.knowledge.origins:
            return Const(operation == "IsNot")
    test = flow.terms.make("op", "Is", as_term(flow, left), as_term(flow, right))
    return test if operation == "Is" else Condition("not", (test,))


def _metadata_comparison(
    flow: Interpreter, operation: str, value: Metadata, node: ast.AST, others: list[Value]
) -> None:
    term, subject = value.term, value.subject
    other = others[0] if others else None
    if value.what == "dtype" or value.what.startswith("dtype."):
        form = "equals" if operation == "Eq" else "not-equals"
        if value.what != "dtype":
            form = value.what.partition(".")[2]
        elif isinstance(other, Const) and isinstance(other.value, str):
            form = "name"
        if form in ("equals", "not-equals", "name", "kind") and not isinstance(other, Metadata):
            note(
                flow,
                term,
                "key",
                lambda c, k: facts.DtypeLogic(
                    node=node, confidence=c, key=spelled(subject), kind=k, form=form, subject=subject
                ),
                metadata=True,
            )
    elif value.what == "shape" and isinstance(other, Sequence):
        if other.items and other.items[-1] in (Const(2), Const(4)):
            _shape_fact(flow, term, "key", "shape-equals", node, subject)
    elif value.what in ("ndim", "shape-item") and isinstance(other, Const):
        _shape_fact(flow, term, "key", value.what, node, subject)
    elif value.what in ("len", "first-length", "size") and isinstance(other, Const):
        _shape_fact(flow, term, "single", "shape-item" if value.what == "first-length" else value.what, node, subject)


# bindings


def bound(flow: Interpreter, instruction: ir.Store, value: Value) -> None:
    """Look at the binding of a name: a child that nothing reads, remembered for OLY106 and for reuse messages."""
    name = instruction.name
    if type(value) is not int or name.startswith("_") or "$" in name or name in flow.code.reads:
        return
    operation = flow.terms.operation(value)
    derived = operation == "fold_in" or (
        operation in ("item", "slice") and flow.terms.operation(flow.terms.root_array(value)) == "split"
    )
    if not derived or flow.code.kind == "module" or "." in name or name in flow.code.outer_names:
        return
    flow.unused[name] = value
    flow.analysis.add(
        facts.UnusedKey(node=instruction.node, confidence=Confidence.CERTAIN, key=name, kind=flow.knowledge.kind(value))
    )


def default(flow: Interpreter, code: ir.FunctionCode, name: str, value: Value, node: ast.expr) -> None:
    """Look at a default argument: a key made there is made once. One that the body never reads makes no difference."""
    if type(value) is not int or flow.terms.operation(value) != "seed":
        return
    code.lower()
    if name not in code.reads:
        return
    _constant_key(flow, value, node, "default-argument", f"{code.name}({name})")


def class_fields(flow: Interpreter, instruction: ir.MakeClass) -> None:
    """Look at the fields of a class body."""
    class_ = instruction.code
    for statement in class_.node.body:
        target: ast.expr | None = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        if isinstance(target, ast.Name) and isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            value = flow.env.get(f"{class_.name}.{target.id}")
            _constant_key(flow, value, statement.value, "class-field", f"{class_.name}.{target.id}")


def _constant_key(flow: Interpreter, value: object, node: ast.expr, where: str, owner: str) -> None:
    if type(value) is not int or flow.terms.operation(value) != "seed":
        return
    if flow.terms.operation(flow.terms.args(value)[0]) != "const":
        return
    flow.analysis.add(
        facts.ConstantKey(
            node=node,
            confidence=Confidence.CERTAIN,
            kind=flow.knowledge.kind(value),
            where=where,
            owner=owner,
        )
    )
