"""Identities: the sources of values, as hash-consed terms.

A term is a number that stands for (operation, data, argument terms). Equal terms have one number, so keys of equal
identity, which give equal streams, are compared as numbers.

========  ======================  ==========================================================
term      data                    arguments
========  ======================  ==========================================================
const     the value
param     (function, name)        the value that a parameter has on entry
free      (scope, name)           the value that an enclosing scope's variable has at the call
symbol    a qualified name        none: a library name or a class, which is one value
counter   a number                none: a loop's counter in one iteration, as conditions see it
fresh     (kind, a number)        none: unlike anything else
seed      (kind, a number)        the seed
root      None                    the seed: any key that is made from it, wherever it is made
split     a number                the key, the count; a key array (each call's children differ)
fold_in   None                    the key, the datum
clone     a number                the key
item      None                    the array or container, the index
slice     (lower, upper)          the array; bounds are ints or ``None``
list      (a number, whether open) the array whose elements a list holds; an open list has further ones at its end
attr      (name, generation)      the object
lane      None                    the array that is mapped over
batch     None                    the result of each lane
view      the operation           the array that is rearranged
unwrap    None                    the key whose words they are
copy      a number                the object that was copied, with some attributes changed
op        the operation           the operands
========  ======================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition


class Term(int):
    """The number of an identity in the table of its file."""

    __slots__ = ()


Parts = tuple[Any, ...]

# A consumption of the last argument's parts is a consumption of a part of the first argument.
PART_OF = frozenset({"item", "slice", "list", "lane", "view"})


CHANGED = "changed"  # what a container is after a number of unknown changes
CHOICE = "choice"  # of values, with their conditions
COPIES = "copies"  # the view of a list that holds a key several times
HIDDEN = "hidden"  # the kind of what a library makes a key of that it takes from hidden state
WORDS = "words"  # the view of a key as a NumPy array

MAX_SIZE = 60  # a larger result of operators becomes a fresh term, so that terms do not grow with the call graph


class Terms:
    """The table of terms of one analysis: the parts of each, its size and its seed, by its number."""

    def __init__(self) -> None:
        """Start empty."""
        self.parts: list[Parts] = []
        self._operations: list[str] = []
        self.operation: Callable[[Term], str] = self._operations.__getitem__  # no question is asked as often
        self._index: dict[Parts, Term] = {}
        self._constants: dict[tuple[type, Hashable], Term] = {}
        self._sizes: list[int] = []
        self._seeds: list[Term] = []
        self._fresh = 0
        self._equals: dict[tuple[Term, Term], Term] = {}
        self.bases: dict[str, frozenset[str]] = {}  # of classes of the project, by their symbols
        self.members: dict[str, frozenset[str]] = {}  # of enumerations of the file

    def make(self, operation: str, data: Hashable = None, *args: Term) -> Term:
        """Return the term with these parts."""
        parts: Parts = (operation, data, *args)
        found = self._index.get(parts)
        if found is not None:
            return found
        size = 1
        for arg in args:
            size += self._sizes[arg]
        if size > MAX_SIZE and operation == "op":
            return self.fresh()
        found = self._index[parts] = self._add(parts, size)
        if args and operation not in ("op", "seed"):
            self._seeds[found] = self._seeds[args[0]]
        return found

    def _add(self, parts: Parts, size: int = 1) -> Term:
        """Add a term, the seed of itself."""
        added = Term(len(self.parts))
        self.parts.append(parts)
        self._operations.append(parts[0])
        self._sizes.append(size)
        self._seeds.append(added)
        return added

    def data(self, term: Term) -> Any:
        """Return the data."""
        return self.parts[term][1]

    def args(self, term: Term) -> tuple[Term, ...]:
        """Return the argument terms."""
        return self.parts[term][2:]

    def size(self, term: Term) -> int:
        """Return the number of operations in a term, repeats included."""
        return self._sizes[term]

    def number(self) -> int:
        """Return a number that was not returned before."""
        self._fresh += 1
        return self._fresh

    def fresh(self, kind: str = "") -> Term:
        """Return a term that equals no other term.

        Args:
            kind: the meaning of a decision about it: ``first`` and ``more`` whether a loop has a first and another
                iteration, ``way`` for another branch of control, ``raised`` for an expected exception,
                ``thrown`` for one that a call may raise; ``object`` for an instance of an unknown class; or
                ``hidden`` for the seed of a key from hidden state. Empty for an unknown value.
        """
        return self._add(("fresh", (kind, self.number())))

    def kind(self, term: Term) -> str:
        """Return the kind of a fresh term, empty for other terms."""
        parts = self.parts[term]
        kind: str = parts[1][0] if parts[0] == "fresh" else ""
        return kind

    def is_structural(self, data: Any) -> bool:
        """Return whether the data of a fresh term describes a branch of control."""
        return data[0] in ("first", "more", "way", "raised", "thrown")

    def const(self, value: Hashable) -> Term:
        """Return the term of a constant; 1, 1.0 and True are equal to Python, but not the same constant."""
        slot = (value.__class__, value)
        found = self._constants.get(slot)
        if found is None:
            found = self._constants[slot] = self._add(("const", value))
        return found

    def constant(self, term: Term) -> object:
        """Return a constant term's value, ``None`` for any other term."""
        return self.parts[term][1] if self.parts[term][0] == "const" else None

    def item(self, term: Term, index: Term) -> Term:
        """Return an element; an element of a slice becomes an element of the sliced array where the bounds allow it."""
        parts = self.parts[term]
        value = self.constant(index)
        if type(value) is int and value < 0:
            length = self.length(term)
            if length is not None and value + length >= 0:
                value = value + length
                index = self.const(value)
        is_from_end = isinstance(value, int) and value < 0
        if parts[0] == "list" and not (parts[1][1] and (is_from_end or self._stops_short(parts[2]))):
            return self.item(parts[2], index)
        if parts[0] == "slice":
            lower, upper = parts[1]
            place = (lower or 0) + value if isinstance(value, int) and value >= 0 and (lower or 0) >= 0 else None
            if place is not None and (upper is None or upper < 0 or place < upper):
                return self.item(parts[2], self.const(place))
            if isinstance(value, int) and value < 0 and (upper is None or upper < 0):
                return self.item(parts[2], self.const((upper or 0) + value))
            if lower is None and not isinstance(value, int):
                return self.item(parts[2], index)
        return self.make("item", None, term, index)

    def _stops_short(self, term: Term) -> bool:
        """Return whether a list or slice lacks an unknown element at the end of its array."""
        operation, data, *args = self.parts[term]
        if operation == "slice" and (data[1] or 0) < 0:
            return True
        return operation in ("list", "slice") and self._stops_short(args[0])

    def length(self, term: Term) -> int | None:
        """Return the number of keys in a split with a literal count, or in a slice of it."""
        parts = self.parts[term]
        if parts[0] == "split":
            count = self.constant(parts[3])
            return count if type(count) is int else None
        if parts[0] == "view" and parts[1] == WORDS:
            return self.length(parts[2])
        if parts[0] == "list" and not parts[1][1]:
            return self.length(parts[2])
        if parts[0] == "slice":
            length = self.length(parts[2])
            return None if length is None else len(range(length)[slice(*parts[1])])
        return None

    def slice(self, term: Term, lower: int | None, upper: int | None) -> Term:
        """Return a slice with constant bounds; a full slice is the array itself."""
        if not lower and upper is None:
            return term
        parts = self.parts[term]
        if parts[0] == "slice" and (lower or 0) >= 0 and (upper is None or upper >= 0):
            start, stop = parts[1]
            base = start or 0
            if base >= 0 and (stop is None or stop >= 0):
                ends = [end for end in (stop, None if upper is None else base + upper) if end is not None]
                new_stop = min(ends, default=None)
                return self.slice(parts[2], base + (lower or 0), new_stop)
        return self.make("slice", (lower or None, upper), term)

    def ancestors(self, term: Term) -> list[Term]:
        """Return the terms that the term is a part of, nearest first."""
        found: list[Term] = []
        parts = self.parts[term]
        while parts[0] in PART_OF:
            found.append(parts[2])
            parts = self.parts[parts[2]]
        return found

    def namespace_of(self, term: Term) -> Term | None:
        """Return the object whose ``__dict__`` a term is."""
        parts = self.parts[term]
        return parts[2] if parts[0] == "attr" and parts[1][0] == "__dict__" else None

    def root(self, term: Term) -> Term:
        """Return the source of a value, found by following first arguments."""
        parts = self.parts[term]
        while len(parts) > 2 and parts[0] != "op":
            term = parts[2]
            parts = self.parts[term]
        return term

    def root_array(self, term: Term) -> Term:
        """Return the array that an element or slice is taken from, the term itself for anything else."""
        ancestors = self.ancestors(term)
        return ancestors[-1] if ancestors else term

    def equal_keys(self, term: Term) -> list[tuple[PathCondition, Term]]:
        """Return the keys that equal this one wherever its seed is made a key again, each with its condition.

        One for each value that the seed may have; none if no seed is known.
        """
        operation, data, *args = self.parts[self._seeds[term]]
        if operation != "seed" or (isinstance(data[1], tuple) and data[1][0] == "wrap"):
            return []
        return [(path, self._equal(term, seed)) for path, seed in self.arms(args[0])]

    def arms(self, term: Term) -> list[tuple[PathCondition, Term]]:
        """Return the values that a number may have, each with its condition."""
        operation, data, *args = self.parts[term]
        if operation == "op" and data == "int" and len(args) == 1:
            return self.arms(args[0])
        if operation == "op" and isinstance(data, tuple) and data[0] == CHOICE:
            return list(zip(data[1:], args, strict=True))
        return [(ALWAYS, term)]

    def _equal(self, term: Term, given: Term) -> Term:
        """Return a key with any key of this seed in the place of that which it is made from."""
        if term == self._seeds[term]:
            return self.make("root", None, given)
        if (term, given) not in self._equals:
            operation, data, parent, *rest = self.parts[term]
            self._equals[term, given] = self.make(operation, data, self._equal(parent, given), *rest)
        return self._equals[term, given]

    def seed_of(self, term: Term) -> Term:
        """Return the constructor's key that a term is made from, otherwise the first term of the derivation chain."""
        return self._seeds[term]
