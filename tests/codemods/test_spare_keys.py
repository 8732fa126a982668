"""Fixes that take a key which nothing reads any more, and the name of a key where none is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text

IMPORTS = "import jax\n\n\n"


def fixed(body: str) -> str:
    """Return the body of a function after all fixes; ``N`` draws and ``S`` splits."""
    head = f"{IMPORTS}def f(key, x, g):\n"
    text = head + body.replace("N(", "jax.random.normal(").replace("S(", "jax.random.split(")
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert not result.findings and not result.errors and not result.notes
    return result.text.removeprefix(head).replace("jax.random.normal(", "N(").replace("jax.random.split(", "S(")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    key, k = S(key)\n    g(N(k))\n    return N(k)\n",
            "    key, k = S(key)\n    g(N(k))\n    return N(key)\n",
        ),
        (
            "    key, k = S(key)\n    a = N(key)\n    key, k = S(key)\n    return a, key, N(k)\n",
            "    key, k = S(key)\n    a = N(k)\n    key, k = S(key)\n    return a, key, N(k)\n",
        ),
        (
            "    for _ in range(3):\n        key, k = S(key)\n        x += N(k)\n    key, k = S(key)\n    a = N(key)\n"
            "    key, k = S(key)\n    return a, key, N(k)\n",
            "    for _ in range(3):\n        key, k = S(key)\n        x += N(k)\n    key, k = S(key)\n    a = N(k)\n"
            "    key, k = S(key)\n    return a, key, N(k)\n",
        ),
        (
            "    key, _key = S(key)\n    return N(key), N(key)\n",
            "    key, _key = S(key)\n    return N(_key), N(key)\n",
        ),
        (
            "    key, k = S(x)\n    a = N(k)\n    if g:\n        key, k = S(k)\n        N(k)\n    return a, key\n",
            "    key, k = S(x)\n    a = N(k)\n    if g:\n        key, k = S(key)\n        N(k)\n    return a, key\n",
        ),
        (
            "    def h(key, k):\n        return N(key), N(k)\n\n    key, k = S(key)\n    return h(*S(key)), N(key)\n",
            "    def h(key, k):\n        return N(key), N(k)\n\n    key, k = S(key)\n    return h(*S(k)), N(key)\n",
        ),
        (
            "    key, k = S(key)\n    a = N(k) + N(k)\n    for key in x:\n        g(key)\n    return a\n",
            "    key, k = S(key)\n    a = N(k) + N(key)\n    for key in x:\n        g(key)\n    return a\n",
        ),
    ],
    ids=[
        "the parent",
        "bound anew later",
        "read in a loop before",
        "called as its parent",
        "bound anew by what takes it",
        "a name of another",
        "of a loop",
    ],
)
def test_a_key_that_nothing_reads_any_more_is_taken(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    for _ in x:\n        key, k = S(key)\n        g(N(k) + N(k))\n",
            "    for _ in x:\n        key, k, subkey = S(key, 3)\n        g(N(k) + N(subkey))\n",
        ),
        (
            "    key, k = S(key)\n    a = N(k)\n    if x:\n        key = x\n    return a, N(k), key\n",
            "    key, k, subkey = S(key, 3)\n    a = N(k)\n    if x:\n        key = x\n    return a, N(subkey), key\n",
        ),
        (
            "    key, k = S(key)\n    a = N(k)\n    return a, N(k), lambda: N(key)\n",
            "    key, k, subkey = S(key, 3)\n    a = N(k)\n    return a, N(subkey), lambda: N(key)\n",
        ),
    ],
    ids=["the next iteration reads it", "perhaps bound anew", "a function reads it"],
)
def test_a_key_that_may_be_read_is_not_taken(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    a, k, shuffle_key = S(key, 3)\n    mask = N(k)\n    noise = N(k)\n    return mask, noise, a\n",
            "    a, k, shuffle_key, noise_key = S(key, 4)\n    mask = N(k)\n    noise = N(noise_key)\n"
            "    return mask, noise, a\n",
        ),
        (
            "    a, k, noise_key = S(key, 3)\n    mask = N(k)\n    noise = N(k)\n    return mask, noise, a\n",
            "    a, k, noise_key = S(key, 3)\n    mask = N(k)\n    noise = N(noise_key)\n    return mask, noise, a\n",
        ),
    ],
    ids=["for something else", "for this"],
)
def test_a_key_for_something_else_is_not_taken(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    key, k = S(key)\n    a = N(key)\n    b = N(key)\n    return a, b, key\n",
            "    key, k, b_key = S(key, 3)\n    a = N(k)\n    b = N(b_key)\n    return a, b, key\n",
        ),
        (
            "    key, k = S(key)\n    a = N(key)\n    b = N(key)\n    return a, b, key, N(k)\n",
            "    key, k, a_key, b_key = S(key, 4)\n    a = N(a_key)\n    b = N(b_key)\n    return a, b, key, N(k)\n",
        ),
        (
            "    k, s = S(x.key)\n    a = N(k)\n    b = N(k)\n    return x.set(a=a, b=b, key=k)\n",
            "    k, s, b_key = S(x.key, 3)\n    a = N(s)\n    b = N(b_key)\n    return x.set(a=a, b=b, key=k)\n",
        ),
        (
            "    key, next_key = S(key)\n    a = N(key)\n    b = N(key)\n    return a, b, key\n",
            "    key, next_key, b_key = S(key, 3)\n    a = N(key)\n    b = N(b_key)\n    return a, b, next_key\n",
        ),
    ],
    ids=["a spare one and a new one", "two new ones", "in a record", "one to hand on"],
)
def test_a_key_that_is_handed_on_is_not_drawn_from(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    p, k = S(key)\n    a = N(k)\n    if x:\n        b = N(k)\n    else:\n        b = -N(k)\n"
            "    return a, b, p\n",
            "    p, k, a_key = S(key, 3)\n    a = N(a_key)\n    if x:\n        b = N(k)\n    else:\n        b = -N(k)\n"
            "    return a, b, p\n",
        ),
        (
            "    k1, k2 = S(key)\n    a = N(key)\n    b = N(key)\n    return a, b\n",
            "    k1, k2 = S(key)\n    a = N(k1)\n    b = N(k2)\n    return a, b\n",
        ),
    ],
    ids=["one of several arms follows", "children that nothing reads"],
)
def test_several_uses_are_put_right_at_once(before: str, after: str) -> None:
    assert fixed(before) == after


def test_all_further_uses_take_keys_of_the_split_above_at_once() -> None:
    before = "    p, k = S(key)\n    g(N(p))\n    a = N(k)\n    b = N(k)\n    c = N(k)\n    return a, b, c\n"
    after = before.replace("p, k = S(key)", "p, k, b_key, c_key = S(key, 4)")
    assert fixed(before) == after.replace("b = N(k)", "b = N(b_key)").replace("c = N(k)", "c = N(c_key)")
    text = f"{IMPORTS}def f(key, x, g):\n{before}".replace("N(", "jax.random.normal(").replace(
        "S(", "jax.random.split("
    )
    (finding,) = lint_text("example.py", text, Settings()).findings
    assert finding.fix is not None
    assert finding.fix.message == "Split off two more keys, `b_key` and `c_key`, on line 5"


@pytest.mark.parametrize(
    ("split", "again", "split_after"),
    [
        ("key, p1, p2, k = S(key, 4)", "y = N(k)", "key, p1, p2, k, y_key = S(key, 5)"),
        ("key, p1, p2, p3 = S(key, 4)", "y = N(p3)", "key, p1, p2, p3, p4 = S(key, 5)"),
        ("p1, p2, p3, key = S(key, 4)", "y = N(p3)", "p1, p2, p3, key, p4 = S(key, 5)"),
        ("key, key_env = S(key)", "y = N(key_env)", "key, key_env, key_y = S(key, 3)"),
        ("key, k_w, k_b = S(key, 3)", "y = N(k_b)", "key, k_w, k_b, k_y = S(key, 4)"),
        ("key, w_rng, b_rng = S(key, 3)", "y = N(b_rng)", "key, w_rng, b_rng, y_rng = S(key, 4)"),
        ("key, k = S(key)", "y_keys = S(k, 9)", "key, k, y_key = S(key, 3)"),
    ],
)
def test_a_new_key_is_named_as_those_beside_it(split: str, again: str, split_after: str) -> None:
    last = again.partition("(")[2].partition(")")[0].partition(",")[0]
    names = [name for name in split.partition(" = ")[0].split(", ") if name != last]
    body = f"    {{}}\n    g({', '.join(names)}, N({last}))\n    {{}}\n"
    assert fixed(body.format(split, again)).splitlines()[0].strip() == split_after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    if x:\n        a = N(key)\n        return g(a, N(key))\n    return N(key)\n",
            "    if x:\n        key, a_key = S(key)\n        a = N(a_key)\n        return g(a, N(key))\n"
            "    return N(key)\n",
        ),
        (
            "    if x:\n        a = N(key)\n        b = N(key)\n    else:\n        a = b = N(key)\n    return a, b\n",
            "    if x:\n        key, a_key = S(key)\n        a = N(a_key)\n        b = N(key)\n    else:\n"
            "        a = b = N(key)\n    return a, b\n",
        ),
        (
            "    for i in range(3):\n        k = jax.random.fold_in(key, i)\n        a = N(k)\n        g(a, N(k))\n",
            "    for i in range(3):\n        k = jax.random.fold_in(key, i)\n        k, a_key = S(k)\n"
            "        a = N(a_key)\n        g(a, N(k))\n",
        ),
        (
            "    a = N(key)\n    g(a, N(key))\n    key = jax.random.key(1)\n    return N(key)\n",
            "    key, a_key = S(key)\n    a = N(a_key)\n    g(a, N(key))\n    key = jax.random.key(1)\n"
            "    return N(key)\n",
        ),
    ],
    ids=["before a return", "in another arm", "made anew in a loop", "bound anew"],
)
def test_the_last_use_keeps_a_key_that_nothing_reads_after_it(before: str, after: str) -> None:
    assert fixed(before) == after


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ("", "Split it first: `key, subkey = jax.random.split(self.key)`."),
        (
            ", static_argnums=0",
            "`draw` is compiled and keeps the key that it reads first: pass it the key as an argument.",
        ),
    ],
)
def test_a_compiled_method_replaces_no_key(options: str, advice: str) -> None:
    text = (
        "import jax\nfrom functools import partial\n\n\nclass A:\n    def __init__(self, key):\n"
        f"        self.key = key\n\n    @partial(jax.jit{options})\n"
        "    def draw(self):\n        return jax.random.normal(self.key) + jax.random.normal(self.key)\n"
    )
    findings = lint_text("example.py", text, Settings()).findings
    assert findings and all(finding.fix is None for finding in findings)
    assert findings[0].message.endswith(advice)


@pytest.mark.parametrize(
    ("name", "method", "has_fix"),
    [("key", "draw", True), ("key", "__getitem__", False), ("seed", "draw", False), ("_random_state", "draw", False)],
)
def test_what_is_to_be_the_same_at_each_call_stays(name: str, method: str, has_fix: bool) -> None:
    text = (
        f"import jax\n\n\nclass A:\n    def __init__(self, key):\n        self.{name} = key\n\n"
        f"    def {method}(self, i):\n        return jax.random.normal(self.{name})[i]\n\n"
        f"    def both(self):\n        return self.{method}(0), self.{method}(1)\n"
    )
    findings = lint_text("example.py", text, Settings()).findings
    assert findings and any(finding.fix is not None for finding in findings) == has_fix


def test_a_name_of_a_star_import_is_used(tmp_path: Path) -> None:
    (tmp_path / "common.py").write_text("import jax\n")
    text = (
        "from common import *\n\n\n"
        "def f(key, g):\n    k1, k2 = jax.random.split(key)\n    g.sample(k1, k2)\n    g.sample(k2)\n\n\n"
        "def h(key, g):\n    g(jax.random.normal(key))\n    g(jax.random.normal(key))\n"
    )
    result = fix_text(str(tmp_path / "a.py"), text, Settings(), unsafe=True)
    assert "import jax" not in result.text and "key, subkey = jax.random.split(key)\n" in result.text
    assert "k1, k2, k3 = jax.random.split(key, 3)\n" in result.text


def test_another_key_for_what_returns_its_key_is_no_fix() -> None:
    body = "    for _ in x:\n        key, k = jax.random.split(key)\n        y, key = h(k)\n        g(y)\n"
    text = f"{IMPORTS}def h(k):\n    return jax.random.normal(k), k\n\n\ndef f(key, x, g):\n{body}"
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert result.text == text and result.findings and not result.notes


def test_equal_names_are_numbered() -> None:
    before = "    y = N(key)\n    g(y)\n    y = N(key)\n    g(y)\n    return N(key)\n"
    assert "    key, y_key, y_key_2 = S(key, 3)\n" in fixed(before)
    assert "    key, subkey, subkey_2, subkey_3 = S(key, 4)\n" in fixed("    return [N(key), N(key), N(key), N(key)]\n")


def test_a_long_line_may_get_longer() -> None:
    """The line length that is assumed without settings is not that of a file with longer lines."""
    long = f"    noise_of_this = N(key, shape=({', '.join(['x.shape'] * 10)}))\n"
    assert "    key, noise_of_this_key = S(key)\n" in fixed(f"{long}    return noise_of_this, N(key)\n")
