"""Python's own functions: ``zip``, ``enumerate``, ``len``, ``super`` and others."""

from __future__ import annotations

from collections.abc import Callable

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.keyflow.domain.access import DICTIONARY, REST, dictionary, element, leaves
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Class,
    Const,
    Function,
    Iteration,
    Library,
    Map,
    Metadata,
    Sequence,
    Super,
    Value,
)
from olympus_rules.keyflow.interpret import arrays, containers, higher_order, operators, rows, type_tests
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import layout, lossy
from olympus_rules.keyflow.notes.pending import passes_by, passes_value

PURE = frozenset({"abs", "issubclass", "callable", "hasattr", "bool", "type", "len", "int", "float", "str"})
MAX_LETTERS = 32  # of a text that are mapped one by one


def builtin(flow: Flow, name: str, arguments: Arguments) -> Value:
    """Call a builtin function."""
    call = BUILTINS.get(name)
    found = None if call is None else call(flow, name, arguments)
    if found is None:
        return arrays.pure(flow, name, arguments) if name in PURE else flow.terms.fresh()
    return found


def _values(arguments: Arguments) -> list[Value]:
    return [value for value, _ in arguments.positional]


def _first(arguments: Arguments) -> Value | None:
    """Return the first argument, ``None`` if there is none, or if a star makes it unknown which one that is."""
    known = bool(arguments.positional) and not any(is_starred for _, is_starred in arguments.positional)
    return arguments.positional[0][0] if known else None


def _hash(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    first = _first(arguments)
    return None if first is None else lossy.hashed(flow, first, arguments.node)


def _number(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    return operators.converted(name, arguments.values())


def _iteration(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    start = [value for keyword, value in arguments.keywords if keyword == "start"]
    return None if _first(arguments) is None else Iteration(name, (*_values(arguments), *start))


def _sequence(flow: Flow, name: str, arguments: Arguments) -> Value:
    passes_by(flow, flow.terms.const("container"), arguments.node)  # its value may stand for the array
    first = _first(arguments)
    return containers.spread(flow, first, name) if first is not None else Sequence(name, ())


def _dict(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    first = _first(arguments)
    if isinstance(first, Iteration) and first.kind == "zip" and len(first.parts) == 2:
        return _zipped(flow, *first.parts)
    given = tuple((key, value) for key, value in arguments.keywords if key is not None)
    if not isinstance(first, Map | Term):
        return None if arguments.positional else Map(given)
    return dictionary(flow, ((REST, first), *given))


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


def _length(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    value = _first(arguments)
    if value is None:
        return None
    if arguments.node is not None and arguments.node.args:
        if isinstance(value, Term):
            return layout.length(flow, containers.elements(flow, value), arguments.node)
        passes_value(flow, value, arguments.node.args[0])
        if isinstance(value, Metadata) and value.what == "shape":
            return Metadata("ndim", value.term, value.subject)
    if isinstance(value, Const) and isinstance(value.value, str):
        return Const(len(value.value))
    return Const(len(value.items)) if isinstance(value, Sequence) and not value.open else None


def _map(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    first, mapped = _first(arguments), _values(arguments)[1:]
    if first is None:
        return None
    match mapped:
        case [Const(value=str() as text)] if len(text) <= MAX_LETTERS:
            letters = higher_order.each(flow, first, mapped, "map", arguments.node, turns=len(text))
            return Sequence("list", letters.items)
    return higher_order.each(flow, first, mapped, "map", arguments.node)


def _of_letters(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    """Return the number of a known letter, or the sum of known numbers."""
    match name, _first(arguments):
        case "ord", Const(value=str() as letter) if len(letter) == 1:
            return Const(ord(letter))
        case "sum", Sequence(items=items, open=False) if len(arguments.positional) == 1:
            numbers = [item.value for item in items if isinstance(item, Const) and type(item.value) is int]
            return Const(sum(numbers)) if len(numbers) == len(items) else None
    return None


def _super(flow: Flow, name: str, arguments: Arguments) -> Value:
    """Return ``super()`` of a method; in an inner function, that of the method around it."""
    values = _values(arguments)
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


def _static_method(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    first = _first(arguments)
    return first if isinstance(first, Function | Library) else None


def _type(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    first = _first(arguments)
    class_ = flow.file.classes.get(first) if isinstance(first, Term) and len(arguments.positional) == 1 else None
    return None if class_ is None else Class(class_)


def _next(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    first = _first(arguments)
    return rows.generated(flow, first, arguments, "__next__") if isinstance(first, Term) else None


def _get_attribute(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    match _values(arguments):
        case [owner, Const(value=str() as attribute), *_]:
            return flow.attribute(owner, attribute)
    return None


def _has_attribute(flow: Flow, name: str, arguments: Arguments) -> Value | None:
    owner, attribute = _first(arguments), arguments.positional[-1][0] if arguments.positional else None
    if isinstance(owner, Library) and isinstance(attribute, Const):
        known = flow.file.describes(f"{owner.qualified}.{attribute.value}")
        return Const(True) if known else None  # the other branch is for older releases
    return None


def _type_test(flow: Flow, name: str, arguments: Arguments) -> Value:
    """Return the term of a call of ``isinstance``, and note the class of the project that it asks for."""
    subject, asked = arguments.get(0, ""), arguments.get(1, "")
    known = None if subject is None or asked is None else type_tests.answer(flow, subject, asked)
    if known is not None:
        return known
    test = arrays.pure(flow, name, arguments)
    if isinstance(test, Term) and isinstance(subject, Term) and isinstance(asked, Class | Library):
        class_ = flow.linker.hierarchy.known_class(asked)
        if class_ is not None:
            flow.file.type_tests[test] = (subject, class_)
    return test


BUILTINS: dict[str, Callable[[Flow, str, Arguments], Value | None]] = {
    **dict.fromkeys(("range", "zip", "enumerate", "reversed"), _iteration),
    **dict.fromkeys(("list", "tuple", "iter", "sorted", "set", "frozenset"), _sequence),
    **dict.fromkeys(operators.NUMBERS, _number),
    "dict": _dict,
    "hash": _hash,
    "len": _length,
    "map": _map,
    "ord": _of_letters,
    "sum": _of_letters,
    "super": _super,
    "staticmethod": _static_method,
    "type": _type,
    "next": _next,
    "getattr": _get_attribute,
    "hasattr": _has_attribute,
    "isinstance": _type_test,
    "print": lambda *_: Const(None),
}
"""What a call gives, ``None`` for nothing known."""
