"""All engines on the same programs: the key flow, the lineage, the recorder and the witness.

``python -m tests.generated.engines [COUNT] [FIRST] [LAYER...] [ENGINE...]`` compares them on many programs and shows a
small program for each sort of disagreement.

A program is executed with the reference's stand-ins, and then under JAX in the same way: with the same truth values and
the same answers to ``input()``. What the engines should say follows from the keys that the reference saw:

- the key flow, what :mod:`tests.generated.agreement` asks of it;
- the lineage of the traced function, and the recorder of the executed one, each repeated consumption with the earliest
  one of that key, at the innermost places where their chains of calls differ, and nothing else;
- the judge, by the lineages, and the witness, of each finding of the key flow that it is true, and of two places that
  never get one key that it is not.

So the places of the key flow, which are those of a function's own terms, and those of the chains of calls meet in one
reference; and the judge matches findings with lineages directly.

``EXCLUSIONS`` has what an engine does not model by design. Everything else that is not equal is a disagreement.
"""

from __future__ import annotations

import ast
import itertools
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from olympus.spans import Chain, Span, diverging, span_at
from olympus.verdicts import Place, Question
from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

from .agreement import disagreements as of_key_flow
from .agreement import shrunk
from .programs import Layer, Program, write
from .reference import (
    FILENAME,
    Calls,
    Consumption,
    Derivation,
    Recorder,
    TooMany,
    Unreached,
    beside_splits,
    evaluate,
    executions,
    repeated_folds,
)

__all__ = ["EXCLUSIONS", "Difference", "Exclusion", "differences"]

RUNS = 6  # executions of one program that are repeated under JAX
FALSE = 6  # pairs of places that get no key in common, of which the witness is asked
Term = tuple[Any, ...]
Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True, order=True)
class Difference:
    """Something that an engine says and should not (``false``), or does not say and should (``missed``)."""

    engine: str
    kind: str
    detail: str


@dataclass(frozen=True)
class Exclusion:
    """Executions that an engine does not model.

    Attributes:
        reason: why not.
        applies: says so of an execution.
    """

    reason: str
    applies: Callable[[Recorder], bool]


EXCLUSIONS = [
    Exclusion(
        "a function that a loop of jax.lax calls asks for input(): JAX calls it once, and not for each turn",
        lambda run: run.asked_inside,
    ),
]


@dataclass(frozen=True)
class Known:
    """A disagreement of the witness whose cause is known.

    Attributes:
        reason: the cause.
        example: the smallest program.
        applies: says so of a question about a program with these executions.
    """

    reason: str
    example: str
    applies: Callable[[Program, list[Recorder], Question], bool]


def needs_another_count(program: Program, runs: list[Recorder], question: Question) -> bool:
    """Say whether a mistake happens only where ``input()`` says something else than two."""
    showing = [run for run in runs if shows(run, question)]
    return bool(showing) and all(set(run.answers) - {2} for run in showing)


def needs_a_fourth_turn(program: Program, runs: list[Recorder], question: Question) -> bool:
    """Say whether a mistake happens only to what a loop over a fixed number of keys comes to after three turns."""
    return any(shows(run, question) for run in runs) and not any(shows(run, question, 3) for run in runs)


def has_while_else(program: Program, runs: list[Recorder], question: Question) -> bool:
    """Say whether a ``while`` loop has an ``else``."""
    return any(isinstance(node, ast.While) and node.orelse for node in ast.walk(ast.parse(program.source)))


KNOWN = [
    Known(
        "the witness runs each loop of unknown length for two turns, and refutes what needs none or one",
        """
        def main(key):
            jax.random.normal(key)
            for _ in range(int(input())):
                key, sub = jax.random.split(key)
            jax.random.normal(key)
        """,
        needs_another_count,
    ),
    Known(
        "the witness leaves a loop over more than three keys after three turns, and refutes what comes later",
        """
        def main(key):
            keys = jax.random.split(key, 4)
            for key in keys:
                jax.random.normal(key)
            jax.random.normal(keys[3])
        """,
        needs_a_fourth_turn,
    ),
    Known(
        "the witness leaves out the else of a while loop",
        """
        def main(key):
            count = int(input())
            while count > 0:
                count -= 1
                jax.random.normal(key)
            else:
                key, sub = jax.random.split(key)
            jax.random.normal(key)
        """,
        has_while_else,
    ),
]


