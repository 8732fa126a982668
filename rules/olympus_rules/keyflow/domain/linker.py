"""What the interpretation of a file may ask of the driver: its other functions, its classes, the other files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.summary import GENERAL, Specialisation, Summary
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Function, Library, Value

__all__ = ["ClassTable", "Linker"]


class ClassTable(Protocol):
    """The classes that one file sees, with what they inherit.

    Attributes:
        bases: the values of the bases of each class.
    """

    bases: dict[ClassCode, list[Value]]

    def method(self, class_: ClassCode, name: str) -> FunctionCode | None:
        """Return a method of a class or of its bases, those of other files included."""

    def inherited(self, class_: ClassCode, name: str, heir: ClassCode | None) -> FunctionCode | None:
        """Return what ``super().name`` is in a method of a class, for an object of a class that may inherit from it."""

    def may_be_overridden(self, class_: ClassCode, name: str) -> bool:
        """Return whether a subclass may bind a name that a class has a method for."""

    def fields(self, class_: ClassCode) -> list[str]:
        """Return the annotated fields of a class, those of its bases first."""

    def ancestry(self, class_: ClassCode) -> Iterable[ClassCode]:
        """Return a class and its bases as far as their source is in reach, in method resolution order."""

    def is_constant(self, class_: ClassCode, name: str) -> bool:
        """Return whether an attribute of a class stands for one value: a member of an enumeration, or named as one."""

    def members(self, class_: ClassCode) -> frozenset[str]:
        """Return the names of the members of an enumeration, none for any other class."""

    def held_class(self, class_: ClassCode, attribute: str) -> ClassCode | None:
        """Return the class of the object that the constructor puts into an attribute."""

    def held_callables(self, class_: ClassCode, attribute: str, owner: Value) -> list[Value]:
        """Return the functions and methods that the constructor puts into an attribute of an object."""

    def known_class(self, value: Value) -> ClassCode | None:
        """Return the class that a value is, wherever in the project it is defined."""


class Linker(Protocol):
    """The driver of a file, as its interpretation sees it."""

    @property
    def hierarchy(self) -> ClassTable:
        """Return the classes that the file sees."""

    def summary(self, code: FunctionCode, given: Specialisation = GENERAL) -> Summary | None:
        """Return the summary of a function, as far as it is known while the function is being interpreted."""

    def may_specialise(self, code: FunctionCode, given: Specialisation) -> bool:
        """Return whether a function may be interpreted for these callables; their number is limited."""

    def library(self, qualified: str) -> Library:
        """Return the value of a qualified name; other roots of the JAX namespace are spelled ``jax``."""

    def outer_value(self, code: FunctionCode, name: str) -> Value:
        """Return what a name stands for that a scope does not bind: a definition, an import or a variable."""

    def variable(self, code: FunctionCode, name: str) -> Term | None:
        """Return the variable that a ``global`` or ``nonlocal`` name of a scope stands for."""

    def outside(self, qualified: str, *, concerned: bool) -> Value | None:
        """Return what a qualified name stands for in another file of the project, ``None`` if it is in none."""

    def reach(self, function: Function, *, concerned: bool) -> Function | None:
        """Return a function of another file with its summary, ``None`` if it is out of reach."""

    def variable_class(self, qualified: str) -> ClassCode | None:
        """Return the class of a library's variables that stand for arrays, if such objects are looked for."""
