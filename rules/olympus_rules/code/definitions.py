"""Lowering of functions, lambdas and classes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from olympus_rules.code import instructions as ir
from olympus_rules.code import origins
from olympus_rules.code.names import dotted_name
from olympus_rules.code.scope import Handler, Scope

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

KINDS = {name: name for name in ("staticmethod", "classmethod", "property", "cached_property")} | {"setter": "property"}
ABSTRACT = ("abstractmethod", "abstractproperty")


def _definition(scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    made = _made(scope, node, node.name)
    code = made.code
    name = scope.bind(node.name)
    accessors = {part.attr for part in node.decorator_list if isinstance(part, ast.Attribute)}
    if scope.class_ is not None and "setter" in accessors:
        code.kind = "method"
        scope.class_.methods[ir.setter(node.name)] = code
    elif scope.class_ is not None and "deleter" not in accessors:
        scope.class_.methods[node.name] = code
    scope.code.definitions[name] = code
    scope.out.append(ir.Store(name, made.dst, node))


def _lambda(scope: Scope, node: ast.Lambda) -> int:
    return _made(scope, node, "<lambda>").dst


def _made(scope: Scope, node: FunctionNode, name: str) -> ir.MakeFunction:
    """Lower a function or lambda, and add the instruction that makes it."""
    args = node.args
    positional = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    keyword = [arg.arg for arg in args.kwonlyargs]
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    code = ir.FunctionCode(
        name=f"{scope.class_.name}.{name}" if scope.class_ is not None else name,
        node=node,
        parameters=(*positional, *keyword),
        positional=len(positional),
        vararg=args.vararg.arg if args.vararg else None,
        kwarg=args.kwarg.arg if args.kwarg else None,
        parent=scope.code,
        owner=scope.class_,
        kind=_kind(decorators, scope.class_ is not None and not isinstance(node, ast.Lambda)),
        result=origins.result(node, is_method=scope.class_ is not None),
    )
    code.local_names.update(code.every_parameter)
    defaults = [
        (parameter, scope.expr(default), default)
        for parameter, default in [
            *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
            *((k, d) for k, d in zip(keyword, args.kw_defaults, strict=True) if d is not None),
        ]
    ]
    registers = [_decorator(scope, decorator) for decorator in decorators]
    inner = Scope(code, scope.module)
    inner.renames = [  # the variables of the comprehensions around it, which its own names hide
        {name: variable for name, variable in names.items() if "$" in variable and name not in code.local_names}
        for names in scope.renames
    ]
    scope.code.nested.append(code)
    code.waiting = partial(_body, inner, node)
    if scope.code.kind != "module" or isinstance(node, ast.Lambda) or scope.module.has_globals:
        code.lower()
        scope.code.reads |= code.reads
    made = ir.MakeFunction(scope.register(), code, defaults, registers)
    scope.out.append(made)
    return made


def _decorator(scope: Scope, node: ast.expr) -> int:
    register = scope.expr(node)
    last = scope.out[-1] if scope.out else None
    if isinstance(last, ir.Call) and last.node is node:
        last.decorates = True
    return register


def _body(scope: Scope, node: FunctionNode) -> None:
    """Lower the body of a function or lambda."""
    if isinstance(node, ast.Lambda):
        scope.out.append(ir.Return(scope.expr(node.body)))
        scope.lower([])
    else:
        scope.ending(node.body)
        scope.lower(node.body)


def _class(scope: Scope, node: ast.ClassDef) -> None:
    bases = [scope.expr(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases]
    for part in (*(keyword.value for keyword in node.keywords), *node.decorator_list):
        scope.expr(part)
    code = ir.ClassCode(node.name, node)
    code.left_open, code.declared, code.scope = _left_open(node), origins.attributes(node), scope.code
    outer = scope.class_, scope.renames
    scope.class_, scope.renames = code, [{}]
    body = scope.block(node.body)
    code.values = _bound_values(code)
    scope.class_, scope.renames = outer
    dst, name = scope.register(), scope.bind(node.name)
    scope.out.append(ir.MakeClass(dst, code, body, bases))
    scope.code.definitions[name] = code
    scope.out.append(ir.Store(name, dst, node))


def _left_open(node: ast.ClassDef) -> frozenset[str]:
    """Return the names of the methods that a class leaves to its subclasses."""
    bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    is_protocol = any(dotted_name(base).rpartition(".")[2] == "Protocol" for base in bases)
    methods = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(each.name for each in methods if is_protocol or _is_abstract(each))


def _is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a method is left to subclasses: by its decorator, or because it raises an error that says so."""
    last = node.body[-1]
    if isinstance(last, ast.Raise) and last.exc is not None and "NotImplemented" in ast.unparse(last.exc):
        return True
    return any(dotted_name(each).endswith(ABSTRACT) for each in node.decorator_list)


def _bound_values(class_: ir.ClassCode) -> frozenset[str]:
    """Return the names that a class body binds to other values than methods; an alias of a method is a method."""
    found: set[str] = set()
    for statement in class_.node.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if value is None or not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for name in [target.id for target in targets if isinstance(target, ast.Name)]:
            if isinstance(value, ast.Name) and value.id in class_.methods:
                class_.methods.setdefault(name, class_.methods[value.id])
            elif name not in class_.methods:
                found.add(name)
    return frozenset(found)


def _kind(decorators: Sequence[ast.expr], is_method: bool) -> str:
    """Return the kind of a function, which its first known decorator decides."""
    if not is_method:
        return "function"
    names = (dotted_name(decorator).rpartition(".")[2] for decorator in decorators)
    kind = next((KINDS[name] for name in names if name in KINDS), "method")
    return "cached_property" if kind == "property" and any(map(_remembers, decorators)) else kind


def _remembers(decorator: ast.expr) -> bool:
    """Return whether a decorator caches results, so that equal calls execute the function once."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return dotted_name(function).rpartition(".")[2] in ("cache", "lru_cache")


EXPRESSIONS: dict[type[ast.AST], Handler] = {ast.Lambda: _lambda}
STATEMENTS: dict[type[ast.AST], Handler] = {
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), _definition),
    ast.ClassDef: _class,
}
