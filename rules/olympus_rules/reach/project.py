"""The analysis of a project, and its answers: which keys reach a place, and where keys escape."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_

from olympus_rules.code.instructions import FunctionCode, setter
from olympus_rules.code.lowering import lower_module
from olympus_rules.libraries import libraries
from olympus_rules.reach.attributes import Attributes, Names, registered_names
from olympus_rules.reach.calls import Calls
from olympus_rules.reach.classes import Classes
from olympus_rules.reach.contents import Contents
from olympus_rules.reach.failures import contained
from olympus_rules.reach.fixtures import Fixtures
from olympus_rules.reach.graph import Graph
from olympus_rules.reach.heap import Heap
from olympus_rules.reach.joins import Join, Joins, callables
from olympus_rules.reach.overwriting import Hooks
from olympus_rules.reach.paths import Found, Paths
from olympus_rules.reach.reading import Reader
from olympus_rules.reach.sites import Taken
from olympus_rules.reach.slots import Slot, Slots, without
from olympus_rules.reach.unknown import Settling
from olympus_rules.reach.values import (
    Container,
    Key,
    Library,
    Made,
    Object,
    Other,
    Place,
    Value,
)
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node
from olympus_rules.syntax.imports import DEFAULT_ROOTS

__all__ = ["Join", "ProjectReach", "reach"]


class ProjectReach:
    """Which keys may reach which places of a project."""

    def __init__(
        self,
        documents: Mapping[str, Document],
        sites: Iterable[Place] | None,
        roots: Iterable[str],
        packs: tuple[str, ...] = (),
        given: Iterable[Taken] = (),
        *,
        with_words: bool = False,
    ) -> None:
        """Read the files of a project.

        Args:
            documents: the files by their absolute path.
            sites: the mentions of the constructor of raw keys; ``None`` for all that are spelled out.
            roots: the names under which the JAX namespace may be imported.
            packs: the paths of the user's signature packs.
            given: the parameters to which callers outside of the project pass keys.
            with_words: whether keys that are derived from words count like those of constructors.
        """
        slots = Slots()
        slots.trail.is_kept = slots.trail.is_complete = sites is not None  # else nobody asks for paths
        modules = {
            path: lower_module(
                document.tree,
                module=document.module,
                is_package=document.is_package,
                has_globals="global " in document.text or "globals()" in document.text,
                attached=document.attached,
            )
            for path, document in documents.items()
        }
        classes = classes_of(documents.values())
        methods, written = method_names(classes), written_attributes(classes)
        heap = Heap(slots, Classes(slots, methods, written))
        self.names = Names(documents, modules, tuple(roots), libraries(packs), registered_names(documents.values()))
        attributes = Attributes(heap, self.names)
        given = list(given)
        places = None if sites is None else frozenset(sites).union(each.place for each in given)
        fixtures = Fixtures(heap, self.names)
        self.graph = Graph(places, heap, attributes, Calls(heap, attributes), fixtures)
        self.heap = heap
        self.slots = slots
        self.calls = self.graph.calls
        self.calls.has_words = sites is not None
        if with_words:
            self.calls.libraries.remade = {}
        hooks = Hooks(classes, methods, written.values())
        for path, module in modules.items():
            Reader(self.graph, path, module, hooks).read()
        fixtures.hand_over()
        give(self.heap, modules, given)
        settling = Settling(self.graph)
        with contained(self.graph.failures, next(iter(modules), ""), 1, "what the functions hand to each other"):
            settling.run()
        self._vague = {slot for _, slot in settling.read_vaguely}
        self.contents = Contents(attributes.trees)
        self._texts = Contents(attributes.trees, as_text=True)

    def keys_at(self, place: Place) -> frozenset[Place]:
        """Return the constructors whose keys may reach an expression, or a container there."""
        return self.keys_in(self.graph.expressions.get(place, ()))

    @cached_property
    def paths(self) -> Paths:
        """How keys get to places."""
        return Paths(self.graph, self._vague)

    def rank(self, place: Place) -> int | None:
        """Return the rank of the keys at an expression; ``None`` if unknown or not unique."""
        ranks = self._ranks(self.graph.expressions.get(place, ()))
        return ranks.pop() if len(ranks) == 1 else None

    def fewest_axes(self, place: Place) -> int | None:
        """Return the least number of axes of keys at an expression; ``None`` if it is known of none."""
        ranks = self._ranks(self.graph.expressions.get(place, ()))
        return min((rank for rank in ranks if rank is not None), default=None)

    def are_no_batches(self, place: Place) -> bool:
        """Return whether nothing but objects reach an expression that no map or scan gives axes, as far as it is known.

        Any object that is a pytree may be a batch, but for these the keys in it have the axes with which they came.
        """
        mask = reduce(or_, map(self.slots.mask, self.graph.expressions.get(place, ())), 0)
        objects = mask & self.slots.of_kinds(Object)
        return objects != 0 and not objects & self._batches and not without(mask, objects | self._others)

    @cached_property
    def _batches(self) -> int:
        """The mask of the objects that may be batches: those that get or lose axes, and those in them."""
        found = 0
        waiting = reduce(or_, map(self.slots.mask, self.heap.batches), 0) & self.slots.of_kinds(Container, Object)
        while waiting:
            found |= waiting
            parts = (self.contents.parts(holder) for holder in self.slots.listed(waiting))
            waiting = reduce(or_, (part.holders for part in parts), 0)
            waiting = without(waiting, found)
        return found

    def _ranks(self, slots: Iterable[Slot]) -> set[int | None]:
        masks = [self.slots.mask(slot) & self._made_keys for slot in slots]
        return {value.rank for mask in masks for value in self.slots.listed(mask) if isinstance(value, Key)}

    def has_keys_only(self, place: Place, *, of_arrays: bool = False) -> bool:
        """Return whether only keys reach an expression; ``of_arrays`` leaves out built-in containers."""
        besides = self._others | (self._containers if of_arrays else 0)
        return any(self._hold_keys_only([slot], besides) for slot in self.graph.expressions.get(place, ()))

    def values(self, place: Place) -> list[Value]:
        """Return the values that may reach an expression."""
        return [value for slot in self.graph.expressions.get(place, ()) for value in self.slots.values(slot)]

    def library_at(self, place: Place) -> str:
        """Return the name under ``jax`` of the library's callable at an expression; empty if others may be there."""
        mask = reduce(or_, map(self.slots.mask, self.graph.expressions.get(place, ())), 0)
        libraries = mask & self.slots.of_kinds(Library)
        if without(mask, libraries | self.slots.of_kinds(Other)):
            return ""
        callees = [each for each in self.slots.listed(libraries) if isinstance(each, Library)]
        names = {self.names.canonical(each.qualified) for each in callees}
        return names.pop() if len(names) == 1 else ""

    def keys_in(self, slots: Iterable[Slot]) -> frozenset[Place]:
        """Return the constructors of the keys in slots, and in their containers and objects at any depth."""
        found = 0
        for slot in slots:
            mask = self.slots.mask(slot)
            found |= (mask & self._made_keys) | (self.contents.of(mask) & self._made_keys)
        return self._sites(found)

    @cached_property
    def _all_keys(self) -> int:
        return self.slots.of_kinds(Key)

    @cached_property
    def _made_keys(self) -> int:
        """The keys of the known constructors: other raw keys are only joined with them."""
        sites = self.graph.makers
        every = self.slots.listed(self._all_keys)
        made = [value for value in every if isinstance(value, Key) and (sites is None or value.site in sites)]
        return reduce(or_, map(self.slots.bit, made), 0)

    @cached_property
    def _others(self) -> int:
        """The mask of numbers and unknown values, and of results of Python's library, beside which keys are seen."""
        made = [value for value in self.slots.listed(self.slots.of_kinds(Made)) if isinstance(value, Made)]
        names = sys.stdlib_module_names
        python = [self.slots.bit(value) for value in made if value.qualified.partition(".")[0] in names]
        return reduce(or_, python, self.slots.of_kinds(Other))

    @cached_property
    def _containers(self) -> int:
        return self.slots.of_kinds(Container)

    def sure_keys(self, slot: Slot, *, of_merged: bool = False) -> tuple[frozenset[Place], bool]:
        """Return the constructors of the keys that surely reach a slot, and whether in containers or objects.

        Args:
            slot: the slot.
            of_merged: whether to return, for a slot without such keys, those that its merged values may be or hold.
        """
        mask = self.slots.mask(slot)
        keys, in_parts = self.contents.keys_of(mask)
        if of_merged:
            keys, in_parts = (0, False) if keys & self._made_keys else self.contents.possible(mask)
        return self._sites(keys & self._made_keys), in_parts

    def shown_keys(self, place: Place) -> frozenset[Place]:
        """Return the constructors of the keys that the text of a container or object shows, at any depth."""
        slots = self.graph.expressions.get(place, ())
        shown = (self._texts.of(self.slots.mask(slot), told_apart=True) for slot in slots)
        return self._sites(reduce(or_, shown, 0) & self._made_keys)

    def ways_to(
        self, places: Collection[Place], makers: Collection[Place], *, is_call: bool = False, is_join: bool = False
    ) -> Found:
        """Search the paths to expressions, or to the arguments of a call, and to the attributes of objects there.

        Args:
            places: the expressions.
            makers: the constructors.
            is_call: whether they are calls.
            is_join: whether what functions among the arguments return counts, too.
        """
        if not self.slots.trail.is_complete:
            return Found({}, is_complete=False)
        at = self.paths.handed if is_call else self.graph.expressions
        slots = [slot for place in places for slot in at.get(place, ())]
        slots += [self.heap.result(each.code) for slot in slots if is_join for each in callables(self.heap, slot)]
        attributes, are_all = self.contents.attributes(reduce(or_, map(self.slots.mask, slots), 0))
        found = self.paths.to(slots, makers, attributes)
        return found if are_all else replace(found, is_complete=False)

    def _sites(self, keys: int) -> frozenset[Place]:
        return frozenset(value.site for value in self.slots.listed(keys) if isinstance(value, Key))

    def exported(self, path: str) -> frozenset[Place]:
        """Return the constructors whose keys a file that imports this one could read.

        They are in a variable of the module or in an attribute, or a function gives them that is in one or is no
        inner one.
        """
        module = self.names.modules[path]
        waiting = [self.heap.variable(module, name) for name in module.local_names]
        attributes = ("attribute", "loose", "written field")
        waiting += [slot for name, slot in self.slots.numbers.items() if name[0] in attributes]
        waiting += [self.heap.result(method) for methods in self.heap.classes.methods.values() for method in methods]
        seen: set[Slot] = set()
        found: frozenset[Place] = frozenset()
        while waiting:
            slot = waiting.pop()
            if slot not in seen:
                seen.add(slot)
                found |= self.keys_in([slot])
                waiting += [self.heap.result(value.code) for value in callables(self.heap, slot)]
        return found

    def _hold_keys_only(self, slots: Iterable[Slot], besides: int = 0) -> bool:
        """Return whether only keys reach some slots, and values of a mask that do not count.

        Numbers and unknown values come to many slots by way of containers whose elements are not told apart.
        """
        mask = reduce(or_, map(self.slots.mask, slots), 0)
        return mask & self._made_keys != 0 and without(mask, self._all_keys | besides) == 0

    def joins(self) -> list[Join]:
        """Return the places that join keys, which must be of one kind; raw keys without a constructor count."""
        return Joins(self.graph).found()


