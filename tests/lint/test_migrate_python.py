"""Ways of Python by which keys come to a place that uses their words: the migration announces that place."""

from __future__ import annotations

import pytest
from migrated import FAILED, is_told, numbers

from olympus_codemods.target import Target
from olympus_lint.migration.migration import Migration
from olympus_lint.migration.project import migrate
from olympus_lint.migration.text import Text
from olympus_lint.project.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax.random import PRNGKey, split, normal, fold_in
out = []
"""
LOST = {
    "words among starred trees": """
trees = [{"k": PRNGKey(1)}, {"k": jnp.zeros(2, jnp.uint32)}]
out.append(jax.tree.map(lambda a, b: jnp.where(True, a, b), *trees)["k"])
""",
    "axes of a dictionary of arguments": """
def f(s): return s["k"].sum() + s["x"].sum()
out.append(jax.vmap(f, in_axes=({"k": 1, "x": 1},))({"k": split(PRNGKey(0), 3), "x": jnp.ones((3, 2))}))
""",
    "the setter of a property": """
class C:
    @property
    def key(self): return self._key
    @key.setter
    def key(self, value): self._key = value[0]
c = C(); c.key = PRNGKey(1); out.append(c._key)
""",
    "a descriptor": """
class D:
    def __get__(self, obj, cls=None): return PRNGKey(obj.n)
class C:
    key = D()
    def __init__(self, n): self.n = n
out.append(C(1).key[0])
""",
    "a subclass of a wrapper": """
class W:
    def __init__(self, inner): self._inner = inner
    def __getattr__(self, name): return getattr(self._inner, name)
class V(W):
    def twice(self): return self.key[0] * 2
class S:
    def __init__(self, key): self.key = key
out.append(V(S(PRNGKey(1))).twice())
""",
    "a wrapper of a wrapper": """
class W:
    def __init__(self, inner): self._inner = inner
    def __getattr__(self, name): return getattr(self._inner, name)
class S:
    def __init__(self, key): self.key = key
out.append(W(W(S(PRNGKey(1)))).key[0])
""",
    "a dictionary in a dictionary in an attribute": """
class S:
    def __init__(self, key):
        self.table = {"a": {"b": key}}
    def low(self): return self.table["a"]["b"][1]
out.append(S(PRNGKey(1)).low())
""",
    "a tuple that a generator returns": """
def g():
    yield 1
    return PRNGKey(1), 3
def h():
    k, n = yield from g()
    yield k[0] * n
out.append(list(h()))
""",
    "a pattern of positions": """
class S:
    __match_args__ = ("key",)
    def __init__(self, key): self.key = key
def f(d):
    match d:
        case S(k):
            return k[1]
out.append(f(S(PRNGKey(1))))
""",
    "a guard": """
def f(d):
    match d:
        case {"key": k} if k[1] > 0:
            return normal(k)
        case _:
            return 0
out.append(f({"key": PRNGKey(1)}))
""",
    "a pattern of several": """
def f(d):
    match d:
        case ("draw", {"key": k}) | ("peek", {"rng": k}):
            return k[1]
out.append(f(("peek", {"rng": PRNGKey(1)})))
""",
    "nested patterns": """
def f(d):
    match d:
        case {"state": {"key": k, "n": n}}:
            return k[0] * n
out.append(f({"state": {"key": PRNGKey(1), "n": 2}}))
""",
    "a function that compares keys": """
best = max([(1, PRNGKey(1)), (2, PRNGKey(2))], key=lambda p: int(p[1][1]))
out.append(normal(best[1]))
""",
    "an operand": """
class Log:
    def __iadd__(self, key):
        out.append(key[1])
        return self
log = Log()
log += PRNGKey(1)
""",
    "in_axes nested tuple": """
def f(s): return s[0] * s[1].sum()
out.append(jax.vmap(f, in_axes=((0, -1),))((jnp.arange(2), split(PRNGKey(0), 3))))
""",
    "tee": """
import itertools
def f(key):
    a, b = itertools.tee([key, key])
    return [k[0] for k in a]
out.append(f(PRNGKey(1)))
""",
    "repeat": """
import itertools
def f(key):
    return [k[0] for k in itertools.repeat(key, 2)]
