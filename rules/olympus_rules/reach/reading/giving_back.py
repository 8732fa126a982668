"""What library functions give back of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from olympus_rules.libraries import Model
from olympus_rules.libraries.names import TREES
from olympus_rules.reach.reading.attributes import Names
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.slots import Slot, without
from olympus_rules.reach.solver.values import (
    MERGED,
    OTHER,
    UNDIVIDED,
    Class,
    Container,
    Key,
    KeyWords,
    Library,
    Made,
    Object,
    Other,
    Unknown,
    Value,
)

NO_FUNCTIONS = (Container, Key, Library, Made, Other)
NO_LISTS = (*(kind for kind in NO_FUNCTIONS if kind is not Container), Object, Unknown)
COMPUTING = ("computed", "nothing")
"""The words of results that hold nothing of the arguments."""
DATA_LEAVES = (Other, Made, Library)
"""Values that are leaves of a tree, or unknown trees."""
ALIGNED, STACKED = 0, 1
"""How many axes an array function adds to those of the arrays in a list."""
OPTIONS = frozenset(
    "axis axis_name copy device dtype in_axes length mode num order out_axes reverse shape size unroll".split()  # noqa: SIM905
)
"""Options of array functions that are no arrays."""


class GivingBack:
    """The edges from the arguments of library functions to their results."""

    def __init__(self, heap: Heap, names: Names) -> None:
        """Take where values are kept, and what is known of libraries."""
        self.heap = heap
        self.slots = heap.slots
        self.names = names

    def give_if_unknown(self, slot: Slot, call: Call, model: Model) -> None:
        """Copy an argument to the result; that of a conditional only if a branch is no function of the project."""
        give = partial(self.give_back, slot, call, model)
        branches = [function for function, _ in call.arguments[1:3]]
        if model.follows == "cond" and len(branches) == 2:
            for function in branches:
                self.give_beside_functions(function, give, NO_FUNCTIONS)
        elif model.follows == "switch" and branches:
            listed = branches[0]
            self.give_beside_functions(listed, give, NO_LISTS)
            hand = partial(self.give_beside_functions, give=give, kinds=NO_FUNCTIONS)
            self.heap.open(listed, self.heap.elements_pool, self.heap.parts_of, hand, Container)
        else:
            give()

    def give_beside_functions(self, branch: Slot, give: Callable[[], None], kinds: tuple[type, ...]) -> None:
        """Copy an argument once a branch may be something else than a function of the project."""
        self.slots.watch_mask(branch, lambda _: give(), *kinds)

    def give_back(self, slot: Slot, call: Call, model: Model) -> None:
        """Copy an argument to the result, as the model says."""
        if model.result in ("arrays", "rearranged"):
            if is_part(slot, call, model):
                others = set(UNDIVIDED)
                if model.qualified.startswith(TREES):  # leaves, which an object of the project gives, too
                    others -= {Object, Other}
                    self.slots.add_edge_of(slot, call.result, Object)
                is_exact = model.added_axes == ALIGNED and not model.fits and not model.qualified.startswith(TREES)
                if model.added_axes == STACKED:
                    self.give_stacked(slot, call.result)
                elif not is_exact:
                    self.heap.shift(slot, call.result, None)
                    self.heap.copy_contained(slot, call.result)
                if model.added_axes == ALIGNED:
                    self.heap.shift(slot, call.result, 0)
                    add = partial(self.heap.shift, target=call.result, axes=ALIGNED)
                    self.heap.open(slot, self.heap.elements_pool, self.heap.parts_of, add, Container)
                self.slots.watch_mask(slot, partial(self.give_others, result=call.result), *others)
        elif model.makes_arrays and model.result in (None, *COMPUTING):
            self.slots.add_edge_of(slot, call.result, KeyWords)  # what is computed with words are words
        elif model.result in ("same", "contents", "reshaped"):
            self.heap.shift(slot, call.result, None if model.result == "reshaped" else 0)
            self.slots.add_edge_of(slot, call.result, Container, Unknown)
            if model.result != "contents":  # a tree, which an object may be
                self.slots.add_edge_of(slot, call.result, Object)

    def give_stacked(self, source: Slot, result: Slot) -> None:
        """Copy an array to the result as it is, and the arrays of a list with the axis of the list."""
        self.heap.shift(source, result, 0)

        def stack(part: Slot) -> None:
            self.slots.add_edge_of(part, result, *UNDIVIDED)
            self.heap.shift(part, result, STACKED)
            self.heap.copy_contained(part, result)  # of lists in the list

        self.heap.open(source, self.heap.elements_pool, self.heap.parts_of, stack, Container)

    def give_unmapped(self, tree: Slot, functions: Iterable[Slot], call: Call, model: Model) -> None:
        """Copy a tree to the result of a map over its leaves, unless a function of the project gives the new leaves.

        Objects are copied in any case: their attributes are not told apart from those of the result.
        """
        self.slots.add_edge_of(tree, call.result, Object)
        is_each = model.transform is not None and model.transform.parts != "leaves"
        kinds = (*DATA_LEAVES, *((Class, Object, Unknown) if is_each else ()))

        def look(value: Value) -> None:
            result = self.names.model(value.qualified).result if isinstance(value, Library) else None
            if result not in COMPUTING:
                self.give_back(tree, call, model)

        for function in functions:
            self.slots.watch(function, look, *kinds)

    def give_others(self, values: int, result: Slot) -> None:
        """Return an array of anything else that the argument may hold."""
        others = self.slots.of_kinds(Other)
        if values & others:
            self.slots.put(result, OTHER)
        if without(values, others):  # a function in the place of an array: values were merged there
            self.slots.put(result, MERGED)


def is_part(slot: Slot, call: Call, model: Model) -> bool:
    """Say whether an argument of an array function is an array of which the result has elements."""
    if model.result == "rearranged" and call.arguments and not call.arguments[0][1]:
        return slot == call.arguments[0][0]
    return not any(slot == other and keyword in OPTIONS for keyword, other in call.keywords)
