"""Search for arguments with which a function reaches the places of findings, and judge what it does there."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from types import CodeType
from typing import Any

from olympus.trials.arguments import Argument, of_spec
from olympus.trials.examples import example
from olympus.trials.execution import Absent, Call, Given, Name, Traced, traced, variations
from olympus.trials.guesses import Guesser, parameters_of
from olympus.trials.libraries import haiku_wants
from olympus.trials.limits import Expired, limited, time_left
from olympus.trials.modules import first_line
from olympus.trials.specs import spec
from olympus.trials.subject import Step, Unfit, closures
from olympus.trials.uses import uses_of
from olympus.verdicts.judge import RANK, WORDS, judge
from olympus.verdicts.question import Question, Verdict
from olympus.verdicts.reasons import Reason

MOST = 24  # executions of one function
SECONDS = 90.0  # for one function, should the number of executions not bound it
SECONDS_EACH = 30.0
MOST_INSIDE = 7  # for one closure, which is called with other arguments when it is made with others
ENTRIES = 3  # times that a closure is called so
DEEPEST = 4  # calls on the way into closures

Hints = Mapping[str, Mapping[str, Any]]
"""The name of a function to ``{"args": …}``, as the settings have it."""


class Search:
    """The executions of one function, and the verdicts on the findings in it."""

    def __init__(self, namespace: Mapping[str, Any], questions: Sequence[Question], hints: Hints) -> None:
        """Prepare.

        Args:
            namespace: that of the module.
            questions: the findings.
            hints: arguments by the names of functions in the module.
        """
        self.namespace, self.questions, self.hints = namespace, questions, hints
        self.best: list[Verdict | None] = [None] * len(questions)
        self.left = MOST
        self.until = time.monotonic() + min(SECONDS, 0.8 * time_left())
        self.entered: Counter[CodeType] = Counter()
        self.haiku = False
        self.raw = any(question.code in WORDS for question in questions)

    def verdicts(self, steps: Sequence[Step]) -> list[Verdict]:
        """Execute a function with as many variations as the limits allow, and return the verdicts.

        Raises:
            Unfit: its parameters are not known, or a hint is wrong.
        """
        self.explore((), steps)
        none = Verdict("not reached", "function", Reason.NO_TIME)
        found = [verdict or none for verdict in self.best]
        if time.monotonic() <= self.until or self.left <= 0:
            return found
        struck = Reason.MOST.of("the time for one function")
        late = [Verdict("inconclusive", "function", struck, verdict.evidence) for verdict in found]
        return [new if verdict.status == "refuted" else verdict for verdict, new in zip(found, late, strict=True)]

    @property
    def over(self) -> bool:
        """Return whether more executions cannot change a verdict, or exceed the limit."""
        done = all(verdict is not None and verdict.status == "confirmed" for verdict in self.best)
        return done or self.left <= 0 or time.monotonic() > self.until

    def explore(self, before: Given, steps: Sequence[Step], most: int = MOST) -> None:
        """Execute calls after others, with varied arguments.

        Args:
            before: the first calls, with their arguments.
            steps: the calls whose arguments are varied.
            most: how many variations to try.

        Raises:
            Unfit: the parameters of a function are not known, or a hint is wrong.
        """
        parameters = [self.parameters(step) for step in steps]
        guesses: dict[Name, Sequence[Argument]] = {}
        for number, (step, own) in enumerate(zip(steps, parameters, strict=True)):
            guesses |= {(number, name): some for name, some in self.guesses(step, own).items()}
        for varied in islice(variations(guesses), most):
            if self.over:
                return
            calls = list(before)
            for number, (step, own) in enumerate(zip(steps, parameters, strict=True)):
                given = {name: argument for (of, name), argument in varied.items() if of == number}
                ahead = tuple(each.name for each in own if each.kind is each.POSITIONAL_ONLY)
                calls.append(Call(step, given, ahead))
            done = self.execute(calls, typed=True)
            if done is not None and done.result is not None:
                self.enter(done)

    def parameters(self, step: Step) -> list[inspect.Parameter]:
        """Return the parameters of a call that get arguments."""
        try:
            found = parameters_of(step.signature)
        except (TypeError, ValueError) as error:
            raise Unfit(f"the parameters of {step.name} are not known: {first_line(error)}") from error
        return found[1:] if step.bound else found

    def guesses(self, step: Step, parameters: Sequence[inspect.Parameter]) -> dict[str, list[Argument]]:
        """Return the guesses for each parameter, or the arguments of a hint."""
        given = hinted(self.hints.get(step.name, {}), parameters, step.name)
        guesser = Guesser(self.namespace, uses_of(step.signature))
        shown = self.example(step, parameters)
        found: dict[str, list[Argument]] = {}
        for parameter in parameters:
            if parameter.name in given:
                found[parameter.name] = [given[parameter.name]]
                continue
            try:
                some = guesser.guesses(parameter)
            except Exception as error:  # annotations and defaults are objects of the user, whose methods may raise
                raise Unfit(
                    f"nothing can be guessed for {parameter.name} of {step.name}: {first_line(error)}"
                ) from error
            if parameter.name in shown:
                some = [shown[parameter.name], *some]
            if some:
                found[parameter.name] = some
        found |= {name: [argument] for name, argument in step.besides.items()}
        found |= {name: [argument] for name, argument in given.items() if name not in found}
        return found

    def example(self, step: Step, parameters: Sequence[inspect.Parameter]) -> dict[str, Argument]:
        """Return the arguments of the example in the function's docstring."""
        try:
            with limited(min(SECONDS_EACH, self.until - time.monotonic())):
                return example(step.signature, step.name.rpartition(".")[2], parameters, self.namespace)
        except (Absent, Expired):
            return {}

    def execute(self, calls: Given, *, typed: bool) -> Traced | None:
        """Execute calls with one kind of keys, or with both if that decides more; judge the findings."""
        self.left -= 1
        try:
            seconds = min(SECONDS_EACH, self.until - time.monotonic())
            done = traced(calls, typed=typed, seconds=seconds, haiku=self.haiku)
        except Expired:
            self.note(Verdict("not reached", "function", Reason.SLOW))
            return None
        except Exception as error:  # the trace itself may fail on what the function returns or keeps
            self.note(Verdict("not reached", "function", Reason.UNTRACED.of(type(error).__name__)))
            return None
        if haiku_wants(done.error) and not self.haiku:
            self.haiku = True
            return self.execute(calls, typed=typed)
        self.learn(done)
        failed = bool(done.execution.failures or "key<" in done.error)
        if typed and (self.raw or failed) and not self.over:
            raw = self.execute(calls, typed=False)
            return raw if failed else done
        return done

    def learn(self, done: Traced) -> None:
        """Judge the findings by an execution."""
        for index, question in enumerate(self.questions):
            verdict = judge(question, [done.execution], "function")
            best = self.best[index]
            if best is None or RANK[verdict.status] > RANK[best.status]:
                evidence = (*verdict.evidence, f"traced: {done.text}")
                self.best[index] = Verdict(verdict.status, verdict.tier, verdict.reason, evidence)

    def note(self, verdict: Verdict) -> None:
        """Keep a reason for the findings without a verdict."""
        self.best = [best or verdict for best in self.best]

    def enter(self, done: Traced) -> None:
        """Call the functions in a result that contain places which were not reached."""
        if len(done.calls) >= DEEPEST:
            return
        lines: dict[str, set[int]] = {}
        for question, verdict in zip(self.questions, self.best, strict=True):
            if verdict is None or verdict.status == "not reached":
                lines.setdefault(question.place.file, set()).add(question.place.line)
        for file, wanted in lines.items():
            try:
                inner = closures(done.result, wanted, file)
            except Exception:  # objects of the user may raise when their parts are read
                continue
            for pick, function, code in inner:
                if self.entered[code] == ENTRIES:
                    continue
                self.entered[code] += 1
                name = f"{done.calls[-1].step.name}.<locals>.{getattr(function, '__name__', 'function')}"
                try:
                    self.explore(done.calls, [Step(pick, function, name)], MOST_INSIDE)
                except Unfit:
                    continue


def hinted(hint: Mapping[str, Any], parameters: Sequence[inspect.Parameter], function: str) -> dict[str, Argument]:
    """Return the arguments of a hint by parameter.

    Raises:
        Unfit: it does not fit the function.
    """
    args: list[str] | dict[str, str] = hint.get("args", [])
    names = [each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    if isinstance(args, list):
        if len(args) > len(names):
            raise Unfit(f"the settings give {function} {len(args)} arguments, and it has {len(names)} parameters")
        args = dict(zip(names, args, strict=False))
    rest = any(each.kind is each.VAR_KEYWORD for each in parameters)
    unknown = [name for name in args if name not in names]
    if unknown and not rest:
        raise Unfit(f"the settings give {function} an argument {unknown[0]}, and it has no such parameter")
    try:
        return {name: of_spec(spec(text)) for name, text in args.items()}
    except ValueError as error:
        raise Unfit(f"the settings give {function} an argument that cannot be read: {error}") from error
