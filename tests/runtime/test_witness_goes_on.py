"""A witness goes on where what is not known would end a function, and comes to the places of a finding.

Each program has a reuse at its marks; what stands before it is what once kept an execution from it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jax", reason="a witness is traced with JAX")

from witnessed import verdict

REUSE = "a = «1 jax.random.normal(key)»\n    return a + «2 jax.random.normal(key)»"
CONFIRMED = {
    "the head of a loop fails": "def f(key):\n    for x in 3:\n        pass\n    {reuse}",
    "the condition of an if fails": "def f(key):\n    if None.size > 3:\n        pass\n    {reuse}",
    "what is entered fails": "def f(key):\n    with None.lock:\n        pass\n    {reuse}",
    "what is entered is no context": "def f(key):\n    with 'text':\n        pass\n    {reuse}",
    "what only raw keys pass": (
        "def f(seed):\n    key = jax.random.PRNGKey(seed)\n    assert key.shape == (2,)\n    {reuse}"
    ),
    "a branch for raw keys": "def f(seed):\n    key = jax.random.PRNGKey(seed)\n    if key.ndim == 1:\n        {inner}",
    "a deletion fails": "def f(key):\n    del {}['x']\n    {reuse}",
    "a traced condition": "def f(key, x):\n    if jax.numpy.asarray(1) > 0:\n        pass\n    {reuse}",
    "keywords of unknown names": (
        "def g(key, **options):\n    return jax.random.normal(key)\n"
        "def f(key, options):\n    a = «1 g(key, **{k: 1 for k in options})»\n"
        "    return a + «2 g(key, **{k: 1 for k in options})»"
    ),
    "a recursion without an end": (
        "import collections\nmade = {}\n"
        "def kind(name):\n"
        "    if name in made:\n        return made[name]\n"
        "    made[name] = collections.namedtuple(name, name)\n    return kind(name)\n"
        "def f(key, x):\n    kind(x)\n    kind(x)\n    {reuse}"
    ),
    "a branch of many": (
        "def f(key, x):\n"
        + "".join(f"    if x.a{n}:\n        return {n}\n" for n in range(20))
        + "    if x.kind == 3:\n        a = «1 jax.random.normal(key)»\n        return a + «2 jax.random.normal(key)»"
    ),
    "a branch for an argument that is left out": "def f(key, x=None):\n    if x is None:\n        {inner}",
    "a branch for one of several things": (
        "from kinds import first, second\n"
        "def f(key, kind):\n    if kind is first:\n        return 1\n    elif kind is second:\n        {inner}"
    ),
    "a class of JAX that transforms": (
        "@jax.custom_jvp\ndef noisy(x, key):\n    return x + jax.random.normal(key)\n"
        "def f(key, x):\n    a = «1 noisy(x, key)»\n    return a + «2 noisy(x, key)»"
    ),
    "the version of JAX": "def f(key):\n    if jax.__version_info__ < (99,):\n        {inner}",
    "the name of something unknown": "def f(key, g):\n    for _ in [g.__name__]:\n        pass\n    {reuse}",
    "a context manager of the file": (
        "from contextlib import contextmanager\n@contextmanager\ndef around(x):\n    yield x\n"
        "def f(key):\n    with around(1):\n        {inner}"
    ),
    "a generator": (
        "def draws(key):\n    yield jax.random.normal(key)\n"
        "def f(key):\n    a = dict(«1 draws(key)»)\n    return a, dict(«2 draws(key)»)"
    ),
    "an associative scan": (
        "def f(key, rows):\n    return jax.lax.associative_scan(lambda a, b: a + b + «12 jax.random.normal(key)», rows)"
    ),
}


@pytest.mark.parametrize("name", CONFIRMED)
def test_it_comes_to_the_place(name: str, tmp_path: Path) -> None:
    inner = REUSE.replace("\n    ", "\n        ")
    source = CONFIRMED[name].replace("{reuse}", REUSE).replace("{inner}", inner)
    assert verdict(source, tmp_path).status == "confirmed"


def test_one_argument_is_not_both_given_and_left_out(tmp_path: Path) -> None:
    source = (
        "def f(key, x=None):\n    y = 0\n    if x is None:\n        y = «1 jax.random.normal(key)»\n"
        "    if x is not None:\n        y = y + «2 jax.random.normal(key)»\n    return y"
    )
    assert verdict(source, tmp_path).status != "confirmed"


@pytest.mark.parametrize(("second", "status"), [("key", "confirmed"), ("next(keys)", "inconclusive")])
def test_an_unknown_iterator_gives_another_value_each_time(second: str, status: str, tmp_path: Path) -> None:
    source = (
        "from library import Sequence\ndef f(seed):\n    keys = Sequence(seed)\n    key = next(keys)\n"
        f"    return «1 jax.random.normal(key)» + «2 jax.random.normal({second})»"
    )
    found = verdict(source, tmp_path)
    assert found.status == status
    assert status != "confirmed" or found.evidence[0] == "key: next(library.Sequence(...))"
