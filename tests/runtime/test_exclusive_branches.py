"""Branches of ``cond`` and ``switch`` stay exclusive: under ``vmap``, nested, in loops, in eager and compiled code.

Each program is judged by the lineage, by ``olympus.check`` and by the recorder, eager and compiled. A twin that draws
twice in one lane is found by all of them, at the same places.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from marked import place, read

jax = pytest.importorskip("jax", "0.9", reason="the recorder sees all calls of compiled functions from 0.9 on")

import jax.numpy as jnp  # noqa: E402

import olympus  # noqa: E402
from olympus import lineage  # noqa: E402
from olympus.recording import Recorder  # noqa: E402

PRELUDE = """\
import jax, jax.numpy as jnp
from jax import grad, jit, lax, random as r, vmap
"""
RIGHT = {
    "two samplers": """
        def f(ks, ds):
            return vmap(lambda k, d: lax.cond(d == 0, r.normal, r.uniform, k))(ks, ds)
    """,
    "arrays": """
        def f(ks, ds):
            draw = lambda k, d: lax.cond(d == 0, lambda k: r.normal(k, (3, 2)), lambda k: r.uniform(k, (3, 2)), k)
            return vmap(draw)(ks, ds)
    """,
    "pytrees of several shapes": """
        def f(ks, ds):
            def one(k):
                noise = r.normal(k, (3,))
                return {"noise": noise, "sum": noise.sum(), "key": r.fold_in(k, 1)}
            def other(k):
                noise = r.uniform(k, (3,))
                return {"noise": noise, "sum": noise.sum(), "key": r.fold_in(k, 2)}
            return vmap(lambda k, d: lax.cond(d == 0, one, other, k))(ks, ds)["noise"]
    """,
    "computations after the draw": """
        def f(ks, ds):
            one = lambda k: jnp.exp(r.normal(k, (4,)).reshape(2, 2).T).sum(0)
            other = lambda k: jnp.sort(r.gumbel(k, (2,)).astype(jnp.float16)).astype(jnp.float32)
            return vmap(lambda k, d: lax.cond(d == 0, one, other, k))(ks, ds)
    """,
    "a draw of no use": """
        def f(ks, ds):
            def one(k):
                r.normal(k)
                return 0.0
            return vmap(lambda k, d: lax.cond(d == 0, one, lambda k: r.uniform(k), k))(ks, ds)
    """,
    "a draw that is printed": """
        def f(ks, ds):
            def one(k):
                jax.debug.print("{}", r.normal(k))
                return 0.0
            return vmap(lambda k, d: lax.cond(d == 0, one, lambda k: r.uniform(k), k))(ks, ds)
    """,
    "branches that split and return the new key": """
        def f(ks, ds):
            def step(k, d):
                def one(k):
                    k, own = r.split(k)
                    return k, r.normal(own)
                def other(k):
                    k, own = r.split(k)
                    return k, r.uniform(own)
                k, x = lax.cond(d == 0, one, other, k)
                return x + r.normal(k)
            return vmap(step)(ks, ds)
    """,
    "cond in a branch of cond": """
        def f(ks, ds):
            inner = lambda k, d: lax.cond(d == 1, r.gumbel, r.uniform, k)
            return vmap(lambda k, d: lax.cond(d == 0, lambda k: r.normal(k), lambda k: inner(k, d), k))(ks, ds)
    """,
    "a switch": """
        def f(ks, ds):
            return vmap(lambda k, d: lax.switch(d, [r.normal, r.uniform, r.gumbel], k))(ks, ds)
    """,
    "vmap of vmap": """
        def f(ks, ds):
            own = lambda k, d: lax.cond(d == 0, r.normal, r.uniform, k)
            return vmap(vmap(own))(ks[None], ds[None])
    """,
    "vmap in a branch of vmap": """
        def f(ks, ds):
            many = lambda k: vmap(lambda own, d: lax.cond(d == 0, r.normal, r.uniform, own))(r.split(k, 3), ds).sum()
            return vmap(lambda k, d: lax.cond(d == 0, many, r.uniform, k))(ks, ds)
    """,
    "in scan": """
        def f(ks, ds):
            def turn(ks, i):
                new = vmap(r.split)(ks)
                return new[:, 0], vmap(lambda k, d: lax.cond(d == i, r.normal, r.uniform, k))(new[:, 1], ds)
            return lax.scan(turn, ks, jnp.arange(4))[1]
    """,
    "scan under vmap": """
        def f(ks, ds):
            def walk(k, d):
                def turn(k, i):
                    k, own = r.split(k)
                    return k, lax.cond(d == i, r.normal, r.uniform, own)
                return lax.scan(turn, k, jnp.arange(3))[1]
            return vmap(walk)(ks, ds)
    """,
    "while_loop under vmap, whose end depends on the lane": """
        def f(ks, ds):
            def walk(k, d):
                def turn(state):
                    k, i, x = state
                    k, own = r.split(k)
                    return k, i + 1, x + lax.cond(i == 0, r.normal, r.uniform, own)
                return lax.while_loop(lambda state: state[1] < d, turn, (k, 0, 0.0))[2]
            return vmap(walk)(ks, ds)
    """,
    "loops in the branches": """
        def f(ks, ds):
            one = lambda k: lax.scan(lambda c, k: (c + r.normal(k), None), 0.0, r.split(k, 3))[0]
            other = lambda k: lax.fori_loop(0, 3, lambda i, x: x + r.uniform(r.fold_in(k, i)), 0.0)
            return vmap(lambda k, d: lax.cond(d == 0, one, other, k))(ks, ds)
    """,
    "a compiled function in the branches": """
        @jit
        def noise(k):
            return r.normal(k)
        def f(ks, ds):
            return vmap(lambda k, d: lax.cond(d == 0, noise, lambda k: noise(k) + 1, k))(ks, ds)
    """,
    "a function with a derivative of its own in the branches": """
        @jax.custom_jvp
        def noise(x, k):
            return x * r.normal(k)
        noise.defjvp(lambda primals, tangents: (noise(*primals), tangents[0] * r.normal(r.fold_in(primals[1], 1))))
        def f(ks, ds):
            return vmap(lambda k, d: lax.cond(d == 0, lambda k: noise(1.0, k), r.uniform, k))(ks, ds)
    """,
    "a derivative of the map": """
        def f(ks, ds):
            def loss(x):
                one, other = lambda k: x * r.normal(k), lambda k: x * x * r.uniform(k)
                return vmap(lambda k, d: lax.cond(d == 0, one, other, k))(ks, ds).sum()
            return grad(loss)(2.0)
    """,
    "a map of the derivative": """
        def f(ks, ds):
            def loss(x, k, d):
                return lax.cond(d == 0, lambda k: x * r.normal(k), lambda k: x * x * r.uniform(k), k)
            return vmap(grad(loss), (None, 0, 0))(2.0, ks, ds)
    """,
    "two decisions on one predicate": """
        def f(ks, ds):
            def step(k, d):
                x = lax.cond(d == 0, r.normal, lambda k: 0.0, k)
                return x + lax.cond(d == 0, lambda k: 0.0, r.uniform, k)
            return vmap(step)(ks, ds)
    """,
    "a predicate and its negation": """
        def f(ks, ds):
            def step(k, d):
                done = d > 1
                return lax.cond(done, r.normal, lambda k: 0.0, k) + lax.cond(~done, r.uniform, lambda k: 0.0, k)
            return vmap(step)(ks, ds)
    """,
    "predicates that exclude each other": """
        def f(ks, ds):
            def step(k, d):
                x = lax.cond(d == 0, r.normal, lambda k: 0.0, k)
                x += lax.cond(d > 1, r.uniform, lambda k: 0.0, k)
                return x + lax.cond((d > 0) & (d < 2), r.gumbel, lambda k: 0.0, k)
            return vmap(step)(ks, ds)
    """,
    "a switch, and a comparison of its index": """
        def f(ks, ds):
            def step(k, d):
                x = lax.switch(d, [lambda k: 0.0, r.normal, r.uniform], k)
                return x + lax.cond(d <= 0, r.gumbel, lambda k: 0.0, k)
            return vmap(step)(ks, ds)
    """,
    "piecewise": """
        def f(ks, ds):
            return vmap(lambda k, d: lax.platform_dependent(k, cpu=r.normal, default=r.uniform))(ks, ds)
    """,
}
WRONG = {
    "a draw beside the branches": """
        def f(ks, ds):
            def step(k, d):
                return lax.cond(d == 0, lambda k: 0.0, lambda k: «1 r.normal(k)», k) + «2 r.uniform(k)»
            return vmap(step)(ks, ds)
    """,
    "twice in one branch": """
        def f(ks, ds):
            one = lambda k: «1 r.normal(k)» + «2 r.gumbel(k)»
            return vmap(lambda k, d: lax.cond(d == 0, one, r.uniform, k))(ks, ds)
    """,
    "twice in the other branch": """
        def f(ks, ds):
            other = lambda k: «1 r.normal(k, (2,))».sum() + «2 r.gumbel(k)»
            return vmap(lambda k, d: lax.cond(d == 0, r.uniform, other, k))(ks, ds)
    """,
    "twice in an inner branch": """
        def f(ks, ds):
            one = lambda k: «1 r.normal(k)» + «2 r.gumbel(k)»
            inner = lambda k, d: lax.cond(d == 1, one, r.uniform, k)
            return vmap(lambda k, d: lax.cond(d == 0, lambda k: r.normal(k), lambda k: inner(k, d), k))(ks, ds)
    """,
    "around and in an inner branch": """
        def f(ks, ds):
            inner = lambda k, d: lax.cond(d == 1, lambda k: «2 r.gumbel(k)», lambda k: 0.0, k)
            outer = lambda k, d: «1 r.normal(k)» + inner(k, d)
            return vmap(lambda k, d: lax.cond(d == 0, lambda k: 0.0, lambda k: outer(k, d), k))(ks, ds)
    """,
    "twice in a case of a switch": """
        def f(ks, ds):
            one = lambda k: «1 r.normal(k)» + «2 r.gumbel(k)»
            return vmap(lambda k, d: lax.switch(d, [r.normal, one, r.uniform], k))(ks, ds)
    """,
    "in a loop of a branch": """
        def f(ks, ds):
            one = lambda k: lax.fori_loop(0, 3, lambda i, x: x + «12 r.normal(k)», 0.0)
            return vmap(lambda k, d: lax.cond(d == 0, one, r.uniform, k))(ks, ds)
    """,
    "in a compiled function of a branch": """
        @jit
        def noise(k):
            return «1 r.normal(k)» + «2 r.gumbel(k)»
        def f(ks, ds):
            return vmap(lambda k, d: lax.cond(d == 0, noise, r.uniform, k))(ks, ds)
    """,
    "in a map of a map": """
        def f(ks, ds):
            one = lambda k: «1 r.normal(k)» + «2 r.gumbel(k)»
            own = lambda k, d: lax.cond(d == 0, one, r.uniform, k)
            return vmap(vmap(own))(ks[None], ds[None])
    """,
}
KINDS = {"typed": jax.random.key, "raw": jax.random.PRNGKey}


def by_lineage(f: Callable[..., Any], ks: Any, ds: Any) -> list[Any]:
    return [misuse.where for misuse in lineage.of(f, ks, ds).misuses]


def by_check(f: Callable[..., Any], ks: Any, ds: Any) -> list[Any]:
    try:
        olympus.check(f, ks, ds)
    except olympus.KeyReuseError as error:
        return [(misuse.first, misuse.second) for misuse in error.misuses]
    return []


def eager(f: Callable[..., Any], ks: Any, ds: Any) -> list[Any]:
    with Recorder() as recorder:
        f(ks, ds)
    assert recorder.unfollowed == []
    return [(misuse.first, misuse.second) for misuse in recorder.misuses]


def compiled(f: Callable[..., Any], ks: Any, ds: Any) -> list[Any]:
    return eager(jax.jit(f), ks, ds)


JUDGES = (by_lineage, by_check, eager, compiled)
EXECUTED = (eager, compiled)
CASES = [  # an execution takes most of the time: a right program has one with typed keys, every fifth two with raw ones
    pytest.param(text, kind, judge, id=f"{name}-{kind}-{judge.__name__}")
    for table in (RIGHT, WRONG)
    for number, (name, text) in enumerate(table.items())
    for kind in KINDS
    for judge in JUDGES
    if judge not in EXECUTED or (number % 5 == 0 if kind == "raw" else table is WRONG or judge is EXECUTED[number % 2])
]


@pytest.mark.parametrize(("text", "kind", "judge"), CASES)
def test_what_one_lane_draws(text: str, kind: str, judge: Callable[..., list[Any]]) -> None:
    marked = read(PRELUDE + textwrap.dedent(text))
    f = marked.run("<branches>")["f"]
    ks, ds = jax.random.split(KINDS[kind](0), 3), jnp.arange(3)
    expected = [(marked.places["1"], marked.places["2"])] if marked.places else []
    assert [(place(one), place(two)) for one, two in judge(f, ks, ds)] == expected


def test_lanes_that_take_no_branch_with_a_draw() -> None:
    def f(ks: Any, ds: Any) -> Any:
        x = jax.vmap(lambda k, d: jax.lax.cond(d < 9, lambda k: 0.0, jax.random.normal, k))(ks, ds)
        return x, jax.vmap(jax.random.split)(ks)

    with Recorder() as recorder:
        f(jax.random.split(jax.random.key(0), 3), jnp.arange(3))
    assert recorder.misuses == ()


def test_a_lane_that_takes_the_branch_draws_its_key() -> None:
    with Recorder() as recorder:
        ks = jax.random.split(jax.random.key(0), 3)
        jax.vmap(lambda k, d: jax.lax.cond(d == 1, jax.random.normal, lambda k: 0.0, k))(ks, jnp.arange(3))
        jax.random.normal(ks[0])
        jax.random.normal(ks[2])
        assert recorder.misuses == ()
        jax.random.normal(ks[1])
    (misuse,) = recorder.misuses
    assert misuse.key == "split(key(0))[1]"


def test_where_is_no_branch() -> None:
    def f(key: Any, d: Any) -> Any:
        return jnp.where(d == 0, jax.random.normal(key), jax.random.uniform(key))

    found = lineage.of(f, jax.random.key(0), jnp.arange(3))
    assert [misuse.kind for misuse in found.misuses] == ["reuse"]


def test_what_was_traced_before_is_traced_anew() -> None:
    @jax.jit
    def f(ks: Any, ds: Any) -> Any:
        def one(k: Any) -> Any:
            jax.random.normal(k)
            return 0.0

        return jax.vmap(lambda k, d: jax.lax.cond(d == 0, one, jax.random.uniform, k))(ks, ds)

    ks, ds = jax.random.split(jax.random.key(0), 3), jnp.arange(3)
    f(ks, ds)
    olympus.check(f, ks, ds)
    assert "olympus" not in f.lower(ks, ds).as_text(debug_info=True)


def test_turns_whose_predicates_exclude_each_other() -> None:
    def f(key: Any, n: Any) -> Any:
        def turn(i: Any, x: Any) -> Any:
            return jax.lax.cond(i == n - 1, lambda: x + jax.random.normal(key), lambda: x)

        return jax.lax.fori_loop(0, n, turn, 0.0)

    def wrong(key: Any, n: Any) -> Any:
        def turn(i: Any, x: Any) -> Any:
            return jax.lax.cond(i < n - 1, lambda: x + jax.random.normal(key), lambda: x)

        return jax.lax.fori_loop(0, n, turn, 0.0)

    assert lineage.of(f, jax.random.key(0), 5).misuses == ()
    assert [misuse.kind for misuse in lineage.of(wrong, jax.random.key(0), 5).misuses] == ["reuse"]
