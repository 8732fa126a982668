"""Rewrites that random projects have shown to be wrong: the numbers stay, or the place is left."""

from __future__ import annotations

import pytest
from migrated import assert_migrates, migrated

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

IMPORTS = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import random\n\n"

REWRITTEN = {
    "a mask keeps its parentheses": (
        "keys = random.split(random.PRNGKey(0), 4)\n"
        "result = jax.vmap(random.normal)(jnp.where((jnp.arange(4) > 1)[..., None], keys, keys[::-1]))",
        "(jnp.arange(4) > 1)[(",
    ),
    "a loop over an element": (
        "pair = (0.5, random.PRNGKey(0))\nresult = []\nfor word in pair[1]:\n    result.append(int(word))",
        "in random.key_data(pair[1])",
    ),
    "words of an element that is drawn from as well": (
        "def f(box):\n    return np.random.default_rng(np.asarray(box[0])).random(), random.normal(box[0])\n\n"
        "result = f([random.PRNGKey(0)])",
        "np.asarray(random.key_data(box[0]))",
    ),
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_numbers_stay(name: str) -> None:
    body, expected = REWRITTEN[name]
    assert expected in assert_migrates(f"{IMPORTS}{body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "buffer = np.zeros((2, 2), np.uint32)\nbuffer[0] = random.PRNGKey(0)\nresult = random.normal(buffer[0])",
        "def f(keys):\n    return jax.vmap(jax.vmap(random.normal))(jnp.stack([keys, keys], axis=-2))",
    ],
    ids=["a buffer that is filled in place", "a stack of arrays of unknown rank"],
)
def test_left(body: str) -> None:
    assert migrated(f"{IMPORTS}{body}\n") == f"{IMPORTS}{body}\n"
