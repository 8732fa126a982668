"""The values of variables. A term is a value known only by its source.

Values are never changed. They are not declared frozen because a frozen object takes three times as long to make,
and a run makes millions.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.paths import PathCondition
from olympus_rules.keyflow.domain.terms import Term

UNBOUND = "unbound"  # the nominal module of a name that the file does not bind: a star import does


@dataclass(slots=True, unsafe_hash=True)
class Const:
    """A Python constant. Conditions do not see the value of a loop counter (``counter``)."""

    value: object
    counter: bool = False


def is_zero(value: object) -> bool:
    """Return whether a value is the constant 0, and no truth value."""
    return isinstance(value, Const) and type(value.value) in (int, float) and value.value == 0 and not value.counter


@dataclass(slots=True, unsafe_hash=True)
class Sequence:
    """A tuple, list or set whose first elements are known; ``open`` when there may be more."""

    kind: str
    items: tuple[Value, ...]
    open: bool = False


@dataclass(slots=True, unsafe_hash=True)
class Map:
    """A dictionary with constant keys."""

    items: tuple[tuple[object, Value], ...]
    open: bool = False


@dataclass(slots=True, frozen=True)
class Boundary:
    """One transformation around a function.

    Attributes:
        name: its qualified name, such as ``jax.jit``.
        static: the positions of static arguments.
        static_names: their names.
        only: the positions of the arguments that are flattened, ``None`` for all of them.
        bound: the number of arguments that were bound before the transformation.
    """

    name: str
    static: tuple[int, ...] = ()
    static_names: tuple[str, ...] = ()
    only: tuple[int, ...] | None = None
    bound: int = 0

    def takes(self, position: int | None, name: str | None) -> bool:
        """Return whether an argument of the function is flattened.

        Args:
            position: its position, counted with the bound arguments; ``None`` if only the name is known.
            name: the name of its parameter, ``None`` if only the position is known.
        """
        if name is not None and name in self.static_names:
            return False
        if position is None:
            return self.only is None and not self.static
        place = position - self.bound
        return place >= 0 and place not in self.static and (self.only is None or place in self.only)

    def as_record(self) -> list[Any]:
        """Return it as plain data."""
        only = None if self.only is None else list(self.only)
        return [self.name, list(self.static), list(self.static_names), only, self.bound]

    @classmethod
    def from_record(cls, record: list[Any]) -> Boundary:
        """Read the result of :meth:`as_record`."""
        name, static, names, only, bound = record
        return cls(name, tuple(static), tuple(names), None if only is None else tuple(only), bound)


@dataclass(slots=True, unsafe_hash=True)
class Function:
    """A function whose source is in reach.

    Attributes:
        code: the function.
        doubtful: whether an unknown decorator wraps it.
        defaults: the values of its default arguments.
        captured: the values of the enclosing functions' variables when one of these returned it, by (scope, name).
        traced: the transformations around it that pass its arguments on; they do not affect equality.
    """

    code: FunctionCode
    doubtful: bool = False
    defaults: tuple[tuple[str, Value], ...] = ()
    captured: tuple[tuple[tuple[FunctionCode, str], Value], ...] = ()
    traced: tuple[Boundary, ...] = field(default=(), compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Bound:
    """A method with its object."""

    function: Value
    self: Value


@dataclass(slots=True, unsafe_hash=True)
class Class:
    """A class whose source is in reach."""

    code: ClassCode


@dataclass(slots=True, unsafe_hash=True)
class Super:
    """``super()`` in a method: the object, viewed as one of the bases of the method's class."""

    code: ClassCode
    self: Value


@dataclass(slots=True, unsafe_hash=True)
class Library:
    """A name from outside this file; ``traced`` is as for a function."""

    qualified: str
    traced: tuple[Boundary, ...] = field(default=(), compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Partial:
    """``functools.partial``."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(slots=True, unsafe_hash=True)
class Mapped:
    """A callable under a transformation that changes its arguments and results.

    Attributes:
        kind: ``vmap``, ``shard_map`` or ``value_and_grad``.
        in_axes, out_axes: as given; ``Const(0)`` by default; the specs of a ``shard_map``.
        node: the call that made it.
        name: the transformation as the user knows it: ``vmap``, ``pmap``, ``filter_vmap`` …
        splits: whether it is of a library with hidden state, whose keys it splits.
    """

    kind: str
    function: Value
    in_axes: Value = field(default_factory=lambda: Const(0))
    out_axes: Value = field(default_factory=lambda: Const(0))
    node: ast.Call | None = None
    name: str = ""
    splits: bool = False


@dataclass(slots=True, unsafe_hash=True)
class Metadata:
    """A key's ``shape``, ``ndim``, ``dtype``, ``size``, ``len`` or ``dtype.name``."""

    what: str
    term: Term
    subject: ast.expr


@dataclass(slots=True, unsafe_hash=True)
class Condition:
    """``not``, ``and`` or ``or`` of conditions."""

    operation: str
    operands: tuple[Value, ...]


@dataclass(slots=True, unsafe_hash=True)
class Choice:
    """Different values on different paths."""

    arms: tuple[tuple[PathCondition, Value], ...]


@dataclass(slots=True, unsafe_hash=True)
class Iteration:
    """The iterable of a loop: ``range``, ``zip``, ``enumerate``, ``items``, ``reversed`` of its parts."""

    kind: str
    parts: tuple[Value, ...]


@dataclass(slots=True, unsafe_hash=True)
class SliceOf:
    """A slice object; bounds are values or ``None``."""

    lower: Value | None
    upper: Value | None
    step: Value | None


Value: TypeAlias = (
    "Term | Const | Sequence | Map | Function | Bound | Class | Super | Library | Partial | Mapped | Metadata"
    " | Condition | Choice | Iteration | SliceOf"
)
