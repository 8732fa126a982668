"""The variables that hold keys in a picture of a lineage."""

from __future__ import annotations

import linecache
from itertools import count

import pytest

jax = pytest.importorskip("jax", reason="the lineage is of a trace")

from olympus import lineage  # noqa: E402
from olympus.graphs import graph  # noqa: E402
from olympus.tracing.jaxprs import raw_key, typed_key  # noqa: E402

NUMBERS = count()
HEADER = "import jax\nfrom jax import random\nfrom jax.random import normal as n, split\n"

# A program, and the variable of each key in its picture, by its derivation.
PROGRAMS = {
    "unpacking": (
        "def f(key):\n    a, b = random.split(key)\n    return n(a) + n(b)",
        {"split(key)[0]": "a", "split(key)[1]": "b"},
    ),
    "a new name for the old one": (
        "def f(key):\n    key, sub = split(key)\n    key, other = split(key)\n    return n(sub) + n(other)",
        {"split(key)[1]": "sub", "split(key)[0]": "key", "split(split(key)[0])[1]": "other"},
    ),
    "an array of keys": (
        "def f(key):\n    keys = random.split(key, 3)\n    return jax.vmap(n)(keys)",
        {"split(key)[0:3]": "keys"},
    ),
    "an attribute": (
        "class State: pass\ndef f(key):\n    state = State()\n    state.key, drawn = split(key)\n"
        "    return n(state.key) * n(drawn)",
        {"split(key)[0]": "state.key", "split(key)[1]": "drawn"},
    ),
    "a number folded in": (
        "def f(key):\n    inner = random.fold_in(key, 3)\n    return n(inner)",
        {"fold_in(key, 3)": "inner"},
    ),
    "a seed": ("def f():\n    key = random.key(7)\n    return n(key)", {"key(7)": "key"}),
    "two statements in one": (
        "def f(key):\n    one, other = random.fold_in(key, 1), random.fold_in(key, 2)\n    return n(one) + n(other)",
        {"fold_in(key, 1)": "one", "fold_in(key, 2)": "other"},
    ),
    "an expression that assigns": (
        "def f(key):\n    return n(inner := random.fold_in(key, 3)) + inner.ndim",
        {"fold_in(key, 3)": "inner"},
    ),
    "an annotation": (
        "def f(key):\n    inner: jax.Array = random.fold_in(key, 3)\n    return n(inner)",
        {"fold_in(key, 3)": "inner"},
    ),
    "a loop of Python": (
        "def f(key):\n    return sum(n(each) for each in split(key, 3))",
        {"split(key)[0:3]": "each"},
    ),
    "a loop of JAX": (
        "def f(key):\n    def body(carry, _):\n        carry, sub = split(carry)\n        return carry, n(sub)\n"
        "    return jax.lax.scan(body, key, length=3)[1]",
        {"split(key)[0]": "carry", "split(key)[1]": "sub"},
    ),
    "a helper": (
        "def pair(key):\n    one, other = split(key)\n    return other, one\n"
        "def f(key):\n    a, b = pair(key)\n    return n(a) + n(b)",
        {"split(key)[0]": "one", "split(key)[1]": "other"},
    ),
    "the rest": (
        "def f(key):\n    first, *rest = split(key, 3)\n    return n(first) + n(rest[0]) + n(rest[1])",
        {"split(key)[0]": "first"},
    ),
    "characters of several bytes": (
        "def f(key):\n    'ä'; a, ñ = split(key)\n    return n(a) + n(ñ)",
        {"split(key)[0]": "a", "split(key)[1]": "ñ"},
    ),
    # Nothing is guessed.
    "no variable": ("def f(key):\n    return n(random.split(key)[0])", {}),
    "a helper without variables": (
        "def pair(key):\n    return split(key)[::-1]\ndef f(key):\n    a, b = pair(key)\n    return n(a) + n(b)",
        {},
    ),
    "two axes": (
        "def f(key):\n    a, b = split(key, (2, 2))\n    return n(a[0]) + n(a[1]) + n(b[0]) * n(b[1])",
        {},
    ),
    "a map": ("def f(key):\n    a, b = jax.vmap(split)(split(key))\n    return n(a[0]) + n(b[0])", {}),
    "an item": ("def f(key):\n    d = {}\n    d['key'] = random.fold_in(key, 3)\n    return n(d['key'])", {}),
    "several variables": (
        "def f(key):\n    a = b = random.fold_in(key, 3)\n    return n(a)",
        {},
    ),
}


def variables(program: str, key: object) -> dict[str, str]:
    """Return the variables in the picture of a program, by the derivations of the keys."""
    file = f"program_{next(NUMBERS)}.py"
    source = HEADER + program + "\n"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, object] = {}
    exec(compile(source, file, "exec"), names)
    function = names["f"]
    assert callable(function)
    arguments = (key,) if function.__code__.co_argcount else ()
    found = graph(lineage.of(function, *arguments))
    return {node.label: node.variable for node in found.nodes if node.variable}


@pytest.mark.parametrize("key", [typed_key(), raw_key()], ids=["typed", "raw"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_keys_are_called_what_the_program_calls_them(program: str, key: object):
    source, expected = PROGRAMS[program]
    assert variables(source, key) == expected


def test_a_program_without_its_source_has_no_variables():
    names: dict[str, object] = {}
    exec(compile(HEADER + PROGRAMS["unpacking"][0], "<no file>", "exec"), names)
    assert not any(node.variable for node in graph(lineage.of(names["f"], typed_key())).nodes)
