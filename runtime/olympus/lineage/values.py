"""What the interpreter knows of a value: its identity, those of the keys and words in it, and small known numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from olympus.lineage.identity import Identities
from olympus.lineage.movement import Array

if TYPE_CHECKING:
    from olympus.tracing.jaxprs import Equation

LARGEST = 2048  # elements: a larger array of keys has one identity for all of them
WIDTHS = (1, 2, 4, 8)  # words in the keys of the generators of JAX and of olympus.prng


def may_be_raw(shape: tuple[int, ...], dtype: Any) -> bool:
    """Return whether an array can be a raw key or an array of them, by its looks."""
    return dtype == np.uint32 and len(shape) > 0 and shape[-1] in WIDTHS


@dataclass(slots=True, eq=False)
class Value:
    """One value of a jaxpr.

    Attributes:
        shape: its shape.
        number: the term of the whole value; -1 until it is asked for.
        labels: an identity for each element: of a key, of a word, or of a number that was computed of words;
            ``None`` for a value that has nothing to do with keys, or for one that is too large.
        bulk: the identity that all elements of a large array of keys or words share.
        known: the numbers themselves, for small integers and booleans that the text of the program gives.
        broken: the equation after which the rows of a raw array were no longer whole keys.
        unwrapped: the equation by which keys became these words, where that is known.
    """

    shape: tuple[int, ...]
    number: int = -1
    labels: Array | None = None
    bulk: int | None = None
    known: Array | None = None
    broken: Equation | None = None
    unwrapped: Equation | None = None

    @property
    def has_keys(self) -> bool:
        """Return whether keys, words of keys, or numbers made of them are in it."""
        return self.labels is not None or self.bulk is not None


class Values:
    """Makes values, and gives each its number and the identities of its elements.

    Attributes:
        identities: the terms.
        doubtful: the arguments and constants that look like raw keys, and that nothing has used as keys so far.
    """

    def __init__(self, identities: Identities) -> None:
        self.identities = identities
        self.doubtful: set[tuple[str, Hashable]] = set()

    def number(self, value: Value) -> int:
        """Return the term of a whole value: equal for values that are equal for certain."""
        if value.number < 0:
            if value.labels is not None:
                value.number = self.identities.number("labels", tuple(value.labels.flat), value.shape)
            elif value.bulk is not None:
                value.number = value.bulk
            elif value.known is not None and not value.shape:
                value.number = self.identities.number("literal", (), int(value.known))
            elif value.known is not None:
                value.number = self.identities.number(
                    "literals", (), (value.shape, value.known.tobytes(), value.known.dtype.str)
                )
        return value.number

    def constant(self, value: Any) -> Value:
        """Return the value of a literal, or of a constant that a traced function closes over."""
        shape = tuple(np.shape(value))
        dtype = getattr(value, "dtype", None) or np.result_type(type(value))
        if not isinstance(dtype, np.dtype):
            number = self.identities.number("value", (), ("constant", id(value)))
            return self.keys(shape, lambda at: self.identities.number("constant", (), (id(value), at)), number)
        if may_be_raw(shape, dtype):
            self.doubtful.add(("constant", id(value)))
            return self.raw(shape, "constant", id(value))
        if dtype.kind in "iub" and prod(shape) <= LARGEST:
            return Value(shape, known=np.asarray(value))
        if not shape:
            return Value(shape, self.identities.number("value", (), (str(dtype), str(value))))
        return Value(shape, self.identities.number("value", (), ("constant", id(value))))

    def raw(self, shape: tuple[int, ...], operation: str, name: Hashable) -> Value:
        """Return an array of raw keys, or one that may be: each row has the words of a key.

        Args:
            shape: its shape, the axis of words included.
            operation: what the keys are, ``argument`` or ``constant``.
            name: tells it from other arrays.
        """
        if prod(shape) > LARGEST:
            return Value(shape, bulk=self.identities.number(operation, (), (name, ())))
        keys = self.filled(shape[:-1], lambda at: self.identities.number(operation, (), (name, at)))
        return Value(shape, labels=self.words(keys, shape[-1]))

    def keys(self, shape: tuple[int, ...], identity: Callable[[tuple[int, ...]], int], bulk: int) -> Value:
        """Return an array of keys.

        Args:
            shape: the shape of the array.
            identity: gives the identity of the key at a position.
            bulk: the identity of all of them, where there are too many to tell apart.
        """
        if prod(shape) > LARGEST:
            return Value(shape, bulk=bulk)
        return Value(shape, labels=self.filled(shape, identity))

    def filled(self, shape: tuple[int, ...], identity: Callable[[tuple[int, ...]], int]) -> Array:
        """Return an array of identities, one for each position."""
        labels = np.empty(shape, np.int64)
        for position in np.ndindex(*shape):
            labels[position] = identity(position)
        return labels

    def labels(self, value: Value) -> Array:
        """Return an identity for each element, also of a value without keys."""
        if value.labels is not None:
            return value.labels
        known = value.known
        if known is not None:
            return self.filled(value.shape, lambda at: self.identities.number("literal", (), int(known[at])))
        number, operation = self.number(value), "element of" if value.bulk is None else "opaque"
        return self.filled(value.shape, lambda at: self.identities.number(operation, (number,), at))

    def words(self, keys: Array, width: int) -> Array:
        """Return the words of an array of keys; they are a new last axis."""
        result = np.empty((*keys.shape, width), np.int64)
        for position in np.ndindex(*keys.shape):
            result[position] = self.identities.words(int(keys[position]), width)
        return result

    def rows(self, labels: Array) -> Array | None:
        """Return the keys of which the rows of a raw array are the buffers, ``None`` unless all rows are whole."""
        if not labels.ndim or not labels.size:
            return None
        result = np.empty(labels.shape[:-1], np.int64)
        for position in np.ndindex(*result.shape):
            key = self.identities.whole_key(tuple(map(int, labels[position])))
            if key is None:
                return None
            result[position] = key
        return result

    def keys_at(self, value: Value) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the keys in a value with their positions: those of an array of keys, or of rows of words."""
        keys = value.labels
        if keys is not None and not any(map(self.identities.is_key, keys.ravel().tolist())):
            keys = self.rows(keys)
        if keys is not None:
            yield from ((position, int(keys[position])) for position in np.ndindex(*keys.shape))

    def join(self, alternatives: Sequence[Array], chooser: int) -> Array:
        """Return the identities of elements that are one of several, where what chooses among them is not known.

        Elements that are the same in all alternatives keep their identity. Rows that are whole keys are chosen
        as keys: the words of the result belong together.

        Args:
            alternatives: arrays of one shape.
            chooser: the term of what decides; the same choice made twice gives the same identity.
        """
        first = alternatives[0]
        if all(np.array_equal(first, other) for other in alternatives[1:]):
            return first
        rows = [self.rows(each) for each in alternatives] if first.ndim else []
        keys = [each for each in rows if each is not None]
        if keys and len(keys) == len(rows):
            return self.words(self.join(keys, chooser), first.shape[-1])
        return self.filled(first.shape, lambda at: self._joined([int(each[at]) for each in alternatives], chooser, at))

    def _joined(self, alternatives: list[int], chooser: int, position: tuple[int, ...]) -> int:
        if len(set(alternatives)) == 1:
            return alternatives[0]
        key = all(self.identities.is_key(each) for each in alternatives)
        return self.identities.number("join" if key else "picked", (chooser, *alternatives), position)


def key_shape(aval: Any) -> tuple[int, ...]:
    """Return the shape of an array of keys, without the axis of words of raw ones."""
    shape = tuple(aval.shape)
    return shape if is_key_dtype(aval) else shape[:-1]


def is_key_dtype(aval: Any) -> bool:
    """Return whether an abstract value is a typed key or an array of them."""
    dtype = getattr(aval, "dtype", None)
    return not isinstance(dtype, np.dtype) and str(dtype).startswith("key<")
