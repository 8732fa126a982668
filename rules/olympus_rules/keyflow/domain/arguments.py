"""The arguments of a call, as values."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from olympus_rules.keyflow.domain.values import Map, Sequence, Value


@dataclass(slots=True)
class Arguments:
    """The arguments of a call.

    Attributes:
        positional: (value, whether it is starred).
        keywords: (name, value); a name of ``None`` unpacks a mapping.
        node: the call expression, ``None`` when a transform makes the call.
        receiver: the variable that holds the object of a method call.
        owner: the object of a method call.
        loop: what repeats the call when a transform makes it (``scan`` …).
        asks: whether only the truth of the result is used.
        decorates: whether the result decorates a function.
        closes: whether the call is the last statement of a branch.
    """

    positional: tuple[tuple[Value, bool], ...]
    keywords: tuple[tuple[str | None, Value], ...]
    node: ast.Call | None
    receiver: str | None = None
    owner: Value | None = None
    loop: str = ""
    asks: bool = False
    decorates: bool = False
    closes: bool = False

    @property
    def first(self) -> Value | None:
        """The first argument by position, ``None`` if there is none or ``*values`` stands there."""
        value, starred = self.positional[0] if self.positional else (None, True)
        return None if starred else value

    def values(self) -> list[Value]:
        """Return all argument values."""
        return [value for value, _ in self.positional] + [value for _, value in self.keywords]

    def get(self, position: int, name: str) -> Value | None:
        """Return an argument by position or name."""
        for keyword, value in self.keywords:
            if keyword == name:
                return value
        if position < len(self.positional) and not any(starred for _, starred in self.positional[: position + 1]):
            return self.positional[position][0]
        return None

    def ordered(self, names: tuple[str, ...]) -> Arguments:
        """Return the arguments with those by position that follow the others in a list of parameters."""
        named = dict(self.keywords)
        rest = list(itertools.takewhile(named.__contains__, names[len(self.positional) :]))
        if not rest or any(starred for _, starred in self.positional):
            return self
        given = (*self.positional, *((named[name], False) for name in rest))
        return replace(self, positional=given, keywords=tuple(each for each in self.keywords if each[0] not in rest))

    def expression(self, position: int, name: str) -> ast.expr | None:
        """Return the expression of an argument by position or name."""
        if self.node is None:
            return None
        for keyword in self.node.keywords:
            if keyword.arg == name:
                return keyword.value
        if position < len(self.node.args) and not isinstance(self.node.args[position], ast.Starred):
            return self.node.args[position]
        return None

    def expressions(self) -> Iterator[tuple[Value, ast.expr | None]]:
        """Return every argument value with its expression; an object or ``partial`` may have given the first ones."""
        earlier = -1 if self.node is None else len(self.positional) - len(self.node.args)
        if self.node is None or earlier < 0:
            yield from ((value, None) for value in self.values())
            return
        yield from ((value, None) for value, _ in self.positional[:earlier])
        yield from zip((value for value, _ in self.positional[earlier:]), self.node.args, strict=True)
        written = [(keyword.arg, keyword.value) for keyword in self.node.keywords]
        for name, value in self.keywords:
            found = next((pair for pair in written if pair[0] == name), None)
            if found is not None:
                written.remove(found)
            yield value, None if found is None else found[1]


def positional(*values: Value, loop: str = "") -> Arguments:
    """Return the arguments of a call that a transform makes."""
    return Arguments(tuple((value, False) for value in values), (), None, loop=loop)


def unstarred(positional: Iterable[tuple[Value, bool]]) -> tuple[tuple[Value, bool], ...]:
    """Return positional arguments with ``*values`` unpacked where the values are known."""
    found: list[tuple[Value, bool]] = []
    for value, starred in positional:
        if starred and isinstance(value, Sequence) and not value.open:
            found += [(item, False) for item in value.items]
        else:
            found.append((value, starred))
    return tuple(found)


def unpacked(keywords: Iterable[tuple[str | None, Value]]) -> tuple[tuple[str | None, Value], ...]:
    """Return keyword arguments with ``**values`` unpacked as far as the values are known."""
    found: list[tuple[str | None, Value]] = []
    for name, value in keywords:
        if name is None and isinstance(value, Map):
            found += [(str(key), item) for key, item in value.items]
            found += [(None, Map((), open=True))] if value.open else []
        else:
            found.append((name, value))
    return tuple(found)


def parts(value: Sequence | Map, expression: ast.expr | None) -> Iterator[tuple[Value, ast.expr | None]]:
    """Return the elements of a container, each with its own expression if the container is a display."""
    values = value.items if isinstance(value, Sequence) else tuple(item for _, item in value.items)
    nodes: list[ast.expr] = []
    if isinstance(expression, ast.Tuple | ast.List):
        nodes = expression.elts
    elif isinstance(expression, ast.Dict) and None not in expression.keys:
        nodes = expression.values
    if len(nodes) == len(values) and not any(isinstance(node, ast.Starred) for node in nodes):
        yield from zip(values, nodes, strict=True)
    else:  # the expression is the container, not a key
        yield from ((part, None) for part in values)