def functions_of(modules: Mapping[str, FunctionCode]) -> Iterator[tuple[str, tuple[int, int], FunctionCode]]:
    """Yield the functions of all files: file, line and column, and code."""
    for path, module in modules.items():
        waiting = list(module.nested)
        while waiting:
            code = waiting.pop()
            waiting += code.nested
            yield path, (getattr(code.node, "lineno", 0), getattr(code.node, "col_offset", 0)), code


def give(heap: Heap, modules: Mapping[str, FunctionCode], given: Iterable[Taken]) -> None:
    """Put keys of callers into parameters."""
    wanted = {(each.place.file, each.function, each.name): each for each in given}
    for path, place, code in functions_of(modules) if wanted else ():
        for name in code.parameters:
            found = wanted.get((path, place, name))
            if found is not None:
                made = heap.slots.slot("made", found.place)
                heap.slots.put(made, Key(found.place, found.rank))
                heap.slots.add_edge(made, heap.variable(code, name))


def classes_of(documents: Iterable[Document]) -> list[ast.ClassDef]:
    """Return the classes of all files."""
    return [node for each in documents for node in every_node(each.tree) if isinstance(node, ast.ClassDef)]


def method_names(classes: Iterable[ast.ClassDef]) -> set[str]:
    """Return the names of all functions in classes."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for class_ in classes for node in every_node(class_) if isinstance(node, functions)]
    decorated = [node for node in found if node.decorator_list]
    setters = {setter(node.name) for node in decorated if getattr(node.decorator_list[0], "attr", "") == "setter"}
    return setters.union(node.name for node in found)


def written_attributes(classes: Iterable[ast.ClassDef]) -> dict[ast.ClassDef, set[str]]:
    """Return the names of the attributes that the methods of each class write to ``self``."""
    return {
        class_: {
            node.attr
            for node in every_node(class_)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        }
        for class_ in classes
    }


def reach(
    documents: Mapping[str, Document],
    sites: Iterable[Place] | None,
    roots: Iterable[str] = DEFAULT_ROOTS,
    packs: tuple[str, ...] = (),
    given: Iterable[Taken] = (),
    *,
    with_words: bool = False,
) -> ProjectReach:
    """Return which keys may reach which places of a project; the arguments are those of :class:`ProjectReach`.

    Its cost is bounded: where too many values come together, they are not told apart, and keys are lost there.
    """
    return ProjectReach(documents, sites, roots, packs, given, with_words=with_words)
