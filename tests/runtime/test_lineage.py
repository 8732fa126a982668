"""What the lineage says of each kind of program: typed and raw, keys of two and of four words.

``C`` is a misuse with both places exact to the column, ``E`` an error of JAX at an exact place, ``-`` silence.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from marked import place, read

jax = pytest.importorskip("jax", reason="the lineage is that of JAX's jaxprs")

from olympus import lineage  # noqa: E402
from olympus.tracing.jaxprs import raw_key, typed_key  # noqa: E402

PRELUDE = """\
import jax, jax.numpy as jnp
from functools import partial
from jax import lax, random as r, vmap, jit, grad
from jax.sharding import PartitionSpec as P
"""
MESH = 'mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))\n'


@dataclass(frozen=True)
class Program:
    """A program with what is expected of it.

    Attributes:
        name: what the table calls it.
        typed: ``C kind``, ``E kind`` or ``-``, for typed keys.
        raw: the same for raw keys.
        text: the function ``f``; the names of its parameters say what they are.
        widths: the key widths for which it makes sense.
    """

    name: str
    typed: str
    raw: str
    text: str
    widths: tuple[int, ...] = (2, 4)


PROGRAMS: list[Program] = []


def program(name: str, typed: str, raw: str, text: str, widths: tuple[int, ...] = (2, 4)) -> None:
    own = textwrap.dedent(text)
    PROGRAMS.append(Program(name, typed, raw, MESH + own if "mesh" in own else own, widths))


# Key buffer indexing.

program(
    "seed from a word",
    "E indexing",
    "C indexing",
    """
    def f(key):
        return r.normal(«2 r.PRNGKey(«1e key[1]»)»)
""",
)
program(
    "seed from a word at a traced index",
    "E indexing",
    "C indexing",
    """
    def f(key, i):
        return r.normal(«2 r.PRNGKey(«1e key[i]»)»)
""",
)
program(
    "seeds from the words of one key",
    "E axis",
    "C indexing",
    """
    def f(key):
        return «12e vmap(r.PRNGKey)(key)»
""",
)
program(
    "seed from a word of a key that was made here",
    "E indexing",
    "C indexing",
    """
    def f(key):
        sub = r.split(key)[0]
        return «2 r.key(«1e sub[1]»)»
""",
)
program(
    "words that are only looked at",
    "E indexing",
    "-",
    """
    def f(key):
        return «e key[0]», r.normal(key)
""",
)

# Key arithmetic.

for operator in "+*^":
    program(
        f"key {operator} number",
        "E arithmetic",
        "C arithmetic",
        f"""
        def f(key):
            other = «1e key {operator} 3»
            return «2 r.normal(other)»
    """,
    )
program(
    "key + arange",
    "E arithmetic",
    "C arithmetic",
    """
    def f(key):
        keys = «1e key + jnp.arange(4, dtype=jnp.uint32)[:, None]»
        return «2 vmap(r.normal)(keys)»
""",
)
program(
    "arithmetic on key_data",
    "C arithmetic",
    "C arithmetic",
    """
    def f(key):
        words = «1 r.key_data(key) + jnp.uint32(1)»
        return r.normal(«2 r.wrap_key_data(words)»)
""",
)
program(
    "seed computed from a key",
    "E dtype",
    "C arithmetic",
    """
    def f(key):
        return r.normal(«2 r.PRNGKey(«1e jnp.sum(key)»)»)
""",
)
program(
    "comparison of words",
    "-",
    "-",
    """
    def f(key):
        return jnp.all(r.key_data(key) == 0), r.normal(key)
""",
)

# Transposition of key buffers.

program(
    "in_axes=1 over a square of keys",
    "E axis",
    "C transposition",
    """
    def f(square):
        return «12e vmap(r.normal, in_axes=1)(square)»
""",
)
program(
    "in_axes=1 over another number of keys",
    "E axis",
    "E not a key",
    """
    def f(ks3):
        return «e vmap(r.normal, in_axes=1)(ks3)»
""",
)
program(
    "in_axes=1 over a batch of keys",
    "-",
    "-",
    """
    def f(ks23):
        return vmap(vmap(r.normal), in_axes=1)(ks23)
