"""What a call does: to functions of this file, to library functions, and to callables that nobody knows."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts, higher_order, observe, summary
from olympus_rules.keyflow.access import as_term, choose, leaves, map_leaves
from olympus_rules.keyflow.facts import KeyKind
from olympus_rules.keyflow.ledger import Certainty
from olympus_rules.keyflow.paths import PathCondition, both
from olympus_rules.keyflow.values import (
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
from olympus_rules.signatures import LibraryFunction, signatures

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpreter import Interpreter

__all__ = ["Arguments", "call", "decorate", "makes_records"]

# Methods that keep or show what they are given, whatever the object.
KEEPING_METHODS = frozenset(
    {
        "_asdict", "_replace", "add", "add_argument", "append", "appendleft", "assert_called_with", "critical", "debug",
        "discard", "emit", "error", "exception", "extend", "format", "get", "index", "info", "insert", "items", "join",
        "keys", "log", "log_metrics", "put", "register", "remove", "replace", "save", "set", "setdefault", "store",
        "update", "values", "warn", "warning", "write",
    }
)  # fmt: skip
ASKING_PREFIXES = (
    "is_",
    "has_",
    "check_",
    "assert_",
    "validate_",
    "_is_",
    "_has_",
    "_check_",
    "_assert_",
    "_validate_",
)
ITERATORS = {"range", "zip", "enumerate", "reversed"}
SAME_SEQUENCE = {"list", "tuple", "iter", "sorted", "set"}
RECORD_MAKERS = ("dataclass", "NamedTuple", "struct", "PyTreeNode", "chex", "pytree_dataclass", "TypedDict")
# Modules whose functions compute with arrays and consume no key.
ARRAY_MODULES = ("jax.numpy.", "numpy.", "jax.lax.", "jax.nn.", "jax.scipy.", "scipy.", "jax.ops.", "math.")
STACKING = {"stack", "array", "asarray", "concatenate", "vstack", "hstack"}
DECORATORS_THAT_KEEP = frozenset(
    {
        "functools.wraps",
        "functools.lru_cache",
        "functools.cache",
        "abc.abstractmethod",
        "staticmethod",
        "classmethod",
        "typing.override",
        "typing.overload",
        "flax.linen.compact",
        "flax.linen.nowrap",
        "contextlib.contextmanager",
        "haiku.transparent",
        "typing.no_type_check",
        "numba.njit",
    }
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call.

    Attributes:
        positional: (value, whether it is starred).
        keywords: (name, value); a name of ``None`` unpacks a mapping.
        node: the call expression, ``None`` when a transform makes the call.
        receiver: the variable that holds the object of a method call.
        owner: the object of a method call.
        loop: what repeats the call when a transform makes it (``scan`` …).
        asks: whether the result is nothing but a truth value.
    """

    positional: tuple[tuple[Value, bool], ...]
    keywords: tuple[tuple[str | None, Value], ...]
    node: ast.Call | None
    receiver: str | None = None
    owner: Value | None = None
    loop: str = ""
    asks: bool = False

    def values(self) -> list[Value]:
        """Return all argument values."""
        return [value for value, _ in self.positional] + [value for _, value in self.keywords]

    def get(self, position: int, name: str) -> Value | None:
        """Return an argument by position or name."""
        for keyword, value in self.keywords:
            if keyword == name:
                return value
        if position < len(self.positional) and not any(starred for _, starred in self.positional[: position + 1]):
            return self.positional[position][0]
        return None

    def expression(self, position: int, name: str) -> ast.expr | None:
        """Return the expression of an argument by position or name."""
        if self.node is None:
            return None
        for keyword in self.node.keywords:
            if keyword.arg == name:
                return keyword.value
        if position < len(self.node.args) and not isinstance(self.node.args[position], ast.Starred):
            return self.node.args[position]
        return None

    def expressions(self) -> Iterator[tuple[Value, ast.expr | None]]:
        """Return every argument value with its expression."""
        if self.node is None or len(self.node.args) != len(self.positional):
            yield from ((value, None) for value in self.values())
            return
        yield from zip((value for value, _ in self.positional), self.node.args, strict=True)
        yield from zip((value for _, value in self.keywords), (k.value for k in self.node.keywords), strict=False)


