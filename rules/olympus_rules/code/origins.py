"""What single statements say of the attributes of a class's objects and of the results of functions.

An origin is the plain form of an expression or annotation: it names where an object comes from, and is resolved when
the class of the object is asked for. It holds no more of the tree than an annotation, so that it can outlive it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from olympus_rules.code.names import dotted_name
from olympus_rules.syntax.document import every_node

Origin: TypeAlias = tuple[Any, ...]
"""``("self",)``; ``("name", dotted)``; ``("type", annotation)``; ``("call", origin, given)`` for its result, with the
origins of the arguments; ``("attr", origin, name)``; ``("item", origin)`` for an element of a container and ``("of",
origin)`` for a container of such elements; ``("maybe", origin)`` for what another method may replace; ``("made",
origin, annotation)`` for what a call is annotated to give, which may be of another class."""

SELF: Origin = ("self",)
SETTING_UP = ("__init__", "setup", "__post_init__", "__attrs_post_init__")
"""The methods that give an object its attributes."""
Given: TypeAlias = tuple[tuple[str | None, Origin | None], ...]
Known: TypeAlias = Mapping[str, Origin | None]


def unquoted(annotation: ast.expr) -> ast.expr:
    """Return an annotation that is written as a string, as the expression that the string holds."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.parse(annotation.value.strip(), mode="eval").body
    return annotation


def attributes(node: ast.ClassDef) -> dict[str, Origin]:
    """Return the origins of the attributes of a class's objects, as annotations or its initialising methods say."""
    declared: dict[str, Origin] = {}
    for field in node.body:
        match field:
            case ast.AnnAssign(target=ast.Name(id=name)):
                declared[name] = ("type", unquoted(field.annotation))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute() as value):
                declared[name] = ("name", dotted_name(value))
    written: dict[str, Origin | None] = {}
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in SETTING_UP and (self := _receiver(method)):
            known = _variables(method)
            for name, origin in _written(method.body, self, known):
                written[name] = origin if written.get(name, origin) == origin else None
    found = {name: origin for name, origin in written.items() if origin is not None}
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name not in SETTING_UP and (self := _receiver(method)):
            for name in {name for name, _ in _written(method.body, self, {})} & found.keys():
                found[name] = ("maybe", written[name])
    annotated = {name: _as_made(found.get(name), origin) for name, origin in declared.items()}
    return found | annotated


def _as_made(found: Origin | None, declared: Origin) -> Origin:
    """Return the origin of an attribute that is declared: the call that makes it, if one does, says more."""
    return ("made", found, declared) if found is not None and found[0] in ("call", "made") else declared


def result(node: ast.AST, *, is_method: bool) -> Origin | None:
    """Return the origin of a function's result: as it is annotated, or as its last statement says."""
    if not isinstance(node, ast.FunctionDef):
        return None
    if node.returns is not None:
        return ("type", unquoted(node.returns))
    last = node.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Attribute | ast.Call | ast.Name):
        return None
    return _origin(last.value, _variables(node, is_method=is_method))


def _receiver(method: ast.FunctionDef) -> str:
    given = (*method.args.posonlyargs, *method.args.args)
    return given[0].arg if given else ""


def _variables(function: ast.FunctionDef, *, is_method: bool = True) -> dict[str, Origin | None]:
    """Return the origins of a function's parameters, and of the variables that one statement of its body binds."""
    arguments = function.args
    given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    known: dict[str, Origin | None] = {
        each.arg: None if each.annotation is None else ("type", unquoted(each.annotation)) for each in given
    }
    if is_method and (self := _receiver(function)):
        known[self] = SELF
    for statement in _statements(function.body):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                stored = [part for part in every_node(target) if isinstance(part, ast.Name)]
                for name in [part.id for part in stored if isinstance(part.ctx, ast.Store)]:
                    is_new = isinstance(target, ast.Name) and name not in known
                    known[name] = _origin(statement.value, known) if is_new else None
    return known


def _written(body: list[ast.stmt], self: str, known: Known) -> Iterator[tuple[str, Origin | None]]:
    """Yield the attributes that statements write to an object, with their origins."""
    for statement in _statements(body):
        if isinstance(statement, ast.AnnAssign) and (name := _attribute(statement.target, self)):
            made = None if statement.value is None else _origin(statement.value, known)
            yield name, _as_made(made, ("type", unquoted(statement.annotation)))
        if isinstance(statement, ast.Assign):
            for target, value in _pairs(statement):
                if (name := _attribute(target, self)) and not _is_none(value):
                    yield name, _origin(value, known)


def _pairs(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of an assignment with their values: ``a, b = A(), B()`` has two."""
    value = statement.value
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            yield from zip(target.elts, value.elts, strict=True)
        else:
            yield target, value


def _attribute(target: ast.expr, self: str) -> str:
    """Return the name of the attribute of an object that is written, empty for any other target."""
    match target:
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == self:
            return name
    return ""


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, with those in their branches."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.With | ast.Try):
            yield from _statements([*statement.body, *getattr(statement, "orelse", ())])


def _origin(node: ast.expr, known: Known) -> Origin | None:
    """Return the origin of an expression in a function whose variables have known origins."""
    match node:
        case ast.Name(id=name):
            return known.get(name, ("name", name))
        case ast.Attribute(value=value, attr=name):
            owner = _origin(value, known)
            if owner is not None and owner[0] == "name":
                return ("name", f"{owner[1]}.{name}")
            return owner and ("attr", owner, name)
        case ast.Call(func=function, args=args, keywords=keywords):
            given = [(None, each) for each in args] + [(each.arg, each.value) for each in keywords]
            is_plain = not any(isinstance(each, ast.Starred) for each in args)
            parts = tuple((name, _origin(each, known)) for name, each in given if is_plain)
            return (made := _origin(function, known)) and ("call", made, parts)
        case ast.Subscript(value=value):
            return (container := _origin(value, known)) and ("item", container)
        case ast.List(elts=[element, *_]) | ast.Tuple(elts=[element, *_]) | ast.ListComp(elt=element):
            return (part := _origin(element, known)) and ("of", part)
        case ast.Dict(values=[element, *_]) | ast.DictComp(value=element):
            return (part := _origin(element, known)) and ("of", part)
        case ast.IfExp(body=first, orelse=second):
            return _origin(second if _is_none(first) else first, known)
        case ast.BoolOp(values=[*_, last]):
            return _origin(last, known)
    return None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