""",
)
program(
    "words transposed and wrapped",
    "C transposition",
    "C transposition",
    """
    def f(ks3):
        words = «1 r.key_data(ks3).T».reshape(3, -1)
        return vmap(r.normal)(«2 r.wrap_key_data(words)»)
""",
)
program(
    "words reversed",
    "C transposition",
    "C transposition",
    """
    def f(key):
        words = «1 r.key_data(key)[::-1]»
        return r.normal(«2 r.wrap_key_data(words)»)
""",
)
program(
    "words there and back",
    "-",
    "-",
    """
    def f(ks3):
        words = r.key_data(ks3).T.T.reshape(-1).reshape(3, -1)
        return vmap(r.normal)(r.wrap_key_data(words))
""",
)
program(
    "keys in another order",
    "-",
    "-",
    """
    def f(ks3):
        return vmap(r.normal)(ks3[::-1]), vmap(r.normal)(r.split(r.key(1), 3)[jnp.array([2, 0, 1])])
""",
)

# Reuse in straight lines.

program(
    "reuse",
    "C reuse",
    "C reuse",
    """
    def f(key):
        x = «1 r.normal(key)»
        return x + «2 r.uniform(key)»
""",
)
program(
    "split, then the parent",
    "C reuse",
    "C reuse",
    """
    def f(key):
        a, b = «1 r.split(key)»
        return r.normal(a) + r.normal(b) + «2 r.normal(key)»
""",
)
program(
    "split twice",
    "C reuse",
    "C reuse",
    """
    def f(key):
        a = «1 r.split(key)»[0]
        b = «2 r.split(key)»[0]
        return r.normal(a) + r.normal(b)
""",
)
program(
    "an element twice",
    "C reuse",
    "C reuse",
    """
    def f(ks3):
        return «1 r.normal(ks3[0])» + «2 r.normal(ks3[0])»
""",
)
program(
    "all, then the last",
    "C reuse",
    "C reuse",
    """
    def f(ks3):
        return «1 vmap(r.normal)(ks3)».sum() + «2 r.normal(ks3[-1])»
""",
)
program(
    "all, then one of them",
    "C reuse",
    "C reuse",
    """
    def f(ks3, i):
        return «1 vmap(r.normal)(ks3)».sum() + «2 r.normal(ks3[i])»
""",
)
program(
    "a dynamic element twice",
    "C reuse",
    "C reuse",
    """
    def f(ks3, i):
        return «1 r.normal(ks3[i])» + «2 r.normal(ks3[i])»
""",
)
program(
    "two dynamic elements",
    "-",
    "-",
    """
    def f(ks3, i, j):
        return r.normal(ks3[i]) + r.normal(ks3[j])
""",
)
program(
    "gathered elements, one of them twice",
    "C reuse",
    "C reuse",
    """
    def f(ks3):
        return «12 vmap(r.normal)(ks3[jnp.array([0, 1, 0])])»
