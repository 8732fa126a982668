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
    if first is None:
        by_name = [name for name in needed if name not in names[: len(arguments.positional)]]
    else:  # what can be given by position may be in either
        by_name = [name for name in needed if name not in names]
        arguments = _spread_positional(
            flow, arguments, first, [name for name in names[first:] if name not in given], needed
        )
    mappings = [value for name, value in arguments.keywords if name is None]
    if len(mappings) != 1 or not isinstance(mappings[0], Term):
        return arguments
    missing = (name for name in by_name if name not in given)
    entries: list[tuple[str | None, Value]] = [(name, get_item(flow, mappings[0], Const(name))) for name in missing]
    return replace(arguments, keywords=(*entries, *arguments.keywords))


def _spread_positional(
    flow: State, arguments: Arguments, first: int, names: list[str], needed: Collection[str]
) -> Arguments:
    """Return arguments with elements of the unknown ``*args`` at position ``first`` as far as parameters need them."""
    values = arguments.positional[first][0]
    free = list(itertools.takewhile(needed.__contains__, names))
    if not isinstance(values, Term) or not free:
        return arguments
    items = tuple((get_item(flow, values, Const(number)), False) for number in range(len(free)))
    return replace(arguments, positional=(*arguments.positional[:first], *items, *arguments.positional[first:]))
