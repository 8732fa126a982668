"""``--migrate`` and ``--fix`` on what random projects have shown: keys lost on their way, and wrong rewrites."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import command
from migrated import is_told

from olympus_codemods.target import Target
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import collections
import collections.abc
import dataclasses
import importlib
import io
import operator
import pickle
import sys
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class State(NamedTuple):
    mean: jax.Array
    rng: jax.Array


@dataclasses.dataclass
class Box:
    mean: jax.Array
    rng: Any = dataclasses.field(default_factory=lambda: jax.random.PRNGKey(1))


def save(state):
    np.savez(io.BytesIO(), **state)


"""
COUNT = "print(sum(leaf.size for leaf in jax.tree.leaves(state)))\n"
LOST = {
    "handed to map, in a tuple": "state = (np.ones(2), list(map(jax.random.PRNGKey, [0, 1]))[1])\n" + COUNT,
    "replaced in a named tuple": "state = State(np.ones(2), None)._replace(rng=jax.random.PRNGKey(0))\n" + COUNT,
    "replaced, compared": (
        "state = State(1, None)._replace(rng=jax.random.PRNGKey(0))\n"
        "jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b), state, state)\n"
    ),
    "iterated in an attribute": "box = Box(1)\nfor word in box.rng:\n    print(word)\n",
    "unpacked from an attribute": "high, low = Box(1).rng\n",
    "attribute of a copy": (
        "@dataclasses.dataclass\nclass Inner:\n    mean: Any\n    rng: Any\n\n\n"
        "@dataclasses.dataclass\nclass Outer:\n    held: Any\n\n\n"
        "outer = dataclasses.replace(Outer(None), held=Inner((2, 2), jax.random.PRNGKey(1)))\n"
        "state = ((2, 2), 3, dataclasses.astuple(outer.held))\n"
        "print(jax.tree.map(lambda leaf: leaf.tobytes().hex() if hasattr(leaf, 'tobytes') else 0, state))\n"
    ),
    "list of a named tuple": "state = list(State(np.ones(2), jax.random.PRNGKey(0)))\n" + COUNT,
    "deque of a named tuple": (
        "state = collections.deque(State(np.ones(2), jax.random.PRNGKey(0)))\nprint(sum(leaf.size for leaf in state))\n"
    ),
    "default factory beside numbers": "state = [np.ones(2), Box(1).rng]\n" + COUNT,
    "pickled": "state = pickle.loads(pickle.dumps([np.ones(2), jax.random.PRNGKey(0)]))\n" + COUNT,
    "class of an object": "old = State(1, jax.random.PRNGKey(0))\nstate = type(old)(mean=1, rng=old.rng)\n" + COUNT,
    "class as an attribute": "old = State(1, jax.random.PRNGKey(0))\nstate = old.__class__(1, old.rng)\n" + COUNT,
    "rewrapped": (
        "key = jax.random.PRNGKey(0)\n"
        "key = jax.random.wrap_key_data(jax.random.key_data(key) + 1, impl=jax.random.key_impl(key))\n"
        "state = jnp.stack([jax.random.fold_in(key, i) for i in range(4)])\nprint(state.size // 4)\n"
    ),
    "mapped over the words": (
        "keys = jnp.stack([jax.random.PRNGKey(i) for i in range(2)])\n"
        "print(jax.vmap(lambda word: word, in_axes=1)(keys))\n"
    ),
    "mapped over the words, one of several": (
        "keys = jnp.stack([jax.random.PRNGKey(i) for i in range(2)])\n"
        "print(jax.vmap(lambda n, word: word, in_axes=(None, 1))(3, keys))\n"
    ),
    "read from a module that is found by its name": (
        'key = importlib.import_module("jax.random").PRNGKey(0)\nprint(np.asarray(key))\n'
    ),
    "read from a module that is loaded": 'key = sys.modules["jax.random"].PRNGKey(0)\nprint(np.asarray(key))\n',
    "read by a name in a variable": 'name = "PRNGKey"\nkey = getattr(jax.random, name)(0)\nprint([str(key)])\n',
    "waited for": "print(np.asarray(jax.random.PRNGKey(0).block_until_ready()).sum())\n",
    "shapes of a mapped split": (
        "keys = jax.random.split(jax.random.PRNGKey(0), 3)\n"
        "print(jax.eval_shape(jax.vmap(jax.random.split), keys).shape)\n"
    ),
    "words, inserted": (
        "keys = jax.vmap(jax.random.PRNGKey)(jnp.arange(4))\nkey = jnp.insert(keys, 0, keys[1], axis=0)[:4][0][:]\n"
    ),
    "first word of all leaves of attributes": (
        "class Mean:\n    def __init__(self, mean, rng):\n        self.mean, self.rng = mean, rng\n\n\n"
        "old = Mean(np.arange(4.0), jax.random.PRNGKey(0))\n"
        "print(jax.tree.map(lambda leaf: leaf[0], vars(old)))\n"
    ),
    "getter of each": (
        "pairs = [(1, jax.random.PRNGKey(0))]\nsizes = [key.size for key in map(operator.itemgetter(1), pairs)]\n"
    ),
    "subclass of a dictionary": (
        "class Store(dict):\n    pass\n\n\nsize = Store({'rng': jax.random.PRNGKey(0)})['rng'].size\n"
    ),
    "subclass of an ordered dictionary": (
        "class Store(collections.OrderedDict):\n    pass\n\n\nsize = Store(rng=jax.random.PRNGKey(0)).pop('rng').size\n"
    ),
    "subclass of a tuple": ("class Pair(tuple):\n    pass\n\n\nsize = Pair([jax.random.PRNGKey(0), 2])[0].size\n"),
    "default of a dictionary": (
        "store = collections.defaultdict(lambda: jax.random.PRNGKey(3))\nsize = store['rng'].size\n"
    ),
    "executor, words": (
        "import concurrent.futures\n\nwith concurrent.futures.ThreadPoolExecutor() as pool:\n"
        "    word = pool.submit(lambda key: key[0], jax.random.PRNGKey(0)).result()\n"
    ),
    "thread": (
        "import threading\n\nwords = []\n\n\ndef take(key):\n    words.append(key[0])\n\n\n"
        "threading.Thread(target=take, args=(jax.random.PRNGKey(0),)).start()\n"
    ),
    "sent for": (
        "def give(key):\n    while True:\n        yield key\n\n\n"
        "gave = give(jax.random.PRNGKey(0))\nnext(gave)\ntotal = gave.send(1).sum()\n"
    ),
    "object of a generator": (
        "def give(box):\n    yield box\n\n\n"
        "for name, leaf in vars(next(give(Box(1, jax.random.PRNGKey(0))))).items():\n    kept = np.asarray(leaf)\n"
    ),
    "all axes by their numbers": (
        "keys = next(iter([jax.vmap(lambda i: jax.random.PRNGKey(3))(jnp.arange(2))]))\n"
        "moved = jnp.transpose(keys[None], (1, 0, 2))[:, 0]\n"
    ),
    "word of what is got at a place": (
        "keys = jnp.stack([jax.random.PRNGKey(0), jax.random.PRNGKey(1)])\n"
        "words = jax.tree.map(lambda leaf: leaf[0], (keys.at[1].get(),))\n"
    ),
    "chained": (
        "import itertools\n\nword = list(itertools.chain([jax.random.PRNGKey(0)], [jax.random.PRNGKey(2)]))[0][0]\n"
    ),
    "put together again": (
        "leaves, tree = jax.tree.flatten({'rng': jax.random.PRNGKey(0)})\n"
        "word = jax.tree.unflatten(tree, leaves)['rng'][0]\n"
    ),
    "diagonal": "print(jax.random.split(jax.random.PRNGKey(0)).diagonal())\n",
}
ARRAYS = """\
lax.slice_in_dim(keys, 0, 2)
lax.index_in_dim(keys, 0)
lax.slice(keys, (0,) * keys.ndim, keys.shape)
lax.dynamic_update_slice_in_dim(keys, other, 0, axis=0)
lax.dynamic_update_index_in_dim(keys, other[0], 0, axis=0)
lax.collapse(keys, 0, 1)
lax.ppermute(keys, "i", [(0, 0)])
lax.all_to_all(keys, "i", 0, 0)
jnp.insert(keys, 0, other[0], axis=0)
jnp.delete(keys, 0, axis=0)
jnp.flipud(keys)
jnp.broadcast_arrays(keys, other)
jnp.block([keys, other])
jnp.array_split(keys, 2)
jnp.unstack(keys)
jnp.rollaxis(keys, 0)
keys.addressable_data(0)
keys.block_until_ready()
keys.__getitem__(0)
keys.__copy__()
""".splitlines()
"""Expressions that give keys of ``keys`` and ``other``."""
KEPT = {
    "rows of concatenated keys": (
        "key = jax.random.PRNGKey(0)\nother = jax.random.fold_in(key, 1)\n"
        "one = jax.lax.concatenate([key[None], other[None]], 0)[1]\nprint(jax.random.normal(one.reshape(1, -1)[0]))\n"
    ),
    "a copy without keys": "state = State(np.ones(2), None)._replace(mean=3)\nprint(len(repr(state)))\n",
    "mapped over keys": (
        "keys = jnp.stack([jax.random.PRNGKey(i) for i in range(2)])\n"
        "print(jax.vmap(lambda n, k: jax.random.normal(k), in_axes=(None, 0))(3, keys))\n"
    ),
    "a key of a getter": "print(jax.random.normal(operator.itemgetter('rng')({'rng': jax.random.PRNGKey(0)})))\n",
    "halves of mapped splits": (
        "keys = jax.random.split(jax.random.PRNGKey(0), 3)\none, two = jax.vmap(jax.random.split, out_axes=1)(keys)\n"
        "print(jax.vmap(jax.random.normal)(one))\n"
    ),
    "keys of mapped trees": (
        "keys = jax.random.split(jax.random.PRNGKey(0), 3)\n"
        "print(jax.vmap(lambda tree: jax.random.normal(jax.random.split(tree['rng'])[0]))({'rng': keys}))\n"
    ),
    "a default that is only used": "print(jax.random.normal(Box(1).rng))\n",
}


