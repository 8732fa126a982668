"""What a compiled function does with the keys of its arguments, found once and used at each of its calls.

The function's jaxpr is followed by the lineage. The term of each key that is consumed says where its words are to be
found at a call: in an argument, a constant or a result, and the numbers that are folded in from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from olympus.lineage import interpreted
from olympus.lineage.events import Event, Misuse
from olympus.lineage.movement import COMPUTATIONS
from olympus.recording.equations import is_in_branch
from olympus.signatures.traced import Consumed
from olympus.tracing import adapter
from olympus.tracing.jaxprs import trace

if TYPE_CHECKING:
    from olympus.lineage.identity import Identities, Term
    from olympus.lineage.interpreter import Interpreter
    from olympus.lineage.movement import Array
    from olympus.lineage.values import Value
    from olympus.recording.probe import Probe


Place: TypeAlias = "tuple[Any, tuple[int, ...]]"
"""An array, and the position of a key in it; empty for the one key, or for all keys of a large array."""


@dataclass(frozen=True, slots=True)
class Use:
    """A key that every call consumes.

    Attributes:
        event: what consumes it.
        key: its term.
    """

    event: Event
    key: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What each call of a compiled function does with keys.

    Attributes:
        closed: its jaxpr, which is held so that it is not followed again.
        identities: the terms.
        misuses: what is wrong inside, whatever it is called with.
        uses: the keys that each call consumes.
        hidden: what consumes keys in some branch of ``lax.cond`` only.
        results: for each result that holds keys, the arguments that they come from, or may come from.
        fresh: the results whose keys are clones, which are to be used beside their originals, or of seeds inside.
        names: a readable name for each argument.
        constants: what the function closes over, by ``id``.
        held: for each key in a result, the number of the result and the key's position in it.
        probe: finds what loops and branches consume, if that is asked for and there are any.
        elsewhere: the uses that the probe does not find.
        unprobed: why there is no probe.
    """

    closed: Any
    identities: Identities
    misuses: tuple[Misuse, ...]
    uses: tuple[Use, ...]
    hidden: tuple[Event, ...]
    results: dict[int, tuple[int, ...]]
    fresh: frozenset[int]
    names: tuple[str, ...]
    constants: dict[int, Any]
    held: dict[int, tuple[int, tuple[int, ...]]]
    probe: Probe | None = None
    elsewhere: tuple[Use, ...] = ()
    unprobed: str | None = None

    @property
    def name(self) -> str:
        """Return the function's name."""
        return str(getattr(self.closed.jaxpr.debug_info, "func_name", "a function"))

    def describe(self, key: int) -> str:
        """Return an identity as a reader would write it."""
        return self.identities.describe(key, lambda place: self.names[place])

    def given(self, key: int, args: Sequence[Any]) -> Place | None:
        """Return where a key is in the arguments of a call or the constants; ``None`` if it is in neither."""
        match self.identities[key]:
            case "argument", _, (int() as place, tuple() as position):
                return args[place], position
            case "constant", _, (int() as name, tuple() as position) if name in self.constants:
                return self.constants[name], position
        return None


def plan(
    primitive: Any, args: Sequence[Any], params: dict[str, Any], raw: Iterable[int] = (), *, probing: bool = False
) -> Plan:
    """Follow the jaxpr of a compiled function.

    Args:
        primitive: ``jit``.
        args: the arguments of a call.
        params: the parameters of the call.
        raw: the arguments that are known to be raw keys, or arrays of them.
        probing: whether its loops and branches are to be executed a second time at each call.
    """
    closed = params["jaxpr"]
    with adapter.elsewhere():
        traced = trace(lambda *values: primitive.bind(*values, **params), *args)
    state, _, outputs = interpreted(replace(traced, raw_keys=frozenset(raw)))
    # A sampler consumes its key whichever of its own methods gives the result.
    sampler = adapter.is_sampler(closed.jaxpr)
    finder = _Finder(state, outputs, len(args))
    names = getattr(closed.jaxpr.debug_info, "arg_names", None) or ()
    uses = tuple(finder.uses(conditional=sampler))
    found = Plan(
        closed=closed,
        identities=state.identities,
        misuses=tuple(each for each in state.ledger.misuses if state.are_keys(state.identities.keys_of(each.key))),
        uses=uses,
        hidden=() if sampler else tuple(_hidden(state, uses)),
        results=dict(finder.results()),
        fresh=frozenset(finder.fresh()),
        names=tuple(map(str, names)) if len(names) == len(args) else traced.names,
        constants=_constants(traced.jaxpr),
        held=finder.held(),
    )
    return _with_probe(found, traced.jaxpr, state) if probing else found


def _with_probe(found: Plan, jaxpr: Any, state: Interpreter) -> Plan:
    from olympus.recording.probe import Unprobed, probe

    try:
        own = probe(jaxpr, state.events, state.identities)
    except Unprobed as error:
        return replace(found, unprobed=str(error))
    except Exception as error:
        return replace(found, unprobed=f"{type(error).__name__}: {error}")
    if own is None:
        return found
    return replace(found, probe=own, elsewhere=tuple(use for use in found.uses if own.number(use.event) is None))


