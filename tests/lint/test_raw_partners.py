"""Values that stay raw beside typed keys: each program gives its numbers after the migration, or is announced."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

import pytest

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings
from olympus_rules.reach.reading.raw_keys import has_truth
from olympus_rules.syntax import Document

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
"""
# Each program with its numbers of constructors that are renamed, of those that are held back, and of places left.
PROGRAMS: dict[str, tuple[int, int, int, str]] = {
    "buffer in carry dict cond": (
        0,
        1,
        0,
        """
def f(flag):
    carry = {"rng": jnp.zeros(2, jnp.uint32), "x": jnp.zeros(())}
    key = jax.random.PRNGKey(0)
    other = {"rng": key, "x": jnp.ones(())}
    return lax.cond(flag, lambda: carry, lambda: other)
result = jax.random.normal(f(False)["rng"])
""",
    ),
    "buffer in scan carry, filled from keys": (
        0,
        1,
        0,
        """
def body(carry, i):
    key = jax.random.fold_in(jax.random.PRNGKey(1), i)
    return {"rng": key, "n": carry["n"] + 1}, jax.random.normal(key)
result = lax.scan(body, {"rng": jnp.zeros((2,), dtype=jnp.uint32), "n": 0}, jnp.arange(3))
""",
    ),
    "buffer in carry dict as str dtype": (
        0,
        1,
        0,
        """
def body(carry, i):
    key = jax.random.fold_in(jax.random.PRNGKey(1), i)
    return {"rng": key, "n": carry["n"] + 1}, jax.random.normal(key)
result = lax.scan(body, {"rng": jnp.zeros((2,), dtype="uint32"), "n": 0}, jnp.arange(3))
""",
    ),
    "default factory dataclass with where": (
        0,
        1,
        0,
        """
import dataclasses
@dataclasses.dataclass
class State:
    rng: jax.Array = dataclasses.field(default_factory=lambda: jnp.zeros(2, jnp.uint32))
def pick(state, key, flag):
    return dataclasses.replace(state, rng=jnp.where(flag, key, state.rng))
s = pick(State(), jax.random.PRNGKey(3), True)
result = jax.random.normal(s.rng)
""",
    ),
    "default factory replaced then consumed": (
        1,
        0,
        0,
        """
import dataclasses
@dataclasses.dataclass
class State:
    rng: jax.Array = dataclasses.field(default_factory=lambda: jnp.zeros(2, jnp.uint32))
s = State()
a = jax.random.normal(s.rng)
s = State(jax.random.PRNGKey(2))
result = a + jax.random.normal(s.rng)
""",
    ),
    "function default": (
        2,
        0,
        0,
        """
def draw(key=jnp.array([0, 42], dtype=jnp.uint32)):
    return jax.random.normal(key)
result = draw() + draw(jax.random.PRNGKey(42))
""",
    ),
    "key == 0 all": (
        2,
        0,
        0,
        """
def f(key):
    if (key == 0).all():
        return jnp.zeros(())
    return jax.random.normal(key)
result = [f(jax.random.PRNGKey(0)), f(jax.random.PRNGKey(3))]
""",
    ),
    "key == 0 all via attribute": (
        1,
        0,
        0,
        """
class A:
    def __init__(self): self.rng = jax.random.PRNGKey(0)
    def f(self):
        if bool(jnp.all(self.rng == 0)):
            return jnp.zeros(())
        return jax.random.normal(self.rng)
result = A().f()
""",
    ),
    "seed.ndim == 0": (
        1,
        1,
        2,
        """
def as_key(seed):
    if jnp.ndim(seed) == 0:
        return jax.random.PRNGKey(seed)
    return seed
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "getattr shape none": (
        1,
        1,
        1,
        """
def as_key(seed):
    if getattr(seed, "shape", None) == (2,):
        return seed
    return jax.random.PRNGKey(int(seed))
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "hasattr shape": (
        2,
        0,
        0,
        """
def as_key(seed):
    if hasattr(seed, "shape"):
        return seed
    return jax.random.PRNGKey(seed)
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "isinstance int": (
        2,
        0,
        0,
        """
def as_key(seed):
    if isinstance(seed, int):
        return jax.random.PRNGKey(seed)
    return seed
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "np.isscalar": (
        1,
        1,
        1,
        """
def as_key(seed):
    if np.isscalar(seed):
        return jax.random.PRNGKey(seed)
    return seed
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "isinstance np integer else size": (
        1,
        1,
        2,
        """
def as_key(seed):
    if np.size(seed) == 1:
        return jax.random.PRNGKey(seed)
    return seed
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "lax.select broadcast": (
        0,
        2,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
other = jax.random.split(jax.random.PRNGKey(1), 4)
done = jnp.array([True, False, True, False])
new = lax.select(jnp.broadcast_to(done[:, None], keys.shape), keys, other)
result = jax.vmap(jax.random.normal)(new)
""",
    ),
    "lax.slice_in_dim": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
one = lax.slice_in_dim(keys, 1, 3)
result = jax.vmap(jax.random.normal)(one)
""",
    ),
    "lax.dynamic_update_slice": (
        2,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
k = jax.random.PRNGKey(9)
keys = lax.dynamic_update_slice(keys, k[None], (1, 0))
result = jax.vmap(jax.random.normal)(keys)
""",
    ),
    "lax.dynamic_slice func": (
        1,
        0,
        0,
        """
def row(keys, i):
    return lax.dynamic_slice(keys, (i, 0), (1, 2))[0]
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = jax.random.normal(row(keys, 2))
""",
    ),
    "lax.bitcast": (
        1,
        0,
        0,
        """
key = jax.random.PRNGKey(7)
result = lax.bitcast_convert_type(key, jnp.int32)
""",
    ),
    "lax.bitcast nested": (
        1,
        0,
        0,
        """
def f(k): return lax.bitcast_convert_type(k, jnp.float32).sum()
result = f(jax.random.PRNGKey(7))
""",
    ),
    "lax.convert_element_type": (
        1,
        0,
        0,
        """
def f(k): return lax.convert_element_type(k, jnp.int32)
result = f(jax.random.PRNGKey(7))
""",
    ),
    "json tolist": (
        1,
        0,
        0,
        """
import json
key = jax.random.PRNGKey(7)
text = json.dumps({"key": key.tolist()})
back = jnp.array(json.loads(text)["key"], dtype=jnp.uint32)
result = jax.random.normal(back)
""",
    ),
    "json method": (
        0,
        2,
        0,
        """
import json
class S:
    def __init__(self, seed): self.key = jax.random.PRNGKey(seed)
    def save(self): return json.dumps({"key": self.key.tolist()})
    def load(self, text): self.key = jnp.array(json.loads(text)["key"], dtype=jnp.uint32)
    def step(self):
        self.key, k = jax.random.split(self.key)
        return jax.random.normal(k)
s = S(1); a = s.step(); t = s.save(); b = s.step(); s.load(t); c = s.step()
result = [a, b, c, lax.cond(True, lambda: s.key, lambda: jax.random.PRNGKey(1))]
""",
    ),
    "getattr PRNGKey": (
        0,
        1,
        1,
        """
make = getattr(jax.random, "PRNGKey")
keys = jnp.stack([make(0), jax.random.PRNGKey(1)])
result = jax.vmap(jax.random.normal)(keys)
""",
    ),
    "mock.patch string": (
        2,
        0,
        1,
        """
from unittest import mock
def f(): return jax.random.normal(jax.random.PRNGKey(1))
orig = jax.random.PRNGKey
with mock.patch("jax.random.PRNGKey", side_effect=lambda s: orig(5)):
    r = f()
result = r
""",
    ),
    "star import": (
        2,
        0,
        0,
        """
from jax.random import *
k = PRNGKey(0)
keys = jnp.stack([k, jax.random.PRNGKey(1)])
result = jax.vmap(normal)(keys)
""",
    ),
    "json uint32 ctor": (
        0,
        1,
        0,
        """
import json
key = jax.random.PRNGKey(7)
text = json.dumps({"a": np.asarray(key).tolist()})
back = jnp.uint32(json.loads(text)["a"])
result = jax.random.normal(jnp.where(True, key, back))
""",
    ),
    "zeros_like words carry": (
        0,
        1,
        0,
        """
words = jnp.zeros(2, jnp.uint32)
def body(c, x):
    k = jax.random.fold_in(jax.random.PRNGKey(0), x)
    return (k, c[1] + 1), 0
result = lax.scan(body, (jnp.zeros_like(words), 0), jnp.arange(3))[0]
""",
    ),
    "fori dict": (
        0,
        1,
        0,
        """
init = dict(rng=jnp.zeros((2,), jnp.uint32), s=0.)
def body(i, c):
    return dict(rng=jax.random.PRNGKey(i), s=c["s"] + 1)
result = lax.fori_loop(0, 3, body, init)
""",
    ),
    "while carry tuple": (
        0,
        1,
        0,
        """
def cond(c): return c[0] < 3
def body(c): return c[0] + 1, jax.random.PRNGKey(3)
result = lax.while_loop(cond, body, (0, jnp.empty(2, "uint32")))
""",
    ),
    "counter beside key": (
        1,
        0,
        0,
        """
def body(c, x):
    k, counts = c
    k, sub = jax.random.split(k)
    return (k, counts + jax.random.bits(sub, (2,), "uint32")), jax.random.normal(sub)
result = lax.scan(body, (jax.random.PRNGKey(0), jnp.zeros(2, jnp.uint32)), jnp.arange(3))
""",
    ),
    "dict counter beside key": (
        1,
        0,
        0,
        """
def body(c, x):
    k, sub = jax.random.split(c["rng"])
    return {"rng": k, "counts": c["counts"].at[0].add(1)}, jax.random.normal(sub)
result = lax.scan(body, {"rng": jax.random.PRNGKey(0), "counts": jnp.zeros(2, jnp.uint32)}, jnp.arange(3))
""",
    ),
    "namedtuple counter beside key": (
        1,
        0,
        0,
        """
from typing import NamedTuple, Any
class S(NamedTuple):
    rng: Any
    counts: Any
def body(c, x):
    k, sub = jax.random.split(c.rng)
    return S(k, c.counts.at[0].add(1)), jax.random.normal(sub)
result = lax.scan(body, S(jax.random.PRNGKey(0), jnp.zeros(2, jnp.uint32)), jnp.arange(3))
""",
    ),
    "switch": (
        0,
        1,
        0,
        """
fs = [lambda: jax.random.PRNGKey(0), lambda: jnp.array([0, 5], jnp.uint32)]
result = lax.switch(1, fs)
""",
    ),
    "stack list append": (
        2,
        0,
        0,
        """
ks = []
ks.append(jax.random.PRNGKey(1))
ks.append(jnp.zeros(2, jnp.uint32))
result = jax.vmap(jax.random.normal)(jnp.stack(ks))
""",
    ),
    "concat words row": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(1), 3)
pad = jnp.zeros((1, 2), jnp.uint32)
result = jax.vmap(jax.random.normal)(jnp.concatenate([keys, pad]))
""",
    ),
    "at set words": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(1), 3)
keys = keys.at[0].set(jnp.array([3, 4], jnp.uint32))
result = jax.vmap(jax.random.normal)(keys)
""",
    ),
    "at set number": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(1), 3)
keys = keys.at[0].set(0)
result = jax.vmap(jax.random.normal)(keys)
""",
    ),
    "at set number in function": (
        0,
        1,
        1,
        """
def clear(keys, i): return keys.at[i].set(0)
result = jax.vmap(jax.random.normal)(clear(jax.random.split(jax.random.PRNGKey(1), 3), 1))
""",
    ),
    "at set int list in function": (
        0,
        1,
        1,
        """
def clear(keys, i): return keys.at[i].set(jnp.array([1, 2]))
result = jax.vmap(jax.random.normal)(clear(jax.random.split(jax.random.PRNGKey(1), 3), 1))
""",
    ),
    "at add": (
        0,
        1,
        1,
        """
def bump(keys, i): return keys.at[i].add(1)
result = jax.vmap(jax.random.normal)(bump(jax.random.split(jax.random.PRNGKey(1), 3), 1))
""",
    ),
    "compare words": (
        0,
        2,
        0,
        """
def is_empty(k): return (k == jnp.zeros(2, jnp.uint32)).all()
result = [is_empty(jax.random.PRNGKey(0)), is_empty(jax.random.PRNGKey(1))]
""",
    ),
    "compare words global": (
        0,
        2,
        0,
        """
EMPTY = np.zeros(2, np.uint32)
def is_empty(k): return jnp.all(k == EMPTY)
result = [is_empty(jax.random.PRNGKey(0)), is_empty(jax.random.PRNGKey(1))]
""",
    ),
    "where default param": (
        0,
        1,
        0,
        """
def pick(flag, key, default=np.zeros(2, np.uint32)):
    return jnp.where(flag, key, default)
result = jax.random.normal(pick(True, jax.random.PRNGKey(0)))
""",
    ),
    "key_data meets": (
        1,
        1,
        0,
        """
k = jax.random.PRNGKey(0)
w = jax.random.key_data(jax.random.PRNGKey(1))
result = jax.vmap(jax.random.normal)(jnp.stack([k, w]))
""",
    ),
    "bits meets": (
        0,
        1,
        0,
        """
k = jax.random.PRNGKey(0)
w = jax.random.bits(k, (2,))
result = jax.vmap(jax.random.normal)(jnp.stack([k, w]))
""",
    ),
    "astype words": (
        0,
        1,
        0,
        """
k = jax.random.PRNGKey(0)
w = jnp.arange(2).astype(jnp.uint32)
result = jax.vmap(jax.random.normal)(jnp.stack([k, w]))
""",
    ),
    "tree_map where states": (
        0,
        1,
        0,
        """
state = {"rng": jnp.zeros(2, jnp.uint32), "x": 1.}
new = {"rng": jax.random.PRNGKey(0), "x": 2.}
out_ = jax.tree.map(lambda a, b: jnp.where(True, a, b), new, state)
result = jax.random.normal(out_["rng"])
""",
    ),
    "ShapeDtypeStruct eval": (
        2,
        0,
        0,
        """
spec = jax.ShapeDtypeStruct((2,), jnp.uint32)
def f(k): return jax.random.normal(k, (3,))
s = jax.eval_shape(f, spec)
result = jnp.zeros(s.shape) + f(jax.random.PRNGKey(0))
""",
    ),
    "noqa constructor": (
        0,
        1,
        0,
        """
a = jax.random.PRNGKey(0)  # noqa: OLY201
result = jax.vmap(jax.random.normal)(jnp.stack([a, jax.random.PRNGKey(1)]))
""",
    ),
    "self module": (
        0,
        1,
        0,
        """
class N:
    def __init__(self): self.r = jax.random
    def key(self): return self.r.PRNGKey(0)
result = jax.vmap(jax.random.normal)(jnp.stack([N().key(), jax.random.PRNGKey(1)]))
""",
    ),
    "param module": (
        0,
        1,
        0,
        """
def mk(r): return r.PRNGKey(0)
result = jax.vmap(jax.random.normal)(jnp.stack([mk(jax.random), jax.random.PRNGKey(1)]))
""",
    ),
    "guarded": (
        1,
        0,
        0,
        """
make = jax.random.key if hasattr(jax.random, "key") else jax.random.PRNGKey
a = make(0)
result = jax.random.normal(a) + jax.random.normal(jax.random.PRNGKey(1))
""",
    ),
    "star import module shadow": (
        2,
        0,
        0,
        """
from jax.random import *
key = PRNGKey(0)
k2 = PRNGKey(1)
result = normal(key) + normal(k2)
""",
    ),
    "dict setdefault": (
        0,
        1,
        0,
        """
store = {}
def get(store): return store.setdefault("rng", jnp.zeros(2, jnp.uint32))
get(store)
store["rng"] = jnp.where(True, jax.random.PRNGKey(0), get(store))
result = jax.random.normal(store["rng"])
""",
    ),
    "getattr default": (
        0,
        1,
        0,
        """
class A: pass
a = A()
def rng(a): return getattr(a, "rng", jnp.zeros(2, jnp.uint32))
result = jax.random.normal(jnp.where(True, jax.random.PRNGKey(0), rng(a)))
""",
    ),
    "or default": (
        2,
        0,
        0,
        """
def f(key=None):
    key = key if key is not None else jnp.zeros(2, jnp.uint32)
    return jnp.where(True, key, jax.random.PRNGKey(1))
result = jax.random.normal(f())
""",
    ),
    "cond bare ints list": (
        0,
        1,
        0,
        """
k = jax.random.PRNGKey(3)
result = lax.cond(True, lambda: k, lambda: jnp.uint32([0, 1]))
""",
    ),
    "vmap PRNGKey over where with 0": (
        0,
        1,
        1,
        """
k = jax.vmap(jax.random.PRNGKey)(jnp.arange(3))
result = jax.vmap(jax.random.normal)(jnp.where(jnp.array([True, False, True])[:, None], k, jnp.zeros(2, jnp.uint32)))
""",
    ),
    "masks over hist": (
        1,
        0,
        0,
        """
def hist(x): 
    h = jnp.zeros((4,), jnp.uint32)
    return h.at[x].add(1)
k = jax.random.PRNGKey(0)
x = jax.random.randint(k, (10,), 0, 4)
result = jnp.where(jnp.arange(4) > 1, hist(x), jnp.zeros(4, jnp.uint32))
""",
    ),
    "generic where helper": (
        1,
        0,
        0,
        """
def sel(m, a, b): return jnp.where(m, a, b)
k1, k2 = jax.random.split(jax.random.PRNGKey(0))
a = sel(True, k1, k2)
b = sel(True, jnp.zeros(4, jnp.uint32), jnp.ones(4, jnp.uint32))
result = (jax.random.normal(a), b)
""",
    ),
    "generic tree where": (
        2,
        0,
        0,
        """
def sel(m, a, b): return jax.tree.map(lambda x, y: jnp.where(m, x, y), a, b)
s1 = {"rng": jax.random.PRNGKey(0), "h": jnp.zeros(4, jnp.uint32)}
s2 = {"rng": jax.random.PRNGKey(1), "h": jnp.ones(4, jnp.uint32)}
out_ = sel(True, s1, s2)
result = (jax.random.normal(out_["rng"]), out_["h"])
""",
    ),
    "generic tree where partner": (
        0,
        1,
        0,
        """
def sel(m, a, b): return jax.tree.map(lambda x, y: jnp.where(m, x, y), a, b)
s1 = {"rng": jax.random.PRNGKey(0), "h": jnp.zeros(4)}
s2 = {"rng": jnp.zeros(2, jnp.uint32), "h": jnp.ones(4)}
out_ = sel(True, s1, s2)
result = (jax.random.normal(out_["rng"]), out_["h"])
""",
    ),
    "tree stack objects": (
        0,
        1,
        0,
        """
from typing import NamedTuple, Any
class S(NamedTuple):
    rng: Any
    x: Any
states = [S(jax.random.PRNGKey(0), 1.), S(jnp.zeros(2, jnp.uint32), 2.)]
out_ = jax.tree.map(lambda *xs: jnp.stack(xs), *states)
result = jax.vmap(jax.random.normal)(out_.rng)
""",
    ),
    "replay buffer zeros then at set dict": (
        0,
        1,
        0,
        """
buf = {"rng": jnp.zeros((5, 2), jnp.uint32), "x": jnp.zeros(5)}
def add(buf, i, item): return jax.tree.map(lambda b, v: b.at[i].set(v), buf, item)
buf = add(buf, 1, {"rng": jax.random.PRNGKey(0), "x": 1.})
result = jax.random.normal(buf["rng"][1])
""",
    ),
    "np.zeros from key dtype": (
        0,
        1,
        0,
        """
key = jax.random.PRNGKey(0)
buf = np.zeros((3, 2), dtype=key.dtype)
buf[0] = key
result = jax.random.normal(buf[0])
""",
    ),
    "dtype constant": (
        0,
        1,
        0,
        """
DT = jnp.uint32
k = jnp.zeros(2, DT)
result = lax.cond(True, lambda: k, lambda: jax.random.PRNGKey(0))
""",
    ),
    "shape constant": (
        0,
        1,
        0,
        """
KEY_SHAPE = (2,)
k = jnp.zeros(KEY_SHAPE, jnp.uint32)
result = lax.cond(True, lambda: k, lambda: jax.random.PRNGKey(0))
""",
    ),
    "dtype param": (
        0,
        1,
        0,
        """
def mk(shape, dtype): return jnp.zeros(shape, dtype)
k = mk((2,), jnp.uint32)
result = lax.cond(True, lambda: k, lambda: jax.random.PRNGKey(0))
""",
    ),
    "np.dtype": (
        0,
        1,
        0,
        """
k = jnp.zeros((2,), np.dtype("uint32"))
result = lax.cond(True, lambda: k, lambda: jax.random.PRNGKey(0))
""",
    ),
    "u4": (
        0,
        1,
        0,
        """
k = np.zeros((2,), "u4")
result = lax.cond(True, lambda: k, lambda: jax.random.PRNGKey(0))
""",
    ),
    "global none": (
        2,
        0,
        0,
        """
RNG = jnp.array([0, 1], dtype=np.uint32)
def get():
    global RNG
    RNG, k = jax.random.split(RNG)
    return k
a = get()
result = jnp.where(True, a, jax.random.PRNGKey(1))
""",
    ),
    "vmap in_axes stacks": (
        0,
        1,
        0,
        """
words = np.arange(6, dtype=np.uint32).reshape(3, 2)
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = jax.vmap(lambda a, b: lax.select(True, a, b))(keys, words)
""",
    ),
    "seed or key dispatch by dtype": (
        2,
        0,
        0,
        """
def as_key(x):
    x = jnp.asarray(x)
    if jnp.issubdtype(x.dtype, jnp.signedinteger): return jax.random.PRNGKey(x)
    return x
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "seed or key dispatch by dtype2": (
        1,
        1,
        1,
        """
def as_key(x):
    x = jnp.asarray(x)
    if x.dtype != jnp.uint32: return jax.random.PRNGKey(x)
    return x
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "dispatch isinstance array": (
        2,
        0,
        0,
        """
def as_key(x):
    if not isinstance(x, jnp.ndarray): return jax.random.PRNGKey(x)
    return x
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "isinstance ndarray of numpy": (
        1,
        1,
        1,
        """
def as_key(x):
    return x if isinstance(x, (np.ndarray, jnp.ndarray)) and x.shape[-1] == 2 else jax.random.PRNGKey(x)
result = [jax.random.normal(as_key(3)), jax.random.normal(as_key(jax.random.PRNGKey(5)))]
""",
    ),
    "hasattr tolist": (
        1,
        0,
        0,
        """
import json
def enc(o): return o.tolist() if hasattr(o, "tolist") else str(type(o))
result = jnp.array(json.loads(json.dumps({"k": jax.random.PRNGKey(0)}, default=enc))["k"])
""",
    ),
    "lax.gather f": (
        1,
        0,
        0,
        """
dn = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
def pick(a, i): return lax.gather(a, i, dn, (1, 2))
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = jax.vmap(jax.random.normal)(pick(keys, jnp.array([[2], [1]])))
""",
    ),
    "shape add last": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = jax.random.normal(keys.reshape((2, -1) + keys.shape[-1:])[0][1])
""",
    ),
    "shape add last f": (
        1,
        0,
        0,
        """
def lanes(keys, n): return keys.reshape((n, -1) + keys.shape[-1:])
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = jax.random.normal(lanes(keys, 2)[0][1])
""",
    ),
    "jnp shape add last": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = jax.random.normal(jnp.reshape(keys, (2, -1) + keys.shape[-1:])[0][1])
""",
    ),
    "concat arrays=": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 2)
w = jnp.zeros((1, 2), jnp.uint32)
result = jax.vmap(jax.random.normal)(jnp.concatenate(arrays=[keys, w]))
""",
    ),
    "concat arrays= made": (
        0,
        1,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 2)
def f(k): return jnp.concatenate(arrays=[k, np.array([[3, 4]], dtype=np.uint32)], axis=0)
result = jax.vmap(jax.random.normal)(f(keys))
""",
    ),
    "vstack tup=": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 2)
result = jax.vmap(jax.random.normal)(jnp.vstack(tup=[keys, keys[0]]))
""",
    ),
    "stack arrays= axis=-2": (
        2,
        0,
        0,
        """
a, b = jax.random.PRNGKey(0), jax.random.PRNGKey(1)
result = jax.vmap(jax.random.normal)(jnp.stack(arrays=[a, b], axis=-2))
""",
    ),
    "stack arrays= axis=-1": (
        2,
        0,
        0,
        """
a, b = jax.random.PRNGKey(0), jax.random.PRNGKey(1)
result = jax.vmap(jax.random.normal)(jnp.stack(arrays=[a, b], axis=-1).T)
""",
    ),
    "concat arrays= axis=1": (
        1,
        0,
        0,
        """
a = jax.random.split(jax.random.PRNGKey(0), 2)
result = jnp.concatenate(arrays=[a, a], axis=1)
""",
    ),
    "hstack tup": (
        1,
        0,
        0,
        """
a = jax.random.split(jax.random.PRNGKey(0), 2)
result = jnp.hstack(tup=[a, a])
""",
    ),
    "stack axis=-2": (
        2,
        0,
        0,
        """
a, b = jax.random.PRNGKey(0), jax.random.PRNGKey(1)
result = jax.vmap(jax.random.normal)(jnp.stack([a, b], axis=-2))
""",
    ),
    "np.asarray star2": (
        0,
        1,
        1,
        """
args = (jax.random.PRNGKey(0),)
result = np.asarray(*args)
""",
    ),
    "np.asarray kwargs": (
        1,
        1,
        1,
        """
kw = {"a": jax.random.PRNGKey(0)}
result = np.array(**{"object": jax.random.PRNGKey(0)})
""",
    ),
    "b += 3": (
        0,
        1,
        0,
        """
b = jnp.zeros(2, jnp.uint32)
b += 3
result = jax.vmap(jax.random.normal)(jnp.stack([b, jax.random.PRNGKey(0)]))
""",
    ),
    "b = b + 3": (
        0,
        1,
        0,
        """
b = jnp.zeros(2, jnp.uint32)
b = b + 3
result = jax.vmap(jax.random.normal)(jnp.stack([b, jax.random.PRNGKey(0)]))
""",
    ),
    "b ^ words": (
        0,
        1,
        0,
        """
b = jnp.zeros(2, jnp.uint32)
b ^= jnp.array([1, 2], dtype=jnp.uint32)
result = jax.random.normal(jnp.where(True, b, jax.random.PRNGKey(0)))
""",
    ),
    "b inplace np": (
        0,
        1,
        0,
        """
b = np.zeros((3, 2), np.uint32)
b += 3
b[0] = jax.random.PRNGKey(0)
result = jax.vmap(jax.random.normal)(b)
""",
    ),
    "tree.map assert": (
        0,
        2,
        1,
        """
a = {"k": jax.random.PRNGKey(0), "x": jnp.ones(2)}
b = {"k": jax.random.PRNGKey(0), "x": jnp.ones(2)}
jax.tree.map(np.testing.assert_array_equal, a, b)
result = 1
""",
    ),
    "tree.map assert plain": (
        0,
        1,
        1,
        """
a = [jax.random.PRNGKey(0)]
jax.tree.map(np.testing.assert_allclose, a, a)
result = 1
""",
    ),
    "map np.asarray": (
        0,
        1,
        1,
        """
a = [jax.random.PRNGKey(0)]
result = list(map(np.asarray, a))
""",
    ),
    "map assert": (
        0,
        1,
        1,
        """
a = [jax.random.PRNGKey(0)]
list(map(np.testing.assert_array_equal, a, a))
result = 1
""",
    ),
    "tree.map asarray": (
        0,
        1,
        1,
        """
a = {"k": jax.random.PRNGKey(0), "x": jnp.ones(2)}
result = jax.tree.map(np.asarray, a)
""",
    ),
    "tree.map array_equal": (
        0,
        1,
        1,
        """
a = {"k": jax.random.PRNGKey(0), "x": jnp.ones(2)}
result = jax.tree.map(np.array_equal, a, a)
""",
    ),
    "where mask ok rows": (
        0,
        2,
        1,
        """
ks = jax.random.split(jax.random.PRNGKey(0), 3); ls = jax.random.split(jax.random.PRNGKey(1), 3)
result = jax.vmap(jax.random.normal)(jnp.where((jnp.arange(3) > 0)[:, None], ks, ls))
""",
    ),
    "sds tree lower": (
        2,
        0,
        0,
        """
spec = {"k": jax.ShapeDtypeStruct((2,), jnp.uint32)}
f = jax.jit(lambda t: jax.random.normal(t["k"])).lower(spec).compile()
result = f({"k": jax.random.PRNGKey(0)})
""",
    ),
    "sds tree zeros": (
        0,
        1,
        0,
        """
spec = {"k": jax.ShapeDtypeStruct((2,), jnp.uint32), "x": jax.ShapeDtypeStruct((), jnp.float32)}
tree = {"k": jax.random.PRNGKey(0), "x": jnp.float32(1.)}
z = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), spec)
result = jax.random.normal(jax.tree.map(lambda a, b: jnp.where(True, a, b), tree, z)["k"])
""",
    ),
    "sds lower plain": (
        2,
        0,
        0,
        """
f = jax.jit(jax.random.normal).lower(jax.ShapeDtypeStruct((2,), jnp.uint32)).compile()
result = f(jax.random.PRNGKey(0))
""",
    ),
    "tobytes dict key": (
        1,
        0,
        0,
        """
key = jax.random.PRNGKey(0)
seen = {key.tobytes(): 1}
result = list(seen)[0].hex()
""",
    ),
    "tobytes in set": (
        1,
        0,
        0,
        """
seen = set()
for k in jax.random.split(jax.random.PRNGKey(0), 3):
    seen.add(k.tobytes())
result = len(seen)
""",
    ),
    "tobytes func": (
        1,
        0,
        0,
        """
def ident(key): return key.tobytes()
cache = {}
cache[ident(jax.random.PRNGKey(0))] = 1
result = len(cache)
""",
    ),
    "np.array2string": (
        1,
        0,
        0,
        """
key = jax.random.PRNGKey(3)
result = np.array2string(key)
""",
    ),
    "np.array2string conv": (
        1,
        0,
        0,
        """
key = jax.random.PRNGKey(3)
result = np.array2string(np.asarray(key))
""",
    ),
    "np.array_str": (
        1,
        0,
        0,
        """
key = jax.random.PRNGKey(3)
result = np.array_str(key) + np.array_repr(key)
""",
    ),
    "jnp.array_str": (
        1,
        0,
        0,
        """
def f(k): return jnp.array_repr(k)
result = f(jax.random.PRNGKey(3))
""",
    ),
    "for hi lo": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = []
for hi, lo in keys:
    result.append(int(hi) + int(lo))
""",
    ),
    "for hi lo int only": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = []
for hi, lo in keys:
    result.append(int(hi))
""",
    ),
    "for hi lo comp": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = [int(hi) ^ int(lo) for hi, lo in keys]
