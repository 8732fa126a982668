"""The methods of lists, tuples and dictionaries, and what becomes of their elements."""

from __future__ import annotations

import re
from dataclasses import replace

from olympus_rules.keyflow.domain.access import REST, as_term, dictionary, get_item, is_rest
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.knowledge import Origin
from olympus_rules.keyflow.domain.memory import exchange, set_item
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Const,
    Iteration,
    Library,
    Map,
    Sequence,
    Value,
)
from olympus_rules.keyflow.interpret import lists
from olympus_rules.keyflow.interpret.callees import FILLING_METHODS
from olympus_rules.keyflow.interpret.flow import Flow

NARROW = {"uint8": 2**8, "uint16": 2**16}  # how many numbers a type has
FILLED = rf"\b{{name}}\s*(?:\[[^\]\n]*\]\s*=[^=]|\|=|\.(?:{'|'.join(sorted(FILLING_METHODS))})\b)"
"""What fills a container that a variable holds."""
MANY = 32  # children of a split that are not followed one by one


def spread(flow: Flow, value: Value, kind: str = "list") -> Value:
    """Return the children of a split one by one if they are few, and any other value as it is."""
    if isinstance(value, Sequence) and kind == "list":
        kind = "list" if value.kind == "tuple" else value.kind
        return replace(value, kind=kind)  # a list of its own: changes to one list leave the other alone
    length = flow.terms.length(value) if isinstance(value, Term) else None
    is_short = length is not None and length <= MANY
    if kind == "list" and isinstance(value, Term) and not is_short and _are_keys(flow, value):
        return flow.knowledge.listed(elements(flow, value))
    if not isinstance(value, Term) or length is None or length > MANY or kind not in ("list", "tuple"):
        return value
    return Sequence(kind, tuple(flow.knowledge.item(value, flow.terms.const(i)) for i in range(length)))


def _are_keys(flow: Flow, value: Term) -> bool:
    """Return whether a value is likely to be an array of keys; a list of one key holds its words."""
    return flow.knowledge.is_candidate(value) and flow.knowledge.rank(value) != 0


def elements(flow: Flow, value: Term) -> Term:
    """Return the array whose elements a list holds, if they are all that it holds."""
    is_list = flow.terms.operation(value) == "list" and not flow.terms.data(value)[1]
    return flow.terms.args(value)[0] if is_list else value


def sequence_method(
    flow: Flow, receiver: Sequence, name: str, values: tuple[Value, ...], arguments: Arguments
) -> Value:
    """Call a method of a list or tuple; a method that changes it rebinds its variable."""
    if name in lists.METHODS and lists.is_list(flow, receiver):
        return lists.changed(flow, receiver, name, values, arguments.receiver)
    if name in ("reshape", "transpose", "T"):
        return receiver if name == "reshape" and _keeps_rows(flow, receiver, values) else _rearranged(flow, receiver)
    cast = _cut_off(receiver, values[0]) if name == "astype" and len(values) == 1 else None
    return flow.terms.fresh() if cast is None else cast


def _cut_off(numbers: Sequence, dtype: Value) -> Sequence | None:
    """Return known numbers as a type of few bits holds them, ``None`` for anything else."""
    most = NARROW.get(dtype.qualified.rpartition(".")[2]) if isinstance(dtype, Library) else None
    known = [item.value for item in numbers.items if isinstance(item, Const) and isinstance(item.value, int)]
    if most is None or len(known) != len(numbers.items):
        return None
    return replace(numbers, items=tuple(Const(number % most) for number in known))


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
            gone = ((values[0].value, flow.terms.fresh()),) if receiver.open else ()
            rest = tuple(item for item in receiver.items if item[0] != values[0].value)
            exchange(flow, receiver, Map((*rest, *gone), receiver.open), arguments.receiver)
        if found is not None:
            return found
        if receiver.open or (len(values) == 1 and name != "get"):
            return flow.terms.fresh()
        return values[1] if len(values) > 1 else Const(None)
    if name == "get" and len(values) == 1:
        return get_item(flow, receiver, values[0])
    if name == "update":
        given = [(key, value) for key, value in arguments.keywords if key is not None]
        parts = ((REST, receiver), *((REST, value) for value in values if isinstance(value, Map)), *given)
        items = dictionary(flow, parts).items
        if not all(isinstance(value, Map) for value in values):
            items = tuple(item for item in items if not is_rest(item[0]))
        exchange(flow, receiver, Map(items, True), arguments.receiver)
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


def members(flow: Flow, container: Value) -> Value:
    """Return the constants that a variable of the module holds, if the file binds it once and fills it nowhere.

    Any other container is returned as it is.
    """
    if not isinstance(container, Term) or flow.terms.operation(container) != "free":
        return container
    scope, name = flow.terms.data(container)
    is_settled = scope.kind == "module" and name in scope.bound_once and scope in flow.file.environments
    held = flow.file.environments[scope].get(name) if is_settled else None
    if not isinstance(held, Map | Sequence) or held.open or not held.items:
        return container
    if re.search(FILLED.format(name=name), flow.file.document.text):
        return container
    items = [Const(key) for key, _ in held.items] if isinstance(held, Map) else held.items
    return Sequence("tuple", tuple(items)) if all(isinstance(item, Const) for item in items) else container