""",
)
program(
    "a Python loop",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return sum(«12 r.normal(key)» for _ in range(2))
""",
)
program(
    "a Python loop with a fresh key",
    "-",
    "-",
    """
    def f(key):
        total = 0.0
        for i in range(3):
            key, sub = r.split(key)
            total += r.normal(sub) + r.normal(r.fold_in(key, 100 + i))
        return total
""",
)
program(
    "a helper called twice",
    "C reuse",
    "C reuse",
    """
    def draw(key):
        return r.normal(key)
    def f(key):
        return «1 draw(key)» + «2 draw(key)»
""",
)
program(
    "a compiled helper called twice",
    "C reuse",
    "C reuse",
    """
    @jit
    def draw(key):
        return r.normal(key)
    def f(key):
        return «1 draw(key)» + «2 draw(key)»
""",
)
program(
    "a sampler with loops inside, twice",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return «1 r.poisson(key, 3.0)» + «2 r.gamma(key, 2.0)»
""",
    widths=(2,),
)
program(
    "samplers, each with a key of its own",
    "-",
    "-",
    """
    def f(ks3):
        a, b, c = ks3
        return r.gamma(a, 2.0), r.permutation(b, 5), r.choice(c, 10, (3,), replace=False)
""",
)
program(
    "a clone",
    "-",
    "-",
    """
    def f(key):
        return r.normal(key) + r.normal(r.clone(key))
""",
)
program(
    "through key_data and back",
    "C reuse",
    "C reuse",
    """
    def f(key):
        again = r.wrap_key_data(r.key_data(key))
        return «1 r.normal(key)» + «2 r.normal(again)»
""",
)
program(
    "seeded twice",
    "-",
    "-",
    """
    def f(i):
        return r.normal(r.key(0)) + r.normal(r.key(0)) + r.normal(r.PRNGKey(i)) + r.normal(r.PRNGKey(i))
""",
)

# Folding in.

program(
    "fold_in with one number twice",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return «1 r.normal(r.fold_in(key, 1))» + «2 r.normal(r.fold_in(key, 1))»
""",
)
program(
    "fold_in with one traced number twice",
    "C reuse",
    "C reuse",
    """
    def f(key, i):
        a = r.fold_in(key, i + 1)
        b = r.fold_in(key, i + 1)
        return «1 r.normal(a)» + «2 r.normal(b)»
""",
)
program(
    "fold_in with two numbers",
    "-",
    "-",
    """
    def f(key, i):
        return r.normal(r.fold_in(key, 1)) + r.normal(r.fold_in(key, 2)) + r.normal(r.fold_in(key, i))
""",
)
program(
    "fold_in, then the parent",
    "-",
    "-",
    """
    def f(key):
        return r.normal(r.fold_in(key, 1)) + r.normal(key)
""",
)
program(
    "fold_in over lanes",
    "-",
    "-",
    """
    def f(key):
        return vmap(lambda i: r.normal(r.fold_in(key, i)))(jnp.arange(4))
""",
)
program(
    "fold_in over equal lanes",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return vmap(lambda i: «12 r.normal(r.fold_in(key, i))»)(jnp.array([1, 2, 1]))
""",
)
program(
    "split and fold_in give one key",
    "C collision",
    "C collision",
    """
    def f(key):
        child = r.split(key)[1]
        return «1 r.normal(child)» + «2 r.normal(r.fold_in(key, 1))»
""",
)
program(
    "split and fold_in give one parent",
    "C collision",
    "C collision",
    """
    def f(key):
        child = r.fold_in(r.split(key)[0], 5)
        return «1 r.normal(child)» + «2 r.normal(r.fold_in(r.fold_in(key, 0), 5))»
""",
)
program(
    "two splits give the same parents",
    "C reuse",
    "C reuse",
    """
    def f(key):
        one, two = «1 r.split(key)», «2 r.split(key)»
        return r.normal(r.fold_in(one[0], 5)) + r.normal(r.fold_in(two[0], 5))
""",
)
program(
    "a split of two axes and fold_in give one key",
    "C collision",
    "C collision",
    """
    def f(key):
        children = r.split(key, (2, 3))
        return «1 r.normal(children[1, 0])» + «2 r.normal(r.fold_in(key, 3))»
""",
)
program(
    "split and fold_in with numbers apart",
    "-",
    "-",
    """
    def f(key):
        a, b = r.split(key)
        return r.normal(a) + r.normal(b) + r.normal(r.fold_in(key, 2))
""",
)

# Loops.

program(
    "scan over a closed-over key",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return lax.scan(lambda c, x: (c + «12 r.normal(key)», x), 0.0, jnp.arange(5))
""",
)
program(
    "scan, carry not refreshed",
    "C reuse",
    "C reuse",
    """
    def f(key):
        def body(carry, x):
            key, total = carry
            return (key, total + «12 r.normal(key)»), x
        return lax.scan(body, (key, 0.0), jnp.arange(5))
""",
)
program(
    "scan, carry refreshed",
    "-",
    "-",
    """
    def f(key):
        def body(key, x):
            key, sub = r.split(key)
            return key, r.normal(sub)
        key, draws = lax.scan(body, key, None, length=5)
        return draws, r.normal(key)
""",
)
program(
    "scan over keys",
    "-",
    "-",
    """
    def f(key):
        return lax.scan(lambda c, k: (c + r.normal(k), None), 0.0, r.split(key, 5))
""",
)
program(
    "scan over keys, then one of them",
    "C reuse",
    "C reuse",
    """
    def f(key):
        keys = r.split(key, 5)
        total, _ = lax.scan(lambda c, k: (c + «1 r.normal(k)», None), 0.0, keys)
        return total + «2 r.normal(keys[3])»
""",
)
program(
    "scan over keys, each used twice",
    "C reuse",
    "C reuse",
    """
    def f(key):
        def body(total, k):
            return total + «1 r.normal(k)» + «2 r.normal(k)», None
        return lax.scan(body, 0.0, r.split(key, 5))
""",
)
program(
    "scan over very many keys",
    "-",
    "-",
    """
    def f(key):
        def body(total, k):
            a, b = r.split(k)
            return total + r.normal(a) + r.normal(b), None
        return lax.scan(body, 0.0, r.split(key, 100_000))
""",
)
program(
    "scan over very many keys, then all",
    "C reuse",
    "C reuse",
    """
    def f(key):
        keys = r.split(key, 100_000)
        total, _ = lax.scan(lambda c, k: (c + «1 r.normal(k)», None), 0.0, keys)
        return total, «2 vmap(r.normal)(keys)»
""",
)
program(
    "keys made in a scan, used after it",
    "-",
    "-",
    """
    def f(key):
        def body(key, x):
            key, sub = r.split(key)
            return key, sub
        _, subs = lax.scan(body, key, None, length=5)
        return vmap(r.normal)(subs)
""",
)
program(
    "keys split in a scan over keys, then the keys",
    "C reuse",
    "C reuse",
    """
    def f(ks3):
        _, children = lax.scan(lambda c, k: (c, «1 r.split(k)»), 0, ks3)
        return vmap(vmap(r.normal))(children), «2 r.normal(ks3[2])»
""",
)
program(
    "fold_in with a constant in a scan",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return lax.scan(lambda c, x: (c + «12 r.normal(r.fold_in(key, 7))», x), 0.0, jnp.arange(5))
""",
)
program(
    "fold_in with the counter in a scan",
    "-",
    "-",
    """
    def f(key):
        return lax.scan(lambda c, i: (c + r.normal(r.fold_in(key, i)), None), 0.0, jnp.arange(5))
""",
)
program(
    "lax.map over numbers",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return lax.map(lambda x: x + «12 r.normal(key)», jnp.arange(5.0))
""",
)
program(
    "fori, closed-over key",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return lax.fori_loop(0, 5, lambda i, total: total + «12 r.normal(key)», 0.0)
""",
)
program(
    "fori, fold_in with the counter",
    "-",
    "-",
    """
    def f(key):
        return lax.fori_loop(0, 5, lambda i, total: total + r.normal(r.fold_in(key, i)), 0.0)
""",
)
program(
    "fori with unknown bounds",
    "C reuse",
    "C reuse",
    """
    def f(key, i):
        return lax.fori_loop(0, i, lambda i, total: total + «12 r.normal(key)», 0.0)
""",
)
program(
    "fori with unknown bounds, fold_in with the counter",
    "-",
    "-",
    """
    def f(key, i):
        return lax.fori_loop(0, i, lambda i, total: total + r.normal(r.fold_in(key, i)), 0.0)
""",
)
program(
    "one turn only",
    "-",
    "-",
    """
    def f(key):
        return lax.fori_loop(0, 1, lambda i, total: total + r.normal(key), 0.0)
""",
)
program(
    "while, closed-over key",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return lax.while_loop(lambda total: total < 9.0, lambda total: total + «12 r.normal(key)», 0.0)
""",
)
program(
    "while, carry not refreshed",
    "C reuse",
    "C reuse",
    """
    def f(key):
        def body(carry):
            key, total = carry
            return key, total + «12 r.normal(key)»
        return lax.while_loop(lambda carry: carry[1] < 9.0, body, (key, 0.0))
""",
)
program(
    "while, carry refreshed",
    "-",
    "-",
    """
    def f(key):
        def body(carry):
            key, total = carry
            key, sub = r.split(key)
            return key, total + r.normal(sub)
        key, total = lax.while_loop(lambda carry: carry[1] < 9.0, body, (key, 0.0))
        return total + r.normal(key)
""",
)
program(
    "while, draw in the condition and in the body",
    "C reuse",
    "C reuse",
    """
    def f(key):
        def body(key):
            «2 r.normal(key)»
            return r.split(r.fold_in(key, 3))[0]
        return lax.while_loop(lambda key: «1 r.normal(key)» < 0, body, key)
""",
)
program(
    "while, fold_in with the counter",
    "-",
    "-",
    """
    def f(key):
        def body(carry):
            i, total = carry
            return i + 1, total + r.normal(r.fold_in(key, i))
        return lax.while_loop(lambda carry: carry[1] < 9.0, body, (0, 0.0))
""",
)
program(
    "draw in a loop, then after it",
    "C reuse",
    "C reuse",
    """
    def f(key):
        def body(carry):
            done, total = carry
            return True, total + «12 r.normal(key)»
        return lax.while_loop(lambda carry: ~carry[0], body, (False, 0.0))
""",
)
program(
    "two nested loops",
    "-",
    "-",
    """
    def f(key):
        def outer(key, x):
            def inner(key, y):
                key, sub = r.split(key)
                return key, r.normal(sub)
            return lax.scan(inner, key, None, length=3)
        return lax.scan(outer, key, None, length=4)
""",
)
program(
    "an inner loop over one key",
    "C reuse",
    "C reuse",
    """
    def f(key):
        def outer(key, x):
            key, sub = r.split(key)
            return key, lax.scan(lambda c, y: (c + «12 r.normal(sub)», None), 0.0, None, length=3)[0]
        return lax.scan(outer, key, None, length=4)
""",
)

