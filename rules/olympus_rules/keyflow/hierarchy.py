"""Classes and what they inherit, through all files of the project."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from olympus_rules.keyflow.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.specialisation import RECEIVER
from olympus_rules.keyflow.values import Class, Function, Library, Value

if TYPE_CHECKING:
    from olympus_rules.keyflow.analysis import Analysis

__all__ = ["Hierarchy"]

SETTING_UP = ("__init__", "setup", "__post_init__")


class Hierarchy:
    """The classes that one file sees.

    Attributes:
        bases: the values of the bases of each class.
    """

    def __init__(self, analysis: Analysis) -> None:
        """Take the analysis of the file."""
        self._analysis = analysis
        self.bases: dict[ClassCode, list[Value]] = {}
        self._held: dict[tuple[ClassCode, str], ClassCode | None] = {}

    def method(self, class_: ClassCode, name: str) -> FunctionCode | None:
        """Return a method of a class or of its bases, those of other files included."""
        for candidate in self.ancestry(class_):
            if name in candidate.kinds:
                return self._foreign_method(candidate, name, class_)
            if name in candidate.methods:
                return candidate.methods[name]
        return None

    def _foreign_method(self, class_: ClassCode, name: str, heir: ClassCode) -> FunctionCode:
        """Return a method of a class of another file, as a class that inherits it has it."""
        home = f"{class_.home}.{name}"
        if heir is not class_ and (heir.home or self._analysis.module.definitions.get(heir.name) is heir):
            home += f"{RECEIVER}{heir.home or f'{self._analysis.name}.{heir.name}'}"
        if home not in class_.methods:
            class_.methods[home] = FunctionCode(
                f"{class_.name}.{name}", class_.node, kind=class_.kinds[name], is_foreign=True, home=home
            )
        return class_.methods[home]

    def inherited(self, class_: ClassCode, name: str) -> FunctionCode | None:
        """Return what ``super().name`` is in a method of the class."""
        bases = [self.known_class(base) for base in self.bases.get(class_, ())]
        found = (self.method(base, name) for base in bases if base is not None)
        return next((method for method in found if method is not None), None)

    def fields(self, class_: ClassCode) -> list[str]:
        """Return the annotated fields of a class, those of its bases first."""
        ancestry = reversed(list(self.ancestry(class_)))
        return list(dict.fromkeys(name for ancestor in ancestry for name in ancestor.fields))

    def ancestry(self, class_: ClassCode) -> Iterable[ClassCode]:
        """Return a class and its bases as far as their source is in reach, depth first."""
        found: dict[ClassCode, None] = {}
        waiting = [class_]
        while waiting:
            candidate = waiting.pop(0)
            if candidate not in found:
                found[candidate] = None
                bases = [self.known_class(base) for base in self.bases.get(candidate, ())]
                waiting[:0] = [base for base in bases if base is not None]
        return found

    def held_class(self, class_: ClassCode, attribute: str) -> ClassCode | None:
        """Return the class of the object that the methods which set objects up put into an attribute."""
        slot = (class_, attribute)
        if slot not in self._held:
            self._held[slot] = None  # for the time being: the methods may ask for themselves
            for name in SETTING_UP:
                for written, value in self._written_by(class_, name):
                    if written == attribute and type(value) is int and value in self._analysis.classes:
                        self._held[slot] = self._analysis.classes[value]
        return self._held[slot]

    def _written_by(self, class_: ClassCode, name: str) -> Iterable[tuple[str, Value]]:
        """Return the attributes of its object that a method writes, with their values."""
        method = self.method(class_, name)
        reached = None if method is None else self._analysis.reach(Function(method), concerned=True)
        summary = None if reached is None else self._analysis.summary(reached.code)
        if summary is None:
            return
        for term, attribute, value, _ in summary.writes:
            if (
                self._analysis.terms.operation(term) == "param"
                and (self._analysis.terms.data(term)[1],) == summary.code.parameters[:1]
            ):
                yield attribute, value

    def known_class(self, value: Value) -> ClassCode | None:
        """Return the class that a value is, wherever it stands in the project."""
        if isinstance(value, Library):
            found = self._analysis.outside(value.qualified, concerned=False)
            if found is None:
                return self._analysis.variable_class(value.qualified)
            value = found
        return value.code if isinstance(value, Class) else None