@pytest.mark.parametrize("style", ["typed", "portable"])
@pytest.mark.parametrize("body", LOST.values(), ids=LOST.keys())
def test_what_becomes_of_keys_is_told(body: str, style: Any) -> None:
    head = HEAD if "Box" in body else HEAD.replace("jax.random.PRNGKey(1)", "None")
    assert is_told(migrate([Text("program.py", Settings(), head + body)], Target(style), strict=True))


def test_moved_words_are_read_once() -> None:
    body = "keys = jax.random.split(jax.random.PRNGKey(0), 4)\nprint(jnp.moveaxis(keys, 1, 0)[:, 0])\n"
    migration = migrate([Text("program.py", Settings(), HEAD + body)], Target("typed"), strict=True)
    assert migration.texts[0].new.count("key_data(") <= 1


@pytest.mark.parametrize("call", ARRAYS)
def test_results_of_array_functions_are_keys(call: str) -> None:
    body = "keys = jax.random.split(jax.random.PRNGKey(0), 4)\nother = jax.random.split(jax.random.PRNGKey(1), 4)\n"
    text = f"import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n{body}kept = {call}\n"
    text += "print([str(leaf.dtype) for leaf in jax.tree.leaves(kept)])\n"
    migration = migrate([Text("program.py", Settings(), text)], Target("typed"), strict=True)
    assert is_told(migration) or ("'i'" in call.replace('"', "'") and "key_data(leaf)" in migration.texts[0].new)


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_correct_uses_hold_nothing_back(body: str) -> None:
    migration = migrate([Text("program.py", Settings(), HEAD + body)], Target("typed"))
    assert not migration.is_open
    assert "PRNGKey" not in migration.texts[0].new


