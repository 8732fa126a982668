"""A short run of the reliability benchmark, and the page that states what it holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reliability import check_all, check_kills, mutants

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests/benchmarks/guarded").rglob("*.py"), key=lambda path: path.stat().st_size)[:6]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mutants_of_real_files(path: Path) -> None:
    made = ((f"/nowhere/{path.name}", each) for each in mutants(path.read_bytes(), seed=1, number=25))
    outcome = check_all(made)
    assert outcome.counts["inputs"] == 25 and outcome.failures == []


def test_mutants_differ() -> None:
    text = FILES[0].read_bytes()
    made = [*mutants(text, seed=1, number=50)]
    assert made == [*mutants(text, seed=1, number=50)] and len({*made, text}) > 40


@pytest.mark.search
def test_kills_do_no_harm() -> None:
    assert check_kills(6, seed=1) == 0


def test_the_page_names_tests_that_exist() -> None:
    page = (ROOT / "docs/reliability.md").read_text()
    named = re.findall(r"`(tests/[\w/.]+)`", page)
    assert len(named) > 8 and all((ROOT / each).exists() for each in named)
