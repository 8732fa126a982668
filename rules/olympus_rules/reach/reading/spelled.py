"""What expressions spell out: the names of attributes, of fields and of variables, and numbers of axes.

Axes are counted as those of keys: the words of a raw key are the last one of an array, which does not count.
"""

from __future__ import annotations

import ast

from olympus_rules.code import instructions as ir
from olympus_rules.code.names import dotted_name
from olympus_rules.reach.reading.containers import FILLING
from olympus_rules.syntax.document import Parents, every_node


def spelling(node: ast.expr) -> str:
    """Return how an expression is written; of a name with attributes, without ``ast.unparse``, which takes longer."""
    dotted = dotted_name(node)
    return ast.unparse(node) if "?" in dotted else dotted


def owners(tree: ast.Module) -> set[ast.AST]:
    """Return the expressions of which an attribute or element is read, and that it does not change."""
    reads = [node for node in every_node(tree) if isinstance(node, ast.Attribute | ast.Subscript)]
    return {node.value for node in reads if isinstance(node.ctx, ast.Load) and getattr(node, "attr", "") not in FILLING}


def looped_names(call: ast.Call, parents: Parents) -> list[str] | None:
    """Return the names of attributes in a loop whose variable names one: none where they are not spelled out.

    Returns:
        The names, or ``None`` without such a loop; ``field.name`` is that of a loop over fields.
    """
    name, around = call.args[1], parents.get(call)
    if isinstance(name, ast.Attribute) and name.attr == "name":
        return []
    while around is not None and isinstance(name, ast.Name):
        for loop in [around] if isinstance(around, ast.For) else getattr(around, "generators", []):
            if ast.unparse(loop.target) == name.id:
                names = loop.iter.elts if isinstance(loop.iter, ast.List | ast.Set | ast.Tuple) else []
                spelled = [each.value for each in names if isinstance(each, ast.Constant)]
                texts = [each for each in spelled if isinstance(each, str)]
                return texts if len(texts) == len(names) else []
        around = parents.get(around)
    return None


def constant_names(node: ast.expr) -> list[str]:
    """Return the names in ``"a b"``, ``["a", "b"]`` or ``[("a", int), "b"]``."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    parts = [part.elts[0] if isinstance(part, ast.Tuple) and part.elts else part for part in parts]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return " ".join(texts).replace(",", " ").split()


def is_spelled(code: ir.FunctionCode, node: ast.expr) -> bool:
    """Return whether an expression is the name of a class or of an import, or attributes of one."""
    scope = code.binder(node.id) if isinstance(node, ast.Name) else None
    if scope is not None and isinstance(scope.definitions.get(dotted_name(node)), ir.ClassCode):
        return True
    return code.imported_name(node) is not None


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
