"""Calls of callees out of reach, by the name of the callee and by its receiver."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import cast

from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import CALLABLE, as_term, leaves, map_choice
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.consumption import consume, drawn
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.memory import fill_unseen
from olympus_rules.keyflow.domain.steady import is_immutable
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    UNBOUND,
    Bound,
    Choice,
    Class,
    Const,
    Function,
    Iteration,
    Library,
    Map,
    Mapped,
    Metadata,
    Partial,
    Sequence,
    Value,
)
from olympus_rules.keyflow.facts import Place
from olympus_rules.keyflow.interpret import callees, containers, copies, folds, lists, made_objects, named, rows
from olympus_rules.keyflow.interpret.callees import FILLING_METHODS, KEEPING_METHODS
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import boundaries, conversions, layout, literals
from olympus_rules.keyflow.notes.axes import ArrayCall

PURE_METHODS = frozenset(
    {
        "all", "any", "count", "endswith", "find", "get", "is_integer", "isalnum", "isalpha", "isdigit", "isdisjoint",
        "isidentifier", "islower", "isnumeric", "isspace", "issubset", "issuperset", "isupper", "lower", "lstrip",
        "rstrip", "startswith", "strip", "upper",
    }
)  # fmt: skip
CHANGING_METHODS = frozenset({"append", "appendleft", "discard", "extend", "insert", "remove", "set"})  # their receiver
OBJECTS = frozenset({"attr", "copy", "free", "fresh", "item", "param"})  # terms that may have attributes and items
FUNCTIONAL = ("jax.", "numpy.", "optax.")
ASKING_PREFIXES = (
    "is_", "has_", "check_", "assert_", "validate_", "_is_", "_has_", "_check_", "_assert_", "_validate_",
)  # fmt: skip
ABSTRACT = frozenset({"eval_shape", "eval_summary", "lower", "make_jaxpr", "make_model_info", "tabulate"})


def unknown(flow: Flow, function: Value, arguments: Arguments, *, unasked: bool = False) -> Value:
    """Call a callee whose source is out of reach: its keys count as consumed, with less certainty.

    Args:
        flow: where the call is.
        function: the callee.
        arguments: its arguments.
        unasked: whether it is a function of the project that was not worth interpreting here, so that its effect on
            keys that a caller may pass through is unknown.
    """
    node = arguments.node
    if node is None:
        return flow.terms.fresh()
    flow.ended = False if _may_not_return(flow, function, arguments, node) else flow.ended
    result = rows.generated(flow, function, arguments) if isinstance(function, Term) else None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "lower" and arguments.owner is not None:
        literals.evaluated(flow, arguments.owner, tuple(value for value, _ in arguments.positional))
    if result is None and isinstance(node.func, ast.Attribute):
        result = _method(flow, node.func.attr, arguments)
    if result is None and isinstance(function, Term):
        result = rows.method(flow, function, arguments)
    if result is not None:
        return result
    name, last = _names(flow, function, node)
    if _only_looks(flow, last, node) or arguments.asks:
        return asked(flow, name, arguments)
    if callees.leaves_keys_alone(node, last) and not any(isinstance(v, CALLABLE) for v in arguments.values()):
        return flow.terms.fresh()
    first = arguments.first
    if (
        last == "clone"
        and isinstance(first, Term)
        and (flow.knowledge.is_known(first) or first in flow.knowledge.named)
    ):
        return flow.knowledge.clone(flow.terms.number(), first)
    certainty = Certainty.DOUBTFUL if unasked else _certainty(flow, function, arguments, last)
    _hand_over(flow, function, arguments, (name, last), certainty)
    made = flow.terms.fresh()
    if last[:1].isupper() or name in flow.file.made_modules or flow.file.table.get(name).silences:
        made_objects.make(flow, name, made, arguments)
    return made


def _names(flow: Flow, function: Value, node: ast.Call) -> tuple[str, str]:
    """Return the name of a callee, as far as known or else as it is written, and the last part of it."""
    name = function.qualified if isinstance(function, Library) else dotted_name(node.func)
    name = name.removeprefix(f"{UNBOUND}.")
    if "?" in name:
        name = ast.unparse(node.func)
    if isinstance(function, Term) and flow.terms.operation(function) == "attr":
        return name, flow.terms.data(function)[0]  # jax.jit(model.apply)(…)
    return name, name.rpartition(".")[2]


def _hand_over(flow: Flow, function: Value, arguments: Arguments, names: tuple[str, str], certainty: Certainty) -> None:
    """Record that a callee gets its arguments, and consumes them as surely as it is known."""
    (name, last), node = names, arguments.node
    assert node is not None
    number = flow.terms.number()
    raw = isinstance(function, Library) and flow.file.table.get(function.qualified).typed_keys == "no"
    changes = not _keeps_arguments(function, last)
    waiting = callees.waiting_arguments(node)
    if last in flow.file.initialising_methods:
        _initialise(flow, arguments)
    _may_fill(flow, function, arguments)
    for value, expression in arguments.expressions():
        if isinstance(value, Sequence):
            _call_each(flow, value, node)
        if isinstance(value, Const | Library | Function | Metadata) or expression in waiting:
            continue
        if changes:
            _handed(flow, value)
        if raw:
            boundaries.given(flow, name, value, expression, node)
        use = Consumption(node, name, certainty, flow.path, key=expression, call=number, loop=arguments.loop)
        if last in flow.file.folding_methods or folds.of_several(flow, function) is not None:
            folds.fold(flow, last, function, arguments, use, value)
        elif isinstance(value, Map) and not flow.file.initial.isdisjoint(str(name) for name, _ in value.items):
            _consume(flow, value, replace(use, draw="fold", certainty=Certainty.DOUBTFUL))
        else:
            _consume(flow, value, use)
            is_layer = not isinstance(function, Library) and _is_layer(flow, node, expression)
            is_draw = use.certainty == Certainty.UNKNOWN and (is_layer or _is_open(flow, function))
            if is_draw and flow.file.follows_lanes and _may_be_keys(flow, value):
                place = Place(node, name, expression)
                drawn(flow, value, place, function, is_layer=is_layer, arguments=arguments)


def _initialise(flow: Flow, arguments: Arguments) -> None:
    """Call the function by which a method of a module makes a parameter: with a key of the module's own."""
    function = arguments.get(1, "init_fn")
    if isinstance(function, Function):
        further = (value for value, _ in arguments.positional[2:])
        outer, flow.site = flow.site, arguments.node
        flow.call(replace(function, doubtful=True), positional(flow.knowledge.made(), *further))
        flow.site = outer