def test_a_builtin_is_none_of_the_names_of_a_star_import(tmp_path: Path) -> None:
    tools = HEAD.replace("jax.random.PRNGKey(1)", "None") + "class Keys:\n    key = jax.random.PRNGKey(1)\n"
    (tmp_path / "tools.py").write_text(tools)
    program = """\
import jax
import jax.numpy as jnp
from tools import *

box = Box(1, Keys.key)
for key in (k for k in [getattr(box, "rng")]):
    print(jnp.array([key[0], *key[1:]]), key.size)
"""
    (tmp_path / "main.py").write_text(program)
    assert command(tmp_path, "--no-cache", "--migrate", ".").returncode == 1


@pytest.mark.parametrize("style", ["typed", "portable"])
def test_a_key_of_concatenated_rows_is_one_key(style: Any) -> None:
    body = KEPT["rows of concatenated keys"]
    migration = migrate([Text("program.py", Settings(), HEAD + body)], Target(style), strict=True)
    assert "reshape(1, -1)" in migration.texts[0].new or "reshape(1, *one.shape)" in migration.texts[0].new


def test_a_fix_keeps_the_import_that_another_fix_uses(tmp_path: Path) -> None:
    program = """\
import jax
import jax.numpy as jnp
from jax.random import PRNGKey as make, normal


def draw(rng=None):
    if rng is None:
        rng = jnp.zeros(2, jnp.uint32)
    return normal(rng)


print(draw(), draw(make(1)))
"""
    (tmp_path / "program.py").write_text(program)
    command(tmp_path, "--no-cache", "--fix", "--select", "OLY", "program.py")
    after = (tmp_path / "program.py").read_text()
    assert after != program
    assert ("make(" in after) == ("PRNGKey as make" in after)


