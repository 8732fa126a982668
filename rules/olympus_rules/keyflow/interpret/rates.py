"""Rates of layers: one of 0 turns a layer off, and many constructors have it by default."""

from __future__ import annotations

import re

from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.linker import Part
from olympus_rules.keyflow.domain.outcomes import outcomes
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.domain.presence import ELEMENT
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Function, Value, is_zero
from olympus_rules.keyflow.interpret import made_objects, operators
from olympus_rules.keyflow.interpret.flow import Flow

WHOLE: Part = (None, None)
RATE = re.compile("drop|noise|rate")


def drawing(flow: Flow, layer: Term, qualified: str) -> PathCondition | None:
    """Return the condition under which a layer in an attribute draws; ``None`` if its rate is 0.

    There is one only where the constructor of the object has the rate 0 by default.
    """
    row = flow.file.table.get(qualified).row
    path: PathCondition | None = ALWAYS
    for name in made_objects.rates(row) if row is not None else ():
        rate = flow.terms.make("attr", (name, 0), layer)
        value = _initial(flow, rate)
        if isinstance(value, Term) and _may_be_zero(flow, value):
            on = outcomes(flow, operators.compare(flow, "Eq", rate, Const(0)))[1]
            path = None if on is None or path is None else both(path, on)
        elif is_zero(value):
            return None
    return path


def settled(flow: Flow, value: Value) -> Value:
    """Return the constant that the constructor of an object gives to a part of it, else the value."""
    if not isinstance(value, Term) or flow.terms.operation(value) not in ("attr", "item", "slice"):
        return value
    found = _initial(flow, value)
    return found if isinstance(found, Const) else value


def objects(flow: Flow, held: Term) -> set[Value]:
    """Return the objects for one of which a term stands: the constructor of another object fills an attribute, or a
    list in it, with them.
    """
    terms, part, first = flow.terms, WHOLE, 0
    if terms.operation(held) == "item":
        held, place = terms.args(held)
        index = terms.constant(place)
        first = index if type(index) is int and index > 0 else 0  # a loop looks at two items for all of them
    if terms.operation(held) == "slice":
        part, held = terms.data(held), terms.args(held)[0]
    class_ = class_of(flow.file, terms.args(held)[0]) if terms.operation(held) == "attr" else None
    return set() if class_ is None else flow.linker.hierarchy.held_objects(class_, terms.data(held)[0], part, first)


def are_left(flow: Flow, held: Term) -> bool:
    """Return whether the objects for one of which a term stands have rates that are 0, as no maker gives one."""
    return bool(found := objects(flow, held)) and all(_is_left(flow, each) for each in found)


def _is_left(flow: Flow, value: Value) -> bool:
    made = flow.file.made.get(value) if isinstance(value, Term) else None
    class_ = flow.file.classes.get(value) if isinstance(value, Term) else None
    code = None if class_ is None else flow.linker.hierarchy.method(class_, "__init__")
    function = None if code is None else flow.file.function(code)
    function = flow.linker.lookups.reach(function, concerned=True) if isinstance(function, Function) else None
    if made is None or function is None or flow.terms.data(made.structure)[0] != "made":
        return False
    _, _, count, names = flow.terms.data(made.structure)
    given = {*names, *function.code.parameters[1 : 1 + count - len(names)]}
    left = {name for name, default in function.defaults if RATE.search(name) and is_zero(default)}
    return bool(left) and given.isdisjoint({None, *left})


def _initial(flow: Flow, attribute: Term) -> Value | None:
    path: list[str] = []
    owner, terms = attribute, flow.terms
    while (part := terms.operation(owner)) in ("item", "slice") or (part == "attr" and not terms.data(owner)[1]):
        path[:0] = [terms.data(owner)[0]] if part == "attr" else [ELEMENT] if part == "item" else []
        owner = terms.args(owner)[0]
    class_ = class_of(flow.file, owner) if len(path) > 1 and terms.operation(owner) == "param" else None
    return None if class_ is None else flow.linker.objects.initial(class_, tuple(path))


def _may_be_zero(flow: Flow, value: Term) -> bool:
    """Return whether a value is a parameter that is 0 by default."""
    if flow.terms.operation(value) != "param":
        return False
    code, name = flow.terms.data(value)
    return bool(code.is_rate(name))
