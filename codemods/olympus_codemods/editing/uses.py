"""The uses of the value of an expression, followed through the variables that hold it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from olympus_codemods.editing.names import Names
from olympus_codemods.editing.scopes import Scope, scope_of
from olympus_rules.syntax import Document

REARRANGING = frozenset(
    ["T", "copy", "flatten", "ravel", "repeat", "reshape", "squeeze", "swapaxes", "take", "transpose"]
)
ASKING = frozenset(["dtype", "ndim", "shape", "size", "tobytes", "tolist"])
READING = frozenset(
    """
    all any bool bytes enumerate float int len list print repr reversed sorted str sum tuple zip
    """.split()  # noqa: SIM905
)
"""Builtins that do not write to their arguments."""
REDUCING = frozenset(
    """
    all any array_equal bool float hash int len max mean min print prod repr std str sum var
    """.split()  # noqa: SIM905
)
"""Functions whose result is no key."""
WRITING_METHODS = frozenset(
    ["byteswap", "fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"]
)
WRITING = frozenset(["copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "shuffle"])


def uses(document: Document, node: ast.expr) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield each use of the value of an expression, or of a part or rearrangement of it: the value, and its parent.

    The value of a variable is followed to the reads of the variable in its scope and in inner ones.
    """
    waiting, seen = [node], set[ast.AST]()
    while waiting:
        value = waiting.pop()
        around = document.parents.get(value)
        if value in seen or around is None:
            continue
        seen.add(value)
        match around:
            case ast.Subscript(value=held, ctx=ast.Load()) if held is value:
                waiting.append(around)
            case ast.Attribute(attr=name, ctx=ast.Load()) if name in REARRANGING:
                call = document.parents.get(around)
                waiting.append(call if isinstance(call, ast.Call) and call.func is around else around)
            case ast.IfExp(test=test) if test is not value:
                waiting.append(around)
            case ast.NamedExpr(target=target):
                waiting += [around, *_reads(document, target.id, scope_of(document, around))]
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                waiting += _reads(document, name, scope_of(document, around))
            case ast.Expr():
                pass
            case _:
                yield value, around


def _reads(document: Document, name: str, scope: Scope) -> list[ast.expr]:
    """Return the mentions of a variable in a scope and in inner ones, except assignments of another value."""
    return [
        part
        for part in ast.walk(scope)
        if isinstance(part, ast.Name)
        and part.id == name
        and (isinstance(part.ctx, ast.Load) or not isinstance(document.parents.get(part), ast.Assign | ast.AnnAssign))
    ]


def leaves(document: Document, node: ast.expr) -> bool:
    """Return whether a computed value may get out of sight: it is returned, stored, or passed to a function.

    A reduction, a comparison or a conversion to text gives something else.
    """
    waiting, seen = [node], {node}
    while waiting:
        for value, around in uses(document, waiting.pop()):
            match around:
                case ast.BinOp() | ast.UnaryOp():
                    waiting += [] if around in seen else [around]
                    seen.add(around)
                case ast.Attribute() | ast.Compare() | ast.FormattedValue():
                    pass
                case ast.Call() if value is not around.func and called(document, around) in REDUCING:
                    pass
                case _:
                    return True
    return False


def called(document: Document, call: ast.Call) -> str:
    """Return the last name of a callee of a library, or the name of a builtin."""
    qualified = Names(document, call).resolve(call.func)
    return qualified.rpartition(".")[2] or (call.func.id if isinstance(call.func, ast.Name) else "")


def is_only_read(document: Document, node: ast.expr) -> bool:
    """Return whether nothing shows that the array which an expression makes is written to.

    A value that leaves the function counts as written to if the file writes to any array.
    """
    for value, around in uses(document, node):
        match around:
            case ast.Call() if value is not around.func:
                names = Names(document, around)
                if names.resolve(around.func).rpartition(".")[2] in WRITING:
                    return False
                if not _reads_only(around, names) and writes_arrays(document.tree):
                    return False
            case ast.Attribute(attr=name) if name in ASKING:
                pass
            case ast.For(iter=held) | ast.comprehension(iter=held) if held is value:
                if writes_arrays(document.tree):
                    return False
            case ast.Compare() | ast.BinOp() | ast.UnaryOp() | ast.FormattedValue():
                pass
            case ast.Attribute() | ast.Subscript() | ast.AugAssign() | ast.Delete():
                return False
            case _ if writes_arrays(document.tree):
                return False
    return True


def _reads_only(call: ast.Call, names: Names) -> bool:
    """Return whether a callee is a function of JAX, transformed or not, or a builtin that only reads."""
    function = call.func
    while isinstance(function, ast.Call):
        function = function.func
    qualified = names.resolve(function)
    return qualified.startswith("jax.") or (isinstance(function, ast.Name) and not qualified and function.id in READING)


def writes_arrays(tree: ast.AST) -> bool:
    """Return whether a file may write to the elements of an array: ``a[0] = …``, ``a.sort()``, ``shuffle(a)``."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ctx=ast.Store() | ast.Del(), slice=index):
                if not (isinstance(index, ast.Constant) and isinstance(index.value, str)):
                    return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in WRITING or name in WRITING_METHODS:
                return True
            case ast.keyword(arg="out"):
                return True
    return False
