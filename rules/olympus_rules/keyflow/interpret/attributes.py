"""Reading attributes: of modules, classes, objects, keys."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import cast

from olympus_rules.code import instructions as ir
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import (
    as_term,
    choose,
    map_choice,
)
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.ledger import STATE
from olympus_rules.keyflow.domain.outcomes import outcomes
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.domain.state import Snapshot
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Bound,
    Choice,
    Class,
    Const,
    Function,
    Library,
    Metadata,
    Sequence,
    Super,
    Value,
)
from olympus_rules.keyflow.interpret import control
from olympus_rules.keyflow.interpret.callees import is_abstract
from olympus_rules.keyflow.interpret.copies import REPLACING
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import conversions, layout
from olympus_rules.keyflow.notes.pending import passes_value


def attribute(flow: Flow, value: Value, name: str, node: ast.Attribute | None = None) -> Value:
    """Return ``value.name``."""
    if isinstance(value, Choice):
        return map_choice(flow, value, lambda part: flow.attribute(part, name, node))
    if isinstance(value, Library):
        return flow.linker.names.library(f"{value.qualified}.{name}")
    if isinstance(value, Class):
        method = flow.linker.hierarchy.method(value.code, name)
        if method is None and flow.linker.hierarchy.is_constant(value.code, name):
            class_name = flow.terms.data(as_term(flow, value))
            flow.terms.members[class_name] = flow.linker.hierarchy.members(value.code)
            return flow.terms.make("symbol", f"{class_name}.{flow.linker.hierarchy.member(value.code, name)}")
        if method is None:
            return flow.linker.hierarchy.namespace(value.code, name) or flow.terms.fresh()
        if method.is_property:
            return flow.terms.fresh()
        function = flow.file.function(method)
        return Bound(function, value) if method.kind == "classmethod" else function
    if isinstance(value, Super):
        return _inherited_attribute(flow, value, name, node)
    if isinstance(value, Term):
        return _term_attribute(flow, value, name, node)
    if isinstance(value, Metadata) and value.what == "dtype":
        if node is not None:
            layout.dtype_attribute(flow, value, name, node)
        return Metadata(f"dtype.{name}", value.term, value.subject)
    if isinstance(value, Sequence) and name == "T":
        return value
    if isinstance(value, Sequence) and value.kind == "stack" and name == "dtype" and node is not None:
        first = value.items[0] if value.items else None
        if isinstance(first, Term):
            return Metadata("dtype", first, node.value)  # its rows have that dtype
    if node is not None:
        passes_value(flow, value, node.value)  # an array of numbers, as by asarray
    return flow.terms.make("attr", (name, 0), as_term(flow, value))


def _inherited_attribute(flow: Flow, value: Super, name: str, node: ast.Attribute | None) -> Value:
    """Return ``super().name``."""
    heir = flow.file.classes.get(value.self) if isinstance(value.self, Term) else None
    method = flow.linker.hierarchy.inherited(value.code, name, heir)
    if method is None and name == "__init__" and (base := _described_base(flow, value.code)) is not None:
        return base
    if method is None:
        return flow.terms.make("attr", (name, 0), as_term(flow, value.self))
    return _method(flow, method, value.self, Class(value.code), node)


def _described_base(flow: Flow, class_: ir.ClassCode) -> Library | None:
    """Return the class of a library that a class of the project extends, if a pack says what making one does."""
    hierarchy = flow.linker.hierarchy
    bases = (base for each in hierarchy.ancestry(class_) for base in hierarchy.bases.get(each, ()))
    return next((base for base in bases if isinstance(base, Library) and flow.file.describes(base.qualified)), None)


def _method(
    flow: Flow, method: ir.FunctionCode, owner: Value, class_: Class, node: ast.Attribute | None, *, sure: bool = True
) -> Value:
    """Return a method as an attribute of an object; a property is called.

    The method is doubtful if the object may be an instance of a subclass that overrides it.
    """
    function = flow.file.function(method)
    if not sure and isinstance(function, Function):
        function = replace(function, doubtful=True)
    if method.kind == "cached_property" and isinstance(owner, Term):
        return _cached(flow, method, owner, node)
    if method.is_property and method in flow.read_properties:  # one that gives the attribute of its name of a base
        return flow.terms.make("attr", (method.name.rpartition(".")[2], 0), as_term(flow, owner))
    if method.is_property:
        flow.read_properties.add(method)
        value = _property(flow, function, owner, node)
        flow.read_properties.discard(method)
        return value
    if method.kind == "staticmethod":
        return function
    return Bound(function, class_ if method.kind == "classmethod" else owner)


def _property(flow: Flow, function: Value, owner: Value, node: ast.Attribute | None) -> Value:
    """Return the value of a property."""
    outer, flow.site = flow.site, node or flow.site
    value = flow.call(Bound(function, owner), Arguments((), (), None))
    flow.site = outer
    return value


def _cached(flow: Flow, method: ir.FunctionCode, owner: Term, node: ast.Attribute | None) -> Value:
    """Return the value of a cached property: computed on the first access, an attribute afterwards."""
    function, name = flow.file.function(method), method.name.rpartition(".")[2]
    here, missing = outcomes(flow, presence.attribute(flow, owner, name, presence.CACHED))
    before = None if here is None else both(flow.path, here)
    states: list[Snapshot | None] = [None if before is None else (before, {})]
    if missing is not None:
        states.append(
            control.arm(flow, missing, lambda: flow.set_attribute(owner, name, _property(flow, function, owner, node)))
        )
    control.join(flow, [state for state in states if state is not None])
    generation = flow.generation(owner)
    value = cast("Value | None", flow.env.get((owner, name, generation)))
    return flow.terms.make("attr", (name, generation), owner) if value is None else value


def _term_attribute(flow: Flow, term: Term, name: str, node: ast.Attribute | None) -> Value:
    if node is not None:
        if name in ("ndim", "shape", "size"):
            conversions.counted(flow, term, node)
        seen = layout.attribute(flow, term, name, node)
        if seen is not None:
            return seen
    generation = flow.generation(term)
    stored = flow.env.get((term, name, generation))
    if stored is not None:
        return cast(Value, stored)
    known = class_of(flow.file, term)
    class_ = flow.file.classes.get(term)
    if class_ is not None and name == "__class__":
        return Class(class_)
    if class_ is not None and name not in REPLACING:
        method = flow.linker.hierarchy.method(class_, name)
        if method is not None:
            sure = flow.terms.operation(term) == "fresh" or not flow.linker.hierarchy.may_be_overridden(class_, name)
            left = _annotated_method(flow, class_, term, name, node) if is_abstract(method) and not sure else None
            return _method(flow, method, term, Class(class_), node, sure=sure) if left is None else left
        shared = flow.linker.hierarchy.namespace(class_, name, of_object=True)
        if shared is not None:
            return shared
        if (computed := _computed(flow, class_, term, name)) is not None:
            return computed
    if class_ is None and known is not None and name not in REPLACING:
        found = _annotated_method(flow, known, term, name, node) or _computed(flow, known, term, name)
        if found is not None:
            return found
    if flow.terms.operation(term) == "copy" and not generation:
        return flow.attribute(flow.terms.args(term)[0], name, node)
    row = flow.file.generators.get(term)
    if row is not None and flow.file.table.get(f"{row.qualified}.{name}").counting == "viewed":
        return flow.attribute(term, STATE)
    attribute = flow.terms.make("attr", (name, generation), term)
    flow.knowledge.name(attribute, name)
    return attribute


def _computed(flow: Flow, class_: ir.ClassCode, owner: Term, name: str) -> Value | None:
    """Return what a descriptor in the body of a class, or its ``__getattr__``, gives for an attribute of an object."""
    found = flow.linker.hierarchy.computing(class_, name)
    if found is None:
        return None
    descriptor, method = found
    if method in flow.read_properties or method is flow.code:
        return None
    flow.read_properties.add(method)
    arguments = positional(Const(name)) if descriptor is None else positional(owner, Class(class_))
    value = flow.call(Bound(flow.file.function(method), owner if descriptor is None else descriptor), arguments)
    flow.read_properties.discard(method)
    return value


def _annotated_method(
    flow: Flow, class_: ir.ClassCode, term: Term, name: str, node: ast.Attribute | None
) -> Value | None:
    """Return a method of an object whose class is annotated; the object may be one of a subclass.

    A method that the class leaves to its subclasses is one of theirs, as far as this file has them.
    """
    methods = flow.linker.hierarchy.implementations(class_, name)
    is_part = term in flow.file.held and flow.terms.operation(term) != "param"
    if is_part and (len(methods) > 1 or any(each.is_property for each in methods)):
        return None  # an object in an object: wrappers ask each other, and there would be no end to it
    if methods == [flow.code] and flow.linker.hierarchy.method(class_, name) is not flow.code:
        return None  # the only one is a wrapper, which asks others than itself
    found = [_method(flow, method, term, Class(class_), node, sure=False) for method in methods]
    return choose(flow, [(ALWAYS, method) for method in found]) if found else None


def alternative(flow: Flow, path: PathCondition, value: Value, term: Term, name: str) -> Value:
    """Return the value of an attribute written under a condition: the new value, or else the old one."""
    if path == ALWAYS:
        return value
    holds, fails = flow.decisions.alternatives(path)
    return choose(flow, [(holds, value), (fails, flow.attribute(term, name))])
