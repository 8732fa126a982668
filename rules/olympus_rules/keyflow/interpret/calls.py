"""Calls: of functions of this file, of library functions, and of unknown callables."""

from __future__ import annotations

from dataclasses import replace

from olympus_rules.code.instructions import ClassCode, FunctionCode
from olympus_rules.keyflow.domain.access import CALLABLE, as_term, choose
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.ledger import UNKNOWN_DRAW, Certainty
from olympus_rules.keyflow.domain.linker import NOTHING
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import (
    Bound,
    Choice,
    Class,
    Const,
    Function,
    Library,
    Mapped,
    Partial,
    Value,
)
from olympus_rules.keyflow.interpret import application, counting, higher_order, library, made_objects, rates
from olympus_rules.keyflow.interpret.callees import is_abstract
from olympus_rules.keyflow.interpret.defaults import supposed
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.lanes import report_compiled
from olympus_rules.keyflow.interpret.unknown import unknown

KEEPING_DECORATORS = (".setter", ".getter", ".register", ".fixture", ".property", "cached_property")


def call(flow: Flow, function: Value, arguments: Arguments) -> Value:
    """Return the result of a call and record what it consumes."""
    if isinstance(function, Choice):
        return _choice(flow, function, arguments)
    arrays = flow.arrays
    if isinstance(function, Library):
        result = library.call_library(flow, function.qualified, arguments)
        return result if arrays is None else arrays.called(flow, function, arguments, result)
    if isinstance(function, Function):
        if function.traced and arrays is not None:
            arrays.crossing(flow, function, arguments)
        before = len(flow.events.draws), len(flow.terms.parts)
        result = application.apply(flow, function, arguments)
        if function.traced:
            report_compiled(flow, function, arguments, before)
        return result
    if isinstance(function, Bound) and isinstance(function.function, Function) and is_abstract(function.function.code):
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
    if isinstance(function, Term) and function in flow.file.classes:
        code = flow.linker.hierarchy.method(flow.file.classes[function], "__call__")
        if code is not None:
            return _run(flow, function, Bound(flow.file.function(code), function), arguments)
    if isinstance(function, Term) and application.concerns_keys(flow, arguments):
        held = _held(flow, function)
        if held is not None:
            return _run(flow, function, held, arguments)
    if isinstance(function, Term):
        if made_objects.is_silent(flow, function):
            return flow.terms.fresh()
        if arguments.node is not None:
            made_objects.used(flow, function, arguments.node, arguments.loop)
        return _part(flow, function, arguments)
    return unknown(flow, function, arguments)


def _part(flow: Flow, function: Term, arguments: Arguments) -> Value:
    """Call a callable out of reach, which may draw from the state of the object that it is a part of."""
    method = made_objects.called(flow, function)
    if flow.file.counting and counting.switched(flow, function, arguments):
        return Const(None)
    holder = counting.drawn(flow, function, arguments)
    if method is None:
        result = unknown(flow, function, arguments)
    else:
        path = rates.drawing(flow, function, method.qualified.removesuffix(made_objects.CALL))
        result = flow.terms.fresh() if path is None else _under(flow, path, method, arguments)
    if holder is not None:
        counting.advance(flow, holder)
    return result


def _under(flow: Flow, path: PathCondition, method: Value, arguments: Arguments) -> Value:
    """Call what draws under a condition only."""
    outer, joined = flow.path, both(flow.path, path)
    if joined is None:
        return flow.terms.fresh()
    flow.path = joined
    result = call(flow, method, arguments)
    flow.path = outer
    return result


def _held(flow: Flow, function: Term) -> Value | None:
    """Return the callable in an attribute of an object of a known class, or the method that calls an object."""
    owner = flow.terms.args(function)[0] if flow.terms.operation(function) == "attr" else None
    class_ = None if owner is None else class_of(flow.file, owner)
    if owner is not None and class_ is not None:  # self.layer(x, key=key)
        name = flow.terms.data(function)[0]
        kept = flow.linker.hierarchy.held_callables(class_, name, owner) or _given(flow, owner, name)
        kept = kept or _idle_implementations(flow, class_, name, owner)
        if kept:
            return choose(flow, [(ALWAYS, value) for value in kept])
    if class_of(flow.file, function) is None and flow.terms.operation(function) == "item":
        listed = {flow.file.classes.get(as_term(flow, each)) for each in rates.objects(flow, function)}
        if len(listed) == 1 and (found := listed.pop()) is not None:
            flow.file.annotated[function] = found
    called = None if class_of(flow.file, function) is None else flow.attribute(function, "__call__")
    return None if isinstance(called, Term) else called


def _run(flow: Flow, instance: Term, method: Value, arguments: Arguments) -> Value:
    """Call an object; that it takes keys is doubtful if it only splits them and all its rates are left at 0."""
    before = len(flow.ledger.consumptions)
    result = call(flow, method, arguments)
    uses = flow.ledger.consumptions[before:]
    if {use.draw for use in uses} - {UNKNOWN_DRAW} == {"split"} and rates.are_left(flow, instance):
        for use in uses:
            use.certainty = Certainty.DOUBTFUL
    return result


