"""Logic on shape and layout, migrated: the numbers stay, with raw and with typed keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from migrated import FAILED, assert_migrates, migrated, numbers, rules

from olympus_lint.cli import main
from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

IMPORTS = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

key = random.PRNGKey(0)
keys = random.split(key, 6)
grid = random.split(key, (2, 3))
draw = jax.vmap(random.normal)
"""
THREEFRY = ("threefry2x32",)
BOTH = ("threefry2x32", "rbg")

# (category, program, what its migration holds, silent, implementations with which it works before)
PROGRAMS = [
    ("B11", "result = jnp.zeros(keys.shape[:-1])", "key_data(keys).shape[:-1]", True, BOTH),
    ("B11 from 0", "result = jnp.zeros(keys.shape[0:-1])", "key_data(keys).shape[0:-1]", True, BOTH),
    ("B11 function", "result = jnp.zeros(jnp.shape(keys)[:-1])", "jnp.shape(random.key_data(keys))[:-1]", True, BOTH),
    ("B11 two", "result = jnp.zeros(grid.shape[:-2])", "key_data(grid).shape[:-2]", True, BOTH),
    ("B11 item", "result = jnp.zeros(grid.shape[-2])", "key_data(grid).shape[-2]", True, BOTH),
    ("B11 unpacked", "n, _ = keys.shape\nresult = jnp.zeros(n)", "n, _ = random.key_data(keys).shape", False, BOTH),
    ("B11 star", "*batch, _ = grid.shape\nresult = jnp.zeros(batch)", "*batch, _ = random.key_data(", True, BOTH),
    (
        "B11 named",
        "shape = keys.shape\nresult = jnp.zeros(shape[0]), jnp.ones(shape[:-1])",
        "shape = random.key_data(keys).shape",
        True,
        BOTH,
    ),
    ("B11 choice", "k = keys if len(grid) else grid\nresult = jnp.zeros(k.shape[:-1])", "key_data(k)", True, BOTH),
    ("B12", "result = key.shape == (2,)", "key_data(key).shape == (2,)", True, THREEFRY),
    ("B12 not", "result = key.shape != (2,)", "key_data(key).shape != (2,)", True, THREEFRY),
    ("B13 ndim", "result = key.ndim == 1", "key_data(key).ndim == 1", True, BOTH),
    ("B13 function", "result = jnp.ndim(keys) > 1", "jnp.ndim(random.key_data(keys)) > 1", True, BOTH),
    ("B13 length of shape", "result = len(key.shape) == 1", "len(random.key_data(key).shape) == 1", True, BOTH),
    ("B13 last", "result = key.shape[-1] == 2", "key_data(key).shape[-1] == 2", False, THREEFRY),
    ("B13 length", "result = len(key) == 2", "len(random.key_data(key)) == 2", False, THREEFRY),
    ("B13 words", "words = keys.shape[-1]\nresult = jnp.zeros(words)", "key_data(keys).shape[-1]", True, BOTH),
    ("B13 size", "result = keys.size // 2", "key_data(keys).size // 2", True, BOTH),
    ("B12 asserted", "np.testing.assert_equal(keys.shape, (6, 2))\nresult = draw(keys)",
     "assert_equal(random.key_data(keys).shape, (6, 2))", False, THREEFRY),
    ("B13 choice", "def f(k=None):\n    if k is None:\n        k = random.PRNGKey(3)\n"
     "    return k.ndim == 1, random.normal(k)\nresult = f()", "random.key_data(k).ndim == 1", True, BOTH),
    ("B14 length", "result = jnp.zeros(len(key))", "len(random.key_data(key))", False, BOTH),
    ("B15", "result = draw(keys.reshape(2, 3, 2)[0])", "keys.reshape(2, 3, *keys.shape[1:])", False, THREEFRY),
    ("B15 split", "result = random.split(key, 6).reshape(2, 3, 2)", "random.split(key, (2, 3))", False, THREEFRY),
    ("B15 rest", "result = draw(keys.reshape(2, -1, 2)[0])", "keys.reshape(2, -1, *keys.shape[1:])", False, THREEFRY),
    ("B15 flat", "result = grid.reshape(-1, 2)", "grid.reshape(-1, *grid.shape[2:])", True, THREEFRY),
    ("B15 flat, rbg", "result = draw(grid.reshape(-1, 4))", "grid.reshape(-1, *grid.shape[2:])", False, ("rbg",)),
    ("B15 one", "result = draw(key.reshape(1, 2))", "key.reshape(1, *key.shape)", False, THREEFRY),
    ("B15 function", "result = jnp.reshape(keys, (2, 3, 2))", "jnp.reshape(keys, (2, 3, *keys.shape[1:]))", False,
     THREEFRY),
    ("B15 sum", "n = (2, 3)\nresult = keys.reshape(n + (2,))", "n + keys.shape[1:]", False, THREEFRY),
    ("B15 unpacked", "n = (2, 3)\nresult = keys.reshape(*n, 2)", "(*n, *keys.shape[1:])", False, THREEFRY),
    (
        "B15 lengths",
        "def f(k, n, m):\n    return random.split(k, n * m).reshape(n, m, 2)\nresult = f(key, 2, 3)",
        "reshape(n, m, *k.shape)",
        False,
        THREEFRY,
    ),
    ("B16", "result = draw(keys.reshape(6, -1))", "keys.reshape(6, *keys.shape[1:])", False, BOTH),
    ("B16 batched", "result = keys.reshape(2, 3, -1)", "keys.reshape(2, 3, *keys.shape[1:])", True, BOTH),
    ("B16 stack", "result = draw(jnp.stack([key, keys[0]]).reshape(2, -1))", ".reshape(2, *key.shape)", False, BOTH),
    (
        "B16 unpacked",
        "def f(k, n):\n    k, *ks = random.split(k, n + 1)\n    return jnp.stack(ks).reshape(n, -1)\n"
        "result = f(key, 3)",
        "reshape(n, *ks[0].shape)",
        True,
        BOTH,
    ),
    (
        "B16 lengths",
        "def f(k, n):\n    return draw(random.split(k, n).reshape(n, -1))\nresult = f(key, 3)",
        "reshape(n, *k.shape)",
        False,
        BOTH,
    ),
    ("B17", "result = draw(jnp.broadcast_to(key, (3, 2)))", "jnp.broadcast_to(key, (3, *key.shape))", False, THREEFRY),
    ("B17 numpy", "result = np.broadcast_to(key, (3, 2))", "np.broadcast_to(random.key_data(key), (3, 2))", False,
     THREEFRY),
    ("B17 choice", "def f(k=None):\n    if k is None:\n        k = random.PRNGKey(3)\n"
     "    return jnp.tile(k, (3, 1))\nresult = f()", "jnp.tile(k, (3, *(1,) * len(k.shape)))", True, BOTH),
    ("B17 sum", "n = (3,)\nresult = jnp.broadcast_to(key, n + (2,))", "n + key.shape", True, THREEFRY),
    ("B17 batch", "result = jnp.broadcast_to(keys, (3, 6, 2))", "(3, 6, *keys.shape[1:])", False, THREEFRY),
    ("B17 tile", "result = draw(jnp.tile(key, (3, 1)))", "(3, *(1,) * len(key.shape))", False, BOTH),
    ("B17 tile batch", "result = draw(jnp.tile(keys, (2, 1)))", "(2, *(1,) * len(keys.shape[1:]))", False, BOTH),
    ("B17 vstack", "result = draw(jnp.vstack([key, keys[1]]))", "jnp.stack([key, keys[1]])", False, BOTH),
    ("B17 vstack batches", "result = draw(jnp.vstack([keys, keys]))", "jnp.concatenate([keys, keys])", False, BOTH),
    ("B17 rows", "result = draw(jnp.vstack(keys))", "jnp.stack(keys)", False, BOTH),
    ("B18 slice", "result = random.normal(keys[2, :])", "random.normal(keys[2])", False, BOTH),
    ("B18 new axis", "result = draw(key[None, :])", "draw(key[None])", False, BOTH),
    ("B18 middle", "result = keys[:, None, :]", "keys[:, None]", False, BOTH),
    ("B19", "m = jnp.arange(6) > 2\nresult = jnp.where(m[:, None], keys, keys[::-1])",
     "jnp.where(jnp.expand_dims(m, tuple(range(1, keys.ndim))), keys", True, BOTH),
    ("B19 new axis", "m = jnp.arange(6) > 2\nresult = jnp.where(m[:, jnp.newaxis], keys, keys[::-1])",
     "jnp.expand_dims(m, tuple(range(1, keys.ndim)))", True, BOTH),
    ("B19 last", "m = jnp.arange(6) > 2\nresult = jnp.where(m[..., None], keys, keys[::-1])",
     "m[(..., *(None,) * len(keys.shape[1:]))]", True, BOTH),
    ("B19 reshape", "m = jnp.arange(6) > 2\nresult = jnp.where(m.reshape(-1, 1), keys, keys[::-1])",
     "m.reshape(-1, *(1,) * len(keys.shape[1:]))", True, BOTH),
    ("B19 two axes", "m = jnp.arange(2) > 0\nresult = jnp.where(m[:, None, None], grid, grid[::-1])",
     "jnp.expand_dims(m, tuple(range(1, grid.ndim)))", True, BOTH),
    ("B19 compared", "i = jnp.arange(6)\nresult = jnp.where(i[:, None] > 2, keys, keys[::-1])",
     "jnp.where(jnp.expand_dims(i, tuple(range(1, keys.ndim))) > 2, keys", True, BOTH),
    ("B19 joined", "i = jnp.arange(6)\n"
     "result = jnp.where(jnp.logical_not(i[:, None] > 4) & ~(i == 2)[..., None], keys, keys[::-1])",
     "(i == 2)[(..., *(None,) * len(keys.shape[1:]))], keys", True, BOTH),
    ("B20 swap", "result = jnp.swapaxes(grid, -3, -2)", "jnp.swapaxes(grid, 0, 1)", False, BOTH),
    ("B20 move", "result = jnp.moveaxis(grid, -2, 0)", "jnp.moveaxis(grid, 1, 0)", True, BOTH),
    ("B20 transpose", "result = grid.transpose(1, 0, 2)", "grid.transpose(1, 0, *range(2, grid.ndim))", False, BOTH),
    ("B20 transpose of a split", "result = random.split(key, (2, 3)).transpose((1, 0, 2))",
     "random.split(key, (2, 3)).swapaxes(0, 1)", False, BOTH),
    ("B20 transpose of a split, by numbers", "result = random.split(key, (2, 3)).transpose(1, 0, 2)",
     "random.split(key, (2, 3)).swapaxes(0, 1)", False, BOTH),
    ("B20 transpose of a split, by function", "result = jnp.transpose(random.split(key, (2, 3)), (1, 0, 2))",
     "jnp.swapaxes(random.split(key, (2, 3)), 0, 1)", False, BOTH),
    ("B20 transpose of a split of three", "result = random.split(key, (2, 3, 2)).transpose((1, 0, 2, 3))",
     "*range(3, 3 + len(key.shape))", False, BOTH),
    ("B20 slice", "result = lax.dynamic_slice(keys, (1, 0), (2, 2))",
     "(1, *(0,) * len(keys.shape[1:])), (2, *keys.shape[1:])", False, THREEFRY),
    ("B20 update", "result = lax.dynamic_update_slice(keys, key[None], (1, 0))", "(1, *(0,) * len(keys.shape[1:]))",
     False, BOTH),
    ("B20 concatenate", "result = jnp.concatenate([keys, keys], axis=-2)", "axis=0", False, BOTH),
    ("B20 stack", "result = jnp.stack([keys, keys[::-1]], axis=-2)", "axis=1", True, BOTH),
    ("B20 take", "result = jnp.take(keys, 2, axis=-2)", "axis=0", False, BOTH),
    ("B20 expand", "result = jnp.expand_dims(keys, -2)", "jnp.expand_dims(keys, 1)", True, BOTH),
    ("B20 flip", "result = jnp.flip(grid, axis=-2)", "axis=1", True, BOTH),
    ("B20 in dim", "result = lax.dynamic_index_in_dim(keys, 2, axis=-2)", "axis=0", False, BOTH),
    ("B20 words", "result = jnp.concatenate([keys, keys], axis=-1)",
     "[random.key_data(keys), random.key_data(keys)]", True, BOTH),
    ("B20 joined words", "result = jnp.concatenate([key, keys[0]])",
     "[random.key_data(key), random.key_data(keys[0])]", False, BOTH),
    ("B20 swap words", "result = jnp.swapaxes(keys, 0, 1)", "jnp.swapaxes(random.key_data(keys), 0, 1)", False, BOTH),
    ("M17", "result = jax.vmap(random.uniform, in_axes=1)(keys[:2])", "(random.key_data(keys[:2]))", False, THREEFRY),
    ("M18", "result = keys.T", "random.key_data(keys).T", True, BOTH),
    ("B21 set", "buffer = jnp.zeros((4, 2), jnp.uint32)\nresult = buffer.at[1].set(key)",
     "jnp.zeros((4, *key.shape), key.dtype)", False, THREEFRY),
    ("B21 set in a loop", "buffer = jnp.zeros((2, 2), jnp.uint32)\nfor i in range(2):\n"
     "    buffer = buffer.at[i].set(keys[i])\nresult = buffer", "jnp.zeros((2, *key.shape), key.dtype)", False,
     THREEFRY),
    ("B21 where", "buffer = jnp.zeros((6, 2), dtype=jnp.uint32)\nresult = jnp.where(True, keys, buffer)",
     "jnp.zeros((6, *key.shape), dtype=key.dtype)", False, THREEFRY),
    ("B21 concatenate", "buffer = np.zeros((1, 2), np.uint32)\nresult = jnp.concatenate([buffer, keys])",
     "jnp.zeros((1, *key.shape), key.dtype)", False, THREEFRY),
    ("B22", "aval = jax.ShapeDtypeStruct((2,), jnp.uint32)\nresult = jax.jit(random.normal).lower(aval).compile()(key)",
     "jax.eval_shape(lambda: random.PRNGKey(0))", False, THREEFRY),
    (
        "B22 batch",
        "def f(ks):\n    return jax.vmap(random.normal)(ks)\n"
        "result = jax.jit(f).lower(jax.ShapeDtypeStruct((6, 2), jnp.uint32)).compile()(keys)",
        "jax.eval_shape(lambda: random.split(random.PRNGKey(0), 6))",
        False,
        THREEFRY,
    ),
    ("B23", 'mesh = Mesh(np.array(jax.devices()[:1]), ("x",))\n'
     'result = draw(jax.device_put(keys, NamedSharding(mesh, P("x", None))))', 'P("x"))', False, BOTH),
    ("B23 one key", 'mesh = Mesh(np.array(jax.devices()[:1]), ("x",))\n'
     "result = random.normal(jax.device_put(key, NamedSharding(mesh, P(None))))", "P())", False, BOTH),
    ("B23 shard_map", 'mesh = Mesh(np.array(jax.devices()[:1]), ("x",))\n'
     'f = jax.shard_map(draw, mesh=mesh, in_specs=(P("x", None),), out_specs=P("x"))\nresult = f(keys)',
     'in_specs=(P("x"),)', False, BOTH),
    ("B24", 'result = jnp.vectorize(random.normal, signature="(2)->()")(keys)',
     '"()->()" if jnp.issubdtype(keys.dtype, jax.dtypes.prng_key) else "(2)->()"', False, THREEFRY),
    ("B24 named",
     'result = jnp.vectorize(lambda k, x: x + random.normal(k), signature="(w),()->()")(keys, jnp.ones(6))',
     '"(),()->()" if', False, BOTH),
    ("B25", "result = jax.vmap(random.split, out_axes=-1)(keys)",
     "jnp.moveaxis(random.key_data(jax.vmap(random.split, out_axes=0)(keys)), 0, -1)", True, BOTH),
    ("B25 moved", "result = jnp.moveaxis(keys, -1, 0)", "jnp.moveaxis(random.key_data(keys), -1, 0)", True, BOTH),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "migration", "silent", "impl"),
    [pytest.param(*rest, impls[number % len(impls)], id=name) for number, (name, *rest, impls) in enumerate(PROGRAMS)],
)
def test_portable_forms_keep_every_bit(body: str, migration: str | None, silent: bool | None, impl: str) -> None:
    """With one implementation each: the whole migration is tried with all."""
    after = assert_migrates(IMPORTS + body + "\n", silent=silent, impls=(impl,))
    assert migration is None or migration in after


