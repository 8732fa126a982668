"""The key flow, the lineage, the recorder, the judge and the witness agree on random programs.

``OLYMPUS_ENGINES`` sets how many programs a search tries; ``python -m tests.generated.engines`` tries as many as it is
told and shows a small program for each sort of disagreement.
"""

from __future__ import annotations

import ast
import os
import textwrap
from collections import Counter
from random import Random
from typing import Any

import pytest
from searches import numbers

pytest.importorskip("jax", "0.9", reason="the recorder needs calls of compiled functions that go through Python")

from olympus.lineage import ledger
from olympus.recording import Recorder
from olympus.verdicts import Verdict, judge

from . import agreement
from .engines import differences, smallest
from .gaps import KNOWN, Known
from .programs import Layer, Program, write
from .reference import TooMany, Truth, Unreached

COUNT = int(os.environ.get("OLYMPUS_ENGINES", "36"))
FEW = 18  # in each run


def program(body: str) -> Program:
    """Return a program of some functions; ``main`` has a key, and flags whose names are letters."""
    source = "import jax\n\n\n" + textwrap.dedent(body).lstrip("\n")
    (main,) = [node for node in ast.parse(source).body if getattr(node, "name", "") == "main"]
    assert isinstance(main, ast.FunctionDef)
    kinds: list[Any] = ["key" if each.arg == "key" else "flag" for each in main.args.args]
    return Program(source, Layer.TRANSFORMS, {"main": kinds})


@pytest.mark.parametrize("seeds", numbers(FEW // len(Layer), COUNT // len(Layer), parts=1), ids=str)
@pytest.mark.parametrize("layer", Layer, ids=lambda layer: layer.name.lower())
def test_engines_agree(layer: Layer, seeds: range) -> None:
    count = len(seeds)
    tally = Counter[str]()
    for number in seeds:
        written, typed = write(Random(f"{layer.name} {number}"), layer), number % 2 == 0
        try:
            found = differences(written, typed=typed, tally=tally)
        except (TooMany, Unreached):
            continue
        for one in found[:1]:
            small, own = smallest(written, (one.engine, one.kind), typed=typed)
            pytest.fail(f"{layer.name} {number}: {own}\n\n{small.source}", pytrace=False)
    assert tally["programs"] > 0.8 * count
    assert tally["programs of which all mistakes are in the executions"] > 0.8 * count
    assert tally["judge, true ones confirmed"] > count / 4 and tally["witness, true ones confirmed"] > count / 4
    assert tally["judge, false ones refuted"] > count / 4 and tally["witness, false ones refuted"] > count / 4


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.reason)
def test_known_disagreements_are_still_there(known: Known) -> None:
    """One that has been mended is to be taken from the list."""
    tally = Counter[str]()
    assert differences(program(known.example), engines=frozenset([known.engine]), tally=tally) == []
    assert tally[f"known: {known.reason}"]


REUSE = """
    def main(key):
        jax.random.normal(key)
        jax.random.uniform(key)
"""


@pytest.mark.parametrize(
    ("engine", "owner", "name", "replacement", "kind"),
    [
        ("lineage", ledger.Ledger, "report", lambda *_: None, "missed reuse"),
        ("recorder", Recorder, "repeat", lambda *_: None, "missed reuse"),
        ("judge", judge, "at", lambda *_: False, "not reached OLY104"),
        ("keyflow", agreement, "evaluate", lambda *_: Truth(), "false OLY104"),
    ],
)
def test_an_engine_that_goes_wrong_is_noticed(
    engine: str, owner: Any, name: str, replacement: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert differences(program(REUSE)) == []
    monkeypatch.setattr(owner, name, replacement)
    found = differences(program(REUSE), engines=frozenset([engine]))
    assert [(one.engine, one.kind) for one in found] == [(engine, kind)]


def test_a_finding_that_is_refuted_wrongly_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "olympus.witness.answer.answer", lambda _, asked: [Verdict("refuted", "witness", "no")] * len(asked)
    )
    found = differences(program(REUSE), engines=frozenset(["witness"]))
    assert [one.kind for one in found] == ["refuted OLY104"]
