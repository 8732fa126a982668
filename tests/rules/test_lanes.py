"""Keys in the lanes of a map, program by program: a line that ends in ``# shared`` is flagged, all others are quiet."""

from __future__ import annotations

import re
import textwrap

import pytest

from olympus_rules.finding import Confidence
from olympus_rules.keyflow.facts import Reuse, SharedKey
from olympus_rules.keyflow.linking.driver import analyse
from olympus_rules.syntax import Document

HEADER = """\
import functools
import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.sharding import PartitionSpec as P

def noisy(key, row):
    return row + random.normal(key, row.shape)

"""

PROGRAMS = {
    "axes by position": """
        def f(key, rows):
            return jax.vmap(noisy, (None, 0))(key, rows)  # shared
    """,
    "axes in a variable": """
        def f(key, rows):
            axes = (None, 0)
            return jax.vmap(noisy, in_axes=axes)(key, rows)  # shared
    """,
    "axes out of sight": """
        def f(key, rows, axes):
            return jax.vmap(noisy, in_axes=axes)(key, rows)
    """,
    "axes by name": """
        def f(key, rows):
            return eqx.filter_vmap(noisy, in_axes={"key": None})(key, rows)  # shared

        def g(keys, row):
            return eqx.filter_vmap(noisy, in_axes={"row": None})(keys, row)
    """,
    "axes in a tree": """
        def f(key, rows):
            lane = lambda both: noisy(both[0], both[1])
            both = jax.vmap(lane, in_axes=((None, 0),))((key, rows))  # shared
            return both, jax.vmap(lane)((random.split(key), rows))
    """,
    "closure": """
        def f(key, n):
            lane = jax.vmap(lambda i: i * random.uniform(key))
            return lane(jnp.arange(n))  # shared
    """,
    "default argument": """
        def f(key, rows):
            lane = lambda row, k=key: noisy(k, row)
            return jax.vmap(lane)(rows)  # shared
    """,
    "a variable of the module": """
        KEY = random.key(0)

        def f(rows):
            return jax.vmap(lambda row: noisy(KEY, row))(rows)  # shared
    """,
    "scan in the lane": """
        def f(key, rows):
            def step(carry, _):
                k, x = carry
                k, sub = random.split(k)
                return (k, x + random.normal(sub)), None

            def lane(k, row):
                return lax.scan(step, (k, row), None, length=3)

            a = jax.vmap(functools.partial(lane, key))(rows)  # shared
            return a, jax.vmap(lane)(random.split(key, len(rows)), rows)
    """,
    "map in a map": """
        def f(keys, rows):
            outer = lambda key: jax.vmap(lambda row: noisy(key, row))(rows)  # shared
            return jax.vmap(outer)(keys)

        def g(keys, rows):
            inner = lambda row: jax.vmap(noisy, in_axes=(0, None))(keys, row)
            return jax.vmap(inner)(rows)  # shared

        def h(keys, rows):
            return jax.vmap(jax.vmap(noisy))(random.split(keys[0], (3, 4)), rows)
    """,
    "jit around and inside": """
        def f(key, rows):
            return jax.jit(jax.vmap(jax.jit(noisy), in_axes=(None, 0)))(key, rows)  # shared
    """,
    "decorated": """
        @functools.partial(jax.vmap, in_axes=(None, 0))
        def lane(key, row):
            return noisy(key, row)

        def f(key, rows):
            return lane(key, rows)  # shared
    """,
    "vectorize leaves it alone": """
        def f(key, rows):
            return jnp.vectorize(noisy, excluded={0})(key, rows)  # shared
    """,
    "folded in": """
        def f(key, rows):
            def lane(i, row):
                return noisy(random.fold_in(key, i), row)

            by_number = jax.vmap(lane)(jnp.arange(3), rows)
            by_list = jax.vmap(lane)(jnp.array([0, 1, 2]), rows)
            by_value = jax.vmap(lambda row: noisy(random.fold_in(key, row.sum().astype(int)), row))(rows)
            constant = jax.vmap(lambda row: noisy(random.fold_in(key, 7), row))(rows)  # shared
            return by_number, by_list, by_value, constant
    """,
    "the lane's number": """
        def lane_key(key):
            return random.fold_in(key, lax.axis_index("lanes"))

        def f(key, rows):
            lane = lambda row: noisy(lane_key(key), row)
            a = jax.vmap(lane, axis_name="lanes")(rows)
            return a + jax.pmap(lambda row: noisy(random.split(key, 8)[lax.axis_index("lanes")], row))(rows)
    """,
    "picked by lane": """
        def f(keys, rows):
            return jax.vmap(lambda i, row: noisy(keys[i], row))(jnp.arange(3), rows)

        def g(keys, rows):
            return jax.vmap(lambda row: noisy(keys[1], row))(rows)  # shared
    """,
    "seeded by lane": """
        def f(seed, n):
            return jax.vmap(lambda i: random.normal(random.key(seed + i)))(jnp.arange(n))
    """,
    "keys made by lanes": """
        def f(key, rows):
            keys = jax.vmap(lambda i: random.fold_in(key, i))(jnp.arange(4))
            return jax.vmap(noisy)(keys, rows)

        def g(keys, rows):
            children = jax.vmap(random.split)(keys)
            return jax.vmap(noisy)(children[:, 0], rows)
    """,
    "stacked": """
        def f(key, rows):
            a, b = random.split(key)
            return jax.vmap(noisy)(jnp.stack([a, b]), rows)
    """,
    "only one of two paths": """
        def maybe(key, row, train):
            return noisy(key, row) if train else row

        def f(key, rows):
            a = jax.vmap(lambda row: maybe(key, row, False))(rows)
            return a + jax.vmap(lambda row: maybe(key, row, True))(rows)  # shared
    """,
    "no key": """
        def f(key, rows):
            def lane(key, row):
                return row if key is None else noisy(key, row)

            return jax.vmap(lane, in_axes=(None, 0))(None, rows)
    """,
    "consumed outside": """
        def f(key, rows):
            noise = random.normal(key)
            return jax.vmap(lambda row: row + noise)(rows)
    """,
    "a callee out of sight": """
        def f(key, rows, model):
            return jax.vmap(model, in_axes=(None, 0))(key, rows)
    """,
    "shards": """
        def f(mesh, key, rows):
            shared = jax.shard_map(noisy, mesh=mesh, in_specs=(P(), P("x")), out_specs=P("x"))(key, rows)  # shared
            keys = random.split(key, 8)
            own = jax.shard_map(lambda k, r: noisy(k[0], r), mesh=mesh, in_specs=P("x"), out_specs=P("x"))(keys, rows)
            unknown = jax.shard_map(noisy, mesh=mesh, in_specs=specs, out_specs=P("x"))(keys[1], rows)
            return shared, own, unknown, jax.shard_map(noisy, mesh=mesh, in_specs=P(), out_specs=P())(keys[2], rows)
    """,
    "shards that give nothing back": """
        def f(mesh, key, rows):
            return jax.shard_map(noisy, mesh=mesh, in_specs=(P(), P("x")), out_specs=())(key, rows)
    """,
    "shards of which a function says how many": """
        def f(mesh, key, rows, names):
            specs = []
            for name in names:
                specs.append(P(name))
            return jax.shard_map(noisy, mesh=mesh, in_specs=(P(), P("x")), out_specs=tuple(specs))(key, rows)  # shared
    """,
}