out.append(f(PRNGKey(1)))
""",
    "repeat next": """
import itertools
def f(key):
    return next(itertools.repeat(key))[1]
out.append(f(PRNGKey(1)))
""",
    "accumulate": """
import itertools
def f(key):
    return [k[0] for k in itertools.accumulate(range(3), fold_in, initial=key)]
out.append(f(PRNGKey(1)))
""",
    "accumulate lambda": """
import itertools
def f(key):
    return [k[0] for k in itertools.accumulate([1,2,3], lambda k, i: fold_in(k, i), initial=key)]
out.append(f(PRNGKey(1)))
""",
    "accumulate inner": """
import itertools
def f(key):
    return [k for k in itertools.accumulate([key,key], lambda a, b: a + b[0])]
out.append(f(PRNGKey(1)))
""",
    "groupby": """
import itertools
def f(key):
    return [k[1] for _, g in itertools.groupby([(0, key), (1, key)], key=lambda p: p[0]) for _, k in g]
out.append(f(PRNGKey(1)))
""",
    "groupby list": """
import itertools
def f(keys):
    return [[k[0] for k in g] for _, g in itertools.groupby(keys, key=lambda p: 1)]
out.append(f([PRNGKey(1), PRNGKey(2)]))
""",
    "groupby by key": """
import itertools
def f(keys):
    return [len(list(g)) for _, g in itertools.groupby(keys, key=lambda p: int(p[0]))]
out.append(f([PRNGKey(1), PRNGKey(2)]))
""",
    "match dict": """
def f(d):
    match d:
        case {"key": k}:
            return k[0]
out.append(f({"key": PRNGKey(1)}))
""",
    "match dict rest": """
def f(d):
    match d:
        case {"a": 1, **rest}:
            return rest["key"][0]
out.append(f({"a": 1, "key": PRNGKey(1)}))
""",
    "match seq": """
def f(d):
    match d:
        case [a, k]:
            return k[0]
        case [a, *ks]:
            return ks[0][0]
out.append(f([1, PRNGKey(1)]))
out.append(f([1, PRNGKey(1), PRNGKey(2)]))
""",
    "match class": """
import dataclasses
@dataclasses.dataclass
class S:
    key: object
    n: int
def f(d):
    match d:
        case S(key=k):
            return k[0]
out.append(f(S(PRNGKey(1), 3)))
""",
    "match class positional": """
import dataclasses
@dataclasses.dataclass
class S:
    key: object
    n: int
def f(d):
    match d:
        case S(k, n):
            return k[0]
out.append(f(S(PRNGKey(1), 3)))
""",
    "match or": """
def f(d):
    match d:
        case {"a": k} | {"b": k}:
            return k[0]
out.append(f({"b": PRNGKey(1)}))
""",
    "getattr wraps": """
class W:
    def __init__(self, inner): self._inner = inner
    def __getattr__(self, name): return getattr(self._inner, name)
class S:
    def __init__(self, key): self.key = key
out.append(W(S(PRNGKey(1))).key[0])
""",
    "executor map": """
from concurrent.futures import ThreadPoolExecutor
keys = split(PRNGKey(1), 3)
with ThreadPoolExecutor() as ex:
    out.append(list(ex.map(lambda k: k[0], keys)))
""",
    "getattr dict item": """
class Cfg:
    def __init__(self, **kw): self._d = kw
    def __getattr__(self, name):
        try:
            return self._d[name]
        except KeyError:
            raise AttributeError(name)
out.append(Cfg(key=PRNGKey(1)).key[0])
""",
    "sorted key": """
out.append(sorted([PRNGKey(1), PRNGKey(2)], key=lambda k: int(k[1])))
""",
    "max key": """
out.append(max([PRNGKey(1), PRNGKey(2)], key=lambda k: int(k[1])))
""",
    "sort method": """
ks = [PRNGKey(1), PRNGKey(2)]
ks.sort(key=lambda k: int(k[1]))
out.append(ks)
""",
    "ifexp": """
def f(a, b, c):
    return (a if c else b)[0]
out.append(f(PRNGKey(1), PRNGKey(2), 1))
""",
    "setitem": """
class C:
    def __init__(self): self.d = {}
    def __setitem__(self, n, v): self.d[n] = v[0]
