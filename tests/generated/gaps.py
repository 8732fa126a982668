"""What is left out of the comparison of the engines, and why; and the disagreements whose causes are known.

Besides these, two notions of the comparison itself leave something out:

- the recorder tells keys by their words, and says ``collision`` of each key that was derived in two ways;
- to the recorder a call of a compiled function, such as a loop of ``jax.lax``, is one event: it does not know which
  branch of a ``cond`` was taken (:func:`~tests.generated.expected.branches`), which keys are derived inside
  (:func:`~tests.generated.expected.either`), so that one which is consumed there as well meets none that is derived
  outside (:func:`~tests.generated.expected.of_recorder`), or that a split there repeats another one, and what comes
  out of a call that has consumed a key again has begun anew (:func:`~tests.generated.expected.lost`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

from olympus.verdicts import Question
from olympus_rules.keyflow.interpret import control

from . import reference
from .agreement import disagreements
from .programs import Program
from .questions import of_nothing
from .reference import Recorder, executions

__all__ = ["EXCLUSIONS", "KNOWN", "REFUSAL", "Exclusion", "Known"]


@dataclass(frozen=True)
class Exclusion:
    """Executions that the engines do not model.

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


REFUSAL = "body function carry input and carry output must have equal types"  # a typed key and a raw one


@dataclass(frozen=True)
class Known:
    """A disagreement whose cause is known.

    Attributes:
        engine: the engine that the reference does not agree with.
        reason: the cause.
        example: the smallest program.
        applies: says so of a program with these executions, and of what the witness was asked.
    """

    engine: str
    reason: str
    example: str
    applies: Callable[[Program, list[Recorder], Question | None], bool]


def reads_two_objects(program: Program, runs: list[Recorder], question: Question | None) -> bool:
    """Say whether an inner function reads keys of two objects from around it."""
    tree = ast.parse(program.source)
    outer = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    inner = [
        each for node in outer for each in ast.walk(node) if isinstance(each, ast.FunctionDef) and each is not node
    ]
    reads = [
        {ast.unparse(each.value) for each in ast.walk(node) if isinstance(each, ast.Attribute) and each.attr == "key"}
        for node in inner
    ]
    return any(len({name for name in names if name.isidentifier()}) > 1 for names in reads)


def needs_more_turns(program: Program, runs: list[Recorder], question: Question | None) -> bool:
    """Say whether the key flow agrees as soon as it runs loops in loops for two turns each time."""
    with mock.patch.object(control, "INNER_ROUNDS", 2):
        return not disagreements(program)


def goes_on_early(program: Program, runs: list[Recorder], question: Question | None) -> bool:
    """Say whether nothing but the first place of a finding is another one, and turns are ended by ``continue``."""
    found = disagreements(program)
    has_continue = any(isinstance(node, ast.Continue) for node in ast.walk(ast.parse(program.source)))
    return has_continue and all(each.kind == "first" for each in found)


def takes_more_turns(program: Program, runs: list[Recorder], question: Question | None) -> bool:
    """Say whether two places get one key if loops run more turns than the reference tries."""
    with mock.patch.object(reference, "COUNTS", [0, 1, 3]):
        more = list(executions(program.source, program.entries))
    return question in of_nothing(runs, some=None) and question not in of_nothing(more, some=None)


KNOWN = [
    Known(
        "keyflow",
        "two objects from around a function are two to the key flow, which flags the call, and one to the reference",
        """
        class Stream:
            def __init__(self, key):
                self.key = key


        def main(key):
            one = Stream(key)
            two = Stream(key)

            def inner():
                jax.random.normal(one.key)
                return jax.random.uniform(two.key)

            inner()
        """,
        reads_two_objects,
    ),
    Known(
        "keyflow",
        "two turns of a loop, in each of two turns of the loop around it, are more than the key flow runs",
        """
        def main(key):
            for _ in range(int(input())):
                one = jax.random.split(key)[1]
                for _ in range(int(input())):
                    jax.random.normal(jax.random.fold_in(one, 7))
                    one = jax.random.fold_in(key, 11)
        """,
        needs_more_turns,
    ),
    Known(
        "keyflow",
        "a turn that ends by `continue` under two conditions: that the key is another one then is forgotten",
        """
        def main(key, p, r):
            for _ in range(3):
                if p:
                    jax.random.normal(key)
                for _ in range(2):
                    if not r:
                        one, two = jax.random.split(key)
                        if p:
                            key = one
                            continue
        """,
        goes_on_early,
    ),
    Known(
        "witness",
        "a collision that takes three turns of a loop, of which the reference tries two",
        """
        def main(key):
            count = int(input())
            while count > 0:
                count -= 1
                for number in range(3):
                    lanes = jax.random.split(jax.random.fold_in(key, number))
                    jax.random.fold_in(lanes[0], 2)
                key, one = jax.random.split(key)
        """,
        takes_more_turns,
    ),
]
