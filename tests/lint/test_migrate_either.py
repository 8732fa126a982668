"""``--migrate`` and words of keys on some paths: functions that return words or keys, and masks over words."""

from __future__ import annotations

import pytest

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import functools

import jax
import jax.numpy as jnp

"""
PICK = """
def pick(mask, a, b):
    return jnp.where(mask, a, b)


a, b = jax.random.PRNGKey(0), jax.random.PRNGKey(1)
"""
BROKEN = {
    "words of a branch": """
def make(seed):
    if isinstance(seed, int):
        return jax.random.PRNGKey(seed)
    return jnp.asarray(seed, jnp.uint32)


out = jnp.where(True, make(0), make([0, 3]))
""",
    "the shape of either": """
def make(seed, raw=False):
    if raw:
        return jnp.asarray([1, seed], jnp.uint32)
    return jax.random.PRNGKey(seed)


out = jnp.zeros(make(0).shape)
""",
    "the number of words as a size": """
keys = jax.random.split(jax.random.PRNGKey(0), (2, 3))
out = jax.vmap(jax.random.normal)(keys.reshape(-1, keys.shape[-1]))
""",
    "words in the carry of a loop": """
key = jax.random.PRNGKey(1)


def body(i, state):
    return {**state, "rng": jax.random.fold_in(key, i)}


out = jax.lax.fori_loop(0, 3, body, {"n": 0, "rng": jnp.zeros((2,), jnp.uint32)})["rng"]
""",
}
FINE = {
    "a choice of keys": """
def make(seed=None):
    return jax.random.PRNGKey(0) if seed is None else jax.random.fold_in(jax.random.PRNGKey(1), seed)


out = jnp.stack([make(), make(1)])
""",
    "a choice of a key or none": "key = jax.random.PRNGKey(0)\nout = key if key is not None else jnp.zeros(3)\n",
    "a key in the carry of a loop": """
def body(i, state):
    key, _ = jax.random.split(state["rng"])
    return {**state, "rng": key}


out = jax.lax.fori_loop(0, 3, body, {"n": 0, "rng": jax.random.PRNGKey(0)})["rng"]
""",
    "words that are moved": """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
out = jax.vmap(jax.random.normal, in_axes=1)(jnp.moveaxis(keys, 0, 1))
""",
    "a mask of rows": f"""{PICK}
keys = jax.random.split(a)
out = jax.vmap(pick)(jnp.array([True, False]), keys, keys[::-1])
""",
}  # fmt: skip


def migrated(code: str) -> Migration:
    return migrate([Text("program.py", Settings(), f"{HEAD}{code}")], Target("typed"), strict=True)


def outcome(text: str) -> list[object]:
    import jax

    names: dict[str, object] = {}
    exec(text, names)
    out = names["out"]
    assert isinstance(out, jax.Array)
    is_key = jax.dtypes.issubdtype(out.dtype, jax.dtypes.prng_key)
    return [*out.shape[: out.ndim - (not is_key)], *(jax.random.key_data(out) if is_key else out).ravel().tolist()]


@pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN.keys())
def test_what_would_break_is_announced(code: str) -> None:
    migration = migrated(code)
    assert migration.is_open and any(constructor.reasons for constructor in migration.constructors["program.py"])


@pytest.mark.parametrize("code", FINE.values(), ids=FINE.keys())
def test_what_is_fine_is_migrated(code: str) -> None:
    migration = migrated(code)
    assert not migration.is_open and "PRNGKey" not in migration.texts[0].new
    assert outcome(migration.texts[0].new) == outcome(f"{HEAD}{code}")
