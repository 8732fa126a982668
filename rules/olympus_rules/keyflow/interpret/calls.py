"""What a call does: to functions of this file, to library functions, and to callables that nobody knows."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from olympus_rules.code.lowering import dotted_name
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import CALLABLE, as_term, choose, leaves, map_choice
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
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
from olympus_rules.keyflow.interpret import application, callees, containers, higher_order, library
from olympus_rules.keyflow.notes import boundaries, conversions, layout, literals

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpret.interpreter import Interpreter

__all__ = ["KEEPING_METHODS", "REPLACING", "call", "decorate", "replaced", "replaced_at", "unknown"]

# Methods that keep or show what they are given, whatever the object.
KEEPING_METHODS = frozenset(
    {
        "_asdict", "_replace", "add", "add_argument", "append", "appendleft", "assert_called_with", "critical", "debug",
        "discard", "emit", "error", "exception", "extend", "format", "get", "index", "info", "insert", "items", "join",
        "keys", "log", "log_metrics", "put", "register", "remove", "replace", "save", "set", "setdefault", "store",
        "update", "values", "warn", "warning", "write",
    }
)  # fmt: skip
PURE_METHODS = frozenset(
    {
        "all", "any", "count", "endswith", "find", "get", "is_integer", "isalnum", "isalpha", "isdigit", "isdisjoint",
        "isidentifier", "islower", "isnumeric", "isspace", "issubset", "issuperset", "isupper", "lower", "lstrip",
        "rstrip", "startswith", "strip", "upper",
    }
)  # fmt: skip
CHANGING_METHODS = frozenset({"append", "appendleft", "discard", "extend", "insert", "remove", "set"})  # their object
REPLACING = frozenset({"replace", "_replace"})  # a copy of a record with some fields changed, however it is made
OBJECTS = frozenset({"attr", "copy", "free", "fresh", "item", "param"})  # what has attributes and items, maybe
FUNCTIONAL = ("jax.", "numpy.", "optax.")
ASKING_PREFIXES = (
    "is_", "has_", "check_", "assert_", "validate_", "_is_", "_has_", "_check_", "_assert_", "_validate_",
)  # fmt: skip
KEEPING_DECORATORS = (".setter", ".getter", ".register", ".fixture", ".property", "cached_property")
STORING_PREFIXES = (
    "deserialize", "dump", "load_checkpoint", "load_state", "restore", "save", "serialize", "store_",
)  # fmt: skip
ABSTRACT = frozenset({"eval_shape", "eval_summary", "lower", "make_jaxpr", "make_model_info", "tabulate"})


def call(flow: Interpreter, function: Value, arguments: Arguments) -> Value:
    """Return the result of a call and note what it consumes."""
    if isinstance(function, Choice):
        return _choice(flow, function, arguments)
    arrays = flow.analysis.arrays
    if isinstance(function, Library):
        result = library.call_library(flow, function.qualified, arguments)
        return result if arrays is None else arrays.called(flow, function, arguments, result)
    if isinstance(function, Function):
        if function.traced and arrays is not None:
            arrays.crossing(flow, function, arguments)
        return application.apply(flow, function, arguments)
    if isinstance(function, Bound) and isinstance(function.function, Function) and _is_abstract(function.function):
        return unknown(flow, function, arguments)
    if isinstance(function, Bound):
        return call(
            flow,
            function.function,
            replace(arguments, positional=((function.self, False), *arguments.positional)),
        )
    if isinstance(function, Partial):
        return _partial(flow, function, arguments)
    if isinstance(function, Mapped):
        return higher_order.call_mapped(flow, function, arguments)
    if isinstance(function, Class):
        return application.construct(flow, function, arguments)
    if type(function) is int and function in flow.analysis.classes:
        method = flow.analysis.hierarchy.method(flow.analysis.classes[function], "__call__")
        if method is not None:
            return call(flow, Bound(flow.analysis.function(method), function), arguments)
    if type(function) is int and application.concerns_keys(flow, arguments):
        held = _of_held_object(flow, function)
        if held is not None:
            return call(flow, held, arguments)
    return unknown(flow, function, arguments)


def _is_abstract(function: Function) -> bool:
    """Say whether a method is left to subclasses: what it does with a key is out of reach."""
    body = getattr(function.code.node, "body", None)
    last = body[-1] if isinstance(body, list) and body else None
    return isinstance(last, ast.Raise) and last.exc is not None and "NotImplemented" in ast.unparse(last.exc)


def _of_held_object(flow: Interpreter, function: Term) -> Value | None:
    """Return the method that is called of an object which an attribute of an object of a known class holds."""
    terms, classes = flow.terms, flow.analysis.classes
    if terms.operation(function) != "attr":
        return None
    owner, name = terms.args(function)[0], terms.data(function)[0]
    if owner in classes:  # self.layer(x, key=key)
        kept = flow.analysis.hierarchy.held_callables(classes[owner], name, owner)
        if kept:
            return choose(flow, [(ALWAYS, value) for value in kept])
        held = flow.analysis.hierarchy.held_class(classes[owner], name)
        method = None if held is None else flow.analysis.hierarchy.method(held, "__call__")
        return None if method is None else Bound(flow.analysis.function(method), function)
    if terms.operation(owner) == "attr" and terms.args(owner)[0] in classes:  # self.env.step(key)
        held = flow.analysis.hierarchy.held_class(classes[terms.args(owner)[0]], terms.data(owner)[0])
        if held is not None:
            classes[owner] = held
            found = flow.get_attribute(owner, name)
            return found if type(found) is not int else None
    return None


def _partial(flow: Interpreter, function: Partial, arguments: Arguments) -> Value:
    keywords: dict[str | None, Value] = dict(function.keywords)
    keywords.update(arguments.keywords)
    complete = replace(
        arguments,
        positional=(*((value, False) for value in function.args), *arguments.positional),
        keywords=tuple(keywords.items()),
    )
    return call(flow, function.function, complete)


def _choice(flow: Interpreter, function: Choice, arguments: Arguments) -> Value:
    results: list[tuple[PathCondition, Value]] = []
    outer, number = flow.path, flow.terms.number()
    for arm, (path, part) in enumerate(function.arms):
        joined = both(outer, path)
        if joined is not None:
            flow.path = joined
            before = len(flow.ledger.consumptions)
            results.append((path, call(flow, part, arguments)))
            for use in flow.ledger.consumptions[before:]:  # the paths of many arms need not exclude each other
                use.arms = (*use.arms, (number, arm))
    flow.path = outer
    return choose(flow, results)


def decorate(flow: Interpreter, decorator: Value, function: Value) -> Value:
    """Return what a decorator makes of a function: the same to a caller, unless nobody knows the decorator."""
    if isinstance(decorator, Library):
        if decorator.qualified.endswith(KEEPING_DECORATORS):
            return function
        result = higher_order.transform(flow, decorator.qualified, function, positional())
        if result is not None:
            return result
    elif isinstance(decorator, Partial):
        result = call(flow, decorator, positional(function))
        if type(result) is not int:
            return result
    return replace(function, doubtful=True) if isinstance(function, Function) else function


def unknown(flow: Interpreter, function: Value, arguments: Arguments, *, unasked: bool = False) -> Value:
    """Call something whose source is out of reach: keys that go in count as consumed, with less certainty.

    Args:
        flow: where the call is.
        function: the callee.
        arguments: its arguments.
        unasked: whether it is a function of the project that was not worth a look here, so that nothing is known of
            what it does with the keys that a caller may hand through.
    """
    node = arguments.node
    if node is None:
        return flow.terms.fresh()
    result = library.generated(flow, function) if type(function) is int else None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "lower" and arguments.owner is not None:
        literals.evaluated(flow, arguments.owner, tuple(value for value, _ in arguments.positional))
    if result is None and isinstance(node.func, ast.Attribute):
        result = _method(flow, node.func.attr, arguments)
    if result is None and type(function) is int:
        result = library.method(flow, function, arguments)
    if result is not None:
        return result
    name = function.qualified if isinstance(function, Library) else dotted_name(node.func)
    name = name.removeprefix(f"{UNBOUND}.")
    if "?" in name:
        name = ast.unparse(node.func)
    last = name.rpartition(".")[2]
    if type(function) is int and flow.terms.operation(function) == "attr":
        last = flow.terms.data(function)[0]  # jax.jit(model.apply)(…)
    if _only_looks(flow, last, node) or arguments.asks:
        return asked(flow, name, arguments)
    if callees.leaves_keys_alone(node, last) and not any(isinstance(v, CALLABLE) for v in arguments.values()):
        return flow.terms.fresh()
    first = arguments.positional[0][0] if arguments.positional else None
    if last == "clone" and type(first) is int and (flow.knowledge.is_known(first) or first in flow.knowledge.named):
        return flow.knowledge.clone(flow.terms.number(), first)
    certainty = Certainty.UNKNOWN
    keeping = callees.may_only_keep(node.func, last) or _is_inherited_constructor(flow, arguments)
    if unasked or keeping or _is_looked_up(flow, function, node) or last in flow.analysis.folding_methods:
        certainty = Certainty.DOUBTFUL
    number = flow.terms.number()
    raw = isinstance(function, Library) and flow.analysis.table.typed_key_support(function.qualified) == "no"
    changes = not _keeps_arguments(function, last)
    waiting = callees.waiting_arguments(node)
    for value, expression in arguments.expressions():
        if isinstance(value, Const | Library | Function | Metadata) or expression in waiting:
            continue
        if changes:
            _handed(flow, value)
        if raw:
            boundaries.given(flow, name, value, expression, node)
        use = Consumption(node, name, certainty, flow.path, key=expression, call=number, loop=arguments.loop)
        use.draw = "fold" if last in flow.analysis.folding_methods else "call"
        flow.consume(value, use)
    return flow.terms.fresh()


def _is_looked_up(flow: Interpreter, function: Value, node: ast.Call) -> bool:
    """Say whether a callee has a name in one of many records, which tells nothing of what it does."""
    if isinstance(node.func, ast.Subscript) and isinstance(node.func.value, ast.Subscript):
        return isinstance(node.func.slice, ast.Constant) and isinstance(node.func.slice.value, str)
    terms = flow.terms
    if type(function) is not int or terms.operation(function) != "item":
        return False
    record, name = terms.args(function)
    return terms.operation(record) == "item" and isinstance(terms.constant(name), str)


def asked(flow: Interpreter, name: str, arguments: Arguments) -> Value:
    """Return what a call gives that is asked for a truth value: the same for equal arguments, while nothing changes.

    A call without arguments may say something else each time.
    """
    values = arguments.values() if arguments.owner is None else [arguments.owner, *arguments.values()]
    if not values:
        return flow.terms.fresh()
    terms = [as_term(flow, value) for value in values]
    generations = [flow.env.get((term, "generation")) or 0 for term in terms]
    return flow.terms.make("op", (name, *generations), *terms)


def _keeps_arguments(function: Value, name: str) -> bool:
    """Say whether a callable out of reach surely leaves the objects as they are that it gets: a class, and JAX."""
    is_functional = isinstance(function, Library) and function.qualified.startswith(FUNCTIONAL)
    return is_functional or name.lstrip("_")[:1].isupper()


def _handed(flow: Interpreter, value: Value) -> None:
    """Note that something unknown gets objects: it may write a new key to them."""
    for term in leaves(value):
        is_key = flow.knowledge.is_candidate(term) and term not in flow.holders
        if flow.terms.operation(term) in OBJECTS and not is_key:
            flow.forget(term, handed=True)


def _is_inherited_constructor(flow: Interpreter, arguments: Arguments) -> bool:
    """Say whether a method is called on a class of the project that gets it from a class out of reach."""
    owner = arguments.owner
    if isinstance(owner, Library) and owner.qualified.rpartition(".")[2].lstrip("_")[:1].isupper():
        owner = flow.analysis.outside(owner.qualified, concerned=True)
    return isinstance(owner, Class)


def _only_looks(flow: Interpreter, name: str, node: ast.Call) -> bool:
    """Say whether a callee is one that asks about its arguments or evaluates them abstractly."""
    if isinstance(node.func, ast.Call):  # tabulate(model, key)(x)
        name = dotted_name(node.func.func).rpartition(".")[2]
        return name in ABSTRACT or name.endswith("eval_shape")
    return (
        name.startswith(ASKING_PREFIXES + STORING_PREFIXES)
        or name.endswith("eval_shape")
        or name in ABSTRACT
        or name in flow.analysis.inspecting_methods
    )


def _method(flow: Interpreter, name: str, arguments: Arguments) -> Value | None:
    """Call a method of an object: containers, arrays and objects that keep what they get."""
    node = arguments.node
    assert node is not None
    values = tuple(value for value, _ in arguments.positional)
    receiver = arguments.owner
    if isinstance(receiver, Choice) and isinstance(node.func, ast.Attribute):
        layout.array_method(flow, receiver, name, arguments, node, node.func.value, 0)
    if name.startswith("assert"):
        layout.asserted(flow, arguments)
    if isinstance(receiver, Sequence):
        if receiver.kind == "stack" and isinstance(node.func, ast.Attribute):
            layout.array_method(flow, receiver, name, arguments, node, node.func.value, 0)
        return containers.sequence_method(flow, receiver, name, values, arguments)
    if isinstance(receiver, Map):
        return containers.map_method(flow, receiver, name, values, arguments)
    if type(receiver) is int:
        assert isinstance(node.func, ast.Attribute)
        conversions.method(flow, receiver, name, node, node.func.value)
        result = layout.array_method(flow, receiver, name, arguments, node, node.func.value, 0)
        if result is not None:
            return result
        if name in ("items", "values"):
            return Iteration(name, (receiver,))
        if flow.analysis.placeholders and (buffer := literals.updated(flow, receiver, name, arguments)) is not None:
            return buffer
        if name in REPLACING:
            return replaced(flow, receiver, arguments)
        if name == "get" and values[1:] in ((), (Const(None),)) and not arguments.keywords and values:
            return presence.got(flow, values[0], receiver)
        if name in PURE_METHODS or (arguments.asks and name not in KEEPING_METHODS):
            return asked(flow, f".{name}", arguments)
        if name == "update":
            containers.updated(flow, receiver, arguments)
        elif name not in KEEPING_METHODS or name in CHANGING_METHODS:
            flow.forget(receiver)
    if isinstance(receiver, Choice) and name in REPLACING:
        return map_choice(flow, receiver, lambda part: _copied(flow, part, arguments))
    if name == "update":
        for value, _ in arguments.expressions():
            _handed(flow, value)
    return flow.terms.fresh() if name in KEEPING_METHODS or name.startswith(("assert", "log_")) else None


def _copied(flow: Interpreter, record: Value, arguments: Arguments) -> Value:
    return replaced(flow, record, arguments) if type(record) is int else flow.terms.fresh()


def replaced(flow: Interpreter, receiver: int, arguments: Arguments) -> Value:
    """Return a copy of a record with some fields changed."""
    changed = flow.make("copy", flow.terms.number(), receiver)
    if receiver in flow.analysis.classes:
        flow.analysis.classes[changed] = flow.analysis.classes[receiver]
    for name, value in arguments.keywords:
        if name is not None:
            flow.set_attribute(changed, name, value)
    return changed


def replaced_at(flow: Interpreter, arguments: Arguments) -> Value | None:
    """Return what ``tree_at(lambda tree: tree.field, tree, new)`` makes of an object, ``None`` where it is none."""
    where, tree, new = (arguments.get(i, name) for i, name in enumerate(("where", "pytree", "replace")))
    node = where.code.node if isinstance(where, Function) else None
    if type(tree) is not int or not isinstance(node, ast.Lambda):
        return None
    parts = node.body.elts if isinstance(node.body, ast.Tuple | ast.List) else [node.body]
    values = new.items if isinstance(new, Sequence) and len(new.items) == len(parts) > 1 else None
    fields: list[tuple[str | None, Value]] = []
    for number, part in enumerate(parts):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            value = values[number] if values is not None else new if len(parts) == 1 else None
            fields.append((part.attr, flow.terms.fresh() if value is None else value))
    return replaced(flow, tree, replace(arguments, keywords=tuple(fields)))
