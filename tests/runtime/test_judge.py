"""What the judge says of two places, by the lineage of a function that has both."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from marked import read

jax = pytest.importorskip("jax")

from olympus import lineage  # noqa: E402
from olympus.tracing.jaxprs import raw_key, typed_key  # noqa: E402
from olympus.verdicts import Place, Question  # noqa: E402
from olympus.verdicts.evidence import key_text  # noqa: E402
from olympus.verdicts.judge import Execution, Interruption, judge  # noqa: E402

CASES = {
    "one key twice": ("OLY104", "confirmed", "«1 r.normal(key)», «2 r.normal(key)»"),
    "one key twice, by a method whose name is on a line of its own": (
        "OLY104",
        "confirmed",
        "own = r; («1 own\n        .normal(key)»), («2 own\n        .normal(key)»)",
    ),
    "two keys": ("OLY104", "refuted", "a, b = r.split(key); «1 r.normal(a)», «2 r.normal(b)»"),
    "one key in two branches, of which one is taken": (
        "OLY104",
        "refuted",
        "lax.cond(flag, lambda k: «1 r.normal(k)», lambda k: «2 r.uniform(k)», key)",
    ),
    "one key in two branches, of which the first is known to be taken": (
        "OLY104",
        "refuted",
        "lax.cond(True, lambda k: «1 r.normal(k)», lambda k: «2 r.uniform(k)», key)",
    ),
    "one key in two branches, executed for all lanes of a map": (
        "OLY104",
        "refuted",
        "jax.vmap(lambda p: lax.cond(p, lambda k: «1 r.normal(k)», lambda k: «2 r.uniform(k)», key))(flag[None])",
    ),
    "one key twice in a branch, executed for all lanes of a map": (
        "OLY104",
        "confirmed",
        "jax.vmap(lambda p: lax.cond(p, lambda k: «1 r.normal(k)» + «2 r.uniform(k)», lambda k: 0.0, key))(flag[None])",
    ),
    "one key after a branch": (
        "OLY104",
        "confirmed",
        "lax.cond(flag, lambda k: «1 r.normal(k)», lambda k: 0.0, key), «2 r.normal(key)»",
    ),
    "one child of two splits of one key": (
        "OLY104",
        "confirmed",
        "«1 r.normal(r.split(key)[0])», «2 r.uniform(r.split(key)[0])»",
    ),
    "one grandchild of two splits of one key": (
        "OLY104",
        "confirmed",
        "child = lambda: r.split(r.fold_in(r.split(key, 3)[2], 7))[1]\n"
        "    «1 r.normal(child())», «2 r.uniform(child())»",
    ),
    "two children of two splits of one key": (
        "OLY104",
        "refuted",
        "«1 r.normal(r.split(key)[0])», «2 r.uniform(r.split(key)[1])»",
    ),
    "two numbers, folded into children of two splits": (
        "OLY104",
        "refuted",
        "«1 r.normal(r.fold_in(r.split(key)[0], 1))», «2 r.uniform(r.fold_in(r.split(key)[0], 2))»",
    ),
    "a number that is not known, folded into children of two splits": (
        "OLY104",
        "inconclusive",
        "«1 r.normal(r.fold_in(r.split(key)[0], flag))», «2 r.uniform(r.fold_in(r.split(key)[0], 2))»",
    ),
    "a child at an unknown place, of two splits of one key": (
        "OLY104",
        "inconclusive",
        "«1 r.normal(r.split(key)[flag.astype(int)])», «2 r.uniform(r.split(key)[0])»",
    ),
    "a child at an unknown place, of splits of two keys": (
        "OLY104",
        "refuted",
        "a, b = r.split(key); place = flag.astype(int)\n"
        "    «1 r.normal(r.split(a)[place])», «2 r.uniform(r.split(b)[place])»",
    ),
    "one child of splits into two numbers of children, equal under some generators": (
        "OLY104",
        "inconclusive",
        "«1 r.normal(r.split(key, 2)[0])», «2 r.uniform(r.split(key, 3)[0])»",
    ),
    "a child of a split, and what a number gives, equal under some generators": (
        "OLY104",
        "inconclusive",
        "«1 r.normal(r.split(key)[1])», «2 r.uniform(r.fold_in(key, 1))»",
    ),
    "a key and its clone": ("OLY104", "refuted", "«1 r.normal(key)», «2 r.uniform(r.clone(key))»"),
    "one child in every iteration": (
        "OLY104",
        "confirmed",
        "[«12 r.normal(r.split(key)[0])» for _ in range(2)]",
    ),
    "two keys that are made apart of one seed": ("OLY104", "confirmed", "«1 r.normal(made(3))», «2 r.normal(made(3))»"),
    "children of two keys of one seed": (
        "OLY104",
        "confirmed",
        "«1 r.normal(r.split(made(flag))[1])», «2 r.normal(r.split(made(flag))[1])»",
    ),
    "two keys of two seeds": ("OLY104", "inconclusive", "«1 r.normal(made(3))», «2 r.normal(made(4))»"),
    "two objects that keep one key, and draw later": (
        "OLY104",
        "confirmed",
        "a, b = «1 r.fold_in(key, 0)», «2 r.fold_in(key, 0)»; r.normal(r.fold_in(a, 1)), r.normal(r.fold_in(b, 1))",
    ),
    "two objects that keep one key, and draw later with numbers of their own": (
        "OLY104",
        "refuted",
        "a, b = «1 r.fold_in(key, 0)», «2 r.fold_in(key, 0)»; r.normal(r.fold_in(a, 1)), r.normal(r.fold_in(b, 2))",
    ),
    "two derivations of one key": ("OLY108", "refuted", "«1 r.fold_in(key, 3)», «2 r.fold_in(key, 4)»"),
    "two derivations in two branches": (
        "OLY108",
        "refuted",
        "lax.cond(flag, lambda k: «1 r.fold_in(k, 3)», lambda k: «2 r.fold_in(k, 3)», key)",
    ),
    "one derivation twice": ("OLY108", "confirmed", "[«12 r.fold_in(key, 3)» for _ in range(2)]"),
    "one key in all lanes": (
        "OLY105",
        "confirmed",
        "«2 jax.vmap(lambda x: x + «1 r.normal(key)»)(jax.numpy.arange(3.0))»",
    ),
    "a key for each lane": ("OLY105", "inconclusive", "«2 jax.vmap(lambda k: «1 r.normal(k)»)(r.split(key, 3))»"),
    "a key for each of many lanes": (
        "OLY105",
        "inconclusive",
        "«2 jax.vmap(lambda k: «1 r.normal(k)»)(r.split(key, 5000))»",
    ),
    "the number of the lane, folded in": (
        "OLY105",
        "inconclusive",
        "«2 jax.vmap(lambda i: «1 r.normal(r.fold_in(key, i))»)(jax.numpy.arange(3))»",
    ),
    "copies of one key for all lanes": (
        "OLY105",
        "confirmed",
        "«2 jax.vmap(lambda k: «1 r.normal(k)»)(jax.numpy.stack([key, key]))»",
    ),
    "children at unknown places in the lanes": (
        "OLY105",
        "inconclusive",
        "«2 jax.vmap(lambda i: «1 r.normal(r.split(key, 3)[i])»)(flag.astype(int) + jax.numpy.arange(2))»",
    ),
    "a key for each lane, which draws from it twice": (
        "OLY105",
        "inconclusive",
        "draw = lambda k: «1 r.normal(k)»; «2 jax.vmap(lambda k: draw(k) + draw(k))(r.split(key, 3))»",
    ),
    "a key for each row, and one for all of its lanes": (
        "OLY105",
        "inconclusive",
        "row = lambda k: «2 jax.vmap(lambda x: x + «1 r.normal(k)»)(jax.numpy.arange(3.0))»\n"
        "    jax.vmap(row)(r.split(key, 2))",
    ),
    "one key in all steps": (
        "OLY105",
        "confirmed",
        "«2 lax.scan(lambda c, x: (c, x + «1 r.normal(key)»), 0, jax.numpy.arange(3.0))»",
    ),
    "a key for each step": (
        "OLY105",
        "inconclusive",
        "«2 lax.scan(lambda c, k: (c, «1 r.normal(k)»), 0, r.split(key, 3))»",
    ),
    "a function that nothing maps": (
        "OLY105",
        "inconclusive",
        "draw = lambda: «1 r.normal(key)»; draw() + «2 draw()»",
    ),
}


@pytest.mark.parametrize("key", [typed_key, raw_key])
@pytest.mark.parametrize("name", CASES)
def test_two_places(name: str, key: Callable[[], Any]) -> None:
    code, status, body = CASES[name]
    made = "key" if key is typed_key else "PRNGKey"
    head = f"import jax\nfrom jax import lax, random as r\nfrom jax.random import {made} as made\n"
    program = read(f"{head}def f(key, flag):\n    {textwrap.dedent(body)}\n")
    f = program.run(f"<judge {name}>")["f"]
    first, second = (Place(f"<judge {name}>", *program.places[mark]) for mark in "12")
    question = Question(code, second, None if first == second else first, certain=True)
    execution = Execution(lineage.of(f, key(), jax.ShapeDtypeStruct((), "bool")))
    assert judge(question, [execution], "function").status == status


@pytest.mark.parametrize("key", [typed_key, raw_key])
@pytest.mark.parametrize(
    ("given", "repeats", "status"),
    [
        ("key", True, "confirmed"),
        ("r.fold_in(key, i)", True, "refuted"),  # the function is wrong, but not that the loop has one key
        ("r.fold_in(key, i)", False, "confirmed"),
    ],
)
def test_a_call_in_a_loop_may_use_a_key_of_its_own_twice(
    key: Callable[[], Any], given: str, repeats: bool, status: str
) -> None:
    draws = "def draws(key):\n    return r.normal(key), r.uniform(key)\n"
    loop = f"def f(key):\n    for i in range(3):\n        «1 draws({given})»\n"
    program = read(f"from jax import random as r\n{draws}{loop}")
    f = program.run("<loop>")["f"]
    question = Question("OLY104", Place("<loop>", *program.places["1"]), None, certain=True, repeats=repeats)
    assert judge(question, [Execution(lineage.of(f, key()))], "function").status == status


def test_an_error_may_leave_out_what_comes_of_a_key() -> None:
    program = read("import jax\ndef f(key):\n    «1 jax.random.fold_in(key, 0)», «2 jax.random.fold_in(key, 0)»\n")
    f = program.run("<error>")["f"]
    question = Question("OLY104", *(Place("<error>", *program.places[mark]) for mark in "21"), certain=True)
    seen = lineage.of(f, typed_key())
    assert judge(question, [Execution(seen)], "function").status == "refuted"
    failed = Execution(seen, interruptions=(Interruption("TypeError: no key", ()),))
    assert judge(question, [failed], "function").status == "inconclusive"


def test_a_key_that_nothing_has_made_says_so() -> None:
    assert key_text("split(key)[1]") == "split(key)[1]"
    told = key_text("fold_in(failed(...), 3)")
    assert "failed(...)" not in told
    assert told.startswith("fold_in(the missing value, 3) (no execution has made it")
