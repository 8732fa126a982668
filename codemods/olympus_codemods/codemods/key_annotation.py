"""OLY204: ``jax.Array`` as the type of a key, and the names that replaced removed helpers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.codemods.key_dtype_logic import is_typed_key
from olympus_codemods.editing.leftovers import drop_import, leftover_import
from olympus_codemods.editing.names import Names, dotted, names_for_checkers
from olympus_codemods.editing.rewriting import call, comments, expression, parsed, replace
from olympus_codemods.target import Target
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import Reference
from olympus_rules.libraries.names import ARRAY, ARRAY_TYPES, JAXTYPING_KEY, JAXTYPING_KEY_ARRAY, KEY, KEY_DATA
from olympus_rules.syntax import Document

IMPLEMENTATIONS = {
    "rbg_key": "rbg",
    "unsafe_rbg_key": "unsafe_rbg",
    "threefry2x32_key": "threefry2x32",
    "threefry_prng_key": "threefry2x32",
}


class KeyAnnotation(Codemod):
    """Types, ``isinstance`` tests and removed helpers."""

    code = "OLY204"

    def fix(self, fact: Reference, document: Document) -> Fix | None:
        """Return the rewrite for the use of the name."""
        helper = fact.qualified.rpartition(".")[2]
        match fact.context, fact.node:
            case "import", _:
                return drop_import(fact, document)
            case "annotation" | "value", ast.Name() | ast.Attribute() as node if helper != "unsafe_raw_array":
                return annotate(node, document)
            case "alias", ast.Name() | ast.Attribute() as node:
                return annotate(node, document, Applicability.UNSAFE)
            case "string-annotation", ast.Constant() as node:
                return annotate_in_string(node, helper, document)
            case "words", ast.Subscript() as node:
                return describe_key(node, document, typed=False)
            case "isinstance", ast.Name() | ast.Attribute() as node:
                return drop_class(node, document) or ask_dtype(node, document)
            case "call", node if helper in IMPLEMENTATIONS:
                return name_implementation(node, IMPLEMENTATIONS[helper], document)
            case _, node if helper == "unsafe_raw_array":
                return read_key_data(node, document)
        return None

    def fix_together(self, facts: Sequence[Reference], document: Document) -> Fix | None:
        """Return the rewrites of all annotations of one row, if they are of one kind and do not overlap."""
        fixes = [fix for fact in facts if (fix := self.fix(fact, document)) is not None]
        kinds = {fix.applicability for fix in fixes}
        edits = sorted({edit for fix in fixes for edit in fix.edits}, key=lambda edit: edit.span)
        overlap = any(one.span.end > other.span.start for one, other in pairwise(edits))
        if len(fixes) < len(facts) or len(kinds) > 1 or overlap:
            return None
        return fix_of(fixes[0].applicability, fixes[0].message, *edits)

    def migrate(self, fact: Reference, document: Document, target: Target) -> Fix | None:
        """Return the rewrite, if the oldest release of JAX has the names that it needs."""
        if fact.context == "words" and isinstance(fact.node, ast.Subscript):
            return describe_key(fact.node, document, typed=target.style == "typed")
        helper = fact.qualified.rpartition(".")[2]
        needed = {"isinstance": "prng_key", "call": "typed-keys"}.get(fact.context, "array")
        if not target.has("key_data" if helper == "unsafe_raw_array" else needed):
            return None
        return super().migrate(fact, document, target)


def describe_key(node: ast.Subscript, document: Document, *, typed: bool) -> Fix | None:
    """``UInt32[Array, "2"]`` becomes ``PRNGKeyArray``, which is a key of either kind, or ``Key[Array, ""]``."""
    subscript = expression(document, node)
    if not isinstance(node.slice, ast.Tuple) or not isinstance(subscript, cst.Subscript):
        return None
    array, shape = node.slice.elts
    array_, string = expression(document, array), expression(document, shape)
    if array_ is None or not isinstance(string, cst.SimpleString) or not isinstance(shape, ast.Constant):
        return None
    names = Names(document, node)
    batch = " ".join(str(shape.value).split()[:-1])
    if not batch and not typed:
        new = parsed(names.spell(JAXTYPING_KEY_ARRAY, near=node.value))
    else:
        spelled = names.spell(JAXTYPING_KEY, near=node.value)
        text = f"{spelled}[{document.segment(array)}, {string.quote}{batch}{string.quote}]"
        if batch and not typed:
            text += f" | {document.segment(node)}"
        new = cst.parse_expression(text) if spelled and string.raw_value == shape.value else None
    if new is None:
        return None
    edits = (
        leftover_import(document, node.value, names) if "|" not in cst.Module([]).code_for_node(new) else names.edits()
    )
    return fix_of(Applicability.SAFE, "Describe the key and not its words", replace(document, node, new), *edits)


def annotate(
    node: ast.Name | ast.Attribute, document: Document, applicability: Applicability = Applicability.SAFE
) -> Fix | None:
    """Write ``jax.Array``, never ``jax.random.key``, which is a function."""
    names = Names(document, node, for_checkers=only_for_checkers(document, node))
    array = names.spell(ARRAY, near=node)
    edit = replace(document, node, parsed(array))
    return fix_of(applicability, f"Annotate with `{array}`", edit, *leftover_import(document, node, names))


def only_for_checkers(document: Document, node: ast.expr) -> bool:
    """Return whether a name is imported for type checkers alone, so that the annotation is never evaluated."""
    head = dotted(node).partition(".")[0]
    return head in names_for_checkers(document) and head not in Names(document, node).visible


def annotate_in_string(node: ast.Constant, helper: str, document: Document) -> Fix | None:
    """Write ``jax.Array`` for each mention of a name in an annotation that is a string, or a part of one."""
    string = expression(document, node)
    text = str(node.value)
    names = Names(document, node, for_checkers=True)
    mentions = [
        part
        for part in ast.walk(ast.parse(text, mode="eval"))
        if isinstance(part, ast.Name | ast.Attribute) and names.resolve(part).rpartition(".")[2] == helper
    ]
    quoted = isinstance(string, cst.SimpleString) and not string.prefix and string.raw_value == text
    if not quoted or not mentions or not text.isascii() or "\n" in text:
        return None
    new = text
    for part in sorted(mentions, key=lambda part: -part.col_offset):
        array = names.spell(ARRAY, near=part)
        if array is None:
            return None
        new = new[: part.col_offset] + array + new[part.end_col_offset :]
    assert isinstance(string, cst.SimpleString)
    changed = string.with_changes(value=string.quote + new + string.quote, lpar=[], rpar=[])
    return fix_of(Applicability.SAFE, f"Annotate with `{new}`", replace(document, node, changed), *names.edits())


def drop_class(node: ast.Name | ast.Attribute, document: Document) -> Fix | None:
    """``isinstance(k, (jax.Array, PRNGKeyArray))`` loses the second class: keys of either kind are arrays."""
    classes = document.parents[node]
    names = Names(document, node)
    others = [part for part in getattr(classes, "elts", ()) if part is not node]
    if not isinstance(classes, ast.Tuple) or not any(names.resolve(part) in ARRAY_TYPES for part in others):
        return None
    tuple_ = expression(document, classes)
    if not isinstance(tuple_, cst.Tuple):
        return None
    left = [part for part, old in zip(tuple_.elements, classes.elts, strict=True) if old is not node]
    new: cst.BaseExpression = left[0].value
    if len(left) > 1:
        new = tuple_.with_changes(elements=[*left[:-1], left[-1].with_changes(comma=tuple_.elements[-1].comma)])
    edit = replace_whole(document, classes, new)
    return fix_of(Applicability.SAFE, "Keys are arrays", edit, *leftover_import(document, node, names))


def replace_whole(document: Document, node: ast.Tuple, new: cst.BaseExpression) -> Edit | None:
    """Return the edit that puts an expression in the place of a tuple and its parentheses."""
    fragment, old = document.fragment(node), expression(document, node)
    if fragment is None or old is None or len(comments(old)) > len(comments(new)):
        return None
    return Edit(document.span(node), fragment.code(new))


def ask_dtype(node: ast.AST, document: Document) -> Fix | None:
    """``isinstance(k, PRNGKeyArray)`` becomes a test of ``k.dtype``, which values other than arrays lack."""
    called = document.parents[node]
    match called:
        case ast.Call(args=[ast.Name() | ast.Attribute() as subject, classes]) if classes is node:
            pass
        case _:
            return None
    names = Names(document, node)
    test = is_typed_key(document, subject, names)
    is_array = call("isinstance", expression(document, subject), parsed(names.spell(ARRAY)))
    if test is None or is_array is None:
        return None
    both = cst.BooleanOperation(is_array, cst.And(), test)
    if isinstance(document.parents.get(called), ast.BoolOp | ast.Compare | ast.UnaryOp | ast.BinOp | ast.IfExp):
        both = both.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    edits = leftover_import(document, classes, names)
    return fix_of(Applicability.SAFE, "Test for the dtype of typed keys", replace(document, called, both), *edits)


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
    if len(called.args) != 1 or called.keywords:
        return None
    key = names.spell(KEY, near=called.func)
    edit = replace(document, called, call(key, old.args[0].value, impl=cst.SimpleString(f'"{implementation}"')))
    imports = leftover_import(document, called.func, names)
    return fix_of(Applicability.SAFE, f'Use `key(…, impl="{implementation}")`', edit, *imports)


def read_key_data(node: ast.AST, document: Document) -> Fix | None:
    """``key.unsafe_raw_array()`` becomes ``jax.random.key_data(key)``."""
    called = whole_call(node, document)
    if called is None or not isinstance(called.func, ast.Attribute):
        return None
    names = Names(document, called)
    edit = replace(document, called, call(names.spell(KEY_DATA), expression(document, called.func.value)))
    return fix_of(Applicability.SAFE, "Read the buffer with `key_data`", edit, *names.edits())
