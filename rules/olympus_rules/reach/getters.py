"""Functions that Python makes of names and numbers: ``operator.itemgetter(0)``, as the lambda that does the same."""

from __future__ import annotations

import ast

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.lowering import lower_module
from olympus_rules.libraries.names import ATTRGETTER, GETTERS, ITEMGETTER

__all__ = ["getter"]

SELF = "of"
"""The parameter of the lambda; as it is the only name that the lambda binds, arguments keep their meaning."""


def getter(call: ast.Call, qualified: str | None, scope: FunctionCode) -> FunctionCode | None:
    """Return the code of the function that a call makes, ``None`` for any other call.

    Args:
        call: the call.
        qualified: the qualified name of the callee.
        scope: where the call is.
    """
    if qualified not in GETTERS or not call.args or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    given = call.args if qualified in (ITEMGETTER, ATTRGETTER) else [call]
    parts = [_part(qualified, each) for each in given]
    if None in parts:
        return None
    bodies = [part for part in parts if part is not None]
    body = bodies[0] if len(bodies) == 1 else ast.Tuple(bodies, ast.Load())
    names = ast.arguments([], [ast.arg(SELF)], None, [], [], None, [])
    statement = ast.Expr(ast.Lambda(names, body))
    for node in ast.walk(statement):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, call)
    module = lower_module(ast.Module([statement], []), module="", is_package=False, has_globals=False)
    code = module.nested[0]
    code.parent = scope
    return code


def _part(qualified: str, given: ast.expr) -> ast.expr | None:
    """Return what one argument of a call gets of the parameter, ``None`` where that is not spelled out."""
    owner = ast.Name(SELF, ast.Load())
    if qualified == ITEMGETTER:
        return ast.Subscript(owner, given, ast.Load())
    first = given.args[0] if isinstance(given, ast.Call) else given
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return None
    read: ast.expr = owner
    for name in first.value.split("."):
        if not name.isidentifier():
            return None
        read = ast.Attribute(read, name, ast.Load())
    return ast.Call(read, given.args[1:], given.keywords) if isinstance(given, ast.Call) else read
