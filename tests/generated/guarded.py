"""Two guarded uses of one key: ``python -m tests.generated.guarded COUNT SEED [--trace]``.

For each seed there are two programs. In the *correct* one no input makes a key be consumed twice: the guards exclude
each other, or an early exit, a loop's turn or some state keeps the second use from happening. In its *twin* the guards
are compatible. Which of the two a program is, is found out by executing it with stand-ins for JAX on a grid of inputs.

Nothing may be certain, or likely, of a correct program, and no tier may confirm any two places of it. The key flow is
to find a twin at least as likely, and ``--trace`` says how many of them are confirmed as well.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

from olympus.verdicts import Question, Verdict
from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

from .agreement import OFF, shrunk
from .expected import chain, consumptions
from .guards import NUMPY, Array
from .questions import of_nothing, of_something, spot
from .reference import FILENAME, Consumption, Key, Recorder
from .shapes import SAMPLERS, Draft, guarded_pair
from .states import stateful

__all__ = ["Guarded", "Wrong", "correct", "found", "is_correct", "is_twin", "runs", "said", "smallest", "twin", "wrong"]


@dataclass(frozen=True)
class Guarded:
    """A program, as :mod:`~tests.generated.agreement` can make it smaller, with the draft that it comes from.

    ``elsewhere`` is the source of a module of that name, which the key flow and the witness do not see.
    """

    source: str
    draft: Draft
    entries: dict[str, Any] = field(default_factory=dict, compare=False)
    elsewhere: str = ""


@dataclass
class Run:
    """What one execution did with keys.

    Attributes:
        events: consumptions and derivations in order.
        odd: whether its arguments are unusual.
        raised: whether it ended by an error.
    """

    events: list[Any]
    odd: bool
    raised: bool

    @property
    def twice(self) -> bool:
        """Whether a key was consumed more than once."""
        return any(count > 1 for count in Counter(key for _, key in consumed(self)).values())


def consumed(run: Run) -> Iterator[tuple[Consumption, Any]]:
    """Return each consumption with each of the keys, in order."""
    recorder: Any = run  # nothing is asked of a recorder but its events
    yield from consumptions(recorder)


@lru_cache(maxsize=64)
def runs(program: Guarded) -> list[Run]:
    """Execute a program on all inputs."""
    recorder = Recorder()
    modules = recorder.modules()
    vars(modules["jax.numpy"]).update(NUMPY)
    module = modules["program"] = ModuleType("program")
    scope: dict[str, Any] = vars(module)
    scope.update(Array=Array, SimpleNamespace=SimpleNamespace)
    with mock.patch.dict(sys.modules, modules):
        if program.elsewhere:
            modules["elsewhere"] = sys.modules["elsewhere"] = ModuleType("elsewhere")
            exec(program.elsewhere, vars(sys.modules["elsewhere"]))
        exec(compile(program.source, FILENAME, "exec"), scope)
    found = []
    for odd, texts in ((False, program.draft.arguments), (True, program.draft.odd)):
        for text in texts:
            recorder.events, recorder.frames = [], []
            key = Key(("argument", "key"), ("argument", "key"))
            arguments = eval(f"({text},)", scope)
            try:
                with mock.patch.dict(sys.modules, modules):
                    scope["main"](key, *arguments)
                raised = False
            except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
                raised = True
            found.append(Run(recorder.events, odd, raised))
    return found


def ends(source: str) -> bool:
    """Say whether each ``while`` can be left, as far as the text tells: what was made smaller may run forever."""
    loops = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.While)]
    return all(any(isinstance(each, ast.Break | ast.Return) for each in ast.walk(loop)) for loop in loops)


def uses(source: str) -> set[tuple[int, int]]:
    """Return the places where keys are consumed, by the text."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2].removeprefix("j_")
            if name in (*SAMPLERS, "split"):
                found.add((node.lineno, node.col_offset + 1))
    return found


def reached(program: Guarded) -> set[tuple[int, int]]:
    """Return the places where keys are consumed in some execution."""
    spans = {chain(event.calls)[0] for run in runs(program) for event, _ in consumed(run)}
    return {(span.line, span.column) for span in spans}


def is_correct(program: Guarded) -> bool:
    """Say whether no execution consumes a key twice, though some come to each use."""
    return not any(run.twice for run in runs(program)) and uses(program.source) <= reached(program)


def is_twin(program: Guarded) -> bool:
    """Say whether an execution with usual arguments consumes a key twice, and comes to an end."""
    return any(run.twice and not run.odd and not run.raised for run in runs(program))


def drafts(seed: str, *, excluding: bool) -> Iterator[Guarded]:
    """Return programs of a seed, until one is of the sort that is looked for."""
    for attempt in itertools.count():
        shape = Random(f"shape {seed} {attempt}")
        if shape.random() < STATES:
            draft: Draft | None = stateful(shape)
        else:
            guards = Random(f"guards {seed} {attempt} {excluding}")
            draft = guarded_pair(shape, guards, excluding=excluding and guards.random() < 0.85)
        if draft is not None:
            yield Guarded(draft.source, draft)