def test_the_whole_migration_keeps_every_bit(tmp_path: Path) -> None:
    """With `key` in the place of `PRNGKey`, and not by a flag, which `split` of raw words does not heed."""
    for number, (_, body, *_) in enumerate(PROGRAMS):
        (tmp_path / f"program_{number}.py").write_text(f"{IMPORTS}{body}\n")
    main(["--migrate", "--fix", str(tmp_path)])
    for number, (name, body, _, _, impls) in enumerate(PROGRAMS):
        after = (tmp_path / f"program_{number}.py").read_text()
        assert "PRNGKey" not in after, name
        for impl in impls:
            assert numbers(after, typed=False, impl=impl) == numbers(f"{IMPORTS}{body}\n", typed=False, impl=impl), name


def test_places_hold_for_raw_keys_in_either_style() -> None:
    """What is rewritten first may get raw keys in the end, from constructors that are held back."""
    body = "result = jnp.zeros(keys.shape[:-1]), jnp.broadcast_to(key, (3, 2)), keys.reshape(2, 3, 2)\n"
    after = migrated(IMPORTS + body, "typed")
    assert after == migrated(IMPORTS + body, "portable") != IMPORTS + body
    assert numbers(after, typed=False) == numbers(IMPORTS + body, typed=False) != FAILED


