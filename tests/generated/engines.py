"""All engines on the same programs: the key flow, the lineage, the recorder and the witness.

``python -m tests.generated.engines [COUNT] [FIRST] [LAYER...] [ENGINE...]`` compares them on many programs and shows a
small program for each sort of disagreement.

A program is executed with the reference's stand-ins, and then under JAX in the same way: with the same truth values and
the same answers to ``input()``. What the engines should say follows from the keys that the reference saw:

- the key flow, what :mod:`tests.generated.agreement` asks of it;
- the lineage of the traced function, and the recorder of the executed one, each repeated consumption with the earliest
  one of that key, at the innermost places where their chains of calls differ, and nothing else;
- the judge, by the lineages, and the witness, of each finding of the key flow that it is true, and of two places that
  never get one key that it is not; the witness refutes no two places that get one key in some execution.

So the places of the key flow, which are those of a function's own terms, and those of the chains of calls meet in one
reference; and the judge matches findings with lineages directly.

What the engines do not model by design, and what is known to be wrong, is in :mod:`tests.generated.gaps`. Everything
else that is not equal is a disagreement.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from olympus.tracing.spans import Span
from olympus.verdicts import Question

from .agreement import disagreements as of_key_flow
from .agreement import shrunk
from .expected import branches, either, lost, mistakes, of_lineage, of_recorder
from .gaps import EXCLUSIONS, KNOWN, REFUSAL
from .programs import Layer, Program, write
from .questions import of_findings, of_nothing, of_something
from .reference import FILENAME, Recorder, TooMany, Unreached, executions

__all__ = ["Difference", "differences", "smallest"]

RUNS = 6  # executions of one program that are repeated under JAX


@dataclass(frozen=True, order=True)
class Difference:
    """Something that an engine says and should not (``false``), or does not say and should (``missed``)."""

    engine: str
    kind: str
    detail: str


class Execution:
    """One execution of a program, to be repeated under JAX."""

    def __init__(self, program: Program, run: Recorder, *, typed: bool) -> None:
        self.program, self.run, self.typed = program, run, typed
        self.kinds = program.entries[run.entry]

    def abstract(self) -> list[Any]:
        """Return an abstract value for each key argument."""
        from olympus.tracing.jaxprs import raw_key, typed_key

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
    runs = list(executions(program.source, program.entries))
    if "keyflow" in engines:
        own = [Difference("keyflow", f"{one.kind} {one.code}", str(one.place)) for one in of_key_flow(program)]
        found += own if own and not is_known("keyflow", program, runs, None, tally) else []
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
        try:
            lineage, own = traced(execution)
        except TypeError as error:
            if REFUSAL not in str(error):
                raise
            tally["excluded: a loop of jax.lax is to carry a typed key and a raw one, which JAX refuses"] += 1
            all_shown = False
            continue
        tally["executions"] += 1
        lineages.append(lineage)
        found += own
        if "recorder" in engines:
            found += recorded(execution)
    if engines & {"judge", "witness"}:
        found += judged(program, runs, lineages if all_shown else [], tally)
    return sorted({one for one in found if one.engine in engines})


def is_known(
    engine: str, program: Program, runs: list[Recorder], question: Question | None, tally: Counter[str]
) -> bool:
    """Say whether the cause of a disagreement is known, and count it."""
    known = next((each for each in KNOWN if each.engine == engine and each.applies(program, runs, question)), None)
    if known is not None:
        tally[f"known: {known.reason}"] += 1
    return known is not None


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
    begun_anew = lost(execution.run)
    besides = [(pair, tuple(map(whole, pair.places))) for pair in of_recorder(execution.run, inside=True)]
    allowed = inside | {
        (kind, places)
        for pair, places in (*pairs, *besides)
        for kind in (("reuse", "collision") if begun_anew else (pair.kind, *either(pair)))
    }
    found = [said("recorder", "false", *each) for each in shown - allowed]
    if not begun_anew:
        wanted = {(pair.kind, places) for pair, places in pairs if pair.earliest}
        known = {places for _, places in shown}  # one place may have several keys, and is told once
        found += [said("recorder", "missed", *each) for each in wanted if each[1] not in known]
    return found + [Difference("recorder", "unfollowed", text) for text in recorder.unfollowed]


def judged(program: Program, runs: list[Recorder], lineages: list[Any], tally: Counter[str]) -> list[Difference]:
    """Compare the judge and the witness."""
    from olympus.verdicts import judge
    from olympus.witness.answer import answer
    from olympus.witness.execution import Target

    true, false, shared = of_findings(program), of_nothing(runs), of_something(runs)
    verdicts = answer(Target(FILENAME, program.source, "program", ""), [*true, *false])
    known = [judge.Execution(lineage) for lineage in lineages]
    found = []
    for question, verdict in zip(shared, answer(Target(FILENAME, program.source, "program", ""), shared), strict=True):
        tally[f"witness, shared keys {verdict.status}"] += 1
        if verdict.status == "refuted" and not is_known("witness", program, runs, question, tally):
            places = f"{question.other} and {question.place}"
            found.append(Difference("witness", f"{verdict.status} {question.code}", f"{places}: {verdict.reason}"))
    for question, verdict in zip([*true, *false], verdicts, strict=True):
        what = "true" if question in true else "false"
        places = f"{question.other} and {question.place}"
        tally[f"witness, {what} ones {verdict.status}"] += 1
        wrong = verdict.status == ("refuted" if what == "true" else "confirmed")
        if wrong and not is_known("witness", program, runs, question, tally):
            found.append(Difference("witness", f"{verdict.status} {question.code}", f"{places}: {verdict.reason}"))
        if known:
            own = judge.judge(question, known, "function")
            tally[f"judge, {what} ones {own.status}"] += 1
            if (own.status == "confirmed") != (what == "true"):
                found.append(Difference("judge", f"{own.status} {question.code}", f"{places}: {own.reason}"))
    return found


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
