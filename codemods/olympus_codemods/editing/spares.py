"""Keys of splits that nothing reads any more, which a use of another key can take."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from olympus_codemods.editing.key_names import KEY_WORDS
from olympus_codemods.editing.names import comprehension_targets, dotted
from olympus_codemods.editing.scopes import (
    LOOPS,
    Scope,
    block_of,
    bound_names,
    dominates,
    enclosing_scopes,
    may_follow,
    own_nodes,
    scope_of,
)
from olympus_codemods.editing.splits import Unpacked, assigned, is_repeated, last_binding, unpacked
from olympus_rules.keyflow.facts import Place
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import nodes_in

NO_PURPOSE = frozenset(
    """
    another extra key keys new next other prng random rng rngs seed spare split state sub subkey tmp unused use
    """.split()  # noqa: SIM905
)
NEXT = re.compile(r"(next|new|carry|out)_")
"""The names of keys that are to be handed on."""
WORD = re.compile(r"[A-Z]?[a-z]+")
LETTER = re.compile(r"(?<![^\W_])[A-Za-z](?![^\W_])")
"""A letter by itself, as in ``key_b``."""


def spare_keys(document: Document, split: Unpacked, place: Place, *, is_first: bool = False) -> Iterator[str]:
    """Yield the keys that a place can take of a split, and of those between it and the place, the nearest ones first.

    The key that goes on under the name of its parent comes last, and never for a first use: what comes next would take
    a child. A key that is named for something else is left out.
    """
    start = split.statement.lineno
    nodes = (node for node in own_nodes(scope_of(document, place.node)) if isinstance(node, ast.Assign))
    for statement in sorted((node for node in nodes if node.lineno >= start), key=lambda node: -node.lineno):
        if not dominates(document, statement, place.node) or is_repeated(document, statement, place.node):
            continue
        if (found := unpacked(document, statement)) is None:
            continue
        for name in sorted(found.bound, key=lambda name: name == found.parent):
            is_carried = is_first and name == found.parent
            is_meant = suits(document, name, place) or is_made_for(document, found, name, place)
            if not is_carried and is_meant and is_spare(document, statement, name, place):
                yield name


def is_made_for(document: Document, split: Unpacked, name: str, place: Place) -> bool:
    """Return whether a split makes one child just above a place, which takes the key that goes on instead."""
    statement, block = document.statement(place.node), block_of(document, split.statement)
    if set(split.bound) != {split.parent, name} or dotted(place.key) != split.parent or len(split.bound) != 2:
        return False
    return statement in block and block.index(statement) == block.index(split.statement) + 1


def is_spare(document: Document, statement: ast.Assign, name: str, place: Place) -> bool:
    """Return whether nothing reads the key that a statement binds to a name, from a place on that may take it."""
    is_left = name.startswith("_") and name.strip("_") not in KEY_WORDS  # the child of `rng` may be called `_rng`
    if not name.isidentifier() or is_left or last_binding(document, place.node, name) is not statement:
        return False
    reads, taker = live_reads(document, statement, name), document.statement(place.node)
    if isinstance(taker, ast.Assign) and name in assigned(taker):  # what comes after it reads another key
        start, end = document.span(statement).end, document.span(taker).end
        reads = [read for read in reads if start <= document.span(read).start < end]
    return not reads


def live_reads(document: Document, statement: ast.Assign, name: str) -> list[ast.Name]:
    """Return the reads of a variable that may see the value which a statement binds to it."""
    scope, end = scope_of(document, statement), document.span(statement).end
    around = {*document.around(statement)}
    loops = {each for each in around if isinstance(each, LOOPS)}
    found = []
    for node in nodes_in(scope):
        if not isinstance(node, ast.Name) or node.id != name or not is_read_of(document, node, scope):
            continue
        if any(name in targets_of(each) for each in document.around(node) if each not in around):
            continue
        if document.span(node).start < end and loops.isdisjoint(document.around(node)):
            continue
        bound = last_binding(document, node, name) if scope_of(document, node) is scope else None
        is_other = isinstance(bound, ast.Assign | ast.AnnAssign) and bound is not statement
        found += [] if is_other else [node]
    return found


def targets_of(node: ast.AST) -> set[str]:
    """Return the variables that a ``for`` statement binds for its body."""
    return {dotted(part) for part in ast.walk(node.target)} if isinstance(node, ast.For | ast.AsyncFor) else set()


def is_read_of(document: Document, node: ast.Name, scope: Scope) -> bool:
    """Return whether a name is read, and is the variable of a scope and not one of a scope inside it."""
    scopes = enclosing_scopes(document, node)
    inner = scopes[scopes.index(scope) + 1 :] if scope in scopes else ()
    is_inner = any(node.id in bound_names(each) for each in inner) or node.id in comprehension_targets(document, node)
    return not is_inner and (isinstance(node.ctx, ast.Load) or isinstance(document.parents[node], ast.AugAssign))


def suits(document: Document, name: str, place: Place) -> bool:
    """Return whether a key is named for no purpose, or for one that the statement or the function of a place names."""
    purpose = words_of(name) | (letters_of(name) if "_" in name.strip("_") else set())
    statement, scope = document.statement(place.node), scope_of(document, place.node)
    text = document.segment(statement if isinstance(statement, ast.Assign | ast.Return | ast.Expr) else place.node)
    said = words_of(f"{text} {getattr(scope, 'name', '')}") | letters_of(text)
    return not purpose or not purpose.isdisjoint(said)


def words_of(text: str) -> set[str]:
    """Return the words of names in lower case, without letters that stand alone and words for any key."""
    return {word for each in WORD.findall(text) if len(word := each.lower()) > 1} - NO_PURPOSE


def letters_of(text: str) -> set[str]:
    """Return the letters that stand alone in names, in lower case, without those for any key."""
    return {each.lower() for each in LETTER.findall(text)} - KEY_WORDS


def handed_on(document: Document, split: Unpacked, first: Place, again: Place) -> list[ast.Name]:
    """Return the reads of a key after two uses of it, if they go on with it.

    That is so if a split binds it to the name of its parent, or if it is returned as a part of a state.
    """
    name = dotted(again.key)
    if not name.isidentifier() or dotted(first.key) != name:
        return []
    last = document.span(again.node).end
    reads = live_reads(document, split.statement, name)
    end = document.span(split.statement).end
    reads = [read for read in reads if not end <= document.span(read).start < last]
    reads = [read for read in reads if document.span(read).start < end or may_follow(document, again.node, read)]
    return reads if name == split.parent or any(is_returned(document, read) for read in reads) else []


def is_returned(document: Document, read: ast.Name) -> bool:
    """Return whether a key is returned: by itself, in a tuple or dictionary, or in a changed record."""
    around = document.parents[read]
    if not isinstance(document.statement(read), ast.Return):
        return False
    if isinstance(around, ast.keyword):
        call = document.parents[around]
        return isinstance(call, ast.Call) and dotted(call.func).rpartition(".")[2] in ("_replace", "replace", "set")
    return isinstance(around, ast.Dict | ast.Return | ast.Tuple)
