"""Calls of library functions that do not take typed keys: in arguments, and in containers and objects there.

The rules see keys of one file, and only those in containers of known structure. The analysis of reach knows where keys
are held, at any depth.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from olympus_lint.migration.shown import is_for_people
from olympus_rules.libraries.names import LAX, METADATA, NUMPY
from olympus_rules.reach.passing import Argument, Passing, passings
from olympus_rules.reach.reading import place_of
from olympus_rules.reach.values import Place
from olympus_rules.syntax import Document
from olympus_rules.syntax.document import Parents, every_node

if TYPE_CHECKING:
    from olympus_rules.libraries import Model
    from olympus_rules.reach.project import ProjectReach

__all__ = ["Sinks", "Sunk", "is_guarded"]

COLLECTIVES = frozenset({"pmax", "pmean", "pmin", "psum", "psum_scatter"})
CONVERTING = frozenset(
    {"abs", "bytes", "complex", "divmod", "float", "hash", "int", "pow", "range", "repr", "round", "str"}
)
"""Functions of Python that compute with a number, or make a number, bytes or text of a value."""
NUMERIC = ("numpy.",)
"""The start of the names of functions that work on arrays of numbers only."""
STACKING = frozenset({"block", "column_stack", "dstack", "hstack", "vstack"})
"""Functions that join arrays along an axis that depends on the number of their axes."""

HARMLESS = frozenset({"cast", "device_get", "dtype", "elementwise", "fill", "print", "zeros"})
"""Forms of conversions whose effect depends on more than the argument."""
KEEPING = frozenset({"checkpoint", "pickle", "processes", "save"})
"""Forms of conversions that write a tree to a file, or send it to other processes."""


@dataclass(frozen=True, slots=True)
class Sunk:
    """What one call passes to a library function that does not take typed keys.

    Attributes:
        library: the name of the function.
        keys: the constructors of the keys.
    """

    library: str
    keys: set[Place]


class Sinks:
    """The calls of a project that pass keys to library functions which do not take typed ones."""

    def __init__(self, reached: ProjectReach, jax: tuple[int, ...], *, of_merged: bool = False) -> None:
        """Find the calls.

        Args:
            reached: the analysis of reach.
            jax: the oldest release of JAX that the code has to support.
            of_merged: whether the arguments are values that the analysis has merged, of which some may hold keys.
        """
        self._reached = reached
        self._jax = jax
        self._found: dict[Place, Sunk] = {}
        every = list(passings(reached, partial(reached.sure_keys, of_merged=of_merged)))
        taken = {passing.place for passing in every if self._takes_keys(passing)}
        for passing in every:
            refused = [] if of_merged and not self._takes_trees(passing) else self._refused(passing)
            keys = {key for each in refused for key in each.keys}
            if keys and passing.place not in taken:
                self._found.setdefault(passing.place, Sunk(passing.library, set())).keys.update(keys)

    def of(self, document: Document, path: str) -> Iterator[tuple[ast.Call, Sunk]]:
        """Yield the calls of a file that break with typed keys.

        Args:
            document: the file.
            path: its absolute path.
        """
        for node in every_node(document.tree) if self._found else ():
            if isinstance(node, ast.Call):
                found = self._found.get(place_of(path, node))
                if found and not is_guarded(node, document.parents) and not is_for_people(node, document.parents):
                    yield node, found

    def _takes_keys(self, passing: Passing) -> bool:
        """Say whether the callee takes keys: where others come together with it, the keys are for this one."""
        model = self._reached.names.libraries.get(passing.library)
        return not passing.is_handed and model.row is not None and bool(model.row.sinks or model.row.derive)

    def _takes_trees(self, passing: Passing) -> bool:
        """Say whether a function takes the leaves of any tree, or few values are given, of which each may be meant."""
        if passing.is_handed or not passing.arguments[0].in_parts:
            return True
        row = self._reached.names.libraries.get(passing.library).conversion
        if row is None or passing.library.startswith(NUMERIC):
            return False
        return row.form in KEEPING or (row.form == "assertion" and len(row.places) > 1)

    def _refused(self, passing: Passing) -> Sequence[Argument]:
        """Return the arguments with keys that a function does not take."""
        arguments = passing.arguments
        if passing.is_mapped and not passing.library.startswith(f"{NUMPY}."):
            return []  # a result of a library, which may be anything
        model = self._reached.names.libraries.get(passing.library)
        row = model.conversion
        if row is not None and row.form not in HARMLESS:
            if row.effect == "same" or (row.before and self._jax >= row.before):
                return []
            if row.form == "text" and not passing.is_handed:
                return []  # ``shown`` tells text that is kept from text that is printed
            return [each for each in arguments if each.is_at(row.places, row.names)]
        return [each for each in arguments if is_refused(model, each, passing)]


def is_refused(model: Model, argument: Argument, passing: Passing) -> bool:
    """Say whether a function without a conversion in its pack rejects the keys of an argument, or counts their words.

    Direct calls of JAX's functions with keys as they are depend on shapes and axes, which the key flow knows.
    """
    package, _, name = passing.library.rpartition(".")
    if package.partition(".")[0] == "numpy":
        return True
    if package == "builtins":
        return passing.is_handed and name in CONVERTING
    if not (passing.is_handed or passing.is_mapped or argument.in_parts):
        return False
    if (package == LAX and name in COLLECTIVES) or (package == NUMPY and name in STACKING):
        return True
    if passing.library in METADATA:
        return not argument.in_parts
    return model.makes_arrays and package == NUMPY and not model.takes_keys and not argument.in_parts


def is_guarded(node: ast.AST | None, parents: Parents) -> bool:
    """Say whether a node is guarded by a test for typed keys."""
    while node is not None:
        node = parents.get(node)
        if isinstance(node, ast.If | ast.IfExp) and "prng_key" in ast.unparse(node.test):
            return True
    return False
