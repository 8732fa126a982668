"""Which keys are one node of a graph: those of one origin that are made and used alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping

from olympus.graphs.drafting import Draft

RETURNED = ("returned",)
"""The place of the function's result, where that of a call would stand."""


def grouped(draft: Draft) -> dict[int, int]:
    """Return a number for each key that matters: the same for keys that are one node.

    The numbers begin with what each key is by itself, and are refined by those of the keys that it is made of and
    that are made of it, until nothing changes.
    """
    above: defaultdict[int, set[int]] = defaultdict(set)
    below: defaultdict[int, set[int]] = defaultdict(set)
    for step in draft.steps:
        above[step.child].add(step.parent)
        below[step.parent].add(step.child)
    ends: defaultdict[int, set[object]] = defaultdict(set)
    for use in draft.uses:
        ends[use.key].add(use.call.site if use.call else RETURNED)
    # Derivations are counted first: otherwise it takes a round for each to tell the keys of a long chain apart.
    depths: dict[int, int] = {}
    for key in sorted(draft.members):
        depths[key] = 1 + max((depths.get(each, 0) for each in above[key]), default=0)
    numbers = _numbered({key: (depths[key], _origin(draft, key), frozenset(ends[key])) for key in draft.members})
    while True:

        def alike(keys: set[int], numbers: dict[int, int] = numbers) -> frozenset[int]:
            return frozenset(numbers[key] for key in keys)

        refined = _numbered({key: (numbers[key], alike(above[key]), alike(below[key])) for key in draft.members})
        if len(set(refined.values())) == len(set(numbers.values())):
            return refined
        numbers = refined


def _origin(draft: Draft, key: int) -> Hashable:
    operation, _, data = draft.calls.term(key)
    maker = draft.calls.maker(key)
    place: object = draft.calls.of_event[id(maker)].site if maker else key
    if operation in ("argument", "constant") and isinstance(data, tuple):
        place = data[0]
    return operation, place, frozenset(draft.marks[key])


def _numbered(values: Mapping[int, Hashable]) -> dict[int, int]:
    numbers: dict[Hashable, int] = {}
    return {key: numbers.setdefault(value, len(numbers)) for key, value in values.items()}
