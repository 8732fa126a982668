"""Objects that classes of libraries make: what they are made of, what a call of one does, and which draw nothing.

A layer of a framework is such an object. Two of them that are made of the same are equal modules.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain.access import as_term, leaves, operand_term
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.consumption import consume, drawn
from olympus_rules.keyflow.domain.file import File, Made
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Function, Library, Map, Sequence, Value, is_zero
from olympus_rules.keyflow.facts import KeyKind, Place
from olympus_rules.keyflow.interpret import callees
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes.annotated import library_class
from olympus_rules.libraries import LibraryFunction

CALL = ".__call__"
SILENT = "silent"
"""The class of all objects that draw nothing when they are called."""


def make(flow: Flow, name: str, instance: Value, arguments: Arguments) -> None:
    """Record what an object is made of, unless a part of it is unknown."""
    if not isinstance(instance, Term) or any(starred for _, starred in arguments.positional):
        return
    parts = [structure(flow, value) for value in arguments.values()]
    names = tuple(keyword for keyword, _ in arguments.keywords)
    made = flow.terms.make("op", ("made", name, len(parts), names), *parts)
    model = flow.file.table.get(name)
    for place, field in enumerate(model.fields if is_class(name) else ()):
        if (held := arguments.get(place, field)) is not None:
            flow.set_attribute(instance, field, held)
    is_off = model.silences or (model.row is not None and _draws_nothing(flow, model.row, arguments))
    is_off = is_off or (bool(model.fields) and _are_silent(flow, arguments.first))
    kept = (
        ()
        if model.row is None
        else tuple(
            held
            for each in model.row.keeps
            if (value := argument(model.row, each, arguments)) is not None
            for held in (*seeded(flow, model.row, each, value, arguments.node), value)
        )
    )
    if model.row is not None:
        _keep_rates(flow, instance, model.row, arguments)
    is_silent = is_off or callees.evaluates(arguments, "")
    inner = _made(flow, arguments.first) if model.row is not None and isinstance(arguments.first, Term) else None
    keeper = name
    if inner is not None and model.row is not None and _leaves_some(flow, model.row, arguments):
        kept, keeper = inner.kept, inner.keeper
    wrapped = _wrapped(flow, arguments.first)
    flow.file.made[instance] = Made(name, made, is_silent, kept, flow.terms.number(), keeper, wrapped)
    if is_silent:
        leave_generators(flow, arguments, flow.file.generators)
    if isinstance(arguments.first, Function) and name in flow.file.made_modules:
        flow.file.applied[made] = arguments.first.code


def leave_generators(flow: Flow, arguments: Arguments, values: Collection[Value]) -> None:
    """Take back the consumption of keys by generators that are made for a call, among some values: nobody draws there.

    One that is made for several possible callees is left: another one may draw from it.
    """
    given = [(value, node) for value, node in arguments.expressions() if isinstance(value, Term) and value in values]
    idle = {node for value, node in given if value in flow.file.generators}
    if idle:
        made = flow.ledger.consumptions
        made[:] = [use for use in made if use.node not in idle or use.path != flow.path]


def rates(row: LibraryFunction) -> list[str]:
    """Return the parameters of a class of a library that turn its objects off where they are 0."""
    return [name for name, off in row.silent if is_zero(Const(off))]


def _keep_rates(flow: Flow, layer: Term, row: LibraryFunction, arguments: Arguments) -> None:
    """Record the rate that an object of a library is made with."""
    for name in rates(row):
        value = argument(row, name, arguments)
        if value is not None:
            flow.file.rated.add(layer)
            flow.set_attribute(layer, name, value)


def structure(flow: Flow, value: Value) -> Term:
    """Return what an object is made of as a term, and the identity of any other value.

    A copy with changed fields has the functions of its original: a training state keeps its ``apply_fn``.
    """
    term = as_term(flow, value)
    while flow.terms.operation(term) == "copy":
        term = flow.terms.args(term)[0]
    made = _made(flow, term)
    return term if made is None else made.structure


def of_structures(flow: Flow, value: Value) -> Term:
    """Return an operation on objects as one on what they are made of."""
    term = as_term(flow, value)
    if flow.terms.operation(term) != "op":
        return term
    return flow.terms.make("op", flow.terms.data(term), *(structure(flow, part) for part in flow.terms.args(term)))


def _made(flow: Flow, term: Term) -> Made | None:
    """Return what an object is made of, which the module's level may have made."""
    module = flow.file.module
    if flow.terms.operation(term) == "free" and flow.terms.data(term)[0] is module and module in flow.file.environments:
        held = flow.file.environments[module].values.get(flow.terms.data(term)[1])
        return flow.file.made.get(held) if isinstance(held, Term) else None
    return flow.file.made.get(term)


