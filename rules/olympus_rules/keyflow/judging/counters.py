"""Counters of loops: a callee that gets one beside a key may fold it into the key."""

from __future__ import annotations

import ast
from functools import lru_cache

from olympus_rules.code.names import dotted_name
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node, nodes_in

RANGES = frozenset({"arange", "count", "range", "trange"})
LOOPS = {"fori_loop": (2, 0, None), "scan": (0, 1, 2), "map": (0, 0, 1)}
"""Loops of JAX: the positions of the body, of the counter among its parameters, and of what is iterated over."""


def takes_counter(document: Document, node: ast.AST) -> bool:
    """Return whether a call gets the counter of a loop around it, as it is or in arithmetic."""
    if not isinstance(node, ast.Call):
        return False
    given = {
        part.id
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
        for part in _terms(argument)
        if isinstance(part, ast.Name)
    }
    return bool(given) and not given.isdisjoint(_counters(document, node))


def is_counter(document: Document, call: ast.Call, argument: ast.expr) -> bool:
    """Return whether an argument of a call is the counter of a loop around it, as it is or converted."""
    while isinstance(argument, ast.Call) and [argument] != _terms(argument) != []:
        argument = argument.args[0]
    return isinstance(argument, ast.Name) and argument.id in _counters(document, call)


def _terms(argument: ast.expr) -> list[ast.expr]:
    """Return the operands of arithmetic, and the argument of a conversion such as ``jnp.int32(i)``."""
    if isinstance(argument, ast.BinOp):
        return [*_terms(argument.left), *_terms(argument.right)]
    if isinstance(argument, ast.Call) and len(argument.args) == 1:
        return _terms(argument.args[0]) if "int" in dotted_name(argument.func).rpartition(".")[2] else []
    return [argument]


def _counters(document: Document, node: ast.AST) -> set[str]:
    """Return the names of the counters of the loops around a node, up to the body of a loop of JAX."""
    found: set[str] = set()
    parent = document.parents.get(node)
    while parent is not None:
        match parent:
            case ast.For() | ast.AsyncFor():
                found |= _targets(parent.target, parent.iter)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                found |= {name for each in parent.generators for name in _targets(each.target, each.iter)}
            case ast.While():
                steps = (part.target for part in every_node(parent) if isinstance(part, ast.AugAssign))
                found |= {target.id for target in steps if isinstance(target, ast.Name)}
            case ast.FunctionDef() | ast.Lambda():
                return found | _parameter(document, parent)
        parent = document.parents.get(parent)
    return found


def _targets(target: ast.expr, iterable: ast.expr) -> set[str]:
    """Return the variable that counts: of ``range``, the first one of ``enumerate``, also in ``tqdm(range(n))``."""
    while isinstance(iterable, ast.Call):
        name = dotted_name(iterable.func).rpartition(".")[2]
        if name == "enumerate" and isinstance(target, ast.Tuple | ast.List) and target.elts:
            target = target.elts[0]
        if name == "enumerate" or name in RANGES:
            return {target.id} if isinstance(target, ast.Name) else set()
        if not iterable.args:
            break
        iterable = iterable.args[0]
    return set()


def _parameter(document: Document, function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Return the parameter of a function that counts the steps of a loop of JAX whose body the function is."""
    name = "" if isinstance(function, ast.Lambda) else function.name
    for call, body, counter, over in _loops(_scope(document, function)):
        taken, counts = call.args[body], over is None or _is_range(call.args[over])
        is_body = taken is function or (isinstance(taken, ast.Name) and taken.id == name)
        if is_body and counts and len(function.args.args) > counter:
            return {function.args.args[counter].arg}
    return set()


@lru_cache(maxsize=8)  # the keys of one function come one after the other
def _loops(scope: ast.AST) -> list[tuple[ast.Call, int, int, int | None]]:
    """Return the loops of JAX in a scope, with their rows of ``LOOPS``."""
    calls = (node for node in nodes_in(scope) if isinstance(node, ast.Call))
    rows = ((call, LOOPS.get(dotted_name(call.func).rpartition(".")[2])) for call in calls)
    return [(call, *row) for call, row in rows if row is not None and len(call.args) > max(row[0], row[2] or 0)]


def _scope(document: Document, node: ast.AST) -> ast.AST:
    """Return the function or module in which a function stands."""
    parent = document.parents.get(node)
    while parent is not None and not isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        parent = document.parents.get(parent)
    return document.tree if parent is None else parent


def _is_range(iterable: ast.expr) -> bool:
    return isinstance(iterable, ast.Call) and dotted_name(iterable.func).rpartition(".")[2] in RANGES
