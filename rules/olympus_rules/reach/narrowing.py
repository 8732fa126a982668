"""What a test says of the variables behind it: inside ``if isinstance(x, list):``, ``x`` is no key."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.libraries.names import ANY_ARRAY, HOLDERS
from olympus_rules.reach.values import UNDIVIDED, Container, Key, Structure, Words
from olympus_rules.syntax.document import Parents
from olympus_rules.syntax.rebinding import binds

__all__ = ["Predicate", "kinds_of", "predicates", "tests"]

Resolve: TypeAlias = Callable[[ast.expr], str | None]
"""Returns the qualified name of a class of a library or of Python; ``None`` for another."""
NUMBERS = frozenset({"bool", "bytes", "complex", "float", "int", "str"})
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
LEAVING = ast.Return | ast.Raise | ast.Continue | ast.Break
LIST_OF_WORDS: tuple[type, ...] = (*UNDIVIDED, Structure, Words)
"""The kinds of values that are neither keys nor containers; words may have become a list."""


class Predicate(NamedTuple):
    """A function that only returns a test of its first parameter."""

    parameter: str
    test: ast.expr


def predicates(module: FunctionCode) -> dict[str, Predicate]:
    """Return the functions at a module's level that only return a test of their first parameter, by name."""
    found: dict[str, Predicate] = {}
    for name, code in module.definitions.items():
        match code.node:
            case ast.FunctionDef(
                args=ast.arguments(args=[ast.arg(arg=parameter)], posonlyargs=[], vararg=None),
                body=[*before, ast.Return(value=ast.Call() | ast.BoolOp() | ast.UnaryOp() | ast.Compare() as test)],
                decorator_list=[],
            ) if all(isinstance(each, ast.Expr) for each in before):
                found[name] = Predicate(parameter, test)
    return found


def kinds_of(
    name: ast.Name, parents: Parents, resolve: Resolve, predicate: Callable[[str], Predicate | None]
) -> tuple[type, ...]:
    """Return the kinds of values that a variable may hold where it is read; nothing if no test says it.

    A test counts if the variable is not bound between it and the read.

    Args:
        name: the read.
        parents: the parents of the nodes of the file.
        resolve: resolves a class of a test.
        predicate: returns a predicate of the file by its name, ``None`` for any other name.
    """
    excluded: set[type] = set()
    for test, is_true in tests(name, parents, name.id):
        excluded.update(*_Asked(resolve, predicate).excluded(test, name.id, is_true=is_true))
    if not excluded:
        return ()
    return (*LIST_OF_WORDS, *(kind for kind in (Key, Container) if kind not in excluded))


def tests(node: ast.expr, parents: Parents, name: str = "") -> Iterator[tuple[ast.expr, bool]]:
    """Yield the tests that were made before an expression, each with its outcome.

    Args:
        node: the expression.
        parents: the parents of the nodes of the file.
        name: a variable that the tests read, and that is not bound between them and the expression; empty for any test.
    """
    inner: ast.AST = node
    outer = parents.get(inner)
    while outer is not None and not isinstance(outer, ast.Module | ast.ClassDef):
        match outer:
            case ast.IfExp(test=test) if inner is not test and not binds([outer], name):
                yield test, inner is outer.body
            case ast.BoolOp(op=op, values=values) if not binds([outer], name):
                yield from ((each, isinstance(op, ast.And)) for each in values[: values.index(inner)])  # type: ignore[arg-type]
            case ast.If(test=test) | ast.While(test=test) if inner is not test and _reads(test, name):
                is_body = inner in outer.body
                if not binds_before(outer.body if is_body else outer.orelse, inner, name):
                    yield test, is_body
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                yield from _filtered(outer, inner, name)
                if isinstance(outer, ast.GeneratorExp) or binds([outer], name):
                    return  # a generator reads it later
        yield from _left_before(inner, outer, name)
        if isinstance(outer, FUNCTIONS):
            return
        inner, outer = outer, parents.get(outer)


