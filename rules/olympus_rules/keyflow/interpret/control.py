"""Control flow of the interpretation: branches, loops, early exits, exceptions.

A branch runs each arm in a layer of the environment and joins what they bound. A loop runs its body for two
iterations: a key that the second one consumes again was not refreshed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from olympus_rules.code import instructions as ir
from olympus_rules.keyflow.domain.access import choose, element, length, operand_term
from olympus_rules.keyflow.domain.ledger import Departure
from olympus_rules.keyflow.domain.outcomes import outcomes
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both
from olympus_rules.keyflow.domain.state import Attempt, Exits, Snapshot
from olympus_rules.keyflow.domain.terms import Term
from olympus_rules.keyflow.domain.values import Condition, Const, Iteration, Sequence, Value
from olympus_rules.keyflow.interpret import operators, raising
from olympus_rules.keyflow.interpret.flow import Flow
from olympus_rules.keyflow.notes import words

ROUNDS = 2
INNER_ROUNDS = 1  # of an inner loop, from the second iteration of the outer one on
MAX_TURNS = 6  # of a loop whose elements are known
MAX_NESTED_TURNS = 16  # of loops in loops, multiplied


def arm(flow: Flow, path: PathCondition, run: Callable[[], None]) -> Snapshot | None:
    """Run something under a condition in a layer of its own; return ``None`` if its end is not reached."""
    outer = flow.path
    joined = both(outer, path)
    if joined is None:
        return None
    flow.path, flow.alive = joined, True
    flow.env.open()
    run()
    changes = flow.env.close()
    state = (flow.path, changes) if flow.alive else None
    if state is None:  # all paths leave it, in whatever way
        departure = flow.ledger.depart(joined)
        if flow.exits:
            flow.exits[-1].continues.append(departure)
    flow.path, flow.alive = outer, True
    return state


def join(flow: Flow, states: list[Snapshot]) -> None:
    """Join several states: variables that differ become choices."""
    if not states:
        flow.alive = False
        return
    flow.alive = True
    if len(states) == 1:
        flow.path = states[0][0]
        flow.env.update(states[0][1])
        return
    holds, fails = states[0][0]
    for path, _ in states[1:]:
        holds, fails = holds & path[0], fails & path[1]
    flow.path = (holds, fails)
    for name in dict.fromkeys(name for _, changes in states for name in changes):
        if isinstance(name, tuple) and name[1:] == ("generation",):
            flow.env.set(name, max(changes.get(name) or 0 for _, changes in states))
            continue
        arms: list[tuple[PathCondition, Value]] = []
        for path, changes in states:
            value = changes[name] if name in changes else flow.env.get(name)
            if value is None and isinstance(name, tuple):
                value = unwritten(flow, name)
            if value is not None:
                arms.append((path, value))
        flow.env.set(name, choose(flow, arms))


def unwritten(flow: Flow, name: tuple[Any, ...]) -> Value | None:
    """Return the value of an attribute or item that was not written."""
    term, part, generation = name
    if isinstance(part, str):  # a term stands for an item
        return flow.terms.make("attr", (part, generation), term)
    return None if generation else flow.knowledge.item(term, part)


def run_branch(flow: Flow, instruction: ir.Branch) -> None:
    """Run each arm under its test, and join their ends."""
    states: list[Snapshot] = []
    remaining: PathCondition | None = ALWAYS
    start = flow.path
    for test, register, body in instruction.arms:
        flow.block(test)
        true, false = outcomes(flow, flow.registers[register])
        if true is not None:
            with _narrowed(flow, flow.registers[register]):
                state = arm(flow, true, partial(flow.block, body))
            if state is not None:
                states.append(state)
        remaining = None if false is None else both(flow.path, false)
        if remaining is None:
            break
        flow.path = remaining
    if remaining is not None:
        state = arm(flow, ALWAYS, lambda: flow.block(instruction.orelse))
        if state is not None:
            states.append(state)
    flow.path = start
    join(flow, states)


@contextmanager
def _narrowed(flow: Flow, test: Value) -> Iterator[None]:
    """Take objects for those of the classes that a test asks for, as annotations would say, while it holds."""
    annotated, tests = flow.file.annotated, flow.file.type_tests
    parts = test.operands if isinstance(test, Condition) and test.operation == "and" else (test,)
    found = [tests[part] for part in parts if isinstance(part, Term) and part in tests]
    before = {subject: annotated.get(subject) for subject, _ in found}
    annotated.update(found)
    try:
        yield
    finally:
        for subject, class_ in before.items():
            if class_ is None:
                del annotated[subject]
            else:
                annotated[subject] = class_


def run_loop(flow: Flow, loop: ir.Loop) -> None:
    """Run a body once per element if they are known, else for two iterations; join the ends after zero, one and two."""
    value = flow.registers[loop.iterable] if loop.iterable is not None else None
    if value is not None:
        words.iterated(flow, value, loop.node)
    start, rounds, turns, endless = flow.path, flow.rounds, flow.iterations, _endless(flow, loop)
    known = None if value is None else length(flow, value)
    exact = known is not None and known <= MAX_TURNS and turns * known <= MAX_NESTED_TURNS
    count = known if exact and known is not None else rounds
    if not exact and known is not None and rounds == ROUNDS and isinstance(value, Sequence):
        count = MAX_TURNS
    flow.iterations *= count
    ways = Exits(flow.env.open())
    followed = _Followed(loop, value, known or 0, exact, ways)
    flow.loops.append((loop.label, 0))
    for number in range(count):
        flow.loops[-1] = (loop.label, number)
        if not _iteration(flow, followed, number):
            break
        flow.rounds = INNER_ROUNDS
    else:
        if flow.alive and not endless:
            ended = flow.path if value is None or exact else _was_last(flow, value, count - 1, flow.path)
            ways.ends.append(((ended, flow.env.changes(ways.depth)), True))
    flow.rounds, flow.iterations = rounds, turns
    flow.loops.pop()
    flow.env.close()
    flow.path = start
    states: list[Snapshot | None] = []
    for state, by_itself in ways.ends:
        after = by_itself and loop.orelse.body
        states.append(arm(flow, state[0], partial(_go_on, flow, state, loop.orelse)) if after else state)
    for departure in ways.breaks:
        departure.end = flow.ledger.tick()
    join(flow, [state for state in states if state is not None])


def _go_on(flow: Flow, state: Snapshot, block: ir.Block) -> None:
    join(flow, [state])
    flow.block(block)


def _endless(flow: Flow, loop: ir.Loop) -> bool:
    if loop.test is None:
        return False
    body = loop.test[0].body
    return len(body) == 1 and isinstance(body[0], ir.Constant) and bool(body[0].value)


class _Followed(NamedTuple):
    """A loop whose iterations are followed.

    Attributes:
        loop: the loop.
        value: what a ``for`` loop iterates over.
        known: the least number of iterations, unless the loop is left early.
        exact: whether each element has an iteration.
        ways: the exits of the loop.
    """

    loop: ir.Loop
    value: Value | None
    known: int
    exact: bool
    ways: Exits


def _iteration(flow: Flow, followed: _Followed, number: int) -> bool:
    """Run one iteration in the loop's layer; return whether another one can follow."""
    loop, value, known, exact, ways = followed
    sure = number < known
    kind = "more" if number else "first"
    again, ends = (ALWAYS, None) if sure else flow.decisions.outcomes(flow.terms.fresh(kind))
    if value is not None:
        item = element(flow, value, number)
        if item is None:
            ways.ends.append(((flow.path, flow.env.changes(ways.depth)), True))
            return False
        flow.registers[loop.element] = uncounted(item) if exact else item
        again = _in_range(flow, value, item, again)
    elif loop.test is not None:
        flow.block(loop.test[0])
        true, false = outcomes(flow, flow.registers[loop.test[1]])
        if true is None:
            ways.ends.append(((flow.path, flow.env.changes(ways.depth)), True))
            return False
        flow.decisions.enter(true)
        again = both(again, true) or again
        ends = ends if false is None or ends is None else both(ends, false)
    ended = None if ends is None else both(flow.path, ends)
    if ended is not None and not _endless(flow, loop):
        ended = ended if value is None or not number else _was_last(flow, value, number - 1, ended)
        ways.ends.append(((ended, flow.env.changes(ways.depth)), True))
    entered = both(flow.path, again)
    if entered is None:
        return False
    flow.path = entered
    flow.exits.append(ways)
    flow.block(loop.body)
    flow.exits.pop()
    if ways.continued:
        _merge_continued(flow, ways)
    for departure in ways.continues:
        departure.end = flow.ledger.tick()
    ways.continues = []
    return flow.alive