SORTS_OF_STATE = ""  # the name of no sort of subject
STATES = 0.25  # the share of programs whose state decides


@lru_cache(maxsize=512)  # several tests ask for the same ones
def correct(seed: str) -> Guarded:
    """Write a correct program."""
    return next(program for program in drafts(seed, excluding=True) if is_correct(program))


@lru_cache(maxsize=512)
def twin(seed: str) -> Guarded:
    """Write a program that is not."""
    return next(program for program in drafts(seed, excluding=False) if is_twin(program))


# what is said


@dataclass(frozen=True, order=True)
class Wrong:
    """Something that is said of a correct program: ``certain``, ``likely``, ``error``, ``witness`` or ``function``."""

    kind: str
    code: str
    detail: str = ""


def said(program: Guarded) -> list[Wrong]:
    """Return what the key flow says of a program."""
    checked = check(Document("program.py", program.source), min_confidence=Confidence.LIKELY)
    found = [Wrong("error", "", repr(error.__cause__)) for error in checked.errors]
    for report in checked.reports:
        one = report.finding
        if one.code not in OFF:
            at = f"{one.span.start.row}:{one.span.start.column}"
            found.append(Wrong(one.confidence.label, one.code, f"{at}: {one.message}"))
    return found


TIERS = ("witness", "function")


def confirmed(program: Guarded, questions: Sequence[Question], tiers: Sequence[str] = TIERS) -> list[Wrong]:
    """Return for which of the questions a tier says that both places get one key."""
    found = []
    for tier in tiers:
        verdicts = by_witness(program, questions) if tier == "witness" else by_function(program, questions)
        for question, verdict in zip(questions, verdicts, strict=True):
            if verdict.status == "confirmed":
                first = question.other or question.place
                at = f"{first.line}:{first.column} and {question.place.line}:{question.place.column}"
                found.append(Wrong(tier, question.code, at))
    return found


def by_witness(program: Guarded, questions: Sequence[Question]) -> list[Verdict]:
    """Return the verdicts of the program executed with stand-ins."""
    from olympus.witness.answer import answer
    from olympus.witness.execution import Target

    return answer(Target(FILENAME, program.source, "program", ""), questions)


def by_function(program: Guarded, questions: Sequence[Question]) -> list[Verdict]:
    """Return the verdicts of the real functions, traced with arguments that are guessed."""
    from olympus.trials.judging import answer

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"guarded_{next(NUMBERS)}.py")
        file.write_text(program.source)
        if program.elsewhere:
            Path(folder, "elsewhere.py").write_text(program.elsewhere)
        moved = [
            replace(
                one,
                place=one.place._replace(file=str(file)),
                other=None if one.other is None else one.other._replace(file=str(file)),
            )
            for one in questions
        ]
        verdicts = answer(str(file), file.stem, [file.parent], moved, {})
        for name in (file.stem, "elsewhere"):
            sys.modules.pop(name, None)
    return verdicts


NUMBERS = itertools.count()


def apart(program: Guarded) -> list[Question]:
    """Return questions about the places of a correct program: each two of a function, and each with itself."""
    done: list[Any] = runs(program)
    pairs = [question for question in of_nothing(done, some=None) if question.code == "OLY104"]
    spans = {chain(event.calls)[0] for run in done for event, _ in consumed(run)}
    alone = [Question("OLY104", spot(span), None, certain=True) for span in sorted(spans)]
    return [*pairs, *alone]


def wrong(program: Guarded, tiers: Sequence[str] = ()) -> list[Wrong]:
    """Return what is said of a correct program and should not be."""
    return said(program) + (confirmed(program, apart(program), tiers) if tiers else [])


def found(program: Guarded) -> str:
    """Return how sure the key flow is of a twin, empty where it does not find it."""
    labels = {one.kind for one in said(program) if one.code in ("OLY104", "OLY108")}
    return next((label for label in ("certain", "likely") if label in labels), "")


def smallest(program: Guarded, kind: str, code: str) -> tuple[Guarded, list[Wrong]]:
    """Return a smaller correct program of which something of one kind is said, with that."""
    tiers = [tier for tier in TIERS if tier == kind]

    def of_kind(candidate: Guarded) -> list[Wrong]:
        if not ends(candidate.source) or not (tiers or any(one.kind == kind for one in said(candidate))):
            return []
        if not is_correct(candidate) or not enough(candidate):
            return []
        return [one for one in wrong(candidate, tiers) if one.kind == kind and one.code == code]

    small = made_small(program, lambda candidate: bool(of_kind(candidate)))
    return small, of_kind(small)


