"""Summaries: what a call of a function of this file does, computed once and applied at each call.

A summary is the function's key signature together with the terms behind it: what it consumes and returns, in
terms of its parameters and of the variables of enclosing scopes. A call puts the arguments in their place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from olympus.signature import Forward, KeySignature, Sink, Source
from olympus_rules.keyflow.access import CALLABLE, as_term, choose, get_item, leaves, map_leaves
from olympus_rules.keyflow.arguments import Arguments
from olympus_rules.keyflow.instructions import FunctionCode
from olympus_rules.keyflow.ledger import Certainty, Consumption
from olympus_rules.keyflow.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.terms import Term, Terms
from olympus_rules.keyflow.values import Choice, Class, Condition, Const, Function, Map, Sequence, Value

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpreter import Interpreter

__all__ = ["Summary", "apply", "concerns_keys", "construct", "summarise"]

MAX_USES = 40  # consumptions kept of one function; callers need to know that a key is used up, not how often


@dataclass(frozen=True, slots=True)
class Summary:
    """What a caller has to know of a function.

    Attributes:
        code: the function.
        uses: its consumptions of what came from outside, and of what it returns.
        returns: what it returns, under which conditions.
        writes: the attributes it writes to objects from outside: (object, name, value, condition).
    """

    code: FunctionCode
    uses: tuple[Consumption, ...]
    returns: Value
    writes: tuple[tuple[Term, str, Value, PathCondition], ...]

    def signature(self, terms: Terms) -> KeySignature:
        """Return the key signature, the part of a summary that has a public form."""
        sinks = {
            path: Sink(path, conditional=use.path != ALWAYS)
            for use in self.uses
            if (path := _input_path(terms, use.term)) is not None
        }
        sources: list[Source] = []
        forwards: list[Forward] = []
        for output, term in _outputs(self.returns):
            path = _input_path(terms, term)
            operation = terms.operation(term)
            if path is not None and terms.operation(terms.root(term)) == "param" and operation != "fold_in":
                forwards.append(Forward(output, path))
            elif operation in ("split", "fold_in", "clone", "item"):
                base = terms.root_array(term)
                via = terms.operation(base)
                if via in ("split", "fold_in", "clone"):
                    parent = _input_path(terms, terms.args(base)[0])
                    sources.append(Source(output + ("[*]" if term == base and via == "split" else ""), parent, via))
            elif operation == "seed":
                sources.append(Source(output, None, "seed"))
        return KeySignature(self.code.parameters, tuple(sinks.values()), tuple(sources), tuple(forwards))


def _outputs(value: Value, path: str = "") -> list[tuple[str, Term]]:
    if isinstance(value, Sequence):
        return [found for i, item in enumerate(value.items) for found in _outputs(item, f"{path}[{i}]")]
    if isinstance(value, Map):
        return [found for key, item in value.items for found in _outputs(item, f"{path}[{key!r}]")]
    if isinstance(value, Choice):
        return list(dict.fromkeys(found for _, item in value.arms for found in _outputs(item, path)))
    return [(path, value)] if type(value) is int else []


def _input_path(terms: Terms, term: Term) -> str | None:
    """Return ``state.key``, ``keys[0]`` for a term that is a part of a parameter."""
    operation, data = terms.operation(term), terms.data(term)
    if operation == "param":
        return str(data[1])
    if operation not in ("attr", "item"):
        return None
    base = _input_path(terms, terms.args(term)[0])
    if base is None:
        return None
    if operation == "attr":
        return f"{base}.{data[0]}"
    index = terms.args(term)[1]
    if terms.operation(index) != "const":
        return None
    value = terms.constant(index)
    return f'{base}["{value}"]' if isinstance(value, str) else f"{base}[{value!r}]"


def summarise(flow: Interpreter) -> Summary:
    """Return the summary of a function that was run."""
    terms = flow.terms
    returns = choose(flow, flow.returns) if flow.returns else Const(None)
    returned = set(leaves(returns))
    uses: dict[tuple[Term, str, int | None, object], Consumption] = {}
    for use in flow.ledger.consumptions:
        if use.certainty != Certainty.KNOWN and terms.operation(use.term) == "op":
            continue
        origin = _origin(terms, use.term)
        if origin is None and returned.isdisjoint(_made_from(terms, use.term)):
            continue
        slot = (use.term, use.draw, use.count, use.path if use.path != ALWAYS else None)
        if slot not in uses and len(uses) < MAX_USES:
            uses[slot] = use
    writes = tuple(write for write in flow.writes if _origin(terms, write[0]) is not None)
    return Summary(flow.code, tuple(uses.values()), returns, writes)


SAME_EACH_TIME = frozenset({"attr", "item", "slice", "lane", "batch", "view", "unwrap", "fold_in"})


def _made_from(terms: Terms, term: Term) -> Iterator[Term]:
    """Return the term and what it is a part of or always derived from in one way, nearest first."""
    yield term
    while terms.operation(term) in SAME_EACH_TIME:
        term = terms.args(term)[0]
        yield term


def _origin(terms: Terms, term: Term) -> Term | None:
    """Return the parameter or outer variable that a term is a part of or is always derived from in one way.

    What a split inside the function gives is of no interest to a caller: each call has children of its own.
    """
    *_, term = _made_from(terms, term)
    return term if terms.operation(term) in ("param", "free") else None


def _way_in(terms: Terms, term: Term) -> Term:
    """Return the parameter or outer variable that a term is made from, or the element of it, where it is one."""
    element = None
    while terms.operation(term) in SAME_EACH_TIME:
        is_element = terms.operation(term) == "item" and terms.operation(terms.args(term)[1]) == "const"
        element, term = term if is_element else None, terms.args(term)[0]
    return term if element is None else element


def apply(flow: Interpreter, function: Function, arguments: Arguments) -> Value:
    """Return what a call of a function of this file gives, and note what it consumes."""
    if function.code in flow.analysis.idle and not concerns_keys(flow, arguments):
        return flow.terms.fresh()
    summary = flow.analysis.summary(function.code)
    if summary is None:  # it calls itself: its consumptions are found in its own body
        return flow.terms.fresh()
    instance = Instance(flow, summary, bind(flow, function, arguments))
    for use in summary.uses:
        path = instance.path(use.path)
        value = instance.value(use.term)
        if path is None:
            continue
        joined = both(flow.path, path)
        if joined is None:
            continue
        if use.certainty == Certainty.KNOWN:
            for term in leaves(value):
                flow.knowledge.use(term, flow.knowledge.used.get(use.term, 0), joined)
        handed = arguments.node is None  # a transform makes the call: the place is in the function itself
        passed = replace(
            use,
            node=arguments.node or use.node,
            what=use.what if handed else function.code.name,
            certainty=min(use.certainty, Certainty.UNKNOWN) if function.doubtful else use.certainty,
            path=joined,
            key=use.key if handed else _expression(flow, summary, use, arguments),
            call=instance.number,
            origin=_way_in(flow.terms, use.term),
            loop=arguments.loop or use.loop if handed else arguments.loop,
        )
        flow.consume(value, passed)
    for term, name, value, path in summary.writes:
        _write(flow, instance, term, name, value, path)
    return instance.returned(summary.returns)


def concerns_keys(flow: Interpreter, arguments: Arguments) -> bool:
    """Say whether an argument may be a key or call for one."""
    knowledge = flow.knowledge
    return any(
        isinstance(value, CALLABLE)
        or any(knowledge.is_candidate(t) for leaf in leaves(value) for t in (leaf, *flow.terms.ancestors(leaf)))
        for value in arguments.values()
    )


def _write(
    flow: Interpreter, instance: Instance, term: Term, name: str, value: Value, condition: PathCondition
) -> None:
    path = instance.path(condition)
    if path is None:
        return
    written = map_leaves(value, instance.value)
    for target in leaves(instance.value(term))[:1]:
        if path != ALWAYS:
            old = flow.get_attribute(target, name)
            mask = flow.decisions.outcomes(flow.terms.make("op", "path", *path_terms(flow, path)))
            written = choose(flow, [(both(path, mask[0]) or path, written), (mask[1], old)])
        flow.set_attribute(target, name, written)


def path_terms(flow: Interpreter, path: PathCondition) -> list[Term]:
    """Return a condition as terms, so that it can stand in a term."""
    return [flow.terms.const(path[0]), flow.terms.const(path[1])]


def _expression(flow: Interpreter, summary: Summary, use: Consumption, arguments: Arguments) -> ast.expr | None:
    """Return the argument expression of a call through which a consumed key went in."""
    origin = _origin(flow.terms, use.term)
    if origin is None or flow.terms.operation(origin) != "param":
        return None
    name = flow.terms.data(origin)[1]
    if name not in summary.code.parameters:
        return None
    position = summary.code.parameters.index(name)
    bound = len(arguments.positional) - len(arguments.node.args) if arguments.node else 0
    expression = arguments.expression(position - bound, name) if position >= bound else None
    return expression if flow.terms.operation(use.term) == "param" else None


def bind(flow: Interpreter, function: Function, arguments: Arguments) -> dict[str, Value]:
    """Return the value of each parameter in a call."""
    code = function.code
    binding: dict[str, Value] = dict(function.defaults)
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
        for name in code.parameters:
            if name not in binding or name in dict(function.defaults):
                binding.setdefault(name, flow.terms.fresh())
    return binding


class Instance:
    """One call of a summarised function: replaces its terms by the caller's values."""

    def __init__(self, flow: Interpreter, summary: Summary, binding: dict[str, Value]) -> None:
        """Take the caller and the arguments."""
        self.flow = flow
        self.summary = summary
        self.binding = binding
        self.number = flow.terms.number()
        self._values: dict[Term, Value] = {}
        self._conditions: dict[int, tuple[PathCondition | None, PathCondition | None]] = {}

    def value(self, term: Term) -> Value:
        """Return the caller's value of a term of the callee."""
        found = self._values.get(term)
        if found is None:
            found = self._values[term] = self._replace(term)
        return found

    def returned(self, value: Value) -> Value:
        """Return the caller's value of what the callee returns."""
        if isinstance(value, Choice):
            arms = [(self.path(path), part) for path, part in value.arms]
            return choose(self.flow, [(path, self.returned(part)) for path, part in arms if path is not None])
        if isinstance(value, Sequence):
            return Sequence(value.kind, tuple(self.returned(item) for item in value.items), value.open)
        if isinstance(value, Map):
            return Map(tuple((key, self.returned(item)) for key, item in value.items), value.open)
        if isinstance(value, Condition):
            return Condition(value.operation, tuple(self.returned(operand) for operand in value.operands))
        return self.value(value) if type(value) is int else value

    def _term(self, term: Term) -> Term:
        return as_term(self.flow, self.value(term))

    def _replace(self, term: Term) -> Value:
        terms, knowledge = self.flow.terms, self.flow.knowledge
        operation, data, args = terms.operation(term), terms.data(term), terms.args(term)
        if operation == "const":
            return Const(data)
        if operation == "param":
            code, name = data
            if code is not self.summary.code:
                return term
            value = self.binding.get(name)
            return self.flow.terms.fresh() if value is None else value
        if operation == "free":
            scope, name = data
            if scope is self.flow.code:
                held = self.flow.env.get(name)
                return term if held is None else cast(Value, held)
            return term
        if operation == "fresh":
            return terms.make("fresh", (self.number, data))
        if operation == "attr":
            owner = self.value(args[0])
            return self.flow.get_attribute(owner, data[0])
        if operation == "item":
            return get_item(self.flow, self.value(args[0]), self.value(args[1]))
        inner: Hashable = (self.number, data)
        if operation == "seed":
            return knowledge.seed(data[0], inner, self._term(args[0]))
        if operation == "split":
            count = self.value(args[1])
            axes = len(count.items) if isinstance(count, Sequence) else 1
            return self._each(args[0], lambda key: knowledge.split(inner, key, as_term(self.flow, count), axes))
        if operation == "fold_in":
            datum = self._term(args[1])
            return self._each(args[0], lambda key: knowledge.fold_in(key, datum))
        if operation == "clone":
            return self._each(args[0], lambda key: knowledge.clone(inner, key))
        return self._rearranged(operation, data, args)

    def _rearranged(self, operation: str, data: Any, args: tuple[Term, ...]) -> Value:
        terms, knowledge = self.flow.terms, self.flow.knowledge
        if operation == "slice":
            lower, upper = data
            return self._each(args[0], lambda array: knowledge.slice(array, lower, upper))
        if operation == "lane":
            return self._each(args[0], knowledge.lane)
        if operation == "batch":
            return self._each(args[0], knowledge.batch)
        if operation == "view":
            return self._each(args[0], lambda array: knowledge.view(str(data), array, knowledge.rank(array)))
        return terms.make(operation, data, *(self._term(arg) for arg in args))

    def _each(self, term: Term, function: Callable[[Term], Value]) -> Value:
        return map_leaves(self.value(term), function)

    def path(self, path: PathCondition) -> PathCondition | None:
        """Return a condition of the callee as one of the caller; ``None`` when the arguments rule it out."""
        result: PathCondition | None = ALWAYS
        for mask, wanted in ((path[0], 0), (path[1], 1)):
            while mask and result is not None:
                lowest = mask & -mask
                mask ^= lowest
                outcome = self._outcome(lowest)[wanted]
                result = None if outcome is None else both(result, outcome)
        return result

    def _outcome(self, bit: int) -> tuple[PathCondition | None, PathCondition | None]:
        found = self._conditions.get(bit)
        if found is None:
            test = self.flow.decisions.tests[bit.bit_length() - 1]
            found = self._conditions[bit] = self.flow.outcomes(self.condition(test))
        return found

    def condition(self, test: Term) -> Value:
        """Return the caller's value of a condition, decided where the arguments decide it."""
        terms = self.flow.terms
        operation, data, args = terms.operation(test), terms.data(test), terms.args(test)
        if operation == "op" and data in ("Is", "Eq") and len(args) == 2:
            left, right = self.value(args[0]), self.value(args[1])
            if isinstance(right, Const) and right.value is None and data == "Is":
                if isinstance(left, Const):
                    return Const(left.value is None)
                if type(left) is not int or left in self.flow.knowledge.origins:
                    return Const(False)
            if isinstance(left, Const) and isinstance(right, Const) and not (left.counter or right.counter):
                return Const(left.value == right.value)
        if operation == "op" and data in ("and", "or", "not"):
            return Condition(data, tuple(self.condition(arg) for arg in args))
        return self.value(test)


def construct(flow: Interpreter, class_: Class, arguments: Arguments) -> Value:
    """Return an instance of a class of this file."""
    instance = flow.terms.fresh()
    flow.analysis.classes[instance] = class_.code
    initialiser = flow.analysis.method(class_.code, "__init__")
    if initialiser is not None:
        apply(
            flow,
            Function(initialiser),
            replace(arguments, positional=((instance, False), *arguments.positional)),
        )
        return instance
    for name, (value, starred) in zip(class_.code.fields, arguments.positional, strict=False):
        if starred:
            break
        flow.set_attribute(instance, name, value)
    for keyword, value in arguments.keywords:
        if keyword is not None:
            flow.set_attribute(instance, keyword, value)
    return instance