c = C()
c["a"] = PRNGKey(1)
out.append(c.d["a"])
""",
    "getitem index": """
class C:
    def __getitem__(self, key): return key[0]
out.append(C()[PRNGKey(1)])
""",
    "exitstack": """
import contextlib
@contextlib.contextmanager
def cm(key):
    yield key
with contextlib.ExitStack() as s:
    k = s.enter_context(cm(PRNGKey(1)))
    out.append(k[0])
""",
    "compress": """
import itertools
out.append([a[0] for a in itertools.compress([PRNGKey(1), PRNGKey(2)], [1, 0])])
""",
    "filterfalse": """
import itertools
out.append([a for a in itertools.filterfalse(lambda k: int(k[1]) == 1, [PRNGKey(1), PRNGKey(2)])])
""",
    "takewhile": """
import itertools
out.append([a for a in itertools.takewhile(lambda k: int(k[1]) == 1, [PRNGKey(1), PRNGKey(2)])])
""",
    "iter sentinel": """
ks = [PRNGKey(1), PRNGKey(2), None]
out.append([k[0] for k in iter(lambda: ks.pop(0), None)])
""",
    "fromkeys": """
d = dict.fromkeys(["a", "b"], PRNGKey(1))
out.append(d["b"][0])
""",
    "types ns": """
import types
v = types.SimpleNamespace(k=PRNGKey(1)); out.append(v.k[0])
""",
    "global dict via globals": """
KEY = PRNGKey(1)
out.append(globals()["KEY"][0])
""",
    "generator return yield from": """
def g():
    yield 1
    return PRNGKey(1)
def h():
    k = yield from g()
    yield k[0]
out.append(list(h()))
""",
    "list in attr": """
class C:
    def __init__(self, key): self.d = [key, 1]
    def f(self): return self.d[0][0]
out.append(C(PRNGKey(1)).f())
""",
    "dict of list in attr": """
class C:
    def __init__(self, key): self.d = {"a": [key, 3]}
    def f(self): return self.d["a"][0][1]
out.append(C(PRNGKey(1)).f())
""",
    "module attribute dict": """
class C:
    table = {"k": PRNGKey(1)}
out.append(C.table["k"][0])
""",
    "dict attr appended": """
class C:
    def __init__(self): self.d = {}
    def put(self, n, k): self.d[n] = k
    def get(self, n): return self.d[n][0]
c = C(); c.put("a", PRNGKey(1)); out.append(c.get("a"))
""",
    "list attr appended": """
class C:
    def __init__(self): self.d = []
    def put(self, k): self.d.append(k)
    def get(self): return self.d[-1][0]
c = C(); c.put(PRNGKey(1)); out.append(c.get())
""",
}
"""Programs that read words of keys, and raise an error with typed ones."""
BESIDE = {
    "a subscript beside a conversion": """
def f(c, key): return [np.asarray(key).tolist(), c["x"][1]]
out.append(f({"x": PRNGKey(2), "b": 3}, PRNGKey(1)))
""",
    "a subscript beside a method": """
def f(c, key): return [key.tolist(), c["x"][1]]
out.append(f({"x": PRNGKey(2), "b": 3}, PRNGKey(1)))
""",
}
"""Programs with two such places in one row."""
FINE = {
    "a starred list of keys": """
keys = [PRNGKey(1), PRNGKey(2)]
out.append(jax.vmap(normal)(jnp.stack([*keys])))
more = [*split(PRNGKey(3), 2), PRNGKey(4)]
out.append(jax.vmap(normal)(jnp.stack(more)))
""",
    "keys and numbers in where": """
keys = split(PRNGKey(0), 3)
a, b = PRNGKey(1), PRNGKey(2)
out.append(normal(jnp.where(True, a, b)))
x = jnp.where(jnp.ones(3) > 0, 1.0, 0)
out.append(x)
""",
    "the second axis of a batch": """
def f(s): return normal(s[0][0]) + s[1].sum()
keys = split(PRNGKey(0), (4, 3))
out.append(jax.vmap(f, in_axes=((1, 0),))((keys, jnp.ones((3, 2)))))
""",
    "axes of other arguments": """
