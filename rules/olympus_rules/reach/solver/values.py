"""Abstract values: keys by their constructor, containers by their allocation site, and callables."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.reach.solver.mapping import NOT_MAPPED, Mapped


class Place(NamedTuple):
    """An expression of a file, as ``ast`` has it: lines from 1, columns in bytes from 0."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


def place_of(file: str, node: ast.AST) -> Place:
    """Return the place of a node."""
    line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return Place(file, line, column, getattr(node, "end_lineno", None) or 0, getattr(node, "end_col_offset", None) or 0)


@dataclass(frozen=True, slots=True)
class Key:
    """Keys, by their allocation site, which derived keys inherit.

    Attributes:
        site: the mention.
        rank: how many axes the array of keys has, 0 for one key; ``None`` where it is not known.
    """

    site: Place
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Words(Key):
    """An array of words that no constructor makes, and that may be a raw key."""


@dataclass(frozen=True, slots=True)
class KeyWords(Words):
    """The words of keys, as ``key_data`` gives them, and what is computed with them."""


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else that cannot be called: a number, an array of numbers, or an unknown value."""


OTHER = Other()
FEW = 8
"""The limit of objects at one place whose special methods are called: more are a merger of values."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Stands for values of a kind at a slot to which too many of them come to be told apart."""

    kind: str


@dataclass(frozen=True, slots=True)
class Constructor:
    """The constructor of raw keys, by its mention.

    Attributes:
        mention: the mention.
        axes: how many axes it is mapped over, which its keys have.
    """

    mention: Place
    axes: int = 0


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the project, or a method of an object or class, which is its first argument.

    Attributes:
        code: that of the function.
        given: how many parameters are taken; ``None`` where it is not known.
        mapped: the axes over which it is mapped.
        is_paired: whether a call gives a pair of the result and a gradient.
    """

    code: FunctionCode
    given: int | None = 0
    mapped: Mapped = NOT_MAPPED
    is_paired: bool = False

    @property
    def is_made(self) -> bool:
        """Say whether a call or a decorator has made it of a function or method."""
        plain = (0, 1) if self.code.owner is not None else (0,)
        return self.given not in plain or self.is_paired or self.mapped != NOT_MAPPED


@dataclass(frozen=True, slots=True)
class Member:
    """An unbound method."""

    code: FunctionCode


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the project."""

    code: ClassCode


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a class of the project."""

    code: ClassCode


@dataclass(frozen=True, slots=True)
class Super:
    """The value of ``super()`` in a method of a class."""

    code: ClassCode


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the project."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Library:
    """A name of a library."""

    qualified: str


@dataclass(frozen=True, slots=True)
class Made:
    """A result of a library function, or a part of one."""

    qualified: str


MERGED = Made("jax")
"""An array of values that are not told apart from functions and objects."""


@dataclass(frozen=True, slots=True)
class Container:
    """A tuple, list or dictionary, by its allocation site; its elements have slots of their own.

    Attributes:
        display: the slot that the display is put into, which tells it from others.
        length: the number of elements of a tuple or list; ``None`` where it is not known.
    """

    display: int
    length: int | None


Value: TypeAlias = (
    Key
    | Container
    | Other
    | Constructor
    | Function
    | Member
    | Class
    | Object
    | Super
    | Module
    | Library
    | Made
    | Unknown
)

WHOLE = (
    Other,
    Constructor,
    Function,
    Member,
    Class,
    Super,
    Module,
    Library,
    Made,
    Unknown,
)
"""Values without parts: a part of one counts as the value."""
UNDIVIDED = (*WHOLE, Object)
"""Values that are no containers and no keys; the class of an object says what its parts are."""
IN_PROJECT = (Function, Class, Object, Super)
CALLEES = (*IN_PROJECT, Constructor, Library, Made, Module)