# What the reference says that the engines should.


@dataclass(frozen=True)
class Pair:
    """Two consumptions of one key, in their order."""

    kind: str
    first: Consumption
    second: Consumption
    earliest: bool = True  # the first one is the first of all

    @property
    def places(self) -> tuple[Span, Span]:
        """Return the innermost places where the two chains of calls differ."""
        return diverging(chain(self.first.calls), chain(self.second.calls))


def chain(calls: Calls) -> Chain:
    """Return the spans of a chain of calls, innermost first."""
    return tuple(span_at(code, lasti) for code, lasti in calls)


def consumptions(run: Recorder) -> Iterator[tuple[Consumption, Term]]:
    """Return each consumption with each of the keys, in order."""
    for event in run.events:
        if isinstance(event, Consumption):
            for key in event.keys:
                yield event, key.identity


def of_lineage(run: Recorder) -> Iterator[Pair]:
    """Return what the lineage should report: equal identities, and children of a split that ``fold_in`` makes, too."""
    first: dict[Term, Consumption] = {}
    derived: dict[tuple[Term, Any], list[tuple[Term, Consumption]]] = {}
    for event, key in consumptions(run):
        if key in first:
            yield Pair("reuse", first[key], event)
        first.setdefault(key, event)
        if key[0] in ("split", "fold_in"):
            same = derived.setdefault((key[-1], key[-2]), [])
            other = next((earlier for term, earlier in same if term[0] != key[0]), None)
            if other is not None:
                yield Pair("collision", other, event)
            same.append((key, event))


def of_recorder(run: Recorder) -> Iterator[Pair]:
    """Return what the recorder should report: equal words, but for what comes out of a seed, clone or repeated split.

    It tells keys by their words, so that it says ``collision`` of each key that was derived in two ways before,
    whichever of them the consumed one comes from.
    """
    consumed: defaultdict[Term, list[Consumption]] = defaultdict(list)
    again: set[int | None] = set()  # the splits of keys that had been consumed
    origins: defaultdict[Term, set[str]] = defaultdict(set)
    children: defaultdict[int | None, list[Term]] = defaultdict(list)
    for key in run.made:
        if key.identity[0] == "split":
            children[key.identity[1]].append(key.identity)

    def value(key: Term) -> Term:
        operation, *data, parent = key
        if operation == "split":
            own = ("again", *data) if data[0] in again else ("child", data[1])
            return (*own, value(parent))
        return ("child", *data, value(parent)) if operation == "fold_in" else key

    for event in run.events:
        if isinstance(event, Derivation):
            origins[value(event.child.identity)].add("fold_in")
            continue
        for key in event.keys:
            words = value(key.identity)
            for earlier in consumed[words]:
                kind = "reuse" if len(origins[words]) < 2 else "collision"
                yield Pair(kind, earlier, event, earlier is consumed[words][0])
                again.add(event.number)
            consumed[words].append(event)
        for child in children[event.number] if event.number is not None else ():
            origins[value(child)].add("split")


# The program under JAX.


class Execution:
    """One execution of a program, to be repeated under JAX."""

    def __init__(self, program: Program, run: Recorder, *, typed: bool) -> None:
        self.program, self.run, self.typed = program, run, typed
        self.kinds = program.entries[run.entry]

    def abstract(self) -> list[Any]:
        """Return an abstract value for each key argument."""
        from olympus.jaxprs import raw_key, typed_key

        make = typed_key if self.typed else raw_key
        found: list[Any] = []
        for kind in self.kinds:
            if kind == "key":
                found.append(make())
            elif kind != "flag":
                found.append(make(None, (kind[1],)) if kind[0] == "array" else [make() for _ in range(kind[1])])
        return found

    def concrete(self) -> list[Any]:
        """Return different keys for the key arguments; they are seeded here."""
        import jax

        found: list[Any] = []
        for number, kind in enumerate(self.kinds):
            if kind == "flag":
                continue
            count = 1 if kind == "key" else kind[1]
            keys = jax.random.split(jax.random.key(1_000_003 + number), count)
            if not self.typed:
                keys = jax.random.key_data(keys)
            found.append(keys[0] if kind == "key" else keys if kind[0] == "array" else list(keys))
        return found

    def __call__(self, keys: list[Any]) -> None:
        """Execute it."""
        answers = iter(self.run.answers)
        given, flags = iter(keys), iter(self.run.arguments)
        arguments = [next(flags) if kind == "flag" else (next(flags), next(given))[1] for kind in self.kinds]
        scope: dict[str, Any] = {"__name__": "program", "input": lambda: str(next(answers))}
        exec(compile(self.program.source, FILENAME, "exec"), scope)
        scope[self.run.entry](*arguments)
        if next(answers, None) is not None:
            raise RuntimeError("the program has asked for less than the reference")


