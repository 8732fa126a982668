"""Text of keys, and of containers and objects with keys: what is printed, logged, stored, and shown by examples.

Typed keys read otherwise. The rules see the keys of one file, mostly as they are; the analysis of reach knows where
keys are held.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import Conversion
from olympus_rules.libraries.names import EXAMINING, METADATA, STREAMS
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.values import (
    BoundMethod,
    Class,
    Container,
    Function,
    Key,
    Library,
    Made,
    Object,
    Other,
    Place,
)
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import Parents, every_node

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach

__all__ = ["Shown", "is_for_people", "shown"]

TELLING = frozenset("critical debug error exception fail info log print pprint pp warn warning".split())  # noqa: SIM905
"""Functions and methods that show text to people, by their last name."""
FILLING_IN = frozenset({"format", "format_map", "safe_substitute", "substitute"})
"""Methods of texts that put the text of their arguments into them."""
DESCRIBING = frozenset({"aval", "device_buffer", "dtype", "itemsize", "nbytes", "ndim", "shape", "size", "weak_type"})
"""Attributes of arrays with another value for a typed key."""
MOST = 4
"""The limit of values that come together at one place; over it, the analysis may have merged unrelated ones."""


class Shown(NamedTuple):
    """A place that makes text of keys.

    Attributes:
        fact: what a rule says of it.
        makers: the constructors of the keys.
        spots: where the keys are, or the containers and objects that hold them.
        in_parts: whether some are held by containers or objects.
        in_example: whether it is an example with an expected output.
    """

    fact: Conversion
    makers: frozenset[Place]
    spots: tuple[Place, ...]
    in_parts: bool
    in_example: bool = False


def shown(document: Document, path: str, reached: ProjectReach, examples: Collection[int]) -> Iterator[Shown]:
    """Yield the places of a file that make text of keys.

    Args:
        document: the file.
        path: its absolute path.
        reached: the analysis of reach.
        examples: the rows of examples with an expected output.
    """
    texts = Texts(document, path, reached)
    for node in every_node(document.tree):
        if isinstance(node, ast.Expr) and node.lineno in examples:
            found = texts.of_example(node.value)
        elif isinstance(node, ast.Call | ast.JoinedStr | ast.BinOp):
            found = texts.of(node)
        else:
            continue
        if found is not None:
            yield found


class Texts:
    """The text that a file makes of keys."""

    def __init__(self, document: Document, path: str, reached: ProjectReach) -> None:
        """Take the file."""
        self._parents = document.parents
        self._document = document
        self._path = path
        self._reached = reached

    def of(self, node: ast.Call | ast.JoinedStr | ast.BinOp) -> Shown | None:
        """Return what an expression shows of keys; ``None`` if it makes no text of any."""
        form, parts = "text", list[ast.expr]()
        match node:
            case ast.JoinedStr(values=values):
                parts = [part.value for part in values if isinstance(part, ast.FormattedValue)]
            case ast.BinOp(left=ast.Constant(value=str()) | ast.JoinedStr(), op=ast.Mod(), right=right):
                parts = list(elements(right))
            case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in FILLING_IN:
                parts = [] if self._is_key(owner) else list(arguments(node))
            case ast.Call():
                form = self._form(node)
                parts = [part for each in arguments(node) for part in elements(each)] if form else []
        held = [(part, makers) for part in parts if (makers := self.held(part))]
        if not held:
            return None
        form = "print" if form == "print" or is_for_people(node, self._parents) else "text"
        return self._shown(node, form, held)

    def of_example(self, node: ast.expr) -> Shown | None:
        """Return what the output of an example shows of keys; ``None`` if it is the same for typed keys."""
        inner = [part for part in ast.walk(node) if isinstance(part, ast.Attribute | ast.Call)]
        parts = [part for each in elements(node) for part in [each] if self.held(part)]
        parts += [described for each in inner if (described := self._described(each)) is not None]
        held = [(part, self.held(part)) for part in parts]
        if not held:
            return None
        return self._shown(node, "example", held)._replace(in_example=True)

    def held(self, node: ast.expr) -> frozenset[Place]:
        """Return the constructors of the keys of an expression: those that it is, or that it holds for sure."""
        place = place_of(self._path, node)
        if self._reached.has_keys_only(place):
            return self._reached.keys_at(place)
        values = [value for value in self._reached.values(place) if not isinstance(value, Key | Other | Made)]
        if not values or len(values) > MOST or not all(isinstance(value, Container | Object) for value in values):
            return frozenset()
        return self._reached.shown_keys(place)

    def _described(self, node: ast.Attribute | ast.Call) -> ast.expr | None:
        """Return the keys whose shape, dtype or type an expression is a description of."""
        if isinstance(node, ast.Attribute):
            if node.attr not in DESCRIBING or not self._is_key(node.value):
                return None
            user = self._parents.get(node)
            if isinstance(user, ast.Compare) and isinstance(user.ops[0], ast.Is | ast.IsNot):
                return None
            index = user.slice if node.attr == "shape" and isinstance(user, ast.Subscript) else None
            rank = self._reached.rank(place_of(self._path, node.value))
            number = index.value if isinstance(index, ast.Constant) else None
            is_of_batch = isinstance(number, int) and rank is not None and number < rank
            return None if is_of_batch else node.value
        names = self._names(node.func.func if isinstance(node.func, ast.Call) else node.func)
        kinds = {row.kind for name in names if (row := self._reached.names.libraries.get(name).transform) is not None}
        if names.isdisjoint({*EXAMINING, *METADATA}) and kinds.isdisjoint(("eval_shape", "make_jaxpr", "tree_map")):
            return None
        return next((each for each in arguments(node) if self.held(each)), None)

    def _shown(self, node: ast.expr, form: str, held: list[tuple[ast.expr, frozenset[Place]]]) -> Shown:
        subjects = tuple(part for part, _ in held if self._is_key(part))
        confidence = Confidence.POSSIBLE if form == "print" else Confidence.LIKELY
        first = held[0][0]
        written = ast.unparse(first) if isinstance(first, ast.Name | ast.Attribute | ast.Subscript) else ""
        fact = Conversion(
            node=node,
            confidence=confidence,
            key=written,
            form=form,
            function=self._function(node),
            subjects=subjects if len(subjects) == len(held) else (),
            effect="differs",
        )
        makers = frozenset[Place]().union(*(makers for _, makers in held))
        spots = tuple(place_of(self._path, part) for part, _ in held)
        return Shown(fact, makers, spots, in_parts=len(subjects) < len(held))

    def _function(self, node: ast.expr) -> str:
        match node:
            case ast.Call(func=ast.Name() | ast.Attribute()):
                return ast.unparse(node.func)
            case ast.JoinedStr():
                return "f-string"
            case ast.BinOp(op=ast.Mod()):
                return "%"
        return " ".join(self._document.segment(node).split())

    def _form(self, call: ast.Call) -> str:
        """Return the form of a call that makes text; empty if it makes none."""
        names = self._names(call.func)
        rows = [self._reached.names.libraries.get(name.removeprefix("builtins.")).conversion for name in names]
        forms = {row.form for row in rows if row is not None and row.form in ("print", "text")}
        if forms:
            return "text" if self._is_written(call) else min(forms)
        values = self._reached.values(place_of(self._path, call.func))
        is_own = any(isinstance(value, BoundMethod | Function | Class | Key) for value in values)
        is_array_function = any(self._reached.names.libraries.get(name).makes_arrays for name in names)
        tells = isinstance(call.func, ast.Attribute) and call.func.attr in TELLING
        return "print" if tells and not is_own and not is_array_function else ""

    def _is_written(self, call: ast.Call) -> bool:
        """Return whether a call prints to a file or buffer, which may be read again, and not to a terminal."""
        files = [option.value for option in call.keywords if option.arg == "file"]
        return any(ast.unparse(file) != "None" and self._names(file).isdisjoint(STREAMS) for file in files)

    def _names(self, function: ast.expr) -> set[str]:
        """Return the names of the library functions that an expression may be."""
        values = self._reached.values(place_of(self._path, function))
        return {self._reached.names.canonical(each.qualified) for each in values if isinstance(each, Library | Made)}

    def _is_key(self, node: ast.expr) -> bool:
        return self._reached.has_keys_only(place_of(self._path, node))


def is_for_people(node: ast.expr, parents: Parents) -> bool:
    """Say whether text is only shown, in a log or an error message."""
    inner, around = node, parents.get(node)
    while isinstance(around, ast.expr | ast.keyword):
        if isinstance(around, ast.Call) and ast.unparse(around.func).rpartition(".")[2] in TELLING:
            return True
        if isinstance(around, ast.expr):
            inner = around
        around = parents.get(around)
    return isinstance(around, ast.Raise) or (isinstance(around, ast.Assert) and inner is around.msg)


def arguments(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the arguments of a call."""
    for each in call.args:
        yield each.value if isinstance(each, ast.Starred) else each
    for option in call.keywords:
        yield option.value


def elements(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the elements of a display at any depth, or the expression itself."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from elements(part)
        case ast.Dict(values=parts):
            for part in parts:
                yield from elements(part)
        case ast.Starred(value=value):
            yield from elements(value)
        case _:
            yield node
