"""Keys in loops of which it is not known how often they run: a few turns confirm what they show, and refute nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jax", reason="a witness is traced with JAX")

from witnessed import verdict

DRAW = "        «12 jax.random.normal({key})»\n"
DIFFERENT = {
    "a key that is carried": (
        "def f(key, n):\n    for _ in range(n):\n        key, sub = jax.random.split(key)\n" + DRAW.format(key="sub")
    ),
    "a key that is drawn from, and then split": (
        "def f(key, n):\n    k = jax.random.fold_in(key, 7)\n    for _ in range(n):\n"
        + DRAW.format(key="k")
        + "        key, k = jax.random.split(key)\n"
    ),
    "the number of the turn": (
        "def f(key, n):\n    for i in range(n):\n        k = jax.random.fold_in(key, i)\n" + DRAW.format(key="k")
    ),
    "the number of the turn and more": (
        "def f(key, n):\n    for i in range(n):\n        k = jax.random.fold_in(key, i + 1)\n" + DRAW.format(key="k")
    ),
    "a loop in a function that is mapped": (
        "def g(key, n):\n    for i in range(n):\n        key, sub = jax.random.split(key)\n"
        "        «12 jax.random.normal(sub)»\n"
        "def f(key, n):\n    jax.vmap(g, in_axes=(0, None))(jax.random.split(key, 7), n)\n"
    ),
    "a loop in a function that is compiled": (
        "@jax.jit\ndef f(key, xs):\n    for x in xs:\n        key, sub = jax.random.split(key)\n"
        "" + DRAW.format(key="sub")
    ),
    "odd numbers": (
        "def f(key, n):\n    for i in range(n):\n        k = jax.random.fold_in(key, 2 * i + 1)\n"
        + DRAW.format(key="k")
    ),
    "two numbers of turns": (
        "def f(key, n, m):\n    for i in range(n):\n        k = jax.random.fold_in(key, i)\n"
        "        for j in range(m):\n"
        "            «12 jax.random.normal(jax.random.fold_in(k, j))»\n"
    ),
    "a carried key, and the number of the turn": (
        "def f(key, n, xs):\n    for i in range(n):\n        key, k = jax.random.split(key)\n"
        "        for j, x in enumerate(xs):\n"
        "            «12 jax.random.normal(jax.random.fold_in(k, j))»\n"
    ),
    "a key that two loops carry": (
        "def f(key, n, m):\n    for i in range(n):\n        for j in range(m):\n"
        "            key, k = jax.random.split(key)\n"
        "            «12 jax.random.normal(k)»\n        key, k = jax.random.split(key)\n"
    ),
    "children, one for each turn": (
        "def f(key, xs):\n    for k, x in zip(jax.random.split(key, len(xs)), xs):\n" + DRAW.format(key="k")
    ),
    "a child by the number of the turn": (
        "def f(key, n):\n    keys = jax.random.split(key, n)\n    for i in range(n):\n" + DRAW.format(key="keys[i]")
    ),
    "a comprehension": "def f(key, xs):\n"
    "    return [«12 jax.random.normal(k)» for k in jax.random.split(key, len(xs))]\n",
    "a long known loop": (
        "def f(key):\n    for i in range(1000):\n        key, sub = jax.random.split(key)\n" + DRAW.format(key="sub")
    ),
    "a while": (
        "def f(key, g):\n    x = 1\n    while g(x):\n        key, sub = jax.random.split(key)\n"
        "        x = «12 jax.random.normal(sub)»\n"
    ),
    "a decision about other things": (
        "def f(key, xs, g):\n    for x in xs:\n        key, sub = jax.random.split(key)\n"
        "        y = «12 jax.random.normal(sub)»\n"
        "        if g(y):\n            x = y\n        if x is None:\n            g(x)\n"
    ),
    "two loops, one after the other": (
        "def f(key, n, m):\n    for _ in range(n):\n        key, sub = jax.random.split(key)\n"
        "        «1 jax.random.normal(sub)»\n"
        "    for _ in range(m):\n        key, sub = jax.random.split(key)\n        «2 jax.random.normal(sub)»\n"
    ),
    "the key that is left, and that of a turn": (
        "def f(key, n):\n    for _ in range(n):\n        key, sub = «1 jax.random.split(key)»\n"
        "    return «2 jax.random.normal(key)»\n"
    ),
    "an object": (
        "class Stream:\n    def __init__(self, key):\n        self.key = key\n"
        "    def next(self):\n        self.key, sub = jax.random.split(self.key)\n        return sub\n"
        "def f(key, n):\n    stream = Stream(key)\n    for _ in range(n):\n" + DRAW.format(key="stream.next()")
    ),
    "a carry of a scan": (
        "def f(key, xs):\n    def step(key, x):\n        key, sub = jax.random.split(key)\n"
        "        return key, «12 jax.random.normal(sub)»\n    return jax.lax.scan(step, key, xs)\n"
    ),
    "children for a scan": (
        "def f(key, n):\n    def step(x, k):\n        return x, «12 jax.random.normal(k)»\n"
        "    return jax.lax.scan(step, 0, jax.random.split(key, n))\n"
    ),
    "the number of a turn of a fori_loop": (
        "def f(key, n):\n    def step(i, x):\n        return x + «12 jax.random.normal(jax.random.fold_in(key, i))»\n"
        "    return jax.lax.fori_loop(0, n, step, 0.0)\n"
    ),
    "a carry of a while_loop, and what is left": (
        "def f(key):\n    def step(state):\n        key, x = state\n        key, sub = «1 jax.random.split(key)»\n"
        "        return key, jax.random.normal(sub)\n"
        "    key, x = jax.lax.while_loop(lambda state: state[1] < 3, step, (key, 0.0))\n"
        "    return «2 jax.random.normal(key)»\n"
    ),
}
OPEN = {
    "keys in a ring that a scan carries": (
        "def f(key, xs):\n    def step(keys, x):\n        a, b, c, d = keys\n"
        "        return (b, c, d, a), «12 jax.random.normal(a)»\n"
        "    return jax.lax.scan(step, tuple(jax.random.split(key, 4)), xs)\n"
    ),
    "a bounded number of a turn of a fori_loop": (
        "def f(key, n):\n    def step(i, x):\n"
        "        return x + «12 jax.random.normal(jax.random.fold_in(key, i % 7))»\n"
        "    return jax.lax.fori_loop(0, n, step, 0.0)\n"
    ),
    "a scan that may not run": (
        "def f(key, xs):\n    a = «1 jax.random.normal(key)»\n"
        "    key, _ = jax.lax.scan(lambda key, x: (jax.random.split(key)[0], x), key, xs)\n"
        "    return «2 jax.random.bits(key)»\n"
    ),
    "a number of the turn that is bounded": (
        "def f(key, n):\n    for i in range(n):\n        k = jax.random.fold_in(key, i % 5)\n" + DRAW.format(key="k")
    ),
    "a number of the turn that vanishes": (
        "def f(key, n):\n    for i in range(n):\n        k = jax.random.fold_in(key, i * 0)\n" + DRAW.format(key="k")
    ),
    "a neighbour's child": (
        "def f(key, n):\n    keys = jax.random.split(key, n)\n    for i in range(n):\n"
        "        «1 jax.random.normal(keys[i])»\n        «2 jax.random.bits(keys[i + 1])»\n"
    ),
    "a number, and that of a turn": (
        "def f(key, n):\n    a = «1 jax.random.normal(jax.random.fold_in(key, 40))»\n    for i in range(n):\n"
        "        «2 jax.random.bits(jax.random.fold_in(key, i))»\n"
    ),
    "the numbers of turns of two loops": (
        "def f(key, n, m):\n    for i in range(n):\n        «1 jax.random.normal(jax.random.fold_in(key, i))»\n"
        "    for i in range(m):\n        «2 jax.random.bits(jax.random.fold_in(key, i))»\n"
    ),
    "an inner loop that starts again": (
        "def f(key, n, m):\n    for i in range(n):\n        for j in range(m):\n"
        "            «12 jax.random.normal(jax.random.fold_in(key, j))»\n"
    ),
    "keys in a ring": (
        "def f(key, n):\n    a, b, c, d = jax.random.split(key, 4)\n    for i in range(n):\n"
        + DRAW.format(key="a")
        + "        a, b, c, d = b, c, d, a\n"
    ),
    "keys in a list that is turned": (
        "def f(key, n):\n    keys = list(jax.random.split(key, 5))\n    for i in range(n):\n"
        + DRAW.format(key="keys[0]")
        + "        keys.append(keys.pop(0))\n"
    ),
    "a counter that decides": (
        "def f(key, n):\n    count = 0\n    for i in range(n):\n        count += 1\n        if count < 50:\n"
        "            key, sub = jax.random.split(key)\n" + DRAW.format(key="sub")
    ),
    "a counter that decides half": (
        "def f(key, n, g):\n    count = 0\n    for i in range(n):\n        count += 1\n"
        "        if count < 50 and g.ok:\n"
        "            key, sub = jax.random.split(key)\n        else:\n            key, sub = jax.random.split(key)\n"
        + DRAW.format(key="sub")
    ),
    "something unknown that decides": (
        "def f(key, xs):\n    sub = key\n    for x in xs:\n        if x > 3:\n"
        "            key, sub = jax.random.split(key)\n" + DRAW.format(key="sub")
    ),
    "an error that skips the split": (
        "def f(key, xs, g):\n    sub = key\n    for x in xs:\n        try:\n            g(x)\n"
        "            key, sub = jax.random.split(key)\n        except ValueError:\n            pass\n"
        + DRAW.format(key="sub")
    ),
    "a table of what to do": (
        "def keep(key):\n    return key\n"
        "def f(key, n):\n    new = lambda key: jax.random.split(key)[0]\n    table = [new] * 20 + [keep] * 20\n"
        "    count = -1\n"
        "    for i in range(n):\n        count += 1\n        key = table[count](key)\n" + DRAW.format(key="key")
    ),
    "a loop in a loop over two things": (
        "def f(key, n, a, b):\n    for x in (a, b):\n        for i in range(n):\n"
        "            «12 jax.random.normal(jax.random.fold_in(key, i - x))»\n"
    ),
    "numbers from a start that is not known": (
        "def f(key, n, xs):\n    for i, x in enumerate((1, 2), n):\n"
        "        «1 jax.random.normal(jax.random.fold_in(key, i))»\n"
        "    for x in xs:\n        pass\n    return «2 jax.random.bits(jax.random.fold_in(key, 5))»\n"
    ),
    "numbers in an array": (
        "def f(key):\n    for i in jax.numpy.asarray([1, 2, 3, 1]):\n        k = jax.random.fold_in(key, i)\n"
        + DRAW.format(key="k")
    ),
    "numbers in an array that a scan goes over": (
        "def f(key):\n    def step(x, i):\n        return x, «12 jax.random.normal(jax.random.fold_in(key, i))»\n"
        "    return jax.lax.scan(step, 0, jax.numpy.asarray([1, 2, 3, 1]))\n"
    ),
    "a ring for the items of a list": (
        "def f(key, xs):\n    items = [x + 1 for x in xs]\n    a, b, c, d = jax.random.split(key, 4)\n"
        "    for item in items:\n" + DRAW.format(key="a") + "        a, b, c, d = b, c, d, a\n"
    ),
    "a ring for the items of a list that has grown": (
        "def f(key, xs):\n    items = []\n    for x in xs:\n        items.append(x)\n"
        "    a, b, c, d = jax.random.split(key, 4)\n"
        "    for i, item in enumerate(items):\n" + DRAW.format(key="a") + "        a, b, c, d = b, c, d, a\n"
    ),
    "a ring for all children but one": (
        "def f(key, n):\n    a, b, c, d = jax.random.split(key, 4)\n"
        "    for k in jax.random.split(jax.random.fold_in(key, 3), n)[1:]:\n"
        + DRAW.format(key="a")
        + "        a, b, c, d = b, c, d, a\n"
    ),
    "a loop that may not run": (
        "def f(key, xs):\n    a = «1 jax.random.normal(key)»\n    for x in xs:\n"
        "        key, sub = jax.random.split(key)\n"
        "    return «2 jax.random.bits(key)»\n"
    ),
    "a loop that may run once": (
        "def f(key, xs):\n    firsts = []\n    for x in xs:\n        key, sub = jax.random.split(key)\n"
        "        firsts.append(sub)\n"
        "    return «1 jax.random.normal(firsts[0])», «2 jax.random.bits(sub)»\n"
    ),
    "the third of those that were kept": (
        "def f(key):\n    kept = []\n    for _ in range(1000):\n        key, sub = «1 jax.random.split(key)»\n"
        "        kept.append(key)\n    return «2 jax.random.bits(kept[2])»\n"
    ),
    "a child of one of a few keys, split again in every turn": (
        "def f(key, n):\n    keys = jax.numpy.stack(list(jax.random.split(key, 5)))\n    for i in range(n):\n"
        + DRAW.format(key="jax.random.split(keys[i % 5])[0]")
    ),
    "a child of what a bounded number gives, split again in every turn": (
        "def f(key, n):\n    for i in range(n):\n        k = jax.random.fold_in(key, i % 5)\n"
        + DRAW.format(key="jax.random.split(k)[0]")
    ),
    "a match on a counter": (
        "def f(key, n):\n    count = 0\n    for i in range(n):\n        count += 1\n        match count:\n"
        "            case 7:\n                pass\n            case _:\n"
        "                key, sub = jax.random.split(key)\n" + DRAW.format(key="sub")
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_keys_that_differ_in_all_turns(name: str, tmp_path: Path) -> None:
    found = verdict(DIFFERENT[name], tmp_path)
    assert found.status == "inconclusive", found


@pytest.mark.parametrize("name", OPEN)
def test_keys_that_may_be_one_in_some_turns(name: str, tmp_path: Path) -> None:
    found = verdict(OPEN[name], tmp_path)
    assert found.status in ("inconclusive", "confirmed"), found
