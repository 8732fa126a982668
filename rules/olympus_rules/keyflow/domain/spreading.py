"""``f(*args, **kwargs)`` of values that are not known: their elements are what the callee must be given."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import replace

from olympus_rules.keyflow.domain.access import get_item
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Value

__all__ = ["spread"]


def spread(flow: State, arguments: Arguments, names: tuple[str, ...], needed: Collection[str]) -> Arguments:
    """Return arguments in which elements of ``*args`` and ``**kwargs`` stand for parameters that a call must give.

    An unknown ``*args`` gives those by position as far as all of them are needed, and ``**kwargs`` alone the others.

    Args:
        flow: where the call is.
        arguments: those of the call.
        names: the parameters of the callee that can be given by position.
        needed: the parameters that the callee cannot do without.
    """
    given = {name for name, _ in arguments.keywords}
    first = next((number for number, (_, starred) in enumerate(arguments.positional) if starred), None)
    if first is not None:
        values = arguments.positional[first][0]
        free = list(itertools.takewhile(lambda name: name in needed and name not in given, names[first:]))
        if not isinstance(values, Term) or not free:
            return arguments
        items = tuple((get_item(flow, values, Const(number)), False) for number in range(len(free)))
        return replace(arguments, positional=(*arguments.positional[:first], *items, *arguments.positional[first:]))
    mappings = [value for name, value in arguments.keywords if name is None]
    if len(mappings) != 1 or not isinstance(mappings[0], Term):
        return arguments
    missing = [name for name in needed if name not in given and name not in names[: len(arguments.positional)]]
    entries: list[tuple[str | None, Value]] = [(name, get_item(flow, mappings[0], Const(name))) for name in missing]
    return replace(arguments, keywords=(*entries, *arguments.keywords))
