"""A message says what the fix does, in the words of the fix, with the code that it writes."""

from __future__ import annotations

import re

import pytest

from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import apply

IMPORTS = "import jax\n\n\ndef f(key, x, g):\n"


@pytest.mark.parametrize(
    ("body", "does"),
    [
        ("    a = N(key)\n    return a, N(key)\n", "Split `key` before line 5: `key, a_key = S(key)`"),
        (
            "    a = N(key)\n    b = N(key)\n    return a, b, N(key)\n",
            "Split `key` into three before line 5: `key, a_key, b_key = S(key, 3)`",
        ),
        (
            "    for _ in x:\n        g(N(key))\n",
            "Split `key` before line 6: `key, subkey = S(key)`",
        ),
        ("    k1, k2 = S(key)\n    return N(k1) + N(k1)\n", "Use the unused child `k2` on line 6"),
        ("    key, k = S(key)\n    return N(k) + N(k)\n", "Use the unused child `key` on line 6"),
        (
            "    k1, k2 = S(key)\n    return N(k1) + N(k2) + N(k1)\n",
            "Split off one more key, `k3`, on line 5: `k1, k2, k3 = S(key, 3)`",
        ),
        (
            "    k1, k2 = S(key, num=2)\n    return N(k1) + N(k2) + N(key)\n",
            "Split off one more key, `k3`, on line 5: `k1, k2, k3 = S(key, num=3)`",
        ),
        (
            "    _, k = S(key)\n    a = N(k)\n    return a, N(k)\n",
            "Keep the child `_` as `subkey` on line 5: `subkey, k = S(key)`",
        ),
        (
            "    for _ in x:\n        a, b = S(key)\n        g(N(a), N(b))\n",
            "Keep a child as `key` on line 6: `key, a, b = S(key, 3)`",
        ),
        (
            "    keys = S(key, 3)\n    return N(keys[0]) + N(keys[0]), N(keys[2])\n",
            "Use the unused child `keys[1]` on line 6",
        ),
        (
            "    keys = S(key)\n    return N(keys[0]) + N(keys[0]), N(keys[1])\n",
            "Split off one more key, `keys[2]`, on line 5: `keys = S(key, 3)`",
        ),
        (
            "    return [N(key) + x[i] for i in range(9)]\n",
            "Split `key` once for each element: `for i, k in enumerate(S(key, 9))`",
        ),
        (
            "    key, k = S(key)\n    a = N(key)\n    b = N(key)\n    return a, b, key\n",
            "Split off one more key, `b_key`, and use the unused child `k`, on line 5: `key, k, b_key = S(key, 3)`",
        ),
        (
            "    key, next_key = S(key)\n    a = N(key)\n    b = N(key)\n    return a, b, key\n",
            "Split off one more key, `b_key`, and hand on `next_key`, on line 5: `key, next_key, b_key = S(key, 3)`",
        ),
        (
            "    key, k = S(key)\n    a = N(key)\n    b = N(key)\n    return a, b, key, N(k)\n",
            "Split off two more keys, `a_key` and `b_key`, on line 5: `key, k, a_key, b_key = S(key, 4)`",
        ),
    ],
)  # fmt: skip
def test_a_message_says_what_the_fix_does(body: str, does: str) -> None:
    spelled = {"N(": "jax.random.normal(", "S(": "jax.random.split("}
    text, does = (re.sub(r"\b[NS]\(", lambda found: spelled[found[0]], each) for each in (IMPORTS + body, does))
    (finding,) = lint_text("example.py", text, Settings()).findings
    assert finding.fix is not None
    title, _, code = does.partition(": `")
    assert (finding.fix.message, finding.message) == (title, f"{finding.claim} {does}.")
    assert not code or code.removesuffix("`") in apply(text, [finding])[0]


def test_without_a_fix_the_rule_says_what_to_do() -> None:
    text = f"{IMPORTS}    if jax.random.normal(key) > 0:\n        g(jax.random.normal(key))\n"
    (finding,) = lint_text("example.py", text, Settings()).findings
    assert finding.fix is None
    assert finding.message.endswith("Split it first: `key, subkey = jax.random.split(key)`.")
