"""The classes of the objects that attributes hold and that functions give, across all files of the project."""

from __future__ import annotations

from collections.abc import Iterable

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.code.origins import Given, Origin
from olympus_rules.keyflow.domain.access import CALLABLE
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.linker import NOTHING, Held
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition
from olympus_rules.keyflow.domain.presence import ELEMENT
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Bound, Class, Function, Library, Sequence, Value
from olympus_rules.keyflow.linking.hierarchy import SETTING_UP, own_object, summary_of
from olympus_rules.keyflow.notes.annotated import annotations_of, held_by

CALLED = "()"  # after the name of a function, in the question for what it gives


class Objects:
    """What one file knows of objects, from declarations and single statements, without any interpretation.

    A class or function of another file is asked there, so that its names are those of its own file.
    """

    def __init__(self, file: File) -> None:
        """Take the tables of the file."""
        self._file = file
        self._attributes: dict[tuple[ClassCode, str], Held | Value] = {}
        self._results: dict[tuple[FunctionCode, ClassCode | None], Held] = {}
        self._parameters: dict[tuple[FunctionCode, str], Held] = {}
        self._initial: dict[tuple[ClassCode, tuple[str, ...]], Value | None] = {}

    def held(self, class_: ClassCode, name: str) -> Held:
        """Return what is known of the object in an attribute of the objects of a class."""
        found = self._of_object(class_, name)
        return found if isinstance(found, Held) else NOTHING

    def result(self, callee: Value, receiver: ClassCode | None = None) -> Held:
        """Return what is known of the object that a call gives."""
        if isinstance(callee, Bound):
            return self.result(callee.function, receiver)
        if isinstance(callee, Class):
            return Held(callee.code, is_made=True)
        if isinstance(callee, Library):
            found = self._outside(callee.qualified)
            variable = None if found is not None else self._file.linker.names.variable_class(callee.qualified)
            if isinstance(found, Class) or variable is not None:
                return Held(found.code if isinstance(found, Class) else variable, is_made=True)
            return self._asked(callee.qualified + CALLED)
        if not isinstance(callee, Function):
            return NOTHING
        code = callee.code
        if code.is_foreign:
            return self._asked(code.home + CALLED) if code.home else NOTHING
        slot = (code, receiver or code.owner)
        if slot not in self._results:
            self._results[slot] = NOTHING  # it may give its own result
            given = NOTHING if code.result is None else self._resolved(code.result, code.parent, slot[1])
            self._results[slot] = given if isinstance(given, Held) else NOTHING
        return self._results[slot]

    def parameter(self, code: FunctionCode, name: str) -> Held:
        """Return what annotations say of an argument: of the function, or of the method that it overrides."""
        slot = (code, name)
        if slot not in self._parameters:
            self._parameters[slot] = NOTHING  # classes of two files may be bases of each other while they are edited
            self._parameters[slot] = self._parameter(code, name)
        return self._parameters[slot]

    def _parameter(self, code: FunctionCode, name: str) -> Held:
        annotation = annotations_of(code.node).get(name)
        if annotation is not None:
            return held_by(self._file.linker, code.parent, annotation)
        method = code.name.rpartition(".")[2]
        if code.owner is None or method in SETTING_UP:
            return NOTHING
        for each in self._file.linker.hierarchy.ancestry(code.owner):
            if each.home and method in each.kinds:
                found = self._file.linker.lookups.outside(f"{each.home}.{method}.{name}", concerned=True)
                return self._of_term(found)  # of a base class, whose file need not hold a key
            if each is not code.owner and method in each.methods:
                return self.parameter(each.methods[method], name)
        return NOTHING

    def initial(self, class_: ClassCode, path: tuple[str, ...]) -> Value | None:
        """Return what the constructor of a class puts in an attribute of an attribute, ``None`` if that is not known.

        Args:
            class_: the class of the object.
            path: the attributes, that of the object first.
        """
        slot = (class_, path)
        if slot not in self._initial:
            self._initial[slot] = None
            code = self._file.linker.hierarchy.method(class_, "__init__")
            self._initial[slot] = None if code is None else _initial(self._file, code, path)
        return self._initial[slot]

    def _attribute(self, class_: ClassCode, name: str) -> Held | Value:
        """Return the object in an attribute, or the class or function."""
        slot = (class_, name)
        if slot not in self._attributes:
            self._attributes[slot] = NOTHING  # until it is known: it may be made of itself
            self._attributes[slot] = self._found(class_, name)
        return self._attributes[slot]

    def _found(self, class_: ClassCode, name: str) -> Held | Value:
        hierarchy = self._file.linker.hierarchy
        for each in hierarchy.ancestry(class_):
            found: Held | Value = NOTHING
            if each.home:
                found = self._asked(f"{each.home}.{name}")
            elif name in each.declared:
                found = self._resolved(each.declared[name], each.scope, class_)
            if found != NOTHING:
                return found
        method = hierarchy.method(class_, name)
        return NOTHING if method is None else self._file.function(method)

    def _resolved(self, origin: Origin, scope: FunctionCode | None, class_: ClassCode | None) -> Held | Value:
        """Return what has an origin: an object, or a class or function."""
        kind, *parts = origin
        if kind == "self":
            return NOTHING if class_ is None else Held(class_)
        if kind == "name":
            return self._named(parts[0], scope)
        if kind == "type":
            return NOTHING if scope is None else held_by(self._file.linker, scope, parts[0])
        owner = self._resolved(parts[0], scope, class_)
        if kind == "made":
            is_known = isinstance(owner, Held) and owner.class_ is not None and owner.is_made
            return owner if is_known else self._resolved(parts[1], scope, class_)
        if kind == "call":
            return self._called(owner, parts[1], scope, class_)
        if not isinstance(owner, Held):
            return NOTHING
        if kind == "maybe":
            return owner._replace(is_made=False, given=())
        if kind == "item":
            return Held(owner.part)
        if kind == "of":
            return Held(part=owner.class_)
        return NOTHING if owner.class_ is None else self._of_object(owner.class_, parts[1])

    def _of_object(self, class_: ClassCode, name: str) -> Held | Value:
        """Return an attribute of an object, or its method, bound to an object of its class."""
        found = self._attribute(class_, name)
        if not isinstance(found, Function):
            return found
        if found.code.is_property:
            return self.result(found, class_)
        return Bound(found, Class(class_))

    def _called(self, callee: Held | Value, given: Given, scope: FunctionCode | None, class_: ClassCode | None) -> Held:
        """Return what a call gives; a constructor without code of its own puts what it is given in fields."""
        if isinstance(callee, Library):
            callee = self._outside(callee.qualified) or callee
        if isinstance(callee, Class) and self._file.linker.hierarchy.method(callee.code, "__init__") is None:
            fields = [*self._file.linker.hierarchy.fields(callee.code), *(None for _ in given)]
            named = [(name or field, origin) for field, (name, origin) in zip(fields, given, strict=False)]
            found = [(name, self._resolved(origin, scope, class_)) for name, origin in named if name and origin]
            return Held(callee.code, None, True, tuple((n, v) for n, v in found if isinstance(v, CALLABLE)))
        if isinstance(callee, Bound) and isinstance(callee.self, Class):
            return self.result(callee.function, callee.self.code)
        return NOTHING if isinstance(callee, Held) else self.result(callee)

    def _named(self, name: str, scope: FunctionCode | None) -> Held | Value:
        """Return what a name of a scope stands for."""
        if scope is None:
            return NOTHING
        head, *rest = name.split(".")
        names = self._file.linker.names
        value = names.value_in(scope, head)
        for part in rest:
            if isinstance(value, Library):
                value = names.library(f"{value.qualified}.{part}")
            elif isinstance(value, Class):
                method = self._file.linker.hierarchy.method(value.code, part)
                if method is None:
                    return NOTHING
                return Bound(self._file.function(method), value)
            else:
                return self._of_term(value)
        return self._of_term(value) if isinstance(value, Term) else value

    def _of_term(self, value: Value | None) -> Held:
        """Return what is known of a value."""
        if not isinstance(value, Term):
            return NOTHING
        given = self._file.held.get(value, NOTHING).given
        return Held(self._file.classes.get(value), self._file.annotated_parts.get(value), given=given)

    def _outside(self, qualified: str) -> Value | None:
        return self._file.linker.lookups.outside(qualified, concerned=False)

    def _asked(self, qualified: str) -> Held:
        """Return what another file says of the object under a name."""
        return self._of_term(self._outside(qualified))


def _initial(file: File, method: FunctionCode, path: Iterable[str]) -> Value | None:
    """Return what an initialising method surely writes, once, to an attribute of an attribute of its object.

    All objects in a list that it fills are to have the same.
    """
    summary = summary_of(file, method)
    if summary is None:
        return None
    held: set[Value] = {own_object(file, summary)}
    for name in path:
        if name == ELEMENT:
            held = {item for each in held for item in (each.items if isinstance(each, Sequence) else (each,))}
            continue
        written: dict[Value, list[tuple[Value, PathCondition]]] = {each: [] for each in held}
        for term, put, value, when in summary.writes:
            if put == name and term in written:
                written[term].append((value, when))
        if any(len(each) != 1 or each[0][1] != ALWAYS for each in written.values()):
            return None
        held = {value for ((value, _),) in written.values()}
    return held.pop() if len(held) == 1 else None
