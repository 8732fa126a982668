"""Two places that no call comes to one after the other: that refutes a finding, and what is much like it does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from olympus_rules.check import check
from olympus_rules.syntax import Document

pytest.importorskip("jax", reason="a witness is traced with JAX")

from witnessed import verdict

TRY = (
    "def f(key, g):\n    try:\n        {body}\n"
    "    except ValueError:\n        x = «2 jax.random.bits(key)»\n    return x"
)
FIRST = "«1 jax.random.normal(key)»"
LOOP = (
    "def f(key, xs):\n    for x in xs:\n        if x > 3:\n            y = «1 jax.random.normal(key)»\n{end}"
    "    else:\n        y = «2 jax.random.bits(key)»\n    return y"
)
NAME = (
    "def f(key, noisy, g):\n    x = «1 jax.random.normal(key)» if noisy else 0\n{between}"
    "    if noisy:\n        return x\n    return «2 jax.random.bits(key)»"
)
OBJECT = (
    "class A:\n    def __init__(self, key, g):\n{before}        self.a = «2 jax.random.normal(key)»\n"
    "        self.key = key\n"
    "    def draw(self, n):\n        return «1 jax.random.normal(self.key, n)»"
)
KEPT_APART = {
    "a call that failed, and its handler": TRY.format(body=f"x = {FIRST}"),
    "a loop that is left, and its else": LOOP.format(end="            break\n"),
    "two cases": (
        "def f(key, kind):\n    match kind:\n        case ('a', x):\n            return «1 jax.random.normal(key)»\n"
        "        case _:\n            return «2 jax.random.bits(key)»"
    ),
}
REFUTED = {
    "one name, tested twice": NAME.format(between=""),
    "a call in a call": (
        "class A:\n    def draw(self, n):\n        return «2 jax.random.normal(«1 jax.random.fold_in(self.key, n)»)»"
    ),
    "a method that keeps its key": (
        "class A:\n    def draw(self, n):\n        self.key, sub = «2 jax.random.split(self.key)»\n"
        "        return «1 jax.random.normal(sub)»"
    ),
    "functions in a function": (
        "def f(key):\n    def g(key):\n        return «2 jax.random.normal(key)»\n"
        "    h = lambda k: «1 jax.random.bits(k)»\n"
        "    a, b = jax.random.split(key)\n    return g(a), h(b)"
    ),
}
OPEN = {
    "a helper that draws and fails": (
        "def g(key):\n    return int(jax.random.normal(key).foo)\n" + TRY.format(body="x = «1 g(key)»")
    ),
    "a loop that goes on after the draw, and its else": LOOP.format(
        end="            if y > 3:\n                continue\n            break\n"
    ),
    "one list, changed between": (
        "def f(key, xs, g):\n    x = «1 jax.random.normal(key)» if xs else 0\n    xs.clear()\n"
        "    if xs:\n        return x\n    return «2 jax.random.bits(key)»"
    ),
    "a statement that fails later": TRY.format(body=f"x = {FIRST}\n        x = g(x)"),
    "a call around it that fails": TRY.format(body=f"x = g({FIRST})"),
    "a loop that goes on, and its else": LOOP.format(end=""),
    "one name, assigned between": NAME.format(between="    noisy = g()\n"),
    "a constructor that calls a method": OBJECT.format(before="        self.draw(3)\n"),
    "a constructor that gives its object away": OBJECT.format(before="        g(self)\n"),
    "a method that stores its child": (
        "class A:\n    def draw(self, n):\n        a = «2 jax.random.normal(self.key)»\n"
        "        self.key = jax.random.fold_in(self.key, n)\n        return a, «1 jax.random.bits(self.key)»"
    ),
}


@pytest.mark.parametrize("name", KEPT_APART)
def test_the_key_flow_asks_nothing_about_places_that_branches_keep_apart(name: str):
    source = re.sub("«[12] |»", "", KEPT_APART[name])
    checked = check(Document("program.py", f"import jax\n\n{source}"))
    assert [report.finding for report in checked.reports] == []


@pytest.mark.parametrize("name", REFUTED)
def test_there_is_no_such_order(name: str, tmp_path: Path) -> None:
    found = verdict(REFUTED[name], tmp_path)
    assert found.status == "refuted", found


@pytest.mark.parametrize("name", OPEN)
def test_there_may_be_such_an_order(name: str, tmp_path: Path) -> None:
    assert verdict(OPEN[name], tmp_path).status != "refuted"
