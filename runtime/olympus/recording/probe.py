"""The keys that the loops and branches of a compiled function really consume, found by executing it once more.

Before a call, the jaxpr of the function is executed on the arguments of the call, with a table that goes through its
loops and branches; each consumption adds the words of its keys. What the program computes is the program's own: it is
neither changed nor waited for. Of the second execution only that is left which the words and the way through the loops
depend on. It prints nothing, and is not made where it would have to call Python back or to change a buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from olympus.lineage.events import Event, Misuse
from olympus.lineage.interpreter import OBSERVATIONS
from olympus.lineage.selection import Need, common, indices_of, origin, use
from olympus.recording.equations import around
from olympus.tracing import adapter
from olympus.tracing.jaxprs import Equation, Sub

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr

    from olympus.lineage.identity import Identities

ROWS = 16_384  # of one call
LARGEST = 2048  # keys that are consumed at once
FOLLOWED = frozenset({"scan", "while", "cond"})
CALLS = frozenset({"jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat2"})
JITTED = frozenset({"jit", "pjit"})
PYTHON = frozenset({"pure_callback", "io_callback", "debug_callback", "debug_print"})

Path = tuple[int, ...]
Table = tuple[Any, Any, Any]
"""The rows, how many there would be, and how many of each site."""


class Unprobed(Exception):
    """A function cannot be executed a second time; the message says why."""


class Row(NamedTuple):
    """One key that was consumed.

    Attributes:
        site: the number of the site.
        turns: the iterations of the loops around it, outermost first, each from 0.
        words: the key's buffer.
    """

    site: int
    turns: tuple[int, ...]
    words: bytes


@dataclass(frozen=True, slots=True)
class Site:
    """An equation that consumes keys: one of ``jax.random``'s primitives, or a call of one of its functions.

    Attributes:
        event: what the lineage knows of it, in the first iteration.
        keys: the terms of the keys, in all iterations that were followed.
        made: the terms of the children of a split.
        loops: how many loops are around it.
        way: how all its keys were derived, ``split`` or ``fold_in``; empty if that is unknown.
    """

    event: Event
    keys: tuple[int, ...]
    made: frozenset[int]
    loops: int
    way: str


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """The second execution of one compiled function.

    Attributes:
        sites: where it looks.
        paths: the number of each site, by its path.
        after: for a site that splits, those that consume what comes of its children.
        execute: gives the rows, how many there would be, and how many of each site.
        used: the arguments that it takes.
        seeds: how many equations make keys of seeds.
    """

    sites: tuple[Site, ...]
    paths: dict[Path, int]
    after: dict[int, frozenset[int]]
    execute: Any
    used: tuple[bool, ...]
    seeds: int

    def number(self, event: Event) -> int | None:
        """Return the number of the site that an event of the lineage belongs to, ``None`` if there is none."""
        return self.paths.get(path_of(event) or ())

    def rows(self, args: Sequence[Any]) -> tuple[list[Row], list[int]]:
        """Return what a call with these arguments consumes, and the sites of which some is missing."""
        table, _, counts = self.execute(*(arg for arg, used in zip(args, self.used, strict=True) if used))
        rows, found, numbers = [], [0] * len(self.sites), np.asarray(table)
        for line in numbers[numbers[:, 0] > 0]:
            site = self.sites[number := int(line[0]) - 1]
            found[number] += 1
            turns = tuple(map(int, line[2 : 2 + site.loops]))
            rows.append(Row(number, turns, np.ascontiguousarray(line[len(line) - int(line[1]) :]).tobytes()))
        return rows, [number for number, times in enumerate(np.asarray(counts).tolist()) if times > found[number]]


def probe(closed: Any, events: Iterable[Event], identities: Identities) -> Probe | None:
    """Prepare the second execution of a function, ``None`` if no loop or branch in it consumes keys.

    Args:
        closed: its jaxpr.
        events: those of its lineage.
        identities: the terms.

    Raises:
        Unprobed: it cannot be executed again.
    """
    import jax

    events = tuple(events)
    sites = _sites(events)
    if not any(_is_of_interest(event) for found in sites.values() for event in found):
        return None
    if any(event.kind == "clone" or (event.kind == "seed" and event.context.turns) for event in events):
        raise Unprobed("it makes keys that may be equal on purpose, by clone or by a seed in a loop")
    known = tuple(_site(path, found, identities) for path, found in sites.items())
    paths = {path: number for number, path in enumerate(sites)}
    execution = _Execution(paths, max(site.loops for site in known))
    traced = jax.make_jaxpr(lambda *args: execution.begin(closed, args))(*closed.in_avals)
    paths = {path: number for path, number in paths.items() if number not in execution.dropped}
    jaxpr, used = adapter.without_unused(traced)
    if any(eqn.primitive.name in PYTHON for eqn in adapter.every_equation(jaxpr.jaxpr)):
        raise Unprobed("its keys depend on what a callback returns")
    seeds = len({id(event.equation.eqn) for event in events if event.kind == "seed"})
    return Probe(known, paths, _after(known, identities), jax.jit(adapter.function_of(jaxpr)), used, seeds)


class Probed(NamedTuple):
    """What the probe of a function has found for one call.

    Attributes:
        probe: the probe.
        rows: the keys that were consumed.
        missing: the sites of which not all rows are there.
        epochs: those of the keys in the arguments.
    """

    probe: Probe
    rows: list[Row]
    missing: list[int]
    epochs: frozenset[int]

    def tells(self, misuse: Misuse) -> bool:
        """Return whether the rows tell if a misuse has happened, which the lineage has found."""
        sites = [self.probe.number(event) for event in (misuse.first, misuse.second)]
        return misuse.kind in ("reuse", "collision") and not any(site is None or site in self.missing for site in sites)


# Where it looks.


def path_of(event: Event) -> Path | None:
    """Return the equations that lead to what consumes a key, ``None`` where the second execution does not go.

    A function of ``jax.random`` consumes its key once, whatever it does inside.
    """
    path = around(event.equation)
    followed = all(equation.primitive in FOLLOWED | CALLS for equation in path[:-1])
    return tuple(id(equation.eqn) for equation in path) if followed else None


def _sites(events: Iterable[Event]) -> dict[Path, list[Event]]:
    """Return what consumes keys, by its path; large arrays of keys are left out."""
    found: dict[Path, list[Event]] = {}
    for event in events:
        path = path_of(event) if event.consumes and event.implementation.startswith("key<") else None
        if path is not None:
            found.setdefault(path, []).append(event)
    return {path: of for path, of in found.items() if prod(of[0].equation.inputs[0].aval.shape) <= LARGEST}


def _is_of_interest(event: Event) -> bool:
    """Return whether the lineage alone cannot tell how often an event happens."""
    return any(equation.primitive in FOLLOWED for equation in around(event.equation)[:-1])


def _site(path: Path, events: Sequence[Event], identities: Identities) -> Site:
    first = events[0]
    turns = [event for event in events if event.equation.eqn is first.equation.eqn]  # the same, iteration by iteration
    keys = dict.fromkeys(key for event in turns for key in event.keys)
    made = {key for event in turns if path[-1] == id(event.equation.eqn) for key in event.made}
    ways = {identities[key].operation for key in keys}
    way = ways.pop() if len(ways) == 1 else ""
    loops = len(first.context.turns)
    return Site(first, tuple(keys), frozenset(made), loops, way if way in ("split", "fold_in") else "")


def _after(sites: Sequence[Site], identities: Identities) -> dict[int, frozenset[int]]:
    """Return the sites that consume what comes of a split: where it is repeated, so are they."""
    below = [{term for key in site.keys for term in identities.below(key)} for site in sites]
    made = [{identities[key] for key in site.made} for site in sites]
    return {
        number: frozenset(other for other, terms in enumerate(below) if children & terms)
        for number, children in enumerate(made)
        if children
    }


# The second execution.


@dataclass(frozen=True, slots=True)
class _Where:
    """The place of an equation.

    Attributes:
        outer: the innermost one of those around it.
        turns: the iterations of the loops around it.
        running: which lanes of these loops still run.
        selected: whether one of those around it has results that may be dropped.
    """

    outer: Equation | None = None
    turns: tuple[Any, ...] = ()
    running: tuple[Any, ...] = ()
    selected: bool = False

    def inside(self, equation: Equation, turn: Any = None, running: Any = None) -> _Where:
        return replace(
            self,
            outer=equation,
            turns=self.turns if turn is None else (*self.turns, turn),
            running=self.running if running is None else (*self.running, running),
        )


class _Waiting(NamedTuple):
    """What consumes keys, until it is known where its results are used."""

    site: int
    keys: Any
    need: Need


class _Execution:
    """Executes a jaxpr, and fills the table on the way."""

    def __init__(self, paths: dict[Path, int], loops: int) -> None:
        self.paths = paths
        self.loops = loops
        self.prefixes = {path[:depth] for path in paths for depth in range(1, len(path))}
        self.width = 8  # words of the longest buffer there is
        self.dropped: set[int] = set()

    def begin(self, closed: Any, args: Sequence[Any]) -> Table:
        import jax.numpy as jnp

        jaxpr, consts = adapter.closed_parts(closed)
        rows = jnp.zeros((ROWS, 2 + self.loops + self.width), jnp.uint32)
        table = (rows, jnp.int32(0), jnp.zeros(len(self.paths), jnp.int32))
        return self.run(Sub(jaxpr, consts), args, table, _Where())[1]

    def run(self, sub: Sub, inputs: Sequence[Any], table: Table, where: _Where) -> tuple[list[Any], Table]:
        held: dict[Any, Any] = dict(zip(sub.jaxpr.constvars, sub.consts, strict=True))
        held.update(zip(sub.jaxpr.invars, inputs, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if hasattr(atom, "val") else held[atom]

        used, waiting = needs(sub.jaxpr)[0], list[_Waiting]()
        for eqn in sub.jaxpr.eqns:
            equation = Equation(eqn, where.outer, sub if where.outer is not None else None)
            operands, need = [read(atom) for atom in eqn.invars], used[id(eqn)]
            site = self.paths.get(equation.path[::-1])
            if site is not None:
                keys = next(operand for operand in operands if str(operand.dtype).startswith("key<"))
                waiting.append(_Waiting(site, keys, need))
                results = adapter.execute(eqn, operands)
            else:
                # Where it stays in line, rows come in order.
                table = self.noted(waiting, table, where, read, held)
                inner = replace(where, selected=where.selected or bool(need))
                results, table = self.follow(equation, operands, table, inner)
            held.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in sub.jaxpr.outvars], self.noted(waiting, table, where, read, held)

    def follow(self, equation: Equation, operands: list[Any], table: Table, where: _Where) -> tuple[list[Any], Table]:
        eqn, name = equation.eqn, equation.primitive
        if equation.path[::-1] not in self.prefixes and not eqn.effects:
            return adapter.execute(eqn, operands), table
        if name in CALLS:
            return self.run(equation.subs[0], operands, table, where.inside(equation))
        if name in FOLLOWED:
            rule = {"scan": self.scan, "while": self.while_loop, "cond": self.cond}[name]
            return rule(equation, operands, table, where)
        if name in OBSERVATIONS:
            return [], table
        raise Unprobed(f"`{name}` in it has effects that may happen once only")

    def noted(
        self, waiting: list[_Waiting], table: Table, where: _Where, read: Callable[[Any], Any], held: dict[Any, Any]
    ) -> Table:
        """Add the rows of those whose results have a known use."""
        for each in list(waiting):
            if where.selected:
                self.dropped.add(each.site)
                waiting.remove(each)
            elif all(predicate in held for predicate in each.need):
                chosen = [read(predicate) == case for predicate, case in each.need.items()]
                table = self.added(each.site, each.keys, (*where.running, *chosen), table, where)
                waiting.remove(each)
        return table

    def added(self, site: int, keys: Any, masks: Sequence[Any], table: Table, where: _Where) -> Table:
        """Add a row for each key of an array that is consumed in a lane that counts."""
        import jax
        import jax.numpy as jnp

        rows, count, counts = table
        words = jax.random.key_data(keys).reshape(keys.size, -1)
        head = [jnp.uint32(site + 1), jnp.uint32(words.shape[1]), *(jnp.uint32(turn) for turn in where.turns)]
        padding = self.loops - len(where.turns) + self.width - words.shape[1]
        columns = [
            jnp.broadcast_to(jnp.stack(head), (keys.size, len(head))),
            jnp.zeros((keys.size, padding), jnp.uint32),
        ]
        runs = jnp.ones(keys.shape, bool)
        for mask in masks:
            of_lanes = keys.shape[: mask.ndim] == mask.shape
            runs = runs & (mask.reshape(mask.shape + (1,) * (keys.ndim - mask.ndim)) if of_lanes else mask.any())
        runs = runs.ravel()
        places = jnp.where(runs, count + jnp.cumsum(runs, dtype=jnp.int32) - 1, ROWS)
        times = jnp.sum(runs, dtype=jnp.int32)
        rows = rows.at[places].set(jnp.concatenate([*columns, words], axis=1), mode="drop")
        return rows, count + times, counts.at[site].add(times)

    def scan(self, equation: Equation, operands: list[Any], table: Table, where: _Where) -> tuple[list[Any], Table]:
        import jax.numpy as jnp
        from jax import lax

        params = equation.params
        consts, carry, mapped = adapter.scanned(params, operands)

        def body(state: Any, elements: Any) -> Any:
            turn, table, carry = state
            inner = where.inside(equation, turn)
            results, table = self.run(equation.subs[0], [*consts, *carry, *elements], table, inner)
            return (turn + 1, table, results[: len(carry)]), results[len(carry) :]

        state = (jnp.int32(0), table, carry)
        length, reverse = params["length"], params["reverse"]
        (_, table, carry), stacked = lax.scan(body, state, mapped, length=length, reverse=reverse)
        return [*carry, *stacked], table

    def while_loop(
        self, equation: Equation, operands: list[Any], table: Table, where: _Where
    ) -> tuple[list[Any], Table]:
        """Follow a loop; under ``vmap``, a lane that has ended keeps what it has, and consumes nothing."""
        import jax.numpy as jnp
        from jax import lax

        params = equation.params
        test = next(sub for sub in equation.subs if sub.parameter == "cond_jaxpr")
        main = next(sub for sub in equation.subs if sub.parameter == "body_jaxpr")
        test_consts = operands[: params["cond_nconsts"]]
        consts = operands[len(test_consts) : len(test_consts) + params["body_nconsts"]]
        carry = operands[len(test_consts) + len(consts) :]

        def tested(turn: Any, carry: Any, table: Table, before: Any = None) -> tuple[Any, Table]:
            inner = where.inside(equation, turn, None if before is None else before)
            (goes_on,), table = self.run(test, [*test_consts, *carry], table, inner)
            return goes_on, table

        def body(state: Any) -> Any:
            turn, goes_on, table, carry = state
            inner = where.inside(equation, turn, goes_on)
            results, table = self.run(main, [*consts, *carry], table, inner)
            if goes_on.ndim:
                results = [_chosen(goes_on, new, old) for new, old in zip(results, carry, strict=True)]
            again, table = tested(turn + 1, results, table, goes_on)
            return turn + 1, again, table, results

        goes_on, table = tested(jnp.int32(0), carry, table)
        state = (jnp.int32(0), goes_on, table, carry)
        _, _, table, carry = lax.while_loop(lambda state: state[1].any(), body, state)
        return list(carry), table

    def cond(self, equation: Equation, operands: list[Any], table: Table, where: _Where) -> tuple[list[Any], Table]:
        from jax import lax

        index, *arguments = operands
        inner = where.inside(equation)
        branches = [lambda arguments, table, sub=sub: self.run(sub, arguments, table, inner) for sub in equation.subs]
        results, table = lax.switch(index, branches, arguments, table)
        return results, table


def _chosen(lanes: Any, new: Any, old: Any) -> Any:
    import jax.numpy as jnp

    return jnp.where(lanes.reshape(lanes.shape + (1,) * (new.ndim - lanes.ndim)), new, old)


# Results that a selection drops: ``jnp.where`` computes both of its values, and only one of them is used. So do masked
# loops, and ``lax.cond`` under ``vmap``: what is computed in a lane that has ended comes to nothing. What the lineage
# takes of this is in :mod:`olympus.lineage.selection`, without values; here the predicates have values, and are
# followed through calls and through the shapes that they are given.


def needs(jaxpr: Jaxpr) -> tuple[dict[int, Need], list[Need]]:
    """Return where the results of each equation are used, by its ``id``, and where the inputs of the jaxpr are."""
    made = {variable: eqn for eqn in jaxpr.eqns for variable in eqn.outvars}
    indices = indices_of(jaxpr)
    used: dict[Any, Need] = {}

    for atom in jaxpr.outvars:
        use(used, atom, {})
    found = {}
    for eqn in reversed(jaxpr.eqns):
        own = [used.get(variable) for variable in eqn.outvars]
        need = found[id(eqn)] = {**common(each for each in own if each is not None), **_of_branches(eqn, indices, made)}
        for atom, inner in zip(eqn.invars, _of_inputs(eqn, need, made), strict=True):
            use(used, atom, inner)
    return found, [used.get(variable, {}) for variable in jaxpr.invars]


def _of_branches(eqn: Any, indices: dict[int, Any], made: dict[Any, Any]) -> Need:
    """Return where an equation is used whose branch is known, whatever becomes of its results."""
    need: Need = {}
    for branch in adapter.branches_of(eqn):
        index = indices.get(branch.decision)
        if branch.case is not None and index is not None and not hasattr(index, "val"):
            which, turned = origin(index, made)
            need[which] = turned(branch.case)
    return need


def _of_inputs(eqn: Any, need: Need, made: dict[Any, Any]) -> list[Need]:
    """Return where an equation uses what goes into it."""
    name = eqn.primitive.name
    if name == "select_n" and not hasattr(eqn.invars[0], "val"):
        which = origin(eqn.invars[0], made)
        return [need, *({**need, which[0]: which[1](case)} for case in range(len(eqn.invars) - 1))]
    if name in JITTED:
        inner = adapter.closed_parts(eqn.params["jaxpr"])[0]
        outer = dict(zip(inner.invars, eqn.invars, strict=True))
        # The predicates of a call's own inputs are known by other names inside; what is needed outside, stays so.
        _, of_inputs = needs(inner)
        translated = []
        for each in of_inputs:
            own = dict(need)
            for variable, case in each.items():
                if variable in outer and not hasattr(outer[variable], "val"):
                    which, turned = origin(outer[variable], made)
                    own[which] = turned(case)
            translated.append(own)
        return translated
    return [need] * len(eqn.invars)
