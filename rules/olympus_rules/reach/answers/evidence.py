"""What the analysis of a project tells the key flow of each file: the expressions that only keys reach."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_

from olympus_rules.keyflow.domain.places import Places, Written, span_of
from olympus_rules.reach.answers.project import ProjectReach
from olympus_rules.reach.solver.slots import Slots, without
from olympus_rules.reach.solver.values import Container, Key, Object, Other, Words, place_of
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node

VIEWS = frozenset({"T", "at", "mT", "real"})
"""Attributes of keys through which they go on, and that are no keys of the same axes."""


def places_in(reached: ProjectReach, documents: Mapping[str, Document]) -> dict[str, Places]:
    """Return the expressions that only keys of constructors reach, and those that they may reach, by file.

    Args:
        reached: the analysis.
        documents: the files that it read, by their path.
    """
    slots = reached.slots
    masks = _Masks(slots)
    ranks: dict[int, int | None] = {}
    found: dict[str, dict[Written, int | None]] = defaultdict(dict)
    none, likely, possible, holders = (defaultdict[str, set[Written]](set) for _ in range(4))
    for (file, *written), at in reached.graph.expressions.items():
        mask = without(reduce(or_, map(slots.mask, at), 0), masks.words)
        place = written[0], written[1], written[2], written[3]
        if mask & masks.known and not without(mask, masks.known):
            if mask not in ranks:
                counts = {value.rank for value in slots.of(mask, Key)}
                ranks[mask] = counts.pop() if len(counts) == 1 else None
            found[file][place] = ranks[mask]
            possible[file].update([place] if ranks[mask] is None else [])  # one use may be right for some of them
            if any(slots.same[slot] in reached.graph.nothing for slot in at):
                none[file].add(place)
        elif mask & masks.keys:
            possible[file].update([] if without(mask, masks.beside) else [place])
            likely[file].update([place] if mask & masks.single and not without(mask, masks.unclear) else [])
        elif without(reached.contents.keys_of(mask), masks.words):
            holders[file].add(place)
    for file in {**found, **possible, **holders}:
        unsure = set(_unsure(reached, file, documents[file], found[file]))
        found[file] = {place: rank for place, rank in found[file].items() if place not in unsure}
        possible[file] |= unsure
        likely[file] &= {span_of(node) for node in every_node(documents[file].tree) if isinstance(node, ast.Name)}
    return {
        file: Places(
            documents[file].text,
            places,
            none[file] & places.keys(),
            likely[file],
            possible[file] - likely[file],
            holders[file],
        )
        for file, places in found.items()
    }


class _Masks:
    """The masks of keys by their numbers of axes; words that are taken of a key have no known number.

    Attributes:
        words: words that no constructor makes, which say nothing here.
        keys: all keys.
        known: those with a known number of axes.
        single: those without axes.
        unclear: those without axes, and those whose number is not known.
        beside: keys, containers, numbers and unknown values.
    """

    def __init__(self, slots: Slots) -> None:
        self.words = slots.of_kinds(Words)
        self.keys = slots.of_kinds(Key)
        every = slots.of(self.keys, Key)
        self.known = self._of(slots, (each for each in every if each.rank is not None and not isinstance(each, Words)))
        self.single = self._of(slots, (each for each in every if each.rank == 0))
        self.unclear = self._of(slots, (each for each in every if not each.rank))
        self.beside = slots.of_kinds(Container, Key, Other)

    @staticmethod
    def _of(slots: Slots, keys: Iterable[Key]) -> int:
        return reduce(or_, map(slots.bit, keys), 0)


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
