"""``f(*args, **kwargs)`` of values that are not known: their elements are what the callee must be given."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import replace

from olympus_rules.keyflow.domain.access import choose, get_item
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Value


def spread(flow: State, arguments: Arguments, names: tuple[str, ...], needed: Collection[str]) -> Arguments:
    """Return arguments in which elements of ``*args`` and ``**kwargs`` stand for parameters that a call must give.

    An unknown ``*args`` gives those by position as far as all of them are needed; ``**kwargs`` gives the others, and
    those for which ``*args`` is too short.

    Args:
        flow: where the call is.
        arguments: those of the call.
        names: the parameters of the callee that can be given by position.
        needed: the parameters that the callee cannot do without.
    """
    if not any(starred for _, starred in arguments.positional) and all(name for name, _ in arguments.keywords):
        return arguments
    given = {name for name, _ in arguments.keywords}
    mappings = [value for name, value in arguments.keywords if name is None]
    mapping = mappings[0] if len(mappings) == 1 and isinstance(mappings[0], Term) else None
    first = next((number for number, (_, starred) in enumerate(arguments.positional) if starred), None)
    if first is None:
        by_name = [name for name in needed if name not in names[: len(arguments.positional)]]
    else:  # what can be given by position may be in either
        by_name = [name for name in needed if name not in names]
        free = list(itertools.takewhile(needed.__contains__, (name for name in names[first:] if name not in given)))
        arguments = _spread_positional(flow, arguments, first, free, mapping)
    if mapping is None:
        return arguments
    missing = (name for name in by_name if name not in given)
    entries: list[tuple[str | None, Value]] = [(name, get_item(flow, mapping, Const(name))) for name in missing]
    return replace(arguments, keywords=(*entries, *arguments.keywords))


def _spread_positional(
    flow: State, arguments: Arguments, first: int, names: list[str], mapping: Term | None
) -> Arguments:
    """Return arguments with elements of the unknown ``*args`` at position ``first`` for some parameters."""
    values = arguments.positional[first][0]
    if not isinstance(values, Term) or not names:
        return arguments
    items = tuple((_element(flow, values, number, name, mapping), False) for number, name in enumerate(names))
    return replace(arguments, positional=(*arguments.positional[:first], *items, *arguments.positional[first:]))


def _element(flow: State, values: Term, number: int, name: str, mapping: Term | None) -> Value:
    """Return an element of ``*args``, or the entry of ``**kwargs`` where there are fewer of them."""
    element = get_item(flow, values, Const(number))
    if mapping is None:
        return element
    length = flow.terms.make("op", "len", values)
    enough, fewer = flow.decisions.outcomes(flow.terms.make("op", "Lt", flow.terms.const(number), length))
    return choose(flow, [(enough, element), (fewer, get_item(flow, mapping, Const(name)))])