def positional(*values: Value, loop: str = "") -> Arguments:
    """Return the arguments of a call that a transform makes."""
    return Arguments(tuple((value, False) for value in values), (), None, loop=loop)


def makes_records(qualified: str) -> bool:
    """Say whether a decorator or base class makes a class hold its arguments as fields."""
    return any(part in qualified for part in RECORD_MAKERS)


def call(flow: Interpreter, function: Value, arguments: Arguments) -> Value:
    """Return the result of a call and note what it consumes."""
    if isinstance(function, Choice):
        return _choice(flow, function, arguments)
    if isinstance(function, Library):
        return library(flow, function.qualified, arguments)
    if isinstance(function, Function):
        return summary.apply(flow, function, arguments)
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
        return summary.construct(flow, function, arguments)
    return unknown(flow, function, arguments)


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
    outer = flow.path
    for path, part in function.arms:
        joined = both(outer, path)
        if joined is not None:
            flow.path = joined
            results.append((path, call(flow, part, arguments)))
    flow.path = outer
    return choose(flow, results)


def decorate(flow: Interpreter, decorator: Value, function: Value) -> Value:
    """Return what a decorator makes of a function: the same to a caller, unless nobody knows the decorator."""
    if isinstance(decorator, Library):
        if decorator.qualified.removeprefix("builtins.") in DECORATORS_THAT_KEEP or decorator.qualified.endswith(
            (
                ".setter",
                ".getter",
                ".register",
                ".fixture",
                ".property",
                "builtins.property",
                "cached_property",
            )
        ):
            return function
        result = higher_order.transform(flow, decorator.qualified, function, positional())
        if result is not None:
            return result
    elif isinstance(decorator, Partial):
        result = call(flow, decorator, positional(function))
        if type(result) is not int:
            return result
    elif type(decorator) is int and decorator in flow.analysis.decorators:
        return decorate(flow, flow.analysis.decorators[decorator], function)
    return replace(function, doubtful=True) if isinstance(function, Function) else function


# library functions


def library(flow: Interpreter, qualified: str, arguments: Arguments) -> Value:
    """Call something from outside this file."""
    row = signatures().get(qualified)
    if row is not None:
        return random_function(flow, row, arguments)
    if qualified.startswith("builtins."):
        return builtin(flow, qualified[9:], arguments)
    first = arguments.positional[0][0] if arguments.positional else None
    result = higher_order.call_library(flow, qualified, arguments)
    if result is not None:
        return result
    if signatures().forwards(qualified) and first is not None:
        return first
    if signatures().inspects(qualified):
        return _pure(flow, qualified, arguments)
    if qualified.startswith(ARRAY_MODULES):
        return array_function(flow, qualified, arguments)
    if qualified.partition(".")[0] in sys.stdlib_module_names:
        return flow.terms.fresh()
    return unknown(flow, Library(qualified), arguments)


def _pure(flow: Interpreter, qualified: str, arguments: Arguments) -> Value:
    """Return the term of a call that depends on nothing but its arguments."""
    terms = [as_term(flow, value) for value in arguments.values()]
    if qualified in ("jax.numpy.issubdtype", "jax.dtypes.issubdtype", "numpy.issubdtype"):
        _dtype_function(flow, qualified, arguments)
    return flow.terms.make("op", qualified, *terms)


def _dtype_function(flow: Interpreter, qualified: str, arguments: Arguments) -> None:
    """Look at numpy's ``issubdtype(key.dtype, …)``, which does not take a key's dtype."""
    value = arguments.get(0, "arg1")
    if isinstance(value, Metadata) and value.what == "dtype" and qualified.startswith("numpy.") and arguments.node:
        node, subject = arguments.node, value.subject
        observe.note(
            flow,
            value.term,
            "key",
            lambda c, k: facts.DtypeLogic(
                node=node, confidence=c, key=observe.spelled(subject), kind=k, form="numpy", subject=subject
            ),
        )


