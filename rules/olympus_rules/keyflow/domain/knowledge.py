"""The evidence that terms are keys, their kinds (raw or typed) and their batch axes.

There are two kinds of evidence. A term that comes from a constructor or a derivation is a key by its *source*.
A parameter or an attribute is a key by its *use*: a callee that takes only keys took it, or an analysis of the whole
project shows that only keys get there. A name is no evidence; it is recorded separately, for findings
of the lowest confidence. A name and an annotation that both say so are better than one of them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, compatible
from olympus_rules.keyflow.domain.terms import COPIES, WORDS, Term, Terms
from olympus_rules.keyflow.facts import KeyKind

_KEY_NAME = re.compile(r"(^|_)(prng|rng|sub)?_?(key|rng|prng)s?(_|\d|$)", re.IGNORECASE)


_GENERATOR_NAME = re.compile(r"(^|_)p?rng(_?key)?\d*$", re.IGNORECASE)
ARITHMETIC = frozenset({"Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "MatMult", "USub"})
REPEATING = ("broadcast_to", COPIES, "repeat", "tile")
"""Views whose elements are copies, by the beginnings of their names."""
PARTS = ("item", "lane", "slice", "list")
NEVER_NONE = ("split", "fold_in", "seed", "clone", "batch")
MAX_PATHS = 8  # recorded path conditions of one key's uses; at the limit they count as covering every path


@lru_cache(maxsize=16384)  # a server reads names without end
def _read_name(name: str) -> tuple[bool, bool]:
    """Return whether a name is a key's name, and whether only keys among the values of this name have a shape."""
    is_key = _KEY_NAME.search(name) is not None
    return is_key, is_key and _GENERATOR_NAME.search(name) is not None


