"""Key signatures by tracing: what a function does with the keys that it is given, read off its lineage.

The words are those of :mod:`olympus.signatures.signature`, which the static engine uses as well. A signature holds for
the arguments of the trace: another path through the Python code may do something else.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from olympus.signatures.paths import ANY, parse, text
from olympus.signatures.signature import Forward, KeySignature, Mask, Reuse, Sink, Source

if TYPE_CHECKING:
    from olympus.lineage import Event, Lineage
    from olympus.lineage.values import Value

DERIVATIONS = frozenset({"split", "fold_in", "clone"})
MANY = 8  # decisions over one key, after which it is not asked whether its consumptions are all cases

Conditions = dict[object, int]
Position = tuple[int, ...]


def of(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> KeySignature:
    """Return the key signature of a function, by tracing it.

    A loop is taken to run once at least, as by the static engine and by JAX's own checker. A draw whose result a
    selection drops has been made. What a primitive does that is not modelled, a Pallas kernel or a callback, is not
    in the signature; :attr:`olympus.lineage.Lineage.unmodelled` lists it.

    Args:
        f: the function.
        args: its arguments, abstract or concrete, as :func:`olympus.tracing.jaxprs.trace` takes them. A ``uint32``
            array is a key if it is used as one, or made by :func:`olympus.tracing.jaxprs.raw_key`.
        kwargs: its keyword arguments, likewise.

    Raises:
        Exception: what ``f`` raises, unchanged.
        ValueError: if ``f`` is too long to be followed to its end.
    """
    from olympus import lineage

    return read(lineage.of(f, *args, **kwargs), _parameters(f))


def _parameters(f: Callable[..., Any]) -> tuple[str, ...]:
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD))


def read(lineage: Lineage, parameters: Sequence[str] = ()) -> KeySignature:
    """Return the key signature of a function whose keys were followed.

    Args:
        lineage: what is known of its keys.
        parameters: the names of its parameters; those of the arguments if there are none.

    Raises:
        ValueError: if the lineage is not complete.
    """
    if not lineage.complete:
        raise ValueError("the function has too many equations to follow its keys; give a part of it")
    found = _Reading(lineage)
    names = parameters or dict.fromkeys(parse(name)[0] for name in lineage.trace.names)
    return KeySignature(
        tuple(names), tuple(found.sinks()), tuple(found.sources()), tuple(found.forwards()), tuple(found.reuses())
    )


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a key comes from, in the words of a signature.

    Attributes:
        argument: the flat argument that it is, or that it is derived from; ``None`` for another origin.
        position: where in that argument; all of it, if it is empty.
        via: how it is derived; empty for the argument itself.
        spent: as of a :class:`olympus.signatures.signature.Source`.
    """

    argument: int | None
    position: Position
    via: str
    spent: bool | None


@dataclass(slots=True)
class Consumed:
    """Under which conditions one key is consumed, and how many cases those decisions have that are known."""

    conditions: list[Conditions] = field(default_factory=list)
    cases: dict[object, int] = field(default_factory=dict)

    def add(self, conditions: Conditions, cases: Mapping[object, int]) -> None:
        """Note that it is consumed under some conditions, whose decisions have so many cases."""
        self.conditions.append(conditions)
        self.cases.update(cases)

    def always(self, given: Conditions | None = None) -> bool | None:
        """Return whether each execution consumes it that takes the given branches; ``None`` if some do."""
        branches = given or {}
        conditions = [_without(each, branches) for each in self.conditions if _agree(each, branches)]
        if not conditions:
            return False
        return (len(self.cases) <= MANY and _in_all_cases(conditions, self.cases)) or None


def _in_all_cases(conditions: Sequence[Conditions], cases: Mapping[object, int]) -> bool:
    if any(not each for each in conditions):
        return True
    for decision, number in cases.items():
        rest = {other: count for other, count in cases.items() if other != decision}
        if any(decision in each for each in conditions) and all(
            _in_all_cases(
                [_without(each, {decision: case}) for each in conditions if _agree(each, {decision: case})], rest
            )
            for case in range(number)
        ):
            return True
    return False


def _agree(conditions: Conditions, given: Conditions) -> bool:
    return all(conditions.get(decision, case) == case for decision, case in given.items())


def _without(conditions: Conditions, given: Conditions) -> Conditions:
    return {decision: case for decision, case in conditions.items() if decision not in given}