def uncounted(value: Value) -> Value:
    """Return an element of a loop whose iterations are all followed: its counter is a plain number."""
    if isinstance(value, Const) and value.counter:
        return Const(value.value)
    if isinstance(value, Sequence) and any(isinstance(item, Const) and item.counter for item in value.items):
        return Sequence(value.kind, tuple(uncounted(item) for item in value.items), value.open)
    return value


def _in_range(flow: Flow, value: Value, item: Value, path: PathCondition) -> PathCondition:
    """Return the condition of an iteration over ``range(…)`` or ``enumerate(…)``: its counter is below the end."""
    counter, stop = _counted(flow, value, item) or (None, None)
    if counter is None or stop is None:
        return path
    below, _ = outcomes(flow, operators.compare(flow, "Lt", counter, stop))
    flow.decisions.enter(below or ALWAYS, counted=True)
    return path if below is None else both(path, below) or path


def _was_last(flow: Flow, value: Value, turn: int, path: PathCondition) -> PathCondition:
    """Return the condition that the iteration just made over ``range(…)`` or ``enumerate(…)`` was the last one."""
    item = element(flow, value, turn)
    counter, stop = (None if item is None else _counted(flow, value, item)) or (None, None)
    if counter is None or stop is None:
        return path
    after = flow.terms.make("op", "Add", operand_term(flow, counter), flow.terms.const(1))
    below, ended = outcomes(flow, operators.compare(flow, "Lt", after, stop))
    flow.decisions.enter(below or ALWAYS, counted=True)
    return path if ended is None else both(path, ended) or path


