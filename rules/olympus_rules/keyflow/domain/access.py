"""Reading and writing parts of values: items, attributes, elements, slices."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Hashable, Iterable, Iterator
from math import prod
from operator import is_
from typing import TypeGuard, cast

from olympus_rules.code.instructions import ClassCode
from olympus_rules.keyflow.domain.classes import requires_value
from olympus_rules.keyflow.domain.dimensions import axis
from olympus_rules.keyflow.domain.knowledge import forget_ranks
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.terms import CHANGED, CHOICE, MAX_SIZE, Term
from olympus_rules.keyflow.domain.values import (
    Bound,
    Choice,
    Class,
    Condition,
    Const,
    Function,
    Iteration,
    Library,
    Map,
    Mapped,
    Metadata,
    Partial,
    Sequence,
    SliceOf,
    Value,
)
from olympus_rules.keyflow.facts import KeyKind

MAX_ARMS = 12
REST = "\0rest"
"""Begins the name of all items that a dictionary has from an unknown one; no source names an item so."""
DICTIONARY = "dict"  # the view of the array that holds a dictionary's values
MAX_LOOKED_UP = 8  # callables of which an unknown one is called
MAX_NESTED = 2_000
MAX_DEPTH = 4  # of nested containers, in a search for one of them
MAX_SEARCHED = 32  # items of a container that is searched
MAX_ITEMS = 256  # of a dictionary filled item by item


def as_term(flow: State, value: Value) -> Term:
    """Return a term for any value; structured values become terms of their parts."""
    terms = flow.terms
    if isinstance(value, Term):
        return value
    if isinstance(value, Const):
        try:
            return terms.const(value.value)
        except TypeError:
            return terms.fresh()
    if isinstance(value, Sequence):
        if len(value.items) > MAX_SIZE:
            return terms.fresh()  # the term would be too large
        kind = f"open {value.kind}" if value.open else value.kind
        return terms.make("op", kind, *(as_term(flow, item) for item in value.items))
    if isinstance(value, Condition):
        return terms.make("op", value.operation, *(as_term(flow, item) for item in value.operands))
    if isinstance(value, Metadata):
        return terms.make("op", value.what, value.term)
    if isinstance(value, Choice):
        return terms.make("op", (CHOICE, *(path for path, _ in value.arms)), *(as_term(flow, v) for _, v in value.arms))
    if isinstance(value, Library):
        return terms.make("symbol", value.qualified)
    if isinstance(value, Class):
        return _class_symbol(flow, value)
    if isinstance(value, Function):
        return terms.make("op", ("function", id(value.code)))
    return terms.make("op", ("value", value)) if _hashable(value) else terms.fresh()


def operand_term(flow: State, value: Value) -> Term:
    """Return the term of an operand; a loop's counter stands for any iteration, whatever its number here."""
    if isinstance(value, Const) and value.counter:
        return flow.terms.make("counter", value.value)
    return as_term(flow, value)


def _class_symbol(flow: State, value: Class) -> Term:
    """Return the term of a class, and record its bases."""

    def name(code: ClassCode) -> str:
        return code.home or f"{flow.file.name}.{code.name}"

    bases = flow.terms.bases
    if name(value.code) not in bases:
        bases[name(value.code)] = frozenset(name(code) for code in flow.linker.hierarchy.ancestry(value.code))
    return flow.terms.make("symbol", name(value.code))


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_large(value: Value, most: int = MAX_NESTED) -> bool:
    """Return whether the containers and choices inside a value hold more than ``most`` parts; shared parts count again.

    Repeated, ``x = (x, x)`` is small in memory but endless to walk. So is the result of a recursive function whose
    alternatives include its earlier results.
    """
    found, waiting = 0, [value]
    while waiting:
        parts = _parts(waiting.pop())
        inner = [part for part in parts if isinstance(part, Sequence | Map | Choice)]
        found += sum(len(_parts(part)) for part in inner)
        if found > most:
            return True
        waiting += inner
    return False


def _parts(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Sequence):
        return value.items
    if isinstance(value, Map):
        return tuple(item for _, item in value.items)
    return tuple(arm for _, arm in value.arms) if isinstance(value, Choice) else ()