def said(engine: str, what: str, kind: str, places: Iterable[Span]) -> Difference:
    """Describe a misuse that is reported and should not be, or the other way round."""
    return Difference(engine, f"{what} {kind}", " and ".join(map(str, places)))


def lost(run: Recorder) -> bool:
    """Say whether a loop of ``jax.lax`` has consumed a key again.

    To the recorder it is one call, and what comes out of a call that consumes keys again has begun anew: keys that the
    loop returns, and have been consumed or are children of such, are not compared with others any more.
    """
    return any(len(pair.second.stack) < len(pair.second.functions) for pair in of_recorder(run))


def branches(source: str) -> Callable[[Span], Span]:
    """Return what gives the call of ``lax.cond`` for a place in one of its branches, and any other place as it is.

    The recorder does not know which branch of a compiled ``cond`` was taken: what all of them do is done by any.
    """
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "jax.lax.cond"
    ]

    def whole(span: Span) -> Span:
        for call in calls:
            start, end = (call.lineno, call.col_offset + 1), (call.end_lineno or 0, (call.end_col_offset or 0) + 1)
            inside = start <= (span.line, span.column) and (span.end_line, span.end_column) <= end
            if inside and "<lambda>" in span.function:
                return Span(span.file, *start, *end, span.function.removesuffix(".<lambda>").removesuffix(".<locals>"))
        return span

    return whole


def chosen(runs: list[Recorder]) -> tuple[list[Recorder], bool]:
    """Return a few executions that show most of what goes wrong, and whether they show all of it."""
    left = {id(run): set(mistakes(run)) for run in runs}
    found: list[Recorder] = []
    for _ in range(RUNS):
        best = max(runs, key=lambda run: (len(left[id(run)]), len(run.events)))
        shown = left[id(best)]
        if found and not shown:
            break
        found.append(best)
        left = {number: pairs - shown for number, pairs in left.items()}
    return found, not any(left.values())


def mistakes(run: Recorder, elements: int | None = None) -> Iterator[tuple[Places, Places]]:
    """Return what goes wrong in an execution: of each two consumptions or derivations all places on the way to them.

    Args:
        run: the execution.
        elements: leaves out what goes wrong with other children of a split than so many first ones.
    """
    consumed: defaultdict[Term, dict[Calls, Places]] = defaultdict(dict)
    for event, key in consumptions(run):
        if elements is not None and is_beyond(key, elements):
            continue
        places = tuple((span.line, span.column) for span in chain(event.calls))
        yield from ((earlier, places) for earlier in consumed[key].values())
        consumed[key][event.calls] = places
    for first, again in (*repeated_folds(run.events), *beside_splits(run.events)):
        yield (first,), (again,)


def is_beyond(key: Term, elements: int) -> bool:
    """Say whether a key comes from a child of a split after so many first ones."""
    while isinstance(key[-1], tuple):
        if key[0] == "split" and key[2] >= elements:
            return True
        key = key[-1]
    return False


def shows(run: Recorder, question: Question, elements: int | None = None) -> bool:
    """Say whether an execution has the mistake that is asked about."""
    here = question.place
    there = question.other or here
    return any(
        (there.line, there.column) in first and (here.line, here.column) in again
        for first, again in mistakes(run, elements)
    )


