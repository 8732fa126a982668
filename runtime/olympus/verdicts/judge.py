"""Judge findings by the lineages of executions: do the keys at the places of a finding do what it says?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Self

from olympus.lineage import Event, Failure, Lineage
from olympus.lineage.identity import Identities
from olympus.lineage.ledger import Consumption, may_meet
from olympus.tracing.spans import Chain, Span, traceback_chain
from olympus.verdicts.evidence import is_assumed, key_text, operation_text
from olympus.verdicts.question import Place, Question, Status, Tier, Verdict
from olympus.verdicts.reasons import Reason, plain

WORDS = frozenset({"OLY101", "OLY102", "OLY103"})
"""Rules about what is done to the words of a key: silent with raw keys, an error with typed ones."""

TOLD_APART = 8  # keys of an array
SHARED = "OLY105"
"""The rule about a key that all lanes of a map get, or all steps of a loop."""

Use = tuple[Event, int]
"""A key operation, and one of its keys."""

MISUSES = ("IndexError: Too many indices", "TypeError: iteration over a 0-d array")
"""The beginnings of errors that JAX raises for typed keys and for other arrays alike."""

GAVE_UP = Reason.MOST.partition("{}")[0]
LIMITS = ("Exhausted", "TooLong")
"""Errors that olympus-lint itself raises; they say what it gave up after."""

ATTRIBUTE = re.compile(r"\.\w+$")
COMPREHENSION = re.compile(r"(\.<locals>\.<(list|set|dict)comp>|\.<locals>\.<genexpr>)+$")

RANK: dict[Status, int] = {"not reached": 0, "refuted": 1, "inconclusive": 2, "confirmed": 3}


@dataclass(frozen=True, slots=True)
class Interruption:
    """An error in an execution: the code after its place was not executed.

    Attributes:
        text: the error, in one line.
        chain: the spans of the user's calls that led to it.
    """

    text: str
    chain: Chain

    @classmethod
    def of(cls, error: BaseException) -> Self:
        """Describe an error."""
        kind = type(error).__name__
        said = [] if kind in LIMITS else [kind]
        text = ": ".join(filter(None, [*said, plain(str(error).partition("\n")[0])]))
        return cls(text[:200], traceback_chain(error))


@dataclass(frozen=True)
class Execution:
    """One execution of a function that was traced.

    Attributes:
        lineage: what its keys did.
        failures: the errors that say that a typed key was misused.
        interruptions: all errors.
        names: the names in the source for the elements of its first argument, if that argument stands for many keys.
        cut: why loops were cut short, ``None`` if none was.
        arrivals: the kinds of values that reached the places that were asked about, each time: ``typed`` and ``raw``
            keys, ``unknown`` values, and ``other`` values.
        grown: where child ``n`` of a split into ``n + 1`` children is taken, for an unknown ``n``.
        unsettled: why no run is shown to make all decisions of this execution, ``None`` if one is.
        others: why elements of its first argument are no keys, though they were used as keys.
        computed: the arguments, by name, that were read several times off an object of an unknown class.
        marks: why the execution may not go on after an equation at the top of the trace, by its number.
    """

    lineage: Lineage
    failures: tuple[Failure, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    names: tuple[str, ...] = ()
    cut: str | None = None
    arrivals: Mapping[Place, Sequence[frozenset[str]]] = field(default_factory=dict)
    grown: tuple[Span, ...] = ()
    unsettled: str | None = None
    others: Mapping[int, str] = field(default_factory=dict)
    marks: tuple[tuple[int, str], ...] = ()
    computed: frozenset[str] = frozenset()

    @cached_property
    def places(self) -> dict[int, int]:
        """The number of each equation at the top of the trace, by its ``id``."""
        return {id(eqn): number for number, eqn in enumerate(self.lineage.trace.jaxpr.jaxpr.eqns)}

    def doubt_between(self, first: Event, second: Event) -> str | None:
        """Return why no run is shown to have both events; ``None`` if one is."""
        if self.marks:
            start, end = sorted(self.places.get(event.equation.path[-1], 0) for event in (first, second))
            between = next((doubt for place, doubt in self.marks if start < place < end), None)
            if between is not None:
                return between
        return self.unsettled

    def is_other(self, key: int) -> str | None:
        """Return why a key is none, though it was used as one, or may be several; ``None`` if neither is known."""
        root = self.lineage.identities.root(key)
        term = self.lineage.identities[root]
        names = self.lineage.trace.names
        name = names[term.data[0]] if self.computed and term.operation == "argument" else ""  # type: ignore[index]
        return Reason.READ_AGAIN.of(name) if name in self.computed else self.others.get(self.element(root))

    def element(self, root: int) -> int:
        """Return the number of the element of its first argument that a key is; -1 for any other key."""
        term = self.lineage.identities[root]
        is_element = term.operation == "argument" and isinstance(term.data, tuple) and bool(term.data[1])
        return int(term.data[1][0]) if is_element else -1  # type: ignore[index]

    def describe(self, key: int) -> str:
        """Return an identity as a reader of the source would write it."""
        told = self.lineage.describe(key)
        if not self.names:
            return told
        first = re.escape(self.lineage.trace.names[0])
        return re.sub(rf"\b{first}\[(\d+)\]", lambda found: self.names[int(found[1])], told)


def judge(question: Question, executions: Sequence[Execution], tier: Tier) -> Verdict:
    """Judge one finding by several executions; the strongest verdict counts.

    Args:
        question: the finding.
        executions: the traced executions.
        tier: the tier of the verdict.
    """
    best = Verdict("not reached", tier, Reason.UNREACHED)
    for execution in executions:
        best = better(best, judge_one(question, execution, tier))
    return best


def better(first: Verdict, second: Verdict) -> Verdict:
    """Return the stronger verdict; of equal ones the later, unless it has no reason."""
    if RANK[first.status] != RANK[second.status]:
        return max(first, second, key=lambda verdict: RANK[verdict.status])
    return first if second.status == "not reached" and second.reason == Reason.UNREACHED else second


def judge_one(question: Question, execution: Execution, tier: Tier) -> Verdict:
    """Judge one finding by one execution."""
    if question.code == SHARED:
        found = in_lanes(question, execution, tier)
    else:
        found = _words(question, execution, tier) if question.code in WORDS else _two_uses(question, execution, tier)
    return found or Verdict("not reached", tier, not_reached(execution))


def at(chain: Iterable[Span], place: Place) -> bool:
    """Return whether a chain of calls goes through a place.

    In Python, the span of a method call starts at the method's name if that is on a later line.
    """
    start, end = (place.line, place.column), (place.end_line, place.end_column)
    return any(
        span.file == place.file
        and (span.end_line, span.end_column) == end
        and ((span.line, span.column) == start or place.line < span.line)
        for span in chain
    )


# One key for all lanes.


def in_lanes(question: Question, execution: Execution, tier: Tier) -> Verdict | None:
    """Judge whether all lanes of a map, or all steps of a loop, draw from one key; ``None`` if no draw is reached.

    JAX keeps what is equal in all lanes without an axis: a key without one, under a map, is that of every lane. A loop
    is followed for several steps.
    """
    draws = [event for event in execution.lineage.events if event.consumes and at(event.chain, question.place)]
    if question.other is not None:
        draws = [event for event in draws if at(event.chain, question.other)]
    if not draws:
        return None
    uses = [(event, key) for event in draws for key in event.keys]
    mapped = [(event, event, event.keys[0]) for event in draws if event.is_mapped and _is_one(execution, event)]
    steps = [
        (a, b, key)
        for a, b, key, is_equal in _alike(execution, uses, uses)
        if is_equal and a.equation.path == b.equation.path and a.context.turns != b.context.turns
    ]
    shared = [pair for pair in (*mapped, *steps) if not is_assumed(pair[0]) and not is_assumed(pair[1])]
    if shared:
        return _confirmed(execution, shared, tier)
    return Verdict("inconclusive", tier, Reason.CALLS if any(map(is_assumed, draws)) else Reason.ROOTS)


def _is_one(execution: Execution, event: Event) -> bool:
    """Return whether one key goes into an event, or surely copies of one: few different keys are told apart."""
    sizes, keys = set(event.sizes), set(map(execution.lineage.identities.sibling, event.keys))
    is_small = bool(sizes) and max(sizes) <= TOLD_APART
    return len(keys) == 1 and (sizes == {1} or (is_small and all(map(execution.lineage.identities.is_certain, keys))))


# Reuse and collisions.


def _two_uses(question: Question, execution: Execution, tier: Tier) -> Verdict | None:
    """Compare the keys at the two places in one execution; ``None`` if it does not reach both."""
    events = execution.lineage.events
    if question.code == "OLY108" and question.other is None and at(execution.grown, question.place):
        return Verdict("confirmed", tier, "it is child n of a split into n + 1 children, which is that of `fold_in`")
    later = [event for event in events if at(event.chain, question.place)]
    earlier = later if question.other is None else [event for event in events if at(event.chain, question.other)]
    if not later or not earlier:
        return None
    if question.code == "OLY108":
        return _collision(question, execution, earlier, later, tier)
    first = [(event, key) for event in earlier if event.consumes for key in event.keys]
    second = [(event, key) for event in later if event.consumes for key in event.keys]
    alike = [pair for pair in _alike(execution, first, second) if not question.repeats or _is_repeated(*pair[:2])]
    shared = [(a, b, key) for a, b, key, is_equal in alike if is_equal]
    known = [pair for pair in shared if not is_assumed(pair[0]) and not is_assumed(pair[1])]
    if shared and not known and not question.certain:
        return Verdict("inconclusive", tier, Reason.CALLS)
    if alike:
        return (
            _confirmed(execution, known or shared, tier) if shared else Verdict("inconclusive", tier, Reason.GENERATOR)
        )
    kept = [] if first and second else _kept(execution, earlier, later)
    if kept:
        return _confirmed(execution, kept, tier)
    again = _goes_round(question) and not _is_in_order(question, earlier, later)
    if again and not _is_visited_once(question, execution, second):
        return None
    doubt = _cut_short(question, execution)
    if doubt is None and (not first or not second):
        if execution.interruptions:
            return Verdict("inconclusive", tier, Reason.LEFT.of(not_reached(execution)))
        return Verdict("refuted", tier, "the calls there derive keys or pass them on, and consume none")
    doubt = doubt or _doubt(execution, first, second)
    if doubt is not None:
        return Verdict("inconclusive", tier, doubt)
    return Verdict("refuted", tier, "the keys there are different ones")


def _alike(execution: Execution, first: Sequence[Use], second: Sequence[Use]) -> list[tuple[Event, Event, int, bool]]:
    """Return the uses of keys that give equal bits, and whether they do so under every generator.

    Two executions of a split of one key give equal children, wherever the mistake is that led to the second one.
    """
    identities = execution.lineage.identities
    found = []
    for a, key in first:
        for b, other in second:
            if a is not b and identities.sibling(key) == identities.sibling(other) and _may_meet(a, b):
                found.append((a, b, key, identities.are_equal(key, other)))
    return found


def _kept(execution: Execution, earlier: Sequence[Event], later: Sequence[Event]) -> list[tuple[Event, Event, int]]:
    """Return what uses up equal keys that come of one key, which two places keep without using it up, as objects do."""
    identities = execution.lineage.identities
    places = [
        {identities.sibling(key) for each in events for key in (*each.keys, *each.made)} for events in (earlier, later)
    ]
    held, begin = places[0] & places[1], min(event.order for event in (*earlier, *later))

    def comes_of_it(key: int) -> bool:
        return any(identities.sibling(each) in held for each in identities.chain(key))

    events = [event for event in execution.lineage.events if event.order > begin and event.consumes]
    uses = [(event, key) for event in events for key in event.keys if comes_of_it(key)]
    return [(a, b, key) for a, b, key, is_equal in _alike(execution, uses, uses) if is_equal]


def _may_meet(first: Event, second: Event) -> bool:
    """Return whether two events can happen in one run: they are not in two branches of ``lax.cond``."""
    return may_meet(Consumption(first), Consumption(second))


def _goes_round(question: Question) -> bool:
    """Return whether a finding is about two iterations: it has one place, or the earlier use is later in the text."""
    place, other = question.place, question.other
    if other is None:
        return True
    return other.file == place.file and (other.line, other.column) > (place.line, place.column)


def _is_in_order(question: Question, earlier: Sequence[Event], later: Sequence[Event]) -> bool:
    """Return whether an execution reached the two places in the order of the question, or its one place twice."""
    if question.other is None:
        return _is_visited_twice(later)
    return any(first.order < second.order for first in earlier for second in later)


def _derives(event: Event) -> bool:
    """Return whether an event derives a key; wrapping the words of a raw key, as each call does, derives none."""
    return event.kind in ("split", "fold_in")


def _is_visited_twice(events: Sequence[Event]) -> bool:
    """Return whether an execution reached one place twice: one call is in the trace twice, or in two iterations.

    One call may be several equations, as with a raw key, or several events, as of a sampler with a loop.
    """
    visits: dict[object, set[object]] = {}
    for event in events:
        call = event.equation.call
        sort = (event.chain, call.primitive, call.params.get("name"))
        visits.setdefault(sort, set()).add((id(call.eqn), event.context.turns))
    return any(len(each) > 1 for each in visits.values())


def _is_repeated(first: Event, second: Event) -> bool:
    """Return whether two events are one, executed again: a call may well use a key of its own twice, each time."""
    return first.chain == second.chain or first.context.turns != second.context.turns


def _is_visited_once(question: Question, execution: Execution, keys: Sequence[tuple[Event, int]]) -> bool:
    """Return whether one call reaches each of two places once, whose order in the question is not that of the text.

    The question is then the same as in the other order. A key of a module or object outlives the call.
    """
    if question.other is None or execution.cut is not None:
        return False
    identities = execution.lineage.identities
    roots = {identities[identities.root(key)].operation for _, key in keys}
    chains = {event.chain for event, _ in keys if at(event.chain, question.place)}
    return roots <= {"argument", "seed"} and all(_is_of_one_call(chain, question.place) for chain in chains)


def _is_of_one_call(chain: Chain, place: Place) -> bool:
    """Return whether nothing outlives the call that reached a place: neither an object nor an inner function."""
    functions = [COMPREHENSION.sub("", span.function) for span in chain]
    for span, function in zip(chain, functions, strict=True):
        outer, _, inner = function.partition(".")
        lives_on = inner and not re.fullmatch(r"\w+\.__init__", function)
        if at((span,), place) and lives_on and not (inner.startswith("<locals>") and outer in functions):
            return False
    return True


def _cut_short(question: Question, execution: Execution) -> str | None:
    """Return why an execution may have missed a part of what happens at the places of a finding; ``None`` if not."""
    places = [place for place in (question.place, question.other) if place is not None]
    for interruption in execution.interruptions:
        if any(at(interruption.chain, place) for place in places):
            return Reason.ENDED_EARLY.of(interruption.text)
    return execution.cut


def _doubt(execution: Execution, first: Sequence[Use], second: Sequence[Use]) -> str | None:
    """Return why different keys at two places do not refute a finding; ``None`` if they do."""
    identities = execution.lineage.identities
    roots = {identities.root(key) for _, key in (*first, *second)}
    apart = _read_twice(execution, roots) or Reason.ROOTS if len(roots) > 1 else None
    for pair in {(one, other) for _, one in first for _, other in second if one != other}:
        for one, other in product(*(_alternatives(identities, key) for key in pair)):
            chosen = (one, other) != pair and identities.sibling(one) == identities.sibling(other)
            if chosen or not identities.is_certain(one) or not identities.is_certain(other):
                return Reason.WHICH
            if identities.may_be_one(one, other):
                return Reason.FOLDED
    return apart


def _alternatives(identities: Identities, key: int) -> Iterator[int]:
    """Return the keys that a key may be: one of several, as after a branch or at an unknown index."""
    operation, children, _ = identities[key]
    if operation != "join" or len(children) < 2:
        yield key
    for child in children[1:] if operation == "join" else ():
        yield from _alternatives(identities, child)


def _read_twice(execution: Execution, roots: Iterable[int]) -> str | None:
    """Return whether two of the keys that others come from are two reads of one attribute, in words."""
    numbers = map(execution.element, roots)
    names = [execution.names[number] for number in numbers if 0 <= number < len(execution.names)]
    twice = next((name for name in names if names.count(name) > 1 and ATTRIBUTE.search(name)), None)
    return None if twice is None else Reason.READ_AGAIN.of(twice)


def _collision(
    question: Question, execution: Execution, earlier: Sequence[Event], later: Sequence[Event], tier: Tier
) -> Verdict:
    """Compare the keys that two places make."""
    first, second = (
        [(event, key) for event in events if _derives(event) for key in event.made] for events in (earlier, later)
    )
    streams = {key: execution.lineage.identities.stream(key) for _, key in (*first, *second)}
    pairs = [(a, b, key) for a, key in first for b, other in second if streams[key] == streams[other]]
    shared = [(a, b, key) for a, b, key in pairs if a is not b and _may_meet(a, b)]
    if shared:
        return _confirmed(execution, shared, tier)
    doubt: str | None = Reason.NO_KEYS
    if first and second and not any(map(is_assumed, (*earlier, *later))):
        doubt = _cut_short(question, execution) or _doubt(execution, first, second)
    if doubt is not None:
        return Verdict("inconclusive", tier, doubt)
    return Verdict("refuted", tier, "the keys that are made there are different ones")


def _confirmed(execution: Execution, shared: Sequence[tuple[Event, Event, int]], tier: Tier) -> Verdict:
    """Confirm a finding by pairs of events with one key, if one run surely has both events of a pair."""
    doubt = None
    for a, b, key in shared:
        doubt = execution.is_other(key) or execution.doubt_between(a, b)
        if doubt is None:
            return Verdict("confirmed", tier, None, evidence(execution, [key], a, b))
    return Verdict("inconclusive", tier, doubt)


def evidence(execution: Execution, keys: Iterable[int], *events: Event) -> tuple[str, ...]:
    """Return lines that show what events do with keys: the keys, and each event with its equation and calls."""
    lines = [f"key: {', '.join(key_text(execution.describe(key)) for key in keys)}"]
    for event in events:
        lines.append(operation_text(event))
        lines += [f"  {span} in {span.function}" for span in event.chain]
    return tuple(lines)


def not_reached(execution: Execution) -> str:
    """Return why an execution did not reach a place."""
    if execution.interruptions:
        error = execution.interruptions[-1].text
        return error if error.startswith(GAVE_UP) else Reason.FAILED.of(error)
    return Reason.UNREACHED


# What is done to the words of a key.


def _is_within(chain: Sequence[Span | Place], place: Span | Place) -> bool:
    """Return whether a place is inside the innermost call of a chain: a finding may flag a part of what fails."""
    if not chain or chain[0].file != place.file:
        return False
    inner = chain[0]
    starts = (inner.line, inner.column) <= (place.line, place.column)
    return starts and (place.end_line, place.end_column) <= (inner.end_line, inner.end_column)


def _words(question: Question, execution: Execution, tier: Tier) -> Verdict | None:
    lineage = execution.lineage
    for misuse in lineage.misuses:
        torn = misuse.kind in ("indexing", "arithmetic", "transposition")
        if torn and any(at(event.chain, question.place) for event in (misuse.first, misuse.second)):
            shown = evidence(execution, [misuse.key], misuse.first, misuse.second)
            return Verdict("confirmed", tier, None, shown)
    for torn_by in lineage.torn:
        if torn_by.chain[:1] and (at(torn_by.chain[:1], question.place) or _is_within(torn_by.chain, question.place)):
            other = next(filter(None, map(execution.is_other, torn_by.keys)), None)
            if other is not None:
                return Verdict("inconclusive", tier, other)
            return Verdict("confirmed", tier, None, evidence(execution, torn_by.keys, torn_by))
    for failed in execution.failures:
        if at(failed.chain, question.place) or _is_within(failed.chain, question.place):
            return Verdict("confirmed", tier, f"with a typed key it is an error: {failed.error}: {failed.text}")
    return _whole(question, execution, tier)


def _whole(question: Question, execution: Execution, tier: Tier) -> Verdict | None:
    """Judge a place where no word of a key was taken; ``None`` if the execution does not reach it."""
    arrivals = execution.arrivals.get(question.place)
    if not arrivals:
        return None
    for interruption in execution.interruptions:
        inside = any(_is_within([question.place], span) for span in interruption.chain)
        if inside or _is_within(interruption.chain, question.place):
            if interruption.text.startswith(MISUSES) and all(arrival & {"typed", "unknown"} for arrival in arrivals):
                return Verdict("confirmed", tier, f"with a typed key it is an error: {interruption.text}")
            return Verdict("inconclusive", tier, Reason.ENDED_EARLY.of(interruption.text))
    if execution.cut is not None:
        return Verdict("inconclusive", tier, execution.cut)
    if any("unknown" in arrival for arrival in arrivals):
        return Verdict("inconclusive", tier, Reason.IS_KEY)
    if any(at(event.chain, question.place) for event in execution.lineage.unmodelled):
        return Verdict("inconclusive", tier, Reason.DONE)
    return Verdict("refuted", tier, "no word of a key is taken there")
