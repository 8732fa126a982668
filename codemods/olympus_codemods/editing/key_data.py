"""Words in the place of keys: ``key_data`` around a key, and ``wrap_key_data`` around a result computed with words."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from olympus_codemods.codemod import fix_of
from olympus_codemods.editing.key_layout import is_plain, spelled_key_data
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import call, expression, replace
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.libraries.names import KEY_DATA, KEY_IMPL, WRAP_KEY_DATA
from olympus_rules.syntax import Document

__all__ = ["through_key_data", "wrapped"]


def through_key_data(document: Document, at: ast.AST, subjects: Sequence[ast.expr], message: str) -> Fix | None:
    """Return the fix that puts ``key_data`` around each of some keys.

    Args:
        document: the file.
        at: the place where the names have to be visible.
        subjects: the expressions that are keys.
        message: what the fix does.
    """
    names = Names(document, at)
    if not subjects:
        return None
    key_data = spelled_key_data(names, subjects[0])
    if key_data is None:
        return None
    edits: list[Edit | None] = []
    for subject in subjects:
        key = expression(document, subject)
        edits.append(None if key is None else replace(document, subject, call(key_data, key)))
    return fix_of(Applicability.SAFE, message, *edits, *names.edits())


def wrapped(document: Document, node: ast.AST, subjects: Sequence[ast.expr], message: str) -> Fix | None:
    """Return the fix that computes with the words of one key and makes a key of the result.

    ``None`` if the key is not a name, as it is written twice.
    """
    if len(subjects) != 1 or not isinstance(node, ast.expr) or not is_plain(document, subjects[0]):
        return None
    names = Names(document, node)
    key_data, wrap, impl = map(names.spell, (KEY_DATA, WRAP_KEY_DATA, KEY_IMPL))
    whole, key = expression(document, node), expression(document, subjects[0])
    if key_data is None or wrap is None or impl is None or whole is None or key is None:
        return None
    words = whole.deep_replace(key, call(key_data, key))
    assert isinstance(words, cst.BaseExpression)
    edit = replace(document, node, call(wrap, words, impl=call(impl, key)))
    return fix_of(Applicability.SAFE, message, edit, *names.edits())
