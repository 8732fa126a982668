"""What the engines that see an execution should say of it, by the keys that the reference saw."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from olympus.tracing.spans import Chain, Span, diverging, span_at

from .reference import Calls, Consumption, Derivation, Recorder, beside_splits, repeated_folds

__all__ = ["Pair", "branches", "chain", "consumptions", "either", "lost", "mistakes", "of_lineage", "of_recorder"]

Term = tuple[Any, ...]
Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Pair:
    """Two consumptions of one key, in their order."""

    kind: str
    first: Consumption
    second: Consumption
    earliest: bool = True  # the first one is the first of all

    @property
    def places(self) -> tuple[Span, Span]:
        """Return the innermost places where the two chains of calls differ."""
        return diverging(chain(self.first.calls), chain(self.second.calls))


def chain(calls: Calls) -> Chain:
    """Return the spans of a chain of calls, innermost first."""
    return tuple(span_at(code, lasti) for code, lasti in calls)


def consumptions(run: Recorder) -> Iterator[tuple[Consumption, Term]]:
    """Return each consumption with each of the keys, in order."""
    for event in run.events:
        if isinstance(event, Consumption):
            for key in event.keys:
                yield event, key.identity


def of_lineage(run: Recorder) -> Iterator[Pair]:
    """Return what the lineage should report: equal identities, and those that ``split`` and ``fold_in`` make equal."""
    first: dict[Term, Consumption] = {}
    derived: defaultdict[tuple[Any, ...], list[tuple[Term, Consumption]]] = defaultdict(list)
    for event, key in consumptions(run):
        if key in first:
            yield Pair("reuse", first[key], event)
        first.setdefault(key, event)
        if key[0] in ("split", "fold_in"):
            same = derived[steps(key)]
            other = next((earlier for term, earlier in same if term != key and are_one(term, key)), None)
            if other is not None:
                yield Pair("collision", other, event)
            same.append((key, event))


def steps(key: Term) -> tuple[Any, ...]:
    """Return the indices and data of the splits and folds that lead to a key, and where they begin."""
    found = []
    while key[0] in ("split", "fold_in"):
        found.append(key[-2])
        key = key[-1]
    return (*found, key)


def are_one(one: Term, other: Term) -> bool:
    """Say whether two keys of the same steps are one: where they part, one is of a split and the other folded in."""
    while one != other:
        if one[0] == other[0] == "split":
            return False
        one, other = one[-1], other[-1]
    return True


def of_recorder(run: Recorder, *, inside: bool = False) -> Iterator[Pair]:
    """Return what the recorder should report: equal words, but for what comes out of a seed, clone or repeated split.

    It tells keys by their words, so that it says ``collision`` of each key that was derived in two ways before,
    whichever of them the consumed one comes from. A key that a loop of ``jax.lax`` derives and consumes is compared
    with none that is derived outside of it.

    Args:
        run: what was executed.
        inside: what it may report besides: that a split in a loop of ``jax.lax`` is a repeated one is not recorded.
    """
    consumed: defaultdict[Term, list[tuple[Consumption, Term]]] = defaultdict(list)
    again: set[int | None] = set()  # the splits of keys that had been consumed
    origins: defaultdict[Term, set[str]] = defaultdict(set)
    children: defaultdict[int | None, list[Term]] = defaultdict(list)
    for key in run.made:
        if key.identity[0] == "split":
            children[key.identity[1]].append(key.identity)

    def value(key: Term) -> Term:
        operation, *data, parent = key
        if operation == "split":
            own = ("again", *data) if data[0] in again else ("child", data[1])
            return (*own, value(parent))
        return ("child", *data, value(parent)) if operation == "fold_in" else key

    for event in run.events:
        if isinstance(event, Derivation):
            origins[value(event.child.identity)].add("fold_in")
            continue
        for key in event.keys:
            words = value(key.identity)
            for earlier, other in consumed[words]:
                kind = "reuse" if len(origins[words]) < 2 else "collision"
                met = key.identity == other or _is_compiled(earlier) == _is_compiled(event)
                yield Pair(kind, earlier, event, met and earlier is consumed[words][0][0])
                if not (inside and _is_compiled(event)):
                    again.add(event.number)
            consumed[words].append((event, key.identity))
        for child in children[event.number] if event.number is not None else ():
            origins[value(child)].add("split")


def _is_compiled(event: Consumption) -> bool:
    """Say whether it happens in a loop of ``jax.lax``."""
    return len(event.stack) < len(event.functions)


def either(pair: Pair) -> tuple[str, ...]:
    """Return both kinds for what happens in a loop of ``jax.lax``: which derivations it has made is not recorded."""
    return ("reuse", "collision") if _is_compiled(pair.first) or _is_compiled(pair.second) else ()


def lost(run: Recorder) -> bool:
    """Say whether a loop of ``jax.lax`` has consumed a key again.

    To the recorder it is one call, and what comes out of a call that consumes keys again has begun anew: keys that the
    loop returns, and have been consumed or are children of such, are not compared with others any more. So the first
    split of such a key is no repeated one, and its children may be those of a ``fold_in``.
    """
    return any(_is_compiled(pair.second) for pair in of_recorder(run))


def branches(source: str) -> Callable[[Span], Span]:
    """Return what gives the call of ``lax.cond`` for a place in one of its branches, and any other place as it is.

    The recorder does not know which branch of a compiled ``cond`` was taken: what all of them do is done by any.
    """
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "jax.lax.cond"
    ]

    def whole(span: Span) -> Span:
        for call in calls:
            start, end = (call.lineno, call.col_offset + 1), (call.end_lineno or 0, (call.end_col_offset or 0) + 1)
            inside = start <= (span.line, span.column) and (span.end_line, span.end_column) <= end
            if inside and "<lambda>" in span.function:
                return Span(span.file, *start, *end, span.function.removesuffix(".<lambda>").removesuffix(".<locals>"))
        return span

    return whole


def mistakes(run: Recorder, elements: int | None = None) -> Iterator[tuple[Places, Places]]:
    """Return what goes wrong in an execution: of each two consumptions or derivations all places on the way to them.

    Args:
        run: the execution.
        elements: leaves out what goes wrong with other children of a split than so many first ones.
    """
    consumed: defaultdict[Term, dict[Calls, Places]] = defaultdict(dict)
    for event, key in consumptions(run):
        if elements is not None and is_beyond(key, elements):
            continue
        places = tuple((span.line, span.column) for span in chain(event.calls))
        yield from ((earlier, places) for earlier in consumed[key].values())
        consumed[key][event.calls] = places
    for first, again in (*repeated_folds(run.events), *beside_splits(run.events)):
        yield (first,), (again,)


def is_beyond(key: Term, elements: int) -> bool:
    """Say whether a key comes from a child of a split after so many first ones."""
    while isinstance(key[-1], tuple):
        if key[0] == "split" and key[2] >= elements:
            return True
        key = key[-1]
    return False
