"""The variables that hold keys, read off the source: ``noise_key`` of ``crop_key, noise_key = random.split(key)``."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from olympus.graphs.labels import MOST
from olympus.tracing.spans import span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from olympus.graphs.calls import Calls

MAKERS = ("PRNGKey", "clone", "fold_in", "key", "split", "wrap_key_data")
Position = tuple[int, int, int, int]


class Variables:
    """Gives the names of the variables that a program assigns new keys to."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.files: dict[str, Targets] = {}

    def of(self, keys: Sequence[int]) -> str:
        """Return the variables of some keys; empty if one has none that is known, or if they are many."""
        names = list(dict.fromkeys(self._of_one(key) for key in keys))
        return "" if "" in names or len(names) > MOST else ", ".join(names)

    def _of_one(self, key: int) -> str:
        event = self.calls.maker(key)
        if event is None or not event.chain or event.chain[0].called() not in MAKERS:
            return ""
        place = event.chain[0]
        targets = self.files.setdefault(place.file, Targets(place.file))
        target = targets.by_call.get((place.line, place.column, place.end_line, place.end_column))
        operation, _, data = self.calls.term(key)
        if operation != "split":
            return _dotted(target)
        if not isinstance(target, ast.Tuple | ast.List):
            return _dotted(target)  # the variable has all children
        shape = event.equation.params.get("shape", ())
        index = data[1] if isinstance(data, tuple) and len(data) > 1 and len(shape) == 1 else -1
        before = [each for each in target.elts[: index + 1] if not isinstance(each, ast.Starred)]
        return _dotted(target.elts[index]) if 0 <= index < len(target.elts) and len(before) == index + 1 else ""


class Targets:
    """What the calls of a file are assigned to."""

    def __init__(self, file: str) -> None:
        self.file = file

    @cached_property
    def by_call(self) -> dict[Position, ast.expr]:
        """The targets, each by the place of the call that gives its value."""
        try:
            module = ast.parse("".join(linecache.getlines(self.file)))
        except (SyntaxError, ValueError):
            return {}
        return {self._position(call): target for node in ast.walk(module) for target, call in _assigned(node)}

    def _position(self, node: ast.Call) -> Position:
        ends = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        place = span(self.file, node.lineno, node.col_offset, *ends, "")
        return place.line, place.column, place.end_line, place.end_column


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.Call]]:
    """Yield the calls whose values a statement or expression assigns, each with its target."""
    match node:
        case ast.Assign(targets=[target], value=value):
            yield from _pairs(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield from _pairs(target, value)
        case ast.For(target=ast.Name() as target, iter=ast.Call() as call):
            yield target, call
        case ast.comprehension(target=ast.Name() as target, iter=ast.Call() as call):
            yield target, call


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.Call]]:
    if isinstance(value, ast.Call):
        yield target, value
    elif isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple) and len(value.elts) == len(target.elts):
        for one, call in zip(target.elts, value.elts, strict=True):
            if isinstance(call, ast.Call) and not isinstance(one, ast.Starred):
                yield one, call


def _dotted(target: ast.expr | None) -> str:
    """Return a variable or attribute as it is written; empty for anything else."""
    inner = target
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(target) if target is not None and isinstance(inner, ast.Name) else ""
