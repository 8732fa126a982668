"""Messages write the calls of a file as the file does, and advise to write them so."""

from __future__ import annotations

from pathlib import Path

import pytest

RNGS = """\
from flax import nnx
import jax


def models():
    one = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    return one, nnx.Linear(2, 3, rngs=nnx.Rngs(0))
"""
IN_LAMBDA = """\
import jax
import jax.random as jr


def lanes(xs):
    first = jax.vmap(lambda x: x + jr.normal({constructor}(0)))(xs)
    return first, jax.vmap(lambda x: x - jr.normal({constructor}(0)))(xs)
"""
BESIDE = """\
from jax.random import PRNGKey


def noise():
    return PRNGKey(7)
"""
FROM_BESIDE = """\
import jax
from beside import noise


def draws():
    return jax.random.normal(noise()), jax.random.uniform(noise())
"""


def messages(run, code: str) -> str:
    return run("--isolated", "--no-cache", "--select", code, "--min-confidence", "possible", ".").out


def test_a_state_of_a_seed_is_written_as_it_is_made(project: Path, run):
    Path("a.py").write_text(RNGS)
    assert "A key from `nnx.Rngs(0)`, which" in messages(run, "OLY104")


@pytest.mark.parametrize("constructor", ["jr.PRNGKey", "jr.key", "jax.random.PRNGKey"])
def test_a_key_that_a_called_function_makes(project: Path, run, constructor: str):
    Path("a.py").write_text(IN_LAMBDA.format(constructor=constructor))
    assert f"A key from `{constructor}(0)`, which `<lambda>` consumes" in messages(run, "OLY104")


def test_a_key_that_another_file_makes(project: Path, run):
    Path("a.py").write_text(FROM_BESIDE)
    Path("beside.py").write_text(BESIDE)
    for _ in range(2):
        said = run("--isolated", "--select", "OLY104", "--min-confidence", "possible", ".").out
        assert "A key from `PRNGKey(7)`, which `jax.random.uniform` consumes" in said


@pytest.mark.parametrize(
    ("imports", "draw", "said"),
    [
        ("from jax.random import PRNGKey, normal", "normal(seed) + normal(PRNGKey(0))", "PRNGKey(seed)"),
        ("import jax.random as jr", "jr.normal(seed) + jr.normal(jr.key(0))", "jr.key(seed)"),
        ("from jax import random", "random.normal(seed) + random.normal(random.PRNGKey(1))", "random.PRNGKey(seed)"),
        ("import jax", "jax.random.normal(seed)", "jax.random.key(seed)"),
    ],
)
def test_a_seed_is_made_a_key_as_the_file_makes_keys(project: Path, run, imports: str, draw: str, said: str):
    Path("a.py").write_text(f"{imports}\n\n\ndef f():\n    seed = 7\n    return {draw}\n")
    assert f"Make a key from it: `{said}`." in messages(run, "OLY109")


@pytest.mark.parametrize(
    ("code", "body", "said"),
    [
        ("OLY101", "a, b = jr.key(0)\n    return a, b", "Split it: `a, b = jr.split(key)`."),
        ("OLY102", "return jr.normal(key), jr.normal(key + 1)", "Derive new keys: `jr.fold_in(key, i)`."),
        ("OLY105", "return jax.vmap(lambda x: x + jr.normal(key))(xs)", "Map over keys, `jr.split(key, n)`"),
        ("OLY108", "return jr.normal(jr.split(key, xs + 1)[xs])", "Use `jr.fold_in(key, xs)`."),
        ("OLY109", "k = jr.key(3)\n    return jr.normal(jr.key(k))", "derive one with `jr.split`."),
    ],
)
def test_advice_is_to_write_what_the_file_writes(project: Path, run, code: str, body: str, said: str):
    Path("a.py").write_text(f"import jax\nimport jax.random as jr\n\n\ndef f(key, xs):\n    {body}\n")
    assert said in messages(run, code)
