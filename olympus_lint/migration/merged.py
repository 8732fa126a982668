"""Places at which unrelated values come together, with evidence that a key is among them.

The analysis of reach joins what all callers give to a function, so the result of one that calls what it is given, or
of a method of an object of unknown class, may be anything. Such a place does not count as one of keys. Two kinds are
told nevertheless: trees of which a record has a key, in calls that take each leaf for an array of numbers; and the
shape or dtype of raw keys, where the value comes from a call that is given a key.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from olympus_lint.migration.sinks import Sinks, Sunk, is_guarded
from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import Conversion, DtypeLogic, Fact, ShapeLogic
from olympus_rules.libraries.names import UINT32
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.values import Key, Place
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach
    from olympus_rules.reach.sites import Call

__all__ = ["Merged", "Possible"]

WORDS = (2, 4)
"""The number of words of a raw key."""
SHAPE_ASSERTION = "assert_shape"
"""The last name of functions that compare the shape of their first argument with their second one."""


class Possible(NamedTuple):
    """A place that breaks with typed keys if a key is there.

    Attributes:
        fact: what a rule says of it.
        value: what may be or hold a key, as it is written.
        makers: the constructors of the keys.
        spots: where they may be.
        is_call: whether these are arguments of the place, which is a call.
    """

    fact: Fact
    value: str
    makers: frozenset[Place]
    spots: tuple[Place, ...]
    is_call: bool


class Merged:
    """The places of a project at which unrelated values come together."""

    def __init__(self, reached: ProjectReach, jax: tuple[int, ...]) -> None:
        """Take the analysis of reach, and the oldest release of JAX that the code has to support."""
        self._reached = reached
        self._sinks = Sinks(reached, jax, of_merged=True)
        self._calls: dict[Place, Call] = {call.place: call for call in reached.calls.all}

    def of(self, document: Document, path: str) -> Iterator[Possible]:
        """Yield the places of a file with evidence for a key.

        Args:
            document: the file.
            path: its absolute path.
        """
        for call, found in self._sinks.of(document, path):
            yield self._tree(call, found, path)
        for node in every_node(document.tree):
            yield from self._described(node, document, path)

    def _tree(self, call: ast.Call, found: Sunk, path: str) -> Possible:
        row = self._reached.names.libraries.get(found.library).conversion
        fact = Conversion(
            node=call,
            confidence=Confidence.POSSIBLE,
            form=row.form if row is not None else "numpy",
            function=found.library,
            effect=row.effect if row is not None else "fails",
        )
        given = [ast.unparse(each) for each in call.args if not self._reached.library_at(place_of(path, each))]
        value = ", ".join(given) or ast.unparse(call)
        return Possible(fact, value, frozenset(found.keys), (place_of(path, call),), is_call=True)

    def _described(self, node: ast.AST, document: Document, path: str) -> Iterator[Possible]:
        """Yield a comparison of a shape or dtype with that of raw keys."""
        for described, value, is_shape in compared(node, path, self._reached):
            place = place_of(path, value)
            makers = frozenset[Place]()
            if not self._reached.has_keys_only(place):
                held = {each.site for each in self._reached.values(place) if isinstance(each, Key)}
                makers = self._given(value, document, path) & held
            if makers and not is_guarded(node, document.parents):
                fact: Fact = (
                    ShapeLogic(node=described, confidence=Confidence.POSSIBLE, form="shape-equals", subject=value)
                    if is_shape
                    else DtypeLogic(node=described, confidence=Confidence.POSSIBLE, form="equals", subject=value)
                )
                yield Possible(fact, ast.unparse(value), makers, (place,), is_call=False)

    def _given(self, value: ast.expr, document: Document, path: str) -> frozenset[Place]:
        """Return the constructors of the keys that are given to the call whose result a value is."""
        calls = (self._calls.get(place_of(path, made)) for made in origins(value, document))
        given = (slot for call in calls if call is not None for slot in call.given)
        return frozenset[Place]().union(*(self._reached.sure_keys(slot)[0] for slot in given))


def compared(node: ast.AST, path: str, reached: ProjectReach) -> Iterator[tuple[ast.expr, ast.expr, bool]]:
    """Yield the descriptions of values that an expression compares with the shape or dtype of raw keys.

    Each comes with the value, and whether it is a shape.
    """
    parts: list[ast.expr] = []
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            parts = [left, right]
        case ast.Call(func=ast.Attribute(attr=name), args=[value, shape, *_]):
            parts = [value, shape] if name.startswith(("assert", "equal")) else []
            if name == SHAPE_ASSERTION and is_shape_of_keys(shape):
                yield node, value, True
    for part, other in zip(parts, reversed(parts), strict=True):
        if isinstance(part, ast.Attribute) and part.attr == "shape" and is_shape_of_keys(other):
            yield part, part.value, True
        is_dtype = isinstance(part, ast.Attribute) and part.attr == "dtype"
        if isinstance(part, ast.Attribute) and is_dtype and reached.library_at(place_of(path, other)) in UINT32:
            yield part, part.value, False


def is_shape_of_keys(shape: ast.expr) -> bool:
    """Say whether an expression is a shape that may be that of raw keys."""
    last = shape.elts[-1] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else None
    return isinstance(last, ast.Constant) and last.value in WORDS


def origins(value: ast.expr, document: Document) -> Iterator[ast.Call]:
    """Yield the calls whose result a value is: the value itself, or those that its variable is assigned."""
    if isinstance(value, ast.Call):
        yield value
    if not isinstance(value, ast.Name):
        return
    scope: ast.AST | None = value
    while not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module | None):
        scope = document.parents.get(scope)
    for each in every_node(scope) if scope is not None else ():
        match each:
            case ast.Assign(targets=[ast.Name(id=value.id)], value=ast.Call() as made):
                yield made
