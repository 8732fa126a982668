"""What a framework folds into the keys that it is given, as terms: equal children are drawn if it folds in the same.

A module derives its streams from a key by its own path, the name of a stream and a count. None of these depends on
the other arguments, so two calls of one method of one module, or of two equal modules, draw the same bits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain.access import as_term, guarded_leaves, leaves
from olympus_rules.keyflow.domain.arguments import Arguments, parts
from olympus_rules.keyflow.domain.consumption import consume, drawn
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Bound, Function, Map, Value
from olympus_rules.keyflow.facts import Place
from olympus_rules.keyflow.interpret import callees, lifted, made_objects
from olympus_rules.keyflow.interpret.flow import Flow

METHOD = "method"  # the argument that names another method of the module
INITIALISING = "init"
"""Methods of this name, and longer ones, give the parameters that one key gives."""
DEFAULT = "params"  # the stream from which a module takes keys if the one that it asks for is missing


def fold(flow: Flow, name: str, function: Value, arguments: Arguments, use: Consumption, value: Value) -> None:
    """Record that a method of a module folds something into an argument, or into each key of a dictionary of streams.

    Args:
        flow: where the call is.
        name: the name of the method.
        function: the method, as far as known.
        arguments: the arguments of the call.
        use: the consumption of the argument.
        value: the argument.
    """
    assert arguments.node is not None
    use.draw, use.certainty = "fold", Certainty.DOUBTFUL
    what = INITIALISING if name.startswith(INITIALISING) else name
    owner, place_of_method = _module(flow, function, arguments), None
    if (several := of_several(flow, function)) is not None:
        what, owner, place_of_method = several
    are_streams = any(keyword in flow.file.streams and each is value for keyword, each in arguments.keywords)
    given = arguments if owner is None else _by_name(flow, owner, arguments, value)
    is_off = owner is None or made_objects.is_silent(flow, owner) or callees.evaluates(given, name)
    if owner is None or is_off or not (are_streams or what == INITIALISING or _draws(flow, owner, place_of_method)):
        for _, part, expression in _streams(flow, value, use.key):
            consume(flow, part, replace(use, key=expression))
        return
    module = made_objects.structure(flow, owner)
    if module in flow.file.applied:  # such a module splits its key into a key for each draw, whatever it does
        use.draw, use.certainty = "split", Certainty.UNKNOWN
    other = next((_method(flow, each) for keyword, each in arguments.keywords if keyword == METHOD), ())
    asked = _asked_at_once(flow, owner, other)
    streams = {str(name) for name, _ in value.items} if isinstance(value, Map) else set[str]()
    for stream, part, expression in _streams(flow, value, use.key):
        place, is_layer = Place(arguments.node, use.what, expression), what != INITIALISING
        is_key = any(flow.knowledge.is_candidate(term) for term in leaves(part))
        if (are_streams and isinstance(value, Map)) or (is_key and is_layer and module in flow.file.applied):
            _begun(flow, part, place, arguments)
        elif is_key:
            drawn(flow, part, place, is_layer=is_layer, arguments=arguments)
        is_shared = len(asked) > 1 and stream in asked  # two such streams are two consumers, which get the same
        call, label = (flow.terms.number(), "+".join(sorted(asked))) if is_shared else (use.call, stream)
        if stream == DEFAULT and len(asked) == 1 and asked.isdisjoint(streams):
            (label,) = asked
        folded = flow.terms.make("op", ("fold", what, label), module, *other)
        consume(flow, part, replace(use, key=expression, folded=folded, call=call))


def _asked_at_once(flow: Flow, module: Term, other: tuple[Term, ...]) -> set[str]:
    """Return the streams from which one method of a module takes keys, itself and whatever happens.

    A stream's name is no part of what it gives.
    """
    class_ = flow.file.classes.get(module)
    name = flow.terms.constant(other[0]) if other else "__call__"
    code = None if class_ is None or not isinstance(name, str) else flow.linker.hierarchy.method(class_, name)
    nodes = [] if code is None or not code.parameters else list(ast.walk(code.node))
    if code is None or any(isinstance(node, ast.If | ast.IfExp) for node in nodes):
        return set()
    found = set[str]()
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr), args=[ast.Constant(value=stream)]):
                if owner == code.parameters[0] and attr in flow.file.giving:
                    found.add(str(stream))
    return found


def _by_name(flow: Flow, module: Term, arguments: Arguments, key: Value) -> Arguments:
    """Return the arguments of a call with names for those that a module's function gets after its key."""
    code = flow.file.applied.get(made_objects.structure(flow, module))
    values = [value for value, _ in arguments.positional]
    if code is None or key not in values:
        return arguments
    named = zip(code.parameters, values[values.index(key) + 1 :], strict=False)
    return replace(arguments, keywords=(*arguments.keywords, *named))


