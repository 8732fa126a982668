"""Key identities: where a key, a word of a key or another value comes from, as hash-consed terms.

Equal terms have equal numbers, so that comparing two identities is comparing two integers, and an array of keys is
an integer array of their identities. The operations of a term:

=============  ===============================================================================================
``argument``   a key that the traced function was given; data: the flat argument and the position in it
``constant``   a key that the traced function closes over
``seed``       a key made of a seed; every execution of the equation is one of its own
``split``      one child of a split; data: shape, flat index, the execution
``fold_in``    children: the key and the message; the same key with the same message is the same identity
``clone``      a key that may be used beside the one that it was cloned from
``wrap``       a key made of words that come from no key that is known; child: the words
``mangled``    a key put together of words that are no longer one whole key; children: the words
``element``    the key of any one lane of a loop or a mesh; see :class:`Lanes`
``join``       one of several keys, and which one is not known: after branches, loops, at an index of unknown value
``opaque``     a key from an equation that is not modelled
``word``       one word of a key's buffer; data: its index and the number of words
``mixed``      a number that was computed of words of keys; ``picked``: a word from an unknown position;
               ``lane``: any of several words
``literal``    a known number; ``value``, ``input``: any other value, by its equation and operands
=============  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple

KEY_TERMS = frozenset(
    {"argument", "constant", "seed", "split", "fold_in", "clone", "wrap", "mangled", "element", "join", "opaque"}
)
TEXTS = {
    "fold_in": "fold_in({}, {})", "clone": "clone({})", "seed": "key({})", "wrap": "wrap_key_data(...)",
    "constant": "a key from outside", "element": "one of the mapped keys", "join": "one of several keys",
    "opaque": "a key of unknown origin",
}  # fmt: skip
"""What terms are to a reader, by their operation and children."""
# Two of these with different numbers may still be one key when the program runs.
UNCERTAIN = frozenset({"join", "opaque", "wrap", "mangled"})


class Term(NamedTuple):
    """One term: an operation, the numbers of the terms below it, and data that is compared by value."""

    operation: str
    children: tuple[int, ...]
    data: Hashable


class Identities:
    """The terms of one lineage, numbered as they are met."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.numbers: dict[Term, int] = {}
        self._children: dict[tuple[int, int], int] = {}
        self._siblings: dict[int, int] = {}
        self._seeds: dict[Hashable, int] = {}
        self.number("value", (), "filling")  # 0 is the identity of no key

    def number(self, operation: str, children: tuple[int, ...] = (), data: Hashable = None) -> int:
        """Return the number of a term, a new one for a new term."""
        term = Term(operation, children, data)
        known = self.numbers.get(term)
        if known is None:
            known = self.numbers[term] = len(self.terms)
            self.terms.append(term)
        return known

    def __getitem__(self, number: int) -> Term:
        """Return the term with a number."""
        return self.terms[number]

    def is_key(self, number: int) -> bool:
        """Return whether the term is a key, and not a word or another value."""
        return self.terms[number].operation in KEY_TERMS

    def whole_key(self, words: tuple[int, ...]) -> int | None:
        """Return the key whose buffer these words are, in order and complete, ``None`` where there is none."""
        if not words or words[0] < 0:
            return None
        first = self.terms[words[0]]
        if first.operation != "word" or first.data != (0, len(words)):
            return None
        key = first.children[0]
        for index, word in enumerate(words):
            if word < 0 or self.terms[word] != ("word", (key,), (index, len(words))):
                return None
        return key

    def words(self, key: int, width: int) -> tuple[int, ...]:
        """Return the words of a key's buffer."""
        term = self.terms[key]
        if term.operation == "mangled" and len(term.children) == width and min(term.children) >= 0:
            return term.children
        return tuple(self.number("word", (key,), (index, width)) for index in range(width))

    def below(self, number: int) -> Iterator[Term]:
        """Yield a term and all terms below it, each once."""
        seen = {number}
        waiting = [number]
        while waiting:
            term = self.terms[waiting.pop()]
            yield term
            fresh = [child for child in term.children if child >= 0 and child not in seen]
            seen.update(fresh)
            waiting += fresh

    def keys_of(self, number: int) -> frozenset[int]:
        """Return the keys whose words a word or a mixed number was made of."""
        found = set()
        waiting = [number]
        seen = set(waiting)
        while waiting:
            current = waiting.pop()
            term = self.terms[current]
            if term.operation in KEY_TERMS and term.operation != "mangled":
                found.add(current)
                continue
            for child in term.children:
                if child >= 0 and child not in seen:
                    seen.add(child)
                    waiting.append(child)
        return frozenset(found)

    def is_certain(self, number: int) -> bool:
        """Return whether the identity is decided: no term below it stands for one of several or for the unknown."""
        return all(term.operation not in UNCERTAIN for term in self.below(number))

    def root(self, number: int) -> int:
        """Return the key that a key is derived of in the end: an argument, a seed, or one of unknown origin.

        One of several keys is derived of the root that they share, if they share one.
        """
        *_, number = self.chain(number)
        operation, children, _ = self.terms[number]
        roots = {self.root(child) for child in children[1:]} if operation == "join" else set()
        return roots.pop() if len(roots) == 1 else number

    def may_be_one(self, one: int, other: int) -> bool:
        """Return whether two keys may be one key for some of the numbers that are folded in, and are not known."""
        first, second = self.way(one), self.way(other)
        unknown = None in first or None in second
        alike = all(a is None or b is None or a == b for a, b in zip(first, second, strict=False))
        return unknown and len(first) == len(second) and alike and self.root(one) == self.root(other)

    def chain(self, number: int) -> Iterator[int]:
        """Yield a key, and the keys that it is derived of, one by one."""
        yield number
        while self.terms[number].operation in ("split", "fold_in", "clone"):
            number = self.terms[number].children[0]
            yield number

    def way(self, number: int) -> list[Hashable]:
        """Return how a key is derived of its root, last step first: the numbers of children, ``None`` if not known."""
        steps: list[Hashable] = []
        for key in self.chain(number):
            operation, children, data = self.terms[key]
            if operation == "clone":
                steps.append("clone")
            elif operation == "split":
                steps.append(data[1] if isinstance(data, tuple) and data[1] >= 0 else None)
            elif operation == "fold_in":
                message = self.terms[children[1]]
                steps.append(message.data if message.operation == "literal" else None)
        return steps

    def stream(self, number: int) -> Hashable:
        """Return what a key's bits are a function of: two derivations that give one key have one stream.

        ``split(key, n)[i]`` is ``fold_in(key, i)`` under most generators, a clone is its original, and splitting a key
        twice gives the same children.
        """
        step = self.child(number)
        if step is not None:
            return "child", self.stream(step[0]), step[1]
        if self.terms[number].operation == "clone":
            return self.stream(self.terms[number].children[0])
        return "key", number

    def child(self, number: int) -> tuple[int, int] | None:
        """Return the parent and the known index or message of a key that ``split`` or ``fold_in`` has made of it."""
        operation, children, data = self.terms[number]
        if operation == "split" and isinstance(data, tuple):
            return children[0], int(data[1])
        if operation == "fold_in" and self.terms[children[1]].operation == "literal":
            return children[0], int(str(self.terms[children[1]].data))
        return None

    def sibling(self, number: int) -> int:
        """Return one number for keys that differ in nothing but executions, or ``split`` and ``fold_in``.

        Keys that are made apart of one seed are siblings. :meth:`are_one` says of two siblings whether they are one
        key that two derivations give.
        """
        waiting = [number]
        while waiting:  # no recursion: a chain of splits may be thousands of terms deep
            current = waiting[-1]
            step = self.child(current)
            if current in self._siblings:
                waiting.pop()
            elif step is None:
                seed = _made(self.terms[current])
                self._siblings[current] = current if seed is None else self._seeds.setdefault(seed, current)
            elif step[0] in self._siblings:
                self._siblings[current] = self._children.setdefault((self._siblings[step[0]], step[1]), current)
            else:
                waiting.append(step[0])
        return self._siblings[number]

    def are_one(self, one: int, other: int) -> bool:
        """Return whether two siblings are one key if ``split(key)[i]`` and ``fold_in(key, i)`` are taken as equal.

        The children of two splits of one key are not: the second split is the mistake.
        """
        while one != other:
            if self.terms[one].operation == self.terms[other].operation == "split":
                return False
            first, second = self.child(one), self.child(other)
            if first is None or second is None:
                return False
            one, other = first[0], second[0]
        return True

    def are_equal(self, one: int, other: int) -> bool:
        """Return whether two keys are equal under every generator: they differ in executions only."""
        while one != other:
            first, second = self.terms[one], self.terms[other]
            if (seed := _made(first)) is not None:
                return seed == _made(second)
            if first.operation != second.operation or first.operation not in ("split", "fold_in"):
                return False
            if first.children[1:] != second.children[1:] or not _are_one_child(first, second):
                return False
            one, other = first.children[0], second.children[0]
        return True

    def replace(self, number: int, replacements: dict[int, int]) -> int:
        """Return a term with some of the terms below it put in place of others.

        Args:
            number: the term.
            replacements: the term that takes the place of each; what is found is added, for the next call.
        """
        waiting = [number]
        while waiting:  # no recursion: a chain of splits may be thousands of terms deep
            current = waiting[-1]
            if current < 0 or current in replacements:
                waiting.pop()
                continue
            term = self.terms[current]
            missing = [child for child in term.children if child >= 0 and child not in replacements]
            if missing:
                waiting += missing
                continue
            children = tuple(replacements.get(child, child) for child in term.children)
            same = children == term.children
            replacements[current] = current if same else self.number(term.operation, children, term.data)
            waiting.pop()
        return replacements.get(number, number)

    def describe(self, number: int, name: Callable[[int], str] | None = None, depth: int = 12) -> str:
        """Return an identity as a reader would write it, such as ``fold_in(split(key)[0], 3)``.

        Args:
            number: the term.
            name: gives the name of a flat argument.
            depth: how many derivations are told; ``...`` stands for those before.
        """
        operation, children, data = self.terms[number]
        if depth < 0:
            return "..."
        inner = [self.describe(child, name, depth - 1) if child >= 0 else "?" for child in children[:2]]
        match operation, data:
            case "argument", (int() as index, tuple() as position):
                return (name(index) if name else f"argument {index}") + "".join(f"[{each}]" for each in position)
            case "split", (tuple(), int() as index, int()):
                return f"split({inner[0]})[{index}]"
            case "word", (int() as index, int()):
                return f"key_data({inner[0]})[{index}]"
            case "literal", _:
                return str(data)
            case "mangled", _:
                keys = sorted({self.describe(key, name, depth - 1) for key in self.keys_of(number)})
                return f"words of {' and '.join(keys)}"
        return TEXTS.get(operation, "...").format(*inner)


def _made(term: Term) -> Hashable:
    """Return what a key is made of, whatever execution makes it: a seed and a place in it; ``None`` for other keys."""
    return (term.children, term.data[1]) if term.operation == "seed" and isinstance(term.data, tuple) else None


def _are_one_child(one: Term, other: Term) -> bool:
    """Return whether two derivations make the same child of a key, a known one, in splits of the same shape."""
    if not isinstance(one.data, tuple) or not isinstance(other.data, tuple):
        return one.data == other.data
    return one.data[:2] == other.data[:2] and int(one.data[1]) >= 0
