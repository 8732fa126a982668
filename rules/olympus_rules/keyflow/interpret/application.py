"""Calls of functions and classes whose source is in reach: the summary, applied to the arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, cast

from olympus_rules.code.instructions import FunctionCode
from olympus_rules.code.names import dotted_name
from olympus_rules.keyflow.domain import presence
from olympus_rules.keyflow.domain.access import (
    CALLABLE,
    MAX_SEARCHED,
    as_term,
    choose,
    get_item,
    item_index,
    leaves,
    map_leaves,
    objects,
    operand_term,
    with_item,
)
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.consumption import consume, drawn, terms_given
from olympus_rules.keyflow.domain.ledger import STATE, STATE_OF_OBJECT, Certainty, Consumption
from olympus_rules.keyflow.domain.memory import assign, exchange, set_element, set_item
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, bit_numbers, both
from olympus_rules.keyflow.domain.spreading import spread
from olympus_rules.keyflow.domain.summary import Change, Summary, Write, origin, owners, way_in
from olympus_rules.keyflow.domain.terms import CHANGED, Term, Terms
from olympus_rules.keyflow.domain.type_tests import asks_for_its_type
from olympus_rules.keyflow.domain.values import Choice, Class, Const, Function, Library, Map, Sequence, Value, is_zero
from olympus_rules.keyflow.facts import Place
from olympus_rules.keyflow.interpret import counting, lanes, made_objects
from olympus_rules.keyflow.interpret.attributes import alternative
from olympus_rules.keyflow.interpret.callees import saves
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.interpret.instance import Instance
from olympus_rules.keyflow.interpret.rows import confused
from olympus_rules.keyflow.interpret.specialisation import specialisation
from olympus_rules.keyflow.interpret.summarising import unknown_summary

MAX_TAKEN = 200
"""Conditions of its callees that are followed in one function; the effects of further callees with some are unknown.

Each becomes a decision of the caller, and of its callers in turn: where large classes that hold each other test the
kinds of what they hold, their number grows with each level of calls.
"""


def apply(flow: Flow, function: Function, arguments: Arguments) -> Value:
    """Return the result of a call of a function, and record what the call consumes."""
    concerned = arguments.decorates or concerns_keys(flow, arguments)
    reached = flow.linker.lookups.reach(function, concerned=concerned or arguments.closes)
    wanted = concerned or arguments.asks or arguments.closes
    if reached is None or not (wanted or any(_matters(flow, each) for each in _run_by(reached))):
        return _object(flow, function)
    function = reached
    binding = bind(flow, function, arguments)
    _pass_on(flow, function, binding)
    summary = flow.linker.summariser.summary(function.code, specialisation(flow, function, binding))
    if summary is None:  # a recursive call, before there is a first summary
        return flow.terms.fresh()
    if flow.file.generators and not function.code.is_foreign:
        unread = [value for name, value in binding.items() if name not in function.code.reads]
        made_objects.leave_generators(flow, arguments, unread)
    if flow.taken > MAX_TAKEN and summary.is_conditional:
        summary = unknown_summary(flow.file, function.code)
    instance = Instance(flow, summary, binding, dict(function.captured))
    states = counting.held(flow, function, binding)
    arrays = flow.arrays
    given = arrays.given(arguments) if arrays is not None else frozenset()
    blurred = _blurred(summary, instance) if summary.writes else set()
    writes = [_applied(flow, instance, write) for write in summary.writes]
    uses = [use for use in summary.uses if not blurred or blurred.isdisjoint(owners(flow.terms, use.term))]
    later: list[Consumption] = []
    for use in uses:
        if summary.changes and _is_later(flow.terms, use.term):
            later.append(use)
        else:
            _consume(flow, function, arguments, instance, use)
    _change(flow, instance, [change for change in summary.changes if change[1] != presence.AGAIN])
    for use in later:
        _consume(flow, function, arguments, instance, use)
    _change(flow, instance, [(term, None) for term, name in summary.changes if name == presence.AGAIN])
    if summary.draws:
        lanes.pass_on(flow, function, summary.draws, instance, terms_given(arguments))
    for write in writes:
        if write is not None and write.term not in blurred:
            _write(flow, instance, write, given)
    for term, name in summary.changes:
        if name == presence.KEYWORDS:
            _write_keywords(flow, instance, instance.current(term))
    for term in blurred:
        flow.forget(cast(Term, instance.value(term)))
    if arguments.node is not None and not _returns(flow, summary, instance):
        flow.ended = not function.doubtful
    for exception, is_drawn in summary.raised:
        flow.raised[exception] = is_drawn or flow.raised.get(exception, False)
    returned = counting.put_back(flow, states, instance.returned(summary.returns))
    return map_leaves(returned, lambda leaf: flow.terms.fresh() if leaf in given else leaf) if given else returned


def _change(flow: Flow, instance: Instance, changes: list[Change]) -> None:
    """Let the caller's objects and variables hold anything that the callee may have changed."""
    for term, name in changes:
        owner = instance.current(term)
        if name == presence.VARIABLE:
            assign(flow, term, flow.terms.fresh(), ALWAYS)
        elif name not in (None, presence.HANDED, presence.KEYWORDS):
            _set(flow, instance, owner, name, flow.terms.fresh())
        elif not _rebind(flow, instance, owner, None):
            for target in leaves(owner)[:1]:
                flow.forget(target, handed=name is not None)