def is_never_none(flow: State, value: Value) -> bool:
    """Return whether a value is surely not ``None``: an object built here, or an array that JAX returns."""
    if isinstance(value, Choice):
        return all(is_never_none(flow, part) for _, part in value.arms)
    if not isinstance(value, Term):
        return value != Const(None)
    if value in flow.file.classes or flow.terms.kind(value) == "object":
        return True
    if flow.terms.operation(value) == "param":
        code, name = flow.terms.data(value)
        return requires_value(flow.file, code, name)
    return flow.knowledge.is_something(value)


def choose(flow: State, arms: list[tuple[PathCondition, Value]]) -> Value:
    """Return the value that is ``arms[i]`` under the i-th condition; equal arms are merged.

    Over the limit, the arms with the fewest decisions on their paths are kept.
    """
    if arms and all(value is arms[0][1] for _, value in arms):
        return arms[0][1]
    is_possible = flow.decisions.is_possible
    flat: list[tuple[PathCondition, Value]] = []
    for path, value in arms:
        if isinstance(value, Choice):
            for inner, part in value.arms:
                joined = both(path, inner)
                if joined is not None and (joined == inner or is_possible(joined)):
                    flat.append((joined, part))
        else:
            flat.append((path, value))
    if not flat:
        return flow.terms.fresh()
    first = flat[0][1]
    if all(value == first for _, value in flat):
        return first
    merged = _merged(flow, flat)
    if merged is not None:
        return merged
    if len(flat) > MAX_ARMS:  # the other arms become one unknown value
        nearest = sorted(range(len(flat)), key=lambda number: _decisions(flat[number][0]))[: MAX_ARMS - 1]
        flat = [*(flat[number] for number in sorted(nearest)), (flow.path, flow.terms.fresh())]
    return Choice(tuple(flat))


def is_constant(value: Value | None) -> TypeGuard[Sequence]:
    """Return whether a value is a tuple of constants."""
    return (
        isinstance(value, Sequence)
        and value.kind == "tuple"
        and not value.open
        and all(isinstance(item, Const) for item in value.items)
    )


def _decisions(path: PathCondition) -> int:
    """Return the number of decisions in a condition."""
    return (path[0] | path[1]).bit_count()


def _merged(flow: State, arms: list[tuple[PathCondition, Value]]) -> Value | None:
    """Return one container of choices for containers of equal shape, ``None`` for anything else."""
    first = arms[0][1]
    if isinstance(first, Sequence):
        rows = [(path, value.items) for path, value in arms if isinstance(value, Sequence) and _alike(value, first)]
        if len(rows) == len(arms):
            items = tuple(choose(flow, [(path, row[i]) for path, row in rows]) for i in range(len(first.items)))
            return Sequence(first.kind, items, first.open)
    elif isinstance(first, Map):
        names = [name for name, _ in first.items]
        maps = [
            (path, dict(value.items))
            for path, value in arms
            if isinstance(value, Map) and value.open == first.open and [name for name, _ in value.items] == names
        ]
        if len(maps) == len(arms):
            return Map(tuple((name, choose(flow, [(p, m[name]) for p, m in maps])) for name in names), first.open)
    return None


def _alike(a: Sequence, b: Sequence) -> bool:
    return a.kind == b.kind and a.open == b.open and len(a.items) == len(b.items)


def map_choice(flow: State, value: Value, function: Callable[[Value], Value]) -> Value:
    """Apply a function to each arm that the present path allows."""
    if not isinstance(value, Choice):
        return function(value)
    arms = [(path, function(part)) for path, part in value.arms if both(path, flow.path) is not None]
    return choose(flow, arms)


def leaves(value: Value) -> list[Term]:
    """Return the terms in a value and its containers."""
    if isinstance(value, Term):
        return [value]
    if isinstance(value, Sequence):
        return [term for item in value.items for term in leaves(item)]
    if isinstance(value, Map):
        return [term for _, item in value.items for term in leaves(item)]
    if isinstance(value, Choice):
        return [term for _, item in value.arms for term in leaves(item)]
    return []


