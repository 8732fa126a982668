"""Decorators that leave a function as it is to its callers: what they return hands on all arguments and the result."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.libraries.names import COPIES_NAMES
from olympus_rules.syntax.rebinding import binds

SEEING = frozenset({"eval", "exec", "locals", "vars"})
"""What may see the arguments of the function around it without naming them."""
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@lru_cache(maxsize=64)
def hands_on(decorator: FunctionCode) -> bool:
    """Return whether a decorator returns a function that calls the decorated one with its own arguments, and no more.

    ``def timed(f)`` with ``def inner(*args, **kwargs)`` in it, which ends with ``return f(*args, **kwargs)``, perhaps
    inside of ``with``, or after statements that name neither the arguments nor the result.
    """
    match decorator.node:
        case ast.FunctionDef(
            body=[*before, ast.FunctionDef() as inner, ast.Return(value=ast.Name(id=returned))], decorator_list=[]
        ):
            is_plain = returned == inner.name and all(_is_text(each) for each in before)
            return is_plain and bool(decorator.parameters) and _only_calls(inner, decorator.parameters[0])
    return False


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _only_calls(inner: ast.FunctionDef, function: str) -> bool:
    """Return whether a function does nothing with its arguments but to call another one, whose result it returns."""
    match inner.args:
        case ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], vararg=ast.arg(arg=args), kwarg=ast.arg(arg=kwargs)):
            pass
        case _:
            return False
    nodes = [node for statement in inner.body for node in ast.walk(statement)]
    if any(isinstance(node, DEFINITIONS | ast.Yield | ast.YieldFrom | ast.Await) for node in nodes):
        return False
    if not all(_is_wraps(each) for each in inner.decorator_list):
        return False
    calls = [node for node in nodes if _is_call(node, function, args, kwargs)]
    kept = [name for node in nodes for name in _result(node, calls)]
    returns = [node.value for node in nodes if isinstance(node, ast.Return)]
    named = [node.id for node in nodes if isinstance(node, ast.Name)]
    if not SEEING.isdisjoint(named) or binds(inner.body, function):
        return False
    returned = [value.id for value in returns if isinstance(value, ast.Name) and value.id in kept]
    direct = sum(value in calls for value in returns)
    return (
        len(returns) == direct + len(returned) > 0  # nothing else is returned
        and named.count(args) == named.count(kwargs) == len(calls) == direct + len(kept)
        and sum(map(named.count, set(kept))) == len(kept) + len(returned)
    )


def _is_call(node: ast.AST, function: str, args: str, kwargs: str) -> bool:
    """Return whether a node is ``function(*args, **kwargs)``."""
    match node:
        case ast.Call(
            func=ast.Name(id=called),
            args=[ast.Starred(value=ast.Name(id=first))],
            keywords=[ast.keyword(arg=None, value=ast.Name(id=second))],
        ):
            return (called, first, second) == (function, args, kwargs)
    return False


def _result(node: ast.AST, calls: list[ast.AST]) -> Iterator[str]:
    """Yield the variable to which a statement assigns the result of one of the calls."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value in calls:
            yield name


def _is_wraps(decorator: ast.expr) -> bool:
    """Return whether a decorator only copies the name and the docstring of a function."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called) in COPIES_NAMES