# Branches.

program(
    "exclusive branches",
    "-",
    "-",
    """
    def f(key, p):
        return lax.cond(p, lambda k: r.normal(k), lambda k: r.uniform(k), key)
""",
)
program(
    "branches, then a draw",
    "C reuse",
    "C reuse",
    """
    def f(key, p):
        x = lax.cond(p, lambda k: «1 r.normal(k)», lambda k: 0.0, key)
        return x + «2 r.normal(key)»
""",
)
program(
    "reuse in one branch",
    "C reuse",
    "C reuse",
    """
    def f(key, p):
        return lax.cond(p, lambda k: «1 r.normal(k)» + «2 r.normal(k)», lambda k: 0.0, key)
""",
)
program(
    "two branches on one predicate",
    "-",
    "-",
    """
    def f(key, p):
        x = lax.cond(p, lambda k: r.normal(k), lambda k: 0.0, key)
        return x + lax.cond(p, lambda k: 0.0, lambda k: r.normal(k), key)
""",
)
program(
    "a switch",
    "-",
    "-",
    """
    def f(key, i):
        return lax.switch(i, [r.normal, r.uniform, lambda k: 0.0], key)
""",
)
program(
    "a switch, then a draw",
    "C reuse",
    "C reuse",
    """
    def f(key, i):
        x = lax.switch(i, [lambda k: «1 r.normal(k)», lambda k: 0.0, lambda k: 1.0], key)
        return x + «2 r.normal(key)»
""",
)
program(
    "one of two keys, then each",
    "-",
    "-",
    """
    def f(ks3, p):
        a, b, c = ks3
        k = lax.cond(p, lambda: a, lambda: b)
        return r.normal(k) + r.normal(c)
""",
)
program(
    "one of two keys after both",
    "C reuse",
    "C reuse",
    """
    def f(ks3, p):
        a, b, c = ks3
        x = «1 r.normal(a)» + r.normal(b)
        return x + «2 r.normal(lax.cond(p, lambda: a, lambda: b))»
""",
)
program(
    "one of two keys, one of them drawn from",
    "-",
    "-",
    """
    def f(ks3, p):
        a, b, c = ks3
        return r.normal(a) + r.normal(jnp.where(p, a, b))
""",
)
program(
    "both ways lead to one key",
    "C reuse",
    "C reuse",
    """
    def f(key, p):
        again = lax.cond(p, lambda: key, lambda: key)
        return «1 r.normal(key)» + «2 r.normal(again)»
""",
)
program(
    "branches of a predicate that is known",
    "-",
    "-",
    """
    def f(key):
        def body(total, i):
            return total + lax.cond(i == 0, lambda: r.normal(key), lambda: 0.0), None
        return lax.scan(body, 0.0, jnp.arange(5))[0]
""",
)
program(
    "branches under vmap",
    "-",
    "-",
    """
    def f(ks3, ps):
        return vmap(lambda k, p: lax.cond(p, lambda k: r.normal(k), lambda k: r.uniform(k), k))(ks3, ps)
""",
)
program(
    "branches under vmap, then a draw",
    "C reuse",
    "C reuse",
    """
    def f(ks3, ps):
        def g(k, p):
            return lax.cond(p, lambda k: «1 r.normal(k)», lambda k: 0.0, k) + «2 r.normal(k)»
        return vmap(g)(ks3, ps)
""",
)

