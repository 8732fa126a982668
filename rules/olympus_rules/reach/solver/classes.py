"""Method resolution: the methods of a class, of its bases, and of its subclasses."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Mapping

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.reach.solver.fields import Fields
from olympus_rules.reach.solver.slots import Slot, Slots
from olympus_rules.reach.solver.values import Class, Function, Library, Made, Member, Object, Value

WITHOUT_KEYS = frozenset({"abc", "builtins", "collections", "enum", "threading", "typing", "typing_extensions"})
"""Packages whose classes say nothing of the attributes of a subclass."""
NO_METHOD = ""
"""Methods that make the text of an object."""


class Classes:
    """The classes of a project; their bases become known as values propagate."""

    def __init__(
        self, slots: Slots, method_names: Collection[str], written: Mapping[ast.ClassDef, Collection[str]]
    ) -> None:
        """Start without any class.

        Args:
            slots: those of the project.
            method_names: the names of all functions in classes of the project.
            written: the attributes that the methods of each class write to ``self``.
        """
        self._written = written
        self._method_names = frozenset(method_names)
        self._slots = slots
        self._bases: dict[ClassCode, list[ClassCode]] = defaultdict(list)
        self._heirs: dict[ClassCode, list[ClassCode]] = defaultdict(list)
        self._asked: dict[ClassCode, dict[str, None]] = defaultdict(dict)
        self.fields = Fields(slots)
        """The attributes of objects."""
        self._libraries: dict[ClassCode, list[Made]] = defaultdict(list)
        self._own: dict[ClassCode, dict[str, None]] = defaultdict(dict)
        self._above: dict[ClassCode, dict[str, None]] = defaultdict(dict)
        self.plain: set[ClassCode] = set()
        """Classes whose objects are surely no pytrees."""
        self.methods: dict[str, list[FunctionCode]] = defaultdict(list)
        """All methods of the project by name."""

    def add(self, code: ClassCode, bases: list[Slot]) -> None:
        """Take a class and the slots of its bases."""
        for name, method in code.methods.items():
            self.methods[name].append(method)
        for base in bases:
            self._slots.watch(base, lambda value: self._inherit(code, value))

    def _inherit(self, code: ClassCode, base: Value) -> None:
        if isinstance(base, Library | Made) and base.qualified.partition(".")[0] not in WITHOUT_KEYS:
            self._libraries[code].append(Made(base.qualified))
            for name in self._above[code]:
                self._slots.put(self._slots.slot("above", code, name), Made(base.qualified))
            for name in [name for name in self._own[code] if name not in code.methods]:
                self._slots.put(self._slots.slot("own member", code, name), Made(base.qualified))
        if not isinstance(base, Class) or base.code is code or base.code in self._bases[code]:
            return
        self._bases[code].append(base.code)
        self._heirs[base.code].append(code)
        self._relate(code, base.code)
        for name in [name for name in self._own[code] if name not in code.methods]:
            self._slots.add_edge(self.own_member(base.code, name), self._slots.slot("own member", code, name))
        for name in list(self._asked[base.code]):
            self._from_heir(base.code, code, name)
        for name in list(self._above[code]):
            self._slots.add_edge(self.own_member(base.code, name), self._slots.slot("above", code, name))
        for below in (code, *self._heirs[code]):
            for above in list(self._bases[below]):
                for name in list(self._above[above]):
                    self._beside(above, below, name)

    @staticmethod
    def _around(code: ClassCode, related: Mapping[ClassCode, list[ClassCode]]) -> list[ClassCode]:
        """Return a class and those above or below it, nearest first."""
        found = [code]
        for each in found:
            found += [one for one in related.get(each, ()) if one not in found]
        return found

    def _relate(self, code: ClassCode, base: ClassCode) -> None:
        """Let the attributes of a class and its subclasses be those of a new base and what that inherits."""
        above = self._around(base, self._bases)
        for heir in self._around(code, self._heirs):
            for each in self._around(heir, self._bases):
                for one in above:
                    self.fields.relate(one, each)

    def has_method(self, name: str) -> bool:
        """Return whether any class of the project has a method of a name."""
        return name in self._method_names

    def defines(self, code: ClassCode, names: Collection[str]) -> bool:
        """Return whether a class or a base of it, as far as they are known, has a method of one of some names."""
        return any(name in each.methods for each in self._around(code, self._bases) for name in names)

    def member(self, code: ClassCode, name: str) -> Slot:
        """Return the slot of the methods of a name that an object of a class or of a subclass may have.

        All names that no class of the project gives a method are one: what a class inherits of libraries has them.
        """
        if name not in self._method_names:
            if self.writes(code, name):
                return self._slots.slot("no member")
            name = NO_METHOD
        slot = self._slots.slot("member", code, name)
        if name not in self._asked[code]:
            self._asked[code][name] = None
            self._slots.add_edge(self.own_member(code, name), slot)
            for heir in list(self._heirs[code]):
                self._from_heir(code, heir, name)
        return slot

    def writes(self, code: ClassCode, name: str) -> bool:
        """Return whether a class or a base of it writes an attribute, so that it is none of a library."""
        waiting, seen = [code], {code}
        while waiting:
            each = waiting.pop()
            if name in self._written.get(each.node, ()) or name in each.fields:
                return True
            waiting += [base for base in self._bases[each] if base not in seen]
            seen.update(waiting)
        return False

    def _from_heir(self, code: ClassCode, heir: ClassCode, name: str) -> None:
        self._slots.add_edge(self.member(heir, name), self._slots.slot("member", code, name))

    def above(self, code: ClassCode, name: str) -> Slot:
        """Return the slot of the methods that ``super()`` finds: in the bases, or beside the class in a subclass."""
        name = name if name in self._method_names else NO_METHOD
        slot = self._slots.slot("above", code, name)
        if name not in self._above[code]:
            self._above[code][name] = None
            for base in list(self._bases[code]):
                self._slots.add_edge(self.own_member(base, name), slot)
            for made in self._libraries[code]:
                self._slots.put(slot, made)
            for heir in list(self._heirs[code]):
                self._beside(code, heir, name)
        return slot

    def _beside(self, code: ClassCode, heir: ClassCode, name: str) -> None:
        """Let ``super()`` in one base of a class find the methods of its other bases."""
        for base in list(self._bases[heir]):
            if base is not code:
                self._slots.add_edge(self.own_member(base, name), self._slots.slot("above", code, name))

    def own_member(self, code: ClassCode, name: str) -> Slot:
        """Return the slot of the method that a class itself has or inherits."""
        slot = self._slots.slot("own member", code, name)
        if name not in self._own[code]:
            self._own[code][name] = None
            if name in code.methods:
                self._slots.put(slot, Member(code.methods[name]))
            else:
                for base in list(self._bases[code]):
                    self._slots.add_edge(self.own_member(base, name), slot)
                for made in self._libraries[code]:
                    self._slots.put(slot, made)
        return slot


def bound(member: Member, owner: Object | Class) -> Value:
    """Return a method as it is read from an object or a class."""
    kind = member.code.kind
    if kind == "classmethod" or (kind == "method" and isinstance(owner, Object)):
        return Function(member.code, given=1)
    return Function(member.code)
