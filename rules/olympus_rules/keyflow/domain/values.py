"""What a variable can hold. A term is a value known only by where it comes from.

Values are never changed. They are not declared frozen because making a frozen one takes three times as long, and a run
makes millions.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.paths import PathCondition
from olympus_rules.keyflow.domain.terms import Term

__all__ = [
    "UNBOUND",
    "Bound",
    "Boundary",
    "Choice",
    "Class",
    "Condition",
    "Const",
    "Function",
    "Iteration",
    "Library",
    "Map",
    "Mapped",
    "Metadata",
    "Partial",
    "Sequence",
    "SliceOf",
    "Super",
    "Value",
]


UNBOUND = "unbound"  # the module, so to say, of a name that nothing in the file binds: a star import brings it


@dataclass(slots=True, unsafe_hash=True)
class Const:
    """A Python constant. A loop's counter is one whose value is not what conditions see (``counter``)."""

    value: object
    counter: bool = False


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
        static: the positions of arguments that are left alone.
        static_names: their names.
        only: the positions of the arguments that are taken apart, ``None`` for all of them.
        bound: how many arguments the function had been given before it was transformed.
    """

    name: str
    static: tuple[int, ...] = ()
    static_names: tuple[str, ...] = ()
    only: tuple[int, ...] | None = None
    bound: int = 0

    def takes(self, position: int | None, name: str | None) -> bool:
        """Return whether an argument of the function is taken apart.

        Args:
            position: its position, those bound before included; ``None`` where only the name is known.
            name: the name of its parameter, ``None`` where only the position is known.
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
        """Read what :meth:`as_record` gives."""
        name, static, names, only, bound = record
        return cls(name, tuple(static), tuple(names), None if only is None else tuple(only), bound)


@dataclass(slots=True, unsafe_hash=True)
class Function:
    """A function whose source is in reach.

    Attributes:
        code: the function.
        doubtful: whether a decorator that we do not know wraps it.
        defaults: the values of its default arguments.
        captured: what the variables of the functions around it held when one of them returned it, by (scope, name).
        traced: the transformations around it that hand its arguments on; the same function with and without them.
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
    """``super()`` in a method: the object, seen as one of the bases of the method's class."""

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
    """A callable under a transformation that changes what its arguments and results are.

    Attributes:
        kind: ``vmap``, ``shard_map`` or ``value_and_grad``.
        in_axes, out_axes: as given; ``Const(0)`` by default; the specs of a ``shard_map``.
        node: the call that made it.
        name: the transformation as the user knows it: ``vmap``, ``pmap``, ``filter_vmap`` …
    """

    kind: str
    function: Value
    in_axes: Value = field(default_factory=lambda: Const(0))
    out_axes: Value = field(default_factory=lambda: Const(0))
    node: ast.Call | None = None
    name: str = ""


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
    """What a loop goes over: ``range``, ``zip``, ``enumerate``, ``items``, ``reversed`` of its parts."""

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