""",
    ),
    "for enumerate": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = []
for i, (hi, lo) in enumerate(keys):
    result.append(int(hi))
""",
    ),
    "vstack list var local": (
        0,
        2,
        1,
        """
ks = [jax.random.PRNGKey(0), jax.random.PRNGKey(1)]
result = jax.vmap(jax.random.normal)(jnp.vstack(tup=ks))
""",
    ),
    "concat axis=1 pos f": (
        1,
        0,
        0,
        """
def f(a): return jnp.concatenate([a, a], axis=1)
result = f(jax.random.split(jax.random.PRNGKey(0), 2))
""",
    ),
    "concat axis 1 pos2 f": (
        1,
        0,
        0,
        """
def f(a): return jnp.concatenate([a, a], 1)
result = f(jax.random.split(jax.random.PRNGKey(0), 2))
""",
    ),
    "concat arrays axis=-1 f": (
        1,
        0,
        0,
        """
def f(a): return jnp.concatenate(arrays=[a, a], axis=-1)
result = f(jax.random.split(jax.random.PRNGKey(0), 2))
""",
    ),
    "stack axis=1 f": (
        1,
        0,
        0,
        """
def f(a): return jnp.stack([a, a], axis=1)
result = f(jax.random.PRNGKey(0))
""",
    ),
    "stack axis=1 keys ok": (
        1,
        0,
        0,
        """
def f(a): return jnp.stack([a, a], axis=1)
result = f(jax.random.split(jax.random.PRNGKey(0)))
""",
    ),
    "stack arrays axis=2 f": (
        1,
        0,
        0,
        """
def f(a): return jnp.stack(arrays=(a, a), axis=2)
result = f(jax.random.split(jax.random.PRNGKey(0)))
""",
    ),
    "for two keys ok": (
        1,
        0,
        0,
        """
pairs = jax.vmap(jax.random.split)(jax.random.split(jax.random.PRNGKey(0), 3))
result = []
for a, b in pairs:
    result.append(jax.random.normal(a))
""",
    ),
    "keys[0, :] f": (
        1,
        0,
        0,
        """
def f(keys): return keys[0, :]
result = jax.random.normal(f(jnp.stack([jax.random.PRNGKey(i) for i in range(2)])))
""",
    ),
    "lax pad": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = lax.pad(keys, np.uint32(0), [(0, 1, 0), (0, 0, 0)])
