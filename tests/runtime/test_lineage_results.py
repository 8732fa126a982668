"""What a lineage holds besides its misuses, and where it stops to be sure."""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the lineage is that of JAX's jaxprs")
from jax import lax, vmap  # noqa: E402
from jax import numpy as jnp  # noqa: E402
from jax import random as r  # noqa: E402

from olympus import lineage  # noqa: E402
from olympus.lineage import interpreter  # noqa: E402
from olympus.tracing.jaxprs import raw_key, trace, typed_key  # noqa: E402


def test_events_say_what_happens_to_which_key() -> None:
    def f(key, n):
        a, b = r.split(key)
        return r.normal(a), r.bits(r.fold_in(b, 7)), r.uniform(r.fold_in(b, n))

    found = lineage.of(f, typed_key(), 3)
    told = [(e.kind, e.name, [found.describe(key) for key in e.keys]) for e in found.events]
    assert told == [
        ("split", "split", ["key"]),
        ("draw", "normal", ["split(key)[0]"]),
        ("fold_in", "fold_in", ["split(key)[1]"]),
        ("draw", "bits", ["fold_in(split(key)[1], 7)"]),
        ("fold_in", "fold_in", ["split(key)[1]"]),
        ("draw", "uniform", ["fold_in(split(key)[1], ...)"]),
    ]
    assert found.complete
    assert not found.misuses


def test_outputs_have_identities() -> None:
    found = lineage.of(lambda key: (r.split(key)[1], key, r.normal(key)), raw_key())
    child, same, draw = found.outputs
    assert [found.describe(int(word)) for word in child.labels] == [f"key_data(split(key)[1])[{i}]" for i in (0, 1)]
    assert np.array_equal(same.labels, found.inputs[0].labels)
    assert draw.labels is None


def test_turns_and_conditions() -> None:
    def f(key, p):
        lax.cond(p, lambda k: r.normal(k), lambda k: 0.0, key)
        return lax.scan(lambda c, k: (c, r.normal(k)), 0, r.split(r.key(1), 5))

    found = lineage.of(f, typed_key(), True)
    branch, *in_loop = [e for e in found.events if e.kind == "draw"]
    assert branch.conditional
    assert not any(event.conditional for event in in_loop)
    assert [event.context.turns[0][1] for event in in_loop] == [0, 1]


def test_a_misuse_across_turns_says_so() -> None:
    def f(key):
        x = r.normal(key)
        return lax.fori_loop(0, 9, lambda i, total: total + r.normal(r.fold_in(key, 1)), x)

    (misuse,) = lineage.of(f, typed_key()).misuses
    assert misuse.across_turns


def test_one_key_is_reported_once_for_a_pair_of_places() -> None:
    def f(keys):
        return vmap(r.normal)(keys), vmap(r.uniform)(keys)

    (misuse,) = lineage.of(f, typed_key(None, (6,))).misuses
    assert misuse.kind == "reuse"


def test_three_draws_are_two_misuses() -> None:
    found = lineage.of(lambda key: [r.normal(key), r.uniform(key), r.bits(key)], typed_key())
    assert [m.kind for m in found.misuses] == ["reuse", "reuse"]


# Numbers that look like raw keys.


def test_numbers_of_the_shape_of_a_key_are_no_keys() -> None:
    def f(seeds):
        return vmap(r.PRNGKey)(seeds), r.normal(r.PRNGKey(seeds[1])), r.normal(r.PRNGKey(seeds.sum()))

    assert lineage.of(f, np.zeros(2, np.uint32)).misuses == ()
    assert len(lineage.of(f, raw_key()).misuses) == 3


def test_numbers_that_are_used_as_a_key_are_one() -> None:
    def f(words):
        return r.normal(words), r.normal(r.PRNGKey(words[1]))

    (misuse,) = lineage.of(f, np.zeros(2, np.uint32)).misuses
    assert misuse.kind == "indexing"


@pytest.mark.parametrize("make", [r.key, r.PRNGKey])
def test_a_key_from_outside(make) -> None:
    key, other = make(0), make(1)
    found = lineage.of(lambda x: x * r.normal(key) * r.normal(other) + r.uniform(key), 1.0)
    (misuse,) = found.misuses
    assert misuse.kind == "reuse"
    assert found.describe(misuse.key) == "a key from outside"


# What is not known.


def test_a_callback_is_unmodelled() -> None:
    def f(key):
        shape = jax.ShapeDtypeStruct((2,), np.uint32)
        words = jax.pure_callback(lambda words: words, shape, r.key_data(key))
        return r.normal(r.wrap_key_data(words)) + r.normal(key)

    found = lineage.of(f, typed_key())
    assert [event.equation.primitive for event in found.unmodelled] == ["pure_callback"]
    assert found.misuses == ()
    last = found.events[-1]
    assert found.identities.is_certain(last.keys[0])
    assert not found.identities.is_certain(found.events[-2].keys[0])


