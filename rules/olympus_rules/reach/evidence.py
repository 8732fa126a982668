"""What the analysis of a project tells the key flow of each file: the expressions that only keys reach."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import reduce
from operator import or_

from olympus_rules.keyflow.domain.places import Places, Written, span_of
from olympus_rules.reach.project import ProjectReach
from olympus_rules.reach.raw_keys import place_of
from olympus_rules.reach.slots import without
from olympus_rules.reach.values import Container, Key, Object, Other, Words
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node

__all__ = ["places_in"]

VIEWS = frozenset({"T", "at", "mT", "real"})
"""Attributes of keys through which they go on, and that are no keys of the same axes."""


def places_in(
    reached: ProjectReach, documents: Mapping[str, Document], *, with_possible: bool = False
) -> dict[str, Places]:
    """Return the expressions that only keys of constructors reach, and those that they may reach, by file.

    Args:
        reached: the analysis.
        documents: the files that it read, by their path.
        with_possible: whether to return the expressions that keys may reach beside numbers and unknown values, too, and
            those that hold keys. On real code most of them are none of keys, so they are for those who want no risk.
            Without it, variables are returned that only keys reach, of which some are single keys, and others may be.
    """
    slots = reached.slots
    every = [value for value in slots.listed(slots.of_kinds(Key)) if isinstance(value, Key)]
    known = [slots.bit(value) for value in every if value.rank is not None and not isinstance(value, Words)]
    keys = reduce(or_, known, 0)  # words that are taken of a key have no known number of axes
    ranks: dict[int, int | None] = {}
    all_keys = slots.of_kinds(Key)
    beside = slots.of_kinds(Key, Other)
    single = reduce(or_, (slots.bit(value) for value in every if value.rank == 0), 0)
    unclear = reduce(or_, (slots.bit(value) for value in every if not value.rank), 0)
    found: dict[str, dict[Written, int | None]] = defaultdict(dict)
    none: dict[str, set[Written]] = defaultdict(set)
    possible: dict[str, set[Written]] = defaultdict(set)
    holders: dict[str, set[Written]] = defaultdict(set)
    for (file, *written), at in reached.graph.expressions.items():
        mask = reduce(or_, map(slots.mask, at), 0)
        place = written[0], written[1], written[2], written[3]
        if mask & keys and not without(mask, keys):
            if mask not in ranks:
                counts = {value.rank for value in slots.listed(mask) if isinstance(value, Key)}
                ranks[mask] = counts.pop() if len(counts) == 1 else None
            found[file][place] = ranks[mask]
            if any(slots.same[slot] in reached.graph.nothing for slot in at):
                none[file].add(place)
        elif mask & all_keys:
            is_possible = not without(mask, beside) if with_possible else mask & single and not without(mask, unclear)
            possible[file].update([place] if is_possible else [])
        elif with_possible and reached.contents.keys_of(mask):
            holders[file].add(place)
    for file, places in found.items():
        for each in list(_unsure(reached, file, documents[file], places)):
            del places[each]
            possible[file].update([each] if with_possible else [])
    for file, spans in possible.items() if not with_possible else ():
        spans &= {span_of(node) for node in every_node(documents[file].tree) if isinstance(node, ast.Name)}
    return {
        file: Places(
            documents[file].text,
            found[file],
            none[file] & found[file].keys(),
            possible[file],
            holders[file],
            is_strict=with_possible,
        )
        for file in {**found, **possible, **holders}
    }


def _unsure(
    reached: ProjectReach, file: str, document: Document, known: Mapping[Written, int | None]
) -> Iterator[Written]:
    """Yield the parts of what may be no keys: an element of a list of constants, which counts as a number, and views.

    The axes of `keys.T` are others, and `keys.at[0]` is a place to write to.
    """
    divided = reached.slots.of_kinds(Container, Key, Object)
    for node in every_node(document.tree):
        if not isinstance(node, ast.Attribute | ast.Subscript) or span_of(node) not in known:
            continue
        inner = node.value if isinstance(node, ast.Subscript) else node
        owner = reached.graph.expressions.get(place_of(file, node.value), ())
        is_divided = isinstance(node, ast.Attribute) or not any(
            without(reached.slots.mask(slot), divided) for slot in owner
        )
        if not is_divided or (isinstance(inner, ast.Attribute) and inner.attr in VIEWS):
            yield span_of(node)
