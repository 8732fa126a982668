"""A split in a line of its own before the uses of a key, which take the children."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, takewhile

import libcst as cst

from olympus_codemods.codemod import told_fix
from olympus_codemods.editing.key_names import child_name
from olympus_codemods.editing.names import Names, comprehension_targets, dotted, starred
from olympus_codemods.editing.ownership import assignable, may_be_none
from olympus_codemods.editing.rewriting import insert_line, replace
from olympus_codemods.editing.scopes import (
    COMPREHENSIONS,
    LOOPS,
    NESTED,
    Scope,
    block_of,
    bound_names,
    dominates,
    may_follow,
    own_nodes,
    scope_of,
)
from olympus_codemods.editing.splits import SCOPES, assigned, is_repeated, last_binding, lengthened, unpacked
from olympus_codemods.editing.widths import line_length
from olympus_rules.finding import Edit, Fix
from olympus_rules.keyflow.facts import Place, Reuse
from olympus_rules.libraries.names import SPLIT
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import nodes_in

PLURALS = ("keys", "rngs")
DIVIDERS = ("split", "train_test_split")
STARRED = re.compile(r"(?:jax_?random|jrandom|jrand|jran|jr)\.split")
ONCE = re.compile(r"_*(?:build|compile|create|init|initiali[sz]e|load|make|setup|set_up)(?:_|$)")
FAR = 25
"""Rows after which a use gets a split of its own, beside it."""
CARRIES = ("scan", "while_loop", "fori_loop")


def split_before(fact: Reuse, document: Document) -> Fix | None:
    """Write ``key, a_key = split(key)`` before the first use, ``a = normal(key)``, which takes ``a_key``.

    Where the key goes on after the second use, that use takes a child, too.
    """
    first, again = fact.first, fact.again
    if not refreshes(document, fact, scope_of(document, first.node)) or not may_split(document, first, again):
        return None
    return divided(document, [first, again] if is_carried(document, first, again) else [first])


def keep_parent(fact: Reuse, document: Document) -> Fix | None:
    """``a, b = split(key)`` becomes ``key, a, b = split(key, 3)``: what comes next goes on with the new key.

    A target ``_`` that nothing reads takes it, and the split keeps its size.
    """
    first, again = fact.first, fact.again
    scope, split = scope_of(document, first.node), unpacked(document, document.statement(first.node))
    if split is None or split.call is not first.node or first.key is None or split.parent != dotted(first.key):
        return None
    if not refreshes(document, fact, scope) or not may_split(document, first, again):
        return None
    longer = lengthened(document, split, split.parent, is_first=True)
    if longer is None:
        return None
    return told_fix(f"Keep a child as `{split.parent}` on line {split.statement.lineno}", longer[:1], *longer[1])


def split_before_all(facts: Sequence[Reuse], document: Document) -> Fix | None:
    """Write ``key, a_key, b_key = split(key, 3)`` before the uses in a block, the last of which keeps the key.

    Args:
        facts: uses of one key, in a loop perhaps, where the last one takes a child as well.
        document: the file.
    """
    if any(fact.repeated_by not in ("", "loop") or fact.unused for fact in facts):
        return None
    written = {id(use.key or use.node): use for fact in facts for use in (fact.first, fact.again)}
    uses = sorted(written.values(), key=lambda use: document.span(use.key or use.node))
    block = block_of(document, document.statement(uses[0].node))
    rows = {id(statement): row for row, statement in enumerate(block)}
    places = [rows.get(id(document.statement(use.node))) for use in uses]
    start, end = places[0], places[-1]
    if start is None or end is None or None in places:
        return None
    if not all(may_split(document, use, uses[-1]) for use in uses[:-1]):
        return None
    between = block[start:end] if start < end else ()
    if any(uses[0].key is not None and rebinds(statement, uses[0].key) for statement in between):
        return None
    last = uses[-1]
    return divided(document, uses if is_carried(document, uses[0], last) else uses[:-1])


def is_carried(document: Document, first: Place, last: Place) -> bool:
    """Return whether the key is used after its last place, which can take a child of a split before the first one.

    That is so if the scope mentions the key below, and in another iteration of a loop around both.
    """
    statement, scope = document.statement(first.node), scope_of(document, last.node)
    if first.node is last.node or last.key is None or is_repeated(document, statement, last.node):
        return False
    is_after = statement is document.statement(last.node) or dominates(document, statement, last.node)
    if not is_after or not may_split(document, last, last):
        return False
    name = dotted(last.key)
    loop = next((each for each in document.around(statement) if isinstance(each, (*LOOPS, *SCOPES))), scope)
    made = last_binding(document, first.node, name)
    is_new = isinstance(made, ast.Assign) and loop in document.around(made)  # in each iteration
    reads = (read for read in reads_in(scope).get(name, ()) if not is_own(document, read, scope))
    is_below = any(is_read_below(document, last, read) for read in reads)
    return is_below or isinstance(last.key, ast.Attribute) or (isinstance(loop, LOOPS) and not is_new)


def is_read_below(document: Document, last: Place, read: ast.expr) -> bool:
    """Return whether a read of the key comes after its last place, and nothing binds it anew in between."""
    assert last.key is not None
    end = document.span(last.key).end
    if document.span(read).start < end or not may_follow(document, last.node, read):
        return False
    made = last_binding(document, read, dotted(last.key)) if isinstance(read, ast.Name) else None
    return not (isinstance(made, ast.Assign) and document.span(made).start >= end)


def is_own(document: Document, read: ast.expr, scope: Scope) -> bool:
    """Return whether a name is a parameter or variable of a function or comprehension inside a scope."""
    if not isinstance(read, ast.Name):
        return False
    inside = takewhile(lambda each: each is not scope, document.around(read))
    around = [read, *inside]
    if any(isinstance(each, NESTED) and read.id in bound_names(each) for each in around):
        return True
    loops = [each for each in around if isinstance(each, ast.comprehension)]
    at = document.parents[loops[-1]] if loops and loops[-1].iter in around else read  # a source is read outside
    return read.id in comprehension_targets(document, document.parents[at] if loops and at is not read else at)


@lru_cache(maxsize=8)  # the keys of one function come one after the other
def reads_in(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """Return the expressions in a scope that read a variable or an attribute, by its dotted name."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes_in(scope):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            found.setdefault(dotted(node), []).append(node)
    return found