def differences(
    program: Program,
    *,
    typed: bool = True,
    engines: frozenset[str] | None = None,
    tally: Counter[str] | None = None,
) -> list[Difference]:
    """Compare the engines on one program.

    Args:
        program: the program.
        typed: whether its arguments are typed keys or raw ones.
        engines: which ones; all of them by default.
        tally: counts what was compared.
    """
    engines = frozenset(ENGINES) if engines is None else engines
    tally = Counter() if tally is None else tally
    found: list[Difference] = []
    if "keyflow" in engines:
        found += [Difference("keyflow", f"{one.kind} {one.code}", str(one.place)) for one in of_key_flow(program)]
    runs = list(executions(program.source, program.entries))
    picked, all_shown = chosen(runs)
    lineages = []
    tally["programs"] += 1
    tally["programs of which all mistakes are in the executions"] += all_shown
    for run in picked:
        excluded = next((each for each in EXCLUSIONS if each.applies(run)), None)
        if excluded is not None:
            tally[f"excluded: {excluded.reason}"] += 1
            all_shown = False
            continue
        execution = Execution(program, run, typed=typed)
        tally["executions"] += 1
        if engines & {"lineage", "judge"}:
            lineage, own = traced(execution)
            lineages.append(lineage)
            found += own
        if "recorder" in engines:
            found += recorded(execution)
    if engines & {"judge", "witness"}:
        found += judged(program, runs, lineages if all_shown else [], tally)
    return sorted({one for one in found if one.engine in engines})


def traced(execution: Execution) -> tuple[Any, list[Difference]]:
    """Compare the lineage."""
    from olympus import lineage

    known = lineage.of(execution, execution.abstract())
    misuses = {(each.kind, each.where or ()) for each in known.misuses}
    wanted = {(pair.kind, pair.places) for pair in of_lineage(execution.run)}
    found = [said("lineage", "missed", *each) for each in wanted - misuses]
    found += [said("lineage", "false", *each) for each in misuses - wanted]
    found += [Difference("lineage", "unmodelled", str(event.equation.eqn)) for event in known.unmodelled]
    return known, found


def recorded(execution: Execution) -> list[Difference]:
    """Compare the recorder."""
    from olympus.recording import Recorder as RealRecorder

    with RealRecorder() as recorder:
        execution(execution.concrete())
    whole = branches(execution.program.source)
    pairs = [(pair, tuple(map(whole, pair.places))) for pair in of_recorder(execution.run)]
    shown = {(each.kind, tuple(whole(span) for span in (each.first, each.second) if span)) for each in recorder.misuses}
    inside = {(pair.kind, tuple(map(whole, pair.places))) for pair in of_lineage(execution.run)}
    found = [said("recorder", "false", *each) for each in shown - inside - {(p.kind, places) for p, places in pairs}]
    if not lost(execution.run):
        wanted = {(pair.kind, places) for pair, places in pairs if pair.earliest}
        known = {places for _, places in shown}
        found += [said("recorder", "missed", *each) for each in wanted if each[1] not in known]
    return found + [Difference("recorder", "unfollowed", text) for text in recorder.unfollowed]


def judged(program: Program, runs: list[Recorder], lineages: list[Any], tally: Counter[str]) -> list[Difference]:
    """Compare the judge and the witness."""
    from olympus.verdicts import judge
    from olympus.witness.answer import answer
    from olympus.witness.execution import Target

    true, false = findings(program), others(runs)
    verdicts = answer(Target(FILENAME, program.source, "program", ""), [*true, *false])
    known = [judge.Execution(lineage) for lineage in lineages]
    found = []
    for question, verdict in zip([*true, *false], verdicts, strict=True):
        what = "true" if question in true else "false"
        places = f"{question.other} and {question.place}"
        tally[f"witness, {what} ones {verdict.status}"] += 1
        if verdict.status == ("refuted" if what == "true" else "confirmed"):
            reason = next((each.reason for each in KNOWN if each.applies(program, runs, question)), None)
            if reason is None:
                found.append(Difference("witness", f"{verdict.status} {question.code}", f"{places}: {verdict.reason}"))
            else:
                tally[f"known: {reason}"] += 1
        if known:
            own = judge.judge(question, known, "function")
            tally[f"judge, {what} ones {own.status}"] += 1
            if (own.status == "confirmed") != (what == "true"):
                found.append(Difference("judge", f"{own.status} {question.code}", f"{places}: {own.reason}"))
    return found


