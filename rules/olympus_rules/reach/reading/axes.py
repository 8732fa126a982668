"""How many axes the result of an array function has, as far as the call spells it out.

Axes are counted as those of keys: the words of a raw key are the last one of an array, which does not count.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from olympus_rules.code import instructions as ir
from olympus_rules.reach.reading.definitions import is_imported

ONE_OF = ("dynamic_index_in_dim", "index_in_dim")
SHAPED = ("broadcast_to", "reshape")
"""Functions whose second argument, and methods whose arguments, are a shape."""


def added_axes(call: ast.Call, name: str, first: int = 1) -> int | None:
    """Return how many axes the result of a function of JAX has more than its array; ``None`` if that is not known.

    Args:
        call: the call.
        name: the last part of the function's name.
        first: the position of the first argument after the array: 0 for a method.
    """
    if name == "squeeze":
        axes = _argument(call, first, "axis") or _argument(call, first, "dimensions")
        several = axes.elts if isinstance(axes, ast.Tuple | ast.List) else [axes]
        return -len(several) if all(isinstance(_constant(each), int) for each in several) else None
    if name == "take" and _argument(call, first + 1, "axis") is not None:
        return _axes_of_index(_argument(call, first, "indices"))
    if name in SHAPED and (call.args or not first):
        return _axes_before_own(call.args[0] if first else call.func, _sizes(call.args[first:]))
    if first == 0:
        return 0 if name == "swapaxes" else None
    if name == "broadcast":
        sizes = _argument(call, 1, "sizes")
        return len(sizes.elts) if isinstance(sizes, ast.Tuple | ast.List) else None
    if name in ONE_OF:
        keeps = _argument(call, 3, "keepdims") or ast.Constant(value=True)
        return (0 if keeps.value else -1) if isinstance(keeps, ast.Constant) else None
    if name == "expand_dims":
        axes = _argument(call, 1, "axis") or _argument(call, 1, "dimensions")
        several = axes.elts if isinstance(axes, ast.Tuple | ast.List) else [axes]
        return len(several) if all(isinstance(_constant(each), int) for each in several) else None
    return None


def likely_axes(call: ast.Call, name: str, first: int = 1) -> int | None:
    """Return how many axes the result of a function most likely has in all; ``None`` if the call does not tell.

    What is squeezed without a number is most likely one key.

    Args:
        call: the call.
        name: the last part of the function's name.
        first: the position of the first argument after the array: 0 for a method.
    """
    if name == "squeeze":
        return 0 if len(call.args) == first and not call.keywords else None
    return _spelled_axes(call.args[first:]) if name in SHAPED else None


def _spelled_axes(shape: Sequence[ast.expr]) -> int | None:
    """Return how many axes an array of keys of a spelled-out shape has: a tuple, or its parts.

    The last part is the number of words, or ``*key.shape``, most likely of one key.
    """
    sizes = _sizes(shape)
    match sizes:
        case [*first, ast.Starred(value=ast.Attribute(attr="shape"))]:
            pass
        case _:
            first = sizes
    return None if len(sizes) < 2 or any(isinstance(size, ast.Starred) for size in first) else len(sizes) - 1


def ends_with_words(shape: Sequence[ast.expr]) -> bool:
    """Return whether a spelled-out shape surely ends with the axis of the words, so that it does not join keys."""
    match _sizes(shape)[-1:]:
        case [ast.Constant(value=2 | 4)]:
            return True
        case [ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.UnaryOp(operand=ast.Constant(value=1)))]:
            return True
    return False


def _sizes(shape: Sequence[ast.expr]) -> list[ast.expr]:
    return shape[0].elts if len(shape) == 1 and isinstance(shape[0], ast.Tuple | ast.List) else [*shape]


def index_axes(call: ast.Call) -> int | None:
    """Return how many axes ``array`` has more than ``value`` in ``array.at[index].set(value)``."""
    update = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(update, ast.Subscript):
        return None
    parts = update.slice.elts if isinstance(update.slice, ast.Tuple) else [update.slice]
    are_known = all(isinstance(part, ast.Slice) or isinstance(_constant(part), int) for part in parts)
    return sum(not isinstance(part, ast.Slice) for part in parts) if are_known else None


def _axes_before_own(array: ast.expr, sizes: Sequence[ast.expr]) -> int | None:
    """Return how many axes an array gets by a shape that ends with axes of its own: 1 for ``(4, 2, *x.shape[1:])``."""
    if isinstance(array, ast.Attribute) and array.attr in SHAPED:  # a method
        array = array.value
    match sizes:
        case [ast.Attribute(attr="shape", value=owner)] if ast.unparse(owner) == ast.unparse(array):
            return 0
        case [
            *first,
            ast.Starred(value=ast.Attribute(attr="shape", value=owner)),
        ] | [ast.BinOp(left=ast.Tuple(elts=first), op=ast.Add(), right=ast.Attribute(attr="shape", value=owner))]:
            is_own = ast.unparse(owner) == ast.unparse(array)
            return len(first) if is_own and not any(isinstance(size, ast.Starred) for size in first) else None
        case [
            *first,
            ast.Starred(value=ast.Subscript(value=own, slice=ast.Slice(ast.Constant(int(kept)), None, None))),
        ]:
            is_own = ast.unparse(own) == f"{ast.unparse(array)}.shape"
            return len(first) - kept if is_own and not any(isinstance(size, ast.Starred) for size in first) else None
    return None


def _axes_of_index(index: ast.expr | None) -> int | None:
    """Return how many axes an index adds to those of an array, one of which it takes."""
    if isinstance(_constant(index), int):
        return -1
    if not isinstance(index, ast.Call):
        return None
    made, given = ast.unparse(index.func).rpartition(".")[2], index.args[0] if index.args else None
    is_list = isinstance(given, ast.List | ast.Tuple) and all(isinstance(_constant(each), int) for each in given.elts)
    return 0 if made == "arange" or (made in ("array", "asarray") and is_list) else None


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    named = [option.value for option in call.keywords if option.arg == name]
    return named[0] if named else call.args[place] if len(call.args) > place else None


def _constant(node: ast.expr | None) -> object:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return node.value if isinstance(node, ast.Constant) else None


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
            case ast.Call(func=ast.Attribute(attr="argmax" | "argmin"), args=[_], keywords=[]) if is_imported(
                code, part.func
            ):  # of all elements
                axes -= 1
            case ast.Slice() | ast.Constant(value=str()):  # of a tree with such keys
                pass
            case _:
                return None
    return axes


def negative(index: ast.expr) -> int:
    """Return an index that counts from the end; 0 for another one."""
    match index:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return 0