def made_small(program: Guarded, still: Callable[[Guarded], bool]) -> Guarded:
    """Return a program with fewer statements and simpler expressions of which ``still`` is true as well."""
    shrink: Any = shrunk  # asks for no more of a program than its source and its entries
    small: Guarded = shrink(program, still)
    return small


def enough(program: Guarded) -> bool:
    """Say whether all functions are called, and some executions come to an end: what is said means something then."""
    tree = ast.parse(program.source)
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    named |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)} - {"__init__", "main"}
    return defined <= named and any(not run.raised and run.events for run in runs(program))


# the command


class Tally:
    """Counts what is compared, and remembers what was shown."""

    def __init__(self) -> None:
        self.kinds = Counter[str]()
        self.shown = Counter[tuple[str, ...]]()
        self.twins: dict[str, Counter[str]] = {}
        self.false: dict[str, Counter[str]] = {}

    def by(self, table: dict[str, Counter[str]], program: Guarded, what: str) -> None:
        draft = program.draft
        names = {f"form: {' | '.join(draft.forms)}", *(f"shape: {name}" for name in draft.shape if name)}
        for name in sorted(names):
            table.setdefault(name, Counter())[what] += 1

    def rows(self, table: dict[str, Counter[str]]) -> list[tuple[str, Counter[str]]]:
        """Return a table by forms and then by shapes, with what is most frequent first."""
        return sorted(table.items(), key=lambda item: (item[0][:5], -item[1].total(), item[0]))


def compare(seed: str, tally: Tally, *, trace: bool, show: int) -> None:
    """Compare both programs of a seed, and print a small one for each new sort of failure."""
    right = correct(seed)
    tally.kinds["correct"] += 1
    mistakes = wrong(right, TIERS if trace else ())
    for kind in sorted({one.kind for one in mistakes}):
        tally.kinds[f"correct, {kind}"] += 1
        tally.by(tally.false, right, kind)
    for kind, code in sorted({(one.kind, one.code) for one in mistakes}):
        sort = (kind, code, right.draft.sort, *right.draft.forms)
        tally.shown[sort] += 1
        if tally.shown[sort] <= show:
            small, own = smallest(right, kind, code)
            print(f"\n# {seed} {kind} {right.draft.forms} {right.draft.shape}\n# {own[:2]}\n{small.source}", flush=True)
    wrong_one = twin(seed)
    tally.kinds["twins"] += 1
    label = found(wrong_one) or "missed"
    tally.kinds[f"twins, {label}"] += 1
    tally.by(tally.twins, wrong_one, label)
    if label == "missed":
        sort = ("missed", wrong_one.draft.sort, *wrong_one.draft.forms)
        tally.shown[sort] += 1
        if tally.shown[sort] <= show:
            small = made_small(wrong_one, lambda p: ends(p.source) and not found(p) and is_twin(p))
            print(f"\n# {seed} missed {wrong_one.draft.forms} {wrong_one.draft.shape}\n{small.source}", flush=True)
    if trace:
        done: list[Any] = [run for run in runs(wrong_one) if not run.odd and not run.raised]
        shown = confirmed(wrong_one, of_something(done))
        tally.kinds["twins, confirmed by a tier"] += bool(shown)
        for tier in {one.kind for one in shown}:
            tally.kinds[f"twins, confirmed ({tier})"] += 1


def main() -> int:
    """Print counts, and a small program for each sort of failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.generated.guarded", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("seed", type=int, nargs="?", default=0, help="the first one")
    parser.add_argument("--trace", action="store_true", help="ask the witness and the traced function as well")
    parser.add_argument("--show", type=int, default=1, help="programs shown of each sort of failure")
    given = parser.parse_args()
    began, tally = time.perf_counter(), Tally()
    for seed in range(given.seed, given.seed + given.count):
        try:
            compare(str(seed), tally, trace=given.trace, show=given.show)
        except Exception as error:
            tally.kinds["error"] += 1
            print(f"\n# {seed}: {error!r}", flush=True)
    print("\ntwins that are found (at least likely), and those of them that are certain:")
    for name, counts in tally.rows(tally.twins):
        share = counts["certain"] + counts["likely"]
        print(f"  {name:60} {share:5} of {counts.total():5}, {counts['certain']:5} certain")
    print("\ncorrect programs of which something is said:")
    for name, counts in tally.rows(tally.false):
        print(f"  {name:60} {', '.join(f'{count} {kind}' for kind, count in sorted(counts.items()))}")
    print()
    for name, count in sorted(tally.kinds.items()):
        print(f"{count:8} {name}")
    print(f"{time.perf_counter() - began:8.0f} s")
    bad = ("certain", "witness", "function", "error")
    return 1 if any(tally.kinds[f"correct, {kind}"] for kind in bad) or tally.kinds["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
