"""Trace a function with guessed arguments, however far that goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from olympus.trials.arguments import Argument, key, read_again
from olympus.trials.libraries import transformed
from olympus.trials.limits import limited
from olympus.trials.subject import Step
from olympus.verdicts.judge import Execution, Interruption
from olympus.witness.entry import advanced


class Absent(BaseException):
    """What an execution needs is not there, or not allowed; no exception that user code catches.

    Attributes:
        raised: how often that has happened.
    """

    raised = 0

    def __init__(self, what: str) -> None:
        super().__init__(what)
        Absent.raised += 1


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call with arguments.

    Attributes:
        step: what is called.
        arguments: the arguments by the names of parameters.
        positional: the parameters that are given by position.
    """

    step: Step
    arguments: Mapping[str, Argument]
    positional: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the call with its arguments, as evidence has it."""
        given = ", ".join(f"{name}={argument.text}" for name, argument in self.arguments.items())
        return f"{self.step.name}({given})"

    def inputs(self, path: str, *, typed: bool) -> Iterator[tuple[str, Any]]:
        """Return the inputs of the trace that it needs, by name."""
        for name, argument in self.arguments.items():
            yield from argument.inputs(f"{path}{name}", typed=typed)

    def made(self, before: Any, path: str, given: dict[str, Any]) -> Any:
        """Call, inside of the trace."""
        values = {name: argument.value(f"{path}{name}", given) for name, argument in self.arguments.items()}
        ahead = [values.pop(name) for name in self.positional if name in values]
        return self.step.pick(before)(*ahead, **values)


HAIKU = "hk.transform.rng"
"""The name of the key that haiku makes others from."""

TOGETHER = 3
"""How many guesses of all parameters are tried at once: several functions return pairs, several arrays are numbers."""

Name = tuple[int, str]
"""A parameter: the number of the call, and its name."""

Given = Sequence[Call]
"""The calls of an execution, in order; each picks its function out of the result of the one before."""


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """An execution with the calls that it made.

    Attributes:
        execution: what was traced.
        calls: the calls.
        result: what the last of them returned; ``None`` if one failed.
        typed: whether its keys are typed.
    """

    execution: Execution
    calls: Given
    result: Any
    typed: bool

    @property
    def error(self) -> str:
        """Return the error that ended it in one line; empty if there was none."""
        return " ".join(each.text for each in self.execution.interruptions)

    @property
    def text(self) -> str:
        """Return the calls as evidence has them."""
        return ", then ".join(call.text for call in self.calls) + ("" if self.typed else ", with raw keys")


def traced(calls: Given, *, typed: bool, seconds: float, haiku: bool = False) -> Traced:
    """Trace calls; an error ends the execution, and what was traced until then counts.

    Args:
        calls: the calls.
        typed: whether keys are typed; raw otherwise.
        seconds: after how much time to give up.
        haiku: whether to run them as haiku does.

    Raises:
        Expired: that much time was not enough to follow what was traced.
        RuntimeError: user code went on without what it needs.
    """
    import jax

    from olympus.lineage import failure, follow
    from olympus.tracing.jaxprs import trace

    named = list(zip(calls, ["", *(f"{call.step.name}." for call in calls[1:])], strict=True))
    results: list[Any] = []
    ended: list[BaseException] = []

    def run(**given: Any) -> None:
        def whole() -> Any:
            result = None
            for call, path in named:
                result = advanced(call.made(result, path, given))
            return result

        try:
            results.append(transformed(whole, given[HAIKU]) if haiku else whole())
        except BaseException as error:  # SystemExit is as good as any other reason not to come further
            ended.append(error)

    inputs = {name: aval for call, path in named for name, aval in call.inputs(path, typed=typed)}
    if haiku:
        inputs |= dict(key().inputs(HAIKU, typed=typed))
    before = Absent.raised
    with limited(seconds), jax.check_tracer_leaks(False):  # results and the frames of errors may keep tracers
        lineage = follow(trace(run, **inputs))
    if Absent.raised > before and not any(isinstance(each, Absent) for each in ended):
        raise RuntimeError("an `except` without a type has caught that something is absent")
    failures = tuple(found for found in map(failure, ended) if found is not None)
    computed = {
        name
        for call, path in named
        for parameter, argument in call.arguments.items()
        for name in read_again(argument, f"{path}{parameter}")
    }
    execution = Execution(lineage, failures, tuple(map(Interruption.of, ended)), computed=frozenset(computed))
    return Traced(execution, calls, results[0] if results else None, typed)


def variations(guesses: Mapping[Name, Sequence[Argument]]) -> Iterator[dict[Name, Argument]]:
    """Return arguments: the likeliest of all parameters, then the next of all but keys, then one or two varied."""
    first = {name: some[0] for name, some in guesses.items()}
    yield first
    longest = max((len(some) for some in guesses.values()), default=0)
    for index in range(1, min(longest, TOGETHER)):
        yield {name: some[0 if some[0] == key() else min(index, len(some) - 1)] for name, some in guesses.items()}
    singles = [
        (name, guesses[name][index]) for index in range(1, longest) for name in guesses if index < len(guesses[name])
    ]
    for name, argument in singles:
        yield first | {name: argument}
    for one, other in combinations(singles, 2):
        if one[0] != other[0]:
            yield first | dict([one, other])