def _object(flow: Flow, callee: Function) -> Value:
    """Return what a callee gives that is not followed: only its class may be asked for.

    It may be an object of a library, as the annotation of the callee says.
    """
    annotation = None if callee.code.is_foreign else getattr(callee.code.node, "returns", None)
    name = None if annotation is None else flow.file.document.imports.resolve(dotted_name(annotation))
    if name and flow.file.table.get(name).returns == name:
        return Library(name)
    made = flow.terms.fresh()
    flow.file.given_by[made] = callee
    return made


def _run_by(function: Function) -> Iterator[FunctionCode]:
    """Yield the code of a function, and of the functions that it is known to hold, as a decorator's result does."""
    yield function.code
    yield from (value.code for _, value in function.captured if isinstance(value, Function))


def _returns(flow: Flow, summary: Summary, instance: Instance) -> bool:
    """Return whether a call of a function may return; a flag of an object that has to be so holds after it."""
    if summary.returning is None or summary.returning == ALWAYS:
        return summary.returning is not None
    path = instance.path(summary.returning)
    joined = None if path is None else both(flow.path, path)
    if path is not None and joined is not None:
        tests = (flow.decisions.tests[number] for mask in path for number in bit_numbers(mask))
        flow.path = joined if all(flow.terms.operation(test) == "attr" for test in tests) else flow.path
    return joined is not None


def _matters(flow: Flow, code: FunctionCode) -> bool:
    """Return whether a function is worth following without a key among its arguments."""
    return code not in flow.file.idle or code.is_property or bool(code.outer_names) or code.is_test


def _pass_on(flow: Flow, function: Function, binding: dict[str, Value]) -> None:
    """Record which parameters of a function receive keys: its operations on them are then operations on keys.

    Of a tuple or a dictionary, its parts are such parameters.
    """
    for name, value in binding.items():
        parameter = flow.terms.make("param", (function.code, name))
        if isinstance(value, Sequence) and not value.open:
            for number, part in enumerate(value.items[:MAX_SEARCHED]):
                _receive(flow, flow.terms.item(parameter, flow.terms.const(number)), part)
        elif isinstance(value, Map):
            for key, part in value.items[:MAX_SEARCHED]:
                _receive(flow, flow.terms.item(parameter, flow.terms.const(key)), part)
        else:
            _receive(flow, parameter, value)


def _receive(flow: Flow, parameter: Term, value: Value) -> None:
    if isinstance(value, Term) and flow.knowledge.is_known(value):
        flow.knowledge.pass_on(parameter, value)
    else:
        flow.knowledge.mixed.add(parameter)