def array_function(flow: Interpreter, qualified: str, arguments: Arguments) -> Value:
    """Call a function of ``jax.numpy`` and the like: it consumes nothing, but it may look at a key's words."""
    name = qualified.rpartition(".")[2]
    first = arguments.positional[0][0] if arguments.positional else None
    if name in STACKING and isinstance(first, Sequence):
        return Sequence("stack", first.items, first.open)
    if name in STACKING and type(first) is int and name in ("array", "asarray"):
        return first
    if qualified.startswith(("jax.numpy.", "numpy.")) and arguments.node is not None and type(first) is int:
        rest = tuple(value for value, _ in arguments.positional[1:])
        result = observe.array_method(flow, first, name, rest, arguments.node) if arguments.node.args else None
        if result is not None:
            return result
        if name in ("issubdtype", "dtype", "shape", "ndim", "size"):
            return _pure(flow, qualified, arguments)
    if "issubdtype" in name:
        return _pure(flow, qualified, arguments)
    return flow.terms.make("op", (qualified, flow.terms.number()), *(as_term(flow, v) for v in arguments.values()))


def random_function(flow: Interpreter, row: LibraryFunction, arguments: Arguments) -> Value:
    """Call a function that a signature table describes parameter by parameter."""
    names = row.parameters + row.keywords
    number = flow.terms.number()

    def argument(name: str) -> tuple[Value | None, ast.expr | None]:
        position = names.index(name) if name in row.parameters else len(names) + 99
        return arguments.get(position, name), arguments.expression(position, name)

    for name in row.sinks:
        value, expression = argument(name)
        if value is not None:
            _sink(flow, row, value, expression, arguments, number)
    if row.seed:
        return _seed(flow, row, arguments, number)
    if row.derive:
        key = argument(row.parameters[0])[0]
        datum = argument(row.parameters[1])[0] if len(row.parameters) > 1 else None
        return (
            map_leaves(key, lambda term: _derive(flow, row, term, datum, arguments, number))
            if key is not None
            else number
        )
    if row.forwards:
        value = argument(row.forwards[0])[0]
        return _forward(flow, row, value) if value is not None else flow.terms.fresh()
    return flow.terms.fresh()


def _sink(
    flow: Interpreter,
    row: LibraryFunction,
    value: Value,
    expression: ast.expr | None,
    arguments: Arguments,
    number: int,
) -> None:
    if isinstance(value, Const):
        if type(value.value) is int and arguments.node is not None:
            flow.analysis.add(
                facts.SeedConfusion(
                    node=arguments.node,
                    confidence=Confidence.CERTAIN,
                    how="seed-as-key",
                    function=row.qualified,
                )
            )
        return
    for term in leaves(value):
        flow.knowledge.use(term)
    node = arguments.node or flow.site
    if node is None:
        return
    count = arguments.get(1, "num") if row.derive == "split" else None
    literal = 2 if count is None else count.value if isinstance(count, Const) and type(count.value) is int else None
    flow.consume(
        value,
        node=node,
        what=row.qualified,
        certainty=Certainty.KNOWN,
        draw="split" if row.derive == "split" else row.draw or row.qualified,
        key=expression,
        call=number,
        loop=arguments.loop,
        count=literal if row.derive == "split" else None,
    )


def _seed(flow: Interpreter, row: LibraryFunction, arguments: Arguments, number: int) -> Value:
    value = arguments.get(0, "seed")
    kind = KeyKind.RAW if row.seed == "raw" else KeyKind.TYPED
    if value is None:
        return flow.knowledge.seed(kind, number, flow.terms.fresh())
    node = arguments.node
    if type(value) is int and node is not None:
        origin = flow.knowledge.origins.get(value)
        if origin is not None and origin.rank == 0:
            flow.analysis.add(
                facts.SeedConfusion(
                    node=node,
                    confidence=Confidence.CERTAIN,
                    how="key-as-seed",
                    function=row.qualified,
                    key=observe.spelled(node.args[0]) if node.args else "",
                    kind=origin.kind,
                )
            )
    if node is not None and isinstance(value, Const) and type(value.value) is int:
        flow.analysis.literal_seed(flow, node, value.value, kind)
    return flow.knowledge.seed(kind, number, as_term(flow, value))


