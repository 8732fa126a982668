"""The key flow and the reference agree on random programs, and the reference and JAX on what keys are equal.

``OLYMPUS_PROGRAMS`` sets how many programs a search tries; ``python -m tests.generated`` tries as many as it is told
and shows a small program for each sort of disagreement.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings, target
from searches import numbers

from .agreement import disagreements, shrunk
from .programs import Layer, Program, programs, write
from .reference import Recorder, TooMany, Unreached, evaluate, execute

COUNT = int(os.environ.get("OLYMPUS_PROGRAMS", "480"))
FEW = 180  # in each run


@pytest.mark.parametrize("seeds", numbers(FEW // len(Layer), COUNT // len(Layer), parts=2), ids=str)
@pytest.mark.parametrize("layer", Layer, ids=lambda layer: layer.name.lower())
def test_agreement(layer: Layer, seeds: range) -> None:
    compared = 0
    for number in seeds:
        program = write(Random(f"{layer.name} {number}"), layer)
        try:
            found = disagreements(program)
        except (TooMany, Unreached):
            continue
        compared += 1
        if found:
            small = shrunk(program, lambda p: bool(disagreements(p)))
            pytest.fail(f"{layer.name} {number}: {disagreements(small)}\n\n{small.source}", pytrace=False)
    assert compared > 0.9 * len(seeds)


@pytest.mark.parametrize("examples", [4, pytest.param(12, marks=pytest.mark.search)])
@pytest.mark.parametrize("layer", Layer, ids=lambda layer: layer.name.lower())
def test_agreement_of_hypothesis(layer: Layer, examples: int) -> None:
    """Looks for programs in which much is reused, and shrinks what it finds."""

    @settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(programs(layer))
    def agree(program: Program) -> None:
        try:
            truth = evaluate(program.source, program.entries)
        except (TooMany, Unreached):
            assume(False)
        target(float(len(truth.reuses) + len(truth.collisions)))
        assert disagreements(program) == [], program.source

    agree()


def truth_of(body: str, *kinds: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return the reuses and collisions of a function whose body starts in the second row."""
    parameters = ", ".join(["key", "p", "q"][: len(kinds)])
    source = f"def main({parameters}):\n    from jax import random\n" + "".join(
        f"    {line}\n" for line in body.splitlines()
    )
    truth = evaluate(source, {"main": list(kinds)})
    return truth.reuses, truth.collisions


def test_reference_on_known_programs() -> None:
    """The reference itself, on programs whose answer is plain to see."""
    assert truth_of("random.normal(key)\nrandom.uniform(key)", "key") == ({(4, 5): {(3, 5)}}, {})
    assert truth_of("a, b = random.split(key)\nrandom.normal(a), random.normal(b)", "key") == ({}, {})
    assert truth_of("if p:\n    random.normal(key)\nif not p:\n    random.normal(key)", "key", "flag") == ({}, {})
    assert truth_of("if p:\n    random.normal(key)\nrandom.normal(key)", "key", "flag") == ({(5, 5): {(4, 9)}}, {})
    assert truth_of("for _ in range(3):\n    random.normal(key)", "key") == ({(4, 9): {(4, 9)}}, {})
    assert truth_of("random.bits(random.fold_in(key, 1))\nrandom.fold_in(key, 1)", "key") == ({}, {(4, 5): {(3, 17)}})
    assert truth_of("random.split(key)\nrandom.fold_in(key, 1)", "key") == ({}, {(4, 5): {(3, 5)}})
    assert truth_of("random.split(key)\nrandom.fold_in(key, 2)", "key") == ({}, {})
    assert truth_of("random.split(key)\nrandom.split(key, 3)", "key") == ({}, {(4, 5): {(3, 5)}})
    assert truth_of("random.normal(key)\nrandom.normal(random.clone(key))", "key") == ({}, {})
    handed = "def inner(a, b):\n    random.normal(a)\n    random.normal(b)\ninner(key, key)"
    assert truth_of(handed, "key") == ({(6, 5): {(6, 5)}}, {})


def test_programs_have_something_to_find() -> None:
    """A comparison of nothing with nothing would always agree."""
    count = 20
    for layer in Layer:
        reuses, collisions = 0, 0
        for number in range(count):
            program = write(Random(f"{layer.name} {number}"), layer)
            try:
                truth = evaluate(program.source, program.entries)
            except (TooMany, Unreached):
                continue
            reuses += bool(truth.reuses)
            collisions += bool(truth.collisions)
        assert 0.3 * count < reuses < count and collisions > 0.05 * count, layer


def words_in_order(source: str, arguments: list[Any], answers: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Run ``main`` under JAX and return the words of each key that is consumed, in order."""
    import jax

    seen: list[tuple[int, ...]] = []

    def watched(function: Any) -> Any:
        def call(key: Any, *rest: Any) -> Any:
            data = jax.random.key_data(key) if jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key) else key
            seen.extend(tuple(row) for row in data.reshape(-1, data.shape[-1]).tolist())
            return function(key, *rest)

        return call

    given_answers = iter(answers)
    with pytest.MonkeyPatch.context() as patch, jax.disable_jit():
        for name in ("split", "normal", "uniform", "gumbel", "exponential", "bits"):
            patch.setattr(jax.random, name, watched(getattr(jax.random, name)))
        scope: dict[str, Any] = {"__name__": "program", "input": lambda: str(next(given_answers, 0))}
        exec(compile(source, "<program>", "exec"), scope)
        scope["main"](jax.random.key(123456), *arguments)
    return seen


def consumed(recorder: Recorder) -> list[tuple[Any, ...]]:
    """Return the stream of each key that is consumed, in order."""
    return [key.stream for event in recorder.events if hasattr(event, "keys") for key in event.keys]


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.search) for part in (1, 2))])
@pytest.mark.parametrize("layer", Layer, ids=lambda layer: layer.name.lower())
def test_identities_are_those_of_jax(layer: Layer, part: int) -> None:
    """Two consumed keys have equal words under JAX exactly when the reference takes them for one stream."""
    pytest.importorskip("jax", reason="JAX is not installed, so that there is nothing to compare with")
    checked = 0
    for number in range(part * 20, part * 20 + 20):
        program = write(Random(f"{layer.name} {number}"), layer)
        if "vmap" in program.source:  # the sampler is traced there, and no words can be read
            continue
        arguments = [number % 2 == 0 for _ in program.entries["main"][1:]]
        answers = (2, 1, 2)
        main = [execute(program.source, "main", [key_of_main(), *arguments], answers)]
        streams = consumed(main[0])
        words = words_in_order(program.source, arguments, answers)
        assert len(words) == len(streams), program.source
        for i in range(len(words)):
            for j in range(i):
                assert (words[i] == words[j]) == (streams[i] == streams[j]), program.source
        checked += 1
        if checked == 3:
            return
    assert checked


def key_of_main() -> Any:
    from .reference import values

    return values("key", ())[0]