def of_several(flow: Flow, function: Value) -> tuple[str, Term, object] | None:
    """Return what is called where a module has several methods of one name, as ``model.apply[0]``.

    Returns:
        The name, the module and the place of the method among them; ``None`` for any other callee.
    """
    terms = flow.terms
    if not isinstance(function, Term) or terms.operation(function) != "item":
        return None
    methods, place = terms.args(function)
    if terms.operation(methods) != "attr" or terms.data(methods)[0] not in flow.file.folding_methods:
        return None
    module = terms.args(methods)[0]
    is_made = made_objects.structure(flow, module) in flow.file.applied
    return (terms.data(methods)[0], module, terms.constant(place)) if is_made else None


def _draws(flow: Flow, module: Term, place: object = None) -> bool:
    """Return whether the function of a module draws, or what it names in this file does.

    What it draws depends on the key alone, unless it reads a state that changes from call to call.

    Args:
        flow: where the function is called.
        module: the module.
        place: which of the functions that this function returns is called; ``None`` for a call of itself.
    """
    code = flow.file.applied.get(made_objects.structure(flow, module))
    node = None if code is None else code.node if place is None else _returned(flow, code, place)
    named = set[str]() if node is None else lifted.names(node)
    definitions = flow.file.module.definitions
    used = lifted.reached(flow, *(definitions[name] for name in named & definitions.keys()))
    named = named.union(*(lifted.names(each.node) for each in used))
    return flow.file.states.isdisjoint(named) and not flow.file.drawing.isdisjoint(named)


def _returned(flow: Flow, code: FunctionCode, place: object) -> ast.AST | None:
    """Return one of the functions that a function returns for a module with several methods: ``init, (one, other)``."""
    returns = [node.value for node in ast.walk(code.node) if isinstance(node, ast.Return)]
    for value in [code.node.body] if isinstance(code.node, ast.Lambda) else returns:
        match value:
            case ast.Tuple(elts=[_, ast.Tuple(elts=parts)]) if type(place) is int and place < len(parts):
                name = dotted_name(parts[place]).rpartition(".")[2]
                nodes = (node for each in lifted.reached(flow, code) for node in ast.walk(each.node))
                found = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name]
                return found[0] if len(found) == 1 else parts[place]
    return None


def _begun(flow: Flow, value: Value, place: Place, arguments: Arguments) -> None:
    """Record that a stream of a module begins with a key, which therefore is one."""
    for path, term in guarded_leaves(flow, value):
        flow.knowledge.use(term, path=path)
    drawn(flow, value, place, is_layer=True, arguments=arguments)


def _method(flow: Flow, value: Value) -> tuple[Term]:
    """Return the name of another method, however it is given."""
    while isinstance(value, Bound):
        value = value.function
    if isinstance(value, Function):
        return (flow.terms.const(value.code.name.rpartition(".")[2]),)
    term = as_term(flow, value)
    return (flow.terms.const(flow.terms.data(term)[0]) if flow.terms.operation(term) == "attr" else term,)


def _module(flow: Flow, function: Value, arguments: Arguments) -> Term | None:
    """Return the module whose method is called, ``None`` if the method is a function."""
    owner = arguments.owner
    if isinstance(function, Term) and flow.terms.operation(function) == "attr":
        owner = flow.terms.args(function)[0]  # jax.jit(model.apply)(…), or what a copy shares with its original
    return None if owner is None else as_term(flow, owner)


def _streams(flow: Flow, value: Value, expression: ast.expr | None) -> Iterator[tuple[str, Value, ast.expr | None]]:
    """Yield the keys of an argument, each with the name of its stream if they are in a dictionary."""
    if not isinstance(value, Map):
        yield "", value, expression
        return
    for (name, _), (part, written) in zip(value.items, parts(value, expression), strict=True):
        if name not in flow.file.undrawn:
            yield str(name), part, written
