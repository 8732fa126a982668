"""OLY204: ``jax.Array`` as the type of a key, and the names that replaced removed helpers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.key_dtype_logic import is_typed_key
from olympus_codemods.leftovers import drop_import, leftover_import
from olympus_codemods.names import Names
from olympus_codemods.rewriting import call, expression, replace
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import Fact, Reference

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["KeyAnnotation"]

IMPLEMENTATIONS = {
    "rbg_key": "rbg",
    "unsafe_rbg_key": "unsafe_rbg",
    "threefry2x32_key": "threefry2x32",
    "threefry_prng_key": "threefry2x32",
}


class KeyAnnotation(Codemod):
    """Types, ``isinstance`` tests and removed helpers."""

    code = "OLY204"

    def fix(self, fact: Fact, document: Document) -> Fix | None:
        """Return the rewrite for the way the name is used."""
        assert isinstance(fact, Reference)
        helper = fact.qualified.rpartition(".")[2]
        match fact.context, fact.node:
            case "import", _:
                return drop_import(fact, document)
            case "annotation" | "value", ast.Name() | ast.Attribute() as node if helper != "unsafe_raw_array":
                return annotate(node, document)
            case "string-annotation", ast.Constant(value=str(name)) as node if name.rpartition(".")[2] == helper:
                return annotate_in_string(node, document)
            case "isinstance", node:
                return ask_dtype(node, document)
            case "call", node if helper in IMPLEMENTATIONS:
                return name_implementation(node, IMPLEMENTATIONS[helper], document)
            case _, node if helper == "unsafe_raw_array":
                return read_key_data(node, document)
        return None


def annotate(node: ast.Name | ast.Attribute, document: Document) -> Fix | None:
    """Write ``jax.Array``, never ``jax.random.key``, which is a function."""
    names = Names(document, node)
    array = names.spell("jax.Array", near=node)
    if array is None:
        return None
    edit = replace(document, node, cst.parse_expression(array))
    return fix_of(Applicability.SAFE, f"Annotate with `{array}`", edit, *leftover_import(document, node, names))


def annotate_in_string(node: ast.Constant, document: Document) -> Fix | None:
    """Write ``jax.Array`` between the quotes of an annotation that is a string."""
    string = expression(document, node)
    name = str(node.value)
    names = Names(document, node)
    array = names.spell("jax.Array", near=ast.parse(name, mode="eval").body)
    if not isinstance(string, cst.SimpleString) or array is None:
        return None
    quoted = string.with_changes(value=string.value.replace(name, array), lpar=[], rpar=[])
    return fix_of(Applicability.SAFE, f"Annotate with `{array}`", replace(document, node, quoted), *names.edits())


def ask_dtype(node: ast.AST, document: Document) -> Fix | None:
    """``isinstance(k, PRNGKeyArray)`` becomes a test of ``k.dtype``."""
    while not isinstance(node, ast.Call):
        if isinstance(node, ast.stmt | ast.Tuple | ast.BinOp):
            return None
        node = document.parents[node]
    if len(node.args) != 2 or not isinstance(node.args[1], ast.Name | ast.Attribute):
        return None
    names = Names(document, node)
    test = is_typed_key(document, node.args[0], names)
    edits = leftover_import(document, node.args[1], names)
    edit = replace(document, node, test) if test else None
    return fix_of(Applicability.SAFE, "Test for the dtype of typed keys", edit, *edits)


def whole_call(node: ast.AST, document: Document) -> ast.Call | None:
    """Return the call of a name, given the call or the name."""
    around = node if isinstance(node, ast.Call) else document.parents[node]
    return around if isinstance(around, ast.Call) and node in (around, around.func) else None


def name_implementation(node: ast.AST, implementation: str, document: Document) -> Fix | None:
    """``random.rbg_key(s)`` becomes ``random.key(s, impl="rbg")``."""
    called = whole_call(node, document)
    old = expression(document, called)
    if called is None or not isinstance(old, cst.Call):
        return None
    names = Names(document, called)
    key = names.spell("jax.random.key", near=called.func)
    if key is None or len(called.args) != 1 or called.keywords:
        return None
    new = call(key, old.args[0].value, impl=cst.SimpleString(f'"{implementation}"'))
    edits: list[Edit | None] = [
        replace(document, called, new),
        *leftover_import(document, called.func, names),
    ]
    return fix_of(Applicability.SAFE, f'Use `key(…, impl="{implementation}")`', *edits)


def read_key_data(node: ast.AST, document: Document) -> Fix | None:
    """``key.unsafe_raw_array()`` becomes ``jax.random.key_data(key)``."""
    called = whole_call(node, document)
    if called is None or not isinstance(called.func, ast.Attribute):
        return None
    names = Names(document, called)
    key, key_data = expression(document, called.func.value), names.spell("jax.random.key_data")
    if key is None or key_data is None:
        return None
    edit = replace(document, called, call(key_data, key))
    return fix_of(Applicability.SAFE, "Read the buffer with `key_data`", edit, *names.edits())
