"""Calls of functions and methods that a signature pack describes parameter by parameter."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import replace

from olympus_rules.code.names import dotted_name
from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import as_term, choose, guarded_leaves, leaves, map_leaves, operand_term
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.consumption import consume, derived, drawn
from olympus_rules.keyflow.domain.ledger import Certainty, Consumption
from olympus_rules.keyflow.domain.spreading import spread
from olympus_rules.keyflow.domain.terms import HIDDEN, Term
from olympus_rules.keyflow.domain.values import Choice, Const, Library, Sequence, Value
from olympus_rules.keyflow.facts import KeyKind, Place
from olympus_rules.keyflow.interpret import counting, made_objects
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import boundaries, lossy
from olympus_rules.keyflow.notes import pending as notes
from olympus_rules.keyflow.notes.annotated import is_declared_text
from olympus_rules.libraries import LibraryFunction
from olympus_rules.libraries.names import CHOICE

ON_LANES = (made_objects.CALL, ".step")  # the rows of layers, and of samplers, which lanes call on data of their own
OF_DISTRIBUTIONS = ("sample", "rsample", "sample_and_log_prob")  # methods of objects that lanes have of their own
ANY = "*"  # among the keywords of a row: the function takes any


def random_function(flow: Flow, row: LibraryFunction, arguments: Arguments) -> Value:
    """Call a function or method that a signature pack describes parameter by parameter."""
    number = flow.terms.number()
    if ANY in row.keywords:
        row = _with_keywords(row, arguments)
    arguments = spread(flow, arguments, row.parameters, (*row.sinks, *row.folds))
    is_off = not made_objects.is_class(row.qualified) and made_objects.is_turned_off(row, arguments)
    node = arguments.node or flow.site
    for name in row.sinks + row.folds if not is_off else ():
        value, expression = _argument(row, name, arguments)
        if value is not None and row.raw:
            boundaries.given(flow, row.qualified, value, expression, arguments.node)
        if value is not None:
            _sink(flow, row, name, arguments, number)
    for name in row.advances:
        if (state := _argument(row, name, arguments)[0]) is not None:
            counting.advanced(flow, row, state, arguments)
    if row.instead and not is_off and node is not None and not _is_given(row, arguments):
        drawn(flow, flow.knowledge.made(how=HIDDEN), Place(node, row.qualified, None))  # a handler gives it a key
    if row.seed:
        return _seed(flow, row, arguments, number)
    if row.makes or row.gives:
        return _made(flow, row, arguments, number)
    if row.derive:
        key = _argument(row, row.parameters[0], arguments)[0]
        datum = _argument(row, row.parameters[1], arguments)[0] if len(row.parameters) > 1 else None
        if key is None:
            return flow.terms.fresh()
        return _each_arm(flow, key, lambda term: _derive(flow, row, term, datum, arguments, number))
    if row.forwards:
        value = _argument(row, row.forwards[0], arguments)[0]
        return _forward(flow, row, value) if value is not None else flow.terms.fresh()
    returns = flow.file.table.get(row.qualified).returns
    if returns is not None and not made_objects.is_given(flow, row, arguments):
        return Library(returns)
    if row.advances:
        return flow.terms.fresh()  # another state at each call, also in a function that is called twice
    is_rated = any(_argument(row, name, arguments)[0] is not None for name in made_objects.rates(row))
    result = flow.make("fresh", ("", number)) if is_rated else flow.terms.make("op", (row.qualified, number))
    if row.keeps or row.holds or made_objects.is_class(row.qualified):
        made_objects.make(flow, row.qualified, result, arguments)
        counting.begin(flow, result, arguments)
    return result


def _is_given(row: LibraryFunction, arguments: Arguments) -> bool:
    """Return whether a call gives any key for which its row asks."""
    return any(_argument(row, name, arguments)[0] not in (None, Const(None)) for name in row.sinks)


def _with_keywords(row: LibraryFunction, arguments: Arguments) -> LibraryFunction:
    """Return a row of a function that takes any keywords, with those that a call gives."""
    given = tuple(name for name, _ in arguments.keywords if name is not None and name not in row.parameters)

    def expanded(names: tuple[str, ...]) -> tuple[str, ...]:
        return (*(name for name in names if name != ANY), *given) if ANY in names else names

    return replace(row, keywords=given, sinks=expanded(row.sinks), folds=expanded(row.folds), seeds=expanded(row.seeds))


def method(flow: Flow, function: Term, arguments: Arguments) -> Value | None:
    """Call a method of a library's objects, ``None`` if the keys are not the arguments that its row names.

    Only the name of the method is known, so a row applies if the keys among the arguments are exactly the arguments
    that it names.
    """
    name = flow.terms.data(function)[0] if flow.terms.operation(function) == "attr" else ""
    if name in flow.file.folding_methods or name in flow.file.inspecting_methods:
        return None  # a method of another library
    rows = flow.file.method_rows.get(name, ())
    fresh = next((row for row in rows if row.makes), None)
    if fresh is not None:
        return random_function(flow, fresh, arguments)
    keys = [value for value in arguments.values() if _may_be_key(flow, value)]
    for row in rows:
        given = [_argument(row, parameter, arguments)[0] for parameter in (*row.sinks, *row.folds, *row.inspects)]
        is_seeded = any(_is_number(_argument(row, parameter, arguments)[0]) for parameter in row.seeds)
        taken = [value for value in given if value is not None and _may_be_key(flow, value)]
        if (keys or is_seeded) and keys == taken:
            return random_function(flow, row, arguments)
    return None


def generated(flow: Flow, function: Term, arguments: Arguments, method: str = "__call__") -> Value | None:
    """Return the key, or the keys, that a generator of keys gives, ``None`` for any other callee.

    Args:
        flow: where the call is.
        function: the callee, an object or a method of one.
        arguments: the arguments of the call.
        method: the special method that a call of an object calls.
    """
    row = flow.file.generators.get(function)
    if row is None and flow.terms.operation(function) == "attr":
        (function,), method = flow.terms.args(function), flow.terms.data(function)[0]
        row = flow.file.generators.get(function)
    if row is None:
        return None
    model = flow.file.table.get(f"{row.qualified}.{method}")
    if model.counting == "updated":
        return counting.put(flow, function, arguments)
    if model.row is None and method not in row.gives:
        return None
    counting.taken(flow, function, arguments)
    return flow.knowledge.made() if model.row is None else random_function(flow, model.row, arguments)


def _argument(row: LibraryFunction, name: str, arguments: Arguments) -> tuple[Value | None, ast.expr | None]:
    """Return an argument by the name of its parameter, with its expression."""
    position = row.parameters.index(name) if name in row.parameters else sys.maxsize
    return made_objects.argument(row, name, arguments), arguments.expression(position, name)


def _may_be_key(flow: Flow, value: Value) -> bool:
    return not isinstance(value, Const) and any(flow.knowledge.is_candidate(term) for term in leaves(value))


def _is_number(value: Value | None) -> bool:
    return isinstance(value, Const) and type(value.value) is int


def _made(flow: Flow, row: LibraryFunction, arguments: Arguments, number: int) -> Value:
    """Return the key, the array of keys or the generator of keys that a library makes from hidden state."""
    if row.gives:
        generator = flow.terms.make("fresh", ("", number))
        flow.file.generators[generator] = row
        counting.begin(flow, generator, arguments, row)
        return generator
    key = flow.knowledge.made(KeyKind.RAW if row.raw else KeyKind.UNKNOWN, "" if row.method else HIDDEN)
    if row.makes == "key":
        return key
    count = _argument(row, row.parameters[0], arguments)[0] if row.parameters else None
    return flow.knowledge.split(number, key, flow.terms.fresh() if count is None else as_term(flow, count), 1)


def _each_arm(flow: Flow, value: Value, function: Callable[[Term], Value]) -> Value:
    """Apply a function to each term in a value, under the condition of its arm."""
    if not isinstance(value, Choice):
        return map_leaves(value, function)
    return choose(flow, [(path, map_leaves(part, function)) for path, part in flow.arms(value)])


def _draw(row: LibraryFunction, arguments: Arguments) -> str:
    """Return which bits of the key a call draws; the table holds for default arguments."""
    if row.qualified == CHOICE:
        if arguments.get(4, "p") not in (None, Const(None)):
            return "bits"
        if arguments.get(3, "replace") not in (None, Const(True)):
            return "split(_, bits)"
    return "call" if row.method else row.draw or row.qualified


def _sink(flow: Flow, row: LibraryFunction, name: str, arguments: Arguments, number: int) -> None:
    """Consume the argument for a parameter in the call with this number."""
    value, expression = _argument(row, name, arguments)
    assert value is not None
    only_keys = name not in row.seeds and not row.method
    if only_keys:
        confused(flow, value, row.qualified, arguments.node)
    if (isinstance(value, Const) and name not in row.seeds) or _is_generator(flow, row, name, value, expression):
        return
    for path, term in guarded_leaves(flow, value):
        if only_keys or ((row.method or _is_called_key(row, expression)) and term in flow.knowledge.named):
            flow.knowledge.use(term, path=path)
    node = arguments.node or flow.site
    if node is None:
        return
    count = arguments.get(1, "num") if row.derive == "split" else None
    literal = 2 if count is None else count.value if isinstance(count, Const) and type(count.value) is int else None
    use = Consumption(
        node,
        ast.unparse(node.func) if row.method and isinstance(node, ast.Call) else row.qualified,
        _certainty(row, name, arguments),
        flow.path,
        draw="fold" if name in row.folds else "split" if row.derive == "split" else _draw(row, arguments),
        key=expression,
        call=number if name in row.sinks else flow.terms.number(),  # two streams of one call are two consumers
        loop=arguments.loop,
        count=literal if row.derive == "split" else None,
        taken=_taken(flow, arguments.node) if row.derive == "split" else None,
        sampler="" if row.derive or row.method else row.qualified,
        folded=flow.terms.make("op", ("fold", row.qualified)) if name in row.folds else None,
    )
    for key in made_objects.seeded(flow, row, name, value, node):
        consume(flow, key, replace(use))
    consume(flow, value, use)
    if row.derive != "split":
        is_layer = row.qualified.endswith(ON_LANES)
        beside = arguments if is_layer else None
        if row.method and row.qualified in OF_DISTRIBUTIONS and arguments.owner is not None:
            is_layer, beside = True, positional(made_objects.structure(flow, arguments.owner))
        drawn(flow, value, Place(node, row.qualified, expression), is_layer=is_layer, arguments=beside)


def _taken(flow: Flow, split: ast.Call | None) -> frozenset[int] | None:
    """Return the numbers of the children that are taken of a split where it stands, ``None`` for all of them."""
    parent = None if split is None else flow.file.document.parents.get(split)
    match parent:
        case ast.Subscript(value=array, slice=ast.Constant(value=int(number))) if array is split and number >= 0:
            return frozenset({number})
        case ast.Assign(targets=[ast.Tuple(elts=parts)]) if all(isinstance(part, ast.Name) for part in parts):
            left = "" if "_" in flow.code.reads else "_"
            return frozenset(number for number, part in enumerate(parts) if getattr(part, "id", "") != left)
    return None


def _is_generator(flow: Flow, row: LibraryFunction, name: str, value: Value, expression: ast.expr | None) -> bool:
    """Return whether a generator of keys stands where a key is taken: a layer is given one, if no key is in sight."""
    if not isinstance(value, Term):
        return False
    takes_either = name in row.seeds and row.qualified.endswith(made_objects.CALL)
    may_be = takes_either and not flow.knowledge.is_known(value) and not _is_called_key(row, expression)
    return value in flow.file.generators or may_be


def _is_called_key(row: LibraryFunction, argument: ast.expr | None) -> bool:
    """Return whether a layer is given what is called a key where it takes a generator of keys as well."""
    name = "" if argument is None else dotted_name(argument).rpartition(".")[2]
    return bool(row.seeds) and row.qualified.endswith(made_objects.CALL) and name.rstrip("0123456789").endswith("key")


def _certainty(row: LibraryFunction, name: str, arguments: Arguments) -> Certainty:
    """Return how certain it is that a call consumes an argument: what may be turned off elsewhere may draw nothing."""
    if name in row.folds:
        return Certainty.DOUBTFUL
    given = (_argument(row, each, arguments)[0] for each, _ in row.silent)
    is_open = any(value is not None and not isinstance(value, Const) for value in given)
    is_of_object = bool(row.silent) and row.qualified.endswith(made_objects.CALL)
    return Certainty.UNKNOWN if row.method or is_open or is_of_object else Certainty.KNOWN


def confused(flow: Flow, value: Value, function: str, node: ast.AST | None, *, by_text: bool = False) -> None:
    """Record that a literal, or what is annotated as text, is given where a function takes a key.

    Args:
        flow: where the call is.
        value: the argument.
        function: the callee.
        node: the call.
        by_text: whether only text counts, as a function may make a key of an integer.
    """
    parts = value.items if isinstance(value, Sequence) and not value.open else (value,)
    kinds = {type(part.value) if isinstance(part, Const) else None for part in parts}
    how = "seed-as-key" if kinds == {int} and parts == (value,) else "text-as-key" if kinds == {str} else ""
    confidence = Confidence.CERTAIN
    if isinstance(value, Term) and is_declared_text(flow.terms, value):
        how, confidence = "text-as-key", Confidence.LIKELY
    if node is not None and how and not (by_text and how == "seed-as-key"):
        flow.file.add(facts.SeedConfusion(node=node, confidence=confidence, how=how, function=function))


def _literal_seed(flow: Flow, node: ast.Call, seed: int, kind: KeyKind) -> None:
    """Record a key made from a literal seed; the second one with the same seed in one scope is of interest."""
    first = flow.file.seeds.setdefault((flow.code, seed, kind), node)
    where = "same-seed" if first is not node else "function-body"
    if where == "function-body" and flow.code.kind == "module":
        return
    flow.file.add(
        facts.ConstantKey(
            node=node,
            confidence=Confidence.POSSIBLE,
            kind=kind,
            where=where,
            owner=flow.code.name,
            first=first if first is not node else None,
        )
    )


def _seed(flow: Flow, row: LibraryFunction, arguments: Arguments, number: int) -> Value:
    value = arguments.get(0, "seed")
    kind = KeyKind.RAW if row.seed == "raw" else KeyKind.TYPED
    if value is None:
        return flow.knowledge.seed(kind, number, flow.terms.fresh())
    node = arguments.node
    if isinstance(value, Term) and node is not None:
        origin = flow.knowledge.origins.get(value)
        if origin is not None and origin.rank == 0:
            flow.file.add(
                facts.SeedConfusion(
                    node=node,
                    confidence=Confidence.CERTAIN,
                    how="key-as-seed",
                    function=row.qualified,
                    key=notes.spelled(node.args[0]) if node.args else "",
                    kind=origin.kind,
                )
            )
    if node is not None and isinstance(value, Const) and type(value.value) is int:
        _literal_seed(flow, node, value.value, kind)
    lossy.look_at(flow, value, node, row.qualified, is_datum=False)
    key = flow.knowledge.seed(kind, number, operand_term(flow, lossy.as_seed(value)))
    if node is not None:
        flow.file.constructed[node.func] = key
        flow.file.makes(key, node)
    return key


def _derive(
    flow: Flow, row: LibraryFunction, term: Term, datum: Value | None, arguments: Arguments, number: int
) -> Value:
    knowledge = flow.knowledge
    if row.derive == "clone":
        knowledge.use(term, knowledge.rank(term) or 0, flow.path)
        return knowledge.clone(number, term)
    if row.derive == "fold_in":
        knowledge.use(term, knowledge.rank(term) or 0, flow.path)
        datum = flow.terms.fresh() if datum is None else datum
        lossy.look_at(flow, datum, arguments.node, row.qualified, is_datum=True)
        child = knowledge.fold_in(term, as_term(flow, lossy.as_datum(datum)))
        if arguments.node is not None:
            derived(flow, child, arguments, number)
        return child
    count = datum if datum is not None else Const(2)
    axes = len(count.items) if isinstance(count, Sequence) else 1
    return knowledge.split(number, term, as_term(flow, count), axes)


def _forward(flow: Flow, row: LibraryFunction, value: Value) -> Value:
    if row.unwrap:
        return map_leaves(value, lambda term: flow.terms.make("unwrap", None, term))
    if row.wrap:

        def wrapped(term: Term) -> Value:
            if flow.terms.operation(term) == "unwrap":
                return flow.terms.args(term)[0]
            return flow.knowledge.seed(KeyKind.TYPED, ("wrap", term), term)

        return map_leaves(value, wrapped)
    return value