# programs that have no rewrite which surely keeps their numbers
LEFT = [
    ("B11 shape of both", "shape = keys.shape\nresult = jnp.zeros(shape[:-1]), keys.reshape(shape)"),
    ("B13 arithmetic", "result = jnp.zeros(keys.ndim - 1)"),
    ("B16 rows of keys", "result = keys.reshape(3, -1)"),
    (
        "B16 sum",
        "def f(rngs, n):\n    return draw(rngs.reshape(n + (-1,))[0])\nresult = f(random.split(key, 6), (2, 3))",
    ),
    (
        "B19 named",
        "m = (jnp.arange(6) > 2)[:, None]\nresult = jnp.where(m, keys, keys[::-1])",
    ),
    (
        "B19 beside an unknown shape",
        "i = jnp.arange(6)\nlast = jnp.array([[2]])\nresult = jnp.where(i[:, None] > last, keys, keys[::-1])",
    ),
    ("B20 mixed", "result = jnp.concatenate([key, jnp.zeros(2, jnp.int32).astype(jnp.uint32)])"),
    ("B21 in place", "buffer = np.zeros((2, 2), np.uint32)\nbuffer[0] = key\nresult = buffer"),
    ("B21 ones", "result = draw(jnp.ones((3, 2), jnp.uint32))"),
    ("B21 words", "result = random.normal(jnp.array([3, 7], jnp.uint32))"),
    ("B24 apart", 'f = jnp.vectorize(random.normal, signature="(2)->()")\nresult = f(keys)'),
    ("B25 apart", "f = jax.vmap(random.split, out_axes=-1)\nresult = f(keys)"),
]


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in LEFT])
def test_what_cannot_be_shown_to_stay_the_same_is_reported_and_left(body: str) -> None:
    text = f"{IMPORTS}{body}\n"
    assert migrated(text) == text
    found = check(Document("program.py", text), rules(), min_confidence=Confidence.LIKELY).reports
    assert {report.finding.code for report in found} & {"OLY103", "OLY202", "OLY207"}