def _blurred(summary: Summary, instance: Instance) -> set[Term]:
    """Return the objects of the callee that are aliases in the caller, if the callee writes to one of them.

    Their contents are unknown: the callee was interpreted as if they were distinct.
    """
    written = {term for term, *_ in summary.writes}
    objects = written.union(*(owners(instance.flow.terms, use.term) for use in summary.uses))
    if len(objects) < 2:
        return set()
    same: dict[Value, set[Term]] = {}
    for term in objects:
        value = instance.value(term)
        if isinstance(value, Term):
            same.setdefault(value, set()).add(term)
    return {term for terms in same.values() if len(terms) > 1 and not terms.isdisjoint(written) for term in terms}


def _consume(flow: Flow, function: Function, arguments: Arguments, instance: Instance, use: Consumption) -> None:
    """Record a consumption by the callee as one by the caller."""
    value = instance.value(use.term)
    if isinstance(value, Term) and value in flow.file.generators:
        return  # a generator of keys may stand where a key is taken
    if use.draw == STATE_OF_OBJECT:
        if not counting.applies(flow, instance, use):
            return
    elif use.certainty != Certainty.KNOWN and (not _may_hold_keys(flow, value) or saves(function.code.name)):
        return
    path = instance.path(use.path)
    joined = None if path is None else both(flow.path, path)
    if joined is None:
        return
    is_key = use.certainty == Certainty.KNOWN or use.term in flow.knowledge.used
    if is_key and not asks_for_its_type(flow.terms, flow.decisions, use):
        for term, rank in _with_ranks(value, flow.knowledge.used.get(use.term, 0)):
            flow.knowledge.use(term, rank, joined)
    handed = arguments.node is None  # a transformation makes the call: the place is in the function itself
    node = arguments.node or (flow.site if function.code.is_foreign else use.node)
    if node is None:
        return
    if use.certainty == Certainty.KNOWN and not handed and not function.doubtful and use.path == ALWAYS:
        confused(flow, value, function.code.name, node, by_text=True)
    is_made_inside = use.given is not None or flow.terms.operation(flow.terms.seed_of(use.term)) == "seed"
    passed = replace(
        use,
        given=_given(flow, instance) if is_made_inside else None,
        node=node,
        what=use.what if handed else _name(function, arguments),
        certainty=min(use.certainty, Certainty.UNKNOWN) if function.doubtful else use.certainty,
        path=joined,
        key=use.key if handed else _expression(flow, instance, use, arguments),
        call=instance.number,
        origin=way_in(flow.terms, use.term),
        loop=arguments.loop or use.loop if handed else arguments.loop,
        folded=None if use.folded is None else made_objects.of_structures(flow, instance.value(use.folded)),
        stored=use.stored or _stored(flow.terms, function.code, use.term),
        inside=None if function.code.is_foreign else use.inside or Place(use.node, use.what, use.key),
    )
    consume(flow, value, passed)
    if function.code.is_foreign and not _returns_children(flow.terms, instance.summary, use):
        unsure = None if use.certainty == Certainty.KNOWN else function
        drawn(flow, value, Place(node, passed.what, passed.key), unsure)


def _stored(terms: Terms, code: FunctionCode, term: Term) -> str:
    """Return the attribute of its own object that a method reads as a term; empty for any other term."""
    if code.owner is None or not code.parameters or terms.operation(term) != "attr":
        return ""
    is_own = terms.args(term)[0] == terms.make("param", (code, code.parameters[0]))
    return str(terms.data(term)[0]) if is_own else ""


def _returns_children(terms: Terms, summary: Summary, use: Consumption) -> bool:
    """Return whether a function splits a key and gives the children back: the caller draws from them, or does not."""
    return use.draw == "split" and any(terms.root(leaf) == terms.root(use.term) for leaf in leaves(summary.returns))


def _given(flow: Flow, instance: Instance) -> Term:
    """Return the arguments of a call as one term, equal for calls that do the same."""
    names, values = tuple(instance.binding), instance.binding.values()
    return flow.terms.make("op", ("given", *names), *(operand_term(flow, value) for value in values))


