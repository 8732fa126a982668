"""Words in the place of keys: ``key_data`` around a key, and ``wrap_key_data`` around a result computed with words."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from olympus_codemods.codemod import fix_of
from olympus_codemods.editing.key_layout import is_plain, words
from olympus_codemods.editing.names import Names
from olympus_codemods.editing.rewriting import call, expression, replace
from olympus_rules.finding import Applicability, Fix
from olympus_rules.libraries.names import KEY_DATA, KEY_IMPL, WRAP_KEY_DATA
from olympus_rules.syntax import Document


def through_key_data(document: Document, at: ast.AST, subjects: Sequence[ast.expr], message: str) -> Fix | None:
    """Return the fix that puts ``key_data`` around each of some keys.

    Args:
        document: the file.
        at: the place where the names have to be visible.
        subjects: the expressions that are keys.
        message: what the fix does.
    """
    names = Names(document, at)
    edits = [words(document, subject, names) for subject in subjects]
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
    data = call(key_data, key)
    if whole is None or key is None or data is None:
        return None
    computed = whole.deep_replace(key, data)
    assert isinstance(computed, cst.BaseExpression)
    edit = replace(document, node, call(wrap, computed, impl=call(impl, key)))
    return fix_of(Applicability.SAFE, message, edit, *names.edits())
