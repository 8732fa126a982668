"""Findings and fixes together: fixed until nothing is left, the program lints clean and runs under JAX."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from handmade import document
from searches import each_once

from olympus_codemods.fixes import apply_fixes, fix_for
from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.rules import all_rules

MISUSES = {
    "reuse": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    a = {random}.uniform(key, (3,))\n"
        "    return a, {random}.uniform(key, (3,))\n"
    ),
    "three-draws": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    a = {random}.normal(key)\n"
        "    b = {random}.normal(key)\n    return a, b, {random}.normal(key)\n"
    ),
    "loop": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    xs = []\n    for _ in range(4):\n"
        "        xs.append({random}.uniform(key))\n    return xs\n"
    ),
    "comprehension": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    return [{random}.uniform(key) for _ in range(4)]\n"
    ),
    "helper": (
        "def draw(key):\n    return {random}.uniform(key)\n\n\n"
        "def f(seed):\n    key = {random}.{make}(seed)\n"
        "    a = draw(key)\n    key, sub = {random}.split(key)\n    return a, draw(key), draw(sub)\n"
    ),
    "dead-child": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    key, sub = {random}.split(key)\n"
        "    return {random}.normal(key), {random}.uniform(key)\n"
    ),
    "two-splits": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    a, b = {random}.split(key)\n"
        "    c, d = {random}.split(key)\n    return [{random}.uniform(k) for k in (a, b, c, d)]\n"
    ),
    "arithmetic": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    keys = key + jnp.arange(5)[:, None]\n"
        "    return jax.vmap({random}.uniform)(keys)\n"
    ),
    "buffer-word": (
        "def f(seed):\n    key = {random}.{make}(seed)\n    new = {random}.{make}(key[1])\n"
        "    return {random}.uniform(new), {random}.uniform(key)\n"
    ),
    "in-axes": (
        "def f(seed):\n    key = {random}.{make}(seed)\n"
        "    return jax.vmap({random}.uniform, in_axes=1)({random}.split(key))\n"
    ),
}
STYLES = {
    "jax.random": "import jax\nimport jax.numpy as jnp\n\n\n",
    "jr": "import jax\nimport jax.numpy as jnp\nfrom jax import random as jr\n\n\n",
}


def fix_all(text: str) -> tuple[str, int]:
    """Apply every fix until nothing changes; return the text and how many findings are left in it."""
    rules = [rule for rule in all_rules().values() if rule.default]
    for _ in range(10):
        doc = document(text)
        checked = check(doc, rules)
        assert not checked.errors
        sure = [report for report in checked.reports if report.finding.confidence >= Confidence.LIKELY]
        fixes = [fix for report in sure if (fix := fix_for(report, doc)) is not None]
        text, applied = apply_fixes(text, fixes)
        ast.parse(text)
        if not applied:
            return text, len(sure)
    raise AssertionError(f"the fixes do not come to an end:\n{text}")


@pytest.mark.parametrize("make", ["key", "PRNGKey"])
@pytest.mark.parametrize(("misuse", "style"), each_once(MISUSES, STYLES))
def test_misuse_is_fixed(misuse: str, style: str, make: str) -> None:
    before = STYLES[style] + MISUSES[misuse].format(random=style, make=make)
    after, left = fix_all(before)
    assert before != after
    assert left == 0, after
    jax = pytest.importorskip("jax", reason="needs JAX, the extra `trace`")
    namespace: dict[str, Any] = {}
    exec(compile(after, "program.py", "exec"), namespace)
    with jax.enable_custom_prng(), jax.debug_key_reuse(True):  # raw keys are checked as typed ones
        leaves = jax.tree.leaves(namespace["f"](7))
    drawn = jax.numpy.concatenate([jax.numpy.ravel(leaf) for leaf in leaves])
    assert len(jax.numpy.unique(drawn)) == drawn.size


def test_fixes_of_several_rules_share_their_imports() -> None:
    text = (
        "import jax.numpy as jnp\nfrom jax.random import PRNGKey, split\n\n\ndef f(rng: PRNGKey):\n"
        "    batch = jnp.zeros(rng.shape[:-1])\n    return split(rng), batch, rng.dtype == jnp.uint32\n"
    )
    assert fix_all(text) == (
        "import jax\nimport jax.numpy as jnp\nfrom jax.random import split\n\n\ndef f(rng: jax.Array):\n"
        "    batch = jnp.zeros(jax.random.key_data(rng).shape[:-1])\n"
        "    return split(rng), batch, not jnp.issubdtype(rng.dtype, jax.dtypes.prng_key)\n",
        0,
    )
