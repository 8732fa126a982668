"""Functions that are mapped over axes of their arguments: what ``vmap`` takes away from arguments and adds to results.

Names of libraries are not here; a pack says which functions map.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
MOST_AXES = 3
"""The most axes that are counted."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """The axes over which a function is mapped.

    Attributes:
        axes: how many axes its result has more than the function gives, and its arguments by keyword; ``None`` where
            it is not known.
        places: how many each argument in its place has more, for the first arguments; all others have ``axes``.
    """

    axes: int | None = 0
    places: tuple[int, ...] = ()

    def at(self, position: int) -> int | None:
        """Return how many axes the argument at a position has more than the function takes."""
        return _at(position, self.places, self.axes)

    def within(self, outer: Mapped) -> Mapped | None:
        """Return both mappings, one around the other; ``None`` for more axes than are counted."""
        mine, others = self.axes, outer.axes
        if mine is None or others is None:
            return ANYHOW
        count = max(len(self.places), len(outer.places))
        places = tuple(_at(each, self.places, mine) + _at(each, outer.places, others) for each in range(count))
        return Mapped(mine + others, places) if mine + others <= MOST_AXES else None

    def after(self, count: int) -> Mapped:
        """Return the mapping of the arguments after the first ones."""
        return Mapped(self.axes, self.places[count:])

    def anywhere(self) -> Mapped:
        """Return the mapping of arguments whose places are not known."""
        return ANYHOW if self.places else self


NOT_MAPPED = Mapped()
ANYHOW = Mapped(None)
"""Over an unknown number of axes."""


def mapped_by(call: ast.Call | None) -> Mapped | None:
    """Return the axes over which a call maps its function, ``None`` where ``in_axes`` does not show them.

    Args:
        call: the call of ``vmap``, or of ``partial`` with it; ``None`` for a decorator without arguments.
    """
    if call is None:
        return Mapped(1)
    options = {option.arg: option.value for option in call.keywords}
    axes = options.get("in_axes", call.args[1] if len(call.args) > 1 else None)
    out = options.get("out_axes", ast.Constant(0))
    if None in options or not _is_axis(out) or _is_none(out):
        return None
    match axes:
        case None:
            return Mapped(1)
        case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int())):
            return Mapped(1)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if all(map(_is_axis, parts)):
            return Mapped(1, tuple(0 if _is_none(part) else 1 for part in parts))
    return None


def takes_words(call: ast.Call | None) -> bool:
    """Return whether a call maps its function over an axis that may be that of the words: any but the first one."""
    options = {option.arg: option.value for option in call.keywords} if call is not None else {}
    axes = options.get("in_axes", call.args[1] if call is not None and len(call.args) > 1 else None)
    parts = ast.walk(axes) if axes is not None else ()
    return any(isinstance(part, ast.Constant) and type(part.value) is int and part.value != 0 for part in parts)


def _at(position: int, places: tuple[int, ...], axes: T) -> int | T:
    return places[position] if position < len(places) else axes


def _is_axis(node: ast.expr) -> bool:
    """Return whether an expression is one axis, the first or a later one, or none."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, int))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
