"""OLY104's rewrites: an unused child, a longer split, a split before the first use."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest
from handmade import document, fixed, node, place, reuse

from olympus_codemods.fixes import apply_fixes, fix_for, fix_for_all
from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text
from olympus_rules.check import check
from olympus_rules.finding import Applicability, Edit, Fix, Position, Span
from olympus_rules.further import grouped
from olympus_rules.keyflow.facts import Place
from olympus_rules.rule import Report
from olympus_rules.syntax import Document


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
        "def f(key):\n    # a comment\n    key, a_key = jax.random.split(key)\n"
        "    a = jax.random.normal(a_key)  # first\n    return a + jax.random.uniform(key)\n"
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
    expected = f"\ndef f(key):\n    key, a_key = {split}(key)\n    a = {call}(a_key)\n    b = {call}(key)\n"
    assert fix_reuse(imports + body, f"{call}(key)", f"{call}(key)", nth=1) == (after or imports) + expected


def test_shadowed_names_are_not_used() -> None:
    text = "from jax.random import normal\n\ndef f(key, split):\n    a = normal(key)\n    b = normal(key)\n"
    fixed_text = fix_reuse(text, "normal(key)", "normal(key)", nth=1)
    assert "import jax\nfrom jax.random import normal\n" in fixed_text
    assert "key, a_key = jax.random.split(key)" in fixed_text
    local = "from jax.random import normal\n\ndef f(key, split, jax):\n    a = normal(key)\n    b = normal(key)\n"
    assert fix_reuse(local, "normal(key)", "normal(key)", nth=1) == local


def test_imports_inside_a_function_are_seen() -> None:
    text = "def f(key):\n    from jax import random as r\n    a = r.normal(key)\n    b = r.normal(key)\n"
    assert "    key, a_key = r.split(key)\n" in fix_reuse(text, "r.normal(key)", "r.normal(key)", nth=1)


def test_imports_for_the_type_checker_are_not_used() -> None:
    text = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import jax\n\n"
        "def f(key, normal):\n    a = normal(key)\n    b = normal(key)\n"
    )
    assert "import TYPE_CHECKING\nimport jax\n" in fix_reuse(text, "normal(key)", "normal(key)", nth=1)


def test_child_gets_a_free_name() -> None:
    text = IMPORTS + "def f(key, a_key):\n    a = jax.random.normal(key)\n    return a, jax.random.bits(key)\n"
    assert "key, subkey = jax.random.split(key)\n    a = jax.random.normal(subkey)" in fix_reuse(
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
    assert "    key, y_key = jax.random.split(key)\n    y = jax.random.normal(y_key)\n" in returned
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
        "        key, a, b = jax.random.split(key, num=3)\n",
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
    assert "key, a_key = jax.random.split(key)" in fix_reuse(
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
    assert "    key, a_key = jax.random.split(key)\n    a = [x for x in jax.random.normal(a_key)]\n" in fix_reuse(
        IMPORTS + body, "jax.random.normal(key)", "jax.random.bits(key)"
    )


def test_key_in_a_container() -> None:
    body = "def f(key):\n    a = init({'params': key})\n    b = init(key)\n"
    doc = document(IMPORTS + body)
    first = Place(node(doc, "init({'params': key})"), "init", node(doc, "{'params': key}"))
    result, _ = fixed(doc, "OLY104", reuse(doc, first, place(doc, "init(key)")))
    assert (
        "    key, params_key = jax.random.split(key)\n    a = init({'params': params_key})\n    b = init(key)" in result
    )


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
        IMPORTS + "def f(key):\n\tkey, ü_key = jax.random.split(key)\n\tü = jax.random.normal(ü_key)\n"
        "\treturn jax.random.bits(key)"
    ).replace("\n", newline)


def names_of(body: str, *, key: str = "key", first: str = "jax.random.normal", imports: str = IMPORTS) -> str:
    """Return the line with the split that a fix has written or made longer."""
    doc = document(imports + body)
    calls = [each for each in ast.walk(doc.tree) if isinstance(each, ast.Call) and doc.segment(each.func) == first]
    calls.sort(key=lambda each: (each.lineno, each.col_offset))
    numbers = key_numbers(doc, calls, key)
    one, two, *_ = (Place(call, first, node(doc, key, nth)) for call, nth in zip(calls, numbers, strict=True))
    result, _ = fixed(doc, "OLY104", reuse(doc, one, two))
    return next(line.strip() for line in result.splitlines() if "split(" in line)


def key_numbers(doc: Document, calls: list[ast.Call], key: str) -> list[int]:
    """Return, for each call, which of the expressions that are spelled like a key is inside it."""
    found = [each for each in ast.walk(doc.tree) if isinstance(each, ast.expr) and doc.segment(each) == key]
    found.sort(key=lambda each: (each.lineno, each.col_offset))
    return [next(n for n, each in enumerate(found) if each in ast.walk(call)) for call in calls]


@pytest.mark.parametrize(
    ("uses", "split"),
    [
        ("noise = jax.random.normal(key)", "key, noise_key = jax.random.split(key)"),
        ("self.wi = jax.random.normal(key)", "key, wi_key = jax.random.split(key)"),
        ("newState = 2 * jax.random.normal(key)", "key, new_state_key = jax.random.split(key)"),
        ("x[0] += jax.random.normal(key)", "key, x_key = jax.random.split(key)"),
        ("m, s = 1.0, jax.random.normal(key)", "key, s_key = jax.random.split(key)"),
        ("m = Dense(w=jax.random.normal(key))", "key, w_key = jax.random.split(key)"),
        ("m = {'bias': jax.random.normal(key)}", "key, bias_key = jax.random.split(key)"),
        ("keys = jax.random.normal(key)", "key, subkey = jax.random.split(key)"),
        ("a_name_that_says_more_than_is_needed = jax.random.normal(key)", "key, subkey = jax.random.split(key)"),
        ("print(jax.random.normal(key))", "key, subkey = jax.random.split(key)"),
        ("m, s = jax.random.normal(key)", "key, subkey = jax.random.split(key)"),
        ("m, _ = jax.random.normal(key)", "key, m_key = jax.random.split(key)"),
    ],
)
def test_a_new_key_is_named_after_what_is_made_with_it(uses: str, split: str) -> None:
    assert names_of(f"def f(self, key, x):\n    {uses}\n    return jax.random.normal(key)\n") == split


@pytest.mark.parametrize(
    ("uses", "split"),
    [
        ("model.dropout(x, key)", "key, dropout_key = jax.random.split(key)"),
        ("y = model.dropout(x, key)", "key, y_key = jax.random.split(key)"),
        ("model.dropout(x, noise_key=key)", "key, noise_key = jax.random.split(key)"),
        ("model.dropout(x, prng_key=key)", "key, dropout_key = jax.random.split(key)"),
        ("y = model.dropout(x, rngs={'drop': key})", "key, drop_key = jax.random.split(key)"),
    ],
)
def test_a_new_key_is_named_after_the_callee_or_its_parameter(uses: str, split: str) -> None:
    body = f"def f(model, key, x):\n    {uses}\n    return model.dropout(x, key)\n"
    assert names_of(body, first="model.dropout") == split


def test_a_new_key_of_an_rng_is_called_so() -> None:
    body = "def f(rng):\n    x = jax.random.normal(rng)\n    return jax.random.normal(rng)\n"
    assert names_of(body, key="rng") == "rng, x_rng = jax.random.split(rng)"
    body = "def f(rng):\n    print(jax.random.normal(rng))\n    return jax.random.normal(rng)\n"
    assert names_of(body, key="rng") == "rng, sub_rng = jax.random.split(rng)"


SCRIPT = "key = jax.random.key(0)\n{}print(jax.random.normal(key), jax.random.normal(key))\n"


def test_a_name_of_a_module_hides_no_local_name() -> None:
    assert names_of(SCRIPT.format("def f(normal_key): pass\n")) == "key, subkey = jax.random.split(key)"
    assert names_of(SCRIPT.format("def f(x): return x\n")) == "key, normal_key = jax.random.split(key)"
    script = "def f(): pass\nkey = jax.random.key(0)\nx = jax.random.normal(key)\ny = jax.random.normal(key)\n"
    assert names_of(script) == "key, x_key = jax.random.split(key)"


def test_a_new_key_is_named_as_its_siblings_are() -> None:
    text = IMPORTS + (
        "def f(key):\n    key_a, key_b = jax.random.split(key)\n    g(jax.random.normal(key_a), key_b)\n"
        "    x = jax.random.bits(key_a)\n"
    )
    fixed_text = fix_reuse(text, "jax.random.normal(key_a)", "jax.random.bits(key_a)", key="key_a")
    assert "    key_a, key_b, key_x = jax.random.split(key, 3)\n" in fixed_text
    assert "    x = jax.random.bits(key_x)\n" in fixed_text


def test_a_local_name_hides_no_name_of_the_module() -> None:
    body = "x_key = 3\n\n\ndef f(key):\n    x = jax.random.normal(key)\n    return jax.random.normal(key)\n"
    assert names_of(body) == "key, subkey = jax.random.split(key)"


@pytest.mark.parametrize(
    ("before", "uses", "after", "fixed_uses"),
    [
        ("k1, k2 = jax.random.split(key)", "g(k1, N(k2))\n    x = N(k2)",
         "k1, k2, k3 = jax.random.split(key, 3)", "g(k1, N(k2))\n    x = N(k3)"),
        ("k1, k2 = jax.random.split(key, 2)", "g(k1, N(k2))\n    x = N(k2)",
         "k1, k2, k3 = jax.random.split(key, 3)", "g(k1, N(k2))\n    x = N(k3)"),
        ("k1, k2 = jax.random.split(key, num=2)", "g(k1, N(k2))\n    x = N(k2)",
         "k1, k2, k3 = jax.random.split(key, num=3)", "g(k1, N(k2))\n    x = N(k3)"),
        ("a, k2 = jax.random.split(key)", "g(a, N(k2))\n    x = N(k2)",
         "a, k2, x_key = jax.random.split(key, 3)", "g(a, N(k2))\n    x = N(x_key)"),
        ("(\n        a,  # one\n        k2,\n    ) = jax.random.split(key)", "g(a, N(k2))\n    x = N(k2)",
         "(\n        a,  # one\n        k2, x_key,\n    ) = jax.random.split(key, 3)",
         "g(a, N(k2))\n    x = N(x_key)"),
        ("(\n        a,\n        k2,  # two\n    ) = jax.random.split(key)", "g(a, N(k2))\n    x = N(k2)",
         "(\n        a,\n        k2, x_key,  # two\n    ) = jax.random.split(key, 3)",
         "g(a, N(k2))\n    x = N(x_key)"),
        ("(a,k2) = jax.random.split(key)", "g(a, N(k2))\n    x = N(k2)",
         "(a,k2, x_key) = jax.random.split(key, 3)", "g(a, N(k2))\n    x = N(x_key)"),
        ("k2, a = jax.random.split(k2)", "y = g(a, N(k2))\n    x = N(k2)",
         "k2, a, y_key = jax.random.split(k2, 3)", "y = g(a, N(y_key))\n    x = N(k2)"),
        ("_, k2 = jax.random.split(key)", "y = N(k2)\n    x = N(k2)",
         "x_key, k2 = jax.random.split(key)", "y = N(k2)\n    x = N(x_key)"),
    ],
)  # fmt: skip
def test_the_split_above_gives_one_more(before: str, uses: str, after: str, fixed_uses: str) -> None:
    def text(split: str, body: str) -> str:
        return f"{IMPORTS}def f(key, k2, g):\n    {split}\n    {body.replace('N', 'jax.random.normal')}\n"

    doc = document(text(before, uses))
    at = "jax.random.normal(k2)"
    made = reuse(doc, place(doc, at, key="k2"), place(doc, at, 1, key="k2"))
    assert fixed(doc, "OLY104", made)[0] == text(after, fixed_uses)


@pytest.mark.parametrize(
    "between",
    [
        "    k1 = other(k1)\n",
        "    if x:\n        k1 = x\n",
        "    for k1 in x:\n        pass\n",
    ],
)
def test_a_split_whose_key_was_replaced_stays(between: str) -> None:
    text = IMPORTS + (
        f"def f(key, x):\n    k1, k2 = jax.random.split(key)\n{between}"
        "    g(jax.random.normal(k1))\n    return jax.random.bits(k1), k2\n"
    )
    assert "    k1, k2 = jax.random.split(key)\n" in fix_reuse(
        text, "jax.random.normal(k1)", "jax.random.bits(k1)", key="k1"
    )


def test_a_split_outside_the_loop_gives_nothing_to_the_loop() -> None:
    text = IMPORTS + (
        "def f(key, x):\n    k1, k2 = jax.random.split(key)\n    for _ in x:\n        y = jax.random.normal(k1)\n"
        "    return k2\n"
    )
    assert fix_reuse(text, "jax.random.normal(k1)", key="k1", repeated_by="loop") == text.replace(
        "        y = jax.random.normal(k1)",
        "        k1, y_key = jax.random.split(k1)\n        y = jax.random.normal(y_key)",
    )


def test_a_full_line_gets_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ", ".join(f"a_rather_long_name_{number}" for number in "abc")
    text = IMPORTS + (
        f"def f(key, g):\n    {names} = jax.random.split(key, 3)\n    x = jax.random.normal(a_rather_long_name_a)\n"
        "    g(a_rather_long_name_b, a_rather_long_name_c)\n    return jax.random.bits(a_rather_long_name_a)\n"
    )
    fixed_text = fix_reuse(text, "jax.random.normal(a_rather_long_name_a)", "jax.random.bits(a_rather_long_name_a)",
                           key="a_rather_long_name_a")  # fmt: skip
    assert f"    {names} = jax.random.split(key, 3)\n    a_rather_long_name_a, x_key = " in fixed_text


def test_two_arguments_of_one_call() -> None:
    text = IMPORTS + "def f(key, g):\n    return g(key, key)\n"
    doc = document(text)
    call = node(doc, "g(key, key)")
    made = reuse(doc, Place(call, "g", call.args[0]), Place(call, "g", call.args[1]), repeated_by="arguments")
    assert fixed(doc, "OLY104", made)[0] == text.replace(
        "    return g(key, key)", "    key, g_key = jax.random.split(key)\n    return g(g_key, key)"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "    a = jax.random.normal(key)\n    b = jax.random.normal(key)\n    return a, b, jax.random.normal(key)\n",
            "    key, a_key, b_key = jax.random.split(key, 3)\n    a = jax.random.normal(a_key)\n"
            "    b = jax.random.normal(b_key)\n    return a, b, jax.random.normal(key)\n",
        ),
        (
            "    return Params(w=jax.random.normal(key), b=jax.random.normal(key), c=jax.random.normal(key))\n",
            "    key, w_key, b_key = jax.random.split(key, 3)\n"
            "    return Params(w=jax.random.normal(w_key), b=jax.random.normal(b_key), c=jax.random.normal(key))\n",
        ),
        (
            "    for _ in range(3):\n        a = jax.random.normal(key)\n        use(a, jax.random.uniform(key))\n",
            "    for _ in range(3):\n        key, a_key, subkey = jax.random.split(key, 3)\n"
            "        a = jax.random.normal(a_key)\n        use(a, jax.random.uniform(subkey))\n",
        ),
    ],
)
def test_several_draws_share_one_split(before: str, after: str) -> None:
    result = fix_text("example.py", f"{IMPORTS}def f(key):\n{before}", Settings(), unsafe=True)
    assert result.text == f"{IMPORTS}def f(key):\n{after}"
    assert not result.findings and not result.errors


def test_two_fixes_that_choose_one_name_are_made_one_after_the_other() -> None:
    text = IMPORTS + (
        "def f(key, other, g):\n    a, b = jax.random.split(key)\n    g(jax.random.normal(other))\n"
        "    g(jax.random.bits(other))\n    return a, b, jax.random.bits(key)\n"
    )
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert not result.findings and not result.errors
    assert "    a, b, subkey = jax.random.split(key, 3)\n" in result.text
    assert "    other, bits_key = jax.random.split(other)\n" in result.text or "other, normal_key =" in result.text
    assert "return a, b, jax.random.bits(subkey)" in result.text


def test_what_is_named_as_an_array_of_keys_is_not_split() -> None:
    text = IMPORTS + "def f({0}, g):\n    a = g({0})\n    return a, g({0})\n"
    assert fix_reuse(text.format("keys"), "g(keys)", "g(keys)", nth=1, key="keys") == text.format("keys")
    assert "split(key)" in fix_reuse(text.format("key"), "g(key)", "g(key)", nth=1)


def fixed_file(text: str) -> str:
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert not result.errors
    return result.text


def indexed(uses: str, split: str = "jax.random.split(key, 3)", parameters: str = "key") -> str:
    return f"{IMPORTS}def f({parameters}):\n    keys = {split}\n    {uses.replace('N', 'jax.random.normal')}\n"


@pytest.mark.parametrize(
    ("uses", "split", "after", "split_after"),
    [
        ("x = N(keys[0])\n    return x, N(keys[0]), N(keys[2])", "jax.random.split(key, 3)",
         "x = N(keys[0])\n    return x, N(keys[1]), N(keys[2])", "jax.random.split(key, 3)"),
        ("x = N(keys[0])\n    return x, N(keys[0]), N(keys[-2])", "jax.random.split(key, 3)",
         "x = N(keys[0])\n    return x, N(keys[2]), N(keys[-2])", "jax.random.split(key, 3)"),
        ("x = N(keys[0])\n    return x, N(keys[1]), N(keys[1])", "jax.random.split(key)",
         "x = N(keys[0])\n    return x, N(keys[1]), N(keys[2])", "jax.random.split(key, 3)"),
        ("x = N(keys[0])\n    return x, N(keys[1]), N(keys[1])", "jax.random.split(key, num=2)",
         "x = N(keys[0])\n    return x, N(keys[1]), N(keys[2])", "jax.random.split(key, num=3)"),
    ],
)  # fmt: skip
def test_an_index_that_nothing_takes(uses: str, split: str, after: str, split_after: str) -> None:
    assert fixed_file(indexed(uses, split)) == indexed(after, split_after)


def test_two_reuses_get_two_indices() -> None:
    uses = "return N(keys[0]) + N(keys[0]), N(keys[1]) + N(keys[1])"
    assert fixed_file(indexed(uses)) == indexed(
        "return N(keys[0]) + N(keys[2]), N(keys[1]) + N(keys[3])", "jax.random.split(key, 4)"
    )


@pytest.mark.parametrize(
    ("uses", "split"),
    [
        ("return N(keys[0]) + N(keys[0])", "jax.random.split(key, n)"),
        ("return N(keys[0]) + N(keys[0]), g(keys)", "jax.random.split(key, 3)"),
        ("return N(keys[0]) + N(keys[0]), N(keys[n])", "jax.random.split(key, 3)"),
        ("return N(keys[0]) + N(keys[0]), N(keys[-1])", "jax.random.split(key)"),
        ("keys = keys if n else g\n    return N(keys[0]) + N(keys[0])", "jax.random.split(key, 3)"),
        ("return [N(keys[0]) for _ in g]", "jax.random.split(key, 3)"),
    ],
)
def test_an_array_of_which_not_every_use_is_an_index_stays(uses: str, split: str) -> None:
    text = indexed(uses, split, "key, n, g")
    assert fixed_file(text) == text


def all_fixed(body: str) -> tuple[str, int]:
    """Return a text with all fixes, and in how many passes there was something to fix."""
    text, passes = IMPORTS + "def f(key, x):\n" + body, 0
    while (result := lint_text("a.py", text, Settings())).findings and result.findings[0].fix is not None:
        fixes = [each.fix for each in result.findings if each.fix is not None]
        text, passes = apply_fixes(text, fixes)[0], passes + 1
    return text.removeprefix(IMPORTS + "def f(key, x):\n"), passes


def test_all_uses_in_a_block_get_keys_at_once() -> None:
    names = ("a", "b", "c")
    draws = "".join(f"    {name} = jax.random.normal(key)\n" for name in names)
    assert all_fixed(f"{draws}    return a + b + c + jax.random.uniform(key)\n") == (
        "    key, a_key, b_key, c_key = jax.random.split(key, 4)\n"
        + "".join(f"    {name} = jax.random.normal({name}_key)\n" for name in names)
        + "    return a + b + c + jax.random.uniform(key)\n",
        1,
    )


def test_a_line_has_room_for_so_many_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has no room gets a split of its own, before the first statement that takes one of its keys."""
    monkeypatch.chdir(tmp_path)
    names = ("momentum", "direction", "acceptance", "resampling", "rejuvenation")
    text, passes = all_fixed("".join(f"    x.{name} = jax.random.normal(key)\n" for name in names))
    assert passes == 1 and text == (
        "    key, momentum_key, direction_key, acceptance_key = jax.random.split(key, 4)\n"
        "    x.momentum = jax.random.normal(momentum_key)\n"
        "    x.direction = jax.random.normal(direction_key)\n"
        "    x.acceptance = jax.random.normal(acceptance_key)\n"
        "    key, resampling_key = jax.random.split(key)\n"
        "    x.resampling = jax.random.normal(resampling_key)\n"
        "    x.rejuvenation = jax.random.normal(key)\n"
    )
    call = ", ".join(["jax.random.normal(key)"] * 7)
    text, passes = all_fixed(f"    return [{call}]\n")
    assert passes == 1 and text == (
        "    key, subkey, subkey_2, subkey_3, subkey_4, subkey_5 = jax.random.split(key, 6)\n"
        "    key, subkey_6 = jax.random.split(key)\n    return [jax.random.normal(subkey), "
        + ", ".join(f"jax.random.normal(subkey_{number})" for number in range(2, 7))
        + ", jax.random.normal(key)]\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        "    x += R.normal(key)\n    if x:\n        x += R.bits(key)\n    return R.gumbel(key)\n",
        "    a = R.normal(key)\n    k, _ = R.split(key)\n    return a + R.gumbel(key)\n",
        "    a, b = R.split(key)\n    return a, b, R.normal(key), R.gumbel(key)\n",
        "    k = key\n    x += R.bits(k)\n    x += R.normal(k)\n    k = key\n    return R.gumbel(k)\n",
        "    x += R.bits(key)\n    x += R.normal(key)\n    k = key\n    return R.gumbel(k)\n",
        "    x += R.bits(key)\n    [R.normal(key) for _ in x]\n    return R.gumbel(key)\n",
    ],
    ids=[
        "another block",
        "a split among them",
        "a split above",
        "bound anew before the last",
        "another name",
        "many draws",
    ],
)
def test_what_is_not_one_block_of_draws_is_fixed_in_passes(body: str) -> None:
    doc = document(IMPORTS + "def f(key, x):\n" + body.replace("R.", "jax.random."))
    (group,) = grouped(report for report in check(doc).reports if report.finding.code == "OLY104")
    assert len(group) == 2 and fix_for_all(group, doc) is None
    assert fix_for(group[0], doc) is not None


