"""Objects that count their draws: a copy without the new count draws again what its original draws.

A module of nnx holds streams, each a key and a count; a draw folds the count in and raises it. Here such an object has
one state, an attribute with a name that no program writes. A draw consumes the state and puts a new one in its place.
So an object never reuses its own state, but a copy of it does, and so does a function that JAX compiles, which gets
copies of its arguments and whose counts are lost.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.access import as_term, leaves, map_leaves
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.consumption import consume
from olympus_rules.keyflow.domain.ledger import STATE, STATE_OF_OBJECT, Certainty, Consumption
from olympus_rules.keyflow.domain.summary import origin
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Function, Library, Sequence, Value
from olympus_rules.keyflow.interpret import callees
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.instance import Instance
from olympus_rules.libraries import LibraryFunction
from olympus_rules.libraries.names import RANDOM

FIRST = "$first"  # the state that an object began with
CALL = "__call__"
PARTS = ("attr", "item")


def begin(flow: Flow, made: Value, arguments: Arguments, row: LibraryFunction | None = None) -> None:
    """Give a new object its state: one of a class that counts, a layer that draws, or streams (with their ``row``)."""
    is_restored = row is not None and row.qualified in flow.file.restored
    if not (flow.file.counting or is_restored) or not isinstance(made, Term):
        return
    if row is None and not _is_counting(flow, made):
        return
    state: Value = flow.knowledge.made()
    if row is not None and isinstance(arguments.first, Term) and (found := _holder(flow, arguments.first)) is not None:
        state = flow.env.get((found[0], FIRST, 0)) or state  # streams of a stream begin with its key
    if row is not None and not arguments.keywords:
        flow.env.set((made, FIRST, 0), state)
    flow.set_attribute(made, STATE, state)
    flow.holders.add(made)


def _is_counting(flow: Flow, made: Term) -> bool:
    """Return whether an object is of a class whose objects count, or a layer that draws when it is called."""
    if made in flow.file.classes:
        return is_of_class(flow, made)
    layer = flow.file.made.get(made)
    return layer is not None and not layer.is_silent and flow.file.table.get(layer.name).counting == "layers"


def is_of_class(flow: Flow, value: Value) -> bool:
    """Return whether a value is an object of a class whose objects count."""
    class_ = class_of(flow.file, value) if isinstance(value, Term) else None
    if class_ is None:
        return False
    hierarchy, table = flow.linker.hierarchy, flow.file.table
    bases = (base for each in hierarchy.ancestry(class_) for base in hierarchy.bases.get(each, ()))
    return any(isinstance(base, Library) and table.get(base.qualified).counting == "bases" for base in bases)


def _state(flow: Flow, term: Term) -> Value | None:
    """Return the state that an object is known to have."""
    found: Value | None = flow.env.get((term, STATE, flow.generation(term)))
    return found


def _holder(flow: Flow, function: Term) -> tuple[Term, str] | None:
    """Return the object of which a callable is a part, and by which name; ``None`` for what is made out of sight."""
    terms, name = flow.terms, CALL
    while _state(flow, function) is None and terms.operation(function) in PARTS:
        if terms.operation(function) == "attr":
            name = terms.data(function)[0]
        function = terms.args(function)[0]
    is_outside = terms.operation(function) == "param" or (
        terms.operation(function) == "free" and terms.data(function)[0] is not flow.file.module
    )
    return (function, name) if is_outside or _state(flow, function) is not None else None


def drawn(flow: Flow, function: Term, arguments: Arguments) -> Term | None:
    """Record that a call draws from the state of an object; return the object, ``None`` if the call draws nothing."""
    node = arguments.node or flow.site
    found = _holder(flow, function) if flow.file.counting and node is not None else None
    if found is None or node is None:
        return None
    holder, name = found
    if holder in flow.file.generators and flow.file.generators[holder].qualified in flow.file.restored:
        return None  # each of its methods says whether it draws
    is_given = any(keyword in flow.file.streams and value != Const(None) for keyword, value in arguments.keywords)
    is_off = is_given or name in flow.file.switches or callees.evaluates(arguments, "")
    if not is_off and _draws(flow, holder, name) is not False:
        what = ast.unparse(node.func) if isinstance(node, ast.Call) else name
        _draw(flow, flow.attribute(holder, STATE), node, what, name, arguments)
        return holder
    return None


def _draw(flow: Flow, state: Value, node: ast.expr, what: str, name: str, arguments: Arguments) -> None:
    """Record a draw from a state; ``name`` says what draws."""
    use = Consumption(node, what, Certainty.UNKNOWN, flow.path, draw=STATE_OF_OBJECT, loop=arguments.loop)
    use.call, use.folded = flow.terms.number(), flow.terms.make("op", (STATE_OF_OBJECT, name))
    use.sampler = name if flow.file.describes(name) else ""
    consume(flow, state, use)


def advanced(flow: Flow, row: LibraryFunction, value: Value, arguments: Arguments) -> None:
    """Record that a function of a library draws from the key in a state; it returns another state."""
    node = arguments.node or flow.site
    if isinstance(value, Term) and node is not None:
        state = flow.terms.make("attr", (STATE, 0), value)
        flow.knowledge.use(state)
        _draw(flow, state, node, row.qualified, row.qualified, arguments)


def taken(flow: Flow, generator: Term, arguments: Arguments) -> None:
    """Record that a generator of keys gives one, where states of generators are put back."""
    state, node = _state(flow, generator), arguments.node
    is_restored = flow.file.generators[generator].qualified in flow.file.restored
    if is_restored and state is not None and node is not None:
        _draw(flow, state, node, ast.unparse(node.func), "", arguments)
        advance(flow, generator)


def put(flow: Flow, generator: Term, arguments: Arguments) -> Value:
    """Put another state in the place of a generator's own; that of a new one is lost, with the key that began it."""
    if _state(flow, generator) == flow.env.get((generator, FIRST, 0)):
        number = flow.terms.data(generator)[1]
        flow.ledger.consumptions[:] = [use for use in flow.ledger.consumptions if use.call != number]
    flow.set_attribute(generator, STATE, arguments.first or flow.terms.fresh())
    return Const(None)


