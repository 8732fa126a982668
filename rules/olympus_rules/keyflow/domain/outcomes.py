"""The outcomes of a condition: the decisions under which a value is true, and those under which it is false."""

from __future__ import annotations

from itertools import islice
from typing import TypeAlias

from olympus_rules.keyflow.domain.access import as_term, operand_term
from olympus_rules.keyflow.domain.paths import ALWAYS, PathCondition, both, implies
from olympus_rules.keyflow.domain.state import State
from olympus_rules.keyflow.domain.values import Choice, Condition, Const, Value

Outcomes: TypeAlias = tuple[PathCondition | None, PathCondition | None]
"""When a value is true, and when it is false; ``None`` for never."""


def outcomes(flow: State, value: Value) -> Outcomes:
    """Return the conditions under which a value is true and false; ``None`` for never."""
    if isinstance(value, Const) and not value.counter:
        return (ALWAYS, None) if value.value else (None, ALWAYS)
    if isinstance(value, Condition):
        return _combined(flow, value)
    if isinstance(value, Choice):
        parted = _parted(flow, value)
        if parted is not None:
            return parted
    term = operand_term(flow, value)
    if flow.knowledge.filled.get(term):
        return ALWAYS, None
    flow.events.asked.add(term)
    return flow.decisions.outcomes(term)


def _outcomes_on(flow: State, path: PathCondition, value: Value) -> Outcomes:
    """Return the outcomes of a value under a condition, which may decide the value."""
    true, false = outcomes(flow, value)
    if true is None or false is None:
        return true, false
    return (ALWAYS, None) if implies(path, true) else (None, ALWAYS) if implies(path, false) else (true, false)


def _parted(flow: State, value: Choice) -> Outcomes | None:
    """Return the outcomes of a choice with only one value that can be true, or only one that can be false."""
    found = [(path, *_outcomes_on(flow, path, part)) for path, part in value.arms]
    trues = _first_two(flow, [(path, true) for path, true, _ in found])
    falses = _first_two(flow, [(path, false) for path, _, false in found])
    if not trues or not falses:
        return (ALWAYS, None) if trues else (None, ALWAYS)
    if len(trues) == len(falses) == 1 and len(found) == 2:
        return trues[0], falses[0]
    if len(trues) == 1:
        return flow.decisions.alternatives(trues[0])
    if len(falses) == 1:
        fails, holds = flow.decisions.alternatives(falses[0])
        return holds, fails
    return None


def _first_two(flow: State, ways: list[tuple[PathCondition, PathCondition | None]]) -> list[PathCondition]:
    """Return the first two conditions under which an outcome is possible: more of them tell no more, and cost time."""
    joined = [way for path, outcome in ways if outcome is not None and (way := both(path, outcome)) is not None]
    if len(joined) < 2:  # what follows from a single one is asked where it is used
        return [way for way in joined if flow.decisions.is_possible(way)]
    closure = flow.decisions.combinations.closure
    return list(islice((way for way in joined if closure(way) is not None), 2))


def _combined(flow: State, value: Condition) -> Outcomes:
    """Return the outcomes of ``not``, ``and`` and ``or``."""
    if value.operation == "not":
        true, false = outcomes(flow, value.operands[0])
        return false, true
    wanted = 0 if value.operation == "and" else 1  # all parts hold, or all parts fail
    every: PathCondition | None = ALWAYS
    parts = [outcomes(flow, operand) for operand in value.operands]
    parts = [part for part in parts if part[1 - wanted] is not None]  # those that can decide the outcome
    if len(parts) < 2:
        return parts[0] if parts else (ALWAYS, None) if value.operation == "and" else (None, ALWAYS)
    if any(part[wanted] is None for part in parts):
        return (None, ALWAYS) if value.operation == "and" else (ALWAYS, None)
    for part in parts:
        every = None if every is None or part[wanted] is None else both(every, part[wanted] or ALWAYS)
    term = as_term(flow, value)
    flow.events.asked.add(term)
    holds, fails = flow.decisions.outcomes(term)
    whole, rest = (holds, fails) if value.operation == "and" else (fails, holds)
    flow.decisions.combinations.add(whole, every, [other for part in parts if (other := part[1 - wanted]) is not None])
    every = None if every is None else both(every, whole)
    return (every, rest) if value.operation == "and" else (rest, every)
