"""Portable forms of code that counts the words of raw keys: they hold for typed keys as well.

Raw and typed keys differ in the shape of one key: `(2,)` for raw keys of threefry, `()` for typed keys. It is written
`key.shape`, or `keys.shape[1:]` for an array of keys with one batch axis.
"""

from __future__ import annotations

import ast

from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import call, comments, expression, replace
from olympus_codemods.editing.scopes import properties
from olympus_rules.finding import Edit, Span
from olympus_rules.keyflow.facts import ShapeLogic
from olympus_rules.libraries.names import KEY_DATA, SPLIT, STACK
from olympus_rules.syntax import Document

REARRANGING = ("reshape", "transpose", "swapaxes")


def is_plain(document: Document, node: ast.expr) -> bool:
    """Return whether an expression may be written twice: a variable, an attribute of one, an item by a constant.

    A property may give another value each time.
    """
    computed = properties(document.tree)
    while isinstance(node, ast.Attribute | ast.Subscript):
        if "*" in computed or (isinstance(node, ast.Attribute) and node.attr in computed):
            return False
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant | ast.Name):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def key_shape(fact: ShapeLogic, document: Document, names: Names) -> str | None:
    """Return the spelling of the shape of one key of an array, ``None`` if no variable is known to have it."""
    node: ast.expr = fact.subject
    if is_plain(document, node):
        key = document.segment(node)
        if fact.rank is None:
            return None
        return f"{key}.shape[{fact.rank}:]" if fact.rank else f"{key}.shape"
    first = _first_of_stack(node, document, names)
    if first is not None and fact.rank:
        return f"{first}.shape[{fact.rank - 1}:]" if fact.rank > 1 else f"{first}.shape"
    parent = _split_key(node, names)
    return f"{document.segment(parent)}.shape" if parent is not None and is_plain(document, parent) else None


def _first_of_stack(node: ast.expr, document: Document, names: Names) -> str | None:
    """Return the first of the elements of ``stack([a, b])`` and ``stack(elements)``."""
    match node:
        case ast.Call(func=function, args=[stacked]) if names.resolve(function) == STACK:
            if isinstance(stacked, ast.List | ast.Tuple) and stacked.elts and is_plain(document, stacked.elts[0]):
                return document.segment(stacked.elts[0])
            return f"{document.segment(stacked)}[0]" if is_plain(document, stacked) else None
    return None


def _split_key(node: ast.expr, names: Names) -> ast.expr | None:
    """Return the split key in ``split(key, n)``, ``split(key, n)[1:]`` and ``split(key, n).reshape(…)``."""
    while True:
        match node:
            case ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in REARRANGING:
                node = inner
            case ast.Call(func=function, args=[key, *_]) if names.resolve(function) == SPLIT:
                return key
            case _:
                return None


def words(document: Document, node: ast.expr, names: Names) -> Edit | None:
    """Return the edit that puts ``key_data(node)`` in the place of a key, spelled like what makes the key.

    An example in a docstring may be run without the other names of its module.
    """
    key_data = names.spell(KEY_DATA, near=None if isinstance(node, ast.Name) else node)
    return replace(document, node, call(key_data, expression(document, node)))


def swap(document: Document, node: ast.expr, text: str) -> Edit | None:
    """Return the edit that puts text in the place of an expression, whatever syntax the text has."""
    old, fragment = expression(document, node), document.fragment(node)
    if old is None or fragment is None or old.lpar or comments(old):
        return None
    return Edit(fragment.span(old), text)


def without_last(document: Document, elements: list[ast.expr]) -> Edit | None:
    """Return the edit that leaves out the last of several arguments, with the comma before it."""
    last, fragment = expression(document, elements[-1]), document.fragment(elements[-1])
    if last is None or fragment is None or last.lpar:
        return None
    if len(elements) == 1:
        return Edit(fragment.span(last), "")
    before = expression(document, elements[-2])
    if before is None or before.rpar:
        return None
    span = Span(fragment.span(before).end, fragment.span(last).end)
    return None if "#" in document.slice(span) else Edit(span, "")
