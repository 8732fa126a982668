"""What a call of a function or class does whose source is in reach: its summary, with the arguments in their place."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from olympus_rules.keyflow import lanes
from olympus_rules.keyflow.access import CALLABLE, choose, leaves
from olympus_rules.keyflow.arguments import Arguments
from olympus_rules.keyflow.instance import Instance
from olympus_rules.keyflow.ledger import Certainty, Consumption
from olympus_rules.keyflow.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.specialisation import specialisation
from olympus_rules.keyflow.summary import Summary, origin
from olympus_rules.keyflow.terms import Term
from olympus_rules.keyflow.values import Class, Function, Map, Sequence, Value

if TYPE_CHECKING:
    from olympus_rules.keyflow.interpreter import Interpreter

__all__ = ["apply", "concerns_keys", "construct"]


def apply(flow: Interpreter, function: Function, arguments: Arguments) -> Value:
    """Return what a call of a function gives, and note what it consumes."""
    concerned = concerns_keys(flow, arguments)
    reached = flow.analysis.reach(function, concerned=concerned)
    if reached is None or (reached.code in flow.analysis.idle and not concerned and reached.code.kind != "property"):
        return flow.terms.fresh()
    function = reached
    binding = bind(flow, function, arguments)
    summary = flow.analysis.summary(function.code, specialisation(flow, function, binding))
    if summary is None:  # it calls itself, and nothing is known of it yet
        return flow.terms.fresh()
    instance = Instance(flow, summary, binding, dict(function.captured))
    for use in summary.uses:
        _consume(flow, function, arguments, instance, use)
    if not function.doubtful:
        lanes.pass_on(flow, summary.draws, instance)
    for term, name, value, path in summary.writes:
        _write(flow, instance, term, name, value, path)
    return instance.returned(summary.returns)


def _consume(flow: Interpreter, function: Function, arguments: Arguments, instance: Instance, use: Consumption) -> None:
    """Note a consumption of the callee as one of the caller."""
    path = instance.path(use.path)
    joined = None if path is None else both(flow.path, path)
    if joined is None:
        return
    value = instance.value(use.term)
    if use.certainty == Certainty.KNOWN:
        for term in leaves(value):
            flow.knowledge.use(term, flow.knowledge.used.get(use.term, 0), joined)
    handed = arguments.node is None  # a transform makes the call: the place is in the function itself
    node = arguments.node or (flow.site if function.code.is_foreign else use.node)
    if node is None:
        return
    passed = replace(
        use,
        node=node,
        what=use.what if handed else function.code.name,
        certainty=min(use.certainty, Certainty.UNKNOWN) if function.doubtful else use.certainty,
        path=joined,
        key=use.key if handed else _expression(flow, instance.summary, use, arguments),
        call=instance.number,
        origin=origin(flow.terms, use.term),
        loop=arguments.loop or use.loop if handed else arguments.loop,
    )
    flow.consume(value, passed)


def concerns_keys(flow: Interpreter, arguments: Arguments) -> bool:
    """Say whether an argument may be a key or call for one."""
    knowledge = flow.knowledge
    return any(
        isinstance(value, CALLABLE) or any(knowledge.is_known(t) or t in knowledge.named for t in leaves(value))
        for value in arguments.values()
    )


def _write(
    flow: Interpreter, instance: Instance, term: Term, name: str, value: Value, condition: PathCondition
) -> None:
    path = instance.path(condition)
    if path is None:
        return
    written = instance.returned(value)
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
    source = origin(flow.terms, use.term)
    if source is None or flow.terms.operation(source) != "param":
        return None
    name = flow.terms.data(source)[1]
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


def construct(flow: Interpreter, class_: Class, arguments: Arguments) -> Value:
    """Return an instance of a class whose source is in reach."""
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
    for name, (value, starred) in zip(flow.analysis.fields(class_.code), arguments.positional, strict=False):
        if starred:
            break
        flow.set_attribute(instance, name, value)
    for keyword, value in arguments.keywords:
        if keyword is not None:
            flow.set_attribute(instance, keyword, value)
    return instance