def _is_layer(flow: Flow, node: ast.Call, key: ast.expr | None) -> bool:
    """Return whether a callee gets a key as the layers of a library do that the file uses."""
    return any(each.value is key and each.arg in flow.file.layer_keywords for each in node.keywords)


def _is_open(flow: Flow, function: Value) -> bool:
    """Return whether a caller may know a callee."""
    return isinstance(function, Term) and flow.terms.operation(function) in ("attr", "free", "param")


def _may_be_keys(flow: Flow, value: Value) -> bool:
    """Return whether a value may hold a key, as far as known; what a nested function gets, its callers know."""
    is_nested = flow.code.parent not in (None, flow.file.module)
    return any(
        flow.knowledge.is_candidate(term) or (is_nested and flow.terms.operation(term) == "param")
        for term in leaves(value)
    )


def _may_not_return(flow: Flow, function: Value, arguments: Arguments, node: ast.Call) -> bool:
    """Return whether a callee may end the program or raise on all paths: nothing says what it is for."""
    is_known = isinstance(function, Library) and flow.file.table.knows(function.qualified)
    if not arguments.closes or is_known or isinstance(arguments.owner, Map | Sequence):
        return False
    name = dotted_name(node.func).rpartition(".")[2]
    return not callees.leaves_keys_alone(node, name) and (name == "error" or name not in KEEPING_METHODS)


def _call_each(flow: Flow, functions: Sequence, node: ast.Call) -> None:
    """Call the functions of a list that were all made by one expression: code that gets such a list calls each."""
    made = [item for item in functions.items if isinstance(item, Function)]
    if len(made) < 2 or len(made) < len(functions.items) or len({each.code for each in made}) > 1:
        return
    outer, flow.site = flow.site, node
    for function in made[:2]:
        given = {name for name, _ in function.defaults}
        free = [flow.terms.fresh() for name in function.code.parameters if name not in given]
        flow.call(replace(function, doubtful=True), positional(*free))
    flow.site = outer


