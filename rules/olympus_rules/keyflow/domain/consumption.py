"""Consumptions, derivations and draws, recorded where they happen."""

from __future__ import annotations

from dataclasses import replace

from olympus_rules.keyflow.domain.access import guarded_leaves
from olympus_rules.keyflow.domain.arguments import Arguments, parts
from olympus_rules.keyflow.domain.ledger import Consumption, Derivation
from olympus_rules.keyflow.domain.paths import PathCondition, both
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.summary import Draw
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Choice, Map, Sequence, Value
from olympus_rules.keyflow.facts import Place

MAX_GIVEN = 4  # arguments kept of a draw; one of them says whether the lanes differ
HOLDING = Term | Choice | Sequence | Map  # what may be a key, or hold one


def consume(flow: State, value: Value, use: Consumption) -> None:
    """Record that a value's keys are consumed.

    Args:
        value: the argument; each key in it counts.
        use: the place and the callee; it becomes the entry of a single key, and is copied for several keys.
    """
    if isinstance(value, Term):
        use.term, use.time, use.site = value, flow.ledger.tick(), flow.site
        use.outer = tuple(flow.loops if use.loop else flow.loops[:-1])
        use.loop = use.loop or flow.innermost
        use.replaced = _replaced_in(flow, value) if flow.replaced else ()
        flow.ledger.add(use)
        _hold(flow, value)
    elif isinstance(value, Choice):
        for condition, part in value.arms:
            joined = both(use.path, condition) if isinstance(part, HOLDING) else None
            if joined is not None:
                consume(flow, part, replace(use, path=joined))
    elif isinstance(value, Sequence | Map):
        for part, expression in parts(value, use.key):
            if isinstance(part, HOLDING):
                consume(flow, part, replace(use, key=expression))


def derived(flow: State, child: Term, arguments: Arguments, number: int) -> None:
    """Record that the call with this number derives a child by ``fold_in`` here."""
    if arguments.node is not None:
        use = Derivation(arguments.node, flow.path, child, flow.innermost, number, flow.ledger.tick())
        flow.events.derivations.append(use)


def drawn(
    flow: State,
    value: Value,
    place: Place,
    callee: Value | None = None,
    *,
    is_layer: bool = False,
    arguments: Arguments | None = None,
) -> None:
    """Record draws from keys, for the lanes of a map.

    Args:
        flow: where the call is.
        value: the argument.
        place: the call and the expression of the key.
        callee: what draws, if it is not sure that it does.
        is_layer: whether a layer draws.
        arguments: the arguments of the call.
    """
    if flow.file.follows_lanes:
        unknown = callee if isinstance(callee, Term) else None
        leaves = guarded_leaves(flow, value)
        beside = () if arguments is None else terms_given(arguments)
        flow.events.draws += [
            Draw(term, place, path, unknown, callee is None, is_layer, beside) for path, term in leaves
        ]


def terms_given(arguments: Arguments) -> tuple[Term, ...]:
    """Return the first terms that a call gives."""
    return tuple(value for value in arguments.values() if isinstance(value, Term))[:MAX_GIVEN]


def _hold(flow: State, term: Term) -> None:
    """Record the objects that hold a consumed key as an attribute or a named item."""
    terms = flow.terms
    while (operation := terms.operation(term)) in ("attr", "item"):
        owner, *index = terms.args(term)
        if operation == "attr" or isinstance(terms.constant(index[0]), str):
            flow.holders.add(owner)
        term = owner


def _replaced_in(flow: State, container: Term) -> tuple[tuple[Term, PathCondition, int], ...]:
    """Return the replaced elements of a container, each with the condition and time of its replacement."""
    if flow.terms.operation(container) == "lane":
        container = flow.terms.args(container)[0]
    elements = flow.replaced.get(container, {})
    return tuple((element, path, time) for element, (path, time) in elements.items())