def is_silent(flow: Flow, function: Term) -> bool:
    """Return whether a call of an object draws nothing."""
    made = _made(flow, function)
    if made is not None:
        return made.is_silent
    return flow.terms.operation(function) != "param" and _held(flow, function) == SILENT


def called(flow: Flow, function: Term) -> Library | None:
    """Return the function that a call of an object of a library calls, if a pack speaks of it."""
    made = _made(flow, function)
    name = _held(flow, function) if made is None else made.name
    if not name:
        return None
    model = flow.file.table.get(f"{name}{CALL}")
    return Library(model.qualified) if model.inspects or model.row is not None else None


def _held(flow: Flow, function: Term) -> str:
    """Return the class of a library whose object an attribute of an object of a known class holds, or a list in it.

    A parameter holds what it is annotated with.
    """
    if flow.terms.operation(function) == "param":
        return library_class(flow.linker, *flow.terms.data(function))
    in_list = flow.terms.operation(function) == "item"
    attribute = flow.terms.args(function)[0] if in_list else function
    if flow.terms.operation(attribute) != "attr":
        return ""
    class_, name = flow.file.classes.get(flow.terms.args(attribute)[0]), flow.terms.data(attribute)[0]
    place = flow.terms.constant(flow.terms.args(function)[1]) if in_list else None
    place = place if type(place) is int and not flow.loops else None  # a loop looks at two items for all of them
    return "" if class_ is None else flow.linker.hierarchy.held_library(class_, name, in_list=in_list, place=place)


def takes_key(flow: Flow, result: Term) -> bool:
    """Return whether something is the result of a function of a library that takes a key, from which it goes on."""
    operation, data = flow.terms.operation(result), flow.terms.data(result)
    is_call = operation == "op" and isinstance(data, tuple) and isinstance(data[0], str)
    row = flow.file.table.get(data[0]).row if is_call else None
    return row is not None and bool(row.sinks or row.keeps)


def is_class(qualified: str) -> bool:
    """Return whether a function of a library is a class, as its name says: what turns it off is for its objects."""
    return qualified.rpartition(".")[2][:1].isupper()


def is_turned_off(row: LibraryFunction, arguments: Arguments) -> bool:
    """Return whether an argument says that nothing is drawn: a rate of 0, or ``inference=True``.

    An argument that stands for the draw says so, too, though it may be ``None``.
    """
    given = ((argument(row, name, arguments), off) for name, off in row.silent)
    if any(isinstance(value, Const) and value.value == off for value, off in given):
        return True
    if any(argument(row, name, arguments) not in (None, Const(None)) for name in row.instead):
        return True
    return any(argument(row, name, arguments) is None for name in row.needs) and not _is_open(arguments)


def _draws_nothing(flow: Flow, row: LibraryFunction, arguments: Arguments) -> bool:
    """Return whether an object draws nothing when it is called, as it is made so or as all that it draws is given."""
    first = arguments.first
    if is_turned_off(row, arguments) or (row.keeps and isinstance(first, Term) and is_silent(flow, first)):
        return True
    return is_given(flow, row, arguments)


def _are_silent(flow: Flow, layers: Value | None) -> bool:
    """Return whether something is a list of layers none of which draws: what calls them one by one draws nothing."""
    items = layers.items if isinstance(layers, Sequence) and not layers.open else ()
    made = [_made(flow, layer) for item in items for layer in leaves(item) or [flow.terms.fresh()]]
    return bool(made) and all(each is not None and kind(flow.file, each) == SILENT for each in made)


def kind(file: File, made: Made) -> str:
    """Return the class of an object, ``SILENT`` if a call of the object draws nothing."""
    return SILENT if made.is_silent or file.table.get(f"{made.name}{CALL}").inspects else made.name


