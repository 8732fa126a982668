"""Classes and their bases, across all files of the project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.code.relevance import names_keys
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.linker import Linker, Part
from olympus_rules.keyflow.domain.summary import RECEIVER, Summary
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Bound,
    Choice,
    Class,
    Const,
    Function,
    Library,
    Mapped,
    Partial,
    Sequence,
    Value,
)
from olympus_rules.keyflow.interpret.defaults import supposed
from olympus_rules.keyflow.interpret.made_objects import kind
from olympus_rules.keyflow.notes.annotated import named
from olympus_rules.libraries.names import RANDOM
from olympus_rules.syntax.document import every_node

SETTING_UP = ("__init__", "setup", "__post_init__")
WRITE = re.compile(r"\.(\w+)(?=\s*(?::[^=\n]+)?=[^=])")  # what follows may write another: `if self.a: self.b = 0`
TARGET = re.compile(r"\.(\w+)(?=\s*(?:[,=:)\]]|in\b))")
"""What an assignment, a loop or ``with`` may write, and some of what is only read."""
BY_NAME = re.compile(r"\b(?:setattr\(|__dict__\b|vars\()")
ANY = "*"
MAX_ANCESTRY = 100  # bases visited above one class, each once per class that inherits from it


class Hierarchy:
    """The classes that one file sees.

    Attributes:
        bases: the values of the bases of each class.
    """

    def __init__(self, file: File) -> None:
        """Take the tables of the file."""
        self._file, self._linker = file, file.linker
        self.bases: dict[ClassCode, list[Value]] = {}
        self._ancestries: dict[ClassCode, dict[ClassCode, None]] = {}
        self._libraries: dict[tuple[ClassCode, str, bool, int | None], str] = {}
        self._objects: dict[tuple[ClassCode, str, Part, int], set[Value]] = {}
        self._callables: dict[tuple[ClassCode, str], list[Value]] = {}
        self._rebound: frozenset[str] | None = None  # the attributes that the file writes
        self._targets: frozenset[str] | None = None  # those that it may write
        self._given: dict[tuple[ClassCode, str], bool] = {}
        self._giving: dict[FunctionCode, dict[str, bool]] = {}
        self._stored: dict[ClassCode, set[str]] = {}
        self._overridden: dict[ClassCode, set[str]] | None = None
        self._abstract: dict[ClassCode, bool] = {}
        self._keyed: dict[FunctionCode, bool] = {}  # whether `__getattr__` names keys

    def method(self, class_: ClassCode, name: str) -> FunctionCode | None:
        """Return a method of a class or of its bases, those of other files included."""
        return self._first(self.ancestry(class_), name, class_)

    def implementations(self, class_: ClassCode, name: str, *, elsewhere: bool = False) -> list[FunctionCode]:
        """Return the method of a class, or those of its subclasses in this file if it leaves the method to them.

        Args:
            class_: the class.
            name: the method.
            elsewhere: whether to return those of its subclasses in its own file, too.
        """
        own = self._implementation(class_, name)
        if own is not None:
            return [own]
        others = [self.known_class(Library(home)) for home in class_.heirs if elsewhere]
        below = [*heirs(self._file, class_), *filter(None, others)]
        found = (self._implementation(each, name) for each in below)
        return [each for each in dict.fromkeys(found) if each is not None]

    def _implementation(self, class_: ClassCode, name: str) -> FunctionCode | None:
        """Return a method of a class, ``None`` if it leaves the method to its subclasses."""
        binding = (each for each in self.ancestry(class_) if name in {*each.values, *each.kinds, *each.methods})
        defining = next(iter(binding), None)
        return None if defining is None or name in defining.left_open else self._first([defining], name, class_)

    def _first(self, candidates: Iterable[ClassCode], name: str, heir: ClassCode) -> FunctionCode | None:
        """Return the method of the first class that binds a name, ``None`` if it binds the name to something else."""
        for candidate in candidates:
            if name in candidate.values:
                return None
            if name in candidate.kinds:
                return self._foreign_method(candidate, name, heir)
            if name in candidate.methods:
                return candidate.methods[name]
        return None

    def may_be_overridden(self, class_: ClassCode, name: str) -> bool:
        """Return whether a subclass may rebind the name of a method of a class.

        The subclasses in this file are known. A class that leaves methods to its subclasses has others elsewhere.
        """
        if self._overridden is None:
            self._overridden = _overridden(self._file.module.definitions)
        if class_ not in self._abstract:
            self._abstract[class_] = not class_.home and bool(class_.left_open)
        return self._abstract[class_] or name in self._overridden.get(class_, ())

    def _foreign_method(self, class_: ClassCode, name: str, heir: ClassCode) -> FunctionCode:
        """Return a method of a class of another file, for a class that inherits it."""
        home = f"{class_.home}.{name}"
        if heir is not class_ and (heir.home or self._file.module.definitions.get(heir.name) is heir):
            home += f"{RECEIVER}{heir.home or f'{self._file.name}.{heir.name}'}"
        if home not in class_.methods:
            class_.methods[home] = FunctionCode(
                f"{class_.name}.{name}",
                class_.node,
                kind=class_.kinds[name],
                is_foreign=True,
                home=home,
                is_left_open=name in class_.left_open,
            )
        return class_.methods[home]

    def inherited(self, class_: ClassCode, name: str, heir: ClassCode | None) -> FunctionCode | None:
        """Return ``super().name`` in a method of a class, for an object of a class that may inherit from it."""
        order = [] if heir is None else list(self.ancestry(heir))
        if heir is None or class_ not in order:
            heir, order = class_, list(self.ancestry(class_))
        return self._first(order[order.index(class_) + 1 :], name, heir)

    def fields(self, class_: ClassCode) -> list[str]:
        """Return the annotated fields of a class, those of its bases first."""
        ancestry = reversed(list(self.ancestry(class_)))
        return list(dict.fromkeys(name for ancestor in ancestry for name in ancestor.fields))

    def ancestry(self, class_: ClassCode) -> Iterable[ClassCode]:
        """Return a class and its bases as far as their source is in reach, in the order of method lookup.

        The order is depth first, and a shared base comes after the last class that inherits from it.
        """
        found = self._ancestries.get(class_)
        if found is None:
            found, is_final = self._ancestry(class_)
            if is_final:
                self._ancestries[class_] = found
        return found

    def _ancestry(self, class_: ClassCode) -> tuple[dict[ClassCode, None], bool]:
        """Return a class and its bases, and whether all are known that will ever be."""
        found: dict[ClassCode, None] = {}
        is_final = True
        waiting = [class_]
        for _ in range(MAX_ANCESTRY):
            if not waiting:
                break
            candidate = waiting.pop(0)
            found.pop(candidate, None)
            found[candidate] = None
            values = self.bases.get(candidate, ())
            bases = [self.known_class(base) for base in values]
            asked = [base.qualified for base in values if isinstance(base, Library)]
            is_final &= all(map(self._linker.lookups.is_settled, asked))
            waiting[:0] = [base for base in bases if base is not None]
        return found, is_final

    def inherit(self, class_: ClassCode, bases: list[Value]) -> None:
        """Record the values of the bases of a class."""
        if self.bases.get(class_) != bases:
            self.bases[class_] = bases
            for heir in [each for each, ancestry in self._ancestries.items() if class_ in ancestry]:
                del self._ancestries[heir]

    def is_constant(self, class_: ClassCode, name: str) -> bool:
        """Return whether an attribute of a class is constant: a member of an enumeration, or named like a constant."""
        return name.isupper() or _is_enumeration(_bases_of(self, class_))

    def members(self, class_: ClassCode) -> frozenset[str]:
        """Return the names of the members of an enumeration; none for any other class or one out of reach."""
        if not _is_enumeration(_bases_of(self, class_)):
            return frozenset()
        targets = [part for node in class_.node.body if isinstance(node, ast.Assign) for part in node.targets]
        return frozenset(target.id for target in targets if isinstance(target, ast.Name))

    def member(self, class_: ClassCode, name: str) -> str:
        """Return the name under which a constant is known: an enumeration has one member for each value."""
        names = self.members(class_)
        literals = {
            target.id: ast.dump(node.value)
            for node in (class_.node.body if name in names else ())
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        return next((each for each, value in literals.items() if value == literals.get(name)), name)

    def held_library(
        self, class_: ClassCode, attribute: str, *, in_list: bool = False, place: int | None = None
    ) -> str:
        """Return the class of a library whose object an attribute holds: as a field is annotated, or as it is set up.

        Args:
            class_: the class of the object that has the attribute.
            attribute: the attribute.
            in_list: whether to ask for the class of all objects in the list that the attribute holds.
            place: the place in the list, to ask for one of them.

        Returns:
            Its qualified name, ``SILENT`` for objects that draw nothing; empty if none is known.
        """
        slot = (class_, attribute, in_list, place)
        if slot not in self._libraries:
            self._libraries[slot] = ""
            if self._targets is None:
                self._targets = _targets(self._file.document.text)
            is_written = ANY in self._targets or attribute in self._targets
            held = self._set_up(class_, attribute, here=True) if is_written else []
            if in_list:
                items = (item for value in held if isinstance(value, Sequence) for item in _items(value, place))
                held = [part for item in items for part in _parts(item)]
            made = [self._file.made.get(value) for value in held if isinstance(value, Term)]
            names = {"" if each is None else kind(self._file, each) for each in made}
            names = names or {_annotated(self._linker, self.ancestry(class_), attribute, in_list=in_list)}
            self._libraries[slot] = names.pop() if len(names) == 1 else ""
        return self._libraries[slot]

    def held_objects(self, class_: ClassCode, attribute: str, part: Part, first: int) -> set[Value]:
        """Return the objects that an attribute holds as it is set up: in a slice, from the ``first`` on, of a list."""
        slot = (class_, attribute, part, first)
        if slot not in self._objects:
            held = self._objects[slot] = set()
            for value in self._set_up(class_, attribute):
                items = value.items[slice(*part)][first:] if isinstance(value, Sequence) else (value,)
                held.update(each for item in items for each in _parts(item))
        return self._objects[slot]

    def held_callables(self, class_: ClassCode, attribute: str, owner: Value) -> list[Value]:
        """Return the functions and methods that the initialising methods write to an attribute.

        Args:
            class_: the class of the object.
            attribute: the attribute.
            owner: the object, whose methods are bound to it.

        Returns:
            Without them, the default in the class body. None of them if the attribute may hold anything else. As other
            methods may write it, all are doubtful.
        """
        slot = (class_, attribute)
        if slot not in self._callables:
            self._callables[slot] = []
            self._callables[slot] = [value for value in self._set_up(class_, attribute) if value != Const(None)]
        if not self._callables[slot]:
            default = supposed(self._file, self._class_value(class_, attribute))
            return [] if default is None or self.may_be_overridden(class_, attribute) else [default]
        found = [_of_object(self._file, value, owner) for value in self._callables[slot]]
        return [value for value in found if value is not None] if None not in found else []

    def is_given(self, class_: ClassCode, attribute: str) -> bool:
        """Return whether an object was given what its attribute holds, which so knows nothing of the object.

        An annotated field is given, and what a constructor writes that it makes of parameters and globals only.
        """
        slot = (class_, attribute)
        if slot not in self._given:
            is_field = attribute in self.fields(class_)
            methods = list(filter(None, (self.method(class_, name) for name in SETTING_UP)))
            for code in methods:
                if code not in self._giving:
                    self._giving[code] = _giving(code)
            makers = [self._giving[code][attribute] for code in methods if attribute in self._giving[code]]
            is_given = all(makers) if makers else is_field
            self._given[slot] = is_given and self.method(class_, attribute) is None
        return self._given[slot]

    def computing(self, class_: ClassCode, name: str) -> tuple[Value | None, FunctionCode] | None:
        """Return the method that computes an attribute: ``__get__`` of a descriptor in the body of the class, with the
        descriptor, or ``__getattr__``, if no method of the class writes the attribute.
        """
        value = self._class_value(class_, name)
        held = self._file.classes.get(value) if isinstance(value, Term) else None
        method = None if held is None else self.method(held, "__get__")
        if method is not None:
            return value, method
        method = self.method(class_, "__getattr__")
        if method is None or method.is_foreign or _stores(self.ancestry(class_), name, self._stored):
            return None  # one of another file may set up a whole framework, and is not followed
        if method not in self._keyed:  # one without keys would be called for each attribute that is read
            self._keyed[method] = names_keys(method)
        return (None, method) if self._keyed[method] else None

    def may_compute(self, class_: ClassCode, name: str) -> bool:
        """Return whether reading an attribute of an object of a class may run code: that of a base out of reach, of
        ``__getattribute__``, or of what the class body binds to the name.
        """
        ancestry = list(self.ancestry(class_))
        if any("__getattribute__" in (*each.methods, *each.kinds) for each in ancestry):
            return True
        if name in self.fields(class_):
            return False
        if any("__getattr__" in each.kinds for each in ancestry) and not _stores(
            self.ancestry(class_), name, self._stored
        ):
            return True
        if not isinstance(self._class_value(class_, name), Const | None):
            return True
        bases = _bases_of(self, class_)
        return any(
            isinstance(base, Term)
            or (isinstance(base, Library) and not self._file.table.knows(base.qualified) and not self.known_class(base))
            for base in bases
        )

    def _class_value(self, class_: ClassCode, attribute: str) -> Value | None:
        """Return what the body of a class of this file, or of one of its bases in it, binds to an attribute."""
        module = self._file.module
        for each in self.ancestry(class_):
            if attribute in each.values and module.definitions.get(each.name) is each:
                variables = self._file.environments.get(module)
                return None if variables is None else variables.get(f"{each.name}.{attribute}")
        return None

    def namespace(self, class_: ClassCode, attribute: str, *, of_object: bool = False) -> Library | None:
        """Return what of a library a class of this file, used as a namespace, has under a name.

        If the file writes an attribute of that name, of any object, it is anything. A function that is no static
        method becomes a method of the class's objects.
        """
        value = self._class_value(class_, attribute)
        if not isinstance(value, Library):
            return None
        if of_object and (
            self.may_be_overridden(class_, attribute)
            or not _is_static(self._file, self.ancestry(class_), attribute, value)
        ):
            return None
        if self._rebound is None:
            self._rebound = _rebound(self._file.document.text)
        return None if attribute in self._rebound or ANY in self._rebound else value

    def _set_up(self, class_: ClassCode, attribute: str, *, here: bool = False) -> list[Value]:
        """Return the values that the initialising methods write to an attribute; ``here`` for those of this file."""
        methods = filter(None, (self.method(class_, name) for name in SETTING_UP))
        asked = [code for code in methods if not (here and code.is_foreign)]
        written = (value for code in asked for put, value in _written_by(self._file, code) if put == attribute)
        parts = (part for value in written for part in _parts(value))
        return list(dict.fromkeys(parts))

    def known_class(self, value: Value) -> ClassCode | None:
        """Return the class that a value is, wherever the project defines it."""
        if isinstance(value, Library):
            found = self._linker.lookups.outside(value.qualified, concerned=True)
            if found is None:
                return self._linker.names.variable_class(value.qualified)
            value = found
        return value.code if isinstance(value, Class) else None


def heirs(file: File, class_: ClassCode) -> list[ClassCode]:
    """Return the classes of a file that inherit from a class."""
    own = [each for each in file.module.definitions.values() if isinstance(each, ClassCode) and each is not class_]
    return [each for each in own if class_ in file.linker.hierarchy.ancestry(each)]


def _written_by(file: File, method: FunctionCode) -> Iterable[tuple[str, Value]]:
    """Return the attributes of its object that a method writes, with their values."""
    summary = summary_of(file, method)
    for term, attribute, value, _ in () if summary is None else summary.writes:
        if summary is not None and term == own_object(file, summary):
            yield attribute, value


def summary_of(file: File, method: FunctionCode) -> Summary | None:
    """Return the summary of a method, which another file may have."""
    reached = file.linker.lookups.reach(Function(method), concerned=True)
    return None if reached is None else file.linker.summariser.summary(reached.code)


def own_object(file: File, summary: Summary) -> Term:
    """Return the object of a method."""
    return file.terms.make("param", (summary.code, next(iter(summary.code.parameters), "")))


def _bases_of(hierarchy: Hierarchy, class_: ClassCode) -> list[Value]:
    """Return the bases of a class and of those that it inherits from."""
    return [base for ancestor in hierarchy.ancestry(class_) for base in hierarchy.bases.get(ancestor, ())]


def _is_enumeration(bases: Iterable[Value]) -> bool:
    return any(isinstance(base, Library) and base.qualified.startswith("enum.") for base in bases)


def _annotated(linker: Linker, ancestry: Iterable[ClassCode], attribute: str, *, in_list: bool) -> str:
    """Return the class of a library that the annotation of a field names, empty if there is none.

    For the objects in a list, that is the last name in ``list[…]`` or ``tuple[…, ...]``.
    """
    for each in ancestry:
        kind, *parts = each.declared.get(attribute, ("",))
        if kind == "made":
            kind, *parts = parts[1]
        if kind == "type":
            annotation = _element(parts[0]) if in_list else parts[0]
            value = None if annotation is None else named(linker, each.scope, annotation)
            return value.qualified if isinstance(value, Library) else ""
    return ""


def _element(annotation: ast.expr) -> ast.expr | None:
    """Return what the annotation of a list or of a tuple of any length says of each element."""
    match annotation:
        case ast.Subscript(slice=ast.Tuple(elts=[element, ast.Constant(value=rest)])) if rest is ...:
            return element
        case ast.Subscript(slice=ast.Name() | ast.Attribute() as element):
            return element
    return None


def _stores(ancestry: Iterable[ClassCode], name: str, known: dict[ClassCode, set[str]]) -> bool:
    """Return whether code of a class, or of one that it inherits from, writes an attribute; ``known`` is added to."""
    for each in ancestry:
        if each not in known:
            known[each] = _stored(each)
        if name in known[each]:
            return True
    return False


def _stored(class_: ClassCode) -> set[str]:
    """Return the names that the objects of a class store: its fields, and what code in it writes."""
    nodes = every_node(class_.node)
    written = {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    return written.union(class_.fields, class_.values)


def _is_static(file: File, ancestry: Iterable[ClassCode], attribute: str, value: Library) -> bool:
    """Return whether the objects of a class have an attribute of it as it is: a module, or a static method."""
    if file.table.get(value.qualified).row is None:
        return value.qualified == RANDOM
    written = next(each for each in ancestry if attribute in each.values).node.body
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == attribute for target in node.targets)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "staticmethod"
        for node in written
    )


def _of_object(file: File, value: Value | None, owner: Value) -> Value | None:
    """Return a callable that an object keeps, with its methods bound to the object; ``None`` for anything else.

    The data that the initialising method has bound to it is unknown to other methods.
    """
    if isinstance(value, Bound | Mapped | Partial):
        function = _of_object(file, value.function, owner)
        if function is None:
            return None
        if isinstance(value, Partial):
            args, keywords = (
                (file.terms.fresh() for _ in value.args),
                ((n, file.terms.fresh()) for n, _ in value.keywords),
            )
            return Partial(function, tuple(args), tuple(keywords))
        return Bound(function, owner) if isinstance(value, Bound) else replace(value, function=function)
    if isinstance(value, Library):
        found = file.linker.lookups.outside(value.qualified, concerned=True)
        return None if found in (None, value) else _of_object(file, found, owner)
    return replace(value, doubtful=True) if isinstance(value, Function) and not value.captured else None


def _rebound(text: str) -> frozenset[str]:
    """Return the attributes that a file writes, of any object; with ``ANY`` if it may write them by their names."""
    names = frozenset(WRITE.findall(text))
    return names | {ANY} if BY_NAME.search(text) else names


def _targets(text: str) -> frozenset[str]:
    """Return the attributes that a file may write in any statement, and more; only ``ANY`` if it may by their names."""
    return frozenset({ANY} if BY_NAME.search(text) else TARGET.findall(text))


def _giving(code: FunctionCode) -> dict[str, bool]:
    """Return which attributes of its object a method writes, and whether all it writes there was given to it."""
    found: dict[str, bool] = {}
    for node in every_node(code.node):
        written = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        targets = [
            part for each in written for part in (each.elts if isinstance(each, ast.Tuple | ast.List) else [each])
        ]
        for target in targets:
            match target:
                case ast.Attribute(value=ast.Name(id=owner), attr=name):
                    if owner in code.parameters[:1] and (value := getattr(node, "value", None)) is not None:
                        found[name] = found.get(name, True) and _is_of_parameters(code, value)
    return found


def _is_of_parameters(code: FunctionCode, value: ast.expr) -> bool:
    """Return whether an expression of a method is made of its parameters, but not its object, and of globals."""
    names = {node.id for node in every_node(value) if isinstance(node, ast.Name)}
    return names & code.local_names <= set(code.parameters[1:])


def _items(values: Sequence, place: int | None) -> tuple[Value, ...]:
    """Return the item in a place, or all of them if it is not known which one is there."""
    return values.items if place is None or place < 0 else values.items[place : place + 1] or values.items


def _parts(value: Value) -> list[Value]:
    """Return the values that a value may stand for."""
    return [part for _, part in value.arms] if isinstance(value, Choice) else [value]


def _overridden(definitions: Mapping[str, FunctionCode | ClassCode]) -> dict[ClassCode, set[str]]:
    """Return the names that subclasses bind, for each class of a module that has subclasses in it."""
    found: dict[ClassCode, set[str]] = {}
    for class_ in definitions.values():
        waiting = [class_]
        seen: set[FunctionCode | ClassCode] = set()
        while waiting:
            below = waiting.pop()
            if not isinstance(class_, ClassCode) or not isinstance(below, ClassCode) or below in seen:
                continue
            seen.add(below)
            if below is not class_:
                found.setdefault(below, set()).update(class_.methods, class_.values)
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in below.node.bases]
            names = [base.id for base in bases if isinstance(base, ast.Name)]
            waiting += [definitions[name] for name in names if name in definitions]
    return found