# What JAX's own checker takes for a use.

program(
    "where over two keys",
    "-",
    "-",
    """
    def f(ks3, p):
        return r.normal(jnp.where(p, ks3[0], ks3[1])) + r.normal(ks3[2])
""",
)
program(
    "stack of distinct keys",
    "-",
    "-",
    """
    def f(ks3):
        return vmap(r.normal)(jnp.stack([ks3[0], ks3[2]])) + r.normal(ks3[1])
""",
)
program(
    "stack, then one of them",
    "C reuse",
    "C reuse",
    """
    def f(ks3):
        x = «1 vmap(r.normal)(jnp.stack([ks3[0], ks3[2]]))»
        return x + «2 r.normal(ks3[2])»
""",
)
program(
    "transpose, reverse, reshape, concatenate",
    "-",
    "-",
    """
    def f(ks23):
        rows = jnp.concatenate([ks23[:1], ks23[1:]])[::-1]
        return vmap(vmap(r.normal))(jnp.swapaxes(rows, 0, 1))
""",
)
program(
    "debug.print",
    "-",
    "-",
    """
    def f(key):
        jax.debug.print("key {}", r.key_data(key))
        return r.normal(key)
""",
)
program(
    "optimization_barrier and device_put",
    "-",
    "-",
    """
    def f(key):
        return r.normal(jax.device_put(lax.optimization_barrier(key)))
""",
)
program(
    "optimization_barrier, then the key",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return «1 r.normal(lax.optimization_barrier(key))» + «2 r.normal(key)»
""",
)
program(
    "a dynamic index into keys",
    "-",
    "-",
    """
    def f(ks3, i):
        return r.normal(ks3[i]) + r.normal(r.key(5))
""",
)
program(
    "a dynamic index in a loop",
    "-",
    "-",
    """
    def f(ks3):
        return lax.fori_loop(0, 3, lambda i, total: total + r.normal(ks3[i]), 0.0)
""",
)
program(
    "an update at a known place",
    "C reuse",
    "C reuse",
    """
    def f(ks3, key):
        new = ks3.at[1].set(key)
        return «1 vmap(r.normal)(new)».sum() + «2 r.normal(key)»
""",
)
program(
    "an update at an unknown place",
    "-",
    "-",
    """
    def f(ks3, key, i):
        new = ks3.at[i].set(key)
        return vmap(r.normal)(new).sum()
""",
)

# Transformations.

program(
    "under jit",
    "C reuse",
    "C reuse",
    """
    @jit
    def f(key):
        return «1 r.normal(key)» + «2 r.uniform(key)»
""",
)
program(
    "under vmap",
    "C reuse",
    "C reuse",
    """
    def f(ks3):
        return vmap(lambda k: «1 r.normal(k)» + «2 r.normal(k)»)(ks3)
""",
)
program(
    "vmap over a closed-over key",
    "-",
    "-",
    """
    def f(key):
        return vmap(lambda x: x + r.normal(key))(jnp.arange(3.0))
""",
)
program(
    "vmap over a closed-over key, gamma",
    "-",
    "-",
    """
    def f(key):
        return vmap(lambda a: r.gamma(key, a))(jnp.arange(1.0, 4.0))
""",
)
program(
    "vmap over one key three times",
    "C reuse",
    "C reuse",
    """
    def f(key):
        return «12 vmap(r.normal)(jnp.stack([key, key]))»
""",
)
program(
    "grad",
    "C reuse",
    "C reuse",
    """
    def loss(x, key):
        return x * «1 r.normal(key)» * «2 r.uniform(key)»
    def f(key):
        return grad(loss)(1.0, key)
""",
)
program(
    "value_and_grad of a compiled loss",
    "-",
    "-",
    """
    @jit
    def loss(x, key):
        return jnp.tanh(x * r.normal(key))
    def f(key):
        return jax.value_and_grad(loss)(1.0, key)
""",
)
program(
    "a loss, then its gradient",
    "C reuse",
    "C reuse",
    """
    def loss(x, key):
        return x * r.normal(key)
    def f(key):
        return «1 loss(1.0, key)» + «2 grad(loss)(1.0, key)»
""",
)
program(
    "grad of checkpoint",
    "-",
    "-",
    """
    @jax.checkpoint
    def layer(x, key):
        return jnp.sin(x * r.normal(key))
    def f(key):
        return grad(layer)(1.0, key)
""",
)
program(
    "grad of checkpoint with reuse",
    "C reuse",
    "C reuse",
    """
    @jax.checkpoint
    def layer(x, key):
        return jnp.sin(x * «1 r.normal(key)») + jnp.sin(x * «2 r.uniform(key)»)
    def f(key):
        return grad(layer)(1.0, key)
""",
)
program(
    "checkpoint",
    "C reuse",
    "C reuse",
    """
    @jax.checkpoint
    def layer(key):
        return «1 r.normal(key)» + «2 r.uniform(key)»
    def f(key):
        return layer(key)
""",
)
program(
    "grad of a scan of checkpoints",
    "-",
    "-",
    """
    def f(key):
        @jax.checkpoint
        def body(x, k):
            return jnp.sin(x * r.normal(k)), None
        return grad(lambda x: lax.scan(body, x, r.split(key, 4))[0])(1.0)
""",
)
program(
    "custom_jvp",
    "C reuse",
    "C reuse",
    """
    @jax.custom_jvp
    def g(x, key):
        return x * «1 r.normal(key)» * «2 r.uniform(key)»
    @g.defjvp
    def g_jvp(primals, tangents):
        return g(*primals), tangents[0]
    def f(key):
        return g(1.0, key)
""",
)
program(
    "custom_jvp, then a draw",
    "C reuse",
    "C reuse",
    """
    @jax.custom_jvp
    def g(x, key):
        return x * «1 r.normal(key)»
    @g.defjvp
    def g_jvp(primals, tangents):
        return g(*primals), tangents[0]
    def f(key):
        return g(1.0, key) + «2 r.normal(key)»
""",
)
program(
    "custom_vjp, forward",
    "C reuse",
    "C reuse",
    """
    @jax.custom_vjp
    def g(x, key):
        return x * «1 r.normal(key)» * «2 r.uniform(key)»
    g.defvjp(lambda x, key: (g(x, key), key), lambda key, ct: (ct, None))
    def f(key):
        return g(1.0, key)
""",
)
program(
    "custom_vjp, forward and backward",
    "C reuse",
    "C reuse",
    """
    @jax.custom_vjp
    def g(x, key):
        return x * r.normal(key)
    def forward(x, key):
        return x * «1 r.normal(key)», key
    def backward(key, ct):
        return ct * r.uniform(key), None
    g.defvjp(forward, backward)
    def f(key):
        return «2 grad(g)(1.0, key)»
""",
)
program(
    "shard_map",
    "C reuse",
    "C reuse",
    """
    def f(ks4):
        body = lambda ks: «1 vmap(r.normal)(ks)» + «2 vmap(r.uniform)(ks)»
        return jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(ks4)
""",
)
program(
    "shard_map, then a draw",
    "C reuse",
    "C reuse",
    """
    def f(ks4):
        body = lambda ks: «1 vmap(r.normal)(ks)»
        x = jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(ks4)
        return x.sum() + «2 r.normal(ks4[3])»
""",
)
program(
    "shard_map with a key for each shard",
    "-",
    "-",
    """
    def f(ks4):
        body = lambda ks: vmap(r.normal)(ks)
        return jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=P("i"))(ks4)
