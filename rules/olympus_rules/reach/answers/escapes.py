"""Where keys leave a project: calls of libraries and of unknown callees, and objects of libraries that get keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING

from olympus_rules.keyflow.interpret.callees import KEEPING_METHODS
from olympus_rules.libraries.names import RANDOM, REPLACING
from olympus_rules.reach.reading.containers import FILLING
from olympus_rules.reach.reading.library_calls import CHANGING
from olympus_rules.reach.reading.settling import GIVING_BACK
from olympus_rules.reach.reading.sites import Call
from olympus_rules.reach.solver.heap import each_element
from olympus_rules.reach.solver.slots import Slot, without
from olympus_rules.reach.solver.values import (
    CALLEES,
    IN_PROJECT,
    Class,
    Constructor,
    Container,
    Key,
    Library,
    Made,
    Object,
    Place,
    Super,
)

if TYPE_CHECKING:
    from olympus_rules.reach.answers.project import ProjectReach


@dataclass(frozen=True, slots=True)
class Escape:
    """A call that passes keys to code outside of the project.

    Attributes:
        place: where it is.
        callee: how it is written.
        library: the qualified name of the library function; empty for one that nothing is known of.
        keys: the constructors of the keys.
        is_sure: whether nothing but keys comes to one of the arguments; where other things do as well, they may do
            so by another way than the keys.
        is_certain: whether the callee is that function, and nothing else.
        is_anything: whether so much comes together at the callee that it may be anything.
        is_written: whether it is no call, but keys are written to an attribute of an object.
    """

    place: Place
    callee: str
    library: str
    keys: frozenset[Place]
    is_sure: bool
    is_certain: bool = True
    is_anything: bool = False
    is_written: bool = False


def escapes(reached: ProjectReach) -> Iterator[Escape]:
    """Yield the calls that pass keys to libraries or to unknown callees, and what writes them to objects of those."""
    found = list(of_calls(reached))
    told = {each.place for each in found if each.library}
    yield from found
    yield from (each for each in given_to_objects(reached) if each.place not in told)


def of_calls(reached: ProjectReach) -> Iterator[Escape]:
    """Yield the calls that pass keys to libraries or to unknown callees."""
    for call in reached.calls.all:
        keys = reached.keys_in(call.given)
        if not keys:
            continue
        sure = frozenset[Place]().union(*(reached.sure_keys(slot) for slot in call.given))
        way = partial(Escape, call.place, call.callee, keys=sure or keys, is_sure=bool(sure))
        if call.place in reached.calls.binding.given_up:
            yield way(library="", keys=keys, is_sure=True, is_anything=True)
            continue
        callees = reached.slots.values(call.function)
        known = {value for value in callees if isinstance(value, CALLEES)}
        kinds = (Library,) if _keeps(reached, call) else (Library, Made)
        if (not known or call.place in reached.calls.binding.over_limit) and not _keeps(reached, call):
            yield way(library="")
        if any(isinstance(value, IN_PROJECT) for value in known):  # or the library is there by a merger
            continue
        owners = [] if call.owner is None else reached.slots.values(call.owner)
        is_named = len(known) == 1 and any(isinstance(value, Library | Super) for value in (*known, *owners))
        for name in sorted({reached.names.canonical(value.qualified) for value in known if isinstance(value, kinds)}):
            if not is_jax(name):
                yield way(library=name, is_certain=is_named)


def lent(reached: ProjectReach) -> Iterator[tuple[Place, str, str, frozenset[Place]]]:
    """Yield the calls that give the constructor to a library function of which it is not known that it calls it.

    Each has its place, its callee as it is written and by its name, and the mentions of the constructor.
    """
    slots = reached.slots
    for call in reached.calls.all:
        given = slots.of(reduce(or_, map(slots.mask, call.given), 0), Constructor)
        mentions = frozenset(value.mention for value in given)
        for value in slots.of(slots.mask(call.function), Library) if mentions else ():
            model = reached.names.model(value.qualified)
            if model.qualified.startswith(f"{RANDOM}."):  # which calls no argument
                continue
            if model.transform is None and not model.container and not model.inspects:
                yield call.place, call.callee, model.qualified, mentions


def _keeps(reached: ProjectReach, call: Call) -> bool:
    """Return whether an unknown callee is a method of an array or container, by its name."""
    if call.owner is None:
        return False
    name = call.callee.rpartition(".")[2]
    keeping = name in KEEPING_METHODS | FILLING | CHANGING | GIVING_BACK or name.startswith("assert")
    return keeping or ".at[" in call.callee or bool(reached.keys_in([call.owner]))


def given_to_objects(reached: ProjectReach) -> Iterator[Escape]:
    """Yield the keys that become parts of modules and objects of libraries, which may do anything with them.

    They are written to an attribute or element, put into the object by a method, or given as a new value to a function
    or method that copies the object.
    """
    for written in reached.graph.attributes.written:
        name = _library_of(reached, written.owner)
        keys = _keys_of(reached, written.source) if name else None
        if keys:
            yield Escape(written.place, written.spelled, name, keys, is_sure=True, is_written=True)
    for call in reached.calls.all:
        owner = _changed_by(reached, call)
        name = "" if owner is None else _library_of(reached, owner)
        given = [slot for slot in call.given if slot != owner] if name else []
        keys = frozenset[Place]().union(*(_keys_of(reached, slot) for slot in given))
        if keys:
            yield Escape(call.place, call.callee, name, keys, is_sure=True)


def _keys_of(reached: ProjectReach, slot: Slot) -> frozenset[Place]:
    """Return the constructors of the keys that surely come to a slot, or of those in a list of nothing else."""
    slots, heap = reached.slots, reached.graph.heap
    lists = slots.of(slots.mask(slot), Container)
    if not lists or without(slots.mask(slot), slots.of_kinds(Container)):
        return reached.sure_keys(slot)
    parts = reduce(or_, (slots.mask(slot) for each in lists for slot in each_element(heap, each)))
    is_of_keys = parts and not without(parts, slots.of_kinds(Key))
    return reached.keys_in([slot]) if is_of_keys else reached.sure_keys(slot)


def _changed_by(reached: ProjectReach, call: Call) -> Slot | None:
    """Return the slot of the object that a call copies with new values, or puts its arguments into."""
    callees = reached.slots.of(reached.slots.mask(call.function), Library)
    if any(reached.names.canonical(value.qualified) in REPLACING for value in callees):
        return next(iter(call.given), None)
    return call.owner if call.callee.rpartition(".")[2] in CHANGING | FILLING else None


def _library_of(reached: ProjectReach, owner: Slot) -> str:
    """Return the name of a library that makes an object; empty if any other value comes there, or JAX or Python do.

    Several libraries may do so where names come from several stars.
    """
    held = reached.slots.values(owner)
    made = {reached.names.canonical(value.qualified) for value in held if isinstance(value, Library | Made)}
    if reached.slots.mask(owner) & reached.slots.of_kinds(Class, Object) or any(map(is_jax, made)):
        return ""
    return min(made, default="")


def is_jax(name: str) -> bool:
    """Return whether a canonical name is one of JAX, or of Python itself."""
    package = name.partition(".")[0]
    return package in ("jax", "builtins") or package in sys.stdlib_module_names
