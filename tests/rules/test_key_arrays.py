"""Arrays of keys, however they are made and taken apart: equal elements are found where they are used, others quiet."""

from __future__ import annotations

import pytest

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

HEADER = """\
import collections
import jax
import jax.numpy as jnp
from jax import lax, random
"""

BESIDE = """
def unrelated(keys, table):
    for name, keys in table.items():
        table[name] = [keys] * 2
    return jnp.repeat(jnp.ones(3), 2), {key: 0 for key in table}
"""

EQUAL = {
    "array": "jnp.array([key, key, key])",
    "stack": "jnp.stack([key, key, key])",
    "concatenate": "jnp.concatenate([key[None], key[None], key[None]])",
    "repeat": "jnp.repeat(key[None], 3, axis=0)",
    "broadcast_to": "jnp.broadcast_to(key, (3, *key.shape))",
    "at": "random.split(key, 3).at[1].set(random.split(key, 3)[0])",
    "product": "[key] * 3",
    "product of a number": "[key] * number",
    "list": "[key, key, key]",
    "comprehension": "[key for _ in range(3)]",
    "tree": "jax.tree.map(lambda x: key, [1, 2, 3])",
}
DISTINCT = {
    "split": "random.split(key, 3)",
    "array": "jnp.array([*random.split(key, 3)])",
    "stack": "jnp.stack(list(random.split(key, 3)))",
    "repeated children": "jnp.repeat(random.split(key, 3), 1, axis=0)",
    "slice": "random.split(key, 5)[:3]",
    "reversed": "random.split(key, 3)[::-1]",
    "roll": "jnp.roll(random.split(key, 3), 1, axis=0)",
    "folded": "jax.vmap(lambda i: random.fold_in(key, i))(jnp.arange(3))",
    "made": "jax.vmap(random.key)(jnp.arange(3))",
    "comprehension": "[random.fold_in(key, i) for i in range(3)]",
    "deque": "collections.deque(random.split(key, 3))",
}
OF_ANY = {
    "for": "out = []\n    for k in keys:\n        out.append(random.normal(k))\n    return out",
    "comprehension": "return [random.normal(k) for k in keys]",
    "zip": "return [random.normal(k) * i for k, i in zip(keys, range(3))]",
    "index": "return random.normal(keys[0]), random.normal(keys[1])",
    "index in a loop": "return [random.normal(keys[i]) for i in range(3)]",
    "unpack": "a, b, c = keys\n    return random.normal(a), random.normal(b), random.normal(c)",
    "tree": "return jax.tree.map(random.normal, list(keys))",
}
OF_ARRAYS = {
    "scan": "return lax.scan(lambda c, k: (c, random.normal(k)), 0, keys)[1]",
    "map": "return lax.map(random.normal, keys)",
    "fori_loop": "return lax.fori_loop(0, 3, lambda i, t: t + random.normal(keys[i]), 0.0)",
}
LISTS = {"product", "product of a number", "list", "comprehension", "tree", "deque"}


def told(constructor: str, use: str, make: str, beside: str) -> bool:
    """Return whether a reuse is found by default in a function that makes keys and uses them."""
    text = f"{HEADER}{beside}\n\ndef f(number):\n    key = {make}(number)\n    keys = {constructor}\n    {use}\n"
    checked = check(Document("program.py", text), min_confidence=Confidence.LIKELY)
    assert not checked.errors
    return any(report.finding.code in ("OLY104", "OLY108") for report in checked.reports)


@pytest.mark.parametrize("make", ["random.PRNGKey", "random.key"])
@pytest.mark.parametrize("beside", ["", BESIDE], ids=["alone", "beside"])
@pytest.mark.parametrize("name", EQUAL)
def test_equal_elements_are_found(name: str, beside: str, make: str) -> None:
    uses = OF_ANY if name in LISTS else OF_ANY | OF_ARRAYS
    assert [use for use, text in uses.items() if not told(EQUAL[name], text, make, beside)] == []


@pytest.mark.parametrize("make", ["random.PRNGKey", "random.key"])
@pytest.mark.parametrize("beside", ["", BESIDE], ids=["alone", "beside"])
@pytest.mark.parametrize("name", DISTINCT)
def test_distinct_elements_are_quiet(name: str, beside: str, make: str) -> None:
    uses = OF_ANY if name in LISTS else OF_ANY | OF_ARRAYS
    assert [use for use, text in uses.items() if told(DISTINCT[name], text, make, beside)] == []


@pytest.mark.parametrize("use", OF_ANY | OF_ARRAYS)
def test_a_tiled_raw_key_is_an_array_of_copies(use: str) -> None:
    assert told("jnp.tile(key, (3, 1))", (OF_ANY | OF_ARRAYS)[use], "random.PRNGKey", "")


ONE = ["[key] * 1", "[key]", "jnp.broadcast_to(key, (1, *key.shape))", "jnp.repeat(key[None], 1, axis=0)", "key[None]"]


@pytest.mark.parametrize("make", ["random.PRNGKey", "random.key"])
@pytest.mark.parametrize("constructor", ONE)
def test_one_copy_is_used_once(constructor: str, make: str) -> None:
    uses = {name: text for name, text in (OF_ANY | OF_ARRAYS).items() if "[1]" not in text}
    uses = {name: text for name, text in uses.items() if "a, b, c" not in text and "range" not in text}
    uses = {name: text for name, text in uses.items() if name in OF_ANY or not constructor.startswith("[")}
    assert [use for use, text in uses.items() if told(constructor, text, make, "")] == []