""",
    ),
    "lax.rev": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = jax.vmap(jax.random.normal)(lax.rev(keys, (0,)))
""",
    ),
    "lax.broadcast": (
        1,
        0,
        0,
        """
key = jax.random.PRNGKey(0)
result = jax.vmap(jax.random.normal)(lax.broadcast(key, (3,)))
""",
    ),
    "lax.reshape": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = lax.reshape(keys, (2, 2, 2))
""",
    ),
    "lax.transpose": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = lax.transpose(keys, (1, 0))
""",
    ),
    "lax.concatenate": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = lax.concatenate([keys, keys], 1)
""",
    ),
    "lax.concatenate 0": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 4)
result = jax.vmap(jax.random.normal)(lax.concatenate([keys, keys], 0))
""",
    ),
    "lax.collapse ok": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), (2, 3))
result = jax.vmap(jax.random.normal)(lax.collapse(keys, 0, 2))
""",
    ),
    "lax.squeeze": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 1)
result = jax.random.normal(lax.squeeze(keys, (0,)))
""",
    ),
    "lax.expand_dims": (
        1,
        0,
        0,
        """
key = jax.random.PRNGKey(0)
result = jax.vmap(jax.random.normal)(lax.expand_dims(key, (0,)))
""",
    ),
    "lax.sort": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = lax.sort(keys)