def _derive(
    flow: Interpreter, row: LibraryFunction, term: int, datum: Value | None, arguments: Arguments, number: int
) -> Value:
    knowledge = flow.knowledge
    if row.derive == "clone":
        return knowledge.clone(number, term)
    if row.derive == "fold_in":
        knowledge.use(term, knowledge.rank(term) or 0)
        child = knowledge.fold_in(term, as_term(flow, datum if datum is not None else flow.terms.fresh()))
        if arguments.node is not None:
            flow.derived(child, arguments)
        return child
    count = datum if datum is not None else Const(2)
    axes = len(count.items) if isinstance(count, Sequence) else 1
    return knowledge.split(number, term, as_term(flow, count), axes)


def _forward(flow: Interpreter, row: LibraryFunction, value: Value) -> Value:
    if row.unwrap:
        return map_leaves(value, lambda term: flow.terms.make("unwrap", None, term))
    if row.wrap:

        def wrapped(term: int) -> Value:
            if flow.terms.operation(term) == "unwrap":
                return flow.terms.args(term)[0]
            return flow.knowledge.seed(KeyKind.TYPED, ("wrap", term), term)

        return map_leaves(value, wrapped)
    return value


# builtins


def builtin(flow: Interpreter, name: str, arguments: Arguments) -> Value:
    """Call a builtin function."""
    values = [value for value, _ in arguments.positional]
    starred = any(is_starred for _, is_starred in arguments.positional)
    first = values[0] if values and not starred else None
    if name in ITERATORS and first is not None:
        start = [value for keyword, value in arguments.keywords if keyword == "start"]
        return Iteration(name, (*values, *start))
    if name in SAME_SEQUENCE:
        return first if first is not None else Sequence(name, ())
    if name == "dict" and not values:
        return Map(tuple((key, value) for key, value in arguments.keywords if key is not None))
    if name == "len" and type(first) is int and arguments.node is not None:
        return Metadata("len", first, arguments.node.args[0])
    if name == "len" and isinstance(first, Sequence) and not first.open:
        return Const(len(first.items))
    if name == "map" and first is not None:
        return higher_order.each(flow, first, values[1:], "map")
    if name in ("next", "super"):
        return flow.terms.fresh()
    if name == "getattr" and len(values) > 1 and isinstance(values[1], Const) and isinstance(values[1].value, str):
        return flow.get_attribute(values[0], values[1].value)
    if name in (
        "isinstance",
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
        return _pure(flow, name, arguments)
    if name == "print":
        return Const(None)
    return flow.terms.fresh()


# callables that nobody knows


def unknown(flow: Interpreter, function: Value, arguments: Arguments) -> Value:
    """Call something whose source is out of reach: keys that go in count as consumed, with less certainty."""
    node = arguments.node
    if node is None:
        return flow.terms.fresh()
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method:
        result = _method(flow, method, arguments)
        if result is not None:
            return result
    name = function.qualified if isinstance(function, Library) else ast.unparse(node.func)
    last = name.rpartition(".")[2]
    if last.startswith(ASKING_PREFIXES) or arguments.asks:
        return flow.terms.fresh()  # what asks about a key does not consume it
    constructor = last[:1].isupper() or last.lstrip("_")[:1].isupper()
    number = flow.terms.number()
    for value, expression in arguments.expressions():
        if isinstance(value, Const | Library | Function | Metadata):
            continue
        flow.consume(
            value,
            node=node,
            what=name,
            certainty=Certainty.CONSTRUCTOR if constructor else Certainty.UNKNOWN,
            key=expression,
            call=number,
            loop=arguments.loop,
        )
    return flow.terms.fresh()


def _method(flow: Interpreter, name: str, arguments: Arguments) -> Value | None:
    """Call a method of an object: containers, arrays and objects that keep what they get."""
    node = arguments.node
    assert node is not None
    values = tuple(value for value, _ in arguments.positional)
    receiver = arguments.owner
    if isinstance(receiver, Sequence):
        return _sequence_method(flow, receiver, name, values, arguments)
    if isinstance(receiver, Map):
        return _map_method(flow, receiver, name, values, arguments)
    if type(receiver) is int:
        result = observe.array_method(flow, receiver, name, values, node)
        if result is not None:
            return result
        if name in ("items", "values"):
            return Iteration(name, (receiver,))
        if name in ("replace", "_replace"):
            return _replaced(flow, receiver, arguments)
        if name not in KEEPING_METHODS:
            flow.forget(receiver)
    return flow.terms.fresh() if name in KEEPING_METHODS or name.startswith(("assert", "log_")) else None


def _replaced(flow: Interpreter, receiver: int, arguments: Arguments) -> Value:
    """Return a copy of a record with some fields changed."""
    changed = flow.terms.fresh()
    if receiver in flow.analysis.classes:
        flow.analysis.classes[changed] = flow.analysis.classes[receiver]
    for name, value in arguments.keywords:
        if name is not None:
            flow.set_attribute(changed, name, value)
    return changed


def _sequence_method(
    flow: Interpreter, receiver: Sequence, name: str, values: tuple[Value, ...], arguments: Arguments
) -> Value:
    variable = arguments.receiver
    changed: Sequence | None = None
    result: Value = Const(None)
    if name == "append" and values:
        changed = replace(receiver, items=(*receiver.items, values[0])) if not receiver.open else None
    elif name == "extend" and values and isinstance(values[0], Sequence) and not receiver.open:
        changed = replace(receiver, items=receiver.items + values[0].items, open=values[0].open)
    elif name == "pop" and not receiver.open and receiver.items:
        position = values[0].value if values and isinstance(values[0], Const) else -1
        if isinstance(position, int) and -len(receiver.items) <= position < len(receiver.items):
            items = list(receiver.items)
            result = items.pop(position)
            changed = replace(receiver, items=tuple(items))
    elif name in ("reshape", "transpose", "T"):
        return receiver
    elif name in ("index", "count", "sort", "reverse"):
        return flow.terms.fresh()
    if variable is not None and name in ("append", "extend", "pop", "insert", "remove", "clear"):
        flow.env.set(variable, changed if changed is not None else replace(receiver, open=True))
    return result if result != Const(None) else flow.terms.fresh()


def _map_method(flow: Interpreter, receiver: Map, name: str, values: tuple[Value, ...], arguments: Arguments) -> Value:
    if name in ("items", "values"):
        return Iteration(name, (receiver,))
    if name in ("get", "pop", "setdefault") and values and isinstance(values[0], Const):
        found = dict(receiver.items).get(values[0].value)
        if name == "pop" and arguments.receiver is not None:
            rest = tuple(item for item in receiver.items if item[0] != values[0].value)
            flow.env.set(arguments.receiver, Map(rest, receiver.open))
        if found is not None:
            return found
        return values[1] if len(values) > 1 and not receiver.open else flow.terms.fresh()
    if name == "update" and arguments.receiver is not None:
        items = dict(receiver.items)
        for value in values:
            if isinstance(value, Map):
                items.update(value.items)
        items.update({key: value for key, value in arguments.keywords if key is not None})
        flow.env.set(arguments.receiver, Map(tuple(items.items()), True))
    return flow.terms.fresh()


def reuse_confidence(certainties: tuple[Certainty, Certainty]) -> Confidence:
    """Return how sure a reuse is whose key is known to be one."""
    lowest = min(certainties)
    if lowest == Certainty.KNOWN:
        return Confidence.CERTAIN
    return Confidence.LIKELY if lowest == Certainty.UNKNOWN else Confidence.POSSIBLE
