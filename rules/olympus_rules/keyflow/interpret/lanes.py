"""Draws in the lanes of a map: which of them get the same key in every lane.

The summary of a function holds its draws, through splits as well: ``split`` of a shared key gives every lane the
same children. If a map calls the function, a draw is shared unless the identity of its key depends on the lane.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import guarded_leaves, leaves
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.classes import class_of
from olympus_rules.keyflow.domain.events import Events
from olympus_rules.keyflow.domain.knowledge import REPEATING, copied_key
from olympus_rules.keyflow.domain.ledger import STATE, STATE_OF_OBJECT
from olympus_rules.keyflow.domain.paths import both
from olympus_rules.keyflow.domain.summary import Draw
from olympus_rules.keyflow.domain.terms import COPIES, HIDDEN, MAX_SIZE, Term, Terms
from olympus_rules.keyflow.domain.values import Const, Function, Map, Mapped, Value
from olympus_rules.keyflow.facts import Place
from olympus_rules.keyflow.interpret import made_objects
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.instance import Instance
from olympus_rules.keyflow.notes.pending import spelled
from olympus_rules.libraries.names import JIT, LANE_NUMBERS

NEW_AXIS = ("broadcast_to", COPIES)  # repeat and tile may repeat the elements of an array
MAX_DRAWS = 40  # draws kept of one function
MAX_STEPS = 1_000  # examined to decide whether one key depends on the lane; with a longer history it may
OF_TRACE = (
    "a key of hidden state, which is taken once, when JAX traces the function. Use the loop of the library that keeps "
    "the state, or split a key before and hand each step its own."
)
PMAP, PARAMETERS = "pmap", "params"
CONSTANT = frozenset({"attr", "item", "slice", "list", "view", "fold_in", "split"})  # with constants they are
DERIVED = CONSTANT | {"lane", "batch"}


def kept(terms: Terms, events: Events) -> tuple[Draw, ...]:
    """Return the draws of a function that concern its callers: those whose key comes from outside, or from a seed.

    A clone is a deliberate duplicate, so that draws from one are left out.
    """
    found: dict[tuple[Term, ast.AST], Draw] = {}
    for draw in events.draws:
        if len(found) >= MAX_DRAWS:
            break
        small = terms.size(draw.term) <= MAX_SIZE  # as with operators: no growth with the call graph
        is_hidden = not events.is_seeded and hidden_way(terms, draw.term) is not None
        if small and (is_hidden or _is_from_outside(terms, _origin(terms, draw.term))):
            found.setdefault((draw.term, draw.place.node), draw)
    return tuple(found.values())


def pass_on(flow: Flow, callee: Function, draws: Iterable[Draw], instance: Instance, given: tuple[Term, ...]) -> None:
    """Record the draws of a callee, to which terms are given, as draws of the caller."""
    calls_object = callee.code.name.endswith(made_objects.CALL)
    for each in draws:
        path, draw = instance.path(each.path), _resolved(flow, each, instance)
        joined = None if path is None else both(flow.path, path)
        if joined is None or draw is None:
            continue
        # an object that surely draws from a key that its call is given is a layer
        is_given = calls_object and _is_argument(flow.terms, _origin(flow.terms, each.term), callee)
        becomes_layer = is_given and draw.is_known and not draw.is_layer
        beside = given if becomes_layer else _terms(instance, draw.beside)
        is_known, is_layer = draw.is_known and not callee.doubtful, draw.is_layer or becomes_layer
        for condition, term in guarded_leaves(flow, instance.value(draw.term)):
            within = both(joined, condition)
            if within is None:
                continue
            if each.callee is not None and draw.callee is None:
                flow.knowledge.use(term, path=within)
            flow.events.draws.append(
                replace(draw, term=term, path=within, is_known=is_known, is_layer=is_layer, beside=beside)
            )


def _is_argument(terms: Terms, origin: Term, method: Function) -> bool:
    """Return whether a term is a parameter of a method, and not its object."""
    code = method.code
    return terms.operation(origin) == "param" and terms.data(origin) in [(code, name) for name in code.parameters[1:]]


def _terms(instance: Instance, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    values = (instance.value(term) for term in terms)
    return tuple(value for value in values if isinstance(value, Term))


def _resolved(flow: Flow, draw: Draw, instance: Instance) -> Draw | None:
    """Return a draw as the caller knows it, who may know the callee; ``None`` if the callee draws nothing."""
    callee = None if draw.callee is None else instance.value(draw.callee)
    if not isinstance(callee, Term):
        return draw
    if made_objects.is_silent(flow, callee):
        return None
    method = made_objects.called(flow, callee)
    if method is None:
        return _of_class(flow, draw, callee)
    row = flow.file.table.get(method.qualified).row
    if row is None or _parameter(row.parameters, draw.place) not in row.sinks:
        return None
    return replace(draw, callee=None, is_known=True, is_layer=True, place=replace(draw.place, what=method.qualified))


def _of_class(flow: Flow, draw: Draw, callee: Term) -> Draw | None:
    """Return a draw by an object, as its class shows."""
    class_ = class_of(flow.file, callee)
    method = None if class_ is None else flow.linker.hierarchy.method(class_, "__call__")
    summary = None if method is None else flow.linker.summariser.summary(method)
    if method is None or summary is None:
        return replace(draw, callee=callee)
    known = [each.term for each in summary.draws if each.is_known or flow.knowledge.is_known(each.term)]
    terms = [use.term for use in summary.uses] if method.is_foreign else known
    parameter = flow.terms.make("param", (method, _parameter(method.parameters[1 : method.positional], draw.place)))
    if parameter not in {_origin(flow.terms, term) for term in terms}:
        return None
    return replace(draw, callee=None, is_layer=True, place=replace(draw.place, what=method.name))


def _parameter(names: tuple[str, ...], place: Place) -> str:
    """Return the parameter for which a call gives a key; ``names`` are those that may be given by position."""
    if not isinstance(place.node, ast.Call):
        return ""
    by_name = (keyword.arg or "" for keyword in place.node.keywords if keyword.value is place.key)
    by_position = (name for node, name in zip(place.node.args, names, strict=False) if node is place.key)
    return next(chain(by_name, by_position), "")


def _copied(flow: Flow, array: Term) -> Term | None:
    """Return the value of which the elements along the first axis are copies, ``None`` for any other array."""
    terms, knowledge = flow.terms, flow.knowledge
    if array in flow.file.replicated:
        return array
    if (known := copied_key(knowledge, array)) is not None:
        return known
    operation, data = terms.operation(array), terms.data(array)
    name = str(data) if operation == "view" else str(data[0]).rpartition(".")[2] if _is_call(terms, array) else ""
    if not name.startswith(REPEATING):
        return None
    value, is_new = terms.args(array)[0], name.startswith(NEW_AXIS)
    while terms.operation(value) == "view" and terms.data(value) == "newaxis":
        value, is_new = terms.args(value)[0], True
    return value if is_new and knowledge.rank(value) in (None, 0) else None


def _is_call(terms: Terms, term: Term) -> bool:
    """Return whether a term is the result of a library function that depends on its arguments alone."""
    return terms.operation(term) == "op" and isinstance(terms.data(term), tuple) and bool(terms.args(term))


def _is_from_outside(terms: Terms, term: Term) -> bool:
    operation = terms.operation(term)
    return operation in ("param", "free") or (operation == "seed" and terms.operation(terms.args(term)[0]) != "fresh")


def _origin(terms: Terms, term: Term) -> Term:
    while terms.operation(term) in DERIVED:
        term = terms.args(term)[0]
    return term


def hidden_way(terms: Terms, term: Term) -> tuple[tuple[str, object], ...] | None:
    """Return how a key is derived from one of hidden state, by steps with constants; ``None`` for any other key."""
    steps: list[tuple[str, object]] = []
    while terms.operation(term) in CONSTANT:
        operation, data, (term, *rest) = terms.operation(term), terms.data(term), terms.args(term)
        if operation != "split" and any(terms.operation(each) != "const" for each in rest):
            return None
        steps.append((operation, data if operation == "slice" else tuple(map(terms.constant, rest))))
    is_hidden = terms.operation(term) == "seed" and terms.kind(terms.args(term)[0]) == HIDDEN
    return tuple(steps) if is_hidden else None


def report_traced(flow: Flow, loop: str, first: int) -> None:
    """Record the draws since one from keys of hidden state in a loop whose body JAX traces once.

    The body was called twice: what differs then is made of the number of the step.
    """
    ways: dict[ast.AST, list[object]] = {}
    for draw in flow.events.draws[first:]:
        ways.setdefault(draw.place.node, []).append(hidden_way(flow.terms, draw.term) if draw.is_known else None)
    for draw in flow.events.draws[first:]:
        found = ways.pop(draw.place.node, [None])
        if len(found) > 1 and found[0] is not None and len(set(found)) == 1:
            _add_traced(flow, loop, draw.place, flow.site)


def report_compiled(flow: Flow, function: Function, arguments: Arguments, before: tuple[int, int]) -> None:
    """Record draws, from keys that hidden state gave in this call, in a function that JAX has traced in an earlier one.

    Args:
        flow: where the call is.
        function: the function.
        arguments: the arguments of the call.
        before: the numbers of draws and of terms before the call.
    """
    if not any(boundary.name == JIT for boundary in function.traced):
        return
    first_draw, first_term = before
    for draw in flow.events.draws[first_draw:]:
        is_hidden = hidden_way(flow.terms, draw.term) is not None and _origin(flow.terms, draw.term) >= first_term
        if draw.is_known and is_hidden:
            if flow.events.compiled.get(draw.place.node) is function:
                _add_traced(flow, "jit", draw.place, arguments.node or flow.site)
            flow.events.compiled[draw.place.node] = function


def _add_traced(flow: Flow, transform: str, draw: Place, node: ast.AST | None) -> None:
    """Record a draw from a key of hidden state that all lanes or steps of a transformation get."""
    place, likely = node or draw.node, Confidence.LIKELY
    flow.file.add(facts.SharedKey(node=place, confidence=likely, transform=transform, draw=draw, hidden=OF_TRACE))


def is_common(axes: Value) -> bool:
    """Return whether axes by kind of variable, ``{"params": 0, ...: None}``, give all lanes the keys of layers."""
    others = dict(axes.items) if isinstance(axes, Map) and not axes.open else {}
    return others.pop(..., None) == Const(None) and others.keys() <= {PARAMETERS}


class Lanes:
    """One call of a mapped function.

    Attributes:
        varying: the terms that differ between lanes: the mapped arrays, and the part of each that a lane receives.
        has_stacks: whether a lane receives an element of stacked arrays, for which all of them stand, with their axis.
    """

    def __init__(self, flow: Flow) -> None:
        """Record the state before the call."""
        self._flow = flow
        self._first_draw, self._first_use = len(flow.events.draws), len(flow.ledger.consumptions)
        self._first_term = len(flow.terms.parts)
        self._known: dict[Term, bool] = {}
        self._copies: dict[Term, Term] = {}
        self.varying: set[Term] = set()
        self.has_stacks = False

    def lane(self, array: Term) -> Term:
        """Return the part of an array that one lane receives."""
        copied = _copied(self._flow, array)
        if copied is not None:
            return self.copy(copied, array)
        part = self._flow.knowledge.lane(array)
        self.varying |= {array, part}
        return part

    def copy(self, key: Term, array: Term | None = None) -> Term:
        """Return one of the copies of a key that the lanes receive."""
        self._known[key] = True
        self._copies[key] = key if array is None else array
        return key

    def carry(self, value: Value) -> Value:
        """Return what a step receives of the step before: other values each time, and objects in other states."""
        for term in leaves(value):
            state = self._flow.env.get((term, STATE, self._flow.generation(term)))
            self.varying |= {term, *leaves(state if state is not None else term)}
        return value

    def report(self, mapped: Mapped, arguments: Arguments) -> None:
        """Record the draws since the start whose key is the same in all lanes."""
        flow = self._flow
        node = arguments.node or flow.site
        for draw in flow.events.draws[self._first_draw :]:
            is_draw = draw.is_known or (draw.is_layer and flow.knowledge.is_candidate(draw.term))
            if draw.is_known and not mapped.splits and hidden_way(flow.terms, draw.term) is not None:
                _add_traced(flow, mapped.name, draw.place, node)
            if not is_draw or not self._is_same(draw.term):
                continue
            key, name, argument = self._handed(draw.term, arguments)
            flow.file.add(
                facts.SharedKey(
                    node=node or draw.place.node,
                    confidence=self._confidence(mapped, draw),
                    key=name,
                    kind=flow.knowledge.kind(key),
                    transform=mapped.name,
                    draw=draw.place,
                    argument=argument,
                    mapping=mapped.node,
                    copies=key in self._copies,
                    batch=flow.knowledge.rank(key) != 0,
                )
            )

        self._report_states(mapped, node)

    def _report_states(self, mapped: Mapped, node: ast.AST | None) -> None:
        """Record the first draw since the start from an object that counts and that is one for all lanes."""
        flow, hidden = self._flow, "one random state, which is not mapped over. Split its keys, and map over them."
        for use in flow.ledger.consumptions[self._first_use :]:
            if use.draw == STATE_OF_OBJECT and flow.knowledge.is_known(use.term) and self._is_same(use.term):
                # a model out of sight may draw nothing, and axes that are computed may be those of its state
                axes = (mapped.in_axes, *getattr(mapped.in_axes, "items", ()))
                is_shared = Const(None) in axes or any(map(is_common, axes))
                likely = Confidence.LIKELY if is_shared else Confidence.POSSIBLE
                draw = use.inside or Place(use.node, use.what)
                flow.file.add(
                    facts.SharedKey(
                        node=node or use.node, confidence=likely, transform=mapped.name, draw=draw, hidden=hidden
                    )
                )
                return

    def _confidence(self, mapped: Mapped, draw: Draw) -> Confidence:
        """Return how likely it is that no key for all lanes is meant: hardly ever for layers that lanes call on data.

        What others draw is often meant to be common: candidates are compared on the same numbers, and devices agree.
        But members that are made in lanes, of nothing else than copies of a key, are hardly meant to be equal.
        """
        if self._copies and not self.varying and mapped.name != PMAP and self._makes_layer(draw):
            return Confidence.LIKELY
        is_known = self._flow.knowledge.is_known(draw.term) and draw.is_layer
        return Confidence.LIKELY if is_known and not all(map(self._is_same, draw.beside)) else Confidence.POSSIBLE

    def _makes_layer(self, draw: Draw) -> bool:
        """Return whether a layer of a library, or its streams, are made with a key."""
        return made_objects.is_class(draw.place.what) and self._flow.file.describes(draw.place.what)

    def _is_same(self, term: Term) -> bool:
        """Return whether a term has the same value in all lanes; an unknown value may differ."""
        waiting, steps = [term], 0
        while waiting and (steps := steps + 1) < MAX_STEPS:
            last = waiting[-1]
            if last in self._known:
                waiting.pop()
                continue
            args = self._parts(last)
            unknown = [arg for arg in args or () if arg not in self._known]
            if unknown:
                waiting += unknown
            else:
                self._known[last] = args is not None and all(self._known[arg] for arg in args)
        return self._known.get(term, False)

    def _parts(self, term: Term) -> tuple[Term, ...] | None:
        """Return the terms that a term depends on, ``None`` for one that may differ by itself."""
        terms = self._flow.terms
        operation, data = terms.operation(term), terms.data(term)
        if term in self.varying or (operation == "fresh" and term >= self._first_term):
            return None
        if operation == "op" and isinstance(data, tuple) and data[0] in LANE_NUMBERS:
            return None
        return terms.args(term)

    def _handed(self, term: Term, arguments: Arguments) -> tuple[Term, str, ast.expr | None]:
        """Return the caller's key that a term is derived from, its spelling, and its argument expression."""
        terms = self._flow.terms
        given = {value: node for value, node in arguments.expressions() if isinstance(value, Term) and node is not None}
        while True:
            held = self._copies.get(term, term)
            if held in given:
                return term, spelled(given[held]), given[held]
            if term in given:
                return term, spelled(given[term]), given[term]
            name = self._spelling(term)
            if name or terms.operation(term) not in DERIVED:
                return term, name, None
            term = terms.args(term)[0]

    def _spelling(self, term: Term) -> str:
        """Return the spelling of a term that is a variable, attribute or item; empty for any other."""
        terms = self._flow.terms
        operation, data = terms.operation(term), terms.data(term)
        if operation in ("param", "free"):
            return str(data[1])
        if operation == "attr" or (operation == "item" and terms.operation(terms.args(term)[1]) == "const"):
            base = self._spelling(terms.args(term)[0])
            part = f".{data[0]}" if operation == "attr" else f"[{terms.constant(terms.args(term)[1])!r}]"
            if base:
                return f"{base}{part}"
        variables = self._flow.env.values.items()
        return next((str(name) for name, value in variables if value == term and str(name).isidentifier()), "")