""",
    ),
    "lax.cumsum": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = lax.cumsum(keys)
""",
    ),
    "lax.top_k": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = lax.top_k(keys, 1)
""",
    ),
    "lax.reduce": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = lax.reduce(keys, np.uint32(0), lax.bitwise_xor, (0,))
""",
    ),
    "lax.argmax": (
        1,
        0,
        0,
        """
def f(k): return lax.argmax(k, 0, jnp.int32)
result = f(jax.random.PRNGKey(3))
""",
    ),
    "lax.clamp": (
        1,
        0,
        0,
        """
def f(k): return lax.clamp(np.uint32(0), k, np.uint32(5))
result = f(jax.random.PRNGKey(3))
""",
    ),
    "lax.add": (
        1,
        0,
        0,
        """
def f(k): return lax.add(k, k)
result = f(jax.random.PRNGKey(3))
""",
    ),
    "lax.eq": (
        2,
        0,
        0,
        """
def f(k, l): return lax.eq(k, l)
result = f(jax.random.PRNGKey(3), jax.random.PRNGKey(3))
""",
    ),
    "lax.full_like": (
        1,
        0,
        0,
        """
def f(k): return lax.full_like(k, 0)
result = f(jax.random.PRNGKey(3))
""",
    ),
    "lax.population_count": (
        1,
        0,
        0,
        """
def f(k): return lax.population_count(k)
result = f(jax.random.PRNGKey(3))
""",
    ),
    "lax.shift": (
        1,
        0,
        0,
        """
def f(k): return lax.shift_right_logical(k, np.uint32(1))
result = f(jax.random.PRNGKey(3))
""",
    ),
    "jnp.put_along_axis": (
        0,
        1,
        1,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
result = jnp.put_along_axis(keys, jnp.array([[1, 1]]), jnp.uint32(1), 0, inplace=False)
""",
    ),
    "jnp.select": (
        2,
        0,
        0,
        """
def f(c, a, b): return jnp.select([c], [a], b)
result = jax.random.normal(f(True, jax.random.PRNGKey(1), jax.random.PRNGKey(2)))
""",
    ),
    "jnp.choose": (
        2,
        0,
        0,
        """
def f(a, b): return jnp.choose(1, [a, b])
result = jax.random.normal(f(jax.random.PRNGKey(1), jax.random.PRNGKey(2)))
""",
    ),
    "jnp.atleast_2d": (
        0,
        1,
        1,
        """
def f(a): return jnp.atleast_2d(a)
result = jax.vmap(jax.random.normal)(f(jax.random.PRNGKey(1)))
""",
    ),
    "jnp.insert": (
        2,
        0,
        0,
        """
def f(a, k): return jnp.insert(a, 0, k, axis=0)
result = jax.vmap(jax.random.normal)(f(jax.random.split(jax.random.PRNGKey(1)), jax.random.PRNGKey(0)))
""",
    ),
    "b += 3 in place 2": (
        0,
        1,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(1))
b = jnp.zeros((2, 2), jnp.uint32)
b += 3
result = jax.vmap(jax.random.normal)(jnp.concatenate([keys, b]))
""",
    ),
    "b += 3 attr": (
        0,
        1,
        0,
        """
class A: pass
a = A()
a.b = jnp.zeros(2, jnp.uint32)
a.b += 3
result = jax.vmap(jax.random.normal)(jnp.stack([jax.random.PRNGKey(0), a.b]))
""",
    ),
    "b += 3 dict": (
        0,
        1,
        0,
        """
d = {"b": jnp.zeros(2, jnp.uint32)}
d["b"] += 3
result = jax.vmap(jax.random.normal)(jnp.stack([jax.random.PRNGKey(0), d["b"]]))
""",
    ),
    "b += 3 func": (
        0,
        1,
        0,
        """
def f():
    b = jnp.ones(2, jnp.uint32)
    b += 3
    return b
result = jax.vmap(jax.random.normal)(jnp.stack([jax.random.PRNGKey(0), f()]))
""",
    ),
    "b += 3 where key": (
        0,
        1,
        0,
        """
def f(key, done):
    b = jnp.zeros(2, jnp.uint32)
    b += 3
    return jnp.where(done, b, key)
result = jax.random.normal(f(jax.random.PRNGKey(0), True))
""",
    ),
    "b |= 3 at set": (
        0,
        1,
        0,
        """
b = jnp.zeros((3, 2), jnp.uint32)
b |= 3
b = b.at[0].set(jax.random.PRNGKey(0))
result = jax.vmap(jax.random.normal)(b)
""",
    ),
    "sds tree lower2": (
        2,
        0,
        0,
        """
spec = dict(k=jax.ShapeDtypeStruct((2,), jnp.uint32), x=jax.ShapeDtypeStruct((2,), jnp.uint32))
def g(t): return jax.random.normal(t["k"]) + t["x"]
f = jax.jit(g).lower(spec).compile()
result = f({"k": jax.random.PRNGKey(0), "x": jnp.zeros(2, jnp.uint32)})
""",
    ),
    "sds tuple lower": (
        2,
        0,
        0,
        """
spec = (jax.ShapeDtypeStruct((2,), jnp.uint32), 1.)
def g(t): return jax.random.normal(t[0]) + t[1]
f = jax.jit(g).lower(spec).compile()
result = f((jax.random.PRNGKey(0), 1.))
""",
    ),
    "sds eval_shape tree": (
        2,
        0,
        0,
        """
spec = {"k": jax.ShapeDtypeStruct((2,), jnp.uint32)}
def g(t): return jax.random.normal(t["k"])
s = jax.eval_shape(g, spec)
result = g({"k": jax.random.PRNGKey(0)}) + jnp.zeros(s.shape)
""",
    ),
    "where mask index ok": (
        2,
        0,
        0,
        """
def f(a, b):
    m = jnp.arange(2) > 0
    return jnp.where(m[0], a, b)
result = jax.random.normal(f(jax.random.PRNGKey(0), jax.random.PRNGKey(1)))
""",
    ),
    "where any ok": (
        2,
        0,
        0,
        """
def f(x, a, b):
    return jnp.where(jnp.any(x > jnp.arange(2)), a, b)
result = jax.random.normal(f(1, jax.random.PRNGKey(0), jax.random.PRNGKey(1)))
""",
    ),
    "print buffer f": (
        1,
        0,
        0,
        """
import io
def dump(key, out): print("key", key, file=out)
b = io.StringIO()
dump(jax.random.PRNGKey(0), b)
result = b.getvalue()
""",
    ),
    "at set in place of words": (
        1,
        1,
        0,
        """
key = jax.random.PRNGKey(0)
result = key.at[:].set(jax.random.PRNGKey(1))
""",
    ),
    "transposes": (
        1,
        0,
        0,
        """
def f(keys): return jnp.transpose(jnp.transpose(keys))
result = jax.vmap(jax.random.normal)(f(jax.random.split(jax.random.PRNGKey(0), 3)))
""",
    ),
    "hi lo stack": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