def test_a_fix_that_ends_nothing_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two fixes, one splits the key and draws from the parent: the text stays as it is there, with a note."""
    from olympus_codemods import fixes

    made = fixes.fix_for

    def wrong(report: Report, document: Document) -> Fix | None:
        fix = made(report, document)
        if fix is None or report.finding.span.start.row > 7:
            return fix
        insertion = Edit(Span(Position(5, 1), Position(5, 1)), "    other, _ = jax.random.split(key)\n")
        return dataclasses.replace(fix, edits=(insertion,))

    draws = "    a = jax.random.normal(key)\n    b = jax.random.normal(key)\n    return a, b\n"
    text = f"{IMPORTS}def f(key):\n{draws}\n\ndef g(key):\n{draws}"
    monkeypatch.setattr(fixes, "fix_for", wrong)
    monkeypatch.setattr(fixes, "is_whole", lambda *_: True)
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert result.text == f"{IMPORTS}def f(key):\n{draws}\n\ndef g(key):\n" + (
        "    key, a_key = jax.random.split(key)\n    a = jax.random.normal(a_key)\n"
        "    b = jax.random.normal(key)\n    return a, b\n"
    )
    assert [note.message for note in result.notes] == ["the fix of OLY104 on line 6 is withheld: it ends no finding."]
    assert (len(result.findings), result.findings[0].fix, result.fixes.total()) == (1, None, 1)


def test_a_place_with_two_reuses_is_fixed_one_after_the_other() -> None:
    text = IMPORTS + (
        "def f(k1, k2, g):\n    a = jax.random.normal(k1)\n    b = jax.random.normal(k2)\n"
        "    return a, b, (lambda k, l: (jax.random.normal(k), jax.random.normal(l)))(k1, k2)\n"
    )
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert not result.findings and not result.notes


@pytest.mark.parametrize(
    "body",
    [
        "    for k in [a, b, a]:\n        jax.random.normal(k)\n",
        "    for k in [a, a]:\n        jax.random.normal(k)\n    return jax.random.normal(a)\n",
        "    keys = (a, a)\n    for k in keys:\n        jax.random.normal(k)\n",
    ],
    ids=["other keys", "used further down", "a tuple that may be used elsewhere"],
)
def test_a_list_that_repeats_a_key_is_put_right_there_or_nowhere(body: str) -> None:
    text = f"{IMPORTS}def f(a, b):\n{body}"
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert result.text == text and result.findings and not result.notes


def test_the_list_is_no_use_of_the_key() -> None:
    """A trace asks whether both uses of a key happen; the list is neither of them."""
    text = f"{IMPORTS}def f(key):\n    for k in [key, key]:\n        jax.random.normal(k)\n"
    (finding,) = lint_text("example.py", text, Settings()).findings
    (place,) = finding.related
    assert (place.span.start, place.aside, finding.other) == (Position(5, 20), True, None)


def test_a_draw_in_a_method_is_told_with_the_calls_that_show_it() -> None:
    text = IMPORTS + (
        "class A:\n    def __init__(self, key):\n        self.rng = key\n\n    def draw(self):\n"
        "        return jax.random.normal(self.rng)\n\n\ndef f(key):\n    a = A(key)\n    return a.draw() + a.draw()\n"
    )
    (finding,) = lint_text("example.py", text, Settings()).findings
    assert [(each.span.start.row, each.message) for each in finding.related] == [
        (14, "first consumed here, by `A.draw`"),
        (9, "`A.draw` draws from it here, and does not replace it"),
    ]
    assert "before line 9: `self.rng, sub_rng = jax.random.split(self.rng)`" in finding.message
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert not result.findings and "        self.rng, sub_rng = jax.random.split(self.rng)\n" in result.text


LENGTHS = [
    ("pyproject.toml", "[tool.ruff]\nline-length = 120\n", 120),
    ("pyproject.toml", "[tool.black]\nline-length = 60\n", 60),
    ("ruff.toml", "line-length = 79\n", 79),
    (".ruff.toml", "line-length = 100\n", 100),
    ("pyproject.toml", "[project]\nname = 'x'\n", 88),
    ("pyproject.toml", "no TOML", 88),
    ("ruff.toml", "line-length = 'long'\n", 88),
]


@pytest.mark.parametrize(("name", "settings", "length"), LENGTHS)
def test_lines_are_as_long_as_the_project_allows(tmp_path: Path, name: str, settings: str, length: int) -> None:
    (tmp_path / name).write_text(settings)
    draws = "".join(f"    part_{number} = jax.random.normal(key)\n" for number in range(12))
    file = tmp_path / "src" / "example.py"
    fixed_text = fix_text(str(file), f"{IMPORTS}def f(key):\n{draws}", Settings(), unsafe=True).text
    longest = max(len(line) for line in fixed_text.splitlines())
    assert length - len(", part_12_key") < longest <= length


def test_a_name_is_short_where_its_line_has_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    draw = "    batched_training_data = jax.random.permutation({}, batched_training_data, 2)\n"
    text = IMPORTS + "def f(key, batched_training_data, steps):\n    for _ in steps:\n    " + draw.format("key")
    fixed_text = fix_text("example.py", text, Settings(), unsafe=True).text
    assert "        key, subkey = jax.random.split(key)\n    " + draw.format("subkey") in fixed_text


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ('params["nu"] = jax.random.normal(key)', "nu_key"),
        ("params[0] = jax.random.normal(key)", "params_key"),
        ("resample_hdp_transitions(params, key)", "hdp_transitions_key"),
        ("step_and_draw(params, key)", "subkey"),
        ("params.append(FullAttention(key))", "full_attention_key"),
        ("dropout(params, key)", "dropout_key"),
    ],
)
def test_a_new_key_is_named_after_a_thing(statement: str, name: str) -> None:
    text = f"{IMPORTS}def f(key, params):\n    {statement}\n    return g(params, key)\n"
    call = ast.unparse(next(node for node in ast.walk(ast.parse(statement)) if is_given_key(node)))
    assert f"    key, {name} = jax.random.split(key)\n" in fix_reuse(text, call, "g(params, key)")


def is_given_key(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and any(ast.unparse(argument) == "key" for argument in node.args)


@pytest.mark.parametrize(
    ("parameters", "before", "split"),
    [
        ("x, key=None", "", "(None, None) if key is None else jax.random.split(key)"),
        ("x, *, key=None", "", "(None, None) if key is None else jax.random.split(key)"),
        ("x, key=None", "    if key is None:\n        key = jax.random.key(0)\n", "jax.random.split(key)"),
        ("x, key=None", "    key = jax.random.fold_in(x, 1)\n", "jax.random.split(key)"),
        ("key, x=None", "", "jax.random.split(key)"),
    ],
)
def test_no_key_is_split_to_none(parameters: str, before: str, split: str) -> None:
    text = (
        f"{IMPORTS}def f({parameters}):\n{before}    a = jax.random.normal(key)\n    return a, jax.random.normal(key)\n"
    )
    result = fix_text("example.py", text, Settings(), unsafe=True)
    assert f"    key, a_key = {split}\n" in result.text and not result.findings


@pytest.mark.parametrize(
    ("body", "fixed_body"),
    [
        (
            "    k1, k2 = jax.random.split(key)\n    a = N(k1) + N(k2)\n    spare, last = jax.random.split(x)\n"
            "    return a + N(k1) + N(last)\n",
            "    k1, k2 = jax.random.split(key)\n    a = N(k1) + N(k2)\n    spare, last = jax.random.split(x)\n"
            "    return a + N(spare) + N(last)\n",
        ),
        (
            "    k1, k2, k3, k4 = jax.random.split(key, 4)\n    return N(k1) + N(k2) + N(k1)\n",
            "    k1, k2, k3, k4 = jax.random.split(key, 4)\n    return N(k1) + N(k2) + N(k3)\n",
        ),
    ],
    ids=["of a nearer split", "one of two"],
)
def test_a_split_is_not_extended_where_a_child_is_spare(body: str, fixed_body: str) -> None:
    text, expected = (
        f"{IMPORTS}def f(key, x):\n{each.replace('N', 'jax.random.normal')}" for each in (body, fixed_body)
    )
    assert fixed_file(text) == expected


def test_advice_is_written_as_the_file_writes_it() -> None:
    text = (
        "import jax.random as jr\n\n\ndef f(k, n):\n    a = jr.normal(k), jr.normal(k)\n"
        "    return a, [[jr.normal(k) for _ in range(n)] for k in jr.split(k)]\n"
    )
    messages = [finding.message for finding in lint_text("example.py", text, Settings()).findings]
    assert any("`k, a_key, a_key_2 = jr.split(k, 3)`" in message for message in messages)
    assert any("`for subkey in jr.split(k, n)`" in message for message in messages)


def test_another_key_for_an_object_that_uses_it_twice_is_no_fix() -> None:
    text = IMPORTS + (
        "class A:\n    def __init__(self, key):\n        self.x = jax.random.normal(key)\n        self.key = key\n\n"
        "    def draw(self):\n        self.key, k = jax.random.split(self.key)\n        return jax.random.normal(k)\n\n"
        "\ndef f(key):\n    key, a_key = jax.random.split(key)\n    a = A(a_key)\n    return a.draw(), key\n"
    )
    result = lint_text("example.py", text, Settings())
    told = [finding for finding in result.findings if finding.span.start.row > 10]
    assert [finding.fix for finding in told] == [None]
    assert "Let `A.__init__` keep a child of the key" in told[0].message


@pytest.mark.parametrize(
    ("body", "fixed_body"),
    [
        (
            "    for _ in x:\n        a, b = jax.random.split(key)\n        N(a, N(b))\n",
            "    for _ in x:\n        key, a, b = jax.random.split(key, 3)\n        N(a, N(b))\n",
        ),
        (
            "    for each in x:\n        _, k = jax.random.split(key)\n        N(k)\n",
            "    for each in x:\n        key, k = jax.random.split(key)\n        N(k)\n",
        ),
        (
            "    if x:\n        _, k = jax.random.split(key)\n        N(k)\n    return N(key)\n",
            "    if x:\n        key, k = jax.random.split(key)\n        N(k)\n    return N(key)\n",
        ),
        (
            "    for _ in x:\n        a, b = jax.random.split(key, x)\n        N(a, N(b))\n",
            "    for _ in x:\n        key, subkey = jax.random.split(key)\n        a, b = jax.random.split(subkey, x)\n"
            "        N(a, N(b))\n",
        ),
    ],
    ids=["in a loop", "in place of a target that nothing reads", "in a branch", "of unknown size"],
)
def test_a_split_keeps_its_parent(body: str, fixed_body: str) -> None:
    text, expected = (
        f"{IMPORTS}def f(key, x):\n{each.replace('N', 'jax.random.normal')}" for each in (body, fixed_body)
    )
    assert fixed_file(text) == expected


@pytest.mark.parametrize(
    ("before", "may_be_none"),
    [
        (
            "    if x and key is not None:\n        key, k = jax.random.split(key)\n        x += k\n",
            True,
        ),
        ("    key, k = (None, None) if key is None else jax.random.split(key)\n", True),
        ("    if key is None:\n        raise ValueError\n", False),
        ("    assert key is not None\n", False),
        ("    key = jax.random.key(0) if key is None else key\n", False),
    ],
)
def test_a_key_may_be_none_after_a_statement(before: str, may_be_none: bool) -> None:
    uses = "    a = jax.random.normal(key)\n    return a, jax.random.normal(key)\n"
    result = fix_text("example.py", f"{IMPORTS}def f(x, key=None):\n{before}{uses}", Settings(), unsafe=True)
    assert ("    key, a_key = (None, None) if key is None else" in result.text) == may_be_none
    assert "a_key = " in result.text


def test_a_key_for_a_split_is_called_so() -> None:
    text = f"{IMPORTS}def f(key, subkey):\n    keys = jax.random.split(key, 9)\n    return keys, subkey, N(key)\n"
    fixed_text = fixed_file(text.replace("N", "jax.random.bits"))
    assert "    key, split_key = jax.random.split(key)\n    keys = jax.random.split(split_key, 9)\n" in fixed_text
