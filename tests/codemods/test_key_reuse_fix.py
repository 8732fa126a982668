"""OLY104's rewrites: an unused child, a longer split, a split before the first use."""

from __future__ import annotations

import pytest
from handmade import document, fixed, node, place, reuse

from olympus_rules.finding import Applicability
from olympus_rules.keyflow.facts import Place


def fix_reuse(text: str, first: str, again: str = "", *, key: str = "key", nth: int = 0, **attributes: object) -> str:
    """Return the text with a reuse fixed; the two places are found by their source."""
    doc = document(text)
    later = place(doc, again, nth, key=key) if again else None
    made = reuse(doc, place(doc, first, key=key), later, **attributes)
    result, fix = fixed(doc, "OLY104", made)
    assert fix is None or fix.applicability is Applicability.UNSAFE
    return result


IMPORTS = "import jax\n\n\n"


def test_split_before_first_use() -> None:
    text = IMPORTS + (
        "def f(key):\n    # a comment\n    a = jax.random.normal(key)  # first\n"
        "    return a + jax.random.uniform(key)\n"
    )
    assert fix_reuse(text, "jax.random.normal(key)", "jax.random.uniform(key)") == IMPORTS + (
        "def f(key):\n    # a comment\n    key, subkey = jax.random.split(key)\n"
        "    a = jax.random.normal(subkey)  # first\n    return a + jax.random.uniform(key)\n"
    )


@pytest.mark.parametrize(
    ("imports", "call", "split", "after"),
    [
        ("import jax\n", "jax.random.normal", "jax.random.split", None),
        ("from jax import random\n", "random.normal", "random.split", None),
        ("from jax import random as jr\n", "jr.normal", "jr.split", None),
        ("import jax.random as jrandom\n", "jrandom.normal", "jrandom.split", None),
        ("import olympus\n", "olympus.random.normal", "olympus.random.split", None),
        ("from jax.random import normal, split as sp\n", "normal", "sp", None),
        ("from jax.random import normal\n", "normal", "split", "from jax.random import normal, split\n"),
        ("from jax.random import bits, key\n", "bits", "split", "from jax.random import bits, key, split\n"),
        ("from jax.random import key, bits\n", "bits", "split", "from jax.random import key, bits, split\n"),
        ("from jax.random import a, z\n", "z", "split", "from jax.random import a, split, z\n"),
        (
            "from jax.random import (\n    normal,\n)\n",
            "normal",
            "split",
            "from jax.random import (\n    normal,\n    split,\n)\n",
        ),
        ("from lib import normal\n", "normal", "jax.random.split", "import jax\nfrom lib import normal\n"),
        ('"""Doc."""\nx = 1\n', "normal", "jax.random.split", '"""Doc."""\nimport jax\nx = 1\n'),
        ("#!python\nx = 1\n", "normal", "jax.random.split", "#!python\nimport jax\nx = 1\n"),
        (
            "from __future__ import annotations; x = 1\n",
            "f",
            "jax.random.split",
            "from __future__ import annotations; x = 1\nimport jax\n",
        ),
    ],
)
def test_split_is_spelled_as_the_call_beside_it(imports: str, call: str, split: str, after: str | None) -> None:
    body = f"\ndef f(key):\n    a = {call}(key)\n    b = {call}(key)\n"
    expected = f"\ndef f(key):\n    key, subkey = {split}(key)\n    a = {call}(subkey)\n    b = {call}(key)\n"
    assert fix_reuse(imports + body, f"{call}(key)", f"{call}(key)", nth=1) == (after or imports) + expected


def test_shadowed_names_are_not_used() -> None:
    text = "from jax.random import normal\n\ndef f(key, split):\n    a = normal(key)\n    b = normal(key)\n"
    fixed_text = fix_reuse(text, "normal(key)", "normal(key)", nth=1)
    assert "import jax\nfrom jax.random import normal\n" in fixed_text
    assert "key, subkey = jax.random.split(key)" in fixed_text
    local = "from jax.random import normal\n\ndef f(key, split, jax):\n    a = normal(key)\n    b = normal(key)\n"
    assert fix_reuse(local, "normal(key)", "normal(key)", nth=1) == local


def test_imports_inside_a_function_are_seen() -> None:
    text = "def f(key):\n    from jax import random as r\n    a = r.normal(key)\n    b = r.normal(key)\n"
    assert "    key, subkey = r.split(key)\n" in fix_reuse(text, "r.normal(key)", "r.normal(key)", nth=1)


def test_imports_for_the_type_checker_are_not_used() -> None:
    text = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import jax\n\n"
        "def f(key, normal):\n    a = normal(key)\n    b = normal(key)\n"
    )
    assert "import TYPE_CHECKING\nimport jax\n" in fix_reuse(text, "normal(key)", "normal(key)", nth=1)


