"""Uses of one key whose results are likely to be alike on purpose: they are compared, or a comment says so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from olympus_codemods.editing.names import dotted
from olympus_codemods.editing.scopes import NESTED, bound_names, scope_of
from olympus_codemods.editing.splits import assigned, last_binding
from olympus_rules.keyflow.facts import Place, Reuse
from olympus_rules.rules.key_reuse import is_sampler, is_split
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import children, every_node, nodes_in

NEAR = 3
"""Rows above and below a use whose comments are about it."""
SAID = re.compile(
    r"\bre-?us(?:e[ds]?|ing)\b"
    r"|\b(?:same|identical|shared|common|fixed)\b.{0,30}\b\w*(?:keys?|rngs?|seeds?|noise|random\w*|samples?)\b"
)
DENIED = re.compile(r"\b(?:avoid|bug|different|fixme|never|no|not|todo|wrong)\b|n't\b")
EQUALITY = re.compile(r"assert|allclose|isclose|(?:^|_)equal")
COPIES = frozenset(["copy", "ema", "old", "reference", "target", "teacher"])
"""Words in the names of what starts as its original."""
MAKES = re.compile(r"(?:^|_)(?:build|create|init|initiali[sz]e|load|make|reset|restart)(?:_|$)")
OUTER = frozenset(["dtype", "ndim", "shape", "size"])
"""Attributes of an array that do not depend on what is random in it."""
SIGN = re.compile(r" [+-] ")


def is_told(document: Document, place: Place) -> bool:
    """Return whether a comment near a use says that a key, or what is made with it, is used again."""
    span = document.span(document.statement(place.node))
    end = document.span(place.node).end.row
    rows = range(max(span.start.row - NEAR, 1), min(end + NEAR, len(document.lines)) + 1)
    comments = (document.lines[row - 1].partition("#")[2].lower() for row in rows)
    return any(SAID.search(comment) and not DENIED.search(comment) for comment in comments)


def is_mirrored(document: Document, reuse: Reuse) -> bool:
    """Return whether one function is called at two points on either side of another: ``x + eps`` and ``x - eps``."""
    one, two = reuse.first.node, reuse.again.node
    if not calls_one(reuse.first, reuse.again) or not isinstance(one, ast.Call) or not isinstance(two, ast.Call):
        return False
    pairs = [pair for pair in zip(one.args, two.args, strict=False) if ast.dump(pair[0]) != ast.dump(pair[1])]
    return any(are_opposite(*(ast.unparse(value_of(document, each)) for each in pair)) for pair in pairs)


def are_copies(document: Document, reuse: Reuse) -> bool:
    """Return whether one function makes the same twice, or a part of a model and a copy of it, as its target."""
    one, two = reuse.first.node, reuse.again.node
    if not calls_one(reuse.first, reuse.again):
        return False
    made = assigned(document.statement(one)) | assigned(document.statement(two))
    words = {word for name in made for word in re.split(r"[_.]", name.lower())}
    is_built = MAKES.search(reuse.again.what.rpartition(".")[2].lower()) is not None
    return (is_built and ast.dump(one) == ast.dump(two)) or not words.isdisjoint(COPIES)


def are_opposite(one: str, two: str) -> bool:
    """Return whether two expressions differ in their signs alone."""
    return one != two and SIGN.sub(" ± ", one) == SIGN.sub(" ± ", two)


def value_of(document: Document, node: ast.expr) -> ast.expr:
    """Return what was assigned to a variable, and other expressions as they are."""
    made = last_binding(document, node, node.id) if isinstance(node, ast.Name) else None
    return made.value if isinstance(made, ast.Assign) else node


def calls_one(first: Place, again: Place) -> bool:
    """Return whether two places call one function that does more with its key than to draw from it."""
    one, two = first.node, again.node
    if one is two or not isinstance(one, ast.Call) or not isinstance(two, ast.Call):
        return False
    is_plain = any(is_sampler(place) or is_split(place) for place in (first, again))
    return not is_plain and ast.dump(one.func) == ast.dump(two.func)


def are_compared(places: Sequence[Place], document: Document) -> bool:
    """Return whether what two of several uses give is said to be equal further down, or compared with one another.

    A difference compares them if one function gives both: what is random in it is to be the same then.
    """
    scope = scope_of(document, places[0].node)
    near = [place for place in places if scope_of(document, place.node) is scope]
    if len(near) < 2 or isinstance(scope, ast.Lambda):
        return False
    flow = Flow([place.node for place in near])
    flow.follow(scope.body if compares(scope) else [])
    alike = {frozenset(pair) for pair in combinations(range(len(near)), 2) if calls_one(*(near[each] for each in pair))}
    if any(one != two for one, two in flow.equal) or not alike.isdisjoint(flow.differing):
        return True
    return any(subtracts(document, *(near[each] for each in pair)) for pair in alike)


@lru_cache(maxsize=8)  # the findings of one function come one after the other
def compares(scope: ast.AST) -> bool:
    """Return whether anything is compared or combined in a scope."""
    return any(isinstance(node, ast.BinOp | ast.Compare) or compared_in(node)[0] for node in nodes_in(scope))


def subtracts(document: Document, one: Place, two: Place) -> bool:
    """Return whether a function takes the results of two calls by their names, and subtracts one from the other."""
    results = [assigned(document.statement(place.node)) for place in (one, two)]
    if results[0] & results[1] or not all(results):
        return False
    for function in nodes_in(document.tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        parameters = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
        if not all(parameters & result for result in results):
            continue
        for node in every_node(function):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
                sides = [{dotted(part) for part in every_node(side)} for side in (node.left, node.right)]
                if any(sides[0] & one and sides[1] & two for one, two in (results, results[::-1])):
                    return True
    return False


class Flow:
    """Which uses of a key the variables of a scope depend on, and which of them meet in a comparison.

    Attributes:
        equal: pairs of uses that an assertion, ``allclose`` or ``==`` sets side by side.
        differing: those whose results are subtracted, averaged or ordered.
    """

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        """Start with the nodes of the uses, which go by their number."""
        self.equal: set[tuple[int, int]] = set()
        self.differing: set[frozenset[int]] = set()
        self._numbers = {id(node): number for number, node in enumerate(nodes)}
        self._made: dict[str, frozenset[int]] = {}

    def follow(self, statements: Sequence[ast.stmt]) -> None:
        """Go through statements in the order in which they stand."""
        waiting = [*reversed(statements)]
        while waiting:
            statement = waiting.pop()
            if isinstance(statement, NESTED):
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    self._made[statement.name] = self.behind(statement)
                continue
            for node in parts_of(statement):
                self._look(node)
            self._bind(statement)
            for name in ("finalbody", "orelse", "body"):
                waiting += reversed(getattr(statement, name, ()))

    def behind(self, node: ast.AST) -> frozenset[int]:
        """Return the uses that an expression depends on, unless by the shape of an array alone."""
        found = set[int]()
        waiting: list[tuple[ast.AST, frozenset[str]]] = [(node, frozenset())]
        while waiting:
            part, hidden = waiting.pop()
            hidden |= bound_names(part) if isinstance(part, NESTED) else frozenset()
            if id(part) in self._numbers:
                found.add(self._numbers[id(part)])
            if isinstance(part, ast.Attribute) and part.attr in OUTER:
                continue
            if isinstance(part, ast.Call) and dotted(part.func) in ("len", "type"):
                continue
            if isinstance(part, ast.Name | ast.Attribute) and dotted(part) not in hidden:
                found |= self._made.get(dotted(part), frozenset())
            waiting += [(each, hidden) for each in children(part)]
        return frozenset(found)

    def _bind(self, statement: ast.stmt) -> None:
        """Note what an assignment or loop binds."""
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
                values
            ):
                pairs = [(target, self.behind(value)) for target, value in zip(targets, values, strict=True)]
            case ast.Assign(targets=targets, value=value):
                pairs = [(target, self.behind(value)) for target in targets]
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.For(target=target, iter=value):
                pairs = [(target, self.behind(value))]
            case ast.AugAssign(target=target, value=value):
                pairs = [(target, self.behind(value) | self.behind(target))]
            case _:
                pairs = []
        for target, numbers in pairs:
            for part in every_node(target):
                if isinstance(part, ast.Name | ast.Attribute) and dotted(part):
                    is_new = isinstance(part.ctx, ast.Store)
                    self._made[dotted(part)] = numbers if is_new else numbers | self.behind(part)

    def _look(self, node: ast.AST) -> None:
        """Note the uses that meet in an expression, where each of its sides has one that the other has not."""
        sides, is_equal = compared_in(node)
        found = [self.behind(side) for side in sides]
        for one, two in combinations(found, 2):
            pairs = {(a, b) for a in one - two for b in two - one}
            self.equal |= pairs if is_equal else set()
            self.differing |= {frozenset(pair) for pair in pairs}


def parts_of(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without the statements in it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [each for each in children(node) if not isinstance(each, ast.stmt)]


def compared_in(node: ast.AST) -> tuple[list[ast.expr], bool]:
    """Return the sides of a comparison, and whether it says that they are equal; no sides for the rest."""
    match node:
        case ast.Call(func=function, args=sides) if EQUALITY.search(dotted(function).rpartition(".")[2].lower()):
            match sides:
                case [ast.List(elts=each) | ast.Tuple(elts=each)]:
                    return each, True
            return sides, True
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return [left, right], isinstance(operator, ast.Eq)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return [left, right], False
        case ast.BinOp(left=ast.BinOp(left=left, op=ast.Add(), right=right), op=ast.Div(), right=ast.Constant()):
            return [left, right], False
        case ast.BinOp(left=ast.Constant(value=0.5), op=ast.Mult(), right=ast.BinOp(left=left, op=ast.Add()) as total):
            return [left, total.right], False
    return [], False
