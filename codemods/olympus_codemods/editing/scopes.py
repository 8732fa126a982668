"""Which scope a node belongs to, and which names a scope binds or mentions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from olympus_rules.syntax import Document
from olympus_rules.syntax.document import children, nodes_in

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def scope_of(document: Document, node: ast.AST) -> Scope:
    """Return the innermost scope that executes a node; defaults and decorators belong to the scope around."""
    for child, parent in pairwise((node, *document.around(node))):
        if isinstance(parent, NESTED) and child in (parent.body if isinstance(parent.body, list) else [parent.body]):
            return parent
    return document.tree


def enclosing_scopes(document: Document, node: ast.AST) -> list[Scope]:
    """Return the scopes around a node whose names it can see, outermost first, the module included."""
    scopes = [scope_of(document, node)]
    while not isinstance(scopes[-1], ast.Module):
        scopes.append(scope_of(document, scopes[-1]))
    innermost, *others = scopes
    return [*(scope for scope in reversed(others) if not isinstance(scope, ast.ClassDef)), innermost]


@lru_cache(maxsize=8)
def own_nodes(scope: Scope) -> tuple[ast.AST, ...]:
    """Return the nodes of a scope without the bodies of nested scopes and the targets of comprehensions."""
    stack = children(scope)
    found: list[ast.AST] = []
    while stack:
        node = stack.pop()
        found.append(node)
        if isinstance(node, ast.comprehension):
            stack += [node.iter, *node.ifs]
        elif not isinstance(node, NESTED):
            stack += children(node)
    return tuple(found)


@lru_cache(maxsize=8)
def own_imports(scope: Scope) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return the import statements among the nodes of a scope."""
    return tuple(node for node in own_nodes(scope) if isinstance(node, ast.Import | ast.ImportFrom))


@lru_cache(maxsize=8)
def bound_names(scope: Scope) -> frozenset[str]:
    """Return the names that are local to a scope."""
    outer = {name for node in own_nodes(scope) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return frozenset(name for node in own_nodes(scope) for name in _bound(node) if name not in outer)


@lru_cache(maxsize=8)
def bound_elsewhere(scope: Scope) -> frozenset[str]:
    """Return the names that a scope binds other than by an import."""
    others = (node for node in own_nodes(scope) if not isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(name for node in others for name in _bound(node))


def _bound(node: ast.AST) -> Iterator[str]:
    """Return the names that a node binds."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        yield node.id
    yield from _declared(node)


def _declared(node: ast.AST) -> Iterator[str]:
    """Return the names that a node declares without a ``Name`` node: definitions, imports, patterns."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


@lru_cache(maxsize=8)  # several findings of one file ask for the same tree
def identifiers(tree: ast.AST) -> frozenset[str]:
    """Return every name that a piece of code mentions in any scope, without attributes."""
    names: set[str] = set()
    for node in nodes_in(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
        else:
            names.update(_declared(node))
    return frozenset(names)


@lru_cache(maxsize=8)
def properties(tree: ast.AST) -> frozenset[str]:
    """Return the attributes that a file computes at each access; ``*`` stands for any attribute."""
    found: set[str] = set()
    for node in nodes_in(tree):
        if isinstance(node, ast.FunctionDef):
            if node.name in ("__getattr__", "__getattribute__", "__getitem__"):
                found.add("*")
            if any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list):
                found.add(node.name)
    return frozenset(found)


@lru_cache(maxsize=8)
def words(document: Document, node: ast.AST) -> frozenset[str]:
    """Return the words of a piece of code: a superset of its names."""
    text = document.text if isinstance(node, ast.Module) else document.segment(node)
    return frozenset(re.findall(r"\w+", text))


def dominates(document: Document, earlier: ast.stmt, later: ast.AST) -> bool:
    """Return whether a statement precedes a node in the node's own block or one around it.

    Within one function this means that the statement has run whenever the node runs.
    """
    block = block_of(document, earlier)
    nodes = (node for node in (later, *document.around(later)) if node is not earlier)
    found = next((node for node in nodes if node in block), None)
    return found is not None and block.index(earlier) < block.index(found)


def may_follow(document: Document, node: ast.AST, later: ast.AST) -> bool:
    """Return whether a node may run after one above it in its scope: not in another arm, nor after a return."""
    inside = {later, *document.around(later)}
    for child, parent in pairwise((node, *document.around(node))):
        if isinstance(parent, NESTED):
            break
        if parent in inside and isinstance(parent, ast.If | ast.IfExp | ast.Match):
            arms = {arm_of(parent, each) for each in (child, *(inside & {*ast.iter_child_nodes(parent)}))}
            if len(arms) > 1:
                return False
        block = block_of(document, child) if isinstance(child, ast.stmt) else []
        if block and isinstance(block[-1], ast.Return | ast.Raise) and inside.isdisjoint(block):
            return False
    return True


def arm_of(branching: ast.If | ast.IfExp | ast.Match, child: ast.AST) -> int:
    """Return the number of the arm of a branching node that a child of it is in."""
    if isinstance(branching, ast.Match):
        return branching.cases.index(child) if isinstance(child, ast.match_case) else -1
    arms = (branching.body, branching.orelse)
    return next((n for n, arm in enumerate(arms) if child is arm or (isinstance(arm, list) and child in arm)), -1)


def block_of(document: Document, statement: ast.AST) -> list[ast.AST]:
    """Return the statements of the block that a statement is in."""
    blocks = (value for _, value in ast.iter_fields(document.parents[statement]) if isinstance(value, list))
    return next((block for block in blocks if statement in block), [])
