"""Detects reads of the words of a key's buffer: indexing, unpacking, iteration."""

from __future__ import annotations

import ast

from olympus_rules.code import instructions as ir
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import as_term
from olympus_rules.keyflow.domain.file import Pending
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.paths import PathCondition, both
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Const, Metadata, Sequence, SliceOf, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes import layout
from olympus_rules.keyflow.notes.generators import splits_as_it_folds
from olympus_rules.keyflow.notes.pending import (
    is_stored,
    is_used_as_key,
    keep,
    note,
    passes,
    passes_by,
    passes_value,
    spelled,
)


def item(flow: State, value: Value, index: Value, node: ast.Subscript) -> Value | None:
    """Check ``value[index]``, and return a value for a subscript of metadata."""
    if isinstance(value, Metadata) and value.what == "shape":
        return layout.shape_item(flow, value, index, node)
    if isinstance(value, Choice):
        for path, part in value.arms:
            joined = both(flow.path, path)
            if isinstance(part, Term) and joined is not None:
                _index(flow, part, index, node, joined)
            elif isinstance(part, Metadata) and part.what == "shape" and joined is not None:
                layout.shape_item(flow, part, index, node)
            elif joined is not None:
                passes_value(flow, part, node.value)
        return None
    if isinstance(value, Term):
        _index(flow, value, index, node, flow.path)
        _split_then_index(flow, value, index, node)
    else:
        passes_value(flow, value, node.value)
    return None


def _index(flow: State, term: Term, index: Value, node: ast.Subscript, path: PathCondition) -> None:
    if is_stored(flow, term):
        passes_by(flow, term, node.value)
        return
    if isinstance(index, Const) and (isinstance(index.value, str) or index.value is None):
        return
    if isinstance(index, Sequence) and index.kind == "tuple":
        layout.index_with_words(flow, term, index, node)
    axes_used = _axes_used(index)
    origin = flow.knowledge.origins.get(term)
    if isinstance(index, SliceOf) and origin is not None and origin.rank == 0:
        axes_used = 1  # some of the words
    if axes_used == 0:
        return

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        if is_used_as_key(flow, flow.terms.item(term, as_term(flow, index))):
            return None  # a key of an array, and no word
        use, consumer = _use_of_word(flow, node)
        rank = flow.knowledge.rank(term)
        return facts.KeyIndexing(
            node=node,
            confidence=confidence,
            key=spelled(node.value),
            kind=kind,
            use=use,
            consumer=consumer,
            batch=(rank or 0) > 0,
            rank=rank,
        )

    need = Need.SINGLE if axes_used == 1 else Need.FEWER_AXES
    if need == Need.SINGLE and term in flow.knowledge.generators and isinstance(index, Const):
        need = Need.SINGLE if _use_of_word(flow, node)[0] == "unknown" else Need.WORD
    elif need == Need.SINGLE and term in flow.knowledge.named and _use_of_word(flow, node)[0] == "seed":
        need = Need.SEED
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items[:1] == (Const(...),):
        need = Need.UNTYPED
    keep(flow, Pending(term, need, path, build, axes=axes_used, at=node.value))


def _axes_used(index: Value) -> int:
    """Return the number of axes that an index removes or cuts; a full slice or ``...`` before the last one counts."""
    if isinstance(index, Sequence) and index.kind != "tuple":
        return 1  # `keys[jnp.array([0, 2])]` is one index
    if isinstance(index, Sequence):
        if index.items[:1] == (Const(...),):
            return 1
        parts = [part for part in index.items if part != Const(None)]
        if parts[-1:] == [Const(...)]:
            parts.pop()
        is_whole = parts[-1:] == [SliceOf(None, None, None)]  # of all words, which another detector sees
        return 0 if is_whole or (len(parts) == 1 and isinstance(parts[0], SliceOf)) else len(parts)
    if isinstance(index, SliceOf) or index == Const(...):
        return 0
    return 1


def _use_of_word(flow: State, node: ast.AST) -> tuple[str, ast.Call | None]:
    """Return the use of the word that an expression reads, judged by the surrounding syntax."""
    parents = flow.file.document.parents
    current, parent = node, parents.get(node)
    while isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in ("int", "str"):
        current, parent = parent, parents.get(parent)
    if isinstance(parent, ast.keyword):
        parent = parents.get(parent)
    if isinstance(parent, ast.Call) and current is not parent.func:
        called = ast.unparse(parent.func)
        name = flow.file.module.imported.get(called, called).rpartition(".")[2]
        if name in ("PRNGKey", "key"):
            return "seed", parent
        if "seed" in name.lower() or name in ("default_rng", "RandomState", "Random", "Generator"):
            return "foreign-seed", parent
        return "value" if current is not node else "unknown", None
    if isinstance(parent, ast.FormattedValue | ast.Compare):
        return "value", None
    return ("value" if current is not node else "unknown"), None


def _split_then_index(flow: State, term: Term, index: Value, node: ast.Subscript) -> None:
    """Detect ``split(key, i + 1)[i]``, a long form of ``fold_in(key, i)``."""
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
    if not splits_as_it_folds(flow.file, term):
        return
    flow.file.add(
        facts.DerivationCollision(
            node=node,
            confidence=Confidence.CERTAIN,
            key=spelled(node.value.args[0]) if node.value.args else "",
            how="split-then-index",
            index=node.slice,
        )
    )


def unpacked(flow: State, value: Value, instruction: ir.Unpack) -> None:
    """Check the unpacking of a value: a key's words are no keys."""
    if isinstance(value, Metadata):
        layout.shape_unpacked(flow, value, instruction)
    if isinstance(value, Term) and not is_stored(flow, value) and isinstance(instruction.node, ast.Tuple | ast.List):
        node = instruction.node

        def build(confidence: Confidence, kind: KeyKind) -> Fact:
            source = getattr(flow.file.document.parents.get(node), "value", None)
            key = spelled(source) if isinstance(source, ast.Name | ast.Attribute) else ""
            return facts.KeyIndexing(node=node, confidence=confidence, key=key, kind=kind, use="unpack")

        note(flow, value, Need.SINGLE, build, at=node)
    else:
        passes(flow, value, instruction.node)


def iterated(flow: State, value: Value, node: ast.expr | None) -> None:
    """Check the iterable of a loop or behind a star: the elements of a single key are its words."""
    if isinstance(value, Term) and node is not None and not is_stored(flow, value):
        note(
            flow,
            value,
            Need.SINGLE,
            lambda confidence, kind: facts.KeyIndexing(
                node=node, confidence=confidence, key=spelled(node), kind=kind, use="unpack"
            ),
            at=node,
        )
    else:
        passes(flow, value, node)
