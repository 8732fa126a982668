"""Python's own functions and containers: ``zip``, ``enumerate``, list and dictionary methods."""

from __future__ import annotations

from dataclasses import replace

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain.access import DICTIONARY, as_term, element, get_item, leaves
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.knowledge import Origin
from olympus_rules.keyflow.domain.memory import exchange, set_item
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Class,
    Const,
    Iteration,
    Library,
    Map,
    Metadata,
    Sequence,
    Super,
    Value,
)
from olympus_rules.keyflow.interpret import arrays, higher_order, lists, rows
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import layout
from olympus_rules.keyflow.notes.pending import passes_by, passes_value

__all__ = ["builtin", "map_method", "merged", "sequence_method", "spread", "updated"]

ITERATORS = {"range", "zip", "enumerate", "reversed"}


MANY = 32  # children of a split that are not followed one by one


SAME_SEQUENCE = {"list", "tuple", "iter", "sorted", "set"}


def builtin(flow: Flow, name: str, arguments: Arguments) -> Value:
    """Call a builtin function."""
    values = [value for value, _ in arguments.positional]
    starred = any(is_starred for _, is_starred in arguments.positional)
    first = values[0] if values and not starred else None
    if name in ITERATORS and first is not None:
        start = [value for keyword, value in arguments.keywords if keyword == "start"]
        return Iteration(name, (*values, *start))
    if name in SAME_SEQUENCE:
        passes_by(flow, flow.terms.const("container"), arguments.node)  # its value may stand for the array
        return spread(flow, first, name) if first is not None else Sequence(name, ())
    if name == "dict" and isinstance(first, Iteration) and first.kind == "zip" and len(first.parts) == 2:
        return _zipped(flow, *first.parts)
    if name == "dict" and not values:
        return Map(tuple((key, value) for key, value in arguments.keywords if key is not None))
    if name == "len" and first is not None and (length := _length(flow, first, arguments)) is not None:
        return length
    if name == "map" and first is not None:
        return higher_order.each(flow, first, values[1:], "map", arguments.node)
    if name == "super":
        return _super(flow, values)
    if name == "staticmethod" and isinstance(first, Library):
        return first
    if name == "type" and len(values) == 1 and isinstance(first, Term) and first in flow.file.classes:
        return Class(flow.file.classes[first])
    if name == "next":
        made = rows.generated(flow, first, "__next__") if isinstance(first, Term) else None
        return flow.terms.fresh() if made is None else made
    if name == "getattr" and len(values) > 1 and isinstance(values[1], Const) and isinstance(values[1].value, str):
        return flow.attribute(values[0], values[1].value)
    if name == "hasattr" and isinstance(first, Library) and isinstance(values[-1], Const):
        known = flow.file.describes(f"{first.qualified}.{values[-1].value}")
        return Const(True) if known else arrays.pure(flow, name, arguments)  # the other branch is for older releases
    if name == "isinstance":
        return _type_test(flow, arguments)
    if name in (
        "issubclass",
        "callable",
        "hasattr",
        "bool",
        "type",
        "len",
        "int",
        "float",
        "str",
    ):
        return arrays.pure(flow, name, arguments)
    if name == "print":
        return Const(None)
    return flow.terms.fresh()


def _length(flow: Flow, value: Value, arguments: Arguments) -> Value | None:
    """Return the result of ``len``, ``None`` if nothing is known of it."""
    if arguments.node is not None and arguments.node.args:
        if isinstance(value, Term):
            return layout.length(flow, _elements(flow, value), arguments.node)
        passes_value(flow, value, arguments.node.args[0])
        if isinstance(value, Metadata) and value.what == "shape":
            return Metadata("ndim", value.term, value.subject)
    return Const(len(value.items)) if isinstance(value, Sequence) and not value.open else None


def _type_test(flow: Flow, arguments: Arguments) -> Value:
    """Return the term of a call of ``isinstance``, and note the class of the project that it asks for."""
    test = arrays.pure(flow, "isinstance", arguments)
    subject, asked = arguments.get(0, ""), arguments.get(1, "")
    if isinstance(test, Term) and isinstance(subject, Term) and isinstance(asked, Class | Library):
        class_ = flow.linker.hierarchy.known_class(asked)
        if class_ is not None:
            flow.file.type_tests[test] = (subject, class_)
    return test


def spread(flow: Flow, value: Value, kind: str = "list") -> Value:
    """Return the children of a split one by one if they are few, and any other value as it is."""
    if isinstance(value, Sequence) and kind == "list":
        kind = "list" if value.kind == "tuple" else value.kind
        return replace(value, kind=kind)  # a list of its own: changes to one list leave the other alone
    length = flow.terms.length(value) if isinstance(value, Term) else None
    is_short = length is not None and length <= MANY
    if kind == "list" and isinstance(value, Term) and not is_short and _are_keys(flow, value):
        return flow.knowledge.listed(_elements(flow, value))
    if not isinstance(value, Term) or length is None or length > MANY or kind not in ("list", "tuple"):
        return value
    return Sequence(kind, tuple(flow.knowledge.item(value, flow.terms.const(i)) for i in range(length)))


def _are_keys(flow: Flow, value: Term) -> bool:
    """Return whether a value is likely to be an array of keys; a list of one key holds its words."""
    return flow.knowledge.is_candidate(value) and flow.knowledge.rank(value) != 0


