"""What the code around a fix has settled: which key goes on, what a key is named for, and which child is at hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from olympus_codemods.editing.names import dotted
from olympus_codemods.editing.spares import words_of
from olympus_codemods.editing.splits import is_read, last_binding, unpacked
from olympus_rules.finding import Fix
from olympus_rules.keyflow.facts import Place, Reuse
from olympus_rules.rules.key_reuse import is_split
from olympus_rules.syntax import Document

PLAIN = ("key", "rng")
"""The names of keys that go on where a split binds one."""
STEM = 3
"""Letters that two forms of a word begin with: ``perm`` and ``permutation``."""


def renews(document: Document, place: Place) -> bool:
    """Return whether a place is ``key, child = split(key)``, whose key goes on: it is to come from no other one.

    In ``key, child = split(child)`` the name of the parent is a slip.
    """
    split = unpacked(document, document.statement(place.node))
    if split is None or split.call is not place.node or split.parent not in split.bound:
        return False
    return split.parent == split.bound[0] or split.bound[0] not in PLAIN


def is_named_for(document: Document, place: Place) -> bool:
    """Return whether the name of a key says what a place makes of it, by its result, its function or a keyword."""
    key, statement = dotted(place.key), document.statement(place.node)
    text = document.segment(statement if isinstance(statement, ast.Assign | ast.Return | ast.Expr) else place.node)
    said = words_of(re.sub(rf"\b{re.escape(key)}\b(?!\s*=[^=])", "", text))
    return any(
        one == two or (min(len(one), len(two)) >= STEM and (one.startswith(two) or two.startswith(one)))
        for one in words_of(key)
        for two in said
    )


def prefers_again(document: Document, reuse: Reuse) -> bool:
    """Return whether a key is named for the second one of two uses alone, which is to keep it."""
    is_one = bool(dotted(reuse.first.key)) and dotted(reuse.first.key) == dotted(reuse.again.key)
    return is_one and is_named_for(document, reuse.again) and not is_named_for(document, reuse.first)


def misnames(fix: Fix, reuse: Reuse, document: Document) -> bool:
    """Return whether a fix leaves a key with the use that it is not named for, and takes it from the other one."""
    first, again = reuse.first, reuse.again
    key = dotted(first.key)
    if not key or key != dotted(again.key) or first.node is again.node or not words_of(key):
        return False
    is_new = [written_at(fix, place, document) not in ("", key) for place in (first, again)]
    if is_new[0] is is_new[1]:
        return False
    changed, kept = (first, again) if is_new[0] else (again, first)
    return is_named_for(document, changed) and not is_named_for(document, kept)


def written_at(fix: Fix, place: Place, document: Document) -> str:
    """Return what a fix writes for the key of a place; empty if it leaves that, or writes it with a longer size."""
    if place.key is None:
        return ""
    span, same = document.span(place.key), re.compile(rf"{re.escape(document.segment(place.key))}(?![\w.\[])")
    around = (edit.content for edit in fix.edits if edit.span.start <= span.start and span.end <= edit.span.end)
    return next((content for content in around if not same.match(content)), "")


def turns_over(fix: Fix, places: Sequence[Place], document: Document) -> bool:
    """Return whether a fix makes the key that goes on from another one: ``key, child = split(other)``."""
    return any(
        written_at(fix, place, document).strip() not in ("", dotted(place.key)) and renews(document, place)
        for place in places
        if is_split(place)
    )


def splits_twice(fix: Fix, places: Sequence[Place], document: Document) -> bool:
    """Return whether a fix splits a key just below a split of it, or below one that throws away a child."""
    for place in places:
        key = dotted(place.key)
        made = last_binding(document, place.node, key) if key else None
        adds = re.compile(rf"split\(\s*{re.escape(key)}\b")
        rows = [
            edit.span.start.row
            for edit in fix.edits
            if made is not None and edit.span.start == edit.span.end and adds.search(edit.content)
        ]
        if rows and (wastes(document, made, key) or continues(document, made, key, rows)):
            return True
    return False


def continues(document: Document, made: ast.stmt | None, key: str, rows: Sequence[int]) -> bool:
    """Return whether a statement splits a key and goes on with it, in the row above one of several."""
    split = unpacked(document, made)
    if made is None or split is None or split.parent != key or key not in split.bound:
        return False
    return document.span(made).end.row + 1 in rows


def wastes(document: Document, made: ast.stmt | None, key: str) -> bool:
    """Return whether a statement splits a key, goes on with one child of it, and drops the other one."""
    split = unpacked(document, made)
    if split is not None:
        left = [name for name in split.bound if name.startswith("_") and not is_read(split.scope, name)]
        return split.parent == key and key in split.bound and bool(left)
    match made:
        case ast.Assign(targets=[target], value=ast.Subscript(value=ast.Call(func=function, args=[parent, *_]))):
            return dotted(function).endswith("split") and dotted(target) == dotted(parent) == key
    return False
