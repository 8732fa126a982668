"""The callables that a call passes: the callee is interpreted once more with them.

The effect of a function that calls a parameter depends on the callable. Callables reach a function as arguments and
as variables of the enclosing function.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import cast

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.access import leaves
from olympus_rules.keyflow.domain.file import File
from olympus_rules.keyflow.domain.summary import GENERAL, RECEIVER, Slot, Specialisation
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Bound, Class, Function, Library, Map, Mapped, Partial, Sequence, Value
from olympus_rules.keyflow.interpret.flow import Flow

MAX_SPECIALISATIONS = 12  # of one function, or of one closure around a function; the effect of further ones is unknown
MAX_RECEIVERS = 256  # classes that inherit one method; which of more come first hangs on who asks first


def receiver(file: File, code: FunctionCode, class_: ClassCode) -> Specialisation:
    """Return the receiver of an inherited method, whose class may override what the method calls.

    A static method has none, nor has a method without a parameter for it, such as ``def make(*args)``. The receiver of
    a class method is the class.
    """
    if not code.positional or code.kind == "staticmethod":
        return GENERAL
    name = code.parameters[0]
    if code.kind == "classmethod":
        return ((name, Class(class_)),)
    term = file.terms.make("param", (code, f"{name}{RECEIVER}{class_.home or class_.name}"))
    file.classes[term] = class_
    return ((name, term),)


def is_receiver(given: Specialisation) -> bool:
    """Return whether nothing is given but the receiver of an inherited method."""
    return len(given) == 1 and isinstance(given[0][1], Term)


def _receiver(flow: Flow, code: FunctionCode, binding: dict[str, Value]) -> Specialisation:
    value = binding.get(code.parameters[0]) if code.owner is not None and code.parameters else None
    class_ = flow.file.classes.get(value) if isinstance(value, Term) else None
    if value is None or class_ is None or code.owner is None or code.kind == "classmethod":
        return GENERAL
    if class_ in flow.linker.hierarchy.ancestry(code.owner):  # the method of a subclass: its object is one of that
        return GENERAL
    found = receiver(flow.file, code, class_)
    for _, term in found:
        binding[flow.terms.data(cast(Term, term))[1]] = value
    return found


def specialisation(flow: Flow, function: Function, binding: dict[str, Value]) -> Specialisation:
    """Return the callables that a call passes to a function, by the variable that holds them.

    The receiver of an inherited method is among them: its class may override the methods that are called on it.

    The data that the callables carry becomes parameters of the function, which are added to the binding. So calls
    that differ only in data share one interpretation.
    """
    code = function.code
    if code.is_foreign:
        return GENERAL
    given: list[tuple[Slot, Value]] = [(name, value) for name, value in binding.items() if _matters(flow, value)]
    given += [(slot, value) for slot, value in function.captured if _matters(flow, value)]
    given += _handed_on(flow, function, binding)
    if code.parent is flow.code:
        given += [((flow.code, str(name)), value) for name, value in flow.given.items()]
    inherited = _receiver(flow, code, binding)
    if not given and not inherited:
        return GENERAL
    code.lower()
    given = [(slot, value) for slot, value in given if _variable(slot) in code.reads]
    found = (*inherited, *((slot, _Abstraction(flow, code, slot, binding).of(value)) for slot, value in given))
    return found if flow.linker.summariser.may_specialise(code, found) else GENERAL


def _variable(slot: Slot) -> str:
    """Return the name of the variable that holds a callable, or holds the object that has it as an attribute."""
    return (slot if isinstance(slot, str) else slot[1]).partition(".")[0]


def _handed_on(flow: Flow, function: Function, binding: dict[str, Value]) -> list[tuple[Slot, Value]]:
    """Return ``*args`` and ``**kwargs`` of a call with a callable or key among them, or one that may get them all."""
    names = (name for name in (function.code.vararg, function.code.kwarg) if name is not None)
    rest = [(name, value) for name in names if isinstance(value := binding.get(name), Map | Sequence)]
    found: list[tuple[Slot, Value]] = [*rest]
    parts = [part for _, value in rest for part in _parts(value)]
    is_wanted = any(_matters(flow, value) for value in (*parts, *(value for _, value in function.captured)))
    if any(flow.knowledge.is_candidate(leaf) for part in parts for leaf in leaves(part)):
        return found
    return found if is_wanted and not any(value.open for _, value in rest) else []


def _parts(value: Map | Sequence) -> list[Value]:
    return [item for _, item in value.items] if isinstance(value, Map) else list(value.items)


def _matters(flow: Flow, value: Value | None) -> bool:
    """Return whether it matters to keys which callable is called."""
    if isinstance(value, Mapped | Bound | Partial):
        return _matters(flow, value.function)
    if isinstance(value, Library):
        model = flow.file.table.get(value.qualified)
        if model.row is not None or model.returns is not None:
            return True
        found = flow.linker.lookups.outside(value.qualified, concerned=False)
        return found not in (None, value) and _matters(flow, found)
    return isinstance(value, Function | Class)


class _Abstraction:
    """Replaces the data in a callable by parameters."""

    def __init__(self, flow: Flow, code: FunctionCode, slot: Slot, binding: dict[str, Value]) -> None:
        self.flow = flow
        self.code = code
        self.name = slot if isinstance(slot, str) else f"{slot[1]} of {slot[0].name}"
        self.is_rest = slot in (code.vararg, code.kwarg)
        self.binding = binding
        self.count = 0

    def of(self, value: Value) -> Value:
        if isinstance(value, Function):
            captured = tuple((slot, self.of(part)) for slot, part in value.captured)
            return replace(value, captured=captured, defaults=tuple((n, self.of(v)) for n, v in value.defaults))
        if isinstance(value, Bound):
            return Bound(self.of(value.function), self.of(value.self))
        if isinstance(value, Mapped):
            return replace(value, function=self.of(value.function))
        if isinstance(value, Partial):
            keywords = tuple((name, self.of(part)) for name, part in value.keywords)
            return Partial(self.of(value.function), tuple(self.of(part) for part in value.args), keywords)
        if isinstance(value, Sequence):
            return replace(value, items=tuple(self.of(item) for item in value.items))
        if isinstance(value, Map):
            return replace(value, items=tuple((key, self.of(item)) for key, item in value.items))
        is_data = isinstance(value, Term) or (self.is_rest and not isinstance(value, Class | Library))
        return self.parameter(value) if is_data else value

    def parameter(self, value: Value) -> Term:
        self.count += 1
        name = f"{self.name}#{self.count}"
        data: Hashable = (self.code, name)
        term = self.flow.terms.make("param", data)
        self.binding[name] = value
        classes = self.flow.file.classes
        if isinstance(value, Term) and value in classes:
            classes.setdefault(term, classes[value])
        return term