""",
)
program(
    "shard_map with one key for all",
    "-",
    "-",
    """
    def f(key):
        body = lambda k: r.normal(k, (1,))
        return jax.shard_map(body, mesh=mesh, in_specs=P(), out_specs=P("i"), check_vma=False)(key)
""",
)
program(
    "pmap",
    "C reuse",
    "C reuse",
    """
    def f(ks2):
        return jax.pmap(lambda k: «1 r.normal(k)» + «2 r.uniform(k)»)(ks2)
""",
)
program(
    "pmap, then a draw",
    "C reuse",
    "C reuse",
    """
    def f(ks2):
        x = jax.pmap(lambda k: «1 r.normal(k)»)(ks2)
        return x.sum() + «2 r.normal(ks2[0])»
""",
)
program(
    "pmap over keys",
    "-",
    "-",
    """
    def f(ks2):
        return jax.pmap(lambda k: r.normal(k))(ks2)
""",
)

# Places.

program(
    "characters of several bytes",
    "C reuse",
    "C reuse",
    """
    def f(key):
        é = «1 r.normal(key)»; ü = «2 r.uniform(key)»
        return é + ü
""",
)
program(
    "calls over several lines",
    "C reuse",
    "C reuse",
    """
    def f(key):
        x = «1 r.normal(
            key,
            (3,),
        )»
        return x, «2 r.uniform(
            key
        )»
