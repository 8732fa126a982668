"""What spreads from slot to slot: keys by their constructor, and all that can be called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from olympus_rules.code.instructions import ClassCode, FunctionCode

__all__ = [
    "OTHER",
    "UNDIVIDED",
    "WHOLE",
    "BoundMethod",
    "Class",
    "Constructor",
    "Container",
    "Function",
    "Key",
    "Library",
    "Made",
    "Member",
    "Module",
    "Object",
    "Other",
    "Partial",
    "Place",
    "Super",
    "Value",
]


class Place(NamedTuple):
    """An expression of a file, as ``ast`` has it: lines from 1, columns in bytes from 0."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Key:
    """Keys, by the mention of the constructor that made them; what is derived from them has the same.

    Attributes:
        maker: the mention.
        rank: how many axes the array of keys has, 0 for one key; ``None`` where it is not known.
    """

    maker: Place
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Other:
    """Anything that is no key and cannot be called: a number, an array of numbers, or what is not known."""


OTHER = Other()


@dataclass(frozen=True, slots=True)
class Constructor:
    """The constructor of raw keys, by its mention."""

    mention: Place


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the project."""

    code: FunctionCode


@dataclass(frozen=True, slots=True)
class BoundMethod:
    """A method of an object or class, which is its first argument."""

    code: FunctionCode


@dataclass(frozen=True, slots=True)
class Member:
    """A method as a class has it, bound to nothing yet."""

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
    """What ``super()`` gives in a method of a class."""

    code: ClassCode


@dataclass(frozen=True, slots=True)
class Partial:
    """A callable that has got its first arguments already.

    Attributes:
        code: that of the function.
        given: how many parameters are taken.
    """

    code: FunctionCode
    given: int


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
    """What a library function gave, or anything of it."""

    qualified: str


@dataclass(frozen=True, slots=True)
class Container:
    """A tuple, list or dictionary as it is written somewhere; its elements have slots of their own.

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
    | BoundMethod
    | Partial
    | Member
    | Class
    | Object
    | Super
    | Module
    | Library
    | Made
)

WHOLE = (
    Other,
    Constructor,
    Function,
    BoundMethod,
    Partial,
    Member,
    Class,
    Super,
    Module,
    Library,
    Made,
)
"""What is of one piece: a part of it counts as the same."""
UNDIVIDED = (*WHOLE, Object)
"""What is no container and no array of keys; the parts of an object are what its class says."""