def _name(function: Function, arguments: Arguments) -> str:
    """Return the name of a callee as the user knows it: that of a decorated function, and not that of the wrapper."""
    held = [value.code.name for _, value in function.captured if isinstance(value, Function)]
    called = dotted_name(arguments.node.func).rpartition(".")[2] if held and arguments.node is not None else ""
    return next((name for name in held if name.rpartition(".")[2] == called), function.code.name)


def _with_ranks(value: Value, rank: int) -> Iterator[tuple[Term, int]]:
    """Yield the terms in a value of some batch axes, each with its own number of them: a stack has one more."""
    if isinstance(value, Sequence) and value.kind == "stack":
        for part in value.items:
            yield from _with_ranks(part, max(rank - 1, 0))
    elif isinstance(value, Choice):
        for _, arm in value.arms:
            yield from _with_ranks(arm, rank)
    else:
        yield from ((term, rank) for term in leaves(value))


def concerns_keys(flow: Flow, arguments: Arguments) -> bool:
    """Return whether an argument may hold a key, be called, or be an object with keys in its attributes."""
    values = arguments.values()
    for value in values:  # this runs for each call: a generator would take twice as long
        if isinstance(value, CALLABLE) or _may_hold_keys(flow, value):
            return True
    if flow.holders and any(term in flow.holders for value in values for term in leaves(value)):
        return True
    if flow.file.counting and any(counting.is_of_class(flow, value) for value in values):
        return True
    arrays = flow.arrays
    return arrays is not None and any(arrays.concerns(value) for value in values)


def _may_hold_keys(flow: Flow, value: Value) -> bool:
    """Return whether a value holds a candidate for a key, or a part of one, as far as known."""
    is_candidate, ancestors = flow.knowledge.is_candidate, flow.terms.ancestors
    for leaf in leaves(value):  # it is asked of each argument of each call
        if is_candidate(leaf):
            return True
        for whole in ancestors(leaf):
            if is_candidate(whole):
                return True
    return False


def _is_later(terms: Terms, term: Term) -> bool:
    """Return whether a term is read from an object after an unknown call may have changed the object."""
    while args := terms.args(term):
        data = terms.data(term)
        if isinstance(data, tuple) and ((terms.operation(term) == "attr" and data[1]) or data[0] == CHANGED):
            return True
        term = args[0]
    return False


class _AppliedWrite(NamedTuple):
    """A write by the callee, as seen by the caller.

    Attributes:
        term, name, value: the object, the attribute or item, and the new value, in terms of the callee.
        path: the path condition of the write, in the caller.
        is_there: whether an item surely exists afterwards.
    """

    term: Term
    name: str
    value: Value
    path: PathCondition
    is_there: bool


def _applied(flow: Flow, instance: Instance, write: Write) -> _AppliedWrite | None:
    """Return a write by the callee as seen by the caller before any write; ``None`` if it cannot happen."""
    term, name, value, condition = write
    path = instance.path(condition)
    if name != presence.ELEMENT or path is None:
        instance.value(term)
        return None if path is None else _AppliedWrite(term, name, value, path, is_there=True)
    container, index = (instance.value(part) for part in flow.terms.args(term))
    is_there = path == ALWAYS or presence.is_sure(flow, path, index, container)
    return _AppliedWrite(term, name, value, path, is_there)


