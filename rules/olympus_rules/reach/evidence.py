"""What the analysis of a project tells the key flow of each file: the expressions that only keys reach."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import reduce
from operator import or_

from olympus_rules.keyflow.domain.places import Places, Written, span_of
from olympus_rules.reach.project import ProjectReach
from olympus_rules.reach.raw_keys import place_of
from olympus_rules.reach.slots import without
from olympus_rules.reach.values import Container, Key, Object, Words
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node

__all__ = ["places_in"]


def places_in(reached: ProjectReach, documents: Mapping[str, Document]) -> dict[str, Places]:
    """Return the expressions that only keys of constructors reach, by file.

    Args:
        reached: the analysis.
        documents: the files that it read, by their path.
    """
    slots = reached.slots
    words = slots.of_kinds(Words)
    keys = without(slots.of_kinds(Key), words)
    ranks: dict[int, int | None] = {}
    found: dict[str, dict[Written, int | None]] = defaultdict(dict)
    none: dict[str, set[Written]] = defaultdict(set)
    for (file, *written), at in reached.graph.expressions.items():
        mask = reduce(or_, map(slots.mask, at), 0)
        if mask & keys and not without(mask, keys):
            if mask not in ranks:
                counts = {value.rank for value in slots.listed(mask) if isinstance(value, Key)}
                ranks[mask] = counts.pop() if len(counts) == 1 else None
            place = written[0], written[1], written[2], written[3]
            found[file][place] = ranks[mask]
            if any(slots.same[slot] in reached.graph.nothing for slot in at):
                none[file].add(place)
    for file, known in found.items():
        for each in _unsure_elements(reached, file, documents[file], known):
            del known[each]
    return {file: Places(documents[file].text, known, none[file] & known.keys()) for file, known in found.items()}


def _unsure_elements(
    reached: ProjectReach, file: str, document: Document, known: Mapping[Written, int | None]
) -> list[Written]:
    """Return the elements of what may be no container: a list of constants counts as a number."""
    divided = reached.slots.of_kinds(Container, Key, Object)
    subscripts = {span_of(node): node.value for node in every_node(document.tree) if isinstance(node, ast.Subscript)}
    owners = {
        each: reached.graph.expressions.get(place_of(file, subscripts[each]), ())
        for each in known
        if each in subscripts
    }
    return [each for each, owner in owners.items() if any(without(reached.slots.mask(slot), divided) for slot in owner)]