def guarded_leaves(flow: State, value: Value) -> list[tuple[PathCondition, Term]]:
    """Return the terms in a value, each with its condition on the present path."""
    if not isinstance(value, Choice):
        return [(flow.path, term) for term in leaves(value)]
    found: list[tuple[PathCondition, Term]] = []
    for path, part in value.arms:
        joined = both(flow.path, path)
        if joined is not None:
            found += [(joined, term) for term in leaves(part)]
    return found


def objects(flow: State, value: Value) -> Iterator[tuple[PathCondition, Term]]:
    """Yield the objects that a value may be, each with its condition beyond the present path."""
    for path, part in value.arms if isinstance(value, Choice) else ((ALWAYS, value),):
        if both(flow.path, path) is not None:
            further = path[0] & ~flow.path[0], path[1] & ~flow.path[1]
            yield from ((further, term) for term in leaves(part)[:1])


def map_leaves(value: Value, function: Callable[[Term], Value]) -> Value:
    """Apply a function to each term in a value and its containers."""
    if isinstance(value, Term):
        return function(value)
    if isinstance(value, Sequence):
        return Sequence(value.kind, tuple(map_leaves(item, function) for item in value.items), value.open)
    if isinstance(value, Map):
        return Map(tuple((key, map_leaves(item, function)) for key, item in value.items), value.open)
    if isinstance(value, Choice):
        return Choice(tuple((path, map_leaves(item, function)) for path, item in value.arms))
    return value


def get_item(flow: State, value: Value, index: Value) -> Value:
    """Return ``value[index]``."""
    if isinstance(value, Choice):
        return map_choice(flow, value, lambda part: get_item(flow, part, index))
    if isinstance(value, Sequence):
        return _sequence_item(flow, value, index)
    if isinstance(value, Map):
        if isinstance(index, Const):
            for key, item in value.items:
                if key == index.value:
                    return item
            return _taken_over(flow, value, index)
        return _looked_up(flow, value, index)
    if isinstance(value, Term):
        return _term_item(flow, value, index)
    if isinstance(value, Class):  # Generic[T]
        return value
    if isinstance(value, Metadata) and value.what == "shape" and isinstance(index, Const) and type(index.value) is int:
        return axis(flow, value.term, index.value)
    return flow.terms.fresh()


def is_registry(value: object, depth: int = MAX_DEPTH) -> TypeGuard[Map]:
    """Return whether a value is a dictionary of callables, or of dictionaries with callables in them."""
    if not isinstance(value, Map) or value.open or not 0 < len(value.items) <= MAX_SEARCHED or depth == 0:
        return False
    parts = [part for _, part in value.items]
    if all(isinstance(part, CALLABLE) for part in parts):
        return True
    return all(isinstance(part, Map) for part in parts) and all(
        any(isinstance(inner, CALLABLE) or is_registry(inner, depth - 1) for _, inner in part.items)
        for part in parts
        if isinstance(part, Map)
    )


def _looked_up(flow: State, registry: Map, index: Value) -> Value:
    """Return the entry of a dictionary of callables under an unknown name: any of its values."""
    if not is_registry(registry) or len(registry.items) > MAX_LOOKED_UP:
        return flow.terms.fresh()
    if len(registry.items) == 1:
        return registry.items[0][1]
    name = as_term(flow, index)
    tests = [flow.terms.make("op", "Eq", name, as_term(flow, Const(key))) for key, _ in registry.items]
    for test in tests:  # an equality excludes earlier ones only; a second query excludes all others
        flow.decisions.outcomes(test)
    paths = [flow.decisions.outcomes(test)[0] for test in tests]
    return choose(flow, [(path, part) for path, (_, part) in zip(paths, registry.items, strict=True)])


def dictionary(flow: State, parts: Iterable[tuple[object, Value]], *, is_open: bool = False) -> Map:
    """Return a dictionary of named items, and of the items of other dictionaries, which are named as ``is_rest`` says.

    What follows may replace what comes from another dictionary.
    """
    items: dict[object, Value] = {}
    taken = set[object]()
    for name, value in parts:
        if not is_rest(name):
            items[name] = value
            taken.discard(name)
            continue
        if not isinstance(value, Map):
            items |= {each: flow.terms.fresh() for each in taken}
        more = _items_of(flow, value)
        items.update(more)
        taken |= {each for each, _ in more}
        is_open = is_open or not isinstance(value, Map) or value.open
    return Map(tuple(items.items()), is_open)


