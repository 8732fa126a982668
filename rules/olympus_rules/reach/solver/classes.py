"""Method resolution: the methods of a class, of its bases, and of its subclasses."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.reach.solver.fields import Fields
from olympus_rules.reach.solver.slots import Slot, Slots
from olympus_rules.reach.solver.values import Class, Function, Library, Made, Member, Object, Value
from olympus_rules.syntax.document import every_node

WITHOUT_KEYS = frozenset({"abc", "builtins", "collections", "enum", "threading", "typing", "typing_extensions"})
"""Packages whose classes say nothing of the attributes of a subclass."""
NO_METHOD = ""
"""Methods that make the text of an object."""


class Classes:
    """The classes of a project; their bases become known as values propagate."""

    def __init__(self, slots: Slots, method_names: Collection[str]) -> None:
        """Start without any class; ``method_names`` are those of all functions in classes of the project."""
        self._written: dict[ClassCode, set[str]] = {}
        self._method_names = frozenset(method_names)
        self._slots = slots
        self._bases: dict[ClassCode, list[ClassCode]] = defaultdict(list)
        self._heirs: dict[ClassCode, list[ClassCode]] = defaultdict(list)
        self.fields = Fields(slots)
        """The attributes of objects."""
        self.plain: set[ClassCode] = set()
        """Classes whose objects are surely no pytrees."""
        self.methods: dict[str, list[FunctionCode]] = defaultdict(list)
        """All methods of the project by name."""

    def add(self, code: ClassCode, bases: list[Slot]) -> None:
        """Take a class and the slots of its bases."""
        for name, method in code.methods.items():
            self.methods[name].append(method)
        self._written[code] = set(written_to_self(code.node))
        for base in bases:
            self._slots.watch(base, lambda value: self._inherit(code, value), Class, Library, Made)

    def _inherit(self, code: ClassCode, base: Class | Library | Made) -> None:
        if not isinstance(base, Class):
            if base.qualified.partition(".")[0] not in WITHOUT_KEYS:
                self._slots.put(self._beside(code, "bases"), Made(base.qualified))
        elif base.code is not code and base.code not in self._bases[code]:
            self._bases[code].append(base.code)
            self._heirs[base.code].append(code)
            self._relate(code, base.code)
            self._slots.put(self._beside(code, "bases"), base)
            self._slots.put(self._beside(base.code, "heirs"), Class(code))

    def _beside(self, code: ClassCode, what: str) -> Slot:
        """Return the slot of the bases or heirs of a class."""
        slot = self._slots.slot(what, code)
        self._slots.unlimited.add(slot)
        return slot

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
        if self._slots.once("member", slot):
            self._slots.add_edge(self.own_member(code, name), slot)

            def take(heir: Class) -> None:
                self._slots.add_edge(self.member(heir.code, name), slot)

            self._slots.watch(self._beside(code, "heirs"), take)
        return slot

    def writes(self, code: ClassCode, name: str) -> bool:
        """Return whether a class or a base of it writes an attribute, so that it is none of a library."""
        waiting, seen = [code], {code}
        while waiting:
            each = waiting.pop()
            if name in self._written.get(each, ()) or name in each.fields:
                return True
            waiting += [base for base in self._bases[each] if base not in seen]
            seen.update(waiting)
        return False

    def above(self, code: ClassCode, name: str) -> Slot:
        """Return the slot of the methods that ``super()`` finds: in the bases, or beside the class in a subclass."""
        name = name if name in self._method_names else NO_METHOD
        slot = self._slots.slot("above", code, name)
        if self._slots.once("above", slot):
            self._inherited(code, name, slot)

            def beside(heir: Class) -> None:
                def take(base: Class) -> None:
                    if base.code is not code:
                        self._slots.add_edge(self.own_member(base.code, name), slot)

                self._slots.watch(self._beside(heir.code, "bases"), take, Class)

            self._slots.watch(self._beside(code, "heirs"), beside)
        return slot

    def own_member(self, code: ClassCode, name: str) -> Slot:
        """Return the slot of the method that a class itself has or inherits."""
        slot = self._slots.slot("own member", code, name)
        if self._slots.once("own member", slot):
            if name in code.methods:
                self._slots.put(slot, Member(code.methods[name]))
            else:
                self._inherited(code, name, slot)
        return slot

    def _inherited(self, code: ClassCode, name: str, target: Slot) -> None:
        """Copy a method of the bases of a class; one of a library may have any."""

        def take(base: Class | Made) -> None:
            if isinstance(base, Made):
                self._slots.put(target, base)
            else:
                self._slots.add_edge(self.own_member(base.code, name), target)

        self._slots.watch(self._beside(code, "bases"), take)


def written_to_self(class_: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes that the methods of a class write to ``self``."""
    for node in every_node(class_):
        match node:
            case ast.Attribute(ctx=ast.Store(), value=ast.Name(id="self"), attr=name):
                yield name


def bound(member: Member, owner: Object | Class) -> Value:
    """Return a method as it is read from an object or a class."""
    kind = member.code.kind
    if kind == "classmethod" or (kind == "method" and isinstance(owner, Object)):
        return Function(member.code, given=1)
    return Function(member.code)
