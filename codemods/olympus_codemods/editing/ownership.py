"""Whether a statement may assign to the variable that holds a key."""

from __future__ import annotations

import ast
from functools import lru_cache

from olympus_codemods.editing.names import dotted
from olympus_codemods.editing.scopes import Scope, bound_names, dominates, own_nodes
from olympus_rules.rules.key_reuse import compiled_around
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
    return (
        isinstance(key, ast.Attribute)
        and not compiled_around(document, key)
        and attribute_is_mutable(document, key, scope)
    )


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


def may_be_none(document: Document, key: ast.expr | None, scope: Scope, statement: ast.stmt) -> bool:
    """Return whether a key is a parameter with the default ``None`` that may be that before a statement."""
    if not isinstance(key, ast.Name) or key.id not in optional_parameters(scope):
        return False
    guards = (each for each in document.around(statement) if isinstance(each, ast.If | ast.While))
    if any(asks_for(each.test, key.id) for each in guards):
        return False
    earlier = (each for each in own_nodes(scope) if isinstance(each, ast.stmt))
    return not any(excludes_none(each, key.id) and dominates(document, each, statement) for each in earlier)


def optional_parameters(scope: Scope) -> set[str]:
    """Return the parameters of a function whose default is ``None``."""
    if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return set()
    arguments = scope.args
    named = reversed([*arguments.posonlyargs, *arguments.args])
    pairs: list[tuple[ast.arg, ast.expr | None]] = [*zip(named, reversed(arguments.defaults), strict=False)]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {arg.arg for arg, default in pairs if isinstance(default, ast.Constant) and default.value is None}


def excludes_none(statement: ast.stmt, name: str) -> bool:
    """Return whether a variable is not ``None`` after a statement, as far as its syntax shows."""
    match statement:
        case ast.Assert(test=test):
            return asks_for(test, name)
        case ast.If(test=test, body=body):
            is_left = isinstance(body[-1], ast.Raise | ast.Return)
            return is_none(test, name) and (is_left or any(name in stored(each) for each in body))
        case ast.Assign(
            value=ast.IfExp(body=ast.Constant(value=None) | ast.Tuple(elts=[ast.Constant(value=None), *_]))
        ):
            return False
    return isinstance(statement, ast.Assign | ast.AnnAssign) and name in stored(statement)


def is_none(test: ast.expr, name: str) -> bool:
    """Return whether a test, or a part of it, is ``name is None``."""
    compared = (part for part in ast.walk(test) if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Is))
    return any(asks_for(part.left, name) and ast.unparse(part.comparators[0]) == "None" for part in compared)


def asks_for(test: ast.expr, name: str) -> bool:
    """Return whether a test mentions a variable."""
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(test))


def stored(statement: ast.stmt) -> set[str]:
    """Return the variables that a statement binds."""
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}
