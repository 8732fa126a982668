"""Attributes, items and variables that are reached by their names: by ``setattr``, ``vars(x)``, ``globals()``.

A name that is computed may be any: what an object holds is unknown after such a write.
"""

from __future__ import annotations

from olympus_rules.code import instructions as ir
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import leaves, objects, with_item
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.memory import GLOBALS, exchange, set_element
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Bound, Class, Const, Library, Map, Sequence, SliceOf, Super, Value
from olympus_rules.keyflow.interpret import lists, made_objects
from olympus_rules.keyflow.interpret.attributes import alternative
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import literals
from olympus_rules.libraries.names import GLOBALS_CALL, NEXT, VARS, WRITERS_BY_NAME

WHOLE = (Const(...), SliceOf(None, None, None))
"""Indices of all that an array holds."""


def called(flow: Flow, qualified: str, arguments: Arguments) -> Value | None:
    """Return the result of a call of one of ``BY_NAME``, ``None`` if nothing is known of it."""
    values = [value for value, _ in arguments.positional]
    if qualified == GLOBALS_CALL:
        return flow.terms.make(*GLOBALS)
    if qualified == VARS:
        return flow.attribute(values[0], "__dict__") if len(values) == 1 and isinstance(values[0], Term) else None
    if qualified == NEXT:
        return special(flow, values[0], "__next__") if values else None
    return Const(None) if write(flow, qualified.rpartition(".")[2], arguments) else None


def write(flow: Flow, name: str, arguments: Arguments, owner: Value | None = None) -> bool:
    """Carry out a call that writes an attribute or item by its name; return whether it is one.

    Args:
        flow: where the call is.
        name: the function or method, without its module or class.
        arguments: the arguments: the object first, unless it is the owner.
        owner: the object of a method.
    """
    if name not in WRITERS_BY_NAME:
        return False
    values = [value for value, starred in arguments.positional if not starred]
    given = values if owner is None else [owner.self if isinstance(owner, Super) else owner, *values]
    if len(given) != 3:
        return False
    target, index, value = given
    if "item" in name:
        set_item(flow, target, index, value, arguments.receiver)
    elif isinstance(index, Const) and isinstance(index.value, str):
        set_attribute(flow, target, index.value, value)
    elif isinstance(index, Term) and _is_keyword(flow, index):
        for term in leaves(target):
            flow.forget(term)
            flow.events.named[term] = flow.events.named.get(term, 0) + 1
    else:
        for term in leaves(target):
            flow.forget(term, handed=True)
    return True


def _is_keyword(flow: Flow, index: Term) -> bool:
    """Return whether a name is that of a further keyword of the function: which ones there are, a call says."""
    while args := flow.terms.args(index):
        index = args[0]
    return flow.code.kwarg is not None and index == flow.terms.make("param", (flow.code, flow.code.kwarg))


def set_attribute(flow: Flow, target: Value, name: str, value: Value) -> None:
    """Write an attribute, by the setter of a property if there is one."""
    if isinstance(target, Class):
        flow.file.shared.add(name)
    for path, term in objects(flow, target):
        class_ = flow.file.classes.get(term)
        setter = class_ and flow.linker.hierarchy.method(class_, ir.setter(name))
        if setter:
            flow.call(Bound(flow.file.function(setter), term), positional(value))
        elif name == "__dict__":
            if value != flow.terms.make("attr", (name, flow.generation(term)), term):  # as by `x.__dict__ |= …`
                flow.forget(term, handed=True)
        else:
            flow.set_attribute(term, name, alternative(flow, path, value, term, name))


def set_item(flow: Flow, container: Value, index: Value, value: Value, name: str | None = None) -> None:
    """Write an item.

    Args:
        flow: where it is written.
        container: the container.
        index: the index.
        value: the new item.
        name: the variable through which it is written.
    """
    if isinstance(container, Map | Sequence) and isinstance(index, Const):
        exchange(flow, container, with_item(container, index.value, value), name)
    elif isinstance(index, SliceOf) and lists.is_list(flow, container):
        lists.rearrange(flow, container)
    elif isinstance(container, Term) and container in flow.file.placeholders:
        literals.assigned(flow, container, value)
    elif isinstance(container, Term) and index in WHOLE and flow.terms.operation(container) == "attr":
        set_attribute(flow, flow.terms.args(container)[0], flow.terms.data(container)[0], value)  # self.key[...] = key
    elif isinstance(container, Term):
        set_element(flow, container, index, value)
    else:
        exchange(flow, container, flow.terms.fresh(), name)


def item(flow: Flow, value: Value, index: Value) -> Value | None:
    """Return an item of a namespace, or what a method of the project returns for it; ``None`` for any other object."""
    named = field(flow, value, index)
    if named is not None or not isinstance(value, Term):
        return named
    name = index.value if isinstance(index, Const) else None
    owner = flow.terms.namespace_of(value)
    if owner is not None and isinstance(name, str):
        return flow.attribute(owner, name)
    if flow.terms.parts[value] == GLOBALS and isinstance(name, str):
        return _global(flow, name)
    return special(flow, value, "__getitem__", index)


def field(flow: Flow, value: Value, index: Value) -> Value | None:
    """Return an item of a tuple whose items have names, as a library's function makes it: ``init, apply = …``."""
    held = flow.file.made.get(value) if isinstance(value, Term) else None
    name = value.qualified if isinstance(value, Library) else "" if held is None else held.name
    fields = () if not name or made_objects.is_class(name) else flow.file.table.get(name).fields
    number = index.value if isinstance(index, Const) else None
    if not fields or not isinstance(number, int) or not -len(fields) <= number < len(fields):
        return None
    return flow.attribute(value, fields[number])


def special(flow: Flow, value: Value | None, name: str, *given: Value) -> Value | None:
    """Return the result of a special method of an object, ``None`` if its class is not known to have one.

    In the result of a call of the method, its own calls are not followed: each would have such results again.
    """
    if not isinstance(value, Term):
        return None
    class_ = class_of(flow.file, value)
    method = None if class_ is None else flow.linker.hierarchy.method(class_, name)
    if method is None or method in flow.read_properties:
        return None
    flow.read_properties.add(method)
    result = flow.call(Bound(flow.file.function(method), value), positional(*given))
    flow.read_properties.discard(method)
    return result


def _global(flow: Flow, name: str) -> Value:
    """Return a variable of the module."""
    variable = flow.terms.make("free", (flow.file.module, name))
    written: Value | None = flow.env.get((variable, presence.VARIABLE, 0))
    is_declared = name in flow.code.outer_names and flow.linker.names.variable(flow.code, name) == variable
    if is_declared or flow.code is flow.file.module:  # bound under its own name
        written = flow.env.get(name) or written
    return variable if written is None else written
