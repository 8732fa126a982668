"""Calls of mapped functions that take or give keys with the axis of the batch behind those of their words."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, TypeAlias

from olympus_lint.migration.callees import library_of
from olympus_lint.migration.mapped import MAPPING_AXES, axes_given, axes_of_parts, is_behind_words, is_later_axis
from olympus_rules.libraries.names import PARTIAL
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.values import Constructor, Container, Key, Place
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import every_node

if TYPE_CHECKING:
    from olympus_rules.reach.project import ProjectReach

__all__ = ["Mappings", "behind_words", "mappings_of"]

Mappings: TypeAlias = Mapping[str, Sequence[ast.Call]]
"""The calls of a file that may have mapped a function, by the name of the result."""


def mappings_of(document: Document) -> Mappings:
    """Return the calls whose results are assigned to a name, and the decorators of functions with that name."""
    found: dict[str, list[ast.Call]] = defaultdict(list)
    for node in every_node(document.tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as made):
                found[name].append(made)
            case ast.FunctionDef(name=name, decorator_list=decorators):
                found[name] += [each for each in decorators if isinstance(each, ast.Call)]
    return found


def behind_words(
    call: ast.Call, mappings: Mappings, path: str, reached: ProjectReach
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield a tree of keys that a mapped function takes or gives with the batch behind their words, and the call."""
    made: Sequence[ast.Call] = [call.func] if isinstance(call.func, ast.Call) else ()
    if isinstance(call.func, ast.Name):
        made = mappings.get(call.func.id, ())
    place = place_of(path, call)
    for mapping in made:
        if not maps(mapping, path, reached):
            continue
        if reached.has_keys_only(place):
            rank = 1 if makes_keys(mapping, path, reached) else reached.likely_rank(place)
            yield from [(call, call)] if is_behind_words(mapping, rank) else []
        trees = [(each, axes_given(mapping, position), 1) for position, each in enumerate(call.args)]
        for tree, parts, taken in [(call, axes_of_parts(mapping), 0), *trees]:
            for name, axes in parts:
                ranks = ranks_of_part(place_of(path, tree), name, reached)
                if ranks and is_later_axis(axes, max((each for each in ranks if each is not None), default=0) - taken):
                    yield tree, call


def maps(call: ast.Call, path: str, reached: ProjectReach) -> bool:
    """Say whether a call maps a function, or is a decorator that does."""
    name = library_of(call.func, path, reached)
    return name in MAPPING_AXES or (
        name == PARTIAL and bool(call.args) and library_of(call.args[0], path, reached) in MAPPING_AXES
    )


def makes_keys(mapping: ast.Call, path: str, reached: ProjectReach) -> bool:
    """Say whether a call maps the constructor of raw keys, which makes one key of each seed."""
    return any(
        isinstance(value, Constructor) for each in mapping.args[:1] for value in reached.values(place_of(path, each))
    )


def ranks_of_part(place: Place, name: str | int | None, reached: ProjectReach) -> set[int | None]:
    """Return the numbers of axes of the keys in a part of the containers at an expression."""
    slots, found = reached.slots, 0
    held = reduce(or_, map(slots.mask, reached.graph.expressions.get(place, ())), 0)
    for part in (name, None):  # as masks, since many parts hold the same values
        containers = slots.listed(held & slots.of_kinds(Container))
        parts = {slot for each in containers for slot in reached.heap.parts_of(each, part)}
        held = reduce(or_, map(slots.mask, parts), 0)
        found |= held
    return {value.rank for value in slots.listed(found & slots.of_kinds(Key)) if isinstance(value, Key)}