def findings(program: Program) -> list[Question]:
    """Return the findings of the key flow as questions."""
    truth = evaluate(program.source, program.entries)
    groups = {"OLY104": [truth.reuses, truth.excused], "OLY108": [truth.collisions, truth.excused]}
    questions = []
    for report in check(Document("program.py", program.source), min_confidence=Confidence.LIKELY).reports:
        finding = report.finding
        start = (finding.span.start.row, finding.span.start.column)
        if any(start in group for group in groups.get(finding.code, ())):
            other = next((place(each.span) for each in finding.related), None)
            questions.append(
                Question(finding.code, place(finding.span), other, finding.confidence == Confidence.CERTAIN)
            )
    return questions


def place(span: Any) -> Place:
    """Return the place of a finding's span."""
    return Place(FILENAME, span.start.row, span.start.column, span.end.row, span.end.column)


def others(runs: list[Recorder]) -> list[Question]:
    """Return questions about calls of one function that never consume one key, in no execution."""
    shared: set[tuple[Span, Span]] = set()
    spans: set[Span] = set()
    for run in runs:
        through: defaultdict[Span, set[Term]] = defaultdict(set)
        for event, key in consumptions(run):
            for span in chain(event.calls):
                through[span].add(key)
        spans |= through.keys()
        shared |= {(a, b) for a, b in itertools.combinations(sorted(through), 2) if through[a] & through[b]}
    pairs = [
        (a, b) for a, b in itertools.combinations(sorted(spans), 2) if owner(a) == owner(b) and (a, b) not in shared
    ]
    step = max(1, len(pairs) // FALSE)
    return [Question("OLY104", spot(b), spot(a), True) for a, b in pairs[::step][:FALSE]]


def owner(span: Span) -> str:
    """Return the outermost function around a span."""
    return span.function.partition(".<locals>")[0]


def spot(span: Any) -> Place:
    """Return the place of a span."""
    return Place(FILENAME, span.line, span.column, span.end_line, span.end_column)


ENGINES = ("keyflow", "lineage", "recorder", "judge", "witness")


def smallest(program: Program, sort: tuple[str, str], *, typed: bool) -> tuple[Program, list[Difference]]:
    """Return a smaller program in which the engines differ in the same sort of way, with what differs."""

    def of_sort(candidate: Program) -> list[Difference]:
        found = differences(candidate, typed=typed, engines=frozenset(sort[:1]))
        return [one for one in found if (one.engine, one.kind) == sort]

    small = shrunk(program, lambda candidate: bool(of_sort(candidate)))
    return small, of_sort(small)


def main() -> int:
    """Print a shrunk program for each sort of disagreement in each layer."""
    count, first = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 100), (2, 0)))
    names = sys.argv[3:]
    engines = frozenset(name for name in names if name in ENGINES) or frozenset(ENGINES)
    failed, tally = 0, Counter[str]()
    for layer in [Layer[name] for name in names if name in Layer.__members__] or list(Layer):
        began, sorts = time.perf_counter(), Counter[tuple[str, str]]()
        for seed in range(first, first + count):
            program, typed = write(Random(f"{layer.name} {seed}"), layer), seed % 2 == 0
            head = f"\n# {layer.name} {seed} {'typed' if typed else 'raw'}"
            try:
                found = differences(program, typed=typed, engines=engines, tally=tally)
            except (TooMany, Unreached):
                sorts["skipped", ""] += 1
                continue
            except Exception as error:
                failed += 1
                sorts["error", type(error).__name__] += 1
                if sorts["error", type(error).__name__] <= SHOWN:
                    print(f"{head}: {error!r}"[:600] + f"\n{program.source}")
                continue
            failed += bool(found)
            for sort in {(one.engine, one.kind) for one in found}:
                sorts[sort] += 1
                if sorts[sort] <= SHOWN:
                    small, own = smallest(program, sort, typed=typed)
                    print(f"{head}: {own}\n{small.source}", flush=True)
        print(f"{layer.name}: {count} programs, {time.perf_counter() - began:.0f} s, {dict(sorts)}", flush=True)
    print("\n".join(f"{count:8} {what}" for what, count in sorted(tally.items())))
    return 1 if failed else 0


SHOWN = 1  # programs shown of each sort

if __name__ == "__main__":
    sys.exit(main())