def _counted(flow: Flow, value: Value, item: Value) -> tuple[Value, Value] | None:
    """Return the counter of an iteration and its exclusive upper bound; ``None`` if it has none."""
    if not isinstance(value, Iteration):
        return None
    if value.kind == "range" and len(value.parts) < 3:
        stop = value.parts[-1]
    elif value.kind == "enumerate" and isinstance(value.parts[0], Term) and value.parts[1:] in ((), (Const(0),)):
        assert isinstance(item, Sequence)
        stop, item = flow.terms.make("op", "len", value.parts[0]), item.items[0]
    else:
        return None
    return None if isinstance(stop, Const) or not (isinstance(item, Const) and item.counter) else (item, stop)


def _merge_continued(flow: Flow, ways: Exits) -> None:
    """Join the ends of an iteration, which share the loop's layer: a name that one did not bind keeps its old value."""
    changed = flow.env.changes(ways.depth)
    if flow.alive:
        ways.continued.append((flow.path, changed))
    before = {name: flow.env.before(name, ways.depth) for name in changed}
    known = {name: value for name, value in before.items() if value is not None}
    join(flow, [(path, {**known, **changes}) for path, changes in ways.continued])
    ways.continued = []


def run_try(flow: Flow, instruction: ir.Try) -> None:
    """Run the body, or a handler: from the state before the body, or from one in which the body raised."""
    start, before = flow.path, len(flow.ledger.departures)
    raised, normal = flow.decisions.outcomes(flow.terms.fresh("way"))
    if not instruction.handlers:
        normal = ALWAYS
    attempt = Attempt(instruction.catches, flow.env.depth + 1, len(flow.ledger.consumptions))
    states = [arm(flow, normal, partial(_try, flow, instruction, attempt))]
    left, unless = _suspend(flow, before) if attempt.thrown else [], ALWAYS
    for number, handler in enumerate(instruction.handlers):
        this, others = flow.decisions.outcomes(flow.terms.fresh("way"))
        starts, entered = raising.caught(flow, attempt, number, raised)
        unless = (0, unless[1] | starts[0]) if entered else unless
        path = both(starts, this)
        if path is not None:
            states.append(arm(flow, path, partial(_handle, flow, entered, handler)))
        raised = both(raised, others) or raised
    _resume(flow, left, unless)
    for exit_ in attempt.thrown:
        if exit_.ends:
            flow.ledger.depart(exit_.state[0])
    flow.path = start
    join(flow, [state for state in states if state is not None])
    if instruction.final.body:
        alive, flow.alive = flow.alive, True
        left = _suspend(flow, before)  # every exit runs the ``finally`` block
        flow.block(instruction.final)
        _resume(flow, left)
        flow.alive = flow.alive and alive


