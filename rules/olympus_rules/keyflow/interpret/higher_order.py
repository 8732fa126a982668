"""Higher-order functions: transformations, loops and conditionals of JAX, ``map`` over trees."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from olympus_rules.keyflow.domain.access import CALLABLE, as_term, choose, element, get_item, leaves, map_leaves
from olympus_rules.keyflow.domain.arguments import Arguments, positional
from olympus_rules.keyflow.domain.knowledge import forget_ranks
from olympus_rules.keyflow.domain.outcomes import outcomes
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Const, Function, Library, Map, Mapped, Partial, Sequence, Value
from olympus_rules.keyflow.facts import KeyKind
from olympus_rules.keyflow.interpret import counting, operators
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.lanes import Lanes, is_common, report_traced
from olympus_rules.keyflow.notes import boundaries, layout, specs
from olympus_rules.keyflow.notes.axes import Transposed
from olympus_rules.keyflow.notes.pending import is_words
from olympus_rules.keyflow.notes.transformed import marked, returns_boundary
from olympus_rules.libraries.names import ARANGE, FORI_LOOP, LAX, SCAN, TREE_MAP, WHILE_LOOP

LOOPS = frozenset({"fori_loop", "map", "scan", "while_loop"})  # of JAX: it traces their bodies once
MAX_STATIC = 32  # places among the arguments that are looked at
FEW = 8
"""Leaves of a dictionary that are mapped one by one."""


def transform(flow: Flow, qualified: str, function: Value, arguments: Arguments) -> Value | None:
    """Return a transformed function, ``None`` if the name is not that of a transformation."""
    model = flow.file.table.get(qualified)
    kind = model.follows
    if kind in ("transparent", "value_and_grad"):
        function = marked(model, function, arguments)
    if flow.arrays is not None and returns_boundary(model):
        flow.arrays.body(function, qualified)
    if kind == "transparent":
        return function
    if kind == "value_and_grad":
        return Mapped("value_and_grad", function, node=arguments.node)
    name = qualified.rpartition(".")[2]
    if kind == "mapping":
        place = 2 if model.transform is not None and model.transform.kind == "pmap" else 1
        in_axes, out_axes = arguments.get(place, "in_axes"), arguments.get(place + 1, "out_axes")
        if name == "vectorize":
            in_axes, out_axes = _vectorized(arguments), None
        if name == "scan":
            in_axes = in_axes or Sequence("tuple", (Library("carry"), Const(0)))
        in_axes = in_axes or _without_static(arguments)
        axes, splits = (in_axes, out_axes or Const(0)), flow.file.table.hides((model.root,))
        return Mapped("vmap", function, *axes, arguments.node, name, splits)
    if kind == "shard_map":
        specs = arguments.get(2, "in_specs"), arguments.get(3, "out_specs")
        sharded, gathered = (Sequence("spec", (flow.terms.fresh(),)) if spec is None else spec for spec in specs)
        return Mapped("shard_map", function, sharded, gathered, arguments.node, name)
    if kind == "partial":
        rest = tuple(value for value, starred in arguments.positional[1:] if not starred)
        keywords = tuple((name, value) for name, value in arguments.keywords if name is not None)
        return Partial(function, rest, keywords)
    return None


def _without_static(arguments: Arguments) -> Value:
    """Return the axes of ``pmap`` where none are given: the static arguments have none."""
    static = arguments.get(99, "static_broadcasted_argnums")
    places = [item.value for item in static.items if isinstance(item, Const)] if isinstance(static, Sequence) else []
    places += [static.value] if isinstance(static, Const) else []
    counts = [place for place in places if isinstance(place, int) and 0 <= place < MAX_STATIC]
    axes = tuple(Const(None if place in counts else 0) for place in range(max(counts, default=-1) + 1))
    return Sequence("tuple", axes) if axes else Const(0)


def call_library(flow: Flow, qualified: str, arguments: Arguments) -> Value | None:
    """Call a library function that takes callables; ``None`` for any other."""
    model = flow.file.table.get(qualified)
    kind = model.follows
    if not kind or model.transform is None:
        return None
    arguments = arguments.ordered(model.transform.parameters)
    first = arguments.first
    if first is None and kind in ("transparent", "mapping", "shard_map", "value_and_grad"):
        first = arguments.get(0, "f" if kind == "shard_map" else "fun")
        if first is None and not arguments.positional:  # @jax.jit(static_argnums=…) waits for its function
            return Partial(Library(qualified), (), tuple((n, v) for n, v in arguments.keywords if n is not None))
    if first is not None:
        result = transform(flow, qualified, first, arguments)
        if result is not None:
            return result
    if kind == "wraps" and first is not None:  # @functools.wraps(function): the decorated function is the second one
        return arguments.get(1, "") or Partial(Library(qualified), (first,), ())
    if kind == "partition_spec":
        return Sequence("spec", tuple(value for value, _ in arguments.positional))
    handler = PRIMITIVES.get(kind)
    if handler is not None and first is not None:
        outer, flow.site = flow.site, arguments.node or flow.site
        drawn = len(flow.events.draws)
        try:
            result = handler(flow, arguments)
            if model.is_jax and kind in LOOPS:
                report_traced(flow, kind, drawn)
            return result
        finally:
            flow.site = outer
    if kind == "tree_map" and isinstance(first, CALLABLE):
        trees = [value for value, _ in arguments.positional[1:]]
        if len(trees) == 1 and (copy := counting.copied(flow, trees[0], known=True)) is not None:
            return copy
        if len(trees) == 1 and isinstance(trees[0], Map) and _is_flat(trees[0]):
            names, values = zip(*trees[0].items, strict=True)
            mapped = each(flow, first, [Sequence("list", values)], TREE_MAP, arguments.node, turns=len(values))
            return Map(tuple(zip(names, mapped.items, strict=True)))
        if trees and all(isinstance(tree, Map) for tree in trees):
            leaf_values = [_key_leaves(flow, tree) for tree in trees]
            return each(flow, first, leaf_values, TREE_MAP, arguments.node)
        return each(flow, first, [value for value, _ in arguments.positional[1:]], TREE_MAP, arguments.node)
    return None


def _key_leaves(flow: Flow, tree: Value) -> Value:
    """Return the leaves of a tree of dictionaries, those that may be keys first."""
    terms = sorted(leaves(tree), key=lambda term: not flow.knowledge.is_candidate(term))
    return Sequence("list", tuple(terms))


def _is_flat(tree: Map) -> bool:
    """Return whether a dictionary has a few entries, none of which is a tree, so that all of them are mapped."""
    parts = [part for _, part in tree.items]
    return (
        not tree.open and 0 < len(parts) <= FEW and not any(isinstance(part, Map | Sequence | Choice) for part in parts)
    )


def each(
    flow: Flow, function: Value, sequences: list[Value], loop: str, node: ast.Call | None = None, turns: int = 2
) -> Sequence:
    """Call a function on the first elements of sequences; ``node`` is the call that maps it."""
    results: list[Value] = []
    outer, flow.site = flow.site, node or flow.site
    for turn in range(turns):
        parts = [element(flow, sequence, turn) for sequence in sequences]
        if any(part is None for part in parts):
            break
        results.append(flow.call(function, positional(*(p for p in parts if p is not None), loop=loop)))
    flow.site = outer
    return Sequence("list", tuple(results), True)


# transformations that map


def call_mapped(flow: Flow, mapped: Mapped, arguments: Arguments) -> Value:
    """Call the result of ``vmap``, ``shard_map`` or ``value_and_grad``."""
    if mapped.kind == "value_and_grad":
        return Sequence("tuple", (flow.call(mapped.function, arguments), flow.terms.fresh()))
    if mapped.kind == "shard_map":
        return _call_sharded(flow, mapped, arguments)
    _check_axes(flow, mapped, arguments)
    if flow.arrays is not None:
        axes = [_axis(mapped, place, value, flow) for place, (value, _) in enumerate(arguments.positional)]
        flow.arrays.mapped(flow, mapped, arguments, axes)
    lanes = Lanes(flow)
    values = [
        (_lane(flow, value, _axis(mapped, position, value, flow), lanes), starred)
        for position, (value, starred) in enumerate(arguments.positional)
    ]
    keywords = tuple((name, _lane(flow, value, Const(0), lanes)) for name, value in arguments.keywords)
    result = flow.call(mapped.function, replace(arguments, positional=tuple(values), keywords=keywords))
    lanes.report(mapped, arguments)
    if mapped.name == "scan":
        return map_leaves(
            result, lambda leaf: flow.terms.fresh()
        )  # a carry has no axis, and the other results have one
    batched = map_leaves(result, flow.knowledge.batch)
    if lanes.has_stacks:
        forget_ranks(flow.knowledge, leaves(batched))
    if mapped.out_axes == Const(-1):
        _put_behind(flow, mapped, arguments, batched)
    return batched


def _put_behind(flow: Flow, mapped: Mapped, arguments: Arguments, result: Value) -> None:
    """Record results of a map whose batch axis comes last, behind the words of keys."""
    given = [
        (value, expression)
        for value, expression in arguments.expressions()
        if expression is not None and isinstance(value, Term) and flow.knowledge.is_candidate(value)
    ]
    keys = tuple(expression for value, expression in given if not is_words(flow, value))
    node = arguments.node or flow.site
    if node is None or (given and not keys):
        return
    axis = _axis_expression(mapped, "out_axes", 0) if isinstance(result, Term) else None  # several results share it
    for term in leaves(result):
        layout.mapped_axis(flow, term, Transposed("out_axes", node, keys, axis))


def _axis(mapped: Mapped, position: int, value: Value, flow: Flow) -> Value:
    """Return the axis of an argument: an axis for all its leaves, or a tree of them."""
    in_axes = mapped.in_axes
    if mapped.name == "vectorize":
        return _vectorized_axis(flow, in_axes, position, value)
    if isinstance(in_axes, Sequence):
        return in_axes.items[position] if position < len(in_axes.items) else Const(0)
    if isinstance(in_axes, Map) and mapped.name.startswith("filter_"):  # equinox matches axes to parameters by name
        function = mapped.function
        names = function.code.parameters if isinstance(function, Function) else ()
        return dict(in_axes.items).get(names[position], Const(0)) if position < len(names) else Const(0)
    return in_axes


def _vectorized(arguments: Arguments) -> Value:
    """Return the positions and names that ``vectorize`` leaves alone, with ``-1`` for the words of a key."""
    excluded = arguments.get(1, "excluded")
    items = excluded.items if isinstance(excluded, Sequence) else ()
    return Sequence("set", (*items, Const(-1)) if arguments.get(2, "signature") is not None else items)


def _vectorized_axis(flow: Flow, excluded: Value, position: int, value: Value) -> Value:
    """Return ``None`` for an argument that ``vectorize`` leaves alone, and for one key, which has no axis."""
    left = excluded.items if isinstance(excluded, Sequence) else ()
    origin = flow.knowledge.origins.get(value) if isinstance(value, Term) else None
    whole = origin is not None and origin.rank == 0 and (origin.kind == KeyKind.TYPED or Const(-1) in left)
    return Const(None) if whole or Const(position) in left else Const(0)


def _lane(flow: Flow, value: Value, axis: Value, lanes: Lanes) -> Value:
    """Return the part of an argument that one lane receives."""
    if axis == Const(None) or is_common(axis):
        return value
    if isinstance(axis, Library):  # a carry, which each step hands on
        return lanes.carry(value)
    if isinstance(value, Sequence) and value.items and all(isinstance(item, Const) for item in value.items):
        lanes.varying.add(number := flow.terms.fresh())  # of jnp.array([1, 2, 3])
        return number
    if isinstance(value, Sequence) and value.kind == "stack":
        if (copied := _only_one(value)) is not None:
            return lanes.copy(copied)
        lanes.varying.update(leaves(value))
        lanes.has_stacks = True
        return value
    if isinstance(value, Map) and isinstance(axis, Map):
        axes = dict(axis.items)
        parts = tuple((key, _lane(flow, item, axes.get(key, Const(0)), lanes)) for key, item in value.items)
        return Map(parts, value.open)
    if isinstance(value, Sequence) and isinstance(axis, Sequence) and len(value.items) == len(axis.items):
        items = tuple(_lane(flow, *pair, lanes) for pair in zip(value.items, axis.items, strict=True))
        return Sequence(value.kind, items, value.open)
    return map_leaves(value, lanes.lane)


def _only_one(rows: Sequence) -> Term | None:
    """Return the array of which all rows are copies, ``None`` if there may be another row."""
    first, *others = rows.items or (None,)
    return first if others and isinstance(first, Term) and set(others) == {first} else None


def _call_sharded(flow: Flow, mapped: Mapped, arguments: Arguments) -> Value:
    """Call a ``shard_map``: each device receives its part of a sharded argument, and the whole of any other."""
    lanes = Lanes(flow)
    wanted = mapped.in_axes
    for position, (value, _) in enumerate(arguments.positional):
        each_has = isinstance(wanted, Sequence) and wanted.kind != "spec" and position < len(wanted.items)
        spec = wanted.items[position] if each_has and isinstance(wanted, Sequence) else wanted
        lanes.varying.update(_sharded(value, spec))
        if arguments.node is not None:
            written = _axis_expression(mapped, "in_specs", position)
            specs.given(flow, value, spec, arguments.node, arguments.expression(position, ""), written)
    result = flow.call(mapped.function, arguments)
    if arguments.node is not None:
        written = _axis_expression(mapped, "out_specs", 0)
        specs.given(flow, result, mapped.out_axes, arguments.node, None, written)
    if lanes.varying and not _replicated(mapped.out_axes):
        lanes.report(mapped, arguments)
    return result


def _sharded(value: Value, spec: Value) -> list[Term]:
    """Return the terms of an argument that are sharded, or may be."""
    if _replicated(spec):
        return []
    if isinstance(value, Sequence) and isinstance(spec, Sequence) and spec.kind != "spec":
        return [term for pair in zip(value.items, spec.items, strict=False) for term in _sharded(*pair)]
    if isinstance(value, Map) and isinstance(spec, Map):
        specs = dict(spec.items)
        return [term for key, item in value.items for term in _sharded(item, specs.get(key, Const(0)))]
    return leaves(value)


def _replicated(spec: Value) -> bool:
    """Return whether a spec names no axis of the mesh."""
    return isinstance(spec, Sequence) and all(item == Const(None) or _replicated(item) for item in spec.items)


def _check_axes(flow: Flow, mapped: Mapped, arguments: Arguments) -> None:
    """Record a map over an axis of a key array that holds words."""
    node = arguments.node or flow.site
    if node is None:
        return
    if mapped.name == "vectorize":
        specs.vectorized(flow, mapped.node, arguments)
    for position, (value, _) in enumerate(arguments.positional):
        subject, written = arguments.expression(position, ""), _axis_expression(mapped, "in_axes", position)
        for term, axis in _with_axes(value, _axis(mapped, position, value, flow)):
            if isinstance(axis, Const) and type(axis.value) is int and axis.value != 0:
                subjects = (subject,) if term is value and subject is not None else ()
                changed = Transposed("in_axes", node, subjects, written if term is value else None)
                layout.mapped_axis(flow, term, changed)


def _with_axes(value: Value, axis: Value) -> Iterator[tuple[Term, Value]]:
    """Yield the terms in an argument, each with the axis over which it is mapped."""
    if isinstance(value, Map) and isinstance(axis, Map):
        axes = dict(axis.items)
        for name, item in value.items:
            yield from _with_axes(item, axes.get(name, Const(None)))
    elif isinstance(value, Sequence) and isinstance(axis, Sequence):
        for pair in zip(value.items, axis.items, strict=False):
            yield from _with_axes(*pair)
    else:
        yield from ((term, axis) for term in leaves(value))


def _axis_expression(mapped: Mapped, name: str, position: int) -> ast.expr | None:
    if mapped.node is None:
        return None
    place = {"in_axes": 1, "out_axes": 2, "in_specs": 2, "out_specs": 3}[name]
    found = next((k.value for k in mapped.node.keywords if k.arg == name), None)
    if found is None and len(mapped.node.args) > place:
        found = mapped.node.args[place]
    if isinstance(found, ast.Tuple | ast.List) and position < len(found.elts):
        return found.elts[position]
    return found


# structured control flow


def _scan(flow: Flow, arguments: Arguments) -> Value:
    body, init, xs = (arguments.get(i, name) for i, name in enumerate(("f", "init", "xs")))
    if body is None:
        return flow.terms.fresh()
    carry: Value = init if init is not None else flow.terms.fresh()
    steps = arguments.get(3, "length") or _length_of(flow, xs)
    outputs: list[Value] = []
    for turn in range(2):
        item = element(flow, xs, turn) if xs is not None and xs != Const(None) else Const(None)
        item = _tree_element(flow, xs, turn) if isinstance(xs, Sequence | Map) else item
        given = positional(carry, item if item is not None else flow.terms.fresh(), loop="scan")
        with _iteration(flow, Const(turn), steps):
            result = flow.call(body, given)
        new = get_item(flow, result, Const(0))
        if turn == 0:
            boundaries.joined(flow, SCAN, [(carry, arguments.expression(1, "init")), (new, None)], flow.site)
        carry = new
        outputs.append(get_item(flow, result, Const(1)))
    return Sequence("tuple", (carry, Sequence("stack", tuple(outputs), True)))


@contextmanager
def _iteration(flow: Flow, number: Value, end: Value | None) -> Iterator[None]:
    """Run something under the condition that a loop reaches an iteration: its number is below the end."""
    below = None
    if end is not None and end != Const(None):
        below, _ = outcomes(flow, operators.compare(flow, "Lt", number, end))
    with flow.under(below or ALWAYS):
        yield


def _length_of(flow: Flow, xs: Value | None) -> Value | None:
    """Return the length of ``jnp.arange(n)``."""
    if not isinstance(xs, Term) or flow.terms.operation(xs) != "op":
        return None
    data, args = flow.terms.data(xs), flow.terms.args(xs)
    is_range = isinstance(data, tuple) and data[0] == ARANGE and len(args) > 0
    only = is_range and all(flow.terms.operation(arg) == "symbol" for arg in args[1:])  # and a dtype
    return args[0] if only else None


def _tree_element(flow: Flow, tree: Value, turn: int) -> Value:
    """Return the element that a scan takes from a tree of arrays: the element of each leaf."""
    if isinstance(tree, Sequence) and tree.kind == "stack":
        return element(flow, tree, turn) or flow.terms.fresh()
    return map_leaves(tree, lambda term: get_item(flow, term, Const(turn, counter=True)))


def _fori_loop(flow: Flow, arguments: Arguments) -> Value:
    body, value = arguments.get(2, "body_fun"), arguments.get(3, "init_val")
    start = arguments.get(0, "lower")
    first = start.value if isinstance(start, Const) and type(start.value) is int else None
    if body is None or value is None:
        return flow.terms.fresh()
    for turn in range(2):
        index: Value = Const(first + turn, counter=True) if first is not None else flow.terms.fresh()
        with _iteration(flow, index, arguments.get(1, "upper")):
            new = flow.call(body, positional(index, value, loop="fori_loop"))
        if turn == 0:
            nodes = arguments.expression(3, "init_val"), _result_of(arguments.expression(2, "body_fun"))
            boundaries.joined(flow, FORI_LOOP, [(value, nodes[0]), (new, nodes[1])], flow.site)
        value = new
    return value


def _while_loop(flow: Flow, arguments: Arguments) -> Value:
    test, body, value = (arguments.get(i, n) for i, n in enumerate(("cond_fun", "body_fun", "init_val")))
    if test is None or body is None or value is None:
        return flow.terms.fresh()
    for turn in range(2):
        flow.call(test, positional(value, loop="while_loop"))
        new = flow.call(body, positional(value, loop="while_loop"))
        if turn == 0:
            nodes = arguments.expression(2, "init_val"), _result_of(arguments.expression(1, "body_fun"))
            boundaries.joined(flow, WHILE_LOOP, [(value, nodes[0]), (new, nodes[1])], flow.site)
        value = new
    return value


def _map(flow: Flow, arguments: Arguments) -> Value:
    function, xs = arguments.get(0, "f"), arguments.get(1, "xs")
    if function is None:
        return flow.terms.fresh()
    results = [
        flow.call(function, positional(_tree_element(flow, xs, turn), loop="map"))
        for turn in range(2)
        if xs is not None
    ]
    return Sequence("stack", tuple(results), True)


def _associative_scan(flow: Flow, arguments: Arguments) -> Value:
    function = arguments.get(0, "fn")
    if function is None:
        return flow.terms.fresh()
    for _ in range(2):
        operands = positional(flow.terms.fresh(), flow.terms.fresh(), loop="associative_scan")
        flow.call(function, operands)
    return flow.terms.fresh()


def _reduce(flow: Flow, arguments: Arguments) -> Value:
    function, sequence, value = (arguments.get(i, name) for i, name in enumerate(("function", "iterable", "initial")))
    if function is None or sequence is None:
        return flow.terms.fresh()
    first = 0 if value is not None else 1
    value = element(flow, sequence, 0) if value is None else value
    for turn in range(first, first + 2):
        item = element(flow, sequence, turn)
        if item is None or value is None:
            break
        value = flow.call(function, positional(value, item, loop="reduce"))
    return flow.terms.fresh() if value is None else value


def _cond(flow: Flow, arguments: Arguments) -> Value:
    test = arguments.get(0, "pred")
    branches = [arguments.get(1, "true_fun"), arguments.get(2, "false_fun")]
    if test is None or any(branch is None for branch in branches):
        return flow.terms.fresh()
    operands = [value for value, _ in arguments.positional[3:]]
    operands += [value for name, value in arguments.keywords if name == "operand"]
    true, false = outcomes(flow, test)
    nodes = [_result_of(arguments.expression(i, name)) for i, name in ((1, "true_fun"), (2, "false_fun"))]
    return _exclusive(flow, [b for b in branches if b is not None], [true, false], operands, nodes, "cond")


def _switch(flow: Flow, arguments: Arguments) -> Value:
    branches = arguments.get(1, "branches")
    operands = [value for value, _ in arguments.positional[2:]]
    operands += [value for name, value in arguments.keywords if name == "operand"]
    if not isinstance(branches, Sequence):
        return flow.terms.fresh()
    index = as_term(flow, arguments.get(0, "index") or flow.terms.fresh())
    paths: list[PathCondition | None] = [
        flow.decisions.outcomes(flow.terms.make("op", "Eq", index, flow.terms.const(number)))[0]
        for number in range(len(branches.items))
    ]
    # an equality excludes only those made before it; a second look excludes all
    paths = [
        flow.decisions.outcomes(flow.terms.make("op", "Eq", index, flow.terms.const(number)))[0]
        for number in range(len(branches.items))
    ]
    display = arguments.expression(1, "branches")
    elements = display.elts if isinstance(display, ast.List | ast.Tuple) else []
    nodes: list[ast.expr | None] = [None] * len(paths)
    if len(elements) == len(paths):
        nodes = [_result_of(node) for node in elements]
    return _exclusive(flow, list(branches.items), paths, operands, nodes, "switch")


def _result_of(node: ast.expr | None) -> ast.expr | None:
    """Return the expression of a function's result, if it is an expression."""
    return node.body if isinstance(node, ast.Lambda) else None