def advance(flow: Flow, holder: Term) -> None:
    """Put a new state in the place of the one that was drawn from, which is known to be a key if that one was."""
    is_known = flow.knowledge.is_known(as_term(flow, flow.attribute(holder, STATE)))
    flow.set_attribute(holder, STATE, flow.knowledge.made() if is_known else flow.terms.fresh())


def _draws(flow: Flow, holder: Term, name: str) -> bool | None:
    """Return whether a method or layer of an object draws, ``None`` if that is not known."""
    file, hierarchy = flow.file, flow.linker.hierarchy
    class_ = class_of(file, holder)
    if class_ is None:
        return None if _is_asked_to_draw(flow, holder, name) else False
    method = hierarchy.method(class_, name)
    if method is not None:
        return _is_drawing(flow, method)
    inner = flow.linker.objects.held(class_, name).class_
    method = None if inner is None else hierarchy.method(inner, CALL)
    if method is not None:
        return _is_drawing(flow, method)
    return name in file.streams or file.table.get(hierarchy.held_library(class_, name)).counting == "layers"


def _is_asked_to_draw(flow: Flow, holder: Term, name: str) -> bool:
    """Return whether a call of an object of an unknown class may draw: few of the objects in a file count."""
    if name == CALL or name in flow.file.streams or _state(flow, holder) is not None:
        return True
    row = flow.file.table.get(f"{RANDOM}.{name}").row
    return (row is not None and bool(row.sinks)) or _is_layer_of_a_class(flow, name)


def _is_layer_of_a_class(flow: Flow, attribute: str) -> bool:
    """Return whether a class of the file holds a layer that draws in an attribute."""
    classes = (each for each in flow.file.module.definitions.values() if isinstance(each, ClassCode))
    held = (flow.linker.hierarchy.held_library(each, attribute) for each in classes)
    return any(name and flow.file.table.get(name).counting == "layers" for name in held)


def _is_drawing(flow: Flow, method: FunctionCode) -> bool:
    """Return whether a method draws from the state of its object."""
    reached = flow.linker.lookups.reach(Function(method), concerned=True)
    summary = None if reached is None else flow.linker.summariser.summary(reached.code)
    if summary is None or not summary.code.parameters:
        return False
    receiver = flow.terms.make("param", (summary.code, summary.code.parameters[0]))
    return any(use.draw == STATE_OF_OBJECT and origin(flow.terms, use.term) == receiver for use in summary.uses)


def applies(flow: Flow, instance: Instance, use: Consumption) -> bool:
    """Return whether an object that a callee draws from, not knowing its class, has a part that draws."""
    if any(callees.turns_off(name, value) for name, value in instance.binding.items()):
        return False
    terms = flow.terms
    holder = instance.value(terms.args(use.term)[0]) if terms.operation(use.term) == "attr" else None
    name = "" if use.folded is None else terms.data(use.folded)[1]
    if use.sampler:  # a function of a library, which draws from any state
        return True
    return not isinstance(holder, Term) or _draws(flow, holder, name) is not False


def held(flow: Flow, function: Function, binding: dict[str, Value]) -> list[tuple[Term, Value]]:
    """Return the states of the objects that JAX copies when it calls a function."""
    names = enumerate(function.code.parameters) if flow.file.counting and function.traced else ()
    taken = [name for place, name in names if any(each.takes(place, name) for each in function.traced)]
    objects = [term for name in taken if name in binding for term in leaves(binding[name])]
    return [(term, flow.attribute(term, STATE)) for term in objects]


def put_back(flow: Flow, states: list[tuple[Term, Value]], result: Value) -> Value:
    """Give objects the states that they had, and return the result: what it holds of them are copies that count on."""
    for term, state in states:
        if flow.attribute(term, STATE) != state:
            if term in leaves(result):
                copy = copied(flow, term) or term
                result = map_leaves(result, partial(_exchanged, term, copy))
            flow.set_attribute(term, STATE, state)
    return result


