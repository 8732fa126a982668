"""Whether a statement may assign to the variable that holds a key."""

from __future__ import annotations

import ast
from functools import lru_cache

from olympus_codemods.editing.names import dotted
from olympus_codemods.editing.scopes import Scope, bound_names, own_nodes
from olympus_rules.syntax import Document


def assignable(document: Document, key: ast.expr, scope: Scope) -> bool:
    """Return whether assigning to ``key`` in a scope changes the variable that the scope reads and nothing else.

    A free variable would become local, a loop target over keys would lose its element, a container of keys is
    no key, and an attribute may belong to a frozen object unless the file assigns to it elsewhere.
    """
    if isinstance(scope, ast.Lambda | ast.ClassDef) or dotted(key) in containers(scope):
        return False
    if isinstance(key, ast.Name):
        return key.id in bound_names(scope) and key.id not in loop_targets(scope)
    return isinstance(key, ast.Attribute) and attribute_is_mutable(document, key, scope)


@lru_cache(maxsize=8)
def containers(scope: Scope) -> frozenset[str]:
    """Return the expressions that a scope binds to a dictionary, list or tuple, or whose items it assigns to."""
    displays = (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Tuple)
    found: set[str] = set()
    for node in own_nodes(scope):
        match node:
            case ast.Assign(targets=[target], value=value):
                function = dotted(value.func) if isinstance(value, ast.Call) else ""
                if isinstance(value, displays) or function in ("dict", "list", "tuple"):
                    found.add(dotted(target))
            case ast.Subscript(value=target, ctx=ast.Store()):
                found.add(dotted(target))
    return frozenset(found)


@lru_cache(maxsize=8)
def loop_targets(scope: Scope) -> set[str]:
    """Return the names that ``for`` statements of a scope bind."""
    loops = [node.target for node in own_nodes(scope) if isinstance(node, ast.For | ast.AsyncFor)]
    return {name.id for target in loops for name in ast.walk(target) if isinstance(name, ast.Name)}


def attribute_is_mutable(document: Document, key: ast.Attribute, scope: Scope) -> bool:
    """Return whether the file shows that an attribute can be assigned to after its object was made."""
    owner = document.parents.get(scope)
    if dotted(key).startswith("self.") and isinstance(owner, ast.ClassDef):
        methods = [method for method in owner.body if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)]
        plain = not owner.bases and not owner.decorator_list
    else:
        methods, plain = [scope] if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else [], False
    return any(
        dotted(node) == dotted(key) and isinstance(node.ctx, ast.Store)
        for method in methods
        if plain or method.name not in ("__init__", "__post_init__", "setup")
        for node in own_nodes(method)
        if isinstance(node, ast.Attribute)
    )