def test_data_that_looks_like_a_key_is_not_unmodelled() -> None:
    found = lineage.of(lambda words: jnp.sin(words.astype(jnp.float32)), np.zeros((5, 2), np.uint32))
    assert found.unmodelled == ()


def test_one_of_several_keys_is_not_certain() -> None:
    found = lineage.of(lambda keys, i: r.normal(keys[i]), typed_key(None, (3,)), 1)
    assert not found.identities.is_certain(found.events[-1].keys[0])


def test_a_pallas_kernel_is_unmodelled() -> None:
    from jax.experimental import pallas as pl

    def kernel(words, out):
        out[...] = words[...] + jnp.uint32(1)

    def f(key):
        call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((2,), np.uint32), interpret=True)
        return call(key), r.normal(key)

    found = lineage.of(f, raw_key())
    assert [event.equation.primitive for event in found.unmodelled] == ["pallas_call"]
    assert found.misuses == ()


# Large programs.


def test_a_large_split_has_one_identity_and_its_elements_are_uncertain() -> None:
    def f(key):
        keys = r.split(key, 5000)
        return vmap(r.normal)(keys), r.normal(key)

    (misuse,) = lineage.of(f, typed_key()).misuses
    assert misuse.kind == "reuse"
    parts = lineage.of(lambda key: [r.normal(k) for k in r.split(key, 5000)[:3]], typed_key())
    assert parts.misuses == ()


def test_a_large_array_of_raw_keys() -> None:
    def f(keys):
        return vmap(r.normal)(keys), vmap(r.uniform)(keys)

    (misuse,) = lineage.of(f, raw_key(None, (5000,))).misuses
    assert misuse.kind == "reuse"


def test_a_function_beyond_the_budget_is_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "BUDGET", 20)
    found = lineage.of(lambda key: [r.normal(key), r.normal(key), r.normal(key)], typed_key())
    assert not found.complete
    assert found.outputs == ()
    assert len(found.misuses) == 1


def test_nested_loops_are_followed_twice_each() -> None:
    def nest(depth, key):
        if not depth:
            return r.normal(key)
        return lax.fori_loop(0, 9, lambda i, c: c + nest(depth - 1, r.fold_in(key, i)), 0.0)

    found = lineage.of(lambda key: nest(5, key), typed_key())
    assert found.complete
    assert sum(event.kind == "draw" for event in found.events) == 2**5
    assert found.misuses == ()


def test_two_hundred_equations_are_followed_about_as_fast_as_they_are_traced() -> None:
    def draws() -> Callable[[jax.Array], jax.Array]:
        def f(key):  # a new function, which JAX traces anew
            total = 0.0
            for _ in range(15):
                key, a, b = r.split(key, 3)
                total += r.normal(a) * jnp.sin(r.uniform(b)) + 1.0
            return total

        return f

    tracing, following = [], []
    for _ in range(10):
        start = time.process_time()
        traced = trace(draws(), typed_key())
        tracing.append(time.process_time() - start)
        start = time.process_time()
        assert lineage.follow(traced).misuses == ()
        following.append(time.process_time() - start)
    assert len(traced.jaxpr.jaxpr.eqns) + sum(e.outer is not None for e in traced.equations()) > 200
    assert min(following) < 1.5 * min(tracing)


def test_empty_arrays_of_keys() -> None:
    found = lineage.of(lambda key: vmap(r.normal)(r.split(key, 3)[3:]), typed_key())
    assert found.misuses == ()
    found = lineage.of(lambda key: vmap(r.normal)(r.split(key, 3)[3:]), raw_key())
    assert found.misuses == ()
    found = lineage.of(lambda key: lax.map(r.normal, r.split(key, 3)[3:]), typed_key())
    assert found.misuses == ()


@pytest.mark.search
def test_a_chain_of_two_thousand_splits() -> None:
    def f(keys):
        def body(total, key):
            for _ in range(2000):
                key, sub = r.split(key)
            return total + r.normal(sub) + r.normal(sub), None

        return lax.scan(body, 0.0, keys)

    found = lineage.of(f, typed_key(None, (3,)))
    (misuse,) = found.misuses
    assert found.describe(misuse.key).startswith("split(split(")
    assert "..." in found.describe(misuse.key)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("r.permutation(key, 5)", "permutation"),
        ("r.choice(key, 5, (2,), replace=False)", "choice"),
        ("(r\n    .normal(key))", "normal"),
        ("vmap(r.normal)(r.split(key))", "normal"),
        ("draw(key)", "normal"),
    ],
)
def test_events_have_the_name_that_the_user_wrote(text: str, name: str) -> None:
    filename = f"<{text}>"
    source = f"def draw(key):\n    return r.normal(key)\ndef f(key):\n    return {text}\n"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace = {"r": r, "vmap": vmap}
    exec(compile(source, filename, "exec"), namespace)
    found = lineage.of(namespace["f"], typed_key())
    assert found.events[-1].name == name