def is_key_name(name: str) -> bool:
    """Return whether a variable of this name is likely to be a key."""
    return _read_name(name)[0]


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a key: its kind, and its batch axes (0 for one key, ``None`` when unknown)."""

    kind: KeyKind
    rank: int | None


class Knowledge:
    """Builds key terms and records the evidence about them.

    Attributes:
        origins: terms that are keys by their source.
        used: terms that are keys by their use, with the batch axes that their use implies.
        given: terms that are keys as the whole project shows, with the batch axes if they are known.
        mixed: parameters that get other values from calls.
        kinds: the known kinds (raw or typed) of terms that are keys by their use.
        passed: parameters, and parts of those, that get keys from calls, with the kinds of these keys.
        named: terms with a key's name; ``generators``: those with ``rng`` in the name. Of all values
            with such names only keys have a shape or words, so code that reads these works on a raw key.
        declared: parameters with a key's name whose annotation is a type of keys.
        records: terms that are unpacked into names of keys and of other things, so that they are no arrays of keys.
        use_paths, part_paths: the path conditions of the uses of a term, and of its parts.
        shapes: the lengths of the axes of keys in rearranged arrays of known numbers of keys.
        lengths: the shapes of arrays that are made with a literal shape.
        past_end: the last elements of arrays that a counter past the end takes, if its loop goes on so long.
        filled: values written in the place of ``None``, which are not ``None`` themselves; and whether they are true.
    """

    def __init__(self, terms: Terms) -> None:
        """Share the table of terms."""
        self.terms = terms
        self.origins: dict[Term, Origin] = {}
        self.shapes: dict[Term, tuple[int, ...]] = {}
        self.lengths: dict[Term, tuple[int, ...]] = {}
        self.used: dict[Term, int] = {}
        self.given: dict[Term, int | None] = {}
        self.passed: dict[Term, frozenset[KeyKind]] = {}
        self.mixed: set[Term] = set()
        self.kinds: dict[Term, KeyKind] = {}
        self.use_paths: dict[Term, list[PathCondition]] = {}
        self.part_paths: dict[Term, list[PathCondition]] = {}
        self.named: set[Term] = set()
        self.generators: set[Term] = set()
        self.declared: set[Term] = set()
        self.records: set[Term] = set()
        self.past_end: set[Term] = set()
        self.filled: dict[Term, bool] = {}

    # evidence

    def is_known(self, term: Term) -> bool:
        """Return whether there is evidence, by source or by use, that the term is a key or a key array."""
        return term in self.origins or term in self.used or term in self.given

    def is_candidate(self, term: Term) -> bool:
        """Return whether the term is a key by evidence or by its name."""
        return term in self.origins or term in self.used or term in self.named or term in self.given

    def is_concerned(self, term: Term) -> bool:
        """Return whether the term is a key by evidence, by its name, or by what a call passes to its parameter."""
        return self.is_candidate(term) or term in self.passed

    def rank(self, term: Term) -> int | None:
        """Return the number of batch axes, by source, else by use."""
        origin = self.origins.get(term)
        return origin.rank if origin is not None else self.used.get(term, self.given.get(term))

    def kind(self, term: Term) -> KeyKind:
        """Return raw or typed if the source shows it."""
        origin = self.origins.get(term)
        return origin.kind if origin is not None else self.kinds.get(term, KeyKind.UNKNOWN)

    def use(self, term: Term, rank: int = 0, path: PathCondition = ALWAYS) -> None:
        """Record that a callee that takes only keys took this term, and under which condition."""
        paths = self.use_paths.setdefault(term, [])
        if len(paths) < MAX_PATHS and path not in paths:
            paths.append(path)
        whole = term
        while term not in self.used or self.used[term] < rank:
            self.used[term] = rank
            if term is not whole:
                self.part_paths.setdefault(term, []).append(path)
            operation = self.terms.operation(term)
            if operation == "op":  # arithmetic gives a key only when applied to a key's words
                for operand in self.terms.args(term):
                    if operand in self.named:
                        self.use(operand, rank, path)
            for array in wrapped(self.terms, term):
                self.use(array, rank, path)
            if operation not in PARTS and (operation, self.terms.data(term)) != (
                "view",
                WORDS,
            ):
                break
            if operation == "item" and isinstance(self.terms.constant(self.terms.args(term)[1]), str):
                break  # of a dictionary, which is no array
            if self.terms.args(term)[0] in self.records:
                break
            term, rank = self.terms.args(term)[0], rank + (operation in ("item", "lane"))

    def name(self, term: Term, name: str) -> None:
        """Record a name of a term."""
        is_key, is_generator = _read_name(name)
        if is_key:
            self.named.add(term)
        if is_generator:
            self.generators.add(term)

    def fill(self, term: Term, *, true: bool) -> None:
        """Record that a result replaces ``None``, or a value that is not true."""
        whole = self.terms.args(term)[0] if self.terms.operation(term) == "item" else term
        if self.terms.operation(whole) in ("fresh", "op", "copy"):
            self.filled[term] = true or self.filled.get(term, False)

    def is_something(self, term: Term) -> bool:
        """Return whether a term is surely not ``None``."""
        if term in self.filled:
            return True
        operation, data = self.terms.operation(term), self.terms.data(term)
        if operation == "op":
            return data in ARITHMETIC or (isinstance(data, tuple) and str(data[0]).startswith(("jax.", "numpy.")))
        return operation in NEVER_NONE or term in self.origins

    def used_on(self, term: Term, path: PathCondition) -> bool:
        """Return whether a use that shows a term to be a key can happen on this path."""
        paths = self.use_paths.get(term, [])
        return not paths or len(paths) >= MAX_PATHS or any(compatible(path, other) for other in paths)

    def pass_on(self, parameter: Term, key: Term) -> None:
        """Record that a call gives a key to a parameter; another call may give it another value."""
        self.passed[parameter] = self.passed.get(parameter, frozenset()) | {self.kind(key)}

    # construction

    def _derived(self, term: Term, parent: Term, rank: int | None) -> Term:
        self.origins.setdefault(term, Origin(self.kind(parent), rank))
        return term

    def seed(self, kind: KeyKind, data: Hashable, seed: Term) -> Term:
        """Return a key made from a seed."""
        term = self.terms.make("seed", (kind, data), seed)
        self.origins.setdefault(term, Origin(kind, 0))
        return term

    def made(self, kind: KeyKind = KeyKind.UNKNOWN, how: str = "") -> Term:
        """Return a key that a library makes from hidden state, of its own or of an object; ``how`` is as for terms."""
        return self.seed(kind, self.terms.number(), self.terms.fresh(how))

    def split(self, data: Hashable, key: Term, count: Term, axes: int | None) -> Term:
        """Return the key array of a split; ``axes`` is the number of axes in the count."""
        rank = self.rank(key)
        return self._derived(
            self.terms.make("split", data, key, count), key, None if axes is None else (rank or 0) + axes
        )

    def fold_in(self, key: Term, datum: Term) -> Term:
        """Return the key that ``fold_in`` derives."""
        return self._derived(self.terms.make("fold_in", None, key, datum), key, self.rank(key) or 0)

    def clone(self, data: Hashable, key: Term) -> Term:
        """Return a deliberate copy of a key, which counts as a different key."""
        return self._derived(self.terms.make("clone", data, key), key, self.rank(key))

    def item(self, term: Term, index: Term) -> Term:
        """Return an element of an array; each of copies of a key is the key."""
        array = term
        while self.terms.operation(array) == "list":
            array = self.terms.args(array)[0]
        copied = copied_key(self, array) if self.rank(array) == 1 else None
        if copied is not None:
            return copied
        return self._part(self.terms.item(term, index), term, 1)

    def slice(self, term: Term, lower: int | None, upper: int | None) -> Term:
        """Return a slice of an array."""
        return self._part(self.terms.slice(term, lower, upper), term, 0)

    def listed(self, term: Term, *, is_open: bool = False) -> Term:
        """Return a new list of the elements of an array, ``is_open`` if it has further ones at its end."""
        return self._part(self.terms.make("list", (self.terms.number(), is_open), term), term, 0)

    def lane(self, term: Term) -> Term:
        """Return the element that one lane of a map over an array gets."""
        if self.terms.operation(term) == "batch":
            return self.terms.args(term)[0]
        if self.terms.operation(term) == "list":
            return self.lane(self.terms.args(term)[0])
        return self._part(self.terms.make("lane", None, term), term, 1)

    def batch(self, term: Term) -> Term:
        """Return the array of the results of all lanes."""
        if self.terms.operation(term) == "lane":
            return self.terms.args(term)[0]
        batched = self.terms.make("batch", None, term)
        origin = self.origins.get(term)
        if origin is not None:
            rank = None if origin.rank is None else origin.rank + 1
            self.origins.setdefault(batched, Origin(origin.kind, rank))
        return batched

    def view(self, operation: str, term: Term, rank: int | None) -> Term:
        """Return a rearranged array."""
        viewed = self.terms.make("view", operation, term)
        origin = self.origins.get(term)
        if origin is not None:
            self.origins.setdefault(viewed, Origin(origin.kind, rank))
        return viewed

    def _part(self, part: Term, whole: Term, axes: int) -> Term:
        origin = self.origins.get(whole)
        if origin is not None and part not in self.origins:
            rank = None if origin.rank is None else origin.rank - axes
            if rank is None or rank >= 0:
                self.origins[part] = Origin(origin.kind, rank)
        return part


def copied_key(knowledge: Knowledge, array: Term) -> Term | None:
    """Return the key of which an array holds copies, ``None`` for any other array."""
    terms = knowledge.terms
    if terms.operation(array) != "view" or not str(terms.data(array)).startswith(REPEATING):
        return None
    key = terms.args(array)[0]
    while terms.operation(key) == "view" and terms.data(key) == "newaxis":
        key = terms.args(key)[0]
    return key if knowledge.rank(key) == 0 else None


def give(knowledge: Knowledge, term: Term, rank: int | None) -> None:
    """Record that only raw keys get to an expression with this term, with their batch axes if they are known."""
    if term not in knowledge.origins:
        knowledge.given[term] = rank if knowledge.given.get(term, rank) == rank else None
        knowledge.kinds[term] = KeyKind.RAW


def forget_ranks(knowledge: Knowledge, terms: Iterable[Term]) -> None:
    """Take the numbers of axes of some arrays for unknown."""
    for term in terms:
        if term in knowledge.origins:
            knowledge.origins[term] = Origin(knowledge.origins[term].kind, None)


def wrapped(terms: Terms, term: Term) -> list[Term]:
    """Return the keys of whose words arithmetic makes a key: ``k`` of ``wrap_key_data(key_data(k) + 1)``.

    The migration writes this for ``k + 1``, after which its use has to show as before that ``k`` is a key. No other
    seed is an operation on all words.
    """
    words = terms.args(term)[0] if terms.operation(term) == "seed" else None
    operands = terms.args(words) if words is not None and terms.operation(words) == "op" else ()
    return [terms.args(each)[0] for each in operands if terms.operation(each) == "unwrap"]