def f(s): return normal(s["k"]) + s["x"].sum()
out.append(jax.vmap(f, in_axes=({"k": 0, "x": 1},))({"k": split(PRNGKey(0), 3), "x": jnp.ones((2, 3))}))
""",
    "axes of other results": """
def f(i):
    key = fold_in(PRNGKey(0), i)
    return {"x": normal(key, (2,)), "k": key}
out.append(jax.vmap(f, out_axes={"x": 1, "k": 0})(jnp.arange(3))["x"])
""",
    "a dictionary with attributes": """
class AttrDict(dict):
    def __getattr__(self, name): return self[name]
d = AttrDict(key=PRNGKey(1), shape=[3])
out.append(normal(d.key, (d.shape[0],)))
""",
    "a partial method": """
import functools
class C:
    def draw(self, key, n, *, scale=1): return normal(key, (n,)) * scale
    twice = functools.partialmethod(draw, scale=2)
out.append(C().twice(PRNGKey(1), 3)[0])
""",
    "variables by their names": """
k1 = PRNGKey(1)
n1 = [3]
out.append(normal(globals()["k1"], (globals()["n1"][0],)))
""",
    "properties of a key and a list": """
class C:
    def __init__(self, key): self._key, self._n = key, [3]
    key = property(lambda self: self._key)
    n = property(lambda self: self._n)
c = C(PRNGKey(1)); out.append(normal(c.key, (c.n[0],)))
""",
    "a wrapper with another attribute": """
class W:
    def __init__(self, inner): self._inner = inner
    def __getattr__(self, name):
        if name.startswith("_"): raise AttributeError(name)
        return getattr(self._inner, name)
class S:
    def __init__(self, key): self.key, self.shape = key, (3, 4)
w = W(S(PRNGKey(1)))
out.append(normal(w.key, (w.shape[0],)))
""",
    "a queue of pairs in an attribute": """
import collections
class S:
    def __init__(self): self.q = collections.deque(maxlen=3)
s = S(); s.q.append((PRNGKey(1), 3)); k, n = s.q.popleft(); out.append(normal(k, (n,)))
""",
    "a namespace of lists": """
import types
ns = types.SimpleNamespace(keys=[PRNGKey(1)], shape=[3])
out.append(normal(ns.keys[0], (ns.shape[0],)))
""",
    "attributes of one name with other axes": """
class A:
    def __init__(self, key): self.keys = [key]
class B:
    def __init__(self, key): self.keys = split(key, 3)
for s in (A(PRNGKey(1)), B(PRNGKey(2))):
    out.append(normal(s.keys[0]))
""",
    "a list in a dataclass that is a tree": """
import dataclasses
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class S:
    keys: list
s = S([split(PRNGKey(1), 3)])
out.append([normal(k) for k in s.keys[0]])
""",
    "lists and dictionaries in attributes": """
class S:
    def __init__(self, key, n):
        self.keys = [k for k in split(key, n)]
        self.table = {"a": [split(key, 2), 3]}
    def draw(self): return normal(self.keys[0]), normal(self.table["a"][0][1])
out.append(S(PRNGKey(1), 3).draw())
""",
    "a generator that is sent numbers": """
def g():
    k = PRNGKey(0)
    while True:
        n = yield normal(k)
        k = fold_in(k, n)
c = g(); next(c); out.append(c.send(3))
""",
    "an attribute of an exception": """
class E(Exception):
    def __init__(self, key, n):
        super().__init__(f"at {n}")
        self.key, self.n = key, n
try: raise E(PRNGKey(1), 2)
except E as e: out.append(normal(e.key, (e.n,)))
""",
    "patterns of several types": """
def f(d):
    match d:
        case (k, int(n)) | [int(n), k]:
            return normal(k, (n,))
out.append(f((PRNGKey(1), 2)))
""",
    "a pattern of a shape": """
def f(d):
    match d:
        case {"key": k, "shape": [n, *rest]}:
            return normal(k, (n, *rest))
out.append(f({"key": PRNGKey(1), "shape": [2, 3]}))
""",
    "numbers of a pool": """
from multiprocessing.pool import ThreadPool
def f(k, n): return normal(k, (n,))
with ThreadPool(2) as p:
    out.append(p.apply_async(f, (PRNGKey(1), 2)).get()[0])
    out.append(p.starmap(f, [(PRNGKey(1), 2), (PRNGKey(2), 3)])[0][0])
