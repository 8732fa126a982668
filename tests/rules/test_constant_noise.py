"""Draws for the data of a call from the key of a literal seed, as pairs of a wrong function and a right one."""

from __future__ import annotations

import textwrap

import jax
import pytest

from olympus_rules.check import check
from olympus_rules.finding import Confidence
from olympus_rules.syntax import Document

HEAD = "import jax\n\n\ndef add(x, key):\n    return x + jax.random.normal(key, x.shape)\n\n\n"
PAIRS = {
    "noise": (
        "def f(x):\n    return x + jax.random.normal(jax.random.key(0), x.shape)",
        "def f(x):\n    return x + jax.random.normal(jax.random.key(0), (3,))",
    ),
    "a mask": (
        "def f(x):\n    key = jax.random.PRNGKey(7)\n    return x * jax.random.bernoulli(key, 0.5, (x.shape[0],))",
        "def f(x, key=None):\n    key = jax.random.PRNGKey(7) if key is None else key\n"
        "    return x * jax.random.normal(key, x.shape)",
    ),
    "a child": (
        "def f(x):\n    _, key = jax.random.split(jax.random.PRNGKey(0))\n"
        "    return x + jax.random.uniform(key, shape=x.shape)",
        "def f(x, key):\n    _, key = jax.random.split(key)\n    return x + jax.random.uniform(key, shape=x.shape)",
    ),
    "a part": (
        "def f(x):\n    return x[:2] + jax.random.normal(jax.random.key(1), x[:2].shape)",
        "def f(x):\n    # fixed numbers\n    return x[:2] + jax.random.normal(jax.random.key(1), x[:2].shape)",
    ),
    "an ignored key": (
        "def f(x, rng=None):\n    return add(x, jax.random.PRNGKey(1))",
        "def f(x, rng=None):\n    return add(x, jax.random.PRNGKey(1) if rng is None else rng)",
    ),
    "in an inner function": (
        "def make():\n    def f(x):\n        return x + jax.random.normal(jax.random.key(0), x.shape)\n\n"
        "    return f\n\n\nf = make()",
        "def make(key):\n    def f(x):\n        return x + jax.random.normal(key, x.shape)\n\n    return f\n\n\n"
        "f = make(jax.random.key(0))",
    ),
}


def found(text: str, filename: str = "program.py") -> list[str]:
    """Return the confidence of the constant keys that are reported by default."""
    reports = check(Document(filename, HEAD + textwrap.dedent(text)), min_confidence=Confidence.LIKELY).reports
    return [each.finding.confidence.label for each in reports if each.finding.code == "OLY107"]


@pytest.mark.parametrize(("wrong", "right"), PAIRS.values(), ids=PAIRS.keys())
def test_pairs(wrong: str, right: str) -> None:
    assert found(wrong) == ["likely"]
    assert found(right) == []


@pytest.mark.parametrize("wrong", [wrong for wrong, _ in PAIRS.values()], ids=PAIRS.keys())
def test_the_numbers_of_a_wrong_function_never_change(wrong: str) -> None:
    names: dict = {}
    exec(compile(HEAD + wrong, "program.py", "exec"), names)
    x = jax.numpy.ones(64)
    assert (names["f"](x) == names["f"](x)).all()


def test_what_a_test_draws_is_to_be_the_same_each_time() -> None:
    wrong, _ = PAIRS["noise"]
    assert found(wrong, "test_program.py") == []


def test_a_layer_whose_streams_are_optional() -> None:
    layer = """
        class Drop:
            def __init__(self, rngs=None):
                self.rngs = rngs

            def __call__(self, x):
                key = self.rngs.dropout() if self.rngs is not None else jax.random.PRNGKey(0)
                return x * jax.random.bernoulli(key, 0.5, (x.shape[0],))
        """
    assert found(layer) == ["likely"]
