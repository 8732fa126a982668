"""OLY104: give each consumer a key of its own."""

from __future__ import annotations

import ast
import dataclasses
from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst

from olympus_codemods.codemod import Codemod, fix_of
from olympus_codemods.editing.names import Names, dotted
from olympus_codemods.editing.ownership import assignable
from olympus_codemods.editing.rewriting import expression, insert_line, replace
from olympus_codemods.editing.scopes import dominates, own_nodes, scope_of
from olympus_rules.finding import Applicability, Edit, Fix
from olympus_rules.keyflow.facts import Fact, Place, Reuse
from olympus_rules.libraries.names import SPLIT

if TYPE_CHECKING:
    from olympus_rules.syntax import Document

__all__ = ["KeyReuse"]

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
CARRIES = ("scan", "while_loop", "fori_loop")


class KeyReuse(Codemod):
    """Pass an unused child, or split the key."""

    code = "OLY104"

    def fix(self, fact: Fact, document: Document) -> Fix | None:
        """Return the first of four rewrites that is correct here."""
        assert isinstance(fact, Reuse)
        if fact.batch or fact.kept:  # split takes one key; where the object gets its key may be before
            return None
        reuse = dataclasses.replace(fact, first=unwrapped(fact.first), again=unwrapped(fact.again))
        return (
            take_unused_child(reuse, document)
            or split_for_comprehension(reuse, document)
            or extend_split(reuse, document)
            or split_before(reuse, document)
        )


def unwrapped(place: Place) -> Place:
    """Return a place with the key itself if its key is written in a container, ``{"params": key}``."""
    key = place.key
    while isinstance(key, ast.Dict | ast.List | ast.Tuple):
        parts = key.values if isinstance(key, ast.Dict) else key.elts
        key = parts[0] if len(parts) == 1 else None
    return dataclasses.replace(place, key=key)


def take_unused_child(fact: Reuse, document: Document) -> Fix | None:
    """Let one of the two consumers take the only child that nothing uses; a split keeps the parent."""
    if len(fact.unused) != 1:
        return None
    child = fact.unused[0]
    places = [fact.again, fact.first] if not is_split(fact.again) else [fact.first, fact.again]
    for place in places:
        binding = single_key_binding(document, place.node, child)
        if binding is None or place.key is None or not dominates(document, binding, place.node):
            continue
        if fact.repeated_by and innermost_loop(document, binding) is not innermost_loop(document, place.node):
            continue
        row = document.span(place.key).start.row
        message = f"Use `{child}`, which nothing uses, on line {row}"
        return fix_of(Applicability.UNSAFE, message, replace(document, place.key, cst.Name(child)))
    return None


def is_split(place: Place) -> bool:
    """Return whether a place splits its key."""
    return place.what.endswith("random.split")


def single_key_binding(document: Document, at: ast.AST, name: str) -> ast.stmt | None:
    """Return the only statement that binds a name around a node, if it binds one key and not a key array."""
    stores = [
        node
        for node in own_nodes(scope_of(document, at))
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
    ]
    if len(stores) != 1:
        return None
    statement = document.statement(stores[0])
    if not isinstance(statement, ast.Assign):
        return None
    unpacked = isinstance(document.parents[stores[0]], ast.Tuple | ast.List)
    derived = dotted(statement.value.func) if isinstance(statement.value, ast.Call) else ""
    return statement if unpacked or derived.rpartition(".")[2] in ("fold_in", "clone") else None


def innermost_loop(document: Document, node: ast.AST) -> ast.AST | None:
    """Return the innermost statement loop around a node."""
    parent: ast.AST | None = node
    while parent is not None and not isinstance(parent, ast.For | ast.AsyncFor | ast.While):
        parent = document.parents.get(parent)
    return parent


def split_for_comprehension(fact: Reuse, document: Document) -> Fix | None:
    """``[f(key) for i in range(n)]`` becomes ``[f(k) for i, k in enumerate(split(key, n))]``."""
    node: ast.AST | None = fact.again.node
    while node is not None and not isinstance(node, COMPREHENSIONS):
        node = document.parents.get(node)
    key = fact.again.key
    if fact.repeated_by != "comprehension" or node is None or key is None or not dotted(key):
        return None
    loop, times = node.generators[0], range_length(node.generators[0])
    mentions = [dotted(inner) for inner in ast.walk(node) if isinstance(inner, ast.expr)]
    if len(node.generators) > 1 or times is None or mentions.count(dotted(key)) != 1:
        return None
    names = Names(document, node)
    child = names.fresh("k")
    split = names.spell(SPLIT, near=called(fact.again))
    index = dotted(loop.target)
    if split is None or not index:
        return None
    uses_index = mentions.count(index) > 1
    keys = f"{split}({document.segment(key)}, {document.segment(times)})"
    target = cst.parse_expression(f"{index}, {child}" if uses_index else child)
    source = cst.parse_expression(f"enumerate({keys})" if uses_index else keys)
    edits = [replace(document, loop.target, target), replace(document, loop.iter, source)]
    edits += [replace(document, key, cst.Name(child)), *names.edits()]
    return fix_of(Applicability.UNSAFE, f"Split `{dotted(key)}` once for each element", *edits)


