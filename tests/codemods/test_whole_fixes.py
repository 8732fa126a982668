"""A fix of a reuse puts all of its finding right, in the code's own words, or there is none."""

from __future__ import annotations

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text

IMPORTS = "import jax\n\n\n"
REWARD = "def reward(key, x):\n    return x * N(key)\n\n\ndef f(key, x, g):\n"


def written(body: str) -> str:
    """Return a text whose only function has a body; ``N`` draws and ``S`` splits."""
    head = "" if not body.startswith(" ") else "def f(key, x, g):\n"
    return IMPORTS + head + body.replace("N(", "jax.random.normal(").replace("S(", "jax.random.split(")


def offers(body: str) -> list[str]:
    """Return what the fixes of the reuses in a body do, empty for each that has none."""
    findings = lint_text("example.py", written(body), Settings()).findings
    assert findings and {each.code for each in findings} == {"OLY104"}
    return [each.fix.message if each.fix is not None else "" for each in findings]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    key, k = S(key)\n    a = N(k)\n    b = N(k)\n    if x:\n        b += N(k)\n    return a, b, key\n",
            "    key, k, b_key, b_key_2 = S(key, 4)\n    a = N(k)\n    b = N(b_key)\n    if x:\n"
            "        b += N(b_key_2)\n    return a, b, key\n",
        ),
        (
            "    key, k = S(key)\n    a = N(k)\n    if x:\n        a += N(k)\n    else:\n        a -= N(k)\n"
            "    return a, key\n",
            "    key, k, a_key = S(key, 3)\n    a = N(a_key)\n    if x:\n        a += N(k)\n    else:\n"
            "        a -= N(k)\n    return a, key\n",
        ),
        (
            "    k1, k2 = S(key)\n    b = x + 1\n    k1, k2 = S(key)\n    return N(k1), N(k2), b\n",
            "    k1, k2 = S(key)\n    b = x + 1\n    return N(k1), N(k2), b\n",
        ),
        (
            "    a = N(key)\n    (key,) = S(key, 1)\n    return a, N(key)\n",
            "    key, a_key = S(key)\n    a = N(a_key)\n    return a, N(key)\n",
        ),
        (
            "    a = N(key)\n    b = N(key)\n    key = S(key)[1]\n    return a, b, key\n",
            "    key, a_key, b_key = S(key, 3)\n    a = N(a_key)\n    b = N(b_key)\n    return a, b, key\n",
        ),
        (
            "    a = N(key)\n    b = a + 1\n    next_key = S(key)[0]\n    return a, b, N(next_key)\n",
            "    next_key, a_key = S(key)\n    a = N(a_key)\n    b = a + 1\n    return a, b, N(next_key)\n",
        ),
        (
            "    key, k_w = S(key)\n    key, k_A = S(key)\n    w = N(k_w)\n    b = N(k_w)\n    return w, b, key, x\n",
            "    key, k_w, k_b = S(key, 3)\n    key, k_A = S(key)\n    w = N(k_w)\n    b = N(k_b)\n"
            "    return w, b, key, x\n",
        ),
        (
            "    key, k, _ = S(key, 3)\n    a = N(k)\n    b = N(k)\n    c = N(k)\n    return a, b, c, key\n",
            "    key, k, b_key, c_key = S(key, 4)\n    a = N(k)\n    b = N(b_key)\n    c = N(c_key)\n"
            "    return a, b, c, key\n",
        ),
        (
            '    x["key"], k1, k2 = S(x["key"], 3)\n    a = N(k1)\n    b = N(k1)\n    return a, b, N(k2)\n',
            '    x["key"], k1, k2, k3 = S(x["key"], 4)\n    a = N(k1)\n    b = N(k3)\n    return a, b, N(k2)\n',
        ),
        (
            "    k1, k2 = S(key)\n\n    def h(key):\n        k1, k2 = S(key)\n        return N(k1) + N(k2)\n\n"
            "    return jax.vmap(h)(S(key, x))\n",
            "    k1, k2 = S(key)\n\n    def h(key):\n        k1, k2 = S(key)\n        return N(k1) + N(k2)\n\n"
            "    return jax.vmap(h)(S(k1, x))\n",
        ),
        (
            "    for _ in range(9):\n        key, k = S(key)\n        x += N(k)\n    return x + N(k)\n",
            "    for _ in range(9):\n        key, k, x_key = S(key, 3)\n        x += N(x_key)\n    return x + N(k)\n",
        ),
        (
            "    a = N(key)\n" + "    x += 1\n" * 30 + "    b = N(key)\n    return a, b, x, N(key)\n",
            "    key, a_key = S(key)\n    a = N(a_key)\n" + "    x += 1\n" * 30 + "    key, b_key = S(key)\n"
            "    b = N(b_key)\n    return a, b, x, N(key)\n",
        ),
        (
            "    a = N(key)\n    k = S(key, 5)\n    return a, jax.lax.map(lambda key: N(key), k)\n",
            "    key, a_key = S(key)\n    a = N(a_key)\n    k = S(key, 5)\n"
            "    return a, jax.lax.map(lambda key: N(key), k)\n",
        ),
        (
            "    scale_key, x_key = S(key)\n    a = N(scale_key)\n    scale = N(scale_key)\n"
            "    return a, scale, N(x_key), x\n",
            "    scale_key, x_key, a_key = S(key, 3)\n    a = N(a_key)\n    scale = N(scale_key)\n"
            "    return a, scale, N(x_key), x\n",
        ),
        (
            "    key, k = S(key)\n    a = N(k)\n    keys = S(key, x)\n    if x:\n        key, b_key = S(key)\n"
            "        a += N(b_key)\n    return a, keys, N(key)\n",
            "    key, k, subkey = S(key, 3)\n    a = N(k)\n    keys = S(subkey, x)\n    if x:\n"
            "        key, b_key = S(key)\n        a += N(b_key)\n    return a, keys, N(key)\n",
        ),
        (
            "    key, _ = S(key)\n"
            + "    x += 1\n" * 20
            + "    a = N(key)\n"
            + "    x += 1\n" * 20
            + "    return a, x, N(key)\n",
            "    key, a_key = S(key)\n"
            + "    x += 1\n" * 20
            + "    a = N(a_key)\n"
            + "    x += 1\n" * 20
            + "    return a, x, N(key)\n",
        ),
        (
            "    key, k = S(key)\n    a = N(key)\n" + "    x += 1\n" * 40 + "    return a, x, N(k), N(key)\n",
            "    key, k, a_key = S(key, 3)\n    a = N(a_key)\n"
            + "    x += 1\n" * 40
            + "    return a, x, N(k), N(key)\n",
        ),
        (
            "    for _ in range(3):\n        key, layer_key = S(key)\n        x += N(key)\n    return x\n",
            "    for _ in range(3):\n        key, layer_key = S(key)\n        x += N(layer_key)\n    return x\n",
        ),
    ],
    ids=[
        "all places",
        "arms that exclude each other",
        "a split that stands twice",
        "a split that comes too late",
        "a split that comes too late for two",
        "a split for the next key",
        "a letter that is a purpose",
        "a throwaway and one more",
        "an item of a record",
        "a variable of an inner function",
        "after a loop",
        "far from each other",
        "a parameter of the same name",
        "named for the second use",
        "a key that goes on",
        "a child that is dropped far above",
        "just above, and far from the second use",
        "a child made for the next line",
    ],
)
def test_a_fix_ends_the_whole_finding(before: str, after: str) -> None:
    (finding,) = lint_text("example.py", written(before), Settings()).findings
    assert finding.fix is not None
    result = fix_text("example.py", written(before), Settings(), unsafe=True)
    assert result.text == written(after) and not result.findings and not result.notes


