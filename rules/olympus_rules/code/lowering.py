"""Lowering: Python's syntax, in all its forms, to the instruction list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from olympus_rules.code import definitions, expressions, statements
from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name
from olympus_rules.code.scope import Module, Scope
from olympus_rules.syntax.document import every_node

EXPRESSIONS = {**expressions.HANDLERS, **definitions.EXPRESSIONS}
STATEMENTS = {**statements.HANDLERS, **definitions.STATEMENTS}

_GLOBALS = re.compile(r"global(?:[ \t\\]|s\(\))")


def may_bind_globals(text: str) -> bool:
    """Return whether a file may contain a ``global`` statement or a call of ``globals``; prose may look like one."""
    for found in _GLOBALS.finditer(text):
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if found[0] == "globals()":
            if not before[-1:].replace("_", "a").isalnum():
                return True
        elif before.rstrip(" \t")[-1:] in ("", ":", ";"):
            return True
    return False


def lower_module(
    tree: ast.Module,
    *,
    module: str = "",
    is_package: bool = False,
    has_globals: bool = False,
    attached: Sequence[ast.stmt] = (),
) -> ir.FunctionCode:
    """Lower a module; its functions are nested in the returned module code.

    The body of a module-level function is lowered on demand.

    Args:
        tree: the parsed module.
        module, is_package: its dotted name and whether it is an ``__init__``, for relative imports.
        has_globals: whether it may contain a ``global`` statement, or a call of ``globals``.
        attached: imports that the module carries out when somebody asks for their names.
    """
    code = ir.FunctionCode("<module>", tree, kind="module")
    if has_globals:
        code.rebound.update(_bound_by_name(tree))
    scope = Scope(code, Module(module, is_package, has_globals, STATEMENTS, EXPRESSIONS))
    scope.lower([*tree.body, *attached] if attached else tree.body)
    return code


def _bound_by_name(tree: ast.Module) -> Iterator[str]:
    """Return the strings and keywords in definitions that take ``globals()`` for more than a look-up: it binds them."""
    for definition in tree.body:
        nodes = every_node(definition)
        looked_up = {part.value for part in nodes if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load)}
        calls = {part for part in nodes if isinstance(part, ast.Call) and dotted_name(part.func) == "globals"}
        if calls - looked_up:
            yield from (part.value for part in nodes if isinstance(part, ast.Constant) and isinstance(part.value, str))
            yield from (part.arg for part in nodes if isinstance(part, ast.keyword) and part.arg is not None)
