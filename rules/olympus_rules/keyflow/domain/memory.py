"""Objects and containers in memory: writes to their items, and aliases of a container."""

from __future__ import annotations

from dataclasses import replace

from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import (
    MAX_DEPTH,
    MAX_SEARCHED,
    as_term,
    choose,
    exchanged,
    is_never_none,
    item_name,
    leaves,
)
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Const, Map, Sequence, Value

GLOBALS = ("symbol", "globals()")  # the term of the module's variables as a dictionary
FILLED = frozenset({"list", "set"})  # the kinds of sequences that code may fill


def exchange(flow: State, container: Value, changed: Value, name: str | None = None) -> None:
    """Update every holder of a container that is changed in place.

    Args:
        container: its value before the change.
        changed: its value after the change.
        name: the variable through which it was changed.
    """
    if name is not None:
        flow.env.set(name, changed)
    depth = 0 if flow.code.kind == "module" else MAX_DEPTH
    for other, value in [*flow.env.values.items()]:
        if value is container or isinstance(value, Map | Sequence | Choice):
            held = exchanged(value, container, changed, depth)
            if held is not value:
                flow.env.set(other, held)


def fill_unseen(flow: State, value: object, depth: int = MAX_DEPTH) -> None:
    """Let the empty lists and dictionaries in a container hold anything: code that is out of sight may fill them."""
    if isinstance(value, Sequence | Map) and not value.items and not value.open:
        if isinstance(value, Map) or value.kind in FILLED:
            exchange(flow, value, replace(value, open=True))
    elif isinstance(value, Sequence | Map) and depth and len(value.items) <= MAX_SEARCHED:
        for part in value.items if isinstance(value, Sequence) else [part for _, part in value.items]:
            fill_unseen(flow, part, depth - 1)


def assign(flow: State, variable: Term, written: Value, path: PathCondition) -> None:
    """Rebind a variable of a scope around the function, or around a callee."""
    scope, name = flow.terms.data(variable)
    slots: list[object] = [name] if scope is flow.code else [(variable, presence.VARIABLE, 0)]
    before: Value = flow.env.values.setdefault(slots[0], variable)
    if path != ALWAYS:
        holds, fails = flow.decisions.alternatives(path)
        written = choose(flow, [(holds, written), (fails, before)])
    if scope is not flow.code and name not in flow.code.local_names and flow.env.get(name) is not None:
        slots.append(name)
    for slot in slots:
        flow.env.set(slot, written)
    flow.events.writes.append((variable, presence.VARIABLE, written, flow.path))


def _set_name(flow: State, namespace: Term, name: str, value: Value) -> bool:
    """Write an item of a namespace, if it is one: an attribute of its object, or a variable of the module."""
    owner = flow.terms.namespace_of(namespace)
    if owner is not None:
        flow.set_attribute(owner, name, value)
    elif flow.terms.parts[namespace] == GLOBALS:
        assign(flow, flow.terms.make("free", (flow.file.module, name)), value, ALWAYS)
    return owner is not None or flow.terms.parts[namespace] == GLOBALS


def set_item(flow: State, container: Term, index: Const, value: Value) -> None:
    """Write an item of an outside or unknown object."""
    if isinstance(index.value, str) and _set_name(flow, container, index.value, value):
        return
    if isinstance(index.value, str):
        flow.file.plain.add(container)
    generation, slot = flow.generation(container), as_term(flow, index)
    presence.filled(flow, slot, container, value)
    _replace(flow, container, slot, value)
    flow.env.set((container, slot, generation), value)
    if isinstance(index.value, str | int):
        flow.events.writes.append((container, item_name(index.value), value, flow.path))


def set_element(flow: State, container: Term, index: Value, value: Value) -> None:
    """Write an item whose index may be an unknown term; the values of the other items are unknown afterwards."""
    if isinstance(index, Const):
        return set_item(flow, container, index, value)
    if flow.terms.parts[container] == GLOBALS:
        flow.file.binds_by_name = True
    generation, slot = flow.generation(container), as_term(flow, index)
    if presence.is_asked(flow, slot, container):  # a cache: its entries stay in it
        presence.filled(flow, slot, container, value)
        others = [
            (key[1], held)
            for key, held in flow.env.values.items()
            if isinstance(key, tuple) and key[::2] == (container, generation)
        ]
        flow.env.set((container, "generation"), generation + 1)
        for other, held in others:
            if isinstance(other, Term):
                kept = flow.terms.fresh()
                if is_never_none(flow, held):
                    flow.knowledge.fill(kept, true=False)
                flow.env.set((container, other, generation + 1), kept)
        item = flow.terms.make("item", None, container, slot)
        flow.events.writes.append((item, presence.ELEMENT, value, flow.path))
    else:
        flow.forget(container)
    _replace(flow, container, slot, value)
    flow.env.set((container, slot, generation + 1), value)


def _replace(flow: State, container: Term, slot: Term, value: Value) -> None:
    """Record that an element of a container is replaced."""
    element = flow.terms.item(container, slot)
    if element in leaves(value):
        flow.replaced.get(container, {}).pop(element, None)
    else:
        flow.replaced.setdefault(container, {})[element] = (flow.path, flow.ledger.tick())
