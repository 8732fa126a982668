"""OLY202: ask the shape of ``key_data``, which is the same for raw and typed keys."""

from __future__ import annotations

import ast
from math import prod
from typing import TYPE_CHECKING

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.key_reuse import split_size
from olympus_codemods.names import Names
from olympus_codemods.rewriting import call, expression, replace
from olympus_rules.finding import Applicability, Fix
from olympus_rules.keyflow.facts import Fact, ShapeLogic

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["KeyShapeLogicCodemod"]

THROUGH_KEY_DATA = ("shape-slice", "shape-equals", "shape-item", "ndim", "len", "size")


class KeyShapeLogicCodemod(Codemod):
    """Shapes and lengths go through ``key_data``; a reshape of a split becomes a split of that shape."""

    code = "OLY202"

    def fix(self, fact: Fact, document: Document) -> Fix | None:
        """Return a form that gives the same result for either kind of key."""
        assert isinstance(fact, ShapeLogic)
        if fact.form == "reshape":
            return split_into_shape(fact, document)
        names = Names(document, fact.node)
        key = expression(document, fact.subject)
        key_data = names.spell("jax.random.key_data")
        if fact.form not in THROUGH_KEY_DATA or key is None or key_data is None:
            return None
        edit = replace(document, fact.subject, call(key_data, key))
        return fix_of(Applicability.SAFE, "Ask the shape of `key_data`", edit, *names.edits())


def split_into_shape(fact: ShapeLogic, document: Document) -> Fix | None:
    """``split(key, 6).reshape(2, 3, 2)`` becomes ``split(key, (2, 3))``."""
    match fact.node:
        case (
            ast.Call(
                func=ast.Attribute(value=ast.Call(func=function, args=[subject, *_]) as split),
                args=[ast.Tuple(elts=sizes)] | sizes,
                keywords=[],
            ) as node
        ):
            shape = [size.value for size in sizes if isinstance(size, ast.Constant)]
        case _:
            return None
    lengths = [length for length in shape[:-1] if isinstance(length, int) and length > 0]
    if len(shape) != len(sizes) or len(lengths) != len(sizes) - 1 or shape[-1:] != [2] or not lengths:
        return None
    names = Names(document, node)
    spelled = names.spell("jax.random.split", near=function)
    key = expression(document, subject)
    if prod(lengths) != split_size(split) or key is None or spelled is None:
        return None
    size = cst.parse_expression(f"({', '.join(map(str, lengths))}{',' * (len(lengths) == 1)})")
    edit = replace(document, node, call(spelled, key, size))
    return fix_of(Applicability.SAFE, "Split into the wanted shape", edit, *names.edits())