def _items_of(flow: State, value: Value) -> tuple[tuple[object, Value], ...]:
    """Return the items of a dictionary: of an unknown one, those written to it, and one for all others."""
    if isinstance(value, Map):
        return value.items
    if not isinstance(value, Term):
        return ((REST, value),)
    generation = flow.generation(value)
    items: dict[object, Value] = {f"{REST}{generation} {int(value)}": value}
    for slot, held in flow.env.values.items():
        if isinstance(slot, tuple) and slot[::2] == (value, generation) and isinstance(slot[1], Term):
            name = flow.terms.constant(slot[1])
            items |= {name: cast("Value", held)} if isinstance(name, str) else {}
    return tuple(items.items())


def _taken_over(flow: State, value: Map, index: Const) -> Term:
    """Return an item that a dictionary has from the one that it was made of, as this one was then."""
    rests = [(name, rest) for name, rest in value.items if is_rest(name)]
    name, whole = rests[0] if len(rests) == 1 else ("", value)
    if not isinstance(whole, Term):
        return flow.terms.fresh()
    generation = int(str(name).removeprefix(REST).partition(" ")[0] or 0)
    if generation:
        whole = flow.terms.make("op", (CHANGED, generation), whole)
    return flow.knowledge.item(whole, as_term(flow, index))


def is_rest(name: object) -> bool:
    """Return whether an item of a dictionary stands for all those that it has from an unknown one."""
    return isinstance(name, str) and name.startswith(REST)


def with_item(container: Map | Sequence, index: object, value: Value) -> Map | Sequence:
    """Return a container with one item replaced."""
    if isinstance(container, Map):
        items = dict(container.items)
        full = len(items) >= MAX_ITEMS and index not in items
        if not full:
            items[index] = value
        return Map(tuple(items.items()), container.open or full)
    if not isinstance(index, int) or not -len(container.items) <= index < len(container.items):
        return container
    changed = list(container.items)
    changed[index] = value
    return Sequence(container.kind, tuple(changed), container.open)


def exchanged(value: Value, old: Value, new: Value, depth: int = MAX_DEPTH) -> Value:
    """Return a value with one container replaced by another wherever it holds that very object."""
    if value is old:
        return new
    if depth == 0 or not isinstance(value, Sequence | Map | Choice):
        return value
    if len(value.arms if isinstance(value, Choice) else value.items) > MAX_SEARCHED:
        return value
    if isinstance(value, Sequence):
        parts = value.items
        items = tuple(
            [
                part if part.__class__ is Term and part is not old else exchanged(part, old, new, depth - 1)
                for part in parts
            ]
        )
        return value if all(map(is_, items, parts)) else Sequence(value.kind, items, value.open)
    rows = value.items if isinstance(value, Map) else value.arms
    held = [exchanged(item, old, new, depth - 1) for _, item in rows]
    if all(part is item for part, (_, item) in zip(held, rows, strict=True)):
        return value
    if isinstance(value, Map):
        return Map(tuple((name, part) for (name, _), part in zip(value.items, held, strict=True)), value.open)
    return Choice(tuple((path, part) for (path, _), part in zip(value.arms, held, strict=True)))


def item_name(index: str | int) -> str:
    """Return the name that an item has among the attributes of an object."""
    return f"[{index!r}]"


def item_index(name: str) -> str | int | None:
    """Return the index of the item with such a name, ``None`` for the name of an attribute."""
    if not name.startswith("["):
        return None
    if name == "[*]":  # the index is a term
        return None
    index = literal_eval(name[1:-1])
    assert isinstance(index, str | int)
    return index


def _sequence_item(flow: State, value: Sequence, index: Value) -> Value:
    if isinstance(index, Const) and isinstance(index.value, int):
        position = index.value
        if position < 0 and value.open:
            return flow.terms.fresh()
        if -len(value.items) <= position < len(value.items):
            return value.items[position]
        return flow.terms.fresh()
    if isinstance(index, SliceOf):
        lower, upper, step = _bounds(index)
        if step is None and not value.open and _literal(index):
            return Sequence(value.kind, value.items[slice(lower, upper)])
        if step is None and _literal(index) and (lower or 0) >= 0 and upper is None:
            return Sequence(value.kind, value.items[slice(lower, None)], True)
    return flow.terms.fresh()


