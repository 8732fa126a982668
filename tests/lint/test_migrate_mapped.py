"""``--migrate`` and functions that are mapped over keys: what is a word there, and what is a key."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.reach.solver.slots import Slots
from olympus_rules.reach.solver.values import Value

HEAD = """\
import functools

import jax
import jax.numpy as jnp

keys = jax.random.split(jax.random.PRNGKey(0), 3)
table = jax.random.split(jax.random.PRNGKey(1), (3, 2))


class First:
    def word(self, key):
        return key[0]


def word(key):
    return key[0]


def unpacked(key):
    high, low = key
    return high


"""
WORDS = {
    "a lambda": "out = jax.vmap(lambda k: k[0])(keys)",
    "a function": "out = jax.vmap(word)(keys)",
    "a function that unpacks": "out = jax.vmap(unpacked)(keys)",
    "a method": "out = jax.vmap(First().word)(keys)",
    "two axes": "out = jax.vmap(jax.vmap(word))(table)",
    "axes of one": "f = jax.vmap(lambda a, b: a[0] + b, (0, None))\nout = f(keys, jnp.uint32(1))",
    "axes by place": "out = jax.vmap(lambda x, k: k[0] + x, in_axes=[None, 0])(jnp.uint32(1), keys)",
    "bound arguments": "out = jax.vmap(functools.partial(lambda n, k: k[n], 1))(keys)",
    "arguments bound later": "f = functools.partial(jax.vmap(lambda n, k: k[0], (None, 0)), 1)\nout = f(keys)",
    "compiled": "out = jax.jit(jax.vmap(word))(keys)",
    "a decorator": "@jax.vmap\ndef f(k):\n    return k[0]\n\n\nout = f(keys)",
    "a decorator with axes": """\
@functools.partial(jax.vmap, in_axes=(None, 0))
def f(x, k):
    return k[0] + x


out = f(jnp.uint32(1), keys)""",
    "two decorators": "@jax.jit\n@jax.vmap\ndef f(k):\n    return k[0]\n\n\nout = f(keys)",
    "a loop over rows": "out = jax.lax.map(word, keys)",
}
KEYS = {
    "a row of keys": "out = jax.vmap(lambda k: jax.random.normal(k[0]))(table)",
    "not mapped": "f = lambda x, k: jax.random.normal(k[0]) + x\nout = jax.vmap(f, (0, None))(jnp.ones(3), keys)",
    "children": "out = jax.vmap(lambda k: jax.random.normal(jax.random.split(k)[0]))(keys)",
    "rows of a result": "out = jax.random.normal(jax.vmap(jax.random.split)(keys)[0][1])",
    "keys of a function": "out = jax.random.normal(jax.vmap(lambda k: jax.random.fold_in(k, 1))(keys)[0])",
    "rows of a loop": "out = jax.lax.map(lambda ks: jax.random.normal(ks[0]), table)",
    "results of a loop": "out = jax.random.normal(jax.lax.map(lambda k: jax.random.fold_in(k, 1), keys)[0])",
    "axes that are computed": "axes = (0,)\nout = jax.vmap(lambda ks: jax.random.normal(ks[0]), in_axes=axes)(table)",
    "a tuple of mapped keys, or one key in an object": """
import typing


class One(typing.NamedTuple):
    key: jax.Array


def normal(pair, many):
    return jax.random.normal(pair[0][0] if many else pair[0])


out = normal(One(keys[0]), False) + normal(jax.vmap(lambda k: (k,))(keys), True)
""",
}  # fmt: skip


def migrated(code: str) -> Migration:
    used = HEAD if "table" in code else HEAD.replace("table = jax.random.split(jax.random.PRNGKey(1), (3, 2))\n", "")
    return migrate([Text("program.py", Settings(), f"{used}{code}\n")], Target("typed"), strict=True)


def outcome(text: str) -> list[float]:
    names: dict[str, object] = {}
    exec(text, names)
    return names["out"].tolist()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("code", WORDS.values(), ids=WORDS.keys())
def test_words_of_a_mapped_key_are_announced(code: str) -> None:
    migration = migrated(code)
    assert outcome(migration.texts[0].new) == outcome(f"{HEAD}{code}\n")
    assert is_told(migration)


@pytest.mark.parametrize("code", KEYS.values(), ids=KEYS.keys())
def test_keys_in_a_mapped_function_are_fine(code: str) -> None:
    migration = migrated(code)
    assert not migration.is_open and "PRNGKey" not in migration.texts[0].new
    assert outcome(migration.texts[0].new) == outcome(f"{HEAD}{code}\n")


def shared_by_containers(number: int) -> str:
    """Return code that maps over a tree, in which one of very many lists is, each with one of very many functions."""
    functions = [f"f{each}" for each in range(number)]
    made = "".join(f"def {name}(x):\n    return x\n\n\n" for name in functions)
    lists = "    if f:\n        x = [f]\n" * number
    return (
        f"{made}for f in [{', '.join(functions)}]:\n{lists}tree = {{'a': x}}\njax.vmap(f0, in_axes=({{'a': 1}},))(tree)"
    )


def test_what_containers_share_is_listed_once() -> None:
    listed: list[int] = []
    of_mask = Slots.listed

    def counted(slots: Slots, mask: int) -> list[Value]:
        found = of_mask(slots, mask)
        listed.append(len(found))
        return found

    numbers = []
    for number in (20, 40):
        listed.clear()
        with patch.object(Slots, "listed", counted):
            migrated(shared_by_containers(number))
        numbers.append(sum(listed))
    assert numbers[1] < 2.5 * numbers[0]
