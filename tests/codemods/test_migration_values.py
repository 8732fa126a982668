"""What is done with the dtype and the words of keys, migrated: the numbers stay, with raw and with typed keys."""

from __future__ import annotations

import pytest
from migrated import BOTH, assert_migrates, migrated, numbers
from searches import each_once

from olympus_rules.finding import Confidence

pytest.importorskip("jax", reason="needs JAX, the extra `trace`")

IMPORTS = """\
import csv
import hashlib
import io
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

key, same, other = random.PRNGKey(7), random.PRNGKey(7), random.PRNGKey(8)
keys = random.split(key, 3)
"""

SILENT = {
    "B26 equal": "result = 1.0 if key.dtype == jnp.uint32 else 0.0",
    "B26 not equal": "result = keys.dtype != np.uint32",
    "B26 one of": "result = key.dtype in (jnp.uint32, jnp.int32)",
    "B26 integer": "result = bool(jnp.issubdtype(key.dtype, jnp.integer))",
    "B28 name": "result = key.dtype.name == 'uint32'",
    "B28 string": "result = str(key.dtype) == 'uint32'",
    "B28 equal to a name": "result = key.dtype == 'uint32'",
    "B30 array_equal": "result = [np.array_equal(key, same), np.array_equal(keys, other)]",
    "B30 array_equiv": "result = np.array_equiv(key, same)",
    "B30 ==": "result = key == other",
    "B30 any": "result = (key == other).any()",
    "B30 != of each": "result = (keys != random.split(other, 3)).sum(axis=-1)",
    "B30 equal": "result = jnp.equal(key, other)",
    "B45 str": "result = [ord(letter) for letter in str(key)]",
    "B45 row": "text = io.StringIO()\ncsv.writer(text).writerow([1, key])\nresult = text.getvalue().split()",
    "B45 f-string": "result = len(f'run_{key}')",
    "B45 device_get": "result = isinstance(jax.device_get(key), np.ndarray)",
    "B29 itemsize": "result = key.dtype.itemsize",
}

FAILING = {
    "B27 numpy's issubdtype": "result = np.issubdtype(key.dtype, np.integer)",
    "B27 dtype": "result = np.dtype(key.dtype) == np.dtype('uint32')",
    "B27 kind": "result = key.dtype.kind == 'u'",
    "B27 kind as a value": "result = ord(key.dtype.kind)",
    "B27 iinfo": "result = jnp.iinfo(key.dtype).bits",
    "B27 zeros": "result = np.zeros(3, key.dtype)",
    "a list behind a star": "result = [1, *[int(word) for word in [*key]]]",
    "a tuple behind a star": "result = jnp.array((*key, *other))",
    "a part behind a star": "pair = (0.5, key)\nresult = jnp.array([*pair[1]])",
    "arguments behind a star": "def pair(*words): return jnp.array(words)\nresult = pair(*key)",
    "a row": "text = io.StringIO()\ncsv.writer(text).writerow(key)\nresult = text.getvalue().split(',')[0]",
    "rows": "text = io.StringIO()\ncsv.writer(text).writerows(keys)\nresult = text.getvalue().split(',')[0]",
    "B29 astype": "result = key.astype(jnp.float32)",
    "B29 view": "result = keys.view(jnp.int32)",
    "B29 sum": "result = jnp.sum(keys) + keys.max()",
    "B29 bits": "result = key ^ 1",
    "B29 two keys": "result = key + other",
    "B29 at": "result = key.at[0].set(1)",
    "B29 used as a key": "result = random.normal(key + 1)",
    "B29 asarray": "result = jnp.asarray(key, dtype=jnp.uint32) % 5",
    "B29 asarray of a key": "result = random.normal(jnp.asarray(key, dtype=jnp.uint32))",
    "B29 unique": "result = np.unique(keys, axis=0).shape[0]",
    "B29 sort": "result = jnp.sort(keys, axis=0)",
    "M13 seed": "result = random.normal(random.PRNGKey(key[1]))",
    "M14 word": "w = key[0]\nresult = w",
    "M14 iterate": "result = [int(w) for w in key]",
    "M14 columns": "result = keys[:, 1]",
    "B30 allclose": "result = np.allclose(key, same)",
    "B30 numpy's equal": "result = np.equal(key, other)",
    "B31 assert_array_equal": "np.testing.assert_array_equal(key, same)\nresult = 0",
    "B31 assert_allclose": "np.testing.assert_allclose(keys, random.split(same, 3))\nresult = 0",
    "B32 tobytes": "result = list(key.tobytes())",
    "B32 tolist": "result = key.tolist()",
    "B32 item": "result = keys[0, 1].item() + other[:1].item()",
    "B32 bytes": "result = list(bytes(key))",
    "B32 hashlib": "result = list(hashlib.sha256(key).digest())",
    "B34 where": "result = random.normal(jnp.where(True, key, 0))",
    "B34 permutation": "result = jax.vmap(random.normal)(random.permutation(other, keys))",
    "B34 choice": "result = jax.vmap(random.normal)(random.choice(other, keys, (2,), replace=False))",
    "B40 asarray": "result = np.asarray(key)",
    "B40 array": "result = np.array(keys, dtype=np.float64)",
    "B40 stack": "result = np.stack([key, other])",
    "B40 of a key": "result = random.normal(np.asarray(keys)[1])",
    "B40 stack of keys": "rows = np.stack([key, other])\nresult = jax.vmap(random.normal)(rows)",
    "B40 word": "result = int(np.asarray(key)[1])",
    "B40 shape": "result = np.asarray(keys).shape",
    "B40 zeros_like": "result = np.zeros_like(key)",
    "B41 RandomState": "result = np.random.RandomState(key).randint(100)",
    "B41 seed": "np.random.seed(key)\nresult = np.random.rand()",
    "B41 default_rng": "result = np.random.default_rng(np.asarray(key)).integers(100)",
    "B42 save": "file = io.BytesIO()\nnp.save(file, key)\nfile.seek(0)\nresult = np.load(file)",
    "B42 jnp.save": "file = io.BytesIO()\njnp.save(file, keys)\nfile.seek(0)\nresult = np.load(file)",
    "B42 savez": "file = io.BytesIO()\nnp.savez(file, k=key, x=1)\nfile.seek(0)\nresult = np.load(file)['k']",
}