""",
    "pairs of an iterator": """
import itertools
for a, b in itertools.pairwise([PRNGKey(i) for i in range(3)]):
    out.append(normal(a) + normal(b))
""",
    "a future of numbers": """
from concurrent.futures import ThreadPoolExecutor
def draw(k, n): return normal(k, (n,))
with ThreadPoolExecutor() as ex:
    fs = [ex.submit(draw, k, 3) for k in split(PRNGKey(1), 3)]
    for f in fs: out.append(f.result()[0])
""",
    "a function that compares numbers": """
best = max([(1, PRNGKey(1)), (2, PRNGKey(2))], key=lambda p: p[0])
out.append(normal(best[1]))
""",
    "a method that sets attributes": """
class State:
    def __init__(self, key): self.key, self.sizes = key, [3, 4]
    def __setattr__(self, name, value): object.__setattr__(self, name, value)
state = State(PRNGKey(1))
out.append(normal(state.key, (state.sizes[0],)))
""",
    "elements of an iterator": """
import itertools
out.append([normal(k) for k in itertools.chain(itertools.repeat(PRNGKey(1), 2), [PRNGKey(2)])])
""",
    "an operator of an object": """
class Stream:
    def __init__(self, key): self.key = key
    def __add__(self, n): return fold_in(self.key, n)
out.append(normal(Stream(PRNGKey(1)) + 1))
""",
    "a future": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
    out.append(pool.submit(normal, PRNGKey(1)).result())
    out.append(list(pool.map(lambda k: normal(k, (3,))[0], [PRNGKey(1), PRNGKey(2)])))
""",
    "a pattern": """
def f(state):
    match state:
        case {"rng": key, **rest}:
            return normal(key) + rest["x"][0]
out.append(f({"rng": PRNGKey(1), "x": jnp.ones(3)}))
""",
    "a wrapper": """
class Wrapper:
    def __init__(self, inner): self.inner = inner
    def __getattr__(self, name): return getattr(self.inner, name)
class State:
    def __init__(self, key): self.key, self.x = key, jnp.ones(3)
state = Wrapper(State(PRNGKey(1)))
out.append(normal(state.key) + state.x[0])
""",
    "axes of results": """
def f(i):
    key = fold_in(PRNGKey(0), i)
    return normal(key, (2,)), split(key)
out.append(jax.vmap(f, out_axes=(-1, 1))(jnp.arange(3))[1])
""",
    "a list in an attribute": """
class State:
    def __init__(self, key): self.keys, self.sizes = list(split(key)), [3, 4]
    def draw(self): return normal(self.keys[0], (self.sizes[0],))
out.append(State(PRNGKey(1)).draw())
""",
}
"""Programs that only draw with their keys."""


def migrated(code: str, *, strict: bool = True) -> Migration:
    return migrate([Text("program.py", Settings(), HEAD + code)], Target("typed"), strict=strict)


FOLLOWED = ("a descriptor", "getattr dict item", "global dict via globals")
"""Programs whose reads the key flow sees, so that they are rewritten."""


@pytest.mark.parametrize("name", FOLLOWED)
def test_reads_that_are_followed_are_rewritten(name: str) -> None:
    migration = migrated(LOST[name])
    assert migration.free and not migration.held
    pytest.importorskip("jax", reason="the programs are executed")
    (text,) = migration.changed
    assert "key_data" in text.new
    assert (
        numbers(text.new + "result = out\n", typed=False) == numbers(text.old + "result = out\n", typed=False) != FAILED
    )


@pytest.mark.parametrize("name", [name for name in LOST if name not in FOLLOWED])
def test_what_reads_words_holds_back_the_keys(name: str) -> None:
    migration = migrated(LOST[name])
    assert is_told(migration)
    assert not (migration.held and migration.free)


@pytest.mark.parametrize("name", BESIDE)
def test_a_report_does_not_hide_another_place_of_its_row(name: str) -> None:
    assert is_told(migrated(BESIDE[name]))


@pytest.mark.parametrize("name", FINE)
def test_what_draws_holds_nothing_back(name: str) -> None:
    migration = migrated(FINE[name], strict=False)
    assert migration.free
    assert not migration.held
