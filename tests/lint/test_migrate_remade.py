"""``--migrate=portable`` and words that become keys again: with JAX's flag, what is derived from them is typed."""

from __future__ import annotations

import pytest

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.report_content import followed
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import functools
import io
import pickle

import jax
import jax.numpy as jnp
import numpy as np


class Box:
    def __init__(self, rng):
        self.rng = rng

    def give(self):
        return self.rng


box = Box(jax.random.PRNGKey(0))
keys = jax.vmap(jax.random.PRNGKey)(jnp.arange(3))
"""
WORDS = {
    "computed": "words = jnp.max(jax.random.key_data(keys), axis=0)",
    "summed": "words = keys.sum(axis=0).astype(jnp.uint32)",
    "viewed": "words = box.give().view(jnp.int32).view(jnp.uint32)",
    "saved": "buffer = io.BytesIO()\nnp.save(buffer, box.give())\nbuffer.seek(0)\nwords = jnp.asarray(np.load(buffer))",
    "pickled": "words = pickle.loads(pickle.dumps(np.asarray(box.give())))",
    "columns": "words = jnp.stack([keys[:, 0], keys[:, 1]], axis=-1)[0]",
}
DERIVING = {
    "each": "print([key.any() for key in map(jax.random.split, [words])])",
    "beside a number": "held = (0.5, words)\nprint(jax.random.split(held[1], 4).reshape(2, 2, *held[1].shape))",
    "compared with that of another object": (
        "class Pair(Box):\n    def same(self, other):\n        return (self.rng == other.rng).all()\n\n\n"
        "print(Pair(words).same(Pair(jax.random.fold_in(words, 1))))"
    ),
    "met": "print(jnp.stack([words, jax.random.fold_in(words, 1)]))",
}
DRAWN = "print(jax.random.normal(words))\none, two = jax.random.split(words)\nprint(jax.random.normal(two))"


def migrated(body: str, style: str = "portable") -> Migration:
    return migrate([Text("program.py", Settings(), f"{HEAD}{body}\n")], Target(style), strict=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("deriving", DERIVING.values(), ids=DERIVING.keys())
@pytest.mark.parametrize("words", [WORDS["computed"], WORDS["summed"]])
def test_keys_that_are_derived_from_words_are_followed(words: str, deriving: str) -> None:
    assert migrated(f"{words}\n{deriving}").is_open


@pytest.mark.parametrize("words", [WORDS["computed"], WORDS["summed"]])
def test_a_swap_of_axes_holds_for_keys_that_are_derived_from_words(words: str) -> None:
    migration = migrated(f"{words}\nmoved = jax.random.split(words, 6).reshape(2, 3, 2).transpose(1, 0, 2)")
    assert "jax.random.split(words, (2, 3)).swapaxes(0, 1)" in migration.texts[0].new


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS.keys())
def test_keys_that_are_derived_from_words_and_only_used_are_no_open_places(words: str) -> None:
    migration = migrated(f"{words}\n{DRAWN}")
    assert not migration.is_open
    assert any("derivation" in line for line in followed(migration))


def test_without_the_flag_words_stay_raw() -> None:
    words = "words = jnp.array(box.give().tolist(), dtype=jnp.uint32)"
    assert not migrated(f"{words}\none, two = jax.random.split(words)\nprint(two.any())", "typed").is_open


@pytest.mark.parametrize("style", ["typed", "portable"])
def test_words_that_become_a_constructor_show_which_parameters_take_keys(style: str) -> None:
    """One migration does it all; a second one changes nothing."""
    body = """\
def draw(n, rng=None):
    return jax.random.normal(jnp.asarray(rng, dtype=jnp.uint32), (n,))


words = jnp.uint32([0, 2])
print(draw(1, rng=words))
"""
    migration = migrated(body, style)
    assert not migration.is_open
    text = migration.texts[0].new
    again = migrate([Text("program.py", Settings(), text)], Target(style), strict=True)  # type: ignore[arg-type]
    assert "uint32" not in text and again.texts[0].new == text