def test_child_gets_a_free_name() -> None:
    text = IMPORTS + "def f(key, subkey):\n    a = jax.random.normal(key)\n    return a, jax.random.bits(key)\n"
    assert "key, subkey_1 = jax.random.split(key)\n    a = jax.random.normal(subkey_1)" in fix_reuse(
        text, "jax.random.normal(key)", "jax.random.bits(key)"
    )


def test_one_statement_holds_both_uses() -> None:
    text = IMPORTS + "def f(key):\n    return jax.random.normal(key), jax.random.bits(key)\n"
    assert fix_reuse(text, "jax.random.normal(key)", "jax.random.bits(key)") == IMPORTS + (
        "def f(key):\n    key, subkey = jax.random.split(key)\n"
        "    return jax.random.normal(subkey), jax.random.bits(key)\n"
    )


def test_loop() -> None:
    text = IMPORTS + "def f(key, n):\n    for i in range(n):\n        use(jax.random.normal(key))\n"
    assert fix_reuse(text, "jax.random.normal(key)", repeated_by="loop") == IMPORTS + (
        "def f(key, n):\n    for i in range(n):\n        key, subkey = jax.random.split(key)\n"
        "        use(jax.random.normal(subkey))\n"
    )


def test_carry_of_scan_is_refreshed_only_when_it_is_returned() -> None:
    text = IMPORTS + "def body(key, x):\n    y = jax.random.normal(key)\n    return {}, y\n"
    returned = fix_reuse(text.format("key"), "jax.random.normal(key)", repeated_by="scan")
    assert "    key, subkey = jax.random.split(key)\n    y = jax.random.normal(subkey)\n" in returned
    assert fix_reuse(text.format("x"), "jax.random.normal(key)", repeated_by="scan") == text.format("x")


def test_attribute_of_a_mutable_object() -> None:
    text = IMPORTS + (
        "class Agent{}:\n    def __init__(self, key):\n        self.key = key\n\n"
        "    def act(self):\n        return jax.random.normal(self.key)\n"
    )
    plain = text.format("")
    assert fix_reuse(plain, "jax.random.normal(self.key)", key="self.key", repeated_by="call").endswith(
        "        self.key, subkey = jax.random.split(self.key)\n        return jax.random.normal(subkey)\n"
    )
    frozen = text.format("(eqx.Module)")
    assert fix_reuse(frozen, "jax.random.normal(self.key)", key="self.key", repeated_by="call") == frozen


def test_longer_split() -> None:
    text = IMPORTS + (
        "def f(key):\n    a, b = jax.random.split(key)\n    x = g(a, b)\n    return x, jax.random.normal(key)\n"
    )
    assert fix_reuse(text, "jax.random.split(key)", "jax.random.normal(key)") == text.replace(
        "a, b = jax.random.split(key)", "a, b, subkey = jax.random.split(key, 3)"
    ).replace("normal(key)", "normal(subkey)")


def test_longer_split_is_not_used_where_it_may_not_have_run() -> None:
    text = IMPORTS + (
        "def f(key, c):\n    if c:\n        a, b = jax.random.split(key, num=2)\n    return jax.random.normal(key)\n"
    )
    assert fix_reuse(text, "jax.random.split(key, num=2)", "jax.random.normal(key)") == text.replace(
        "        a, b = jax.random.split(key, num=2)\n",
        "        key, subkey = jax.random.split(key)\n        a, b = jax.random.split(subkey, num=2)\n",
    )


def test_unused_child_is_taken() -> None:
    text = IMPORTS + (
        "def f(key, x):\n    key, sub = jax.random.split(key)\n"
        "    return jax.random.normal(key), jax.random.permutation(key, x)\n"
    )
    assert fix_reuse(text, "jax.random.normal(key)", "jax.random.permutation(key, x)", unused=("sub",)) == text.replace(
        "permutation(key", "permutation(sub"
    )


def test_unused_child_goes_to_the_draw_and_not_to_the_next_split() -> None:
    text = IMPORTS + (
        "def f(key, n):\n    for i in range(n):\n        key, sub = jax.random.split(key)\n"
        "        use(jax.random.normal(key))\n"
    )
    doc_first, doc_again = "jax.random.normal(key)", "jax.random.split(key)"
    assert fix_reuse(text, doc_first, doc_again, unused=("sub",), repeated_by="loop") == text.replace(
        "normal(key)", "normal(sub)"
    )


@pytest.mark.parametrize("binding", ["subs = jax.random.split(key, 5)", "if x:\n        _, subs = jax.random.split(x)"])
def test_unused_key_array_or_unsure_child_is_not_taken(binding: str) -> None:
    text = IMPORTS + f"def f(key, x):\n    {binding}\n    a = jax.random.normal(key)\n    b = jax.random.bits(key)\n"
    assert "key, subkey = jax.random.split(key)" in fix_reuse(
        text, "jax.random.normal(key)", "jax.random.bits(key)", unused=("subs",)
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "[jax.random.normal(key) for _ in range(3)]",
            "[jax.random.normal(k) for k in jax.random.split(key, 3)]",
        ),
        (
            "[x[i] + jax.random.normal(key) for i in range(len(x)) if i]",
            "[x[i] + jax.random.normal(k) for i, k in enumerate(jax.random.split(key, len(x))) if i]",
        ),
        ("{i: jax.random.normal(key) for i in x}", None),
        ("[jax.random.normal(key) + f(key) for i in range(3)]", None),
        ("[jax.random.normal(key) for i in range(3) for j in range(4)]", None),
    ],
)
def test_comprehension(before: str, after: str | None) -> None:
    text = IMPORTS + f"def f(key, x):\n    return {before}\n"
    result = fix_reuse(text, "jax.random.normal(key)", repeated_by="comprehension")
    assert result == IMPORTS + f"def f(key, x):\n    return {after or before}\n"