hi, lo = keys[:, 0], keys[:, 1]
result = jax.vmap(jax.random.normal)(jnp.stack([hi, lo], axis=-1))
""",
    ),
    "np.zeros leaf dtype": (
        0,
        1,
        1,
        """
keys = [jax.random.PRNGKey(0)]
result = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), keys)
""",
    ),
    "dtypes of arrays of a key and a number": (
        0,
        1,
        1,
        """
key = jax.random.PRNGKey(0)
result = [jnp.asarray(leaf) for leaf in [3, key] if jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.integer)]
""",
    ),
    "arithmetic on written words that no seed gives, as text": (
        0,
        0,
        1,
        """
import dataclasses
@dataclasses.dataclass(frozen=True)
class State:
    key: object
def shown():
    key = jnp.uint32([7, 2])
    rng = key + 0
    return len(str(State(random.split(rng)[0])))
result = shown()
""",
    ),
    "wrap of key_data": (
        1,
        0,
        0,
        """
def f(key): return jax.random.wrap_key_data(jax.random.key_data(key))
result = jax.random.normal(f(jax.random.PRNGKey(0)))
""",
    ),
    "reshape sizes of keys": (
        1,
        0,
        0,
        """
def f(keys, n): return keys.reshape((n // 2, 2) + keys.shape[1:])
result = jax.random.normal(f(jax.random.split(jax.random.PRNGKey(0), 4), 4)[0][1])
""",
    ),
    "columns of words": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
hi, lo = keys[:, 0], keys[:, 1]
result = hi ^ lo, hi + 1, hi.sum(), np.asarray(lo).tolist(), jnp.where(hi > 5, hi, 0)
""",
    ),
    "columns of words by an ellipsis": (
        1,
        0,
        0,
        """
keys = jax.random.split(jax.random.PRNGKey(0), 3)
hi, lo = keys[..., 0], keys[..., 1]
result = hi ^ lo
""",
    ),
    "columns of words in attributes": (
        1,
        0,
        0,
        """
class A:
    def __init__(self, seed):
        self.keys = jax.random.split(jax.random.PRNGKey(seed), 3)
    def words(self):
        hi, lo = self.keys[:, 0], self.keys[:, 1]
        return np.asarray(hi), lo.tolist()
result = A(0).words()
""",
    ),
    "words and a key in an attribute, chosen in a function": (
        0,
        1,
        0,
        """
import dataclasses
from typing import Any, NamedTuple
@dataclasses.dataclass
class S:
    rng: Any
def pick(s, t): return jnp.where(True, s.rng, t.rng)
result = jax.random.normal(pick(S(jnp.zeros(2, jnp.uint32)), S(jax.random.PRNGKey(1))))
""",
    ),
    "words and a key in a field with a default factory": (
        0,
        1,
        0,
        """
import dataclasses
from typing import Any, NamedTuple
def empty(): return jnp.zeros(2, jnp.uint32)
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class S:
    rng: Any = dataclasses.field(default_factory=empty)
chosen = jax.tree.map(lambda a, b: jnp.where(True, a, b), S(), S(jax.random.PRNGKey(1)))
result = jax.random.normal(chosen.rng)
""",
    ),
    "words and a key in a field of a NamedTuple": (
        0,
        1,
        0,
        """
import dataclasses
from typing import Any, NamedTuple
class S(NamedTuple):
    rng: Any = np.zeros(2, np.uint32)
chosen = jax.tree.map(lambda a, b: jnp.where(True, a, b), S(), S(jax.random.PRNGKey(1)))
result = jax.random.normal(chosen.rng)
""",
    ),
    "patch.object by keywords": (
        1,
        0,
        1,
        """
from unittest import mock
def draw(): return jax.random.normal(jax.random.PRNGKey(1))
with mock.patch.object(target=jax.random, attribute='PRNGKey', new=lambda seed: jnp.array([7, 7], jnp.uint32)):
    result = draw()
""",
    ),
    "patch by keywords": (
        1,
        0,
        1,
        """
from unittest import mock
def draw(): return jax.random.normal(jax.random.PRNGKey(1))
with mock.patch(target='jax.random.PRNGKey', new=lambda seed: jnp.array([7, 7], jnp.uint32)):
    result = draw()
""",
    ),
    "patch.dict": (
        1,
        0,
        1,
        """
from unittest import mock
def draw(): return jax.random.normal(jax.random.PRNGKey(1))
with mock.patch.dict(vars(jax.random), PRNGKey=lambda seed: jnp.array([7, 7], jnp.uint32)):
    result = draw()
""",
    ),
    "numbers and a key in a list": (
        0,
        1,
        2,
        """
result = [np.mean(leaf) for leaf in [3, True, jax.random.PRNGKey(0)]]
""",
    ),
    "numbers and a key in a loop": (
        0,
        1,
        1,
        """
result = []
for leaf in (2.0, jax.random.PRNGKey(0)):
    result.append(leaf + 1)
""",
    ),
    "numbers and a key made arrays in a loop": (
        0,
        2,
        3,
        """
box = {'lr': 0.5, 'n': 3, 'rng': jax.random.PRNGKey(0)}
one = {name: jnp.asarray(value).astype(jnp.float32) for name, value in box.items()}
two = [jnp.asarray(value).tolist() for value in [0.5, (1.0, 2.0), jax.random.PRNGKey(1)]]
result = one, two
""",
    ),
    "a list of numbers and a key in a loop": (
        0,
        5,
        5,
        """
one = [jnp.asarray(value)[0] for value in [[0.5, 2.0], jax.random.PRNGKey(0)]]
two = [value[0] for value in [(0.5, 2.0), jax.random.PRNGKey(1)]]
three = [np.asarray(value).shape[0] for value in [(0.5, 2.0), jax.random.PRNGKey(2)]]
four = [len(str(value)) for value in [(0.5, 2.0), jax.random.PRNGKey(3)]]
five = []
for value in ((0.5, 2.0), jax.random.PRNGKey(4)):
    hi, lo = value
    five.append(hi)
result = one, two, three, four, five
""",
    ),
    "a column of pairs, and one of reshaped keys": (
        0,
        1,
        2,
        """
def column(x): return x[:, 0]
keys = jax.lax.reshape(jax.vmap(jax.random.PRNGKey)(jnp.arange(4)), (4, 2))
result = jax.vmap(jax.random.normal)(column(jax.vmap(jax.random.split)(keys))), column(keys)
""",
    ),
    "leaves beside an element of keys by a computed number": (
        0,
        1,
        1,
        """
keys = jnp.stack([jax.random.PRNGKey(i) for i in range(3)])
leaves = [jnp.ones((2, 2)), jnp.ones(3)]
leaves.append(keys[jnp.argmax(jnp.arange(3))])
result = jax.tree.map(lambda leaf: leaf[0], leaves)
""",
    ),
    "a dtype and a length that are asserted": (
        1,
        0,
        0,
        """
import unittest
key, case = jax.random.PRNGKey(0), unittest.TestCase()
case.assertEqual(key.dtype, jnp.uint32)
case.assertEqual(np.uint32, key.dtype)
case.assertEqual(key.dtype, "uint32")
case.assertIn(key.dtype, [np.uint32])
case.assertNotEqual(key.dtype, jnp.float32)
np.testing.assert_equal(key.dtype, np.uint32)
case.assertEqual(len(key), 2)
result = jax.random.normal(key)
""",
    ),
    "a word of a copy": (
        2,
        0,
        0,
        """
key = jax.random.PRNGKey(seed=1).copy()
same = jax.lax.cond(jnp.ones(()) > 0, lambda k: k, lambda k: k, key)
words = jax.random.PRNGKey(2).copy()[0] == jax.random.fold_in(same, 1)[0]
result = same[0] == jax.random.fold_in(same, 7)[0], words
""",
    ),
    "an array of keys, mapped": (
        2,
        2,
        1,
        """
keys = jnp.array([jax.random.PRNGKey(0), jax.random.PRNGKey(1)])
mapped = jax.vmap(lambda k: jax.random.split(k)[0])(keys)
one = jnp.reshape(mapped, (1, -1, 2))[0]
keys = jnp.array([jax.random.PRNGKey(0), jax.random.PRNGKey(1)])
_, scanned = jax.lax.scan(lambda n, k: (n, jax.random.fold_in(k, 1)), 0, keys)
two = jnp.reshape(scanned, (1, -1, 2))[0]
result = jax.vmap(jax.random.normal)(one), jax.vmap(jax.random.normal)(two)
""",
    ),
    "a key or a number of an object, compared": (
        0,
        2,
        3,
        """
class Box:
    def __init__(self, value):
        self.value = value
def positive(box): return box.value > 0
def zero(box): return jnp.all(box.value == 0), jnp.equal(box.value, 0)
result = positive(Box(1)), positive(Box(jax.random.PRNGKey(0))), zero(Box(jax.random.PRNGKey(1)))
""",
    ),
    "leaves that are keys or numbers, compared": (
        0,
        3,
        3,
        """
def mapped(tree): return jax.tree.map(lambda leaf: leaf > 0, tree)
def listed(tree): return [leaf >= 1 for leaf in jax.tree.leaves(tree)]
def named(tree): return {name: value == 0 for name, value in tree.items()}
result = [
    mapped({"a": 1, "b": jax.random.PRNGKey(0)}),
    listed({"a": 1, "b": jax.random.PRNGKey(1)}),
    named({"a": 1, "b": jax.random.PRNGKey(2)}),
]
""",
    ),
    "numbers and keys of a list, of a function and of a generator": (
        0,
        6,
        6,
        """
def given():
    yield 1
    yield jax.random.PRNGKey(0)
def chosen(which):
    if which:
        return 1
    return jax.random.PRNGKey(1)
result = [value > 0 for value in given()]
for value in [1, jax.random.PRNGKey(2)]: result.append(value == 0)
for which in range(2):
    value = chosen(which)
    result.append(value > 0)
for value in [jnp.ones(2), jax.random.PRNGKey(3)]: result.append(value.at[...].add(1))
for value in [(4, 7), jax.random.PRNGKey(4)]:
    result.append(jnp.concatenate([jnp.asarray(value), jnp.asarray(value)]))
for value in [jnp.arange(2), jax.random.PRNGKey(5)]: result.append([word for word in value])
""",
    ),
    "keys, mapped over": (
        3,
        0,
        0,
        """
def draws(keys): return jax.vmap(jax.random.normal)(keys)
for keys in [jax.random.split(jax.random.PRNGKey(0)), jnp.stack([jax.random.PRNGKey(1)])]: draws(keys)
result = lax.scan(lambda n, key: (n, jax.random.normal(key)), 0, jax.random.split(jax.random.PRNGKey(2)))
""",
    ),
    "a list of keys, stacked and joined along the words": (
        4,
        1,
        1,
        """
def stacked(keys): return jnp.stack(keys, axis=1)
def last(keys): return jnp.stack([key for key in keys], -1)
def leaves(tree): return jnp.stack(jax.tree.leaves(tree), 1)
def joined(keys): return lax.concatenate(keys, 1)
def fine(keys): return jnp.stack(keys, axis=1), jnp.concatenate(keys, axis=0), jnp.stack(keys)
result = [
    stacked([jax.random.PRNGKey(0)]), last([jax.random.PRNGKey(1)]), leaves({"a": jax.random.PRNGKey(2)}),
    joined([jax.random.split(jax.random.PRNGKey(3))]), fine([jax.random.split(jax.random.PRNGKey(4))]),
]
""",
    ),
    "the first axis of leaves that are arrays of keys": (
        1,
        0,
        0,
        """
def rows(tree): return [
    (jnp.split(leaf, 2), jnp.flip(leaf, (0,)), jnp.take(leaf, 0, axis=0), leaf.take(1, axis=0), jnp.roll(leaf, 1, 0),
     lax.slice_in_dim(leaf, 0, 1), jnp.stack([leaf, leaf], 1), jnp.expand_dims(leaf, 1), lax.concatenate([leaf], 0))
    for leaf in jax.tree.leaves(tree)
]
result = rows({"a": jax.random.split(jax.random.PRNGKey(0), 4)})
""",
    ),
    "the axis of the words of leaves that are arrays of keys": (
        3,
        1,
        1,
        """
def turned(tree): return jax.tree.map(jnp.transpose, tree), [jnp.transpose(leaf) for leaf in jax.tree.leaves(tree)]
def flat(tree): return [leaf.reshape(leaf.shape[0], -1) for leaf in jax.tree.leaves(tree)]
def mixed(tree): return [leaf.reshape(leaf.shape[::-1]) for leaf in jax.tree.leaves(tree)]
def matrices(tree): return [leaf[None].mT for leaf in jax.tree.leaves(tree)]
result = [
    turned({"a": jax.random.split(jax.random.PRNGKey(0), 4)}), flat({"a": jax.random.split(jax.random.PRNGKey(1), 4)}),
    mixed({"a": jax.random.split(jax.random.PRNGKey(2), 4)}), matrices({"a": jax.random.split(jax.random.PRNGKey(3))}),
]
""",
    ),
    "a list of words, compared": (
        0,
        1,
        1,
        """
key = jax.random.PRNGKey(3)
result = list(key) == [0, 3]
""",
    ),
    "squeezed without a number": (
        0,
        1,
        1,
        """
class Box:
    def __init__(self, key):
        self.key = key
def parts(value):
    one, two = value
    return one
result = parts([0.5, 2]), parts(Box(jnp.squeeze(jax.random.PRNGKey(0)[None, None])).key)
""",
    ),
    "reshaped to its own shape": (
        1,
        1,
        1,
        """
class Box:
    def __init__(self, key):
        self._key = key
    @property
    def key(self):
        return self._key
keys = [jax.random.PRNGKey(0), jax.random.PRNGKey(1)]
one, two = keys[0].reshape(keys[0].shape), jnp.broadcast_to(keys[1], (3,) + keys[1].shape)
result = [len(item) for item in ([1, 2], Box(one).key)], Box(two).key[0][1]
""",
    ),
    "list of keys": (
        1,
        0,
        0,
        """
def f(keys): return list(keys)
result = [jax.random.normal(k) for k in f(jax.random.split(jax.random.PRNGKey(0), 3))]
""",
    ),
}


