"""Shapes of keys that are given to something else than keys: the constructor stays, as the numbers would be others."""

from __future__ import annotations

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax.random import normal

key = jax.random.PRNGKey(0)
keys = jax.random.split(key, 4)
"""
HELD = {
    "draws": "normal(key, key.shape)",
    "draws by name": "normal(key, shape=key.shape)",
    "numbers": "jnp.ones(key.shape)",
    "numbers of numpy": "np.zeros(keys.shape)",
    "sum of shapes": "jnp.ones((3,) + key.shape)",
    "unpacked": "jnp.ones((3, *keys.shape[1:]))",
    "function": "jnp.ones(jnp.shape(key))",
    "in a tuple of variables": "shape = tuple(key.shape)\njnp.zeros(shape + (2,))",
    "rest": "jnp.ones(keys.shape[1:])",
    "axis of the words": "jnp.ones(key.shape[0])",
    "first axes and the words": "jnp.ones(keys.shape[:2])",
    "compared": "jnp.ones(2).shape == key.shape",
    "returned": "def shape_of(k):\n    return k.shape\n\njnp.ones(shape_of(key))",
    "printed": "print(key.shape)",
    "truth": "bool(key.shape)",
    "loop": "[i for i in key.shape]",
    "count of axes": "jnp.ones(len(key.shape))",
    "count of axes, attribute": "jnp.ones(keys.ndim)",
    "count of words": "jnp.ones(jnp.size(key))",
    "another array": "jnp.arange(2).reshape(key.shape)",
    "broadcast of another array": "jnp.broadcast_to(jnp.arange(2), key.shape)",
    "numbers like a key, by position": "jnp.zeros_like(key, jnp.float32)",
    "numbers like a key": "jnp.ones_like(key, dtype=jnp.float32)",
}
# the forms that the rules write, and those that give a shape to keys
FREE = [
    "keys.reshape(2, 2, *key.shape).transpose(1, 0, *range(2, 2 + key.ndim))",
    "keys.reshape((-1, *keys.shape[1:]))",
    "jnp.broadcast_to(key, (3, *key.shape)), jnp.broadcast_to(key, (3,) + key.shape)",
    "jnp.tile(keys, (2,) + (1,) * key.ndim)",
    "jnp.where(jnp.arange(4).reshape(-1, *(1,) * len(key.shape)) > 2, keys, keys[::-1])",
    "jnp.zeros((4, *key.shape), key.dtype).at[0].set(key)",
    "jnp.zeros(keys.shape[0]), jnp.zeros(keys.shape[:1]), keys.shape[0] + 1",
    "keys[0].shape == key.shape",
    "jax.ShapeDtypeStruct(key.shape, key.dtype)",
    "jnp.expand_dims(jnp.arange(4), tuple(range(1, keys.ndim)))",
    "jnp.zeros_like(key), jnp.empty_like(keys)",
    "shape = keys.shape\njnp.reshape(keys, (2, 2, *shape[1:]))\njnp.zeros(shape[0])",
]


def migrated(body: str, *, strict: bool = True) -> Migration:
    return migrate([Text("program.py", Settings(), f"{HEAD}{body}\n")], Target("typed"), strict=strict)


@pytest.mark.parametrize("body", HELD.values(), ids=HELD.keys())
def test_shape_with_words(body: str) -> None:
    migration = migrated(body)
    assert is_told(migration)


@pytest.mark.parametrize("body", FREE)
def test_shape_for_keys(body: str) -> None:
    migration = migrated(body, strict=False)
    assert [each.reasons for each in migration.constructors["program.py"]] == [()]
    assert "key_data" not in migration.texts[0].new
