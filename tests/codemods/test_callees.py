"""A codemod that replaces a call, or reads its arguments, resolves the callee first: all others keep their numbers."""

from __future__ import annotations

import pytest
from migrated import FAILED, migrated, numbers, rules

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

IMPORTS = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from jax.numpy import expand_dims as wide, full as filled, stack as pile, zeros as blank
from jax.random import split

key = random.PRNGKey(0)
keys = random.split(key, 4)
draw = jax.vmap(random.normal)
"""

# programs in which a function other than that of JAX is called as a codemod expects, or one under another name
PROGRAMS = {
    "own function that splits": "def lanes(k, n):\n    return jax.vmap(lambda i: random.fold_in(k, i))(jnp.arange(n))\n"
    "result = jax.vmap(draw)(lanes(key, 4).reshape(2, 2, 2))",
    "own function of more arguments": "def lanes(k, n, m):\n    return split(random.fold_in(k, m), n)\n"
    "result = jax.vmap(draw)(lanes(key, 4, 7).reshape(2, 2, 2))",
    "tile": "result = draw(jnp.tile(key, 3).reshape(3, 2))",
    "stack": "result = draw(jnp.stack([keys[0], keys[1]]).reshape(2, 2))",
    "parameter of that name": "def f(split):\n    return jax.vmap(draw)(split(key, 4).reshape(2, 2, 2))\n"
    "result = f(lambda k, n: random.split(random.fold_in(k, 1), n))",
    "variable of a comprehension": "makes = [lambda k, n: random.split(random.fold_in(k, 1), n)]\n"
    "result = [jax.vmap(draw)(split(key, 4).reshape(2, 2, 2)) for split in makes]",
    "definition over an import": "def split(k, n=2):\n    return random.split(random.fold_in(k, 5), n)\n\n"
    "result = jax.vmap(draw)(split(key, 4).reshape(2, 2, 2))",
    "method": "class Keys:\n    def split(self, k, n):\n        return random.split(random.fold_in(k, 2), n)\n"
    "result = jax.vmap(draw)(Keys().split(key, 4).reshape(2, 2, 2))",
    "last of own keys": "def lanes(name, n):\n    return random.split(key, n)\n"
    "result = [random.normal(lanes('a', i + 1)[i]) for i in range(3)]",
    "last of starred keys": "result = [random.normal(split(*[key, i + 1])[i]) for i in range(3)]",
    "stack by another name": "result = pile([keys, keys[::-1]], axis=-2)",
    "stack in a variable": "st = jnp.stack\nresult = st([keys, keys[::-1]], axis=-2)",
    "expand_dims by another name": "result = wide(keys, axis=-2)",
    "zeros by another name": "buffer = blank((4, 2), jnp.uint32)\n"
    "buffer = buffer.at[0].set(key)\nresult = draw(buffer)",
    "full by another name": "buffer = filled((4, 2), 0, jnp.uint32)\nresult = draw(buffer.at[0].set(key))",
}


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_what_is_called_is_resolved(body: str) -> None:
    text = f"{IMPORTS}{body}\n"
    before = numbers(text, typed=False)
    assert before != FAILED
    after = migrated(text)
    assert numbers(after, typed=False) == before, after
    if numbers(after, typed=True) not in (before, FAILED):  # then it is left, and reported
        assert check(Document("program.py", after), rules(), min_confidence=Confidence.LIKELY).reports, after
