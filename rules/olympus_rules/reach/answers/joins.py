"""Where keys are joined with other arrays, all of which must be of one kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from olympus_rules.libraries.model import Model
from olympus_rules.libraries.names import CHOOSING
from olympus_rules.libraries.transformations import Transformation
from olympus_rules.reach.reading.binding import MANY
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.settling import UPDATE
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.solver.heap import Heap, each_element
from olympus_rules.reach.solver.slots import Slot, without
from olympus_rules.reach.solver.values import (
    MERGED,
    Constructor,
    Container,
    Function,
    Key,
    Library,
    Made,
    Other,
    Place,
    Value,
)

DEPTH = 4
"""How many containers deep the parts of two trees are paired."""


@dataclass(frozen=True, slots=True)
class Join:
    """A place that joins the keys of several arrays, which must be of one kind; keys by their allocation sites.

    Attributes:
        place: where it is.
        callee: the function, or the comparison or assignment.
        keys: those of each array.
        is_one: whether the arrays are not told apart: the elements of a list, or the values of an attribute.
        given: the names of the functions of libraries one of whose results is a whole array of the join.
        is_sure: whether nothing but keys comes to each of the arrays.
    """

    place: Place
    callee: str
    keys: tuple[frozenset[Place], ...]
    is_one: bool = False
    given: frozenset[str] = frozenset()
    is_sure: bool = False


class Joins:
    """The joins of a project, after its graph is settled."""

    def __init__(self, graph: Graph) -> None:
        """Take the graph."""
        self.graph = graph
        self.heap = graph.heap
        self.slots = graph.heap.slots
        self.names = graph.attributes.names
        self._makers = graph.makers
        self._keys = self.slots.of_kinds(Key)
        self._containers = self.slots.of_kinds(Container)
        self._trees = self._keys | self._containers
        self._seen_trees: set[tuple[int, ...]] = set()
        self._given = self.slots.of_kinds(Library, Made)
        self._others = self.slots.of_kinds(Other)
        self._callables = self.slots.of_kinds(Function, Constructor)
        self._arrays = self._keys | self.slots.of_kinds(Made, Other)
        self._pools: dict[int, int] = {}
        self._sites: dict[int, frozenset[Place]] = {}

    def found(self) -> list[Join]:
        """Return the places that join keys: calls, comparisons and assignments to elements."""
        joins: list[Join] = []
        for call in self.graph.calls.all:
            callees = self.slots.of(self.slots.mask(call.function), Library)
            models = [self.names.model(value.qualified) for value in callees]
            joining = [model for model in models if model.joins]
            if joining:
                joins += self.of_call(call, joining)
            elif call.owner is not None and UPDATE.search(call.callee):
                joins += self.of_arms(call.place, call.callee, [[call.owner], list(call.given[:1])])
                joins += self.of_arrays(call, [call.owner, *call.given[:1]], is_written=True)
        for meeting in self.graph.meetings:
            masks = [self.slots.mask(slot) for slot in meeting.slots]
            if all(mask & self._keys for mask in masks):
                joins.append(self.join(meeting.place, meeting.text, masks, is_one=self.are_one(masks)))
        return joins

    def of_call(self, call: Call, models: Sequence[Model]) -> Iterator[Join]:
        """Return the joins of a call: of the results of functions and their carry, or of all arguments."""
        transforms = [model.transform for model in models if model.transform is not None]
        if transforms:
            yield from self.of_arms(call.place, call.callee, self.of_one_kind(call, transforms))
        elif any(model.takes_lists for model in models):
            yield from self.of_lists(call, [self.slots.mask(slot) for slot in call.given])
        else:
            condition = call.arguments[:1] if any(model.name in CHOOSING for model in models) else ()
            yield from self.of_arrays(call, [slot for slot in call.given if all(slot != each for each, _ in condition)])

    def of_arrays(self, call: Call, arrays: Sequence[Slot], *, is_written: bool = False) -> Iterator[Join]:
        """Return the join of some arrays, one of which a library may have given.

        A function that makes keys of seeds returns keys as they are, so that what a library gave is beside keys there.
        What ``is_written`` to an array of keys is a key, so that it may be a raw one if nothing is known of it.
        """
        masks = [self.slots.mask(slot) for slot in arrays]
        given: list[Value] = []
        may_be = self._keys | self._others  # beside a number in one list, for example
        if any(mask & self._keys and not without(mask, may_be) for mask in masks):
            theirs = [mask & self._given for mask in masks if not without(mask, self._arrays | self._given)]
            given = [value for mask in theirs for value in self.slots.listed(mask)]
        names = {value.qualified for value in given if isinstance(value, Library | Made) and value != MERGED}
        if is_written and any(mask & self.slots.bit(MERGED) and not mask & self._keys for mask in masks):
            names.add(MERGED.qualified)
        yield replace(self.join(call.place, call.callee, masks, is_one=self.are_one(masks)), given=frozenset(names))

    def of_lists(self, call: Call, masks: Sequence[int]) -> Iterator[Join]:
        """Return the joins of arrays and of the elements of lists."""
        yield self.join(call.place, call.callee, [self.pooled(mask) for mask in masks])
        given = reduce(or_, masks, 0)
        lists = self.slots.of(given, Container)
        for container in lists if len(lists) <= MANY else ():  # else one pool of all that there is
            named = [self.slots.mask(slot) for slot in self.heap.named_elements(container).values()]
            every = self.slots.mask(self.heap.element(container, None))
            is_merged = len(self.sites(every)) > MANY  # elements of unrelated lists
            yield self.join(call.place, call.callee, named if is_merged else [*named, every])
            if every & self._keys:
                yield self.join(call.place, call.callee, [every, *named], is_one=True)

    def of_arms(self, place: Place, callee: str, arms: Sequence[Sequence[Slot]]) -> Iterator[Join]:
        """Return the joins of trees of one structure: of the leaves at each place."""
        masks = [reduce(or_, map(self.slots.mask, arm), 0) for arm in arms]
        yield self.join(place, callee, masks)
        yield from self.inside(place, callee, masks, DEPTH)

    def are_one(self, masks: Sequence[int]) -> bool:
        """Say whether the same keys may be in several arrays, as in an attribute of two objects of a class."""
        return len(masks) > 1 and len(set(map(self.sites, masks))) == 1

    def join(self, place: Place, callee: str, masks: Sequence[int], *, is_one: bool = False) -> Join:
        """Return a join of the keys in each of several masks."""
        is_sure = not any(without(mask, self._keys) for mask in masks)
        return Join(place, callee, tuple(dict.fromkeys(map(self.sites, masks))), is_one, is_sure=is_sure)

    def sites(self, mask: int) -> frozenset[Place]:
        """Return the allocation sites of the keys of a mask.

        Arrays of words count only among arrays: beside anything else they come from a merger of values. So do keys of
        very many constructors.
        """
        found = self._sites.get(mask)
        if found is None:
            known = self._makers
            every = {key.site for key in self.slots.of(mask, Key)}
            made = every if known is None else every.intersection(known)
            if not without(mask, self._arrays):
                made |= every
            elif len(made) > MANY and mask & self._callables:
                made = set()
            found = self._sites[mask] = frozenset(made)
        return found

    def inside(self, place: Place, callee: str, masks: Sequence[int], depth: int) -> Iterator[Join]:
        """Return the joins of what several trees hold under each name; equal trees are visited once."""
        trees = (*(mask & self._trees for mask in masks), depth)
        if trees in self._seen_trees or not any(mask & self._containers for mask in masks):
            return
        self._seen_trees.add(trees)
        held = [self.slots.of(mask, Container) for mask in masks]
        if depth == 0 or any(len(containers) > MANY for containers in held):
            yield self.join(place, callee, [self.pooled(mask) for mask in masks])
            return
        parts = list(map(self.parts, held))
        for name in dict.fromkeys(name for arm in parts for name in arm):
            below = [arm.get(name, 0) | arm.get(None, 0) for arm in parts]
            if any(mask & self._keys for mask in below):
                yield self.join(place, callee, below)
                if name is not None and not any(arm.get(None, 0) & self._keys for arm in parts):  # one leaf of a tree
                    yield self.join(place, callee, [reduce(or_, below)], is_one=True)
            yield from self.inside(place, callee, below, depth - 1)

    def parts(self, containers: Sequence[Container]) -> dict[str | int | None, int]:
        """Return what is in containers by name; ``None`` stands for any name."""
        found: dict[str | int | None, int] = {}
        for container in containers:
            for name, slot in self.heap.named_elements(container).items():
                found[name] = found.get(name, 0) | self.slots.mask(slot)
            found[None] = found.get(None, 0) | self.slots.mask(self.heap.element(container, None))
        return found

    def pooled(self, mask: int) -> int:
        """Return the keys of a mask and of its containers at any depth, as a mask."""
        found = self._pools.get(mask)
        if found is None:
            found = mask & (self._keys | self._containers)  # in which arrays of words do not count
            for container in self.slots.of(mask, Container):
                found |= self.slots.mask(self.heap.inside(container)) & self._keys
            self._pools[mask] = found
        return found

    def of_one_kind(self, call: Call, transforms: list[Transformation]) -> list[list[Slot]]:
        """Return the slots that a loop or conditional joins: the results of its functions, and their carry."""
        has_carry = any(transform.kind == "scan" for transform in transforms)
        results = []
        for slot in call.given:
            functions = callables(self.heap, slot)
            for value in functions if len(functions) <= MANY else ():  # else one pool of all that there is
                result = self.heap.result(value.code)
                containers = self.slots.of(self.slots.mask(result), Container)
                carries = [part for made in containers for part in self.heap.elements(made, 0)] if has_carry else []
                results.append(carries or [result])
        if any(transform.has_branches for transform in transforms):
            return results
        first = call.arguments[1:2] if has_carry else call.arguments[-1:]
        named = [slot for keyword, slot in call.keywords if keyword in ("init", "init_val")]
        return [*results, named or [slot for slot, _ in first]]


def callables(heap: Heap, slot: Slot) -> list[Function]:
    """Return the callables of a slot, and of the containers in it."""
    slots = heap.slots
    mask = slots.mask(slot)
    for container in slots.of(mask, Container):
        mask |= reduce(or_, map(slots.mask, each_element(heap, container)))
    return slots.of(mask, Function)