def migrated(*files: tuple[str, str]) -> Migration:
    return migrate([Text(name, Settings(), text) for name, text in files], Target("typed"), strict=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_raw_partners_are_announced(name: str) -> None:
    free, held, left, code = PROGRAMS[name]
    migration = migrated(("program.py", HEAD + code))
    assert (len(migration.free), len(migration.held), sum(map(len, migration.left.values()))) == (free, held, left)


def test_a_second_migration_changes_nothing() -> None:
    """A rewrite of an array of NumPy shows that keys get to a function, and how many axes they have there."""
    code = """
key = jnp.asarray(np.asarray(jax.random.PRNGKey(1)))
def draw(keys):
    rows = jnp.reshape(keys, (-1, 2))
    return jax.vmap(jax.random.normal)(rows)
result = draw(jnp.stack([key, jax.random.fold_in(key, 7)]).reshape(2, 2))
"""
    (once,) = migrated(("program.py", HEAD + code)).texts
    (again,) = migrated(("program.py", once.after)).texts
    assert once.after == again.after != HEAD + code


def test_starts_of_a_slice_that_are_counted() -> None:
    """The second run of the migration read ``(*(0,) * len(v.shape),)``, which has no element that is written out."""
    code = "def f(v): return lax.dynamic_update_slice(v, v[:1], (0,))\nresult = f(jax.random.PRNGKey(5))\n"
    (once,) = migrated(("program.py", HEAD + code)).texts
    assert "(*(0,) * len(v.shape),)" in once.after
    again = migrated(("program.py", once.after))
    assert not again.problems and [text.after for text in again.texts] == [once.after]


def test_a_buffer_beside_values_of_code_that_is_not_followed() -> None:
    """What a file out of reach gives may be a raw key, also where it has gone through a function of arrays."""
    code = "import elsewhere\nvalue = jnp.where(len(elsewhere.key) > 0, elsewhere.key, elsewhere.other)\n"
    code += "buffer = jnp.zeros((3, 2), jnp.uint32).at[1].set(value)\nresult = jax.random.normal(buffer[1])\n"
    migration = migrated(("program.py", HEAD + code))
    assert len(migration.free) == 0


def test_the_length_of_words_is_asserted() -> None:
    code = "from absl.testing import absltest\nabsltest.TestCase().assertLen(jax.random.PRNGKey(0), 2)\n"
    (text,) = migrated(("program.py", HEAD + code)).texts
    assert "assertLen(jax.random.key_data(jax.random.key(0)), 2)" in text.after


def test_keys_beside_numbers_meet_what_code_out_of_reach_gives() -> None:
    code = """
from elsewhere import State
parts = [*[jax.random.split(jax.random.PRNGKey(1))[0]], 1]
result = jax.tree.map(lambda a, b: jnp.where(True, a, b), {"rng": parts[0]}, vars(State()))
"""
    (held,) = migrated(("program.py", HEAD + code)).held
    assert "may meet what `elsewhere` gives there" in held.reasons[0].text


def numbers(text: str) -> list[Any]:
    """Run a program as a module, and return the leaves of its ``result`` as lists."""
    import jax
    import numpy as np

    module, constructor = types.ModuleType("program"), jax.random.PRNGKey
    sys.modules["program"] = module
    try:
        exec(compile(text, "program.py", "exec", dont_inherit=True), module.__dict__)
        leaves = jax.tree.leaves(module.__dict__["result"])
    finally:
        jax.random.PRNGKey = constructor
        del sys.modules["program"]
    is_key = [jax.dtypes.issubdtype(getattr(leaf, "dtype", int), jax.dtypes.prng_key) for leaf in leaves]
    return [np.asarray(jax.random.key_data(x) if key else x).tolist() for x, key in zip(leaves, is_key, strict=True)]


SILENT = {"hstack tup": "the keyword is not read", "lax.gather f": "its dimension numbers are not read"}
"""Programs whose numbers change though nothing says so."""


@pytest.mark.search
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(reason=SILENT[name], strict=True)) if name in SILENT else name
        for name in sorted({*sorted(PROGRAMS)[::12], *SILENT})
    ],
)
def test_numbers_stay(name: str) -> None:
    """Without a place left, the program gives the same numbers, whatever is held back; another run changes nothing."""
    pytest.importorskip("jax", reason="needs JAX, the extra `trace`")
    _, _, left, code = PROGRAMS[name]
    before = numbers(HEAD + code)
    (text,) = migrated(("program.py", HEAD + code)).texts
    assert migrated(("program.py", text.new)).texts[0].new == text.new
    if not left:
        assert numbers(text.new) == before