def _elements(flow: Flow, value: Term) -> Term:
    """Return the array whose elements a list holds, if they are all that it holds."""
    is_list = flow.terms.operation(value) == "list" and not flow.terms.data(value)[1]
    return flow.terms.args(value)[0] if is_list else value


def _zipped(flow: Flow, names: Value, values: Value) -> Value:
    """Return the dictionary of names and values; with unknown names, an array that names index."""
    if isinstance(names, Sequence) and not names.open and all(isinstance(name, Const) for name in names.items):
        pairs = [
            (name.value, element(flow, values, i)) for i, name in enumerate(names.items) if isinstance(name, Const)
        ]
        return Map(tuple((name, value) for name, value in pairs if value is not None))
    if isinstance(values, Term):
        return flow.knowledge.view(DICTIONARY, values, flow.knowledge.rank(values))
    return flow.terms.fresh()


def _super(flow: Flow, values: list[Value]) -> Value:
    """Return ``super()`` of a method; in an inner function, that of the method around it."""
    if len(values) == 2:
        if isinstance(values[0], Class):
            return Super(values[0].code, values[1])
        for term in leaves(values[1]):  # a method of a class out of sight may be called
            flow.forget(term, handed=True)
        return flow.terms.fresh()
    code: FunctionCode | None = flow.code
    while code is not None and code.owner is None:
        code = code.parent
    if code is None or code.owner is None or not code.parameters:
        return flow.terms.fresh()
    owner = flow.env.get(code.parameters[0]) if code is flow.code else None
    return Super(code.owner, flow.terms.fresh() if owner is None else owner)


def sequence_method(
    flow: Flow, receiver: Sequence, name: str, values: tuple[Value, ...], arguments: Arguments
) -> Value:
    """Call a method of a list or tuple; a method that changes it rebinds its variable."""
    if name in lists.METHODS and lists.is_list(flow, receiver):
        return lists.changed(flow, receiver, name, values, arguments.receiver)
    if name in ("reshape", "transpose", "T"):
        return receiver if name == "reshape" and _keeps_rows(flow, receiver, values) else _rearranged(flow, receiver)
    return flow.terms.fresh()


def _keeps_rows(flow: Flow, array: Sequence, values: tuple[Value, ...]) -> bool:
    """Return whether a reshape gives a stack of single keys the two axes that it has: its length, and the words."""
    sizes = values[0].items if len(values) == 1 and isinstance(values[0], Sequence) else values
    rows = (Const(-1),) if array.open else (Const(-1), Const(len(array.items)))
    are_single = all(isinstance(each, Term) and flow.knowledge.rank(each) in (0, None) for each in array.items)
    return len(sizes) == 2 and sizes[0] in rows and are_single


def _rearranged(flow: Flow, array: Sequence) -> Value:
    """Return an array of the same keys in other places, with an unknown number of axes."""
    origins = [flow.knowledge.origins.get(item) if isinstance(item, Term) else None for item in array.items]
    rearranged = flow.terms.make(
        "op", ("rearranged", flow.terms.number()), *(as_term(flow, each) for each in array.items)
    )
    kinds = {origin.kind for origin in origins if origin is not None}
    if len(kinds) == 1 and None not in origins:
        flow.knowledge.origins.setdefault(rearranged, Origin(kinds.pop(), None))
    return rearranged


def map_method(flow: Flow, receiver: Map, name: str, values: tuple[Value, ...], arguments: Arguments) -> Value:
    """Call a method of a dictionary; a method that changes it rebinds its variable."""
    if name in ("items", "values"):
        return Iteration(name, (receiver,))
    if name in ("get", "pop", "setdefault") and values and isinstance(values[0], Const):
        found = dict(receiver.items).get(values[0].value)
        if name == "pop":
            rest = tuple(item for item in receiver.items if item[0] != values[0].value)
            exchange(flow, receiver, Map(rest, receiver.open), arguments.receiver)
        if found is not None:
            return found
        if receiver.open or (len(values) == 1 and name != "get"):
            return flow.terms.fresh()
        return values[1] if len(values) > 1 else Const(None)
    if name == "get" and len(values) == 1:
        return get_item(flow, receiver, values[0])
    if name == "update":
        items = dict(receiver.items)
        for value in values:
            if isinstance(value, Map):
                items.update(value.items)
        items.update({key: value for key, value in arguments.keywords if key is not None})
        exchange(flow, receiver, Map(tuple(items.items()), True), arguments.receiver)
    return flow.terms.fresh()


def merged(flow: Flow, operation: str, receiver: Value, items: Value) -> bool:
    """Carry out ``receiver |= items`` on a dictionary of an object; return whether it is that."""
    if operation != "BitOr" or not isinstance(receiver, Term) or not isinstance(items, Map):
        return False
    updated(flow, receiver, positional(items))
    return True


def updated(flow: Flow, receiver: Term, arguments: Arguments) -> None:
    """Call ``update`` of an object from outside: it writes the items of a known dictionary, else unknown ones."""
    items: dict[object, Value] = {}
    known = bool(arguments.positional or arguments.keywords)
    for value, starred in arguments.positional:
        known = known and isinstance(value, Map) and not value.open and not starred
        items.update(value.items if isinstance(value, Map) else ())
    for name, value in arguments.keywords:
        known = known and name is not None
        items[name] = value
    if not known:
        flow.forget(receiver)
    for item, value in items.items():
        set_item(flow, receiver, Const(item), value)