def test_a_fix_counts_the_axes_of_a_stack_in_a_callee(tmp_path: Path) -> None:
    program = """\
import jax
import jax.numpy as jnp


def draw(keys):
    return jax.vmap(lambda key: jax.random.normal(key, (2,)))(keys)


def first(state):
    return draw(jnp.stack([state["rng"], jax.random.fold_in(state["rng"], 7)]).reshape(2, 2))


def second(state):
    return draw(keys=jnp.stack([state.rng, state.key]).reshape(2, 2))
"""
    (tmp_path / "program.py").write_text(program)
    command(tmp_path, "--no-cache", "--fix", "--select", "OLY", "program.py")
    after = (tmp_path / "program.py").read_text()
    assert "shape[1:]" not in after
    assert 'reshape(2, *state["rng"].shape)' in after


@pytest.mark.parametrize("flat", ["jnp.ravel(key)", "jnp.reshape(key, (-1,))", "key.reshape(-1)", "key.flatten()"])
def test_a_fix_leaves_the_words_of_flat_keys(flat: str, tmp_path: Path) -> None:
    program = f"""\
import jax
import jax.numpy as jnp

key = jax.random.PRNGKey(1)
flat = {flat}
print(bool(flat[0] == jax.random.fold_in(flat, 7)[0]))
"""
    (tmp_path / "program.py").write_text(program)
    command(tmp_path, "--no-cache", "--fix", "--select", "OLY", "program.py")
    assert "key_data(flat[0])" not in (tmp_path / "program.py").read_text()


def test_a_comparison_of_dtypes_that_is_a_value_keeps_its_value(tmp_path: Path) -> None:
    program = """\
import jax
import jax.numpy as jnp

out = []
key = jax.random.PRNGKey(1)
out.append(key.dtype == jnp.uint32)
"""
    (tmp_path / "program.py").write_text(program)
    command(tmp_path, "--no-cache", "--fix", "--select", "OLY", "program.py")
    assert "issubdtype" not in (tmp_path / "program.py").read_text()


def test_a_copy_of_an_object_of_another_file_has_the_new_values(tmp_path: Path) -> None:
    program = """\
import jax
import jax.numpy as jnp
from elsewhere import State

state = State(1, None)._replace(rng=jax.random.PRNGKey(0))
print([jnp.ndim(leaf) for leaf in jax.tree.leaves(state)])
"""
    (tmp_path / "program.py").write_text(program)
    assert command(tmp_path, "--no-cache", "--migrate", "program.py").returncode == 1


