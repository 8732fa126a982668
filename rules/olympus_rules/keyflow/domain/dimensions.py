"""The lengths of the axes of arrays that are made with a literal shape: what ``x.shape`` and its relatives give."""

from __future__ import annotations

import math
from typing import Any

from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Sequence, Value


def shaped(flow: State, array: Value, shape: Value | None) -> None:
    """Record the shape of an array that is made here, if it is written down."""
    lengths = shape.items if isinstance(shape, Sequence) and not shape.open else (shape,)
    known = tuple(part.value for part in lengths if isinstance(part, Const) and not part.counter)
    if isinstance(array, Term) and len(known) == len(lengths):
        sizes = tuple(length for length in known if isinstance(length, int))
        if len(sizes) == len(known):
            flow.knowledge.lengths[array] = sizes


def axis(flow: State, array: Term, number: int) -> Value:
    """Return the length of one axis of an array."""
    found = dimension(flow, "shape-item", (array, flow.terms.const(number)))
    return flow.terms.make("op", "shape-item", array, flow.terms.const(number)) if found is None else found


def dimension(flow: State, what: Any, args: tuple[Term, ...]) -> Value | None:
    """Return what an operation on the shape of an array gives, ``None`` if it is none or the shape is unknown.

    Args:
        flow: where it is computed.
        what: the operation, ``shape``, ``shape-item``, ``first-length``, ``ndim`` or ``size``.
        args: the array, and for ``shape-item`` the number of the axis, which is -1 by default.
    """
    lengths = flow.knowledge.lengths.get(args[0]) if args else None
    if lengths is None:
        return None
    if what in ("first-length", "shape-item"):
        number = 0 if what == "first-length" else -1 if len(args) == 1 else flow.terms.constant(args[1])
        if isinstance(number, int) and -len(lengths) <= number < len(lengths):
            return Const(lengths[number])
    if what == "shape":
        return Sequence("tuple", tuple(map(Const, lengths)))
    return {"ndim": Const(len(lengths)), "size": Const(math.prod(lengths))}.get(what)