def is_given(flow: Flow, row: LibraryFunction, arguments: Arguments) -> bool:
    """Return whether there are values for all that the function in the first argument would draw."""
    given = [argument(row, name, arguments) for name in row.holds]
    code = _wrapped(flow, arguments.first)
    if code is None or not all(isinstance(value, Map) for value in given):
        return False
    names = {name for value in given if isinstance(value, Map) for name, _ in value.items}
    drawn = _names_of_draws(flow, code)
    return bool(drawn) and drawn <= names


def _leaves_some(flow: Flow, row: LibraryFunction, arguments: Arguments) -> bool:
    """Return whether a call gives values for some of what the function draws, and surely not for all of it."""
    given = [argument(row, name, arguments) for name in row.holds]
    code = _wrapped(flow, arguments.first)
    if code is None or not given or not all(isinstance(value, Map) and not value.open for value in given):
        return False
    names = {name for value in given if isinstance(value, Map) for name, _ in value.items}
    return not _names_of_draws(flow, code, observed=False) <= names


def _wrapped(flow: Flow, function: Value | None) -> FunctionCode | None:
    """Return the function that something calls, itself or through an object of a library that was made of it."""
    made = _made(flow, function) if isinstance(function, Term) else None
    return function.code if isinstance(function, Function) else None if made is None else made.wrapped


def _names_of_draws(flow: Flow, code: FunctionCode, *, observed: bool = True) -> set[object]:
    """Return the names of a function's draws; empty if it calls other functions, or where a name is computed.

    Args:
        flow: where the function is used.
        code: the function.
        observed: whether draws count for which another value may be given.
    """
    found = set[object]()
    for node in ast.walk(code.node):
        called = dotted_name(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if called in flow.file.module.definitions:
            return set()
        if isinstance(node, ast.Call) and called in flow.file.drawing:
            first = node.args[0] if node.args else None
            if not isinstance(first, ast.Constant):
                return set()
            if observed or len(node.args) + len(node.keywords) == 2:
                found.add(first.value)
    return found


def _is_open(arguments: Arguments) -> bool:
    """Return whether a call unpacks arguments, among which any may be."""
    return any(starred for _, starred in arguments.positional) or any(name is None for name, _ in arguments.keywords)


def argument(row: LibraryFunction, name: str, arguments: Arguments) -> Value | None:
    """Return the argument for a parameter of a row."""
    position = row.parameters.index(name) if name in row.parameters else len(arguments.positional)
    return arguments.get(position, name)


def seeded(flow: Flow, row: LibraryFunction, name: str, value: Value, node: ast.AST | None) -> tuple[Term, ...]:
    """Return the key that a call of a function makes of a whole number in a parameter of its row, if it takes one.

    A value of unknown kind may be one: that it is a key shows elsewhere, if at all.
    """
    is_number = isinstance(value, Const) and type(value.value) is int
    is_unknown = isinstance(value, Term) and not flow.knowledge.is_candidate(value)
    if name not in row.seeds or not (is_number or is_unknown):
        return ()
    key = flow.knowledge.seed(KeyKind.UNKNOWN, flow.terms.number(), operand_term(flow, value))
    if node is not None:
        flow.file.makes(key, node)
    return (key,)


def used(flow: Flow, made: Value, node: ast.AST, loop: str | None = None) -> None:
    """Record that an object uses the keys that it keeps: a call begins with them again, a ``with`` block goes on.

    A call of a method of the object is a call of it.

    Args:
        flow: where the use is.
        made: the object.
        node: the expression that uses it.
        loop: what repeats the call; ``None`` for a ``with`` block.
    """
    if isinstance(made, Term) and loop is not None and flow.terms.operation(made) == "attr":
        made = flow.terms.args(made)[0]  # handlers.trace(seeded).get_trace(…)
    held = _made(flow, made) if isinstance(made, Term) else None
    if held is None or held.is_silent:
        return
    for value in held.kept:
        number = held.number if loop is None else flow.terms.number()
        use = Consumption(node, held.keeper, Certainty.UNKNOWN, flow.path, draw=held.keeper, call=number)
        consume(flow, value, replace(use, loop=loop or "", sampler=held.keeper))
        drawn(flow, value, Place(node, held.keeper, None))
