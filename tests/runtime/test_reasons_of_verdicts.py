"""The reasons of open verdicts: each arises from a program, and speaks to the user."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from witnessed import verdict

from olympus.verdicts import Place, Question, Verdict
from olympus.verdicts.reasons import Reason, plain
from olympus.witness.answer import together

DRAWS = "«1 jax.random.normal(key)» + «2 jax.random.uniform(key)»"
NAMES = [f"x{number}" for number in range(40)]
FOUND: dict[Reason, str] = {
    Reason.UNREACHED: f"def f(key):\n    if False:\n        return {DRAWS}",
    Reason.FAILED: "def helper(key, n):\n    return key\ndef f(key):\n    key = «1 helper(key)»\n    «2 key.draw()»",
    Reason.APART: (
        "def f(key, x):\n    if x:\n        return «1 jax.random.normal(key)»\n    return «2 jax.random.uniform(key)»"
    ),
    Reason.LOOP: (
        "def f(key, n):\n    for i in range(n):\n        key, sub = jax.random.split(key)\n"
        "        «12 jax.random.normal(sub)»"
    ),
    Reason.BRANCHES: (
        f"def f(key, {', '.join(NAMES)}):\n    a = «1 jax.random.normal(key)»\n"
        + "".join(f"    if {name}:\n        a += 1\n" for name in NAMES)
        + "    return a + «2 jax.random.uniform(jax.random.fold_in(key, 1))»"
    ),
    Reason.DECIDED: (
        "def f(key, x):\n    a = 0\n    if x == 3:\n        a = «1 jax.random.normal(key)»\n"
        "    if x == 4 and g(x):\n        a = «2 jax.random.uniform(key)»\n    return a"
    ),
    Reason.LEFT: (
        "def keep(key, n=0):\n    return jax.random.fold_in(key, 1)\ndef f(key, g):\n"
        "    a = «1 keep(key)»\n    b = «2 keep(key)»\n    len(3)\n    return a, b"
    ),
    Reason.MOST: (
        "def f(key, n):\n    k = key\n    for i in (1, 2, 3, 4, 5, 6, 7, 8):\n"
        "        for j in (1, 2, 3, 4, 5, 6, 7, 8):\n            for l in (1,2,3,4,5,6,7,8):\n"
        "                k, s = jax.random.split(k)\n    a = «1 jax.random.normal(k)»\n"
        "    return «2 jax.random.uniform(k)»"
    ),
    Reason.LATER: (
        "def f(key):\n    for i in range(10_000):\n        key, sub = jax.random.split(key)\n"
        "        «12 jax.random.normal(sub)»"
    ),
    Reason.CALLS: (
        "import library\ndef f(key):\n    jax.random.split(key)\n    a = «1 library.draw(key)»\n"
        "    return a + «2 library.draw(key)»"
    ),
    Reason.WHICH: (
        "def f(key, x):\n    one, other = jax.random.split(key)\n"
        "    a = «1 jax.random.normal(jax.numpy.where(x, one, other))»\n"
        "    return a + «2 jax.random.uniform(one)»"
    ),
    Reason.FOLDED: (
        "def f(key, n, m):\n    a = «1 jax.random.normal(jax.random.fold_in(key, n))»\n"
        "    return a + «2 jax.random.uniform(jax.random.fold_in(key, m))»"
    ),
    Reason.ROOTS: (
        "def f(key, other):\n    a = «1 jax.random.normal(key)»\n    return a + «2 jax.random.uniform(other)»"
    ),
    Reason.READ_AGAIN: (
        "def f(s):\n    a = «1 jax.random.normal(s.rng)»\n    return a + «2 jax.random.uniform(s.rng)»"
    ),
    Reason.CHILDREN: (
        "def f(key, n):\n    keys = jax.random.split(key, n)\n"
        "    a = «1 jax.random.normal(keys[0])»\n    return a + «2 jax.random.uniform(keys[1])»"
    ),
    Reason.GENERATOR: (
        "def f(key):\n    a = «1 jax.random.normal(jax.random.split(key, 2)[1])»\n"
        "    return a + «2 jax.random.uniform(jax.random.fold_in(key, 1))»"
    ),
    Reason.ANNOTATED: "def f(key: int):\n    return «1 jax.random.normal(key)» + «2 jax.random.uniform(key)»",
    Reason.NO_KEY: "def f(key=3):\n    return «1 jax.random.normal(key)» + «2 jax.random.uniform(key)»",
    Reason.DEFAULT: (
        "class Model:\n    shared = False\n    def f(self, key):\n"
        "        a = «1 jax.random.normal(key)»\n"
        "        k = key if self.shared else jax.random.fold_in(key, 1)\n"
        "        return a + «2 jax.random.uniform(k)»"
    ),
    Reason.KEYWORD: (
        "def use(key, *, rng=None):\n"
        "    rng = jax.random.fold_in(key, 1) if rng is None else rng\n"
        "    return «1 jax.random.normal(rng)»\ndef f(key, options):\n"
        "    a = use(key, **options)\n    return a + «2 jax.random.uniform(key)»"
    ),
    Reason.NUMBER: (
        "def f(key, n):\n    a = «1 jax.random.normal(key)»\n"
        "    for each in jax.random.split(key, 3)[:int(n)]:\n        pass\n    x = [1, 2, 3][n]\n"
        "    return a + «2 jax.random.uniform(jax.random.fold_in(key, 2))»"
    ),
    Reason.CHOSEN: (
        "def one(key):\n    return jax.random.fold_in(key, 1)\ndef two(key):\n"
        "    return jax.random.fold_in(key, 2)\ndef f(key, i):\n    g = [one, two][i]\n"
        "    a = «1 jax.random.normal(g(key))»\n    return a + «2 jax.random.uniform(key)»"
    ),
    Reason.RETURNS: (
        "import library\ndef f(key, flag):\n    if flag:\n        a = «1 jax.random.normal(key)»\n"
        "        library.fail(a)\n    return «2 jax.random.uniform(key)»"
    ),
    Reason.EXEC: (
        "def f(key):\n    a = «1 jax.random.normal(key)»\n    exec('key = 3')\n"
        "    return a + «2 jax.random.uniform(key)»"
    ),
    Reason.MODEL: (
        "def f(key, x, n):\n    a = 0\n    if x.mean() > 3:\n"
        "        a = «1 jax.random.normal(key)»\n    if x.mean() * x.std() < 2:\n"
        "        a += «2 jax.random.uniform(key)»\n    return a"
    ),
    Reason.VALUES: (
        "def f(key, x):\n    a = 0\n    if jax.numpy.sin(x + 1).shape[0] > 3:\n"
        "        a = «1 jax.random.normal(key)»\n    if jax.numpy.sin(x + 1).size < 9:\n"
        "        a += «2 jax.random.uniform(key)»\n    return a"
    ),
    Reason.RESULT: (
        "def g(n):\n    return n\ndef f(key, x):\n    a = 0\n    y = g()\n    if y > 3:\n"
        "        a = «1 jax.random.normal(key)»\n    if x:\n"
        "        a += «2 jax.random.uniform(key)»\n    return a"
    ),
    Reason.CHANCE: (
        "def f(key, k):\n    a = 0\n    x = jax.random.normal(k)\n    if x == 0.5:\n"
        "        a = «1 jax.random.normal(key)»\n        a += «2 jax.random.uniform(key)»\n"
        "    return a"
    ),
    Reason.ASSERTED: (
        "def f(key, n):\n    t = 0\n    for i in range(n):\n        t += 1\n    assert t == 100\n"
        "    return «1 jax.random.normal(key)» + «2 jax.random.uniform(key)»"
    ),
    Reason.STEADY: (
        "def f(key, x, g):\n    a = 0\n    if g(x) > 3:\n        a = «1 jax.random.normal(key)»\n"
        "    if g(x) > 2:\n        a += «2 jax.random.uniform(jax.random.fold_in(key, 1))»\n"
        "    return a"
    ),
}
OF_WORDS: dict[Reason, tuple[str, str]] = {
    Reason.NO_KEYS: (
        "OLY108",
        "def f(key):\n    a = «1 jax.random.normal(key)»\n    return «2 jax.random.normal(key)»",
    ),
    Reason.IS_KEY: ("OLY103", "def f(x):\n    return «12 x.T»"),
    Reason.ENDED_EARLY: ("OLY102", "def f(x, n):\n    return «12 x + n»"),
}
ELSEWHERE = {
    Reason.OTHER_KIND: "below",
    Reason.DONE: "an operation on words that the lineage has no model of",
    Reason.EXCLUDED: "two names of one library that may mean one thing",
    Reason.STRUCK: "a net of time below the steps",
    Reason.NO_TIME: "the tier `function`, as the next three",
    Reason.SLOW: "test_function_tier.py",
    Reason.UNTRACED: "test_function_tier.py",
    Reason.ENDED: "test_tracing.py",
}


def is_said(reason: Reason, said: str | None) -> bool:
    return said is not None and re.fullmatch(re.escape(reason).replace(r"\{\}", ".+"), said) is not None


@pytest.mark.parametrize("reason", FOUND)
def test_a_program_has_the_reason(reason: Reason, tmp_path: Path) -> None:
    found = verdict(FOUND[reason], tmp_path, certain=reason is not Reason.CALLS)
    assert is_said(reason, found.reason), found.reason


@pytest.mark.parametrize("reason", OF_WORDS)
def test_a_program_about_words_has_the_reason(reason: Reason, tmp_path: Path) -> None:
    code, program = OF_WORDS[reason]
    found = verdict(program, tmp_path, code)
    assert is_said(reason, found.reason), found.reason


def test_all_reasons_are_tried() -> None:
    assert {*FOUND, *OF_WORDS, *ELSEWHERE} == {*Reason}


def test_a_place_that_one_kind_of_keys_reaches() -> None:
    question = Question("OLY101", Place("a.py", 1, 1, 1, 2))
    refuted, open_ = Verdict("refuted", "witness", "no"), Verdict("not reached", "witness", Reason.UNREACHED)
    assert together(question, [refuted, open_]).reason == Reason.OTHER_KIND


def test_no_reason_names_a_class_of_the_program(tmp_path: Path) -> None:
    assert plain("type Unknown doesn't define __round__ method") == (
        "a value that is not known doesn't define __round__ method"
    )
    assert plain("'Unknown language': Unknown") == "'Unknown language': Unknown"
    assert plain("attribute name must be string, not 'Unknown'") == (
        "attribute name must be string, not a value that is not known"
    )
    program = (
        "def helper(key, *, n):\n    return jax.random.normal(key)\nclass A: ...\n"
        "def f(key, name):\n    setattr(A, name, 3)\n    draw = getattr(A, name)\n    a = draw + getattr(jax, name)\n"
        "    return a + «1 jax.random.normal(key)» + «2 jax.random.uniform(key)»"
    )
    assert verdict(program, tmp_path).status == "confirmed"
