"""What a witness says does not depend on the order of the questions, nor on how busy the machine is."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from marked import read

pytest.importorskip("jax", reason="a witness is traced with JAX")

from olympus.verdicts import Place, Question
from olympus.witness.answer import answer
from olympus.witness.execution import Target

FUNCTION = """
MADE{number} = []
def f{number}(key, x, xs, state):
    MADE{number}.append(x)
    if x == {number}:
        a = «1 jax.random.normal(key)»
    if x is None or x > {number}:
        raise ValueError(x)
    for each in xs:
        state.step(each)
        if each.startswith("a"):
            key, sub = jax.random.split(key)
            b = jax.random.normal(state.key)
    if len(MADE{number}) < 3:
        b = x
    return a + b + «2 jax.random.normal(key)»
"""


def spin() -> None:
    while True:
        pass


@contextmanager
def busy() -> Iterator[None]:
    """Keep each core busy with something else."""
    own = [multiprocessing.get_context("spawn").Process(target=spin, daemon=True) for _ in range(os.cpu_count() or 1)]
    for each in own:
        each.start()
    try:
        yield
    finally:
        for each in own:
            each.kill()


def questions(file: Path) -> list[Question]:
    """Write functions to a file, and return questions about them."""
    asked, text = [], "import jax\n"
    for number in range(2):
        before = text.count("\n")
        program = read(FUNCTION.format(number=number))
        text += program.text
        for code in ("OLY104", "OLY108", "OLY101"):
            first, second = (
                Place(str(file), line + before, column, end + before, last)
                for line, column, end, last in (program.places[mark] for mark in "12")
            )
            asked.append(Question(code, second, None if code == "OLY101" else first, certain=True))
    file.write_text(text, "utf-8")
    return asked


def said(file: Path, asked: list[Question]) -> list[str]:
    """Return what is said of questions."""
    found = answer(Target(str(file), file.read_text("utf-8"), file.stem, ""), asked)
    return [json.dumps(verdict.to_json()) for verdict in found]


@pytest.mark.search
def test_the_order_of_questions_does_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    asked = questions(file)
    first = said(file, asked)
    order = list(range(len(asked)))
    random.Random(0).shuffle(order)
    second = said(file, [asked[index] for index in order])
    assert [first[index] for index in order] == second


@pytest.mark.search
def test_it_does_not_matter_what_else_is_computed(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    asked = questions(file)
    first = said(file, asked)
    with busy():
        assert said(file, asked) == first
