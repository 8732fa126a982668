"""Keys at places where unrelated values come together: announced where there is evidence for them."""

from __future__ import annotations

import pytest

from olympus_codemods.target import Style, Target
from olympus_lint.migration.places import Text
from olympus_lint.migration.project import Migration, migrate
from olympus_lint.project.settings import Settings

HEAD = """\
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np


class State(NamedTuple):
    key: jax.Array
    w: float


def make(kind):
    if kind == "apply":
        return lambda x: x
    return State(jax.random.PRNGKey(0), 1.0)
"""
REGISTRY = """
THINGS = {"state": State(jax.random.PRNGKey(0), 1.0), "apply": lambda x: x, "size": np.prod}


def get(name):
    return THINGS[name]
"""
TREES = {
    "a registry": f"{REGISTRY}\n\nchex.assert_tree_all_finite(get('state'))\n",
    "a display": "\n\nchex.assert_tree_all_finite((make('state'), 1.0))\n",
    "two trees": "\n\nchex.assert_trees_all_close(make('state'), make('state'))\n",
    "a function over leaves": "\n\njax.tree.map(np.testing.assert_array_equal, make('state'), make('state'))\n",
    "a dictionary": "\nD = [{'rng': jax.random.PRNGKey(0), 'w': 1.0}, np.prod]\n\n\ndef use(i):\n"
    "    chex.assert_tree_all_finite((D[i], 1.0))\n",
    "a tuple": "\nD = [(jax.random.PRNGKey(0), 1.0), np.prod]\n\n\ndef use(i):\n"
    "    chex.assert_tree_all_finite((D[i], 1.0))\n",
    "an environment of unknown class": "".join(
        f"\n\nclass State{i}(NamedTuple):\n    key: jax.Array\n    x{i}: float\n\n\nclass Env{i}:\n"
        f"    def reset(self, key):\n        return State{i}(key, 1.0), self.reset\n"
        for i in range(20)
    )
    + "\n\nclass Viewer:\n    def reset(self, key):\n        return np.prod, 1\n\n\ndef check(env):\n"
    "    state, step = env.reset(jax.random.PRNGKey(0))\n    chex.assert_tree_all_finite((state, step))\n",
}
TRANSFORM = """
class Frame:
    def __init__(self, key):
        self.key = key


STACK = []


def next_key():
    STACK[-1].key, sub = jax.random.split(STACK[-1].key)
    return sub


def increment(x):
    return x + 1


def transform(f):
    def apply(params, rng, *args):
        STACK.append(Frame(rng))
        try:
            return f(*args)
        finally:
            STACK.pop()
    return apply


def test_of_functions():
    assert transform(lambda: np.prod)({}, jax.random.PRNGKey(1))([]) == 1


def test_of_keys(self, next_key=next_key if not STACK else increment):
    key = jax.random.PRNGKey(2)
    out = transform(next_key)({}, key)
    """
DESCRIPTIONS = {
    "a comparison": "assert out.shape == (2,)",
    "another order": "assert [4] != out.shape",
    "a method": "self.assertEqual(out.shape, (4,))",
    "a function": "chex.assert_shape(out, (2,))",
    "a dtype": "assert out.dtype == jnp.uint32",
    "a call": "assert transform(next_key)({}, key).shape == (2,)",
}


def rows(migration: Migration) -> set[int]:
    """Return the rows that the report names."""
    left = {report.finding.span.start.row for reports in migration.left.values() for report in reports}
    made = migration.constructors["program.py"]
    return left | {reason.row for each in made for reason in (*each.reasons, *each.checks)}


def migrated(text: str, style: Style = "typed") -> Migration:
    return migrate([Text("program.py", Settings(), text)], Target(style))


@pytest.mark.parametrize("style", ["typed", "portable"])
@pytest.mark.parametrize("use", TREES.values(), ids=TREES)
def test_a_key_of_a_record_is_announced_at_a_check_of_its_leaves(use: str, style: Style) -> None:
    text = HEAD + use
    assert len(text.splitlines()) in rows(migrated(text, style))


@pytest.mark.parametrize("use", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_the_shape_and_dtype_of_the_result_of_a_call_with_a_key_are_announced(use: str) -> None:
    text = HEAD + TRANSFORM + use + "\n"
    assert len(text.splitlines()) in rows(migrated(text))


@pytest.mark.parametrize(
    "use",
    [
        "assert out.shape == (3,)",
        "assert transform(np.ones)({}, None, 2).shape == (2,)",
        "assert out.dtype == jnp.float32",
        "chex.assert_tree_all_finite((transform(np.ones)({}, None, 2), 1.0))",
    ],
)
def test_merged_values_without_evidence_hold_nothing_back(use: str) -> None:
    text = HEAD + TRANSFORM + use + "\n"
    assert len(text.splitlines()) not in rows(migrated(text))


def test_the_report_says_that_it_may_be_a_key() -> None:
    migration = migrated(HEAD + TREES["a display"])
    assert migration.is_open
    (report,) = migration.left["program.py"]
    assert report.finding.message.startswith("`(make('state'), 1.0)` may be or hold a key. ")