@pytest.mark.parametrize(
    "body",
    [
        "    a = N(key)\n    if x:\n        a += N(key)\n    return [a + N(key) for _ in x]\n",
        "    a = N(key)\n    return a, [N(key) for _ in range(x)]\n",
        "    if x:\n        a = g.early(key)\n    else:\n        a = g.late(key)\n    return a, N(key)\n",
        "    a = N(key)\n\n    def step(key, x):\n        return key, x + N(key)\n\n"
        "    return a, jax.lax.scan(step, key, x)\n",
        "    k = key\n    for _ in range(9):\n        key, k = S(k)\n        for _ in range(3):\n"
        "            key, k = S(key)\n            x += N(k)\n    return x\n",
    ],
    ids=["some of several", "elements", "another arm", "steps", "a child that is carried"],
)
def test_what_a_fix_would_leave_has_none(body: str) -> None:
    assert "" in offers(body)


@pytest.mark.parametrize(
    "body",
    [
        "    N(key)\n    return N(key)\n",
        "def reset(key):\n    return N(key)\n\n\n"
        "def f(key, x):\n    state = reset(key)\n    x += state\n    state = reset(key)\n    return state, x\n",
        "def run(key, x):\n    return x + N(key)\n\n\ndef run_backward(key, x):\n    return x - N(key)\n\n\n"
        "def f(key, x):\n    x = run(key, x)\n    return run_backward(key, x)\n",
        "    for sigma in [0.5, 1.0, 2.0]:\n        x += sigma * N(key)\n    return x\n",
        "    sigmas = [1, 2, 3]\n    for sigma in sigmas:\n        x += sigma * N(key)\n    return x\n",
        "    for sigma, name in zip([1, 2, 3], g):\n        x += g(sigma * N(key), name)\n    return x\n",
        "SIGMAS = (1, 2)\n\n\ndef f(key, x, g):\n    return [sigma * N(key) for sigma in SIGMAS]\n",
        f"ROWS = [('a', 1), ('b', 2)]\n\n\n{REWARD}    for name, size in ROWS:\n"
        "        g[name] = reward(key, size)\n    return g\n",
        "    while True:\n        a = N(key)\n        if g(a):\n            continue\n        return a, x\n",
        f"{REWARD.replace('reward', 'make_maze')}    a = make_maze(key, x)\n    g(a)\n    b = make_maze(key, x)\n"
        "    return a, b\n",
        f"{REWARD}    critic = reward(key, x)\n    target_critic = reward(key, 2 * x)\n"
        "    return critic, target_critic\n",
        "    # Should the target re-use the noise of the student?\n    a = N(key)\n    b = jax.random.uniform(key)\n"
        "    return a, b, x\n",
        "    a = N(key)\n    b = jax.random.uniform(key)  # common random numbers\n    return a, b, x\n",
        f"{REWARD}    up = x + 0.1\n    down = x - 0.1\n    return reward(key, up), reward(key, down)\n",
        f"{REWARD}    a = reward(key, x)\n    b = reward(key, x * 2)\n    c = a * 3\n    return c - b\n",
        f"{REWARD}    a = reward(key, x)\n    b = reward(key, x * 2)\n    return (a + b) / 2\n",
        f"def slope(a, b):\n    return a - b\n\n\n{REWARD}    a = reward(key, x)\n"
        "    b = reward(key, x * 2)\n    return slope(a=a, b=b)\n",
        "    w = N(key)\n    x = N(key)\n    def h(x):\n        return w * x\n    a = h(x)\n    x = N(key)\n"
        "    b = x * w\n    assert g.allclose(a, b)\n    return x\n",
        "    key = S(key)[0]\n    x += g(key)\n    return x, N(key)\n",
        "    draw_key, k = S(key)\n    a = g.draw(draw_key)\n    if x:\n        a += g.other(draw_key)\n"
        "    else:\n        a -= g.third(draw_key)\n    return a, k\n",
        "class Folds:\n    def __init__(self, key):\n        self.key = key\n\n    def split(self, x):\n"
        "        return jax.random.permutation(self.key, x)\n\n    def both(self, x):\n"
        "        return self.split(x), self.split(x)\n",
        "class Model:\n    def __init__(self, key):\n        self.key = key\n\n    def load_weights(self, x):\n"
        "        return jax.random.normal(self.key, x)\n\n    def both(self, x):\n"
        "        return self.load_weights(x), self.load_weights(x)\n",
    ],
    ids=[
        "thrown away",
        "set back",
        "replayed",
        "a sweep",
        "a named sweep",
        "a sweep beside names",
        "a sweep over a constant",
        "a table",
        "another try",
        "made twice",
        "a target",
        "a remark above",
        "a remark beside",
        "mirrored points",
        "a difference",
        "a mean of two",
        "a difference in a function",
        "drawn again for an assertion",
        "below a split that drops a child",
        "named for the first of three",
        "folds",
        "loaded once",
    ],
)
def test_where_a_fix_would_be_a_guess_there_is_none(body: str) -> None:
    assert not any(offers(body))