def _filtered(outer: Comprehension, inner: ast.AST, name: str) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the conditions of a comprehension that are asked after a variable is bound, for what it makes."""
    for generator in reversed(outer.generators if not isinstance(inner, ast.comprehension) else []):
        yield from ((condition, True) for condition in generator.ifs)
        if binds([generator.target], name):
            return


def _left_before(inner: ast.AST, outer: ast.AST, name: str) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the tests before a statement, in its block, that let only one outcome pass."""
    for block in (getattr(outer, field, None) for field in ("body", "orelse", "finalbody")):
        if not isinstance(block, list) or inner not in block:
            continue
        for at in range(block.index(inner)):
            match block[at]:
                case ast.If(test=test, body=body, orelse=[]) if isinstance(body[-1], LEAVING) and _reads(test, name):
                    if not binds_before(block[at:], inner, name):
                        yield test, False
                case ast.Assert(test=test) if _reads(test, name) and not binds_before(block[at:], inner, name):
                    yield test, True


def _reads(test: ast.expr, name: str) -> bool:
    """Return whether a test reads a variable; most do not, and what is bound after them need not be known."""
    return not name or any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(test))


def binds_before(block: list[ast.stmt], last: ast.AST, name: str) -> bool:
    """Return whether statements of a block up to one of them may bind a name before that one reads it."""
    number = next(number for number, each in enumerate(block) if each is last)
    reads_first = isinstance(last, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return)
    reads_first &= not any(isinstance(each, ast.NamedExpr) for each in ast.walk(last))
    return binds(block[: number if reads_first else number + 1], name)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the tests of a file ask for.

    Attributes:
        resolve: resolves a class of a test.
        predicate: returns a predicate of the file by its name.
        depth: how many functions that only return a test may still be looked into.
    """

    resolve: Resolve
    predicate: Callable[[str], Predicate | None]
    depth: int = 3

    def excluded(self, test: ast.expr, name: str, *, is_true: bool) -> Iterator[frozenset[type]]:
        """Yield the kinds that a variable does not have if a test has an outcome."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield from self.excluded(operand, name, is_true=not is_true)
            case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is is_true:
                for each in values:
                    yield from self.excluded(each, name, is_true=is_true)
            case ast.BoolOp(values=values):
                parts = (self.excluded(each, name, is_true=is_true) for each in values)
                yield frozenset.intersection(*(frozenset[type]().union(*part) for part in parts))
            case ast.Compare(left=ast.Name(id=left), ops=[op], comparators=[ast.Constant(value=None)]) if left == name:
                if isinstance(op, ast.Is if is_true else ast.IsNot):
                    yield frozenset({Key, Container})
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=subject), classes]) if subject == name:
                if is_true:
                    yield self.of_classes(classes)
            case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=subject)], keywords=[]) if subject == name:
                yield from self.by_function(function, is_true=is_true)

    def of_classes(self, classes: ast.expr) -> frozenset[type]:
        """Return the kinds that no object of one of some classes has."""
        every = classes.elts if isinstance(classes, ast.Tuple) else [classes]
        while any(isinstance(each, ast.BinOp) for each in every):
            every = [
                part for each in every for part in ([each.left, each.right] if isinstance(each, ast.BinOp) else [each])
            ]
        return frozenset.intersection(*(_of_class(self.resolve(each)) for each in every), frozenset({Key, Container}))

    def by_function(self, name: str, *, is_true: bool) -> Iterator[frozenset[type]]:
        """Yield the kinds that the argument of a function does not have if the test that it returns has an outcome."""
        predicate = self.predicate(name) if self.depth else None
        if predicate is not None:
            inner = _Asked(self.resolve, self.predicate, self.depth - 1)
            yield from inner.excluded(predicate.test, predicate.parameter, is_true=is_true)


def _of_class(qualified: str | None) -> frozenset[type]:
    """Return the kinds that no object of a class has."""
    match qualified:
        case str() if qualified in NUMBERS:
            return frozenset({Key, Container})
        case str() if qualified in HOLDERS:  # what no array is; one is iterable
            return frozenset({Key})
        case str() if qualified in ANY_ARRAY:  # a raw key may have become an array of NumPy
            return frozenset({Container})
    return frozenset()