COMPARED = {
    "same = one == other": False,
    "same = flag and one == other": False,
    "same = one == other and flag": True,
    "if one == other: pass": True,
    "if flag and one == other: pass": True,
    "same = [one for one in many if one == other]": True,
    "same = not one == other": True,
    "same = 1 if flag else one == other": False,
}


@pytest.mark.parametrize("code, has", COMPARED.items(), ids=COMPARED)
def test_a_comparison_that_has_a_truth_value_is_told_from_one_that_is_handed_on(code: str, has: bool) -> None:
    document = Document("program.py", code)
    (comparison,) = (node for node in ast.walk(document.tree) if isinstance(node, ast.Compare))
    assert has_truth(comparison, document.parents) == has


STRANGERS = {
    "an item": "jnp.zeros((3, 2), jnp.uint32).at[1].set(tools.make())[1]",
    "an item of a dictionary": "jnp.zeros((3, 2), jnp.uint32).at[1].set(tools.TABLE['rng'])[1]",
    "a choice": "jnp.where(True, jax.random.PRNGKey(1), tools.make())",
}
FRIENDS = {
    "a condition": "jnp.where(tools.is_done(), jax.random.PRNGKey(1), jax.random.PRNGKey(2))",
    "numbers beside functions": "jnp.where(True, jax.random.PRNGKey(1), jnp.asarray([jnp.sin, 3][tools.number()]))",
    "an index": "jax.random.split(jax.random.PRNGKey(1), 3)[tools.number()]",
}