def _consume(flow: Flow, value: Value, use: Consumption) -> None:
    """Record that an argument is consumed, with what an object holds that is made there."""
    consume(flow, value, use)
    for part, written in _fields(flow, value, use.key):
        consume(flow, part, replace(use, key=written))


def _fields(flow: Flow, value: Value, expression: ast.expr | None) -> list[tuple[Value, ast.expr | None]]:
    """Return what an object holds that is made where it is given to a call: ``step(Request(key=key))``."""
    if not isinstance(value, Term) or not isinstance(expression, ast.Call) or flow.terms.operation(value) != "fresh":
        return []
    written = {
        keyword.value.id: keyword.value for keyword in expression.keywords if isinstance(keyword.value, ast.Name)
    }
    written |= {part.id: part for part in expression.args if isinstance(part, ast.Name)}
    held = [(name, held) for name, held in flow.env.values.items() if isinstance(name, tuple) and name[0] == value]
    names = {flow.env.get(name): node for name, node in written.items()}
    return [(cast(Value, each), names.get(each)) for _, each in held if flow.knowledge.is_candidate(cast(Term, each))]


def _container_around(flow: Flow, element: ast.expr) -> Value | None:
    """Return the container of a variable, if an expression is an element of it: ``groups`` for ``groups[i]``."""
    found = element
    while isinstance(found, ast.Subscript):
        found = found.value
    return flow.env.get(found.id) if isinstance(found, ast.Name) and found is not element else None


def asked(flow: Flow, name: str, arguments: Arguments) -> Value:
    """Return the result of a call used as a truth value: the same for equal arguments that have not changed.

    A call without arguments may give another result each time.
    """
    values = arguments.values() if arguments.owner is None else [arguments.owner, *arguments.values()]
    if not values:
        return flow.terms.fresh()
    terms = [as_term(flow, value) for value in values]
    generations = [flow.generation(term) for term in terms]
    return flow.terms.make("op", (name, *generations), *terms)


def _is_looked_up(flow: Flow, function: Value, node: ast.Call) -> bool:
    """Return whether a callee is looked up by name in one of many records: the name says nothing of its effect."""
    if isinstance(node.func, ast.Subscript) and isinstance(node.func.value, ast.Subscript):
        return isinstance(node.func.slice, ast.Constant) and isinstance(node.func.slice.value, str)
    terms = flow.terms
    if not isinstance(function, Term) or terms.operation(function) != "item":
        return False
    record, name = terms.args(function)
    return terms.operation(record) == "item" and isinstance(terms.constant(name), str)


def _keeps_arguments(function: Value, name: str) -> bool:
    """Return whether a callable out of reach surely leaves its arguments unchanged: a class, or a function of JAX."""
    is_functional = isinstance(function, Library) and function.qualified.startswith(FUNCTIONAL)
    return is_functional or name.lstrip("_")[:1].isupper()


def _handed(flow: Flow, value: Value) -> None:
    """Record that objects escape to an unknown callee, which may write a new key to them."""
    for term in leaves(value):
        is_key = flow.knowledge.is_candidate(term) and term not in flow.holders
        if flow.terms.operation(term) in OBJECTS and not is_key:
            flow.forget(term, handed=True)


def _certainty(flow: Flow, function: Value, arguments: Arguments, name: str) -> Certainty:
    """Return how certain it is that an unknown callee consumes its arguments."""
    assert arguments.node is not None
    keeping = callees.may_only_keep(arguments.node.func, name) or _is_inherited_constructor(flow, arguments)
    keeping = keeping or callees.evaluates(arguments, name) or callees.is_activation(name)
    if keeping or _is_looked_up(flow, function, arguments.node):
        return Certainty.DOUBTFUL
    return Certainty.UNKNOWN


def _may_fill(flow: Flow, function: Value, arguments: Arguments) -> None:
    """Let the empty containers that an unknown callee gets, or that a function among its arguments reads, be filled."""
    if isinstance(function, Library) and function.qualified.startswith(FUNCTIONAL):
        return
    for value, expression in arguments.expressions():
        fill_unseen(flow, value)
        inner: object = value
        while isinstance(inner, Bound | Mapped | Partial):
            inner = inner.function
        names = inner.code.reads if isinstance(inner, Function) else set()
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):  # items.append
            names = {expression.value.id}
        for name in sorted(names):
            fill_unseen(flow, flow.env.get(name))


