"""Lowering of statements, but definitions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from olympus_rules.code import instructions as ir
from olympus_rules.code.conditions import calls_asked, default, is_simple, missing
from olympus_rules.code.names import dotted_name
from olympus_rules.code.scope import Handler, Scope
from olympus_rules.code.targets import assign, capture, irrefutable, pattern_test
from olympus_rules.syntax.document import every_node
from olympus_rules.syntax.imports import bindings

PLAIN = (int, float, str, type(None))
RAISING_CONTEXTS = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesWithLiteralMatch")
SEVERAL = 2
NEVER_RETURN = ("sys.exit", "exit", "quit", "os._exit", "os.abort", "pytest.fail", "pytest.skip", "self.skipTest")


def _expression(scope: Scope, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        scope.expr(node.value)
        if isinstance(node.value, ast.Call) and dotted_name(node.value.func) in NEVER_RETURN:
            scope.out.append(ir.Jump("raise"))


def _assign(scope: Scope, node: ast.Assign) -> None:
    if len(node.targets) == 1 and (filled := default(node)) is not None:
        return _if(scope, filled)
    src = scope.expr(node.value)
    outer, scope.missing = scope.missing, {**scope.missing, **_updated(scope, node.value)}
    for target in node.targets:
        assign(scope, target, src)
    scope.missing = outer


def _updated(scope: Scope, value: ast.expr) -> dict[str, str]:
    """Return what was given a first value and is now computed from its own: a next value is not ``None`` either."""
    if not scope.started:
        return {}
    return dict.fromkeys(
        scope.started & {dotted_name(part) for part in every_node(value) if isinstance(part, ast.expr)}, "none"
    )


def _annotated(scope: Scope, node: ast.AnnAssign) -> None:
    if scope.class_ is not None and isinstance(node.target, ast.Name):
        scope.class_.fields.append(node.target.id)
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, PLAIN):
            scope.class_.defaults[node.target.id] = node.value.value
    if node.value is not None:
        assign(scope, node.target, scope.expr(node.value))


def _augmented(scope: Scope, node: ast.AugAssign) -> None:
    operands = [scope.expr(node.target), scope.expr(node.value)]
    assign(scope, node.target, scope.binary(node, operands, type(node.op).__name__))


def _return(scope: Scope, node: ast.Return) -> None:
    scope.out.append(ir.Return(scope.expr(node.value) if node.value else None))


def _delete(scope: Scope, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Tuple | ast.List):
            _delete(scope, ast.Delete(target.elts))
        elif isinstance(target, ast.Subscript):
            name = scope.rename(target.value.id) if isinstance(target.value, ast.Name) else None
            obj, index = scope.expr(target.value), scope.expr(target.slice)
            scope.out.append(ir.Item(scope.register(), obj, index, target))
            scope.out.append(ir.DeleteItem(obj, index, name))
        elif not isinstance(target, ast.Name):
            scope.expr(target)


def _raise(scope: Scope, node: ast.Raise) -> None:
    if node.exc is not None:
        raised = scope.expr(node.exc)
        if not _is_message(node.exc):
            scope.binary(node, [raised], "raise")
    class_ = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    scope.out.append(ir.Jump("raise", "" if class_ is None else dotted_name(class_).rpartition(".")[2]))


def _is_message(raised: ast.expr) -> bool:
    """Return whether an exception is a class, or holds nothing but a text."""
    arguments = [*raised.args, *(keyword.value for keyword in raised.keywords)] if isinstance(raised, ast.Call) else []
    return isinstance(raised, ast.Call) and all(isinstance(each, ast.Constant | ast.JoinedStr) for each in arguments)


def _jump(scope: Scope, node: ast.Break | ast.Continue) -> None:
    scope.out.append(ir.Jump(type(node).__name__.lower()))


def _assert(scope: Scope, node: ast.Assert) -> None:
    block, test = scope.test(node.test)
    if is_simple(node.test):
        scope.out.append(ir.Branch([(block, test, ir.Block())], ir.Block([ir.Jump("raise", AssertionError.__name__)])))
    else:
        scope.out.extend(block.body)


def _global(scope: Scope, node: ast.Global) -> None:
    scope.code.outer_names.update(node.names)
    outermost = scope.code
    while outermost.parent is not None:
        outermost = outermost.parent
    outermost.rebound.update(node.names)


def _nonlocal(scope: Scope, node: ast.Nonlocal) -> None:
    scope.code.outer_names.update(node.names)
    outer = scope.code.parent
    while outer is not None and outer.kind != "module":
        outer.rebound.update(node.names)
        outer = outer.parent


def _import(scope: Scope, node: ast.Import | ast.ImportFrom) -> None:
    found = list(bindings(node, module=scope.module.name, is_package=scope.module.is_package))
    scope.code.stars += [qualified for name, qualified in found if name == "*"]
    named = [(scope.rename(name), qualified) for name, qualified in found if name != "*"]
    scope.code.local_names.update(name for name, _ in named)
    for name, qualified in named:
        scope.code.imported.setdefault(name, qualified)
    scope.out.append(ir.Import(named))


def _if(scope: Scope, node: ast.If) -> None:
    arms: list[tuple[ir.Block, int, ir.Block]] = []
    while True:  # an elif chain is one Branch, so that a long one does not nest
        arms.append((*scope.test(node.test), _filling(scope, node.body, missing(node.test))))
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            break
        node = node.orelse[0]
    scope.out.append(ir.Branch(arms, _filling(scope, node.orelse, missing(node.test, negated=True))))
    names = missing(node.test)
    written = {dotted_name(target) for each in node.body if isinstance(each, ast.Assign) for target in each.targets}
    scope.started |= {name for name in written if name and names.get(name) == "none"}


def _filling(scope: Scope, body: Sequence[ast.stmt], names: dict[str, str]) -> ir.Block:
    """Lower a body before which variables and attributes hold no value."""
    scope.ending(body)
    outer, scope.missing = scope.missing, {**scope.missing, **names} if names else scope.missing
    block = scope.block(body)
    scope.missing = outer
    return block


def _for(scope: Scope, node: ast.For | ast.AsyncFor) -> None:
    iterable, element = scope.expr(node.iter), scope.register()

    def body() -> None:
        assign(scope, node.target, element)
        for part in every_node(node.target):  # each iteration binds the target anew
            if isinstance(part, ast.Name):
                scope.bound[scope.rename(part.id)] = SEVERAL
        scope.run(node.body)

    block = scope.within(body)
    scope.out.append(ir.Loop("loop", iterable, element, None, block, scope.block(node.orelse), node.iter))


def _while(scope: Scope, node: ast.While) -> None:
    test, body = scope.test(node.test), scope.block(node.body)
    scope.out.append(ir.Loop("loop", None, -1, test, body, scope.block(node.orelse)))


def _try(scope: Scope, node: ast.Try | ast.TryStar) -> None:
    handlers = [scope.within(_handler, scope, handler) for handler in node.handlers]
    body, orelse = scope.block(node.body), scope.block(node.orelse)
    catches = tuple(_caught(handler.type) for handler in node.handlers)
    scope.out.append(ir.Try(body, handlers, orelse, scope.block(node.finalbody), catches))


def _caught(classes: ast.expr | None) -> tuple[str, ...]:
    """Return the names of the exceptions that a handler catches; without a class it catches all."""
    if classes is None:
        return (BaseException.__name__,)
    parts = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    return tuple(dotted_name(part).rpartition(".")[2] for part in parts)


def _handler(scope: Scope, handler: ast.ExceptHandler) -> None:
    if handler.name is not None:
        caught = scope.bind(handler.name)
        scope.out.append(ir.Store(caught, scope.binary(handler, operation="caught"), handler))
    scope.run(handler.body)


def _with(scope: Scope, node: ast.With | ast.AsyncWith) -> None:
    raising = False
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and dotted_name(call.func).rpartition(".")[2] in RAISING_CONTEXTS:
            raising = True
        entered = scope.binary(call, [scope.expr(call)], "with")
        if item.optional_vars is not None:
            assign(scope, item.optional_vars, entered)
    if raising:
        scope.out.append(ir.Raising(scope.block(node.body)))
    else:
        scope.run(node.body)


def _match(scope: Scope, node: ast.Match) -> None:
    subject = scope.expr(node.subject)
    arms: list[tuple[ir.Block, int, ir.Block]] = []
    orelse = ir.Block()
    for case in node.cases:
        body = scope.within(_case_body, scope, case, subject)
        if case.guard is None and irrefutable(case.pattern):
            orelse = body
            break
        arms.append((*scope.computed(_case_test, scope, case, subject), body))
    if arms:
        scope.out.append(ir.Branch(arms, orelse))
    else:
        scope.out.extend(orelse.body)


def _case_test(scope: Scope, case: ast.match_case, subject: int) -> int:
    dst = pattern_test(scope, case.pattern, subject)
    if case.guard is None:
        return dst
    capture(scope, case.pattern, subject)
    scope.asking.update(calls_asked(case.guard))
    both = scope.register()
    return scope.put(ir.Boolean(both, "and", [dst, scope.expr(case.guard)]))


def _case_body(scope: Scope, case: ast.match_case, subject: int) -> None:
    capture(scope, case.pattern, subject)
    scope.ending(case.body)
    scope.run(case.body)


HANDLERS: dict[type[ast.AST], Handler] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Delete: _delete,
    ast.Raise: _raise,
    **dict.fromkeys((ast.Break, ast.Continue), _jump),
    ast.Assert: _assert,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    **dict.fromkeys((ast.Import, ast.ImportFrom), _import),
    ast.If: _if,
    **dict.fromkeys((ast.For, ast.AsyncFor), _for),
    ast.While: _while,
    **dict.fromkeys((ast.Try, ast.TryStar), _try),
    **dict.fromkeys((ast.With, ast.AsyncWith), _with),
    ast.Match: _match,
}
