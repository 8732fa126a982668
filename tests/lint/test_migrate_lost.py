"""Ways by which keys got lost on the way to a place: the migration announces the places, and nothing that is fine."""

from __future__ import annotations

from typing import Any

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import collections
import dataclasses
import enum
import functools
import io
import itertools
import operator
import pickle
from typing import Any, NamedTuple, TypedDict

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

key = jax.random.PRNGKey(1)
"""
LOST = {
    "an element of a named tuple": """
class State(NamedTuple):
    rng: Any
    size: int = 1


out = State(key)[0][1]
""",
    "a list that a dictionary makes": """
state = collections.defaultdict(list)
state['rng'].append(key)
out = state['rng'][0] + 0
""",
    "a step of an iterator": "out = itertools.cycle([key]).__next__() + 0\n",
    "a class whose name is bound again": """
class Box:
    rng: Any = dataclasses.field(default_factory=lambda: key)


Box = dataclasses.dataclass(Box)
out = Box().rng + 0
""",
    "an object of its own maker": """
class Box:
    def __new__(cls, rng):
        box = super().__new__(cls)
        box.rng = rng
        return box


out = Box(key).rng + 0
""",
    "a constructor that starmap calls": "out = list(itertools.starmap(jax.random.PRNGKey, [(1,)]))[0] + 0\n",
    "a constructor that operator.call calls": "out = operator.call(jax.random.PRNGKey, 1) + 0\n",
    "a constructor that NumPy maps": "out = np.vectorize(jax.random.PRNGKey, signature='()->(n)')(np.arange(2))[0]\n",
    "a constructor that jax.numpy maps": "out = jnp.frompyfunc(jax.random.PRNGKey, 1, 1)(jnp.arange(2)) + 0\n",
    "the least of some keys": "made = min(map(jax.random.PRNGKey, [1]), key=id)\nout = made + 0\n",
    "a dataclass that is made by a call": """
Box = dataclasses.make_dataclass('Box', ['rng', ('size', int)])
out = Box(key, 2).rng + 0
""",
    "an attribute of a function": "def box():\n    pass\n\n\nbox.rng = key\nout = box.rng + 0\n",
    "a member of an enumeration": "class Keys(enum.Enum):\n    ONE = key\n\n\nout = Keys.ONE.value + 0\n",
    "an attribute of one tuple": """
class State(NamedTuple):
    rng: Any


def length(state):
    return state.rng.shape[0], state.rng[0]


out = length(State(key))
""",
    "a constructor that is mapped": """
made = list(map(jax.random.PRNGKey, range(2)))[1]
out = jax.tree.map(lambda leaf: leaf.sum(), made)
""",
    "a sum of lists": "pair = [1] + [key]\nout = jax.tree.map(lambda k: k.sum(), pair[1])\n",
    "a sum of tuples": "state = (0.5, 2) + (key,)\nout = jax.tree.map(lambda k: k.sum(), state[2])\n",
    "a list that is repeated": "keys = [key] * 3\nout = jax.tree.map(lambda k: k.sum(), keys[2])\n",
    "a list of keys in an attribute": """
class Lister:
    def __init__(self, n):
        self.keys = [k for k in jax.random.split(key, n)]

    def word(self):
        return int(self.keys[0][1])


out = Lister(3).word()
""",
    "a list of keys in an attribute whose name is computed": """
class Holder:
    def fill(self, **options):
        for name, value in options.items():
            setattr(self, name, value)

    def show(self):
        return [int(word) for word in self.keys[0]]


holder = Holder()
holder.fill(keys=[key])
out = holder.show()
""",
    "a list with all of another one": """
state = [{'rng': key}, *[1, 2]]
out = jax.tree.map(lambda k: k.sum(), state[0]['rng'])
""",
    "an array with the dtype of keys": """
keys = jnp.array([jax.random.PRNGKey(i) for i in range(2)])
other = jnp.zeros(keys.shape, keys.dtype).at[0].set(keys[1])
out = ~other
""",
    "words that are made an array of keys": """
rows = jnp.zeros((2, 2), jnp.uint32).at[0].set(key)[0]
out = np.random.RandomState(rows).rand()
""",
    "a vectorized constructor": "make = jax.jit(jax.vmap(jax.random.PRNGKey))\nout = make(jnp.arange(3)).size\n",
    "a constructor that is vectorized twice": """
make = jax.vmap(jax.vmap(jax.random.PRNGKey))
out = make(jnp.arange(6).reshape(2, 3)).size
""",
    "a constructor with its seed": "out = functools.partial(jax.random.PRNGKey, 4)().size\n",
    "leaves of a tree whose parts are trees of any of them": """