def _is_inherited_constructor(flow: Flow, arguments: Arguments) -> bool:
    """Return whether a method is called on a class of the project that inherits it from a class out of reach."""
    owner = arguments.owner
    if isinstance(owner, Library) and owner.qualified.rpartition(".")[2].lstrip("_")[:1].isupper():
        owner = flow.linker.lookups.outside(owner.qualified, concerned=True)
    return isinstance(owner, Class)


def _only_looks(flow: Flow, name: str, node: ast.Call) -> bool:
    """Return whether a callee only inspects its arguments or evaluates them abstractly."""
    if isinstance(node.func, ast.Call):  # tabulate(model, key)(x)
        name = dotted_name(node.func.func).rpartition(".")[2]
        return name in ABSTRACT or name.endswith("eval_shape")
    return (
        name.startswith(ASKING_PREFIXES + callees.SAVING_PREFIXES)
        or name.endswith("eval_shape")
        or name in ABSTRACT
        or name in flow.file.inspecting_methods
    )


def _may_change(flow: Flow, receiver: Term, name: str) -> bool:
    """Return whether a method may change its object.

    What looks like a method may be a callable that the object was given, which knows nothing of the object.
    """
    if name in flow.file.folding_methods or (name in KEEPING_METHODS and name not in CHANGING_METHODS):
        return False
    class_ = flow.file.classes.get(receiver)
    return class_ is None or not (flow.linker.hierarchy.is_given(class_, name) or is_immutable(flow.file, class_))


def _note_method(flow: Flow, name: str, arguments: Arguments, node: ast.Call) -> None:
    """Note what a method does to the axes of keys in a container, and what it asserts of them."""
    receiver = arguments.owner
    if isinstance(receiver, Choice | Const | Map | Sequence) and isinstance(node.func, ast.Attribute):
        layout.array_method(flow, receiver, ArrayCall(name, node, node.func.value, arguments, 0))
    if name.startswith("assert"):
        layout.asserted(flow, arguments)
    conversions.row_written(flow, name, arguments)


def _method(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    """Call a method of an object: containers, arrays and objects that keep their arguments."""
    node = arguments.node
    assert node is not None
    values = tuple(value for value, _ in arguments.positional)
    receiver = arguments.owner
    _note_method(flow, name, arguments, node)
    if receiver is not None and named.write(flow, name, arguments, receiver):
        return Const(None)
    if isinstance(receiver, Sequence):
        return containers.sequence_method(flow, receiver, name, values, arguments)
    if name in lists.METHODS and receiver is not None and lists.is_list(flow, receiver):
        return lists.changed(flow, receiver, name, values, arguments.receiver)
    if isinstance(receiver, Map):
        return containers.map_method(flow, receiver, name, values, arguments)
    if isinstance(receiver, Term):
        assert isinstance(node.func, ast.Attribute)
        conversions.method(flow, receiver, name, node, node.func.value)
        if name in conversions.METHODS:
            return asked(flow, f".{name}", arguments)
        result = layout.array_method(flow, receiver, ArrayCall(name, node, node.func.value, arguments, 0))
        if result is not None:
            return result
        if name in ("items", "values"):
            return Iteration(name, (receiver,))
        if flow.file.placeholders and (buffer := literals.updated(flow, receiver, name, arguments)) is not None:
            return buffer
        if name in copies.REPLACING:
            return copies.replaced(flow, receiver, arguments)
        if name in flow.file.copies:
            return copies.renewed(flow, receiver, arguments, flow.file.copies[name])
        if name == "get" and values[1:] in ((), (Const(None),)) and not arguments.keywords and values:
            return presence.got(flow, values[0], receiver)
        if name in PURE_METHODS or (arguments.asks and name not in KEEPING_METHODS):
            return asked(flow, f".{name}", arguments)
        if name in FILLING_METHODS:
            fill_unseen(flow, _container_around(flow, node.func.value))
        if name == "update" and callees.keeps(node, name):
            containers.updated(flow, receiver, arguments)
        elif _may_change(flow, receiver, name):
            flow.forget(receiver)
    if isinstance(receiver, Choice) and name in copies.REPLACING:
        return map_choice(flow, receiver, lambda part: copies.copied(flow, part, arguments))
    if name == "update":
        for value, _ in arguments.expressions():
            _handed(flow, value)
    return flow.terms.fresh() if callees.keeps(node, name) or name.startswith(("assert", "log_")) else None