def test_a_child_without_a_purpose_is_named_as_the_file_names_it() -> None:
    other = "def h(rng, x):\n    rng, rng_ = S(rng)\n    return x(rng_), x(rng)\n\n\n"
    body = other + "def f(rng, g):\n    for _ in range(3):\n        g(N(rng))\n"
    result = fix_text("example.py", written(body), Settings(), unsafe=True)
    assert "        rng, rng_ = jax.random.split(rng)\n        g(jax.random.normal(rng_))\n" in result.text


def test_a_child_is_named_in_the_form_of_its_parent() -> None:
    body = "def f(key_step, g):\n    for _ in range(3):\n        g.w = N(key_step)\n"
    result = fix_text("example.py", written(body), Settings(), unsafe=True)
    assert "        key_step, key_w = jax.random.split(key_step)\n" in result.text
    text = "import jax\n\nKEY = jax.random.key(0)\nA = jax.random.normal(KEY)\nB = jax.random.normal(KEY)\n"
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert "KEY, A_KEY = jax.random.split(KEY)\nA = jax.random.normal(A_KEY)\n" in result.text


def test_the_first_use_does_not_take_the_key_that_goes_on() -> None:
    """After ``rng, step_rng = split(rng)``, what is carried into the loop should have been ``rng``."""
    body = "    key, k = S(key)\n    x = g(x, N(k))\n    c = jax.lax.fori_loop(0, 3, lambda _, c: h(*c), (k, x))\n"
    head = "def h(k, x):\n    return k, N(k) + x\n\n\ndef f(key, x, g):\n"
    findings = lint_text("example.py", written(f"{head}{body}    return c\n"), Settings()).findings
    assert findings
    assert all(each.fix is None or "`key` on line" not in each.fix.message for each in findings)


def test_a_list_that_is_said_to_hold_one_key_twice_is_possible_only() -> None:
    said = "    # Using the same key twice is fine: the second draw is unused.\n"
    start = "    k = jax.random.key(0)\n\n    def body(c, key):\n        return c + N(key), None\n\n"
    end = "    return jax.lax.scan(body, x, jax.numpy.array([k, k]))\n"
    assert not lint_text("example.py", written(start + said + end), Settings()).findings
    assert lint_text("example.py", written(start + end), Settings()).findings