def _bounds(index: SliceOf) -> tuple[int | None, int | None, Value | None]:
    def bound(value: Value | None) -> int | None:
        return value.value if isinstance(value, Const) and type(value.value) is int else None

    return bound(index.lower), bound(index.upper), index.step


def _literal(index: SliceOf) -> bool:
    return all(
        part is None or (isinstance(part, Const) and (part.value is None or type(part.value) is int))
        for part in (index.lower, index.upper)
    )


def _within(flow: State, term: Term, index: Value) -> Value:
    """Return an index into an array; JAX takes one that is past the end for the last.

    A counter may end before that, surely so if there is one key only: who splits into one counts up to one.
    """
    if not isinstance(index, Const) or type(index.value) is not int or flow.terms.operation(term) != "split":
        return index
    length = flow.terms.length(term)
    if not length or index.value < length or (index.counter and length == 1):
        return index
    if index.counter:
        flow.knowledge.past_end.add(flow.terms.item(term, flow.terms.const(length - 1)))
    return Const(length - 1)


def _term_item(flow: State, term: Term, index: Value) -> Value:
    index = _within(flow, term, index)
    stored = _stored_item(flow, term, index)
    if stored is not None:
        return stored
    if term in flow.knowledge.shapes and (keys := _part_of_rows(flow, term, index)) is not None:
        return keys
    if isinstance(index, SliceOf):
        lower, upper, step = _bounds(index)
        origin = flow.knowledge.origins.get(term)
        if origin is not None and origin.rank == 0 and index != SliceOf(None, None, None):
            return flow.terms.make("unwrap", None, term)  # some of the words of one key
        if step is None and _literal(index) and flow.terms.operation(term) == "list":
            elements = term if flow.terms.data(term)[1] else flow.terms.args(term)[0]
            return flow.knowledge.listed(flow.knowledge.slice(elements, lower, upper))
        if step is None and _literal(index):
            return flow.knowledge.slice(term, lower, upper)
        return flow.knowledge.view(f"slice {flow.terms.number()}", term, flow.knowledge.rank(term))
    if isinstance(index, Sequence) and index.kind != "tuple":  # keys[jnp.array([0, 2])]
        return flow.knowledge.view(f"item {flow.terms.number()}", term, flow.knowledge.rank(term))
    if isinstance(index, Sequence):  # keys[i, j], keys[:, 0], keys[..., 0]
        if _cuts_words(flow, term, index):
            return flow.terms.make("unwrap", None, term)
        value: Value = term
        for part in index.items:
            if isinstance(part, SliceOf) or part == Const(...) or not isinstance(value, Term):
                rank = flow.knowledge.rank(term)
                axes = sum(map(_axes_of_part, index.items))
                return flow.knowledge.view(f"item {flow.terms.number()}", term, None if rank is None else rank + axes)
            value = _term_item(flow, value, part)
        return value
    if isinstance(index, Const) and index.value is None:  # keys[None]
        rank = flow.knowledge.rank(term)
        return flow.knowledge.view("newaxis", term, None if rank is None else rank + 1)
    item = flow.knowledge.item(term, as_term(flow, index))
    if index == Const(...) and term in flow.knowledge.named:  # all of an array
        flow.knowledge.named.add(item)
    if _may_be_array(flow, index):
        forget_ranks(flow.knowledge, [item])
    return item


def _may_be_array(flow: State, index: Value) -> bool:
    """Return whether an index may be an array, a mask for example: it then takes several elements, and no axis."""
    terms = flow.terms
    if not isinstance(index, Term):
        return isinstance(index, Condition)
    operation, data = terms.operation(index), terms.data(index)
    if operation in ("slice", "list", "view"):
        return _may_be_array(flow, terms.args(index)[0])
    if operation != "op":
        return False
    if isinstance(data, tuple):
        package, _, name = str(data[0]).rpartition(".")
        return package.startswith(("jax", "numpy")) and name not in ("argmax", "argmin")
    return data in MASKING or any(_may_be_array(flow, part) for part in terms.args(index))