def _exchanged(old: Term, new: Value, leaf: Term) -> Value:
    return new if leaf == old else leaf


def switched(flow: Flow, function: Term, arguments: Arguments) -> bool:
    """Turn the draws of an object off or on: ``model.eval()``; return whether a call does that."""
    terms = flow.terms
    name = terms.data(function)[0] if terms.operation(function) == "attr" else ""
    on = flow.file.switches.get(name) if not arguments.positional else None
    holder = terms.args(function)[0] if on is not None else None
    state = None if holder is None else _state(flow, holder)
    if holder is None or state is None:
        return False
    is_on = isinstance(state, Term) and flow.knowledge.is_known(state)
    if on != is_on:
        flow.set_attribute(holder, STATE, flow.knowledge.made() if on else terms.fresh())
    return True


def copied(flow: Flow, value: Value, *, known: bool = False, copies: dict[Term, Term] | None = None) -> Value | None:
    """Return a copy of an object with its state, and of what it holds; ``None`` for a value without a state.

    Args:
        flow: where the copy is made.
        value: the object.
        known: whether an object from outside, which may be any, has no state.
        copies: the copies that are being made, of objects that hold this one.
    """
    file, copies = flow.file, {} if copies is None else copies
    if not isinstance(value, Term) or not file.counting:
        return None
    if value in copies:
        return copies[value]
    outside = not known and flow.terms.operation(flow.terms.root(value)) in ("param", "free")
    if _state(flow, value) is None and not outside:
        return None
    changed = copies[value] = flow.make("fresh", ("", flow.terms.number()))
    class_of(file, value)  # which says it in one of the tables
    tables: tuple[dict[Term, Any], ...] = (file.classes, file.annotated, file.generators, file.made)
    for table in tables:
        if value in table:
            table[changed] = table[value]
    generation = flow.generation(value)
    parts = [(name, held) for name, held in flow.env.values.items() if isinstance(name, tuple) and name[0] == value]
    for name, part in parts:
        if len(name) == 3 and name[2] == generation and isinstance(part, Term) and _state(flow, part) is not None:
            flow.set_attribute(changed, name[1], copied(flow, part, copies=copies) or part)
    flow.set_attribute(changed, STATE, flow.attribute(value, STATE))
    flow.holders.add(changed)
    return changed


# functions of libraries


def call_library(flow: Flow, word: str, arguments: Arguments) -> Value | None:
    """Call a library function that copies objects, takes them apart or puts them together."""
    first, handler = arguments.first, HANDLERS.get(word)
    return None if first is None or handler is None else handler(flow, first, arguments)


def _copy(flow: Flow, value: Value, arguments: Arguments) -> Value | None:
    return copied(flow, value)


def _split(flow: Flow, value: Value, arguments: Arguments) -> Value:
    """Return a definition and the parts of an object: the part with the counts stands for the object."""
    filters = arguments.values()[1:]
    parts = [value if _has_counts(flow, each) else flow.terms.fresh() for each in filters] or [value]
    return Sequence("tuple", (flow.terms.fresh(), *parts))


def _has_counts(flow: Flow, chosen: Value) -> bool:
    """Return whether a filter chooses the variables that count."""
    return chosen == Const(...) or (
        isinstance(chosen, Library) and flow.file.table.get(chosen.qualified).counting == "counts"
    )


def _merge(flow: Flow, definition: Value, arguments: Arguments) -> Value | None:
    """Return the object of a definition and parts, of which the last one has the counts."""
    given = [value for value, starred in arguments.positional if not starred]
    if len(given) < 2:
        return None
    is_copied = arguments.get(len(arguments.positional), "copy") == Const(True)
    merged = copied(flow, given[-1]) if is_copied else given[-1]
    if isinstance(merged, Term) and _state(flow, merged) is None:  # what is merged counts, of whatever class it is
        flow.env.set((merged, STATE, flow.generation(merged)), flow.attribute(merged, STATE))
    return merged


def _view(flow: Flow, value: Value, arguments: Arguments) -> Value:
    """Return what shares the variables of an object, or a part of these."""
    filters = [each for each, _ in arguments.positional[1:]]
    return value if not filters or any(_has_counts(flow, each) for each in filters) else flow.terms.fresh()


def _update(flow: Flow, value: Value, arguments: Arguments) -> Value:
    """Write the variables of another object into one."""
    other = arguments.get(1, "state")
    state = _state(flow, other) if isinstance(other, Term) else None
    if isinstance(value, Term) and other is not None and other != value:
        flow.set_attribute(value, STATE, flow.terms.fresh() if state is None else state)
    return Const(None)


def _restart(flow: Flow, value: Value, arguments: Arguments) -> None:
    if isinstance(value, Term):
        advance(flow, value)


HANDLERS: dict[str, Callable[[Flow, Value, Arguments], Value | None]] = {
    "copied": _copy,
    "split": _split,
    "merged": _merge,
    "viewed": _view,
    "updated": _update,
    "restarted": _restart,
}