@pytest.mark.parametrize("made", STRANGERS.values(), ids=STRANGERS)
def test_a_key_that_meets_what_an_unknown_library_gives_is_held_back(made: str) -> None:
    migration = migrated(("program.py", f"{HEAD}import tools\n\nprint(random.normal({made}))\n"))
    assert migration.held and not migration.free


def test_what_an_unknown_library_gives_is_seen_beside_keys_that_are_made_of_seeds() -> None:
    """A function that makes keys of seeds returns what is no seed, so that its result may be either."""
    body = """\
import tools

def as_key(seed):
    return jax.random.PRNGKey(seed) if isinstance(seed, int) else seed

keys = jnp.zeros((3, 2), jnp.uint32).at[1].set(as_key(tools.TABLE["rng"]))
print(random.normal(as_key(9)), random.normal(keys[1]))
"""
    migration = migrated(("program.py", HEAD + body))
    assert len(migration.held) == 2 and not migration.free


@pytest.mark.parametrize("made", FRIENDS.values(), ids=FRIENDS)
def test_an_unknown_library_may_say_which_key_is_taken(made: str) -> None:
    migration = migrated(("program.py", f"{HEAD}import tools\n\nprint(random.normal({made}))\n"))
    assert migration.free and not migration.held


@pytest.mark.parametrize(
    "code, is_left",
    {"make = getattr(jax.random, 'PRNGKey')": True, "setattr(jax.random, 'PRNGKey', jax.random.key)": False}.items(),
)
def test_portable_code_may_replace_the_constructor_by_its_name(code: str, is_left: bool) -> None:
    migration = migrate([Text("program.py", Settings(), f"{HEAD}{code}\n")], Target("portable"))
    assert bool(migration.left["program.py"]) == is_left  # the keys of one that is read are not followed