ELSEWHERE = {
    "attribute of an object": "box = elsewhere.Box(1)\nbox.rng = key\nprint(np.asarray(box.rng))\n",
    "attribute of a module": "elsewhere.rng = key\nprint(np.asarray(elsewhere.rng))\n",
    "item of a dictionary": "elsewhere.TABLE['rng'] = jnp.stack([key])\nprint(elsewhere.TABLE['rng'][:, 0])\n",
    "item of a dictionary that a star imports": "TABLE['rng'] = key\nprint(TABLE['rng'] + 0)\n",
    "attribute of an object of one of two stars": "box = Box()\nbox.rng = key\nprint(box.rng.tolist())\n",
    "copy by a method": "box = elsewhere.Box(1, None)._replace(rng=key)\nprint(format(box.rng))\n",
    "method that takes it": "box = elsewhere.Box(1)\nbox.add(key)\nprint(box.key + 0)\n",
    "attribute by its name": "box = elsewhere.Box(1)\nsetattr(box, 'rng', key)\nprint(np.prod(box.rng.shape))\n",
    "new value": (
        "box = dataclasses.replace(elsewhere.Box(1, None), rng=key)\n"
        "print([np.asarray(value).size for value in dataclasses.asdict(box).values()])\n"
    ),
}


@pytest.mark.parametrize("body", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_keys_in_objects_of_files_that_are_not_read_are_told(body: str) -> None:
    head = "import dataclasses\n\nimport elsewhere\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"
    head += "from elsewhere import *\nfrom others import *\n\n"
    text = f"{head}key = jax.random.PRNGKey(0)\n{body}"
    assert is_told(migrate([Text("program.py", Settings(), text)], Target("typed"), strict=True))


def test_a_mock_of_the_constructor_is_told_in_portable_style() -> None:
    text = "from unittest import mock\n\nimport jax\nimport jax.numpy as jnp\n\n"
    text += "with mock.patch('jax.random.PRNGKey', lambda seed: jnp.array([0, 2], jnp.uint32)):\n"
    text += "    key = jax.random.PRNGKey(1)\nprint(jax.random.normal(key))\n"
    assert is_told(migrate([Text("program.py", Settings(), text)], Target("portable")))


def test_a_fix_reads_files_of_other_projects_without_constructors(tmp_path: Path) -> None:
    files = {
        "b/pyproject.toml": "",
        "b/pkg/__init__.py": "",
        "b/pkg/tools.py": "import jax\n\nkey = jax.random.PRNGKey(1)\n",
        "scripts/main.py": "import jax\nimport numpy as np\nfrom pkg.tools import key\n\nprint(np.asarray(key))\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    command(tmp_path, "--no-cache", "--fix", "--select", "OLY201", ".")
    assert (tmp_path / "b/pkg/tools.py").read_text() == files["b/pkg/tools.py"]


SLICED = {
    "keys[:, :]": "jnp.tile(sliced, (2, 1))",
    "keys[..., :]": "jnp.tile(sliced, (2, 1))",
    "keys[:, None]": "sliced[:, 0]",
    "keys[None, :]": "sliced[0]",
    "keys[None, :, :][0]": "sliced.reshape(3, 2)",
}


@pytest.mark.parametrize("sliced", SLICED)
@pytest.mark.parametrize("style", ["typed", "portable"])
def test_slices_keep_axes(sliced: str, style: Any) -> None:
    body = f"keys = jax.random.split(jax.random.PRNGKey(0), 3)\nsliced = {sliced}\nagain = {SLICED[sliced]}\n"
    body += "out = jax.vmap(jax.random.normal)(again).tolist()\n"
    migration = migrate([Text("program.py", Settings(), HEAD + body)], Target(style), strict=True)
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(HEAD + body, before)
    exec(migration.texts[0].new, after)
    assert before["out"] == after["out"]