def _try(flow: Flow, instruction: ir.Try, attempt: Attempt) -> None:
    """Run the body and the ``else`` of a ``try``; only the body's exceptions are caught."""
    attempts = flow.attempts
    flow.attempts = [*attempts, attempt] if instruction.handlers else attempts
    flow.block(instruction.body)
    flow.attempts = attempts
    flow.block(instruction.orelse)


def _handle(flow: Flow, entered: list[Snapshot], handler: ir.Block) -> None:
    path = flow.path
    join(flow, entered or [(path, {})])
    flow.path = path
    flow.block(handler)


def _suspend(flow: Flow, before: int) -> list[Departure]:
    """End the departures since an earlier one that are in force, and return them."""
    left = [departure for departure in flow.ledger.departures[before:] if departure.end is None]
    for departure in left:
        departure.end = flow.ledger.tick()
    return left


def _resume(flow: Flow, left: list[Departure], unless: PathCondition = ALWAYS) -> None:
    """Put departures in force again under a further condition; what ends the first ends the second."""
    for departure in left:
        path = both(departure.path, unless)
        if path is None:
            continue
        again = flow.ledger.depart(path, sure=departure.sure)
        for ways in flow.exits:
            for group in (ways.breaks, ways.continues):
                if any(each is departure for each in group):
                    group.append(again)


def run_raising(flow: Flow, instruction: ir.Raising) -> None:
    """Run a body that raises: what it consumed does not count afterwards."""
    inside, after = flow.decisions.outcomes(flow.terms.fresh("raised"))
    arm(flow, inside, lambda: flow.block(instruction.body))
    flow.path = both(flow.path, after) or flow.path


def run_jump(flow: Flow, instruction: ir.Jump) -> None:
    """Leave the loop or the function."""
    if instruction.kind == "raise":
        raising.thrown(flow, instruction.exception, sure=True)
    departure = flow.ledger.depart(flow.path)
    if instruction.kind != "raise" and flow.exits:
        ways = flow.exits[-1]
        state = (flow.path, flow.env.changes(ways.depth))
        if instruction.kind == "break":
            ways.ends.append((state, False))
            ways.breaks.append(departure)
        else:
            ways.continued.append(state)
            ways.continues.append(departure)
    flow.alive = False


def run_return(flow: Flow, instruction: ir.Return) -> None:
    """Record the returned value."""
    value = Const(None) if instruction.src is None else flow.registers[instruction.src]
    flow.events.returns.append((flow.path, value))
    if instruction.leaves:
        flow.ledger.depart(flow.path)
        flow.alive = False


HANDLERS: dict[type, Callable[[Flow, Any], None]] = {
    ir.Branch: run_branch,
    ir.Loop: run_loop,
    ir.Try: run_try,
    ir.Raising: run_raising,
    ir.Return: run_return,
    ir.Jump: run_jump,
}