MASKING = frozenset({"Eq", "Invert", "Lt"})
"""Operations that make a mask of an array; other comparisons are the negation of one."""


def _cuts_words(flow: State, term: Term, index: Sequence) -> bool:
    """Return whether an index takes some of the words of keys: it has a part for the axis after those of the array."""
    origin = flow.knowledge.origins.get(term)
    if origin is None or origin.rank is None or index.kind != "tuple" or index.open:
        return False
    parts = [part for part in index.items if part != Const(None)]
    if parts[:1] == [Const(...)]:
        return origin.kind == KeyKind.RAW and len(parts) == 2 and parts[1] != SliceOf(None, None, None)
    whole = (Const(...), SliceOf(None, None, None))
    return Const(...) not in parts and any(part not in whole for part in parts[origin.rank :])


def _part_of_rows(flow: State, term: Term, index: Value) -> Term | None:
    """Return an element, or a row, of keys that ``reshape`` has put into rows, as a part of the keys before."""
    shape, parts = flow.knowledge.shapes[term], index.items if isinstance(index, Sequence) else (index,)
    numbers = [part.value for part in parts if isinstance(part, Const) and type(part.value) is int]
    if len(numbers) != len(parts) or len(parts) > len(shape):
        return None
    if not all(-length <= number < length for number, length in zip(numbers, shape, strict=False)):
        return None
    keys, size, lower = flow.terms.args(term)[0], prod(shape), 0
    for number, length in zip(numbers, shape, strict=False):
        size //= length
        lower += number % length * size
    rest = shape[len(numbers) :]
    if not rest:
        return flow.knowledge.item(keys, flow.terms.const(lower))
    row = flow.knowledge.slice(keys, lower, lower + size)
    if len(rest) > 1:
        row = flow.knowledge.view(f"rows {lower}", row, len(rest))
        flow.knowledge.shapes[row] = rest
    return row


def _axes_of_part(part: Value) -> int:
    """Return by how many axes a part of an index changes the rank of an array."""
    if isinstance(part, SliceOf) or part == Const(...):
        return 0
    return 1 if part == Const(None) else -1


def _stored_item(flow: State, term: Term, index: Value) -> Value | None:
    """Return the value written to ``term[index]``."""
    generation = flow.generation(term)
    if not generation and not isinstance(index, Const):
        return None
    stored = flow.env.get((term, as_term(flow, index), generation))
    may_differ = term not in flow.knowledge.origins or flow.terms.operation(term) == "list"  # no array changes
    if stored is None and generation and may_differ:
        return flow.knowledge.item(flow.terms.make("op", (CHANGED, generation), term), as_term(flow, index))
    return cast("Value | None", stored)


def element(flow: State, value: Value, turn: int) -> Value | None:
    """Return the element of an iteration (from 0) of a loop over a value; ``None`` if the loop surely ends earlier."""
    if turn and flow.events.displays:
        _note_repeated(flow, value, turn)
    if isinstance(value, Choice):
        parts = [(path, element(flow, part, turn)) for path, part in value.arms if both(path, flow.path) is not None]
        return choose(flow, [(path, part) for path, part in parts if part is not None])
    if isinstance(value, Sequence):
        if turn < len(value.items):
            return value.items[turn]
        return flow.terms.fresh() if value.open else None
    if isinstance(value, Map):
        return Const(value.items[turn][0]) if turn < len(value.items) else None
    if isinstance(value, Iteration):
        return _iteration_element(flow, value, turn)
    if isinstance(value, Const) and isinstance(value.value, str | bytes):
        return Const(value.value[turn]) if turn < len(value.value) else None
    if isinstance(value, Term) and _array_of(flow, value) is None:
        return get_item(flow, value, Const(turn, counter=True))
    return flow.terms.fresh()


def _note_repeated(flow: State, value: Value, turn: int) -> None:
    """Remember the element of an iteration that a list holds before as well, and where it is written."""
    if isinstance(value, Term):
        held: Hashable = value
        item: Value | None = next(iter(flow.terms.args(value)), None)
    elif isinstance(value, Sequence) and turn < len(value.items) and all(isinstance(x, Term) for x in value.items):
        held, item = value.items, value.items[turn] if value.items[turn] in value.items[:turn] else None
    else:
        return
    written = flow.events.displays.get(held)
    if written is not None and isinstance(item, Term):
        flow.events.repeated[item] = written[min(turn, len(written) - 1)]