@pytest.mark.parametrize(
    "body",
    [
        "def f(key):\n    g = lambda: jax.random.normal(key)\n    return g, jax.random.bits(key)\n",
        "def f(key):\n    if jax.random.normal(key) > 0:\n        return jax.random.bits(key)\n",
        "def f(key):\n    while jax.random.normal(key) > 0:\n        jax.random.bits(key)\n",
        "def f(key):\n    if x: a = jax.random.normal(key)\n    b = jax.random.bits(key)\n",
        "def f(key):\n    x = 1; a = jax.random.normal(key)\n    b = jax.random.bits(key)\n",
        "class A:\n    a = jax.random.normal(key)\n    b = jax.random.bits(key)\n",
        "def f(x):\n    for key in x:\n        jax.random.normal(key)\n        jax.random.bits(key)\n",
        "def f(key):\n    def g():\n        a = jax.random.normal(key)\n        b = jax.random.bits(key)\n",
        "def f(key):\n    def g(x=jax.random.normal(key)):\n        pass\n    b = jax.random.bits(key)\n",
        "def f(key):\n    a = jax.random.normal(key)\n    def g():\n        b = jax.random.bits(key)\n",
        "def f(key):\n    a = [jax.random.normal(key) for x in y]\n    b = jax.random.bits(key)\n",
        "def f(key):\n    key = jax.random.normal(key)\n    b = jax.random.bits(key)\n",
        "def f(k):\n    key = {'params': k}\n    jax.random.normal(key)\n    jax.random.bits(key)\n",
        "def f(key, k):\n    key['a'] = k\n    jax.random.normal(key)\n    jax.random.bits(key)\n",
        "def f():\n    global key\n    a = jax.random.normal(key)\n    b = jax.random.bits(key)\n",
    ],
)
def test_left_alone(body: str) -> None:
    assert fix_reuse(IMPORTS + body, "jax.random.normal(key)", "jax.random.bits(key)") == IMPORTS + body


def test_first_use_in_the_header_of_a_for_statement() -> None:
    text = IMPORTS + "def f(key):\n    for x in jax.random.normal(key, (3,)):\n        g(jax.random.bits(key), x)\n"
    assert "    key, subkey = jax.random.split(key)\n    for x in jax.random.normal(subkey, (3,)):\n" in fix_reuse(
        text, "jax.random.normal(key, (3,))", "jax.random.bits(key)"
    )


def test_first_use_in_the_source_of_a_comprehension() -> None:
    body = "def f(key):\n    a = [x for x in jax.random.normal(key)]\n    b = jax.random.bits(key)\n"
    assert "    key, subkey = jax.random.split(key)\n    a = [x for x in jax.random.normal(subkey)]\n" in fix_reuse(
        IMPORTS + body, "jax.random.normal(key)", "jax.random.bits(key)"
    )


def test_key_in_a_container() -> None:
    body = "def f(key):\n    a = init({'params': key})\n    b = init(key)\n"
    doc = document(IMPORTS + body)
    first = Place(node(doc, "init({'params': key})"), "init", node(doc, "{'params': key}"))
    result, _ = fixed(doc, "OLY104", reuse(doc, first, place(doc, "init(key)")))
    assert "    key, subkey = jax.random.split(key)\n    a = init({'params': subkey})\n    b = init(key)" in result


def test_two_names_of_one_key_are_left_alone() -> None:
    text = IMPORTS + "def f(key):\n    k = key\n    a = jax.random.normal(key)\n    b = jax.random.bits(k)\n"
    doc = document(text)
    again = Place(node(doc, "jax.random.bits(k)"), "jax.random.bits", node(doc, "k", 1))
    assert fixed(doc, "OLY104", reuse(doc, place(doc, "jax.random.normal(key)"), again)) == (text, None)


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_endings_are_those_of_the_file(newline: str) -> None:
    text = IMPORTS + "def f(key):\n\tü = jax.random.normal(key)\n\treturn jax.random.bits(key)"
    text = text.replace("\n", newline)
    assert fix_reuse(text, "jax.random.normal(key)", "jax.random.bits(key)") == (
        IMPORTS + "def f(key):\n\tkey, subkey = jax.random.split(key)\n\tü = jax.random.normal(subkey)\n"
        "\treturn jax.random.bits(key)"
    ).replace("\n", newline)
