"""The number of keys in an array, as far as its terms show: a number times unknown factors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from olympus_rules.keyflow.domain.terms import Term, Terms

REARRANGED = ("T", "reshape", "transpose", "swapaxes", "moveaxis", "flatten", "ravel", "squeeze", "copy", "newaxis")


@dataclass(slots=True)
class Size:
    """A product of a number and terms; two equal products are surely the same number."""

    number: int = 1
    factors: Counter[Term] = field(default_factory=Counter)

    def times(self, other: Size) -> Size:
        """Return the product."""
        return Size(self.number * other.number, self.factors + other.factors)


def size(terms: Terms, term: Term) -> Size:
    """Return the value of a term as a product."""
    value = terms.constant(term)
    if type(value) is int:
        return Size(value)
    if terms.operation(term) == "op" and terms.data(term) == "Mult":
        return product(terms, terms.args(term))
    return Size(1, Counter((term,)))


def product(terms: Terms, dimensions: Iterable[Term]) -> Size:
    """Return the product of several terms."""
    found = Size()
    for dimension in dimensions:
        found = found.times(size(terms, dimension))
    return found


def count(terms: Terms, array: Term) -> Size | None:
    """Return the number of keys in the array of a split, or in a part or rearrangement of it."""
    operation, data = terms.operation(array), terms.data(array)
    if operation == "split":
        wanted = terms.args(array)[1]
        is_shape = terms.operation(wanted) == "op" and terms.data(wanted) in ("tuple", "list")
        return product(terms, terms.args(wanted)) if is_shape else size(terms, wanted)
    if operation == "view" and str(data).partition(" ")[0] in REARRANGED:
        return count(terms, terms.args(array)[0])
    if operation == "list" and not data[1]:
        return count(terms, terms.args(array)[0])
    if operation == "slice":
        lower, upper = data
        return _sliced(terms, lower, upper, terms.args(array)[0])
    return None


def _sliced(terms: Terms, lower: int | None, upper: int | None, array: Term) -> Size | None:
    """Return the size of ``split(key, n + 1)[1:]`` and the like."""
    if terms.operation(array) != "split":
        return None
    length = terms.length(array)
    if length is not None:
        return Size(len(range(length)[lower:upper]))
    wanted = terms.args(array)[1]
    left_out = lower if upper is None else None if lower is not None or upper >= 0 else -upper
    if left_out is None or terms.operation(wanted) != "op" or terms.data(wanted) != "Add":
        return None
    for one, other in (terms.args(wanted), terms.args(wanted)[::-1]):
        if terms.constant(one) == left_out:
            return size(terms, other)
    return None
