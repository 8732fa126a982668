"""The way of a key to its two uses, in the reports."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.one_file import check_bytes

LONG = """\
import jax


def make(key):
    a, b = jax.random.split(key)
    return a, b


def main(seed):
    key = jax.random.key(seed)
    key, sub = jax.random.split(key)
    _, third = make(jax.random.fold_in(sub, 3))
    x = jax.random.normal(third)
    return x, jax.random.uniform(third)
"""
TREE = """\
lineage:
    jax.random.key(seed), line 10
    └─ split, line 11 → sub
       └─ fold_in 3, line 12 → a key
          └─ make, line 12 → third  ✗ reuse
             ├─ ✗ first, line 13 → jax.random.normal
             └─ ✗ again, line 14 → jax.random.uniform
"""


def way(body: str) -> list[tuple[str, str, int]]:
    """Return the labels of the steps, what makes them, and their rows."""
    result, _ = check_bytes("a.py", f"import jax\n\n\n{body}".encode(), Settings())
    (finding,) = (each for each in result.findings if each.code == "OLY104")
    return [(step.label, step.how, step.row) for step in finding.lineage]


def test_a_long_way_is_a_tree_below_the_code(project: Path, run):
    Path("a.py").write_text(LONG)
    for _ in ("checked", "from the cache"):
        assert TREE in run("a.py").out


def test_a_page_has_a_picture_of_it_without_a_library(project: Path, run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    for name in ("a.py", "b.py"):
        Path(name).write_text(LONG)
    page = run("--no-cache", "--output-format", "html", ".").out
    assert page.count("<svg ") == page.count('aria-label="Key lineage of ') == 2
    assert page.count("font-family: ui-monospace, SFMono-Regular") == 1 and "lineage:" not in page
    for shown in ("jax.random.key(seed)", "fold_in 3, line 12", "✗ reuse", "jax.random.uniform"):
        assert len(re.findall(rf">(✗ )?{re.escape(shown)}[^<]*</text>", page)) == 2, shown


def test_a_report_of_reports_has_the_way(project: Path, run):
    Path("a.py").write_text(LONG)
    run("--output-format", "json", "-o", "a.json", "a.py")
    (told,) = json.loads(Path("a.json").read_text())
    assert told["lineage"][1] == {"kind": "key", "label": "sub", "how": "split", "row": 11, "cell": None}
    assert TREE in run("--merge", "a.json").out


def test_a_way_through_cells_names_them(project: Path, run):
    first = "import jax\nkey = jax.random.key(0)\nkey, sub = jax.random.split(key)\n"
    second = "one, two = jax.random.split(sub)\njax.random.normal(two)\njax.random.uniform(two)\n"
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
        for text in (first, second)
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("a.ipynb").write_text(json.dumps(book))
    shown = run("a.ipynb").out
    assert "└─ split, cell 1 line 3 → sub" in shown and "└─ split, cell 2 line 1 → two" in shown
    assert "first, cell 2 line 2 → jax.random.normal" in shown


def test_a_short_way_is_seen_in_the_code(project: Path, run):
    Path("a.py").write_text(
        "import jax\n\n\ndef f(key):\n    a, b = jax.random.split(key)\n"
        "    return jax.random.normal(a), jax.random.bits(a), b\n"
    )
    shown = run("a.py")
    assert shown.status == 1 and "lineage" not in shown.out


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        (
            "def f(key):\n    jax.random.normal(key)\n    jax.random.bits(key)\n",
            [("parameter key of f", "", 4), ("jax.random.normal", "", 5), ("jax.random.bits", "", 6)],
        ),
        (
            "def f(key):\n    keys = jax.random.split(key, 3)\n    for _ in range(3):\n"
            "        jax.random.normal(keys[1])\n",
            [("parameter key of f", "", 4), ("keys[1]", "split", 5), ("jax.random.normal", "loop", 7)],
        ),
        (
            "key = jax.random.key(0)\n\n\ndef f():\n    jax.random.normal(key)\n    jax.random.bits(key)\n",
            [("key", "", 0), ("jax.random.normal", "", 8), ("jax.random.bits", "", 9)],
        ),
    ],
)
def test_steps(body: str, steps: list[tuple[str, str, int]]):
    assert way(body) == steps


def test_a_very_long_way_begins_with_an_ellipsis():
    splits = "".join(f"    key, sub{number} = jax.random.split(key)\n" for number in range(12))
    found = way(f"def f(key):\n{splits}    jax.random.normal(key)\n    jax.random.bits(key)\n")
    assert found[0] == ("…", "", 0) and len(found) == 11
    assert found[-3] == ("key", "split", 16)