def may_split(document: Document, place: Place, last: Place) -> bool:
    """Return whether the key of a place can be split before its statement, and the last place goes on with the rest."""
    key, statement = place.key, document.statement(place.node)
    if key is None or not dotted(key) or last.key is None or dotted(key) != dotted(last.key):
        return False
    scope = scope_of(document, place.node)
    if scope is not scope_of(document, last.node) or rebinds(statement, key):
        return False
    if dotted(key).lower().endswith(PLURALS):  # an array of keys, most likely, and `split` takes one key
        return False
    return runs_once_in(document, statement, place.node) and assignable(document, key, scope)


def divided(document: Document, places: Sequence[Place]) -> Fix | None:
    """Return the fix that gives places children of their key, by splits as long as a line has room for."""
    statement, scope = document.statement(places[0].node), scope_of(document, places[0].node)
    key, names = dotted(places[0].key), Names(document, statement)
    split = spelling(document, names, places[0])
    if split is None:
        return None
    is_optional = may_be_none(document, places[0].key, scope, statement)
    lines: dict[ast.stmt, list[str]] = {}
    children: list[str] = []
    edits: list[Edit | None] = []
    for place in places:
        own = document.statement(place.node)
        child = child_name(names, document, place, children)
        line = splitting(split, key, [*children, child], may_be_none=is_optional)
        has_room = len(line) + statement.col_offset <= line_length(document)
        if not children or not has_room or own.lineno - statement.lineno > FAR:
            statement, children = own, []
            child = child_name(names, document, place)
            line = splitting(split, key, [child], may_be_none=is_optional)
            lines.setdefault(statement, []).append(line)
        lines[statement][-1] = line
        children.append(child)
        names.take(child)
        edits.append(replace(document, place.key, cst.Name(child)) if place.key is not None else None)
    edits += [inserted(document, statement, text) for statement, text in lines.items()]
    edits += names.edits()
    return binding(told_fix(split_at(key, lines), [*chain(*lines.values())], *edits), scope, *names.taken)


def split_at(key: str, lines: dict[ast.stmt, list[str]]) -> str:
    """Return into how many keys a key is split, and before which lines."""
    (first, *more), rows = chain(*lines.values()), sorted({statement.lineno for statement in lines})
    size = first.partition(" = ")[0].count(",") + 1
    into = f" into {written(size)}" if size > 2 and not more else ""
    before = f"line {rows[0]}" if len(rows) == 1 else f"lines {', '.join(map(str, rows[:-1]))} and {rows[-1]}"
    return f"Split `{key}`{into} before {before}"


