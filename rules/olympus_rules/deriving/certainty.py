"""Whether a key is consumed on every path through a function."""

from __future__ import annotations

from olympus_rules.keyflow.domain.ledger import Consumption
from olympus_rules.keyflow.domain.paths import PathCondition, bit_numbers, implies
from olympus_rules.keyflow.domain.run import Run
from olympus_rules.keyflow.domain.terms import Term

MAX_DECISIONS = 10  # of a function; with more, a conditional consumption may not happen


def happens_always(run: Run, key: Term, uses: list[Consumption]) -> bool:
    """Return whether at least one of some consumptions happens on every path through a function that does not raise.

    A decision about the key itself (``if key is None``) is taken to go the way that consumes it, and a loop to run.

    Args:
        run: the interpretation of the function.
        key: the parameter that is consumed.
        uses: its consumptions.
    """
    departures = [departure for departure in run.ledger.departures if departure.end is None]
    paths = [_without_loops(run, use) for use in uses]
    mask = 0
    for holds, fails in (*paths, *(departure.path for departure in departures)):
        mask |= holds | fails
    bits = list(bit_numbers(mask))
    if len(bits) > MAX_DECISIONS:
        return any(holds == fails == 0 for holds, fails in paths)
    others = sum(1 << bit for bit in bits if _parameters(run, run.decisions.tests[bit]) != {key})
    returned = {path for path, _ in run.events.returns}

    def happens(path: PathCondition) -> bool:
        left = [departure for departure in departures if implies(path, departure.path)]
        for use, condition in zip(uses, paths, strict=True):
            if implies(path, condition) and not any(departure.in_force(use.time) for departure in left):
                return True
        return any(departure.path not in returned for departure in left)

    found: dict[int, bool] = {}
    for number in range(1 << len(bits)):
        holds = sum(1 << bit for place, bit in enumerate(bits) if number >> place & 1)
        path = (holds, mask & ~holds)
        if _is_possible(run, path):
            found[holds & others] = found.get(holds & others, False) or happens(path)
    return all(found.values())


def _without_loops(run: Run, use: Consumption) -> PathCondition:
    """Return the condition of a consumption, without the condition that the loop around it runs at all."""
    if not use.loop:
        return use.path
    terms, tests = run.terms, run.decisions.tests
    holds, fails = use.path
    ends = {terms.args(tests[bit]) for bit in bit_numbers(holds) if _is_end(run, tests[bit])}
    ends |= {(end, counter) for counter, end in ends}
    mask = 0
    for bit in bit_numbers(holds | fails):
        if terms.operation(tests[bit]) == "fresh" or terms.args(tests[bit]) in ends:
            mask |= 1 << bit
    return holds & ~mask, fails & ~mask


def _is_end(run: Run, test: Term) -> bool:
    """Return whether a decision is that a counter is below an end that is no constant."""
    kinds = [run.terms.operation(arg) for arg in run.terms.args(test)]
    is_order = run.terms.operation(test) == "op" and run.terms.data(test) == "Lt"
    return is_order and kinds[0] == "counter" and kinds[1] != "const"


def _is_possible(run: Run, path: PathCondition) -> bool:
    """Return whether a path is feasible."""
    return run.decisions.combinations.closure(path) is not None


def _parameters(run: Run, test: Term) -> set[Term]:
    """Return the parameters, outer variables and unknown values that a decision depends on."""
    found: set[Term] = set()
    waiting = [test]
    while waiting:
        term = waiting.pop()
        waiting += run.terms.args(term)
        if run.terms.operation(term) in ("param", "free", "fresh"):
            found.add(term)
    return found
