"""A short search for input that a reader cannot bear; `fuzz.py` searches longer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fuzz import limited
from hostile import FORMS, variant
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import randoms
from readers import TARGETS, Target

FEW = {"server": 20, "command": 60, "cache file": 60, "comments": 80, "markdown": 80}
"""Variants of the targets that take longest."""


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    return TARGETS[request.param](tmp_path)


def test_valid_files_are_read(target: Target) -> None:
    assert target.form in FORMS and target.seeds
    for data in target.seeds:
        target.read(data)


def test_variants_differ(target: Target) -> None:
    made = [variant(target.seeds, target.form, random.Random(number)) for number in range(20)]
    assert made == [variant(target.seeds, target.form, random.Random(number)) for number in range(20)]
    assert len({*made} - {*target.seeds}) > 14


@pytest.mark.search
@pytest.mark.parametrize("name", TARGETS)
def test_variants_break_no_promise(name: str, tmp_path: Path) -> None:
    target = TARGETS[name](tmp_path)

    @settings(max_examples=FEW.get(name, 100), deadline=None, suppress_health_check=[*HealthCheck])
    @given(randoms(use_true_random=False))
    def law(drawing: random.Random) -> None:
        with limited():
            target.read(variant(target.seeds, target.form, drawing))

    law()