def written(number: int) -> str:
    """Return a small number as a word."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)


def splitting(split: str, key: str, children: Sequence[str], *, may_be_none: bool) -> str:
    """Return the statement that splits a key into itself and so many children; without a key, all of them are none."""
    size = f", {len(children) + 1}" if len(children) > 1 else ""
    nothing = f"({', '.join(['None'] * (len(children) + 1))}) if {key} is None else " if may_be_none else ""
    return f"{', '.join([key, *children])} = {nothing}{split}({key}{size})"


def inserted(document: Document, statement: ast.stmt, lines: Sequence[str]) -> Edit | None:
    """Return the edit that writes lines before a statement."""
    edits = [insert_line(document, statement, line) for line in lines]
    made = [edit for edit in edits if edit is not None]
    return dataclasses.replace(made[0], content="".join(edit.content for edit in made)) if made else None


def rebinds(statement: ast.AST, key: ast.expr) -> bool:
    """Return whether a statement assigns to the variable of a key, so that a split before it changes nothing."""
    return dotted(key) in assigned(statement)


def runs_once_in(document: Document, statement: ast.stmt, node: ast.AST) -> bool:
    """Return whether a line put before ``statement`` runs once for each time that ``node`` runs."""
    parts: list[ast.AST] = [statement]
    match statement:
        case ast.For(iter=source) | ast.AsyncFor(iter=source) | ast.Match(subject=source):
            parts = [source]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            parts = list(items)
        case ast.If() | ast.While() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return False
    while node not in parts and node is not statement:
        around = document.parents[node]
        if isinstance(node, (ast.Lambda, *COMPREHENSIONS)):
            return False
        if isinstance(around, ast.comprehension):
            comprehension = document.parents[around]
            assert isinstance(comprehension, COMPREHENSIONS)
            if node is comprehension.generators[0].iter:
                node, around = comprehension, document.parents[comprehension]  # evaluated before the loop
        node = around
    return node in parts


def refreshes(document: Document, fact: Reuse, scope: ast.AST) -> bool:
    """Return whether a new value of the key reaches the second consumption when something repeats the first."""
    key = fact.first.key
    if fact.repeated_by in ("", "loop", "arguments"):
        return True
    if isinstance(key, ast.Attribute):
        return fact.repeated_by == "call" and not is_fixed(document, key)
    if fact.repeated_by not in CARRIES:
        return False
    returned = [node.value for node in ast.walk(scope) if isinstance(node, ast.Return) and node.value]
    return any(dotted(inner) == dotted(key) for value in returned for inner in ast.walk(value))


def is_fixed(document: Document, key: ast.Attribute) -> bool:
    """Return whether an object is to give the same for its key at each call: it has items, or divides data into parts.

    A key that is named as a seed says so, too. What loads or builds something is called once, most likely.
    """
    owner = next((each for each in document.around(key) if isinstance(each, ast.ClassDef)), None)
    methods = {each.name for each in owner.body if isinstance(each, ast.FunctionDef)} if owner is not None else set()
    function = next((each for each in document.around(key) if isinstance(each, ast.FunctionDef)), None)
    runs_once = function is not None and (function.name in DIVIDERS or ONCE.match(function.name) is not None)
    return runs_once or "__getitem__" in methods or key.attr.strip("_") in ("seed", "random_state")


def spelling(document: Document, names: Names, place: Place) -> str | None:
    """Return how ``split`` is written beside a place: as a split there is, whose module a star import may give."""
    for node in (place.node, *own_nodes(scope_of(document, place.node))) if starred(document) else ():
        if isinstance(node, ast.Call) and STARRED.fullmatch(dotted(node.func)) and not names.resolve(node.func):
            return dotted(node.func)
    return names.spell(SPLIT, near=called(place))


def called(place: Place) -> ast.AST | None:
    """Return the expression that a place calls, whose spelling other calls follow."""
    return place.node.func if isinstance(place.node, ast.Call) else None


def binding(fix: Fix | None, scope: ast.AST, *names: str) -> Fix | None:
    """Return a fix that says which names it binds, so that no other one binds one of them at the same time."""
    place = f"{getattr(scope, 'lineno', 0)}:{getattr(scope, 'col_offset', 0)}"
    return fix if fix is None else dataclasses.replace(fix, binds=tuple(f"{place} {name}" for name in names))
