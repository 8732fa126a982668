"""Lineage graphs: the nodes and edges of small programs, and what holds for the graphs of all programs."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

import pytest
from marked import read

jax = pytest.importorskip("jax", reason="the lineage is that of JAX's jaxprs")

from test_lineage import IMPLEMENTATIONS, PRELUDE, PROGRAMS, Program, argument  # noqa: E402

from olympus import lineage  # noqa: E402
from olympus.graphs import Graph, graph  # noqa: E402
from olympus.tracing.jaxprs import raw_key, typed_key  # noqa: E402

IMPORTS = "import jax, jax.numpy as jnp; from jax import lax, random as r, vmap, jit\n"


def followed(text: str, *args: Any) -> lineage.Lineage:
    """Follow the function ``f`` of a program, whose first line is line 2."""
    return lineage.of(read(IMPORTS + textwrap.dedent(text).lstrip()).run("<program>")["f"], *args)


def drawn(found: Graph) -> list[str]:
    """Return the edges as a reader sees them; those of a misuse begin with a cross, misused keys have its name."""
    nodes = {node.id: node.label + "".join(f" ({each})" for each in node.misuses) for node in found.nodes}
    return [
        f"{'✗ ' if edge.misuse else ''}{nodes[edge.source]} --{edge.label}--> {nodes[edge.target]}"
        for edge in found.edges
    ]


CASES: dict[str, tuple[str, str, str]] = {
    "a fresh key for each draw": (
        "typed",
        """
        def f(key):
            a, b = r.split(key)
            return r.normal(a), r.uniform(b)
        """,
        """
        key --split, line 3--> split(key)[0]
        key --split, line 3--> split(key)[1]
        split(key)[0] --draw, line 4--> normal
        split(key)[1] --draw, line 4--> uniform
        """,
    ),
    "reuse": (
        "typed",
        """
        def f(key):
            return (r.normal(key),
                    r.uniform(key))
        """,
        """
        ✗ key (reuse) --draw, line 3--> normal
        ✗ key (reuse) --draw, line 4--> uniform
        """,
    ),
    "children that are only used together": (
        "raw",
        """
        def f(key):
            keys = r.split(key, 6)
            return vmap(r.normal)(keys[:5]), r.normal(keys[5])
        """,
        """
        key --split, line 3--> split(key)[0:5]
        key --split, line 3--> split(key)[5]
        split(key)[0:5] --draw, line 4--> normal
        split(key)[5] --draw, line 4--> normal
        """,
    ),
    "keys that nobody uses": (
        "typed",
        """
        def f(key):
            a, b = r.split(key)
            r.split(a), r.fold_in(a, 1)
            return r.normal(b)
        """,
        """
        key --split, line 3--> split(key)[0]
        key --split, line 3--> split(key)[1]
        split(key)[0] --split, line 4--> split
        split(key)[1] --draw, line 5--> normal
        """,
    ),
    "numbers folded in": (
        "typed",
        """
        def f(key, i):
            draws = [r.normal(r.fold_in(key, n)) for n in range(10, 20)]
            return draws, r.normal(r.fold_in(key, 3)), r.normal(r.fold_in(key, i))
        """,
        """
        key --fold_in 10:20, line 3--> fold_in(key, 10:20)
        key --fold_in 3, line 4--> fold_in(key, 3)
        key --fold_in i, line 4--> fold_in(key, i)
        fold_in(key, 10:20) --draw, line 3--> normal
        fold_in(key, 3) --draw, line 4--> normal
        fold_in(key, i) --draw, line 4--> normal
        """,
    ),
    "collision": (
        "typed",
        """
        def f(key):
            keys = r.split(key, 2)
            return vmap(r.normal)(keys), r.normal(r.fold_in(key, 1))
        """,
        """
        key --split, line 3--> split(key)[0]
        key --split, line 3--> split(key)[1] (collision)
        key --fold_in 1, line 4--> fold_in(key, 1) (collision)
        split(key)[0] --draw, line 4--> normal
        ✗ split(key)[1] (collision) --draw, line 4--> normal
        ✗ fold_in(key, 1) (collision) --draw, line 4--> normal
        """,
    ),
    "torn keys": (
        "raw",
        """
        def f(key):
            return (r.normal(r.PRNGKey(key[1])),
                    r.normal(key + 1),
                    r.normal(key[::-1]))
        """,
        """
        ✗ key --indexing, line 3--> key(…) (indexing)
        ✗ key --arithmetic, line 4--> words of key (arithmetic)
        ✗ key --transposition, line 5--> words of key (transposition)
        key(…) (indexing) --draw, line 3--> normal
        words of key (arithmetic) --draw, line 4--> normal
        words of key (transposition) --draw, line 5--> normal
        """,
    ),
    "a loop that carries its key": (
        "typed",
        """
        def f(key):
            def body(key, _):
                key, sub = r.split(key)
                return key, r.normal(sub)
            return lax.scan(body, key, length=9)[1]
        """,
        """
        key --split, line 4--> split(key)[0]
        key --split, line 4--> split(key)[1]
        split(key)[0] --split, line 4, each turn--> split(key)[0]
        split(key)[0] --split, line 4, each turn--> split(key)[1]
        split(key)[1] --draw, line 5, each turn--> normal
        """,
    ),
    "a loop that does not": (
        "raw",
        """
        def f(key):
            return lax.fori_loop(0, 9, lambda i, x: x + r.normal(key), 0.0)
        """,
        """
        ✗ key (reuse) --draw, line 3, each turn--> normal
        """,
    ),
    "loops in loops": (
        "typed",
        """
        def f(key):
            def outer(i, x):
                sub = r.fold_in(key, i)
                return lax.fori_loop(0, 5, lambda j, y: y + r.normal(r.fold_in(sub, j)), x)
            return lax.fori_loop(0, 9, outer, 0.0)
        """,
        """
        key --fold_in …, line 4, each turn--> fold_in(key, …)
        fold_in(key, …) --fold_in …, line 5, each turn--> fold_in(fold_in(key, …), …)
        fold_in(fold_in(key, …), …) --draw, line 5, each turn--> normal
        """,
    ),
    "a loop over keys": (
        "typed",
        """
        def f(key):
            def body(total, key):
                return total + r.normal(key), None
            return lax.scan(body, 0.0, r.split(key, 9))[0]
        """,
        """
        key --split, line 5--> split(key)[0:9]
        split(key)[0:9] --each turn--> each of split(key)[0:9]
        each of split(key)[0:9] --draw, line 4, each turn--> normal
        """,
    ),
    "a loop in Python": (
        "typed",
        """
        def f(key):
            return [r.normal(key) for _ in range(3)]
        """,
        """
        ✗ key (reuse) --draw, line 3, 3 times--> normal
        """,
    ),
    "a helper that is called twice": (
        "typed",
        """
        def draw(key):
            return r.normal(key)
        def f(key):
            return (draw(key),
                    draw(key))
        """,
        """
        ✗ key (reuse) --draw, line 3 from 5--> normal
        ✗ key (reuse) --draw, line 3 from 6--> normal
        """,
    ),
    "samplers with keys and loops of their own": (
        "typed",
        """
        def f(key):
            a, b, c = r.split(key, 3)
            return r.poisson(a, 3.0), r.choice(b, 9, (3,), replace=False), r.gamma(c, 2.0)
        """,
        """
        key --split, line 3--> split(key)[0]
        key --split, line 3--> split(key)[1]
        key --split, line 3--> split(key)[2]
        split(key)[0] --draw, line 4--> poisson
        split(key)[1] --draw, line 4--> choice
        split(key)[2] --draw, line 4--> gamma
        """,
    ),
    "one of two keys": (
        "typed",
        """
        def f(key, i):
            a, b = r.split(key)
            return r.normal(lax.cond(i > 0, lambda: a, lambda: b))
        """,
        """
        key --split, line 3--> split(key)[0:2]
        split(key)[0:2] --one of--> one of several keys
        one of several keys --draw, line 4--> normal
        """,
    ),
    "seeds, clones and results": (
        "typed",
        """
        def f(key, i):
            other = r.key(i)
            return r.normal(r.clone(key)), r.split(key), r.fold_in(other, 1)
        """,
        """
        key --clone, line 4--> clone(key)
        key --split, line 4--> split(key)[0:2]
        key(i) --fold_in 1, line 4--> fold_in(key(i), 1)
        clone(key) --draw, line 4--> normal
        split(key)[0:2] ----> returned
        fold_in(key(i), 1) ----> returned
        """,
    ),
    "what is not modelled": (
        "raw",
        """
        def f(key):
            words = jax.pure_callback(lambda k: k, jax.ShapeDtypeStruct((3,), "float32"), key)
            return words, r.normal(key)
        """,
        """
        key --use, line 3--> pure_callback?
        key --draw, line 4--> normal
        """,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_edges(name: str) -> None:
    kind, text, expected = CASES[name]
    count = text.split("def f(")[1].split(")")[0].count(",")
    key = typed_key() if kind == "typed" else raw_key()
    found = graph(followed(text, key, *[jax.ShapeDtypeStruct((), "int32")] * count))
    assert drawn(found) == textwrap.dedent(expected).strip().splitlines()


def test_places_name_the_file_where_there_are_several() -> None:
    helper = read("from jax import random as r\ndef draw(key):\n    return r.normal(key)\n").run("<helper>")["draw"]
    program = "from jax import random as r\ndef f(key):\n    return draw(r.fold_in(key, 1))\n"
    found = graph(lineage.of(read(program).run("<program>", draw=helper)["f"], typed_key()))
    assert [edge.place for edge in found.edges] == ["<program>:3", "<helper>:3"]


def test_a_backward_pass_that_draws_again() -> None:
    text = """
    def f(key):
        @jax.checkpoint
        def loss(x):
            return jnp.sin(x * r.normal(key))
        return jax.grad(loss)(1.0)
    """
    assert drawn(graph(followed(text, typed_key()))) == ["key --draw, line 5--> normal"]


def test_a_key_that_is_only_returned() -> None:
    for key in (typed_key(), raw_key()):
        assert drawn(graph(lineage.of(lambda key: key, key))) == ["key ----> returned"]


def test_an_array_that_only_looks_like_a_key_is_none() -> None:
    words = jax.ShapeDtypeStruct((2,), "uint32")
    assert graph(lineage.of(lambda x: (x, x + 1), words)) == Graph((), ())


def test_a_long_chain_of_keys() -> None:
    text = """
    def f(key):
        for _ in range(400):
            key, sub = r.split(key)
        return r.normal(sub) + r.uniform(sub)
    """
    found = graph(followed(text, typed_key()))
    assert Counter(node.kind for node in found.nodes) == {"source": 1, "key": 400, "sink": 2}
    assert [node.label for node in found.nodes if node.misuses] == ["split(…)[1]"]


def test_the_same_program_gives_the_same_graph() -> None:
    text = CASES["seeds, clones and results"][1]
    one, other = (graph(followed(text, typed_key(), jax.ShapeDtypeStruct((), "int32"))) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("each", PROGRAMS, ids=lambda each: each.name)
def test_every_misuse_of_the_acceptance_table_is_marked(each: Program) -> None:
    for kind in ("typed", "raw"):
        if not getattr(each, kind).startswith("E"):  # JAX refuses to trace these
            check_marks(each, kind)


def check_marks(each: Program, kind: str) -> None:
    """Assert that the picture of a program shows its misuses."""
    width = each.widths[0]
    function = read(PRELUDE + each.text).run(f"<{each.name}>")["f"]
    code = getattr(function, "__wrapped__", function).__code__
    with jax.default_prng_impl(IMPLEMENTATIONS[width]):
        found = lineage.of(function, *(argument(name, width, kind) for name in code.co_varnames[: code.co_argcount]))
    picture = graph(found)
    ids = [node.id for node in picture.nodes]
    assert len(set(ids)) == len(ids)
    assert {end for edge in picture.edges for end in (edge.source, edge.target)} <= set(ids)
    marked = {mark for node in picture.nodes for mark in node.misuses}
    assert marked == {misuse.kind for misuse in found.misuses}
    assert any(edge.misuse for edge in picture.edges) == bool(found.misuses)
    consuming = {event.chain for event in found.events if event.consumes}
    lines = {edge.place.partition(" from")[0] for edge in picture.edges}
    assert {f"line {chain[0].line}" for chain in consuming} <= lines
