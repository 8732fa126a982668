"""How many axes a split adds and a subscript takes, as far as they spell it out.

Axes are counted as those of keys: the words of a raw key are the last one of an array, which does not count.
"""

from __future__ import annotations

import ast

from olympus_rules.code import instructions as ir


def axes_of_size(size: ast.expr) -> int | None:
    """Return the number of axes that a split of a size adds; ``None`` if unknown."""
    match size:
        case ast.Constant(value=int()) | ast.BinOp(op=ast.Mult() | ast.Sub() | ast.FloorDiv()):
            return 1
        case ast.Call(func=ast.Name(id="len" | "int")):
            return 1
        case ast.Tuple(elts=sizes) if not any(isinstance(each, ast.Starred) for each in sizes):
            return len(sizes)
    return None


def axes_of(code: ir.FunctionCode, index: ast.expr) -> int | None:
    """Return by how many axes a subscript changes the rank of an array; ``None`` if an index may be an array.

    Args:
        code: the function or module of the subscript.
        index: the index.
    """
    axes = 0
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(parts) > 1 and isinstance(parts[0], ast.Slice):
        return None  # a column of `keys[:, 0]` has words
    for part in parts:
        match part:
            case ast.Constant(value=None):
                axes += 1
            case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
                axes -= 1
            case ast.Call(func=ast.Name(id="int" | "len")):
                axes -= 1
            case ast.Call(func=ast.Attribute(attr="argmax" | "argmin"), args=[_], keywords=[]) if code.imported_name(
                part.func
            ):  # of all elements
                axes -= 1
            case ast.Slice() | ast.Constant(value=str()):  # of a tree with such keys
                pass
            case _:
                return None
    return axes
