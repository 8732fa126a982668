"""Keys in containers and objects that get to library functions which do not take typed keys: announced, not renamed."""

from __future__ import annotations

import pytest
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import collections
import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import chex
import equinox as eqx
import flax
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils

SEEN = set()


class Pair(NamedTuple):
    w: Any
    rng: Any
"""
FIELDS = "    w: Any\n    rng: Any\n"
OBJECT = "State(jnp.ones(3), jax.random.PRNGKey(0))"
HOLDERS = {
    "dictionary": ("", "{'w': jnp.ones(3), 'rng': jax.random.PRNGKey(0)}"),
    "named tuple": (f"class State(NamedTuple):\n{FIELDS}", OBJECT),
    "flax struct": (f"@flax.struct.dataclass\nclass State:\n{FIELDS}", OBJECT),
    "module": (f"class State(eqx.Module):\n{FIELDS}", OBJECT),
    "dataclass": (f"@dataclass\nclass State:\n{FIELDS}", OBJECT),
    "class": ("class State:\n    def __init__(self, w, rng):\n        self.w, self.rng = w, rng", OBJECT),
}
PYTREES = ("dictionary", "named tuple", "flax struct", "module")
SINKS = {
    "assertion": "chex.assert_tree_all_finite(state)",
    "bytes": "flax.serialization.to_bytes(state)",
    "state dictionary": "flax.serialization.msgpack_serialize(flax.serialization.to_state_dict(state))",
    "broadcast": "multihost_utils.broadcast_one_to_all(state)",
    "leaves": "np.savez('f', *jax.tree.leaves(state))",
    "leaves with paths": "for _, x in jax.tree_util.tree_leaves_with_path(state):\n        np.save('f', x)",
    "function": "jax.tree.map(np.asarray, state)",
    "lambda": "jax.tree.map(lambda x: x.sum(), state)",
    "number of parameters": "sum(np.prod(x.shape) for x in jax.tree.leaves(state))",
    "sizes": "sum(x.size for x in jax.tree.leaves(state))",
    "floats": "sum(jnp.sum(jnp.asarray(x, jnp.float32) ** 2) for x in jax.tree.leaves(state))",
    "floats of lax": "[jax.lax.convert_element_type(x, jnp.float32) for x in jax.tree.leaves(state)]",
    "text of a dtype": "jax.tree.map(lambda x: str(x.dtype), state)",
    "name of a dtype": "jax.tree.map(lambda x: jnp.asarray(x).dtype.name, state)",
    "text of a variable": "for x in jax.tree.leaves(state):\n        dtype = x.dtype\n        SEEN.add(str(dtype))",
    "array of that dtype": "jax.tree.map(lambda x: np.zeros(x.shape, x.dtype), state)",
    "size of a description": "jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype).size, state)",
}
CONVERSIONS = {
    "vars": "np.savez('f', **vars(state))",
    "__dict__": "np.savez('f', **state.__dict__)",
    "asdict": "np.savez('f', **dataclasses.asdict(state))",
    "fields": "for each in dataclasses.fields(state):\n        np.save('f', getattr(state, each.name))",
    "vars by name": "sum(np.prod(x.shape) for x in jax.tree.leaves({'rng': vars(state)['rng']}))",
}
PROGRAMS = {
    f"{sink}, {holder}": (*HOLDERS[holder], text)
    for holders, sinks in ((PYTREES, SINKS), (list(HOLDERS)[1:], CONVERSIONS))
    for holder in holders
    for sink, text in sinks.items()
}


@pytest.mark.parametrize(("definition", "made", "sink"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_constructor_is_held_back(definition: str, made: str, sink: str) -> None:
    text = f"{HEAD}\n\n{definition}\n\n\ndef use(state):\n    {sink}\n\n\nuse({made})\n"
    migration = migrate([Text("program.py", Settings(), text)], Target("typed"), strict=True)
    assert is_told(migration)


def test_a_structure_holds_nothing_back() -> None:
    body = "state = Pair(jnp.ones(3), jax.random.PRNGKey(0))\nstructure = jax.tree.structure(state)\n"
    text = f"{HEAD}\n\n{body}print(structure == jax.tree.flatten(state)[1], str(structure), structure.num_leaves)\n"
    migration = migrate([Text("program.py", Settings(), text)], Target("typed"), strict=True)
    assert migration.free and not migration.held


def test_parameters_without_keys_hold_nothing_back() -> None:
    body = "params = {'w': jnp.ones(3)}\nkey = jax.random.PRNGKey(0)\njax.random.normal(key)\n"
    text = f"{HEAD}{body}np.savez('f', **params)\nsum(x.size for x in jax.tree.leaves(params))\n"
    migration = migrate([Text("program.py", Settings(), text)], Target("typed"), strict=True)
    assert migration.free and not migration.held


@pytest.mark.parametrize(
    "use",
    [
        "print([x.dtype for x in jax.tree.leaves(state)])",
        "log.info('%s', {str(x.dtype) for x in jax.tree.leaves(state)})",
        "jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), state)",
        "jax.tree.map(lambda x: jnp.asarray(x, x.dtype), state)",
        "flax.serialization.from_bytes(target=None, encoded_bytes=state)",
    ],
)
def test_descriptions_and_arguments_that_are_not_converted_hold_nothing_back(use: str) -> None:
    text = f"{HEAD}state = {{'w': jnp.ones(3), 'rng': jax.random.PRNGKey(0)}}\n{use}\n"
    migration = migrate([Text("program.py", Settings(), text)], Target("typed"))
    assert migration.free and not migration.held


STATE = "class State:\n    def __init__(self, rng):\n        self.rng = rng\n"
ALONE = {
    "_asdict, one by one": "for n, x in Pair(1.0, jax.random.PRNGKey(0))._asdict().items():\n    np.save(n, x)",
    "__getstate__": f"{STATE}    def __getstate__(self):\n        return {{'rng': np.asarray(self.rng)}}\n"
    "State(jax.random.PRNGKey(0)).__getstate__()",
    "tree_serialise_leaves": "eqx.tree_serialise_leaves('f', Pair(jnp.ones(3), jax.random.PRNGKey(0)))",
    "axes of words": "keys = jax.random.split(jax.random.PRNGKey(0), 3)\nprint(jnp.zeros(keys.shape[keys.ndim - 1 :]))",
}


@pytest.mark.parametrize("program", ALONE.values(), ids=ALONE)
def test_a_sink_by_itself_is_seen(program: str) -> None:
    """The constructor is held back, or the place takes both kinds of keys."""
    migration = migrate([Text("program.py", Settings(), f"{HEAD}\n\n{program}\n")], Target("typed"), strict=True)
    (text,) = migration.texts
    assert (migration.held and not migration.free) or "key_data" in text.new


def test_a_docstring_holds_nothing_back() -> None:
    words = '"""The key, with ``np.asarray(key)`` and ``key.shape == (2,)`` for a raw one."""'
    program = f"def draw(key):\n    {words}\n    return jax.random.normal(key)\n\n\ndraw(jax.random.PRNGKey(0))\n"
    migration = migrate([Text("program.py", Settings(), f"{HEAD}\n\n{program}")], Target("typed"), strict=True)
    assert migration.free and not migration.held and not any(migration.left.values())