def _write(flow: Flow, instance: Instance, write: _AppliedWrite, given: frozenset[Term]) -> None:
    term, name, value, path, is_there = write
    written = instance.returned(value)
    if given:
        written = map_leaves(written, lambda leaf: flow.terms.fresh() if leaf in given else leaf)
    if name == presence.ELEMENT:
        array, place = flow.terms.args(term)
        _fill(flow, instance, instance.current(array), instance.value(place), written if is_there else None)
        return
    if name == presence.VARIABLE:
        assign(flow, term, written, path)
        return
    owner, index = instance.current(term), item_index(name)
    if index is None:
        for arm, target in objects(flow, owner):
            joined = both(path, arm)
            flow.holders.add(target)
            if name == STATE:  # whether a callee draws or may draw, an object is not compared with its old self
                counting.advance(flow, target)
            elif joined is not None:
                _set(flow, instance, target, name, alternative(flow, joined, written, target, name))
        return
    if isinstance(owner, Term):
        flow.holders.add(owner)
    if path != ALWAYS:
        holds, fails = flow.decisions.alternatives(path)
        written = choose(flow, [(holds, written), (fails, get_item(flow, owner, Const(index)))])
    _set(flow, instance, owner, name, written)


def _write_keywords(flow: Flow, instance: Instance, owner: Value) -> None:
    """Write the attributes that the further keywords of a call name."""
    given = instance.binding.get(instance.summary.code.kwarg or "")
    if isinstance(given, Map) and not given.open:
        for name, value in given.items:
            _set(flow, instance, owner, str(name), value)
    else:
        for target in leaves(owner):
            flow.forget(target, handed=True)


def _fill(flow: Flow, instance: Instance, container: Value, index: Value, written: Value | None) -> None:
    """Write an item of a dictionary or list; ``None`` if the item may not exist afterwards."""
    if isinstance(container, Map) and isinstance(index, Const) and written is not None:
        _rebind(flow, instance, container, with_item(container, index.value, written))
        return
    if isinstance(container, Map | Sequence | Choice):
        new = flow.terms.fresh()
        if _rebind(flow, instance, container, new) and written is not None:
            set_element(flow, new, index, written)
    elif isinstance(container, Term):
        if written is None:
            flow.forget(container)
        else:
            set_element(flow, container, index, written)


def _set(flow: Flow, instance: Instance, owner: Value, name: str, written: Value) -> None:
    """Write an attribute or item of an object."""
    index = item_index(name)
    changed = with_item(owner, index, written) if index is not None and isinstance(owner, Map | Sequence) else None
    if index is not None and _rebind(flow, instance, owner, changed):
        return
    for target in leaves(owner) if index is None else leaves(owner)[:1]:
        if index is None:
            flow.set_attribute(target, name, written)
        else:
            set_item(flow, target, Const(index), written)


def _rebind(flow: Flow, instance: Instance, container: Value, changed: Value | None) -> bool:
    """Replace a container by its new value (``None``: unknown) wherever it is held; return whether it is one."""
    if not isinstance(container, Map | Sequence | Choice) or (
        isinstance(container, Sequence) and container.kind == "tuple"
    ):
        return False
    if isinstance(container, Choice) and all(isinstance(value, Term) for _, value in container.arms):
        return False
    new = flow.terms.fresh() if changed is None else changed
    exchange(flow, container, new)
    instance.exchange(container, new)
    return True


def _expression(flow: Flow, instance: Instance, use: Consumption, arguments: Arguments) -> ast.expr | None:
    """Return the argument expression of a call that passes the consumed key."""
    summary = instance.summary
    source = origin(flow.terms, use.term)
    if source is None or flow.terms.operation(source) != "param":
        return None
    name = flow.terms.data(source)[1]
    bound = len(arguments.positional) - len(arguments.node.args) if arguments.node else 0
    if name in summary.code.parameters:
        position = summary.code.parameters.index(name)
    else:  # one of `*args` or `**kwargs`
        given = instance.binding.get(name)
        name = next((keyword for keyword, value in arguments.keywords if keyword and value == given), name)
        values = [value for value, _ in arguments.positional]
        position = values.index(given) if given in values else len(values)
    expression = arguments.expression(position - bound, name) if position >= bound else None
    return expression if flow.terms.operation(use.term) == "param" else None


