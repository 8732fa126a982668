"""Two guarded uses of one key: nothing certain is said of programs without a mistake, and their twins are found.

``OLYMPUS_GUARDED`` sets how many seeds a search tries; ``python -m tests.generated.guarded`` tries as many as it is
told and shows a small program for each sort of failure.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from searches import numbers

from . import guarded
from .guarded import SORTS_OF_STATE, Guarded, correct, found, is_correct, is_twin, runs, said, smallest, twin, wrong
from .guards import SORTS, Condition, exclusive
from .shapes import Draft

COUNT = int(os.environ.get("OLYMPUS_GUARDED", "100"))
TRACED = int(os.environ.get("OLYMPUS_GUARDED_TRACED", "8"))
FEW = 40  # in each run
FEW_TRACED = 2
FOUND = 0.95  # of the twins


@pytest.mark.parametrize("seeds", numbers(FEW, COUNT), ids=str)
def test_nothing_certain_is_said_of_a_correct_program(seeds: range) -> None:
    for number in seeds:
        program = correct(str(number))
        for one in wrong(program):
            if one.kind in ("certain", "error"):
                small, own = smallest(program, one.kind, one.code)
                pytest.fail(f"{number}: {own}\n\n{small.source}", pytrace=False)


@pytest.mark.parametrize("seeds", numbers(FEW, COUNT), ids=str)
def test_twins_are_found(seeds: range) -> None:
    missed = [program for program in (twin(str(number)) for number in seeds) if not found(program)]
    assert len(missed) <= (1 - FOUND) * len(seeds), "\n\n".join(program.source for program in missed)


@pytest.mark.parametrize("seeds", numbers(FEW_TRACED, TRACED), ids=str)
def test_no_tier_confirms_anything_of_a_correct_program(seeds: range) -> None:
    pytest.importorskip("jax", reason="a program is traced with JAX")
    for number in seeds:
        program = correct(str(number))
        confirmed = [one for one in wrong(program, guarded.TIERS) if one.kind in guarded.TIERS]
        assert confirmed == [], program.source


def test_conditions_are_those_of_the_inputs() -> None:
    """What excludes what is found out by evaluation; these are plain to see."""

    def of(name: str, one: str, other: str) -> bool | None:
        return exclusive(name, Condition(one, ()), Condition(other, ()))

    assert of("type", "isinstance({x}, int)", "isinstance({x}, str)") is True
    assert of("type", "isinstance({x}, int)", "isinstance({x}, bool)") is False
    assert of("number", "0 < {x} < 3", "{x} >= 3") is True
    assert of("number", "{x} > 2", "{x} < 3") is False
    assert of("number", "{x} > 0", "{x} > 99") is None  # no input is larger
    assert of("number", "not {x} < 3", "not {x} >= 3") is None  # but for nan
    assert of("class", "isinstance({x}, Square)", "isinstance({x}, Letter)") is None  # but for a class of both
    assert of("flag", "{x}", "{x} is False") is True
    assert of("flag", "not {x}", "{x} is None") is False


def program(body: str, *arguments: str) -> Guarded:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"import jax\n\n\ndef main(key, x):\n{lines}"
    return Guarded(source, Draft(source, arguments, (), ()))


def test_correctness_is_found_out_by_execution() -> None:
    right = program("if x:\n    jax.random.normal(key)\nif not x:\n    jax.random.normal(key)", "True", "False")
    assert is_correct(right) and not is_twin(right)
    unreached = program("if x:\n    jax.random.normal(key)\nif not x:\n    jax.random.normal(key)", "True")
    assert not is_correct(unreached) and not is_twin(unreached)
    wrong_one = program("if x:\n    jax.random.normal(key)\njax.random.normal(key)", "True", "False")
    assert not is_correct(wrong_one) and is_twin(wrong_one)
    raises = program("jax.random.normal(key)\nx + 1\njax.random.normal(key)\nx.y", "None", "1")
    assert not is_correct(raises) and not is_twin(raises)


def test_programs_are_of_all_sorts() -> None:
    sorts, shapes = Counter[str](), Counter[str]()
    for number in range(150):
        for each in (correct(str(number)), twin(str(number))):
            sorts[each.draft.sort] += 1
            shapes.update(each.draft.shape)
            assert any(not run.raised for run in runs(each)), each.source
    assert set(sorts) == {*SORTS, SORTS_OF_STATE}
    assert len(shapes) > 60


def test_a_key_flow_that_takes_no_notice_of_guards_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would be worth nothing if it let such a one pass."""
    right = correct("0")
    monkeypatch.setattr(guarded, "said", lambda _: said(twin("0")))
    assert {one.kind for one in wrong(right)} & {"certain", "likely"}
