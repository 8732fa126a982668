"""What is done with the dtype of a key: its text, its attributes, and arrays of numbers with it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from olympus_rules.syntax.document import Parents

__all__ = ["is_for_people", "is_numeric", "reads_of", "scope_of"]

TELLING = frozenset("critical debug error exception fail info log print warn warning".split())  # noqa: SIM905
"""Functions that show text to people."""
TEXT = frozenset({"format", "hash", "repr", "str"})
QUESTIONS = frozenset({"can_cast", "canonicalize_dtype", "dtype", "finfo", "iinfo", "promote_types", "result_type"})
"""Functions of ``jax.numpy`` and ``jax.dtypes`` that reject the dtype of typed keys, or answer otherwise."""
WORDS = (2, 4)
"""The number of words of a raw key."""


def is_numeric(dtype: ast.expr, parents: Parents, named: Callable[[ast.expr], str]) -> bool:
    """Say whether the dtype of a key is used as a dtype of numbers, or for a new array whose shape ends with the words.

    Args:
        dtype: the expression.
        parents: those of its file.
        named: returns the qualified name of a library function.
    """
    user = parents.get(dtype)
    call = parents.get(user) if isinstance(user, ast.keyword) else user
    match user:
        case ast.FormattedValue():
            return not is_for_people(dtype, parents)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return any(is_numeric(read, parents, named) for read in reads_of(name, scope_of(user, parents)))
    if not isinstance(call, ast.Call):
        return isinstance(user, ast.Compare | ast.Attribute)
    if "issubdtype" in ast.unparse(call.func):
        return "prng_key" not in ast.unparse(call)
    package, _, name = named(call.func).rpartition(".")
    if package == "builtins" and name in TEXT:
        return not is_for_people(dtype, parents)
    if package.partition(".")[0] == "numpy" or (package.startswith("jax.") and name in QUESTIONS):
        return True
    shape = next((option.value for option in call.keywords if option.arg == "shape"), [*call.args, None][0])
    last = shape.elts[-1] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else shape
    return isinstance(last, ast.Constant) and last.value in WORDS


def is_for_people(node: ast.expr, parents: Parents) -> bool:
    """Say whether an expression is text that is only shown, in a log or an error message."""
    around: ast.AST | None = parents.get(node)
    while isinstance(around, ast.expr | ast.keyword):
        if isinstance(around, ast.Call) and ast.unparse(around.func).rpartition(".")[2] in TELLING:
            return True
        around = parents.get(around)
    return isinstance(around, ast.Raise)


def scope_of(statement: ast.AST, parents: Parents) -> ast.AST | None:
    """Return the function, class or module around a statement."""
    scope: ast.AST | None = statement
    while not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module | None):
        scope = parents.get(scope)
    return scope


def reads_of(name: str, scope: ast.AST | None) -> list[ast.expr]:
    """Return the reads of a variable in a scope and in inner scopes."""
    parts = ast.walk(scope) if scope is not None else ()
    return [part for part in parts
            if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)]  # fmt: skip
