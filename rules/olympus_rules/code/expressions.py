"""Lowering of expressions, but lambdas."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from olympus_rules.code import instructions as ir
from olympus_rules.code.conditions import calls_asked, matters_when
from olympus_rules.code.names import dotted_name
from olympus_rules.code.scope import Handler, Scope
from olympus_rules.code.targets import assign
from olympus_rules.syntax.document import every_node

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _constant(scope: Scope, node: ast.Constant) -> int:
    return scope.put(ir.Constant(scope.register(), node.value, node))


def _name(scope: Scope, node: ast.Name) -> int:
    dst, name = scope.register(), scope.rename(node.id)
    scope.code.reads.add(name)
    scope.out.append(ir.Load(dst, name, node))  # not by `put`, as nearly every second instruction is one of these
    return dst


def _attribute(scope: Scope, node: ast.Attribute) -> int:
    obj = scope.expr(node.value)
    return scope.put(ir.Attribute(scope.register(), obj, node.attr, node))


def _subscript(scope: Scope, node: ast.Subscript) -> int:
    obj, index = scope.expr(node.value), scope.expr(node.slice)
    return scope.put(ir.Item(scope.register(), obj, index, node))


def _slice(scope: Scope, node: ast.Slice) -> int:
    lower, upper, step = (scope.expr(part) if part else None for part in (node.lower, node.upper, node.step))
    return scope.put(ir.Slice(scope.register(), lower, upper, step))


def _sequence(scope: Scope, node: ast.Tuple | ast.List | ast.Set) -> int:
    items = _items(scope, node.elts)
    return scope.put(ir.BuildSequence(scope.register(), type(node).__name__.lower(), items, node))


def _items(scope: Scope, nodes: Sequence[ast.expr]) -> list[tuple[int, bool]]:
    """Lower elements or arguments, each with whether it has a star."""
    return [
        (scope.expr(node.value), True) if isinstance(node, ast.Starred) else (scope.expr(node), False) for node in nodes
    ]


def _dict(scope: Scope, node: ast.Dict) -> int:
    items = [
        (None if key is None else scope.expr(key), scope.expr(value))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return scope.put(ir.BuildMap(scope.register(), items))


def _call(scope: Scope, node: ast.Call) -> int:
    owner, receiver = None, None
    if isinstance(node.func, ast.Attribute):
        owner, func = scope.expr(node.func.value), scope.register()
        scope.out.append(ir.Attribute(func, owner, node.func.attr, node.func))
        if isinstance(node.func.value, ast.Name):
            receiver = scope.rename(node.func.value.id)
    else:
        func = scope.expr(node.func)
    args = _items(scope, node.args)
    keywords = [(keyword.arg, scope.expr(keyword.value)) for keyword in node.keywords]
    asks, closes = node in scope.asking, node in scope.closing
    return scope.put(ir.Call(scope.register(), func, args, keywords, node, receiver, owner, asks, closes=closes))


def _binary(scope: Scope, node: ast.BinOp) -> int:
    return scope.binary(node, [scope.expr(node.left), scope.expr(node.right)], type(node.op).__name__)


def _unary(scope: Scope, node: ast.UnaryOp) -> int:
    if isinstance(node.op, ast.Not):
        operand = scope.expr(node.operand)
        return scope.put(ir.Boolean(scope.register(), "not", [operand]))
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if isinstance(value, int | float):
            return _constant(scope, ast.copy_location(ast.Constant(-value), node))
    return scope.binary(node, [scope.expr(node.operand)], type(node.op).__name__)


def _compare(scope: Scope, node: ast.Compare) -> int:
    operands = [scope.expr(node.left), *(scope.expr(part) for part in node.comparators)]
    parts = [
        scope.binary(node, sides, type(operation).__name__)
        for operation, sides in zip(node.ops, pairwise(operands), strict=True)
    ]
    return parts[0] if len(parts) == 1 else scope.put(ir.Boolean(scope.register(), "and", parts))


def _boolean(scope: Scope, node: ast.BoolOp) -> int:
    operation = "and" if isinstance(node.op, ast.And) else "or"
    if any(matters_when(part) for value in node.values[1:] for part in every_node(value)):
        return _short_circuit(scope, node.values, operation)
    operands = [scope.expr(value) for value in node.values]
    return scope.put(ir.Boolean(scope.register(), operation, operands))


def _short_circuit(scope: Scope, values: Sequence[ast.expr], operation: str) -> int:
    """Lower ``a and b`` whose right side has an effect: it runs only if the left side leaves the result open."""
    name = scope.temporary()
    if operation == "and":  # if the first value is true, it is not the result
        scope.asking.update(calls_asked(values[0]))
    first = scope.expr(values[0])
    scope.out.append(ir.Assign(name, first))
    rest = values[1:]

    def evaluate() -> None:
        right = _short_circuit(scope, rest, operation) if len(rest) > 1 else scope.expr(rest[0])
        both = scope.put(ir.Boolean(scope.register(), operation, [first, right]))
        scope.out.append(ir.Assign(name, both))

    body, empty = scope.within(evaluate), ir.Block()
    arm, orelse = (body, empty) if operation == "and" else (empty, body)
    scope.out.append(ir.Branch([(ir.Block(), first, arm)], orelse))
    return scope.put(ir.Load(scope.register(), name, values[0]))


def _conditional(scope: Scope, node: ast.IfExp) -> int:
    name = scope.temporary()
    block, test = scope.test(node.test)

    def arm(value: ast.expr) -> None:
        scope.out.append(ir.Assign(name, scope.expr(value)))

    body = scope.within(arm, node.body)
    scope.out.append(ir.Branch([(block, test, body)], scope.within(arm, node.orelse)))
    return scope.put(ir.Load(scope.register(), name, node))


def _named(scope: Scope, node: ast.NamedExpr) -> int:
    src = scope.expr(node.value)
    # a walrus in a comprehension binds in the enclosing scope
    scope.out.append(ir.Store(scope.bind(node.target.id), src, node.target))
    return src


def _inner(scope: Scope, node: ast.Await | ast.Starred) -> int:
    return scope.expr(node.value)


def _yield(scope: Scope, node: ast.Yield | ast.YieldFrom) -> int:
    src = scope.expr(node.value) if node.value else None
    decorators = getattr(scope.code.node, "decorator_list", [])
    scope.code.yields = not any(dotted_name(part).endswith("contextmanager") for part in decorators)
    scope.out.append(ir.Return(src, leaves=False, is_spread=isinstance(node, ast.YieldFrom)))
    return scope.binary(node, [] if src is None else [src], "yield")


def _text(scope: Scope, node: ast.JoinedStr) -> int:
    operands = [scope.expr(part.value) for part in node.values if isinstance(part, ast.FormattedValue)]
    return scope.binary(node, operands, "format")


def _comprehension(scope: Scope, node: Comprehension) -> int:
    name = scope.temporary()
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    _loops(scope, node.generators, elements, name)
    return scope.put(ir.Collect(scope.register(), name, node))


def _loops(scope: Scope, generators: Sequence[ast.comprehension], elements: Sequence[ast.expr], name: str) -> None:
    """Lower the loops of a comprehension from the outermost on, and what each iteration of the innermost one adds."""
    if not generators:
        values = [scope.expr(element) for element in elements]
        scope.out.append(ir.Append(name, values[-1]))
        return
    generator, *inner = generators
    iterable, element = scope.expr(generator.iter), scope.register()
    parts = [part.id for part in every_node(generator.target) if isinstance(part, ast.Name)]
    scope.renames.append({part: f"{part}{scope.temporary()}" for part in parts})

    def body() -> None:
        assign(scope, generator.target, element)
        _filtered(scope, generator.ifs, partial(_loops, scope, inner, elements, name))

    block = scope.within(body)
    scope.renames.pop()
    scope.out.append(ir.Loop("comprehension", iterable, element, None, block, ir.Block(), generator.iter))


def _filtered(scope: Scope, conditions: Sequence[ast.expr], emit: Callable[[], None]) -> None:
    if not conditions:
        emit()
        return
    block, test = scope.test(conditions[0])
    body = scope.within(_filtered, scope, conditions[1:], emit)
    scope.out.append(ir.Branch([(block, test, body)], ir.Block()))


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    **dict.fromkeys((ast.Tuple, ast.List, ast.Set), _sequence),
    ast.Dict: _dict,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.NamedExpr: _named,
    **dict.fromkeys((ast.Await, ast.Starred), _inner),
    **dict.fromkeys((ast.Yield, ast.YieldFrom), _yield),
    ast.JoinedStr: _text,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), _comprehension),
}