@pytest.mark.parametrize(
    "array", ["pool.reshape(3, 2, -1)", "pool.reshape(3, 2, -1)[1][None]", "pool.reshape(2, 3, -1)[:1]"]
)
def test_no_axis_is_counted_in_a_stack_of_unknown_shape(array: str) -> None:
    text = f"{IMPORTS}pool = jnp.stack([key for _ in range(6)])\nresult = jnp.moveaxis({array}, -2, 0)\n"
    assert numbers(migrated(text), typed=False) == numbers(text, typed=False) != FAILED


# code that is right for both kinds, in the forms that the migration writes and in others
PORTABLE = [
    "result = keys.reshape(2, 3, *key.shape).transpose(1, 0, *range(2, 2 + key.ndim))",
    "result = keys.reshape((-1, *keys.shape[1:]))",
    "result = jnp.swapaxes(grid, 0, 1), jnp.moveaxis(grid, 1, 0)",
    "result = jnp.broadcast_to(key, (3, *key.shape)), jnp.broadcast_to(key, (3,) + key.shape)",
    "result = jnp.tile(keys, (2,) + (1,) * key.ndim)",
    "result = jnp.where(jnp.arange(6).reshape(-1, *(1,) * key.ndim) > 2, keys, keys[::-1])",
    "result = lax.dynamic_slice_in_dim(keys, 1, 2), jnp.expand_dims(keys, 1), keys[:, None], keys[2, ...]",
    "result = jnp.concatenate([keys, keys]), jnp.stack([key, keys[0]]), jnp.append(keys, key[None], axis=0)",
    "result = jnp.zeros((4, *key.shape), key.dtype).at[0].set(key)",
    "result = jax.vmap(jnp.where)(jnp.arange(6) > 2, keys, keys[::-1])",
    "result = jnp.repeat(key[None], 3, axis=0), keys.shape[0], len(keys), jnp.zeros(keys.shape[0])",
    "result = draw(jax.device_put(keys, NamedSharding(Mesh(np.array(jax.devices()[:1]), ('x',)), P('x'))))",
]


@pytest.mark.parametrize("body", PORTABLE)
def test_portable_code_is_quiet_and_stays(body: str) -> None:
    text = f"{IMPORTS}{body}\n"
    assert numbers(text, typed=True) == numbers(text, typed=False) != FAILED
    found = check(Document("program.py", text), rules(), min_confidence=Confidence.LIKELY).reports
    assert [report.finding.message for report in found] == []


def test_older_releases_get_no_rewrite_that_they_cannot_run() -> None:
    take = f"{IMPORTS}result = jnp.take(keys, 2, axis=-2)\n"
    assert migrated(take, jax=(0, 6, 2)) == take
    split = f"{IMPORTS}result = random.split(key, 6).reshape(2, 3, 2)\n"
    assert "split(key, 6).reshape(2, 3, *key.shape)" in migrated(split, jax=(0, 4, 13))