def range_length(loop: ast.comprehension) -> ast.expr | None:
    """Return ``n`` of ``for … in range(n)``."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[length], keywords=[]) if not loop.is_async:
            return length
    return None


def called(place: Place) -> ast.AST | None:
    """Return the expression that a place calls, whose spelling other calls follow."""
    return place.node.func if isinstance(place.node, ast.Call) else None


def extend_split(fact: Reuse, document: Document) -> Fix | None:
    """``a, b = split(key)`` followed by a use of ``key``: split off one more, which the other use takes."""
    statement = document.statement(fact.first.node)
    again = fact.again.key
    if not is_split(fact.first) or fact.repeated_by or again is None or fact.again.node is fact.first.node:
        return None
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets) as left], value=ast.Call() as value):
            size = split_size(value)
        case _:
            return None
    bound = [dotted(target) for target in targets]
    same_scope = scope_of(document, fact.first.node) is scope_of(document, fact.again.node)
    if value is not fact.first.node or size != len(targets) or not all(bound) or dotted(again) in bound:
        return None
    if not same_scope or not dominates(document, statement, fact.again.node):
        return None
    child = Names(document, statement).fresh("subkey")
    tuple_node, call_node = expression(document, left), expression(document, value)
    if not isinstance(tuple_node, cst.Tuple) or not isinstance(call_node, cst.Call):
        return None
    elements = [element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in tuple_node.elements]
    longer = tuple_node.with_changes(elements=[*elements, cst.Element(cst.Name(child))], lpar=[], rpar=[])
    key_argument = call_node.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    more = call_node.with_changes(args=[key_argument, cst.Arg(cst.Integer(str(size + 1)))], lpar=[], rpar=[])
    edits = [replace(document, left, longer), replace(document, value, more)]
    edits.append(replace(document, again, cst.Name(child)))
    return fix_of(Applicability.UNSAFE, f"Split off one more key, `{child}`, for the second use", *edits)


def split_size(call: ast.Call) -> int | None:
    """Return the number of keys that a ``split`` gives, if the call spells it out."""
    match call:
        case ast.Call(args=[_], keywords=[]):
            return 2
        case ast.Call(args=[_, ast.Constant(value=int(size))], keywords=[]):
            return size
        case ast.Call(args=[_], keywords=[ast.keyword(arg="num", value=ast.Constant(value=int(size)))]):
            return size
    return None


def split_before(fact: Reuse, document: Document) -> Fix | None:
    """Write ``key, subkey = split(key)`` before the first use, which takes ``subkey``."""
    key = fact.first.key
    statement = document.statement(fact.first.node)
    if key is None or not dotted(key) or fact.again.key is None or dotted(key) != dotted(fact.again.key):
        return None
    scope = scope_of(document, fact.first.node)
    if scope is not scope_of(document, fact.again.node) or rebinds(statement, key):
        return None
    if not runs_once_in(document, statement, fact.first.node):
        return None
    if not assignable(document, key, scope) or not refreshes(fact, key, scope):
        return None
    names = Names(document, statement)
    child = names.fresh("subkey")
    split = names.spell(SPLIT, near=called(fact.first))
    if split is None:
        return None
    line = f"{dotted(key)}, {child} = {split}({dotted(key)})"
    edits: list[Edit | None] = [insert_line(document, statement, line)]
    edits += [replace(document, key, cst.Name(child)), *names.edits()]
    return fix_of(Applicability.UNSAFE, f"Split `{dotted(key)}` before line {statement.lineno}", *edits)


def rebinds(statement: ast.stmt, key: ast.expr) -> bool:
    """Return whether a statement assigns to the variable of a key, so that a split before it changes nothing."""
    return dotted(key) in assigned(statement)


@lru_cache(maxsize=8)
def assigned(statement: ast.stmt) -> frozenset[str]:
    """Return the variables and attributes that a statement assigns to."""
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name | ast.Attribute))
    return frozenset(dotted(node) for node in nodes if isinstance(node.ctx, ast.Store))


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


def refreshes(fact: Reuse, key: ast.expr, scope: ast.AST) -> bool:
    """Return whether a new value of ``key`` reaches the second consumption when something repeats the first."""
    if fact.repeated_by in ("", "loop"):
        return True
    if isinstance(key, ast.Attribute):
        return fact.repeated_by == "call"
    if fact.repeated_by not in CARRIES:
        return False
    returned = [node.value for node in ast.walk(scope) if isinstance(node, ast.Return) and node.value]
    return any(dotted(inner) == dotted(key) for value in returned for inner in ast.walk(value))
