"""OLY103: map over the axis of keys, not over the words of a buffer."""

from __future__ import annotations

import ast

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing import key_layout as layout
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import expression, replace
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Edit, Fix, Span
from olympus_rules.keyflow.facts import KeyTransposition
from olympus_rules.libraries.names import KEY_DATA, MOVEAXIS
from olympus_rules.syntax import Document

MOVING = frozenset({"T", "moveaxis", "mT", "swapaxes", "transpose"})


class KeyTranspositionCodemod(Codemod):
    """``in_axes=1`` and ``out_axes=-1``; transposes stay: their batch order is unknown."""

    code = "OLY103"

    def fix(self, fact: KeyTransposition, document: Document) -> Fix | None:
        """Return the axis that holds the keys."""
        match fact.how, fact.axis:
            case "in_axes", ast.Constant(value=1) as axis:
                right = "0"
            case "out_axes", ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)) as axis:
                right = "1"
            case _:
                return None
        edit = replace(document, axis, cst.Integer(right))
        return fix_of(Applicability.UNSAFE, f"Use `{fact.how}={right}`, the axis of the keys", edit)

    def migrate(self, fact: KeyTransposition, document: Document, target: Target) -> Fix | None:
        """Move the words explicitly: ``keys.T`` becomes ``key_data(keys).T``, which is wrong in the same way."""
        names = Names(document, fact.node)
        if fact.how == "out_axes":
            return behind_the_words(fact, document, names)
        if any(map(is_moved, fact.subjects)):
            return None  # what is moved below may be words already
        edits = [layout.words(document, subject, names) for subject in fact.subjects]
        return fix_of(Applicability.SAFE, "Move the words of the keys by name", *edits, *names.edits())


def is_moved(keys: ast.expr) -> bool:
    """Return whether an expression moves the axes of an array itself."""
    names = (node.attr for node in ast.walk(keys) if isinstance(node, ast.Attribute))
    return not MOVING.isdisjoint(names)


def behind_the_words(fact: KeyTransposition, document: Document, names: Names) -> Fix | None:
    """``vmap(f, out_axes=-1)(keys)`` becomes ``moveaxis(key_data(vmap(f, out_axes=0)(keys)), 0, -1)``."""
    match fact.node, fact.axis:
        case ast.Call(func=ast.Call() as mapping), ast.UnaryOp() as axis:
            inline = any(keyword.value is axis for keyword in mapping.keywords) or axis in mapping.args
        case _:
            return None
    result, fragment = expression(document, fact.node), document.fragment(fact.node)
    key_data, moveaxis = names.spell(KEY_DATA), names.spell(MOVEAXIS)
    if not inline or result is None or fragment is None or key_data is None or moveaxis is None:
        return None
    span = fragment.span(result)
    edits = [
        Edit(Span(span.start, span.start), f"{moveaxis}({key_data}("),
        layout.swap(document, axis, "0"),
        Edit(Span(span.end, span.end), "), 0, -1)"),
    ]
    return fix_of(Applicability.SAFE, "Move the words of the keys by name", *edits, *names.edits())