def bind(flow: Flow, function: Function, arguments: Arguments) -> dict[str, Value]:
    """Return the value of each parameter in a call."""
    code = function.code
    binding: dict[str, Value] = dict(function.defaults)
    needed = [name for name in code.parameters if name not in binding]
    arguments = spread(flow, arguments, code.parameters[: code.positional], needed)
    rest: list[Value] = []
    sure = True
    for value, starred in arguments.positional:
        if starred and isinstance(value, Sequence) and not value.open:
            rest.extend(value.items)
        elif starred:
            sure = False
            break
        else:
            rest.append(value)
    for name, value in zip(code.parameters[: code.positional], rest, strict=False):
        binding[name] = value
    if code.vararg is not None:
        binding[code.vararg] = Sequence("tuple", tuple(rest[code.positional :]), not sure)
    extra: list[tuple[object, Value]] = []
    for keyword, value in arguments.keywords:
        if keyword is None:
            sure = False
        elif keyword in code.parameters:
            binding[keyword] = value
        else:
            extra.append((keyword, value))
    if code.kwarg is not None:
        binding[code.kwarg] = Map(tuple(extra), not sure)
    if not sure:
        given = {keyword for keyword, _ in arguments.keywords} | set(code.parameters[: len(rest)])
        for name in code.parameters:
            if name not in binding or (is_zero(binding[name]) and name not in given):
                binding[name] = flow.terms.fresh()
    return binding


def _made_by_new(flow: Flow, class_: Class, arguments: Arguments) -> Value | None:
    """Return the result of ``__new__`` of a class, ``None`` if it is an instance of the class as far as known."""
    code = flow.linker.hierarchy.method(class_.code, "__new__")
    function = None if code is None else flow.file.function(code)
    if not isinstance(function, Function):
        return None
    made = apply(flow, function, replace(arguments, positional=((class_, False), *arguments.positional)))
    if isinstance(made, Term) and flow.file.classes.get(made) not in (None, class_.code):
        return made
    is_usual = function.code.is_foreign or any(
        isinstance(part, ast.Attribute) and part.attr == "__new__" for part in ast.walk(function.code.node)
    )
    return None if is_usual else made


def construct(flow: Flow, class_: Class, arguments: Arguments) -> Value:
    """Return an instance of a class whose source is in reach, or what its ``__new__`` returns instead."""
    other = _made_by_new(flow, class_, arguments)
    if other is not None:
        return other
    instance = flow.make("fresh", ("", flow.terms.number()))
    flow.file.classes[instance] = class_.code
    if arguments.node is not None:
        flow.events.constructed[instance] = arguments.node, flow.path
    made_objects.make(flow, flow.terms.data(as_term(flow, class_)), instance, arguments)
    counting.begin(flow, instance, arguments)
    initialiser = flow.linker.hierarchy.method(class_.code, "__init__")
    if initialiser is not None:
        function = flow.file.function(initialiser)
        if isinstance(function, Function):
            apply(flow, function, replace(arguments, positional=((instance, False), *arguments.positional)))
        return instance
    _fill_fields(flow, class_, instance, arguments)
    return instance


def _defaults(flow: Flow, class_: Class) -> dict[str | None, Value]:
    """Return what the bodies of a class and its bases give to fields."""
    defaults: dict[str | None, Value] = {}
    for each in reversed(list(flow.linker.hierarchy.ancestry(class_.code))):
        kept = {name: value for name, value in defaults.items() if name not in each.values}
        defaults = kept | {name: Const(value) for name, value in each.defaults.items()}
    return defaults


def _fill_fields(flow: Flow, class_: Class, instance: Term, arguments: Arguments) -> None:
    """Give the fields of an object the arguments of its constructor, or the defaults that the class body has."""
    given: dict[str | None, Value] = dict(arguments.keywords)
    for name, (value, starred) in zip(flow.linker.hierarchy.fields(class_.code), arguments.positional, strict=False):
        if starred:
            given[None] = value
            break
        given[name] = value
    if None not in given and flow.linker.hierarchy.method(class_.code, "__post_init__") is None:
        given = _defaults(flow, class_) | given
    for field, value in given.items():
        if field is not None:
            flow.set_attribute(instance, field, value)
