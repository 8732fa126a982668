"""Detects code that rearranges key arrays: reshaping, copying, moving axes, and numbers that count the word axis.

An array of raw keys has one axis more than an array of typed keys: the last one, which holds the words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from olympus_rules.finding import Confidence
from olympus_rules.keyflow import facts
from olympus_rules.keyflow.domain.access import as_term
from olympus_rules.keyflow.domain.arguments import Arguments
from olympus_rules.keyflow.domain.needs import Need
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Const, Metadata, Sequence, Value
from olympus_rules.keyflow.facts import Fact, KeyKind
from olympus_rules.keyflow.notes import sizes
from olympus_rules.keyflow.notes.pending import note, passes_by, passes_value, spelled

WORDS = (Const(2), Const(4))  # of the buffers of threefry and of rbg
UNKNOWN = Const("unknown")  # a dimension of a shape of unknown length
VIEWS = frozenset(
    {"reshape", "flatten", "ravel", "squeeze", "copy", "repeat", "broadcast_to", "tile", "transpose", "swapaxes",
     "moveaxis"}
)  # fmt: skip
ARRAYS = {"concatenate": "arrays", "hstack": "tup", "stack": "arrays", "vstack": "tup"}
"""The name of the parameter for the arrays that a function joins."""
JOINING = frozenset(ARRAYS)


class ArrayCall(NamedTuple):
    """A call of an array function, or of a method of an array.

    Attributes:
        name: the function's last name.
        node: the call.
        subject: the expression of the array.
        arguments: the arguments of the call.
        first: the position of the first argument after the array.
    """

    name: str
    node: ast.Call
    subject: ast.expr
    arguments: Arguments
    first: int


class Transposed(NamedTuple):
    """A place where word and batch axes are exchanged, or where a map is told to exchange them.

    Attributes:
        how: the function, method, attribute or option.
        node: the place.
        subjects: the expressions of the arrays.
        axis: the expression of the axis.
    """

    how: str
    node: ast.AST
    subjects: tuple[ast.expr, ...]
    axis: ast.expr | None = None


COUNTS = {"broadcast_to": "shape", "repeat": "repeats", "tile": "reps"}
"""The arguments that say how many copies there are, in their first number."""


@dataclass(frozen=True, slots=True)
class Look:
    """A call on an array that may hold keys.

    Attributes:
        flow: the state at the call.
        call: the call.
        term: the array, or an element of a stack.
        above: the number of axes stacked above ``term``.
        number: the number of the result.
        stacked: the number of stacked elements, if known.
    """

    flow: State
    call: ArrayCall
    term: Term
    above: int
    number: int = 0
    stacked: int | None = None

    def as_transposed(self) -> Transposed:
        """Return the place of the call for a fact about exchanged word and batch axes."""
        return Transposed(self.call.name, self.call.node, (self.call.subject,))

    def value(self, position: int, name: str) -> Value | None:
        """Return an argument; positions start after the array."""
        return self.call.arguments.get(self.call.first + position, name)

    def expression(self, position: int, name: str) -> ast.expr | None:
        """Return the expression of an argument."""
        return self.call.arguments.expression(self.call.first + position, name)

    @property
    def operation(self) -> str:
        """The operation of the resulting view; one copy is no repetition."""
        return f"{'single' if self._is_one_copy() else self.call.name} {self.number}"

    def _is_one_copy(self) -> bool:
        """Return whether a function that repeats an array is asked for one copy."""
        counts = self.value(0, COUNTS[self.call.name]) if self.call.name in COUNTS else None
        first = counts.items[0] if isinstance(counts, Sequence) and counts.items else counts
        return first == Const(1)

    def rank(self) -> int | None:
        """Return the number of batch axes of the array, ``None`` if not yet known."""
        rank = self.flow.knowledge.rank(self.term)
        return None if rank is None else rank + self.above

    def note(
        self,
        form: str,
        parts: tuple[ast.expr, ...] | Callable[[], tuple[ast.expr, ...]],
        holds: Callable[[int | None, KeyKind], bool],
        *,
        exact: Callable[[], bool] = lambda: True,
        most: Confidence = Confidence.CERTAIN,
    ) -> None:
        """Record that the word axis is counted, if this holds for the final rank and kind."""

        def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
            rank = self.rank()
            if kind is KeyKind.TYPED or not holds(rank, kind):
                return None
            return facts.ShapeLogic(
                node=self.call.node,
                confidence=min(confidence, most),
                key=spelled(self.call.subject),
                kind=kind,
                form=form,
                subject=self.call.subject,
                rank=rank,
                parts=parts() if callable(parts) else parts,
                exact=exact(),
            )

        note(self.flow, self.term, Need.KNOWN, build, at=self.call.subject)


def look(flow: State, array: Value, call: ArrayCall) -> Value | None:
    """Check a call on an array, and return the rearranged array if it is known to hold the same keys."""
    name = call.name
    handler = HANDLERS.get(name)
    if handler is None:
        return None
    above, stacked = 0, None
    if isinstance(array, Sequence) and array.kind == "stack" and array.items:
        stacked = None if array.open else len(array.items)
        array, above = array.items[0], 1
    if not isinstance(array, Term):
        passes_value(flow, array, call.subject)
        return None
    if name not in JOINING and not flow.knowledge.is_candidate(array):
        passes_by(flow, array, call.subject)
        return None
    seen = Look(flow, call, array, above, flow.terms.number(), stacked)
    rank = handler(seen)
    if name == "squeeze" and not above and flow.knowledge.rank(array) == 1 and flow.terms.length(array) == 1:
        return flow.knowledge.item(array, flow.terms.const(0))
    if name not in VIEWS or above:
        return None
    shape = _lengths(seen) if name == "reshape" else None
    viewed = flow.knowledge.view(seen.operation, array, rank if shape is None else len(shape))
    if shape is not None:
        flow.knowledge.shapes[viewed] = shape
    return viewed


# reshaping


def _reshape(seen: Look) -> int | None:
    """Detect ``keys.reshape(2, 3, 2)`` and ``keys.reshape(n, -1)``, and return the rank of the result."""
    given = seen.value(0, "shape")
    dims, expression = _dimensions(seen, given)
    if not dims:
        return _axes_before_key(seen, "shape")
    last, leading = dims[-1], dims[:-1]
    if last not in (*WORDS, Const(-1)):
        return len(dims) if given is not None else None
    literal = last != Const(-1)
    if not leading and (not literal or seen.flow.knowledge.rank(seen.term)):  # all words of raw keys, one after another
        return 1 if seen.flow.knowledge.kind(seen.term) is KeyKind.TYPED else None
    if not literal and Const(-1) in leading:
        return len(dims)
    whole = _holds_all(seen, leading)
    denied = literal and _holds_all(seen, dims) is True

    def used_rank() -> int | None:
        return seen.flow.knowledge.used.get(seen.flow.terms.make("view", seen.operation, seen.term))

    def holds(rank: int | None, kind: KeyKind) -> bool:
        if whole is True:
            return True
        if denied:
            return False
        if kind is KeyKind.RAW:
            return bool(leading) or rank == 0
        used = used_rank()
        if used is not None:
            return used == len(leading) or UNKNOWN in leading
        if literal:
            return rank == 0 or len(leading) > 1 or (rank is None or rank > 1)
        return rank == 1 and whole is None

    def exact() -> bool:
        if whole is True or last == Const(2):
            return True
        return UNKNOWN not in leading and used_rank() == len(leading)  # else 4 may be the words of two keys

    raw = seen.flow.knowledge.kind(seen.term) is KeyKind.RAW
    fixed = not literal and all(
        isinstance(dim, Const) and dim != UNKNOWN for dim in leading
    )  # rows of keys, if they are typed
    most = Confidence.CERTAIN if whole else Confidence.POSSIBLE if fixed and not raw else Confidence.LIKELY
    seen.note("reshape", (expression,) if expression is not None else (), holds, exact=exact, most=most)
    if whole or raw:
        return len(leading)
    typed = seen.flow.knowledge.kind(seen.term) is KeyKind.TYPED
    return len(dims) if denied or whole is False or typed else None


def _holds_all(seen: Look, dims: tuple[Value, ...]) -> bool | None:
    """Return whether these dimensions hold all keys: ``None`` if unknown, ``False`` if there are more keys.

    There are more if the number of keys is a multiple of the dimensions: ``split(key, n * m)`` into ``n``.
    """
    terms = seen.flow.terms
    number = sizes.count(terms, seen.term)
    if seen.above:  # single keys
        number = None if seen.stacked is None or seen.flow.knowledge.rank(seen.term) else sizes.Size(seen.stacked)
    if number is None or Const(-1) in dims or UNKNOWN in dims:
        return None
    given = sizes.product(terms, (as_term(seen.flow, dim) for dim in dims))
    if given == number:
        return True
    more = given.factors <= number.factors and number.number % (given.number or 1) == 0
    return False if more else None


def _dimensions(seen: Look, given: Value | None) -> tuple[tuple[Value, ...], ast.expr | None]:
    """Return the known dimensions of a shape, and the expression of the last one."""
    expression = seen.expression(0, "shape")
    if isinstance(given, Sequence) and not given.open:
        return given.items, _last_element(expression)
    added = _after_others(seen.call.node.args if not seen.call.first else []) or _last_of_sum(expression)
    if added is not None:
        return (UNKNOWN, UNKNOWN, Const(added[1])), added[0]
    if given is None or (seen.call.first and not isinstance(given, Const)):
        return (), None
    if seen.call.first:
        return (given,), expression
    positional = tuple(value for value, starred in seen.call.arguments.positional if not starred)
    whole = len(positional) == len(seen.call.arguments.positional)
    if not whole or (len(positional) == 1 and not isinstance(given, Const)):
        return (), None
    return positional, seen.call.node.args[-1] if seen.call.node.args else None


def _lengths(seen: Look) -> tuple[int, ...] | None:
    """Return the lengths of the axes of keys that ``reshape`` gives a row of keys, ``None`` if they are not known."""
    count = seen.flow.terms.length(seen.term)
    dims = [dim.value if isinstance(dim, Const) else None for dim in _dimensions(seen, seen.value(0, "shape"))[0]]
    if count is None or seen.flow.knowledge.rank(seen.term) != 1 or dims.count(-1) > 1:
        return None
    lengths = [dim for dim in dims if type(dim) is int and (dim > 0 or dim == -1)]
    if not lengths or len(lengths) != len(dims):
        return None
    is_raw = seen.flow.knowledge.kind(seen.term) is KeyKind.RAW
    if is_raw and lengths[-1] not in (2, -1):
        return None
    keys = lengths[:-1] if is_raw else lengths
    rest = prod(each for each in keys if each != -1)
    shape = tuple(count // rest if each == -1 else each for each in keys)
    return shape if prod(shape) == count and len(shape) > 1 else None


def _axes_before_key(seen: Look, name: str) -> int | None:
    """Return the number of dimensions before the shape of one key, as in ``(n, m, *key.shape)``."""
    expression = seen.expression(0, name)
    elements = (
        expression.elts if isinstance(expression, ast.Tuple | ast.List) else seen.call.node.args[seen.call.first :]
    )
    starred = [part for part in elements if isinstance(part, ast.Starred)]
    if len(starred) != 1 or starred[0] is not elements[-1]:
        return None
    shape = starred[0].value
    shape = shape.value if isinstance(shape, ast.Subscript) else shape
    return len(elements) - 1 if isinstance(shape, ast.Attribute) and shape.attr == "shape" else None


def _last_element(expression: ast.expr | None) -> ast.expr | None:
    if isinstance(expression, ast.Tuple | ast.List) and expression.elts:
        return expression.elts[-1]
    added = _last_of_sum(expression)
    return added[0] if added is not None else None


def _last_of_sum(expression: ast.expr | None) -> tuple[ast.expr, int] | None:
    """Return the last element of ``shape + (2,)`` and ``(*shape, 2)``, with its value."""
    match expression:
        case ast.BinOp(op=ast.Add(), right=ast.Tuple(elts=[*_, last])):
            return _with_value(last)
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return _after_others(elements)
    return None


def _after_others(elements: list[ast.expr]) -> tuple[ast.expr, int] | None:
    """Return the last of several elements if it is a number and an earlier one is unpacked."""
    unpacked = any(isinstance(part, ast.Starred) for part in elements[:-1])
    return _with_value(elements[-1]) if unpacked else None


def _with_value(node: ast.expr) -> tuple[ast.expr, int] | None:
    match node:
        case ast.Constant(value=int(number)):
            return node, number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return node, -1
    return None


# copies


def _broadcast(seen: Look) -> int | None:
    """Detect ``broadcast_to(key, (n, 2))``."""
    dims, expression = _dimensions(seen, seen.value(0, "shape"))
    parts = (expression,) if expression is not None else ()
    is_own = dims and _is_length_of(seen.term, dims[-1])
    if dims and (is_own or dims[-1] in WORDS):

        def holds(rank: int | None, kind: KeyKind) -> bool:
            if is_own:
                return rank == 0
            return kind is KeyKind.RAW or not rank or len(dims) > rank + 1

        seen.note("broadcast", parts, holds)
        return len(dims) - 1 if seen.flow.knowledge.kind(seen.term) is KeyKind.RAW else None
    return _axes_before_key(seen, "shape")


def _is_length_of(term: Term, value: Value) -> bool:
    """Return whether a value is ``key.shape[0]``: the words of one key, or the number of several."""
    return isinstance(value, Metadata) and value.what == "first-length" and value.term == term


def _tile(seen: Look) -> int | None:
    """Detect ``tile(key, (n, 1))``."""
    dims, expression = _dimensions(seen, seen.value(0, "reps"))
    parts = (expression,) if expression is not None else ()
    if len(dims) > 1 and dims[-1] == Const(1):

        def holds(rank: int | None, kind: KeyKind) -> bool:
            return rank is not None and len(dims) > rank and (kind is KeyKind.RAW or rank == 0)

        seen.note("tile", parts, holds)
        is_one = seen.flow.knowledge.rank(seen.term) == 0 and seen.flow.knowledge.kind(seen.term) is KeyKind.RAW
        return len(dims) - 1 if is_one else None
    return None


# moving axes


def transposition(
    flow: State,
    term: Term,
    place: Transposed,
    need: Need,
    holds: Callable[[int | None, KeyKind], Confidence | None] | None = None,
) -> None:
    """Record that word and batch axes are exchanged."""

    def build(confidence: Confidence, kind: KeyKind) -> Fact | None:
        most = Confidence.CERTAIN if holds is None else holds(flow.knowledge.rank(term), kind)
        if most is None:
            return None
        return facts.KeyTransposition(
            node=place.node,
            confidence=min(confidence, most),
            key=spelled(place.subjects[0]) if len(place.subjects) == 1 else "",
            kind=kind,
            how=place.how,
            axis=place.axis,
            subjects=place.subjects,
        )

    note(flow, term, need, build, at=place.subjects[0] if place.subjects else None)


def _moved(seen: Look) -> int | None:
    """Detect whether ``transpose``, ``swapaxes`` and ``moveaxis`` move the word axis, or only count it."""
    numbers, expressions = _axes_given(seen)
    if not seen.call.arguments.values()[seen.call.first :]:  # all axes are reversed
        transposition(seen.flow, seen.term, seen.as_transposed(), Need.RAW_FLAT)
    if numbers is None:
        return seen.flow.knowledge.rank(seen.term)

    def moves(rank: int | None, kind: KeyKind) -> Confidence | None:
        if kind is KeyKind.TYPED or not rank or not _moves_words(seen.call.name, numbers, rank + 1):
            return None
        beyond = any(number >= rank or number < -rank for number in numbers)  # an error for typed keys
        return Confidence.CERTAIN if kind is KeyKind.RAW or beyond or rank == 1 else Confidence.POSSIBLE

    transposition(seen.flow, seen.term, seen.as_transposed(), Need.KNOWN, holds=moves)

    def counts(rank: int | None, kind: KeyKind) -> bool:
        if not rank or _moves_words(seen.call.name, numbers, rank + 1):
            return False
        if seen.call.name == "transpose":
            return len(numbers) == rank + 1
        return any(number < 0 for number in numbers) and (
            kind is KeyKind.RAW or any(number < -rank for number in numbers)
        )

    parts = (
        expressions[-1:]
        if seen.call.name == "transpose"
        else tuple(part for part, number in zip(expressions, numbers, strict=False) if number < 0)
    )
    seen.note("permutation" if seen.call.name == "transpose" else "axis", parts, counts)
    rank = seen.flow.knowledge.rank(seen.term)
    is_apart = moves(rank, seen.flow.knowledge.kind(seen.term)) == Confidence.CERTAIN  # the words are no last axis
    return None if is_apart else rank


def _axes_given(seen: Look) -> tuple[tuple[int, ...] | None, tuple[ast.expr, ...]]:
    """Return the axis numbers of a call that moves axes, with their expressions; ``None`` unless all are literal."""
    if seen.call.name == "transpose":
        given = seen.value(0, "axes")
        if isinstance(given, Sequence):
            if given.open:
                return None, ()
            node = seen.expression(0, "axes")
            expressions = tuple(node.elts) if isinstance(node, ast.Tuple | ast.List) else ()
            return _integers(given.items), expressions
        positional = tuple(value for value, starred in seen.call.arguments.positional[seen.call.first :] if not starred)
        whole = len(positional) == len(seen.call.arguments.positional) - seen.call.first
        return (_integers(positional) if positional and whole else None), tuple(seen.call.node.args[seen.call.first :])
    names = ("axis1", "axis2") if seen.call.name == "swapaxes" else ("source", "destination")
    values = tuple(value for i, name in enumerate(names) if (value := seen.value(i, name)) is not None)
    expressions = tuple(e for i, name in enumerate(names) if (e := seen.expression(i, name)) is not None)
    return (_integers(values) if len(values) == len(expressions) == 2 else None), expressions


def _integers(values: tuple[Value, ...]) -> tuple[int, ...] | None:
    numbers = tuple(value.value for value in values if isinstance(value, Const) and type(value.value) is int)
    return numbers if len(numbers) == len(values) else None


def _moves_words(name: str, numbers: tuple[int, ...], axes: int) -> bool:
    """Return whether the last of ``axes`` axes is moved."""
    places = tuple(number % axes if -axes <= number < axes else number for number in numbers)
    if name == "transpose":
        return places[-1] != axes - 1
    return axes - 1 in places and places[0] != places[1]


# one axis number


def _numbered(seen: Look) -> int | None:
    """Check functions with one ``axis`` argument: a negative axis counts from the words."""
    if seen.call.name in ("concatenate", "stack", "hstack"):
        return None
    place = AXIS_PLACES[seen.call.name]
    axis, expression = seen.value(place, "axis"), seen.expression(place, "axis")
    if isinstance(axis, Const) and type(axis.value) is int and expression is not None:
        alone = seen.call.name not in ("append", "dynamic_update_slice_in_dim", "dynamic_update_index_in_dim")
        subjects = (seen.call.subject,) if alone else ()
        _counted(seen, axis.value, expression, wider=seen.call.name == "expand_dims", subjects=subjects)
        rank = seen.flow.knowledge.rank(seen.term)
        if seen.call.name in ("flip", "repeat", "roll") and rank is not None and 0 <= axis.value < rank:
            return rank
    return None


def _counted(
    seen: Look,
    number: int,
    axis: ast.expr,
    *,
    wider: bool,
    subjects: tuple[ast.expr, ...] | Callable[[], tuple[ast.expr, ...]],
) -> None:
    """Record an axis number that is the word axis, or is counted from it.

    Args:
        seen: the call.
        number: the axis.
        axis: its expression.
        wider: whether the number refers to the result, which has one axis more.
        subjects: the expressions of all arrays in the call, empty if some may not be keys.
    """

    def last(rank: int | None, kind: KeyKind) -> bool:
        if rank is None:
            return False
        return number == rank + wider or (number == -1 and (kind is KeyKind.RAW or rank + wider == 0))

    def counts(rank: int | None, kind: KeyKind) -> bool:
        if rank is None or number >= -1:
            return False
        return kind is KeyKind.RAW or number < -(rank + wider)

    seen.note("words", subjects, last)
    seen.note("axis", (axis,), counts)


def look_at_joined(flow: State, name: str, arrays: Sequence, arguments: Arguments) -> None:
    """Check ``stack``, ``concatenate`` and ``vstack`` of a list of arrays."""
    node = arguments.node
    written = arguments.expression(0, ARRAYS.get(name, "arrays"))
    if node is None or written is None or name not in JOINING:
        return
    elements = tuple(written.elts) if isinstance(written, ast.List | ast.Tuple) else ()
    if any(isinstance(element, ast.Starred) for element in elements):
        elements = ()
    subject = elements[0] if elements else written
    for item in arrays.items:
        passes_value(flow, item, subject)
    first = next((item for item in arrays.items if isinstance(item, Term)), None)
    if first is None:
        return
    seen = Look(flow, ArrayCall(name, node, subject, arguments, 1), first, 0)
    if name == "vstack":
        _stacked_rows(seen, arrays)
        return

    def is_whole(item: Value) -> bool:
        """Return whether an array is known to hold keys; `keys[:, 0]` may hold one word of each."""
        if not isinstance(item, Term) or not flow.knowledge.is_known(item):
            return False
        return flow.terms.operation(item) != "view" or not str(flow.terms.data(item)).startswith("item")

    def keys() -> tuple[ast.expr, ...]:
        known = all(map(is_whole, arrays.items))
        return elements if known and not arrays.open else ()

    axis, expression = arguments.get(1, "axis"), arguments.expression(1, "axis")
    if isinstance(axis, Const) and type(axis.value) is int and expression is not None and axis.value != 0:
        _counted(seen, axis.value, expression, wider=name == "stack", subjects=keys)
    elif name in ("concatenate", "hstack") and axis in (None, Const(0)):
        seen.note("words", keys, lambda rank, _: rank == 0)


def _stacked_rows(seen: Look, arrays: Sequence) -> None:
    """Check ``vstack``, which makes rows of raw keys, but turns each typed key into a row of one key."""

    def holds(rank: int | None, kind: KeyKind) -> bool:
        return rank == 0 or (rank == 1 and kind is KeyKind.RAW)

    def exact() -> bool:
        ranks = {seen.flow.knowledge.rank(item) if isinstance(item, Term) else None for item in arrays.items}
        return len(ranks) == 1 and not arrays.open  # `vstack` joins a key and an array of keys, `stack` does not

    seen.note("vstack", (seen.call.node.func,), holds, exact=exact)


def _rows_of_array(seen: Look) -> int | None:
    """Detect ``vstack(keys)``."""

    def holds(rank: int | None, kind: KeyKind) -> bool:
        return rank == 1 or (rank == 2 and kind is KeyKind.RAW)

    if seen.call.name == "vstack" and not seen.above:
        seen.note("rows", (seen.call.node.func,), holds)
    return None


# slices and masks


def _dynamic_slice(seen: Look) -> int | None:
    """Detect ``dynamic_slice(keys, (i, 0), (1, 2))``."""
    starts, lengths = seen.value(0, "start_indices"), seen.value(1, "slice_sizes")
    if isinstance(starts, Sequence) and isinstance(lengths, Sequence) and len(starts.items) == len(lengths.items):
        number = len(starts.items)
        ends = (_last_element(seen.expression(0, "start_indices")), _last_element(seen.expression(1, "slice_sizes")))
        parts = tuple(end for end in ends if end is not None)
        seen.note(
            "dynamic-slice",
            parts if len(parts) == 2 and starts.items[-1:] == (Const(0),) and lengths.items[-1] in WORDS else (),
            lambda rank, _: rank is not None and number == rank + 1,
        )
    return None


def _dynamic_update(seen: Look) -> int | None:
    """Detect ``dynamic_update_slice(keys, key[None], (i, 0))``."""
    starts = seen.value(1, "start_indices")
    if isinstance(starts, Sequence) and not starts.open:
        number, end = len(starts.items), _last_element(seen.expression(1, "start_indices"))
        parts = (end,) if end is not None and starts.items[-1:] == (Const(0),) else ()
        seen.note("dynamic-slice", parts, lambda rank, _: rank is not None and number == rank + 1)
    return None


AXIS_PLACES = {
    "expand_dims": 0, "squeeze": 0, "flip": 0, "take": 1, "roll": 1, "repeat": 1, "delete": 1, "append": 1,
    "split": 1, "array_split": 1, "take_along_axis": 1, "dynamic_index_in_dim": 1, "dynamic_slice_in_dim": 2,
    "dynamic_update_slice_in_dim": 2, "dynamic_update_index_in_dim": 2,
}  # fmt: skip


def _rearranged(seen: Look) -> int | None:
    """Return ``None``: the number of axes is unknown."""
    return None


def _as_it_is(seen: Look) -> int | None:
    """Return the rank of the array."""
    return seen.flow.knowledge.rank(seen.term)


HANDLERS: dict[str, Callable[[Look], int | None]] = {
    **dict.fromkeys(AXIS_PLACES, _numbered),
    "broadcast_to": _broadcast,
    "copy": _as_it_is,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update,
    "flatten": _rearranged,
    "moveaxis": _moved,
    "ravel": _rearranged,
    "reshape": _reshape,
    "swapaxes": _moved,
    "tile": _tile,
    "transpose": _moved,
    "vstack": _rows_of_array,
}
