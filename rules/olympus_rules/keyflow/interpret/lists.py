"""Lists that are changed in place: what is in them afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from olympus_rules.keyflow.domain.access import get_item
from olympus_rules.keyflow.domain.memory import exchange
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Const, Sequence, SliceOf, Value
from olympus_rules.keyflow.interpret.flow import Flow

METHODS = frozenset(
    {"append", "clear", "extend", "insert", "pop", "popleft", "remove", "reverse", "rotate", "sort"}
)  # of lists and deques; no array has one of these names, save a `sort` that leaves it as it is
FIRST, LAST = Const(0), Const(-1)


def is_list(flow: Flow, value: Value | None) -> bool:
    """Return whether a value is a list, as far as known on every path."""
    if isinstance(value, Choice):
        return all(is_list(flow, part) for _, part in value.arms)
    if isinstance(value, Term):
        return flow.terms.operation(value) == "list"
    return isinstance(value, Sequence) and value.kind in ("list", "set")


def changed(flow: Flow, value: Value, name: str, values: tuple[Value, ...], variable: str | None) -> Value:
    """Call a method that changes a list, and return its result.

    Args:
        flow: where the call is.
        value: the list.
        name: the method.
        values: its arguments.
        variable: the variable that holds the list.
    """
    index = _removed(flow, value, name, values)
    result = get_item(flow, value, index) if index is not None and name.startswith("pop") else flow.terms.fresh()
    if index is not None:
        _exchange(flow, value, lambda part: _without(flow, part, index), variable)
    else:
        _exchange(flow, value, lambda part: _after(flow, part, name, values), variable)
    return result


def shortened(flow: Flow, value: Value, index: Value, variable: str | None) -> None:
    """Delete an element or a slice of a list."""
    _exchange(flow, value, lambda part: _without(flow, part, index), variable)


def rearrange(flow: Flow, value: Value) -> None:
    """Record that a function changes the order of a list, or what is in it."""
    if is_list(flow, value):
        _exchange(flow, value, lambda part: _unknown(flow, part), None)


def _exchange(flow: Flow, value: Value, change: Callable[[Value], Value], variable: str | None) -> None:
    if isinstance(value, Choice):
        exchange(flow, value, Choice(tuple((path, change(part)) for path, part in value.arms)), variable)
    else:
        exchange(flow, value, change(value), variable)


def _removed(flow: Flow, value: Value, name: str, values: tuple[Value, ...]) -> Value | None:
    """Return the index of the element that a method removes, ``None`` for another method or an unknown element."""
    if name == "pop":
        return values[0] if values else LAST
    if name == "popleft":
        return FIRST
    if name != "remove" or not values:
        return None
    if isinstance(value, Sequence):
        return next((Const(place) for place, item in enumerate(value.items) if item == values[0]), None)
    return next((end for end in (FIRST, LAST) if get_item(flow, value, end) == values[0]), None)


def _without(flow: Flow, value: Value, index: Value) -> Value:
    """Return a list without an element or a slice of it."""
    bounds = _bounds(index)
    if bounds is None:
        return _unknown(flow, value)
    lower, upper = bounds
    if isinstance(value, Sequence) and not value.open:
        items = list(value.items)
        del items[slice(lower, upper)]
        return replace(value, items=tuple(items))
    is_from_start = lower >= 0 and upper is not None and upper >= 0
    if isinstance(value, Sequence) and is_from_start:
        return replace(value, items=value.items[:lower] + value.items[upper:])
    if isinstance(value, Sequence) and lower < 0:  # the last of those that are known may be the last of all
        return replace(value, items=value.items[:lower])
    if isinstance(value, Term) and is_from_start and lower == 0:
        return get_item(flow, value, SliceOf(Const(upper), None, None))
    if isinstance(value, Term) and upper is None and not flow.terms.data(value)[1]:
        return get_item(flow, value, SliceOf(None, Const(lower), None))
    return _unknown(flow, value)


def _bounds(index: Value) -> tuple[int, int | None] | None:
    """Return the bounds of a constant index or slice, ``None`` for another one."""
    if isinstance(index, Const) and type(index.value) is int:
        return index.value, None if index.value == -1 else index.value + 1
    if not isinstance(index, SliceOf) or index.step not in (None, Const(None)):
        return None
    lower, upper = (Const(None) if part is None else part for part in (index.lower, index.upper))
    if not isinstance(lower, Const) or not isinstance(upper, Const):
        return None
    start, stop = lower.value or 0, upper.value
    return (start, stop) if isinstance(start, int) and (stop is None or isinstance(stop, int)) else None


def _after(flow: Flow, value: Value, name: str, values: tuple[Value, ...]) -> Value:
    """Return a list after a method that removes no known element."""
    if name == "clear":
        return Sequence("list", ())
    if name in ("append", "extend"):
        return _longer(flow, value, name, values)
    if not isinstance(value, Sequence) or value.open:
        return _unknown(flow, value)
    if name == "reverse":
        return replace(value, items=value.items[::-1])
    if name == "insert" and len(values) == 2 and isinstance(values[0], Const) and isinstance(values[0].value, int):
        items = list(value.items)
        items.insert(values[0].value, values[1])
        return replace(value, items=tuple(items))
    return _unknown(flow, value)


def _longer(flow: Flow, value: Value, name: str, values: tuple[Value, ...]) -> Value:
    """Return a list with further elements at its end."""
    if isinstance(value, Term):
        return flow.knowledge.listed(value, is_open=True)
    if not isinstance(value, Sequence):
        return _unknown(flow, value)
    if not value.open and values and name == "append":
        return replace(value, items=(*value.items, values[0]))
    if not value.open and values and isinstance(values[0], Sequence):
        return replace(value, items=value.items + values[0].items, open=values[0].open)
    return replace(value, open=True)


def _unknown(flow: Flow, value: Value) -> Value:
    """Return a list of some of the elements, and of others perhaps."""
    if isinstance(value, Sequence):
        return replace(value, items=(), open=True)
    if not isinstance(value, Term):
        return flow.terms.fresh()
    rank = flow.knowledge.rank(value)
    return flow.knowledge.listed(flow.knowledge.view(f"changed {flow.terms.number()}", value, rank))
