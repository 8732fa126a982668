"""Whether a fix puts right all that a finding tells: no two of the uses that it leaves share a key."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import combinations, takewhile

from olympus_codemods.editing.names import dotted
from olympus_codemods.editing.scopes import COMPREHENSIONS, LOOPS, may_follow, own_nodes, scope_of
from olympus_codemods.editing.splits import assigned, last_binding, unpacked
from olympus_codemods.editing.splitting import CARRIES, reads_in
from olympus_rules.finding import Fix
from olympus_rules.keyflow.facts import Place, Reuse
from olympus_rules.syntax import Document

ASKING = frozenset(["isinstance", "len", "print", "repr", "str", "type"])
"""Functions that do not take a key to draw from it."""
MANY = 40
"""Where a key is read more often, its arms are not looked at, and there is no fix."""


def is_whole(fix: Fix, reuses: Sequence[Reuse], document: Document) -> bool:
    """Return whether each pair of uses of one key gets two keys by a fix, and no two uses keep the old one."""
    pairs: list[tuple[Reuse, list[Place]]] = []
    in_method = any(reuse.repeated_by == "call" and is_changed(fix, reuse.again, document) for reuse in reuses)
    for reuse in reuses:
        if reuse.listed is not None or (in_method and reuse.first.key is None is reuse.again.key):
            continue
        kept = [place for place in (reuse.first, reuse.again) if not is_changed(fix, place, document)]
        if len(kept) == 2:
            return False
        pairs.append((reuse, kept))
    if any(has_twin(fix, reuse, place, document) for reuse, kept in pairs for place in kept):
        return False
    left = {id(place.node): place for _, kept in pairs for place in kept}
    places = sorted(left.values(), key=lambda place: document.span(place.node))
    if any(goes_round(fix, place, document) or is_step(place, document) for place in places):
        return False
    return not any(share(document, one, two) for one, two in combinations(places, 2))


def is_changed(fix: Fix, place: Place, document: Document) -> bool:
    """Return whether a fix writes another key at a place, or lets the split there keep its parent."""
    if place.key is not None:
        span = document.span(place.key)
        if any(edit.span.start <= span.start and span.end <= edit.span.end for edit in fix.edits):
            return True
    return removes(fix, place, document) or keeps_parent(fix, place, document)


def has_twin(fix: Fix, reuse: Reuse, kept: Place, document: Document) -> bool:
    """Return whether another arm than that of the use that gets a new key hands on the old one before the other use.

    An analysis tells one of two arms only, as the first use of the later one.
    """
    other = reuse.first if kept is reuse.again else reuse.again
    name, scope = dotted(other.key), scope_of(document, other.node)
    if not name or other.node is kept.node:
        return False
    reads = reads_in(scope).get(name, ())
    if len(reads) > MANY:
        return True
    made, at = last_binding(document, other.node, name), document.span(other.node).start
    for read in reads:
        call, start = document.parents[read], document.span(read).start
        call = document.parents[call] if isinstance(call, ast.keyword) else call
        if not isinstance(call, ast.Call) or call is kept.node or dotted(call.func) in ASKING:
            continue
        pair = (other.node, call) if at < start else (call, other.node)
        is_before = start < document.span(kept.node).start and may_follow(document, call, kept.node)
        is_changed = any(edit.span.start <= start < edit.span.end for edit in fix.edits)
        is_arm = call is not other.node and is_before and not may_follow(document, *pair)
        if is_arm and not is_changed and last_binding(document, read, name) is made:
            return True
    return False


def goes_round(fix: Fix, place: Place, document: Document) -> bool:
    """Return whether a use that keeps its key stands in a loop or comprehension that never binds the key anew."""
    name, scope = dotted(place.key), scope_of(document, place.node)
    inside = takewhile(lambda each: each is not scope, document.around(place.node))
    around = [each for each in inside if isinstance(each, (*LOOPS, *COMPREHENSIONS))]
    if not name or not around:
        return False
    loop, span = around[0], document.span(around[0])
    if isinstance(loop, COMPREHENSIONS) and any(part is place.node for part in ast.walk(loop.generators[0].iter)):
        return False
    if name in assigned(loop):
        return False
    written = re.compile(rf"\b{re.escape(name)}\b[^=\n]*=")
    return not any(span.start <= edit.span.start < span.end and written.search(edit.content) for edit in fix.edits)


def is_step(place: Place, document: Document) -> bool:
    """Return whether a use stands in a function that a loop of JAX calls, for whose next step it is a finding anew."""
    scope = scope_of(document, place.node)
    if not isinstance(scope, ast.FunctionDef) or scope is scope_of(document, scope) or not dotted(place.key):
        return False
    calls = (node for node in own_nodes(scope_of(document, scope)) if isinstance(node, ast.Call))
    steps = [node for node in calls if dotted(node.func).rpartition(".")[2] in CARRIES]
    is_given = any(dotted(argument) == scope.name for call in steps for argument in call.args)
    return is_given and dotted(place.key) not in assigned(document.statement(place.node))


def removes(fix: Fix, place: Place, document: Document) -> bool:
    """Return whether a fix takes away the statement of a place."""
    span = document.span(document.statement(place.node))
    return any(not edit.content and edit.span.start <= span.start and span.end <= edit.span.end for edit in fix.edits)


def keeps_parent(fix: Fix, place: Place, document: Document) -> bool:
    """Return whether the split at a place binds the name of its parent after a fix, and not before it."""
    split = unpacked(document, document.statement(place.node))
    if split is None or split.call is not place.node or split.parent in split.bound:
        return False
    span, name = document.span(split.left), re.compile(rf"\b{re.escape(split.parent)}\b")
    return any(span.start <= edit.span.start <= span.end and name.search(edit.content) for edit in fix.edits)


def share(document: Document, one: Place, two: Place) -> bool:
    """Return whether two uses of a key, the second one further down, may both get it in one run of their function."""
    first, key = document.statement(one.node), dotted(two.key)
    if not may_follow(document, one.node, two.node):
        return False
    if not key or scope_of(document, one.node) is not scope_of(document, two.node):
        return True
    if key in assigned(first) and first is not document.statement(two.node):
        loops = {each for each in document.around(one.node) if isinstance(each, LOOPS)}
        is_next = key == dotted(one.key) and not loops.isdisjoint(document.around(two.node))
        return is_next and last_binding(document, two.node, key) is first
    made = last_binding(document, two.node, key)
    return made is None or document.span(made).start < document.span(first).start