""",
)

IMPLEMENTATIONS = {2: "threefry2x32", 4: "rbg"}


def argument(name: str, width: int, kind: str) -> Any:
    """Return what a parameter of this name stands for: numbers, predicates, keys."""
    scalar = {"i": "int32", "j": "int32", "p": "bool"}
    if name in scalar:
        return jax.ShapeDtypeStruct((), scalar[name])
    if name == "ps":
        return jax.ShapeDtypeStruct((3,), "bool")
    shape = (width,) if name == "square" else tuple(map(int, name.removeprefix("ks").removeprefix("key")))
    return (typed_key if kind == "typed" else raw_key)(IMPLEMENTATIONS[width], shape)


def traced(each: Program, width: int, kind: str) -> tuple[str, Any]:
    """Trace a program; return what came of it, as the table says it, with the places."""
    marked = read(PRELUDE + each.text)
    function = marked.run(f"<{each.name}>")["f"]
    names = (function.__wrapped__ if hasattr(function, "__wrapped__") else function).__code__
    arguments = [argument(name, width, kind) for name in names.co_varnames[: names.co_argcount]]
    with jax.default_prng_impl(IMPLEMENTATIONS[width]):
        try:
            found = lineage.of(function, *arguments)
        except Exception as error:
            failed = lineage.failure(error)
            assert failed is not None, repr(error)
            return f"E {failed.kind}", {"e": place(failed.chain[0])}
    assert found.complete
    assert [event.equation.primitive for event in found.unmodelled] == []
    if not found.misuses:
        return "-", {}
    (misuse,) = found.misuses
    assert misuse.where is not None
    return f"C {misuse.kind}", dict(zip("12", map(place, misuse.where), strict=True))


@pytest.mark.parametrize("each", PROGRAMS, ids=lambda each: each.name)
def test_verdict_and_places(each: Program) -> None:
    if jax.device_count() < 2 and ("mesh" in each.text or "pmap" in each.text):
        pytest.skip(f"two devices are needed, and there is one: {jax.devices()[0].device_kind}")
    marked = read(PRELUDE + each.text).places
    for width, kind in product(each.widths, ("typed", "raw")):
        verdict, places = traced(each, width, kind)
        assert verdict == getattr(each, kind), (width, kind)
        assert places == {mark: marked[mark] for mark in places}, (width, kind)
        assert len(places) == {"C": 2, "E": 1, "-": 0}[verdict[0]], (width, kind)