def _array_of(flow: State, value: Value) -> Term | None:
    """Return the array that holds the values of a dictionary."""
    terms = flow.terms
    if isinstance(value, Term) and terms.operation(value) == "view" and terms.data(value) == DICTIONARY:
        return terms.args(value)[0]
    return None


def length(flow: State, value: Value) -> int | None:
    """Return the number of elements that a loop over a value gets, ``None`` when unknown."""
    if isinstance(value, Sequence | Map):
        return None if value.open else len(value.items)
    if isinstance(value, Const) and isinstance(value.value, str | bytes):
        return len(value.value)
    if isinstance(value, Term):
        return flow.terms.length(value)
    if isinstance(value, Choice):
        lengths = {length(flow, part) for path, part in value.arms if both(path, flow.path) is not None}
        return lengths.pop() if len(lengths) == 1 else None
    if not isinstance(value, Iteration):
        return None
    if value.kind == "range":
        numbers = [part.value for part in value.parts if isinstance(part, Const) and type(part.value) is int]
        whole = len(numbers) == len(value.parts) and (len(numbers) < 3 or numbers[2])
        return len(range(*numbers)) if whole else None
    if value.kind == "zip":
        known = [number for part in value.parts if (number := length(flow, part)) is not None]
        return min(known) if known and len(known) == len(value.parts) else None
    return length(flow, value.parts[0])


def _iteration_element(flow: State, value: Iteration, turn: int) -> Value | None:
    if value.kind == "range":
        return _range_element(flow, value.parts, turn)
    if value.kind == "enumerate":
        inner = element(flow, value.parts[0], turn)
        if inner is None:
            return None
        start = value.parts[1] if len(value.parts) > 1 else Const(0)
        offset = start.value if isinstance(start, Const) and isinstance(start.value, int) else None
        counter: Value = Const(turn + offset, counter=True) if offset is not None else flow.terms.fresh()
        return Sequence("tuple", (counter, inner))
    if value.kind == "zip":
        found = [element(flow, part, turn) for part in value.parts]
        return None if None in found else Sequence("tuple", tuple(part for part in found if part is not None))
    if value.kind == "items" and isinstance(value.parts[0], Map):
        entries = value.parts[0].items
        if turn < len(entries):
            return Sequence("tuple", (Const(entries[turn][0]), entries[turn][1]))
        return None
    if value.kind == "values" and isinstance(value.parts[0], Map):
        entries = value.parts[0].items
        return entries[turn][1] if turn < len(entries) else None
    return _entry(flow, value, turn)


def _entry(flow: State, value: Iteration, turn: int) -> Value:
    """Return an entry of a dictionary with unknown names; equal iterations of two loops get equal entries."""
    whole = value.parts[0] if value.parts else None
    array = _array_of(flow, whole) if whole is not None else None
    if array is not None and value.kind in ("items", "values"):
        item = get_item(flow, array, Const(turn, counter=True))
        return item if value.kind == "values" else Sequence("tuple", (flow.terms.fresh(), item))
    if isinstance(whole, Term) and value.kind in ("items", "values"):
        name = flow.terms.make("op", "name", whole, flow.terms.const(turn))
        item = get_item(flow, whole, name)
        return item if value.kind == "values" else Sequence("tuple", (name, item))
    return flow.terms.fresh()


def _range_element(flow: State, parts: tuple[Value, ...], turn: int) -> Value | None:
    numbers = [part.value if isinstance(part, Const) and isinstance(part.value, int) else None for part in parts]
    start = numbers[0] if len(parts) > 1 else 0
    stop = numbers[0] if len(parts) == 1 else numbers[1]
    step = numbers[2] if len(parts) > 2 else 1
    if start is None or step is None:
        return flow.terms.fresh()
    value = start + step * turn
    if stop is not None and (value >= stop if step > 0 else value <= stop):
        return None
    if step < 0 and stop is None:  # counters go up
        return flow.terms.make("op", "down", flow.terms.const(value))
    return Const(value, counter=True)


CALLABLE = (Function, Bound, Class, Library, Partial, Mapped)