def _constants(closed: Any) -> dict[int, Any]:
    """Return all constants that a jaxpr and those inside it close over, by ``id``."""
    jaxpr, consts = adapter.closed_parts(closed)
    found = {id(const): const for const in consts}
    for eqn in adapter.every_equation(jaxpr):
        inner = (const for _, sub in adapter.sub_jaxprs(eqn.params) for const in adapter.closed_parts(sub)[1])
        found.update((id(value), value) for value in inner)
        found.update((id(atom.val), atom.val) for atom in eqn.invars if hasattr(atom, "val"))
    return found


class _Finder:
    """Finds the keys that are consumed, and those in the results."""

    def __init__(self, state: Interpreter, outputs: list[Value], arguments: int) -> None:
        self.state = state
        self.arguments = arguments
        self.outputs = outputs

    def held(self) -> dict[int, tuple[int, tuple[int, ...]]]:
        """Return the first place of each key in the results."""
        found: dict[int, tuple[int, tuple[int, ...]]] = {}
        for number, output in enumerate(self.outputs):
            for position, key in self.state.values.keys_at(output):
                found.setdefault(key, (number, position))
        return found

    def uses(self, *, conditional: bool) -> Iterator[Use]:
        """Return the keys that each call consumes.

        Args:
            conditional: whether a key counts that is consumed in some branches only.
        """
        seen = set()
        consumed: defaultdict[int, Consumed] = defaultdict(Consumed)
        for event in self.state.events:
            if not event.consumes or not event.implementation.startswith("key<"):
                continue
            conditions = event.context.conditions.items()
            for key in self.lanes(event.keys):
                if not event.context.never:
                    taken = {decision: case for decision, (case, _) in conditions}
                    consumed[key].add(taken, {decision: count for decision, (_, count) in conditions})
                if key not in seen and (conditional or consumed[key].always()):
                    seen.add(key)
                    yield Use(event, key)

    def lanes(self, keys: Iterable[int]) -> Iterator[int]:
        """Return the keys that the key of any one lane of a loop stands for."""
        for key in keys:
            _, found = self.state.ledger.lanes_of(key)
            yield from self.lanes(found) if found else [key]

    def results(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Return the results that hold keys, with the arguments that these come from."""
        for number, output in enumerate(self.outputs):
            keys = self.state.keys_in(output)
            if keys:
                below = (term for key in keys for term in self.state.identities.below(key))
                places = dict.fromkeys(place for term in below for place in _place(term))
                yield number, tuple(places or range(self.arguments))

    def fresh(self) -> Iterator[int]:
        """Return the results whose keys are clones, or made of a seed inside."""
        for number, output in enumerate(self.outputs):
            keys = self.state.keys_in(output)
            if any(term.operation in ("clone", "seed") for key in keys for term in self.state.identities.below(key)):
                yield number


def _hidden(state: Interpreter, uses: Iterable[Use]) -> Iterator[Event]:
    """Return what consumes keys in a branch and is no use of every call."""
    known = {use.event for use in uses}
    for event in state.events:
        own = event.consumes and event.implementation.startswith("key<") and event not in known
        if own and event.conditional and is_in_branch(event):
            yield event


def _place(term: Term) -> Iterator[int]:
    """Return the number of the argument that a term is a key of, if it is one."""
    match term.operation, term.data:
        case "argument", (int() as place, tuple()):
            yield place


def message(identities: Identities, number: int, args: Sequence[Any]) -> int | None:
    """Return the number that a term stands for in a call, as ``fold_in`` takes it: its lowest 32 bits."""
    found = number_of(identities, number, args)
    return None if found is None else found & 0xFFFFFFFF


def number_of(identities: Identities, number: int, args: Sequence[Any]) -> int | None:
    """Return the whole number that a term stands for in a call, ``None`` where it cannot be told.

    Args:
        identities: the terms.
        number: the term.
        args: the arguments of the call.
    """
    found = _evaluate(identities, number, args)
    return None if found is None or found.size != 1 or found.dtype.kind not in "iub" else int(found.item())


def _evaluate(identities: Identities, number: int, args: Sequence[Any]) -> Array | None:
    operation, children, data = identities[number]
    match operation, data:
        case "literal", _:
            return np.asarray(data)
        case "value", ("input", int() as place):
            return np.asarray(args[place])
        case "value", 0 if children:
            return _evaluate(identities, children[0], args)
        case "element of", tuple() as position:
            whole = _evaluate(identities, children[0], args)
            return None if whole is None else np.asarray(whole[position])
        case "computed", (str() as primitive, tuple() as params):
            rule: Callable[..., Any] | None = COMPUTATIONS.get(primitive)
            operands = [_evaluate(identities, child, args) for child in children]
            if rule is None or any(operand is None for operand in operands):
                return None
            with np.errstate(all="ignore"):
                return np.asarray(rule(_of_one_type([each for each in operands if each is not None]), dict(params))[0])
    return None


def _of_one_type(operands: list[Array]) -> list[Array]:
    """Return the operands of one operation; literals have lost their type and take that of the others."""
    typed = [each.dtype for each in operands if each.dtype != np.int64]
    return operands if not typed else [each.astype(typed[0]) if each.dtype == np.int64 else each for each in operands]