def meant(lineage: Lineage, key: int) -> Iterator[tuple[int, bool]]:
    """Yield a key and those that it stands for, one of several or the keys of all lanes, each with whether it is."""
    waiting = [(key, True)]
    seen = set(waiting)
    while waiting:
        current, certain = waiting.pop()
        yield current, certain
        operation, children, _ = lineage.identities[current]
        if operation == "join":
            found = [(child, False) for child in children[1:]]
        else:
            *_, element = lineage.identities.chain(current)
            _, lanes = lineage.lanes.get(element, (0, ()))
            found = [(lineage.identities.replace(current, {element: lane}), certain) for lane in lanes]
        waiting += [each for each in reversed(found) if each not in seen]
        seen.update(found)


class _Reading:
    """Reads a signature off a lineage."""

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage
        self.identities = lineage.identities
        self.names = [text(parse(name)) for name in lineage.trace.names]
        self.consumed: defaultdict[int, Consumed] = defaultdict(Consumed)
        self.joins: dict[int, _Origin | None] = {}
        for event in lineage.events:
            if event.consumes and not event.context.never:
                self.note(event)
        self.keys = self.arguments_that_are_keys()

    def note(self, event: Event) -> None:
        """Note the keys that an event consumes, those of all lanes where it stands for any one of them."""
        conditions, cases = _conditions(event)
        for key in event.keys:
            for each, certain in meant(self.lineage, key):
                own = conditions if certain else {**conditions, ("one of several", key): 0}
                self.consumed[each].add(own, cases)

    def arguments_that_are_keys(self) -> set[int]:
        """Return the flat arguments that hold keys, by their type or by what is done with them."""
        from olympus.lineage.values import is_key_dtype

        variables = self.lineage.trace.jaxpr.jaxpr.invars
        found = {place for place, variable in enumerate(variables) if is_key_dtype(variable.aval)}
        used = {key for event in self.lineage.events for key in (*event.keys, *event.made)} | set(self.consumed)
        places = (self.argument(key) for key in used)
        return found.union(self.lineage.trace.raw_keys, (place[0] for place in places if place is not None))

    def argument(self, key: int) -> tuple[int, Position] | None:
        """Return the flat argument that a key is in, and its position there; ``None`` for another key."""
        operation, _, data = self.identities[key]
        return data if operation == "argument" and isinstance(data, tuple) else None

    def path(self, argument: int, position: Position) -> str:
        """Return the input path of a key."""
        return self.names[argument] + _index(position)

    # Sinks.

    def sinks(self) -> Iterator[Sink]:
        """Yield what is consumed, in the order of the arguments."""
        elements: defaultdict[int, dict[Position, bool]] = defaultdict(dict)
        for key, entry in self.consumed.items():
            place = self.argument(key)
            if place is not None:
                elements[place[0]][place[1]] = entry.always() is True
        for argument in sorted(elements):
            for certain in (True, False):
                chosen = {position for position, always in elements[argument].items() if always is certain}
                if chosen:
                    mask = _mask(self.shape(argument), chosen)
                    yield Sink(self.names[argument], not certain, mask)

    def shape(self, argument: int) -> Position:
        """Return the shape of an array of keys, without the axis of words."""
        from olympus.lineage.values import key_shape

        return key_shape(self.lineage.trace.jaxpr.jaxpr.invars[argument].aval)

    # Outputs.

    def outputs(self) -> Iterator[tuple[str, Position, dict[Position, _Origin]]]:
        """Yield the path and the shape of each output that holds keys, with where its elements come from."""
        import jax

        from olympus.lineage.values import key_shape

        trace = self.lineage.trace
        leaves = list(range(trace.out_tree.num_leaves))
        tree = jax.tree_util.tree_unflatten(trace.out_tree, leaves)
        paths = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]
        atoms: Any = trace.jaxpr.jaxpr.outvars
        for path, value, atom in zip(paths, self.lineage.outputs, atoms, strict=True):
            found = {position: self.origin(key) for position, key in self.elements(value)}
            known = {position: origin for position, origin in found.items() if origin is not None}
            if known:
                yield text(parse(path)), key_shape(atom.aval), known

    def elements(self, value: Value) -> Iterator[tuple[Position, int]]:
        """Yield the keys of an output with their positions; a large array has one identity for all."""
        from olympus.lineage.values import Values

        if value.bulk is not None:
            yield (), value.bulk
        yield from Values(self.identities).keys_at(value)

    def origin(self, key: int, given: Conditions | None = None) -> _Origin | None:
        """Return where a key comes from; ``None`` for an origin that no signature speaks of.

        Args:
            key: the key.
            given: the branches that were taken, if it is at hand.
        """
        operation, children, _ = self.identities[key]
        if operation == "join":
            if key not in self.joins:
                self.joins[key] = self.common(key)
            return self.joins[key]
        place = self.argument(key)
        if place is not None:
            return _Origin(*place, "", False) if place[0] in self.keys else None
        if operation == "seed":
            return _Origin(None, (), "seed", self.spent(key, given))
        if operation not in DERIVATIONS:
            return None
        argument, position = self.argument(self.single(children[0])) or (None, ())
        return _Origin(argument, position, operation, self.spent(key, given))

    def single(self, number: int) -> int:
        """Return the key of an array of one; children in a large array have the whole array for their parent."""
        operation, children, _ = self.identities[number]
        return children[0] if operation == "labels" and len(children) == 1 else number

    def common(self, key: int) -> _Origin | None:
        """Return what is known of a key that is one of several: of branches, or of the iterations of a loop."""
        from olympus.lineage.control import TURNS

        chooser, *alternatives = self.identities[key].children
        data = self.identities[chooser].data
        turns = isinstance(data, tuple) and data[:1] == ("after",)
        if turns:  # not what goes into a loop that is taken to run
            alternatives = alternatives[-TURNS:]
        found = [self.origin(each, {chooser: case}) for case, each in enumerate(alternatives)]
        made = [origin for origin in found if origin is not None and origin.via]
        if not made or len(made) < len(found) or len({origin.via for origin in made}) > 1:
            return None
        places = {(origin.argument, origin.position) for origin in made}
        argument, position = places.pop() if len(places) == 1 else (None, ())
        states = {origin.spent for origin in (made[-1:] if turns else made)}  # no iteration comes after the last one
        inside = states.pop() if len(states) == 1 else None
        return _Origin(argument, position, made[0].via, self.spent(key) or inside)

    def spent(self, key: int, given: Conditions | None = None) -> bool | None:
        """Return whether a key is consumed; ``None`` if it is on some executions only."""
        entry = self.consumed.get(key)
        return False if entry is None else entry.always(given)

    def sources(self) -> Iterator[Source]:
        """Yield the outputs that are fresh keys; those elements of an array together that are made in one way."""
        for path, shape, elements in self.outputs():
            groups: defaultdict[tuple[int | None, str, bool | None], list[Position]] = defaultdict(list)
            for position, origin in elements.items():
                if origin.via:
                    groups[origin.argument, origin.via, origin.spent].append(position)
            for (argument, via, spent), positions in groups.items():
                parents = {elements[position].position for position in positions}
                parent = None if argument is None else self.path(argument, parents.pop() if len(parents) == 1 else ())
                mask = _mask(shape, positions)
                whole = path + ANY if shape and mask is None else path
                yield Source(whole, parent, via, mask, spent)

    def forwards(self) -> Iterator[Forward]:
        """Yield the outputs that are keys which went in."""
        for path, shape, elements in self.outputs():
            given = {position: origin for position, origin in elements.items() if not origin.via}
            places = {origin.argument for origin in given.values()}
            argument = places.pop() if len(places) == 1 else None
            in_place = all(position == origin.position for position, origin in given.items())
            if argument is not None and in_place and self.shape(argument) == shape:
                yield Forward(path, self.names[argument], _mask(shape, given))
                continue
            for position, origin in given.items():
                if origin.argument is not None:
                    yield Forward(path + _index(position), self.path(origin.argument, origin.position))

    def reuses(self) -> Iterator[Reuse]:
        """Yield the keys that are consumed twice."""
        found: dict[Reuse, None] = {}
        for misuse in self.lineage.misuses:
            if misuse.kind == "reuse":
                origin = self.origin(misuse.key)
                known = origin is not None and origin.argument is not None
                path = self.path(origin.argument, origin.position) if origin and origin.argument is not None else None
                found[Reuse(path if known else None, origin.via if origin else "")] = None
        yield from found


def _conditions(event: Event) -> tuple[Conditions, dict[object, int]]:
    """Return the branches of ``lax.cond`` around an event, and how many each has.

    Under ``vmap`` a lane takes one of them. A selection among results is no condition: all of them have been drawn.
    """
    found = {decision: case for decision, case in event.context.conditions.items() if isinstance(decision, int)}
    return {each: case for each, (case, _) in found.items()}, {each: count for each, (_, count) in found.items()}


# Arrays.


def _index(position: Position) -> str:
    return "".join(f"[{each}]" for each in position)


def _mask(shape: Position, chosen: Iterable[Position]) -> Mask | None:
    """Return the elements of an array as a mask, ``None`` for all; the empty position stands for all."""
    import numpy as np

    positions = set(chosen)
    if () in positions:
        return None
    array = np.zeros(shape, bool)
    for position in positions:
        array[position] = True
    return None if array.all() else _tuples(array.tolist())


def _tuples(nested: list[Any]) -> Mask:
    return tuple(_tuples(each) if isinstance(each, list) else each for each in nested)
