"""The analysis of a project, and its answers: which keys reach a place, and where keys escape."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, reduce
from operator import or_

from olympus_rules.code.instructions import FunctionCode, setter
from olympus_rules.code.lowering import lower_module, may_bind_globals
from olympus_rules.libraries import libraries
from olympus_rules.reach.answers.contents import Contents
from olympus_rules.reach.answers.joins import Join, Joins, callables
from olympus_rules.reach.answers.paths import Path, Paths
from olympus_rules.reach.reading.attributes import Attributes, Names, registered_names
from olympus_rules.reach.reading.calls import Calls
from olympus_rules.reach.reading.fixtures import Fixtures
from olympus_rules.reach.reading.graph import Graph
from olympus_rules.reach.reading.nearest import nearest
from olympus_rules.reach.reading.reader import Reader
from olympus_rules.reach.reading.settling import Settling
from olympus_rules.reach.reading.sites import Taken
from olympus_rules.reach.solver.classes import Classes
from olympus_rules.reach.solver.failures import contained
from olympus_rules.reach.solver.heap import Heap
from olympus_rules.reach.solver.slots import Slot, Slots, without
from olympus_rules.reach.solver.values import (
    Constructor,
    Key,
    Place,
)
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node
from olympus_rules.syntax.imports import DEFAULT_ROOTS

MOST_LINES = 36_000
"""The size of a project up to which all of its files are read."""


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
        self.asked, documents = documents, nearest(documents, MOST_LINES)
        slots.is_cut_short = len(documents) < len(self.asked)
        modules = {
            path: lower_module(
                document.tree,
                module=document.module,
                is_package=document.is_package,
                has_globals=may_bind_globals(document.text),
                attached=document.attached,
            )
            for path, document in documents.items()
        }
        heap = Heap(slots, Classes(slots, method_names(documents.values())))
        self.names = Names(documents, modules, tuple(roots), libraries(packs), registered_names(documents.values()))
        attributes = Attributes(heap, self.names)
        self.given = given = list(given)
        places = None if sites is None else frozenset(sites).union(each.place for each in given)
        fixtures = Fixtures(heap, self.names)
        self.graph = Graph(places, heap, attributes, Calls(heap, attributes), fixtures)
        self.heap = heap
        self.slots = slots
        self.calls = self.graph.calls
        if with_words:
            self.calls.libraries.remade = {}
        for path, module in modules.items():
            Reader(self.graph, path, module).read()
        fixtures.hand_over()
        give(self.heap, modules, given)
        settling = Settling(self.graph)
        with contained(self.graph.failures, next(iter(modules), ""), 1, "what the functions hand to each other"):
            settling.run()
        self.contents = Contents(attributes.trees)

    def is_of(self, documents: Mapping[str, Document], given: Iterable[Taken]) -> bool:
        """Return whether it is the analysis of some files, with parameters that get keys, and is not forgotten."""
        mine = self.asked
        is_same = documents.keys() == mine.keys() and all(mine[path] is each for path, each in documents.items())
        is_kept = bool(self.slots.numbers) and not self.graph.failures
        return is_kept and is_same and list(given) == self.given

    def takes(self, sites: Iterable[Place]) -> bool:
        """Take some constructors as known ones, and return whether they are all that were found."""
        made = self.slots.of(self.slots.of_kinds(Constructor), Constructor)
        known = frozenset(sites)
        if known != {value.mention for value in made}:
            return False
        self.graph.sites = known.union(each.place for each in self.given)
        return True

    def keys_at(self, place: Place) -> frozenset[Place]:
        """Return the constructors whose keys may reach an expression, or a container there."""
        return self.keys_in(self.graph.expressions.get(place, ()))

    @cached_property
    def _paths(self) -> Paths:
        return Paths(self.graph, self.contents)

    @cached_property
    def _handed(self) -> Mapping[Place, list[Slot]]:
        """The arguments of each call, and what each assignment to an attribute writes."""
        found: dict[Place, list[Slot]] = defaultdict(list)
        for call in self.calls.all:
            found[call.place] += call.given
        for written in self.graph.attributes.written:
            found[written.place].append(written.source)
        return found

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
        made = [key for key in self.slots.of(self._all_keys, Key) if sites is None or key.site in sites]
        return reduce(or_, map(self.slots.bit, made), 0)

    def has_keys_only(self, place: Place) -> bool:
        """Return whether only keys reach an expression."""
        mask = reduce(or_, map(self.slots.mask, self.graph.expressions.get(place, ())), 0)
        return mask & self._made_keys != 0 and not without(mask, self._all_keys)

    def sure_keys(self, slot: Slot) -> frozenset[Place]:
        """Return the constructors of the keys that surely reach a slot, or containers and objects there."""
        return self._sites(self.contents.keys_of(self.slots.mask(slot)) & self._made_keys)

    def paths_to(self, places: Iterable[Place], makers: Collection[Place]) -> dict[Place, Path]:
        """Return the shortest paths to expressions, by the constructors of the keys."""
        slots = [slot for place in places for slot in self.graph.expressions.get(place, ())]
        return self._paths.to(slots, makers) if makers else {}

    def paths_into(self, call: Place, makers: Collection[Place], *, with_results: bool = False) -> dict[Place, Path]:
        """Return the shortest paths to the arguments of a call, or to what an assignment writes.

        Args:
            call: the place.
            makers: the constructors.
            with_results: whether what functions among the arguments return counts, too.
        """
        slots = list(self._handed.get(call, ()))
        slots += [self.heap.result(each.code) for slot in slots if with_results for each in callables(self.heap, slot)]
        return self._paths.to(slots, makers) if makers else {}

    def _sites(self, keys: int) -> frozenset[Place]:
        return frozenset(key.site for key in self.slots.of(keys, Key))

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


def method_names(documents: Iterable[Document]) -> set[str]:
    """Return the names of all functions in the classes of all files."""
    classes = [node for each in documents for node in every_node(each.tree) if isinstance(node, ast.ClassDef)]
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for class_ in classes for node in every_node(class_) if isinstance(node, functions)]
    decorated = [node for node in found if node.decorator_list]
    setters = {setter(node.name) for node in decorated if getattr(node.decorator_list[0], "attr", "") == "setter"}
    return setters.union(node.name for node in found)


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