class Holder:
    key = jax.random.PRNGKey(1)


parts = [(2, 2), 3]
parts.append(Holder.key)
state = jax.tree.map(lambda leaf: leaf, (0.5, parts))
out = ravel_pytree(state)[0]
""",
    "a comparison of each of several arrays": """
state = {'n': np.arange(3), 'rng': key}
out = [bool((leaf == 0).all()) for leaf in state.values()]
""",
    "words of keys in a new shape": """
one = jnp.zeros((2, 2), jnp.uint32).at[0].set(key)[0]
rows = jnp.stack([one, jax.random.fold_in(one, 7)]).reshape(2, 2)
out = jax.vmap(lambda k: k[0])(rows)
""",
}
FINE = {
    "a batch axis that is squeezed away": """
keys = jax.random.split(key, 3)
one = keys[:1].squeeze(axis=0)
out = jnp.concatenate([one[:1], one[1:]])
""",
    "a word of one of several keys": """
keys = jax.vmap(jax.random.PRNGKey)(jnp.arange(2))
out = jax.lax.index_in_dim(keys, 0, keepdims=False)[0]
""",
    "all words of an element of a rolled array": """
keys = jax.vmap(jax.random.PRNGKey)(jnp.arange(3))
out = jnp.roll(keys, 1, axis=0)[0][:]
""",
    "keys for initializers": "out = jax.nn.initializers.zeros((lambda: key)(), (2,))\n",
    "an attribute of a batch of tuples": """
class State(NamedTuple):
    rng: Any


states = jax.vmap(lambda rng: State(rng))(jax.random.split(key))
out = jax.random.normal(states.rng[0], states.rng.shape[:1])
""",
    "arrays of keys of vectorized constructors": """
make = jax.vmap(jax.vmap(jax.random.PRNGKey))
keys = make(jnp.arange(6).reshape(2, 3))
more = jax.vmap(jax.random.PRNGKey)(jnp.arange(3))
out = keys.shape[1] + more.shape[0] + jax.lax.map(jax.random.PRNGKey, jnp.arange(4)).shape[0]
""",
    "lists of shapes": "shape = [2, 3]\nout = jax.random.normal(key, [4] + shape) * jnp.ones([1] * 3)\n",
    "settings of two dictionaries": "out = jax.random.normal(({'n': 3} | {'rng': key})['rng'], ({'n': 3} | {})['n'])\n",
    "keys of two lists": """
first, *rest = [key] + list(jax.random.split(key))
out = [jax.random.normal(k) for k in rest]
""",
    "flags": "flags = 1 | 2\nout = jax.random.bits(key) | flags\n",
    "numbers that are compared": """
def size(given, expected):
    if given != expected:
        raise ValueError(given)
    return given


out = size(2, 2) + size(np.zeros(1, np.uint32)[0], 0) + jax.random.normal(key)
""",
    "keys of one in several": "out = jax.lax.index_in_dim(jax.random.split(key, 3), 0)[0]\n",
    "a choice by a library's result": """
import math

out = jax.random.normal(jnp.where(math.floor(1.5), key, jax.random.fold_in(key, 1)))
""",
    "an empty array of keys": """
keys = jnp.zeros((2, *key.shape), key.dtype).at[0].set(key)
out = jax.random.normal(keys[0])
""",
}


def outcome(text: str) -> Any:
    """Return what a program computes, keys as their words; the type of its error, if there is one."""
    import jax

    names: dict[str, Any] = {}
    try:
        exec(text, names)
        return [str(plain(leaf)) for leaf in jax.tree.leaves(names["out"])]
    except Exception as error:
        return type(error)


def plain(leaf: Any) -> Any:
    import jax

    is_key = isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else leaf


def migrated(code: str, *, strict: bool = True) -> tuple[str, Migration]:
    text = f"{HEAD}{code}"
    assert isinstance(outcome(text), list), outcome(text)
    return text, migrate([Text("program.py", Settings(), text)], Target("typed"), strict=strict)


@pytest.mark.parametrize("code", LOST.values(), ids=LOST.keys())
def test_what_would_break_is_announced(code: str) -> None:
    text, migration = migrated(code)
    assert outcome(text.replace("jax.random.PRNGKey", "jax.random.key")) != outcome(text), "it survives typed keys"
    assert is_told(migration)


@pytest.mark.parametrize("code", FINE.values(), ids=FINE.keys())
def test_what_is_fine_is_migrated(code: str) -> None:
    text, migration = migrated(code, strict=False)
    assert not migration.held and not migration.doubtful
    assert "PRNGKey" not in migration.texts[0].new and outcome(migration.texts[0].new) == outcome(text)