def _exclusive(
    flow: Flow,
    branches: list[Value],
    paths: list[PathCondition | None],
    operands: list[Value],
    nodes: list[ast.expr | None],
    name: str,
) -> Value:
    """Call each branch of ``cond`` or ``switch`` under its own condition; ``nodes`` are their result expressions."""
    results: list[tuple[PathCondition, Value]] = []
    joined_nodes: list[ast.expr | None] = []
    for branch, path, node in zip(branches, paths, nodes, strict=True):
        if path is not None:
            with flow.under(path) as possible:
                if possible:
                    results.append((path, flow.call(branch, positional(*operands))))
                    joined_nodes.append(node)
        for term in leaves(results[-1][1]) if results else ():
            flow.knowledge.fill(term, true=False)  # the result of a branch is an array
    parts = [(value, node) for (_, value), node in zip(results, joined_nodes, strict=True)]
    boundaries.joined(flow, f"{LAX}.{name}", parts, flow.site)
    if any(isinstance(value, Sequence) for _, value in results):
        return _merged(flow, results)
    return choose(flow, results)


def _merged(flow: Flow, results: list[tuple[PathCondition, Value]]) -> Value:
    lengths = {len(value.items) if isinstance(value, Sequence) else -1 for _, value in results}
    if len(lengths) != 1 or -1 in lengths:
        return choose(flow, results)
    items = [
        choose(flow, [(path, value.items[i]) for path, value in results if isinstance(value, Sequence)])
        for i in range(lengths.pop())
    ]
    return Sequence("tuple", tuple(items))


def _callback(flow: Flow, arguments: Arguments) -> Value:
    """Call a callback: it runs later, on the host, and is not followed."""
    return flow.terms.fresh()


PRIMITIVES: dict[str, Callable[[Flow, Arguments], Value]] = {
    "scan": _scan,
    "fori_loop": _fori_loop,
    "while_loop": _while_loop,
    "map": _map,
    "associative_scan": _associative_scan,
    "reduce": _reduce,
    "cond": _cond,
    "switch": _switch,
    "callback": _callback,
}