def shared_keys(program: str) -> list[SharedKey]:
    return [fact for fact in analyse(Document("a.py", program)) if isinstance(fact, SharedKey)]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_shared_keys(program: str) -> None:
    text = HEADER + textwrap.dedent(program)
    marked = {row for row, line in enumerate(text.splitlines(), start=1) if re.search(r"# shared$", line)}
    assert {fact.node.lineno for fact in shared_keys(text)} == marked


def test_the_fact_names_key_draw_and_map() -> None:
    program = "def f(key, rows):\n    return jax.vmap(noisy, in_axes=(None, 0))(random.split(key)[1], rows)\n"
    (fact,) = shared_keys(HEADER + program)
    assert (fact.transform, fact.confidence, fact.copies) == ("vmap", Confidence.POSSIBLE, False)
    assert fact.draw.what == "jax.random.normal" and fact.draw.node.lineno == 9
    assert fact.mapping is fact.node.func and fact.argument is fact.node.args[0]


def test_lanes_are_not_followed_unless_asked() -> None:
    document = Document("a.py", HEADER + "def f(key, rows):\n    return jax.vmap(noisy, (None, 0))(key, rows)\n")
    assert [fact for fact in analyse(document, asked=[Reuse]) if isinstance(fact, SharedKey)] == []