def _given(flow: Flow, owner: Term, name: str) -> list[Value]:
    """Return the callable that a constructor put in a field of an object that an attribute or a variable holds."""
    value = dict(flow.file.held.get(owner, NOTHING).given).get(name)
    if flow.terms.operation(owner) == "free":
        scope, variable = flow.terms.data(owner)
        variables = flow.file.environments.get(scope)
        value = None if variables is None else variables.get((variables.get(variable), name, 0))
    found = supposed(flow.file, value)
    return [] if found is None else [found]


def _idle_implementations(flow: Flow, class_: ClassCode, name: str, owner: Term) -> list[Value]:
    """Return one of the methods of subclasses to which a class leaves it, if none does anything with keys.

    Wrappers that only ask each other show nothing: one that is being interpreted may be idle, and another one has to.
    """
    own = flow.linker.hierarchy.method(class_, name)
    if own is None or not is_abstract(own):
        return []
    methods = flow.linker.hierarchy.implementations(class_, name, elsewhere=True)
    found: list[Value] = []
    for method in methods:
        is_idle = _is_idle(flow, method)
        if is_idle is False:
            return []
        if is_idle:
            found = [Bound(flow.file.function(method), owner)]
    return found


def _is_idle(flow: Flow, method: FunctionCode) -> bool | None:
    """Return whether a method does nothing with keys, ``None`` while it is being interpreted."""
    reached = flow.linker.lookups.reach(Function(method), concerned=True)
    if reached is None or method.kind != "method":
        return False
    summary = flow.linker.summariser.summary(reached.code)
    if summary is None:
        return None
    return not (summary.uses or summary.writes or summary.says_something(flow.terms))


def _partial(flow: Flow, function: Partial, arguments: Arguments) -> Value:
    keywords: dict[str | None, Value] = dict(function.keywords)
    keywords.update(arguments.keywords)
    complete = replace(
        arguments,
        positional=(*((value, False) for value in function.args), *arguments.positional),
        keywords=tuple(keywords.items()),
    )
    return call(flow, function.function, complete)


def _choice(flow: Flow, function: Choice, arguments: Arguments) -> Value:
    results: list[tuple[PathCondition, Value]] = []
    ended: list[bool | None] = []
    number = flow.terms.number()
    for arm, (path, part) in enumerate(flow.arms(function)):
        before = len(flow.ledger.consumptions)
        results.append((path, call(flow, part, arguments)))
        for use in flow.ledger.consumptions[before:]:  # with many arms, their paths need not be exclusive
            use.arms = (*use.arms, (number, arm))
        ended.append(flow.ended)
        flow.ended = None
    if ended and None not in ended:
        flow.ended = all(ended)
    return choose(flow, results)


def decorate(flow: Flow, decorator: Value, function: Value) -> Value:
    """Return the decorated function: what a decorator of the project makes of it, else the same to a caller.

    A decorator of a library of which nothing is known makes it doubtful.
    """
    if isinstance(decorator, Library):
        if decorator.qualified.endswith(KEEPING_DECORATORS):
            return function
        result = higher_order.transform(flow, decorator.qualified, function, positional())
        if result is not None:
            return result
        made = flow.file.table.get(decorator.qualified).returns
        if made is not None:
            return Library(made)
        found = flow.linker.lookups.outside(decorator.qualified, concerned=True)
        if found is not None and not isinstance(found, Term) and found != decorator:
            return decorate(flow, found, function)
    if _is_of_project(flow, decorator):
        return _applied(flow, decorator, function)
    if isinstance(decorator, Partial):
        result = call(flow, decorator, positional(function))
        if not isinstance(result, Term):
            return result
    return replace(function, doubtful=True) if isinstance(function, Function) else function


def _is_of_project(flow: Flow, decorator: Value) -> bool:
    """Return whether a decorator is a callable whose source is in reach."""
    while isinstance(decorator, Bound | Mapped | Partial):
        decorator = decorator.function
    return isinstance(decorator, Class | Function) or decorator in flow.file.classes


def _applied(flow: Flow, decorator: Value, function: Value) -> Value:
    """Return what a decorator of the project makes of a function; an unknown callable if that is not known."""
    made = call(flow, decorator, positional(function))
    if isinstance(made, Term) and made in flow.file.classes:
        return _call_method(flow, made) or flow.terms.fresh()
    parts = [part for _, part in made.arms] if isinstance(made, Choice) else [made]
    return made if all(isinstance(part, CALLABLE) for part in parts) else flow.terms.fresh()


def _call_method(flow: Flow, instance: Term) -> Bound | None:
    """Return what a call of an object runs, with the callables that the object holds: the decorated function."""
    method = flow.linker.hierarchy.method(flow.file.classes[instance], "__call__")
    function = None if method is None else flow.file.function(method)
    if method is None or not isinstance(function, Function) or not method.positional:
        return None
    held = {
        name[1]: value
        for name, value in flow.env.values.items()
        if isinstance(name, tuple) and name[0] == instance and isinstance(value, CALLABLE)
    }
    slots = tuple(((method, f"{method.parameters[0]}.{name}"), value) for name, value in held.items())
    return Bound(replace(function, captured=(*function.captured, *slots)), instance)