TWO_WORDS = {
    "M14 unpack": "a, b = key\nresult = a + b",
    "B31 literal": "np.testing.assert_array_equal(key, [0, 7])\nresult = 0",
}

WRAPPED = {
    "B29 bits": "changed = key ^ 3\nresult = random.split(changed)",
    "B29 a batch": "several = key + jnp.arange(4, dtype=key.dtype)[:, None]\nresult = jax.vmap(random.normal)(several)",
    "B34 pad": "padded = jnp.pad(keys, ((0, 1), (0, 0)))\nresult = jax.vmap(random.normal)(padded)",
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT.keys())
def test_silent(body: str) -> None:
    """Typed keys change the numbers without an error."""
    assert_migrates(f"{IMPORTS}{body}\n", silent=True)


@pytest.mark.parametrize(("name", "impl"), each_once(FAILING, BOTH))
def test_failing(name: str, impl: str) -> None:
    """Typed keys are refused."""
    assert_migrates(f"{IMPORTS}{FAILING[name]}\n", silent=False, impls=(impl,))


@pytest.mark.parametrize("body", TWO_WORDS.values(), ids=TWO_WORDS.keys())
def test_two_words(body: str) -> None:
    """Code that knows how many words a key has works with one implementation."""
    assert_migrates(f"{IMPORTS}{body}\n", silent=False, impls=("threefry2x32",))


@pytest.mark.parametrize("body", WRAPPED.values(), ids=WRAPPED.keys())
def test_wrapped(body: str) -> None:
    """What is computed with words is made a key again where all keys are typed, and left alone where some are raw."""
    program = f"{IMPORTS}{body}\n"
    assert "wrap_key_data" in assert_migrates(program, style="typed", silent=False)
    assert "wrap_key_data" not in migrated(program)


@pytest.mark.parametrize(
    "body",
    [
        "if key.dtype == jnp.uint32:\n    key = random.wrap_key_data(key)\nresult = random.normal(key)\n",
        "def words(key):\n    if key.dtype == jnp.uint32:\n        return key\n    return random.key_data(key)\n\n"
        "result = words(key).ndim\n",
    ],
    ids=["before", "by returning"],
)
def test_tells_kinds_apart(body: str) -> None:
    """A test for raw keys that decides whether to wrap or unwrap holds for both kinds, and stays as it is."""
    assert "if key.dtype == jnp.uint32:" in assert_migrates(IMPORTS + body)


@pytest.mark.parametrize("jax", [(0, 8, 3), (0, 9, 2)])
def test_pickle(jax: tuple[int, ...]) -> None:
    """Typed keys can be pickled since JAX 0.9, at the latest; before, their words are."""
    program = f"{IMPORTS}import pickle\nresult = pickle.loads(pickle.dumps(key))\n"
    after = migrated(program, jax=jax, min_confidence=Confidence.POSSIBLE)
    assert ("pickle.dumps(random.key_data(key))" in after) == (jax < (0, 9, 2))
    assert numbers(after, typed=True) == numbers(program, typed=False)
