"""The interface of the driver to a file's interpretation: other functions, classes and files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeAlias

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.summary import GENERAL, Specialisation, Summary
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Function, Library, Value

Part: TypeAlias = tuple[int | None, int | None]
"""The bounds of a slice."""


class Held(NamedTuple):
    """What is known of an object.

    Attributes:
        class_: its class; ``None`` if that is not known.
        part: the class of its elements, for a container of objects of one class.
        is_made: whether a constructor of the class has made it, so that it is of no subclass.
        given: the callables that the constructor put in its fields.
    """

    class_: ClassCode | None = None
    part: ClassCode | None = None
    is_made: bool = False
    given: tuple[tuple[str, Value], ...] = ()


NOTHING = Held()


class ObjectTable(Protocol):
    """What one file knows of the objects of the project."""

    def held(self, class_: ClassCode, name: str) -> Held:
        """Return what is known of the object in an attribute of the objects of a class."""

    def result(self, callee: Value) -> Held:
        """Return what is known of the object that a call gives."""

    def initial(self, class_: ClassCode, path: tuple[str, ...]) -> Value | None:
        """Return what the constructor of a class puts in an attribute of an attribute, if that is known."""

    def parameter(self, code: FunctionCode, name: str) -> Held:
        """Return what annotations say of an argument: of the function, or of the method that it overrides."""


class ClassTable(Protocol):
    """The classes visible in one file, with their bases.

    Attributes:
        bases: the values of the bases of each class.
    """

    bases: dict[ClassCode, list[Value]]

    def inherit(self, class_: ClassCode, bases: list[Value]) -> None:
        """Record the values of the bases of a class."""

    def method(self, class_: ClassCode, name: str) -> FunctionCode | None:
        """Return a method of a class or of its bases, including bases in other files."""

    def namespace(self, class_: ClassCode, attribute: str, *, of_object: bool = False) -> Library | None:
        """Return what of a library a class of this file, or an object of it, used as a namespace, has under a name."""

    def implementations(self, class_: ClassCode, name: str, *, elsewhere: bool = False) -> list[FunctionCode]:
        """Return the method of a class, or those of its subclasses in this file if it leaves the method to them.

        With ``elsewhere``, those of its subclasses in its own file are among them.
        """

    def inherited(self, class_: ClassCode, name: str, heir: ClassCode | None) -> FunctionCode | None:
        """Return the method ``super().name`` in a class's method, for an object of ``heir``, a possible subclass."""

    def may_be_overridden(self, class_: ClassCode, name: str) -> bool:
        """Return whether a subclass may rebind a method name of a class."""

    def computing(self, class_: ClassCode, name: str) -> tuple[Value | None, FunctionCode] | None:
        """Return the method that computes an attribute of a class's objects, with the descriptor whose method it is."""

    def may_compute(self, class_: ClassCode, name: str) -> bool:
        """Return whether reading an attribute of an object of a class may run code that is not in reach."""

    def fields(self, class_: ClassCode) -> list[str]:
        """Return the annotated fields of a class, those of its bases first."""

    def ancestry(self, class_: ClassCode) -> Iterable[ClassCode]:
        """Return a class and those of its bases whose source is in reach, in method resolution order."""

    def is_constant(self, class_: ClassCode, name: str) -> bool:
        """Return whether a class attribute is constant: a member of an enumeration, or a name spelled as a constant."""

    def members(self, class_: ClassCode) -> frozenset[str]:
        """Return the member names of an enumeration, none for any other class."""

    def member(self, class_: ClassCode, name: str) -> str:
        """Return the name under which a constant of a class is known."""

    def held_callables(self, class_: ClassCode, attribute: str, owner: Value) -> list[Value]:
        """Return the functions and methods that the constructor stores in an attribute of an object."""

    def held_library(
        self, class_: ClassCode, attribute: str, *, in_list: bool = False, place: int | None = None
    ) -> str:
        """Return the class of a library whose object an attribute of an object holds, empty if none is known."""

    def held_objects(self, class_: ClassCode, attribute: str, part: Part, first: int) -> set[Value]:
        """Return the objects that an attribute of an object holds: in a slice, from the ``first`` on, of a list."""

    def is_given(self, class_: ClassCode, attribute: str) -> bool:
        """Return whether an object was given what its attribute holds, which so knows nothing of the object."""

    def known_class(self, value: Value) -> ClassCode | None:
        """Return the project class that a value is, from any file."""


class Summaries(Protocol):
    """The summaries of the functions of one file."""

    def summary(self, code: FunctionCode, given: Specialisation = GENERAL) -> Summary | None:
        """Return the summary of a function; it is partial while the function is being interpreted."""

    def may_specialise(self, code: FunctionCode, given: Specialisation) -> bool:
        """Return whether a function may be interpreted for these callables; their number is limited."""


class NameTable(Protocol):
    """What the names of one file stand for."""

    def library(self, qualified: str) -> Library:
        """Return the value of a qualified name; other roots of the JAX namespace are spelled ``jax``."""

    def outer_value(self, code: FunctionCode, name: str) -> Value:
        """Return the value of a name that a scope does not bind: a definition, an import or a variable."""

    def value_in(self, scope: FunctionCode | None, name: str) -> Value:
        """Return the value of a name in a scope, as another scope inside of it sees it."""

    def variable(self, code: FunctionCode, name: str) -> Term | None:
        """Return the variable to which a ``global`` or ``nonlocal`` name of a scope refers."""

    def variable_class(self, qualified: str) -> ClassCode | None:
        """Return the class of a library's array-like variables, if such objects are being tracked."""


class OtherFiles(Protocol):
    """The other files of the project, as one file sees them."""

    def outside(self, qualified: str, *, concerned: bool) -> Value | None:
        """Return the value of a qualified name in another file of the project, ``None`` if no file has it."""

    def reach(self, function: Function, *, concerned: bool) -> Function | None:
        """Return a function of another file with its summary, ``None`` if it is out of reach."""

    def is_settled(self, qualified: str) -> bool:
        """Return whether what is known of a qualified name, concerning keys, can no longer change."""


class Linker(Protocol):
    """What lies outside of a function, as its interpretation sees it."""

    @property
    def hierarchy(self) -> ClassTable:
        """The classes visible in the file."""

    @property
    def objects(self) -> ObjectTable:
        """The objects that attributes hold and that functions give."""

    @property
    def names(self) -> NameTable:
        """What the names of the file stand for."""

    @property
    def lookups(self) -> OtherFiles:
        """The other files."""

    @property
    def summariser(self) -> Summaries:
        """The other functions of the file."""
