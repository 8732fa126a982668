# ruff: noqa: E501 (a part is a line of a table)
"""Random projects in the style of raw keys: constructors, ways for keys to go, and places that typed keys break.

A project is made of *strands*. A strand makes a key (``PRODUCERS``, ``SOURCES``), hands it on through functions,
objects, containers and transformations of one or several files (``CARRIERS``, ``OBJECTS``, ``CONVERSIONS``,
``PARTNERS``), and ends where something is done with it (``PLACES``, ``SINKS``): a place that typed keys do not survive,
or one that looks alike and is right. What a strand computes goes to a list named ``out``, after the title of the
strand. Some strands meet others, as in ``jnp.where``.

Each part is text with ``$`` names: ``$e`` the key, ``$d`` another one of its kind, ``$v`` a new variable, ``$n`` a new
number, ``$f`` how a definition named ``f$n`` is spelled at the place, ``$w`` the words of a raw key, ``$literal`` a raw
key as a list, ``$c`` the length of a key array, and the functions of ``jax.random`` as the file spells them. Parts that
make an object have further names for its other values, see `others_of`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from string import Template
from typing import NamedTuple

from .legacy_parts import CONTAINERS, CONVERSIONS, FIELD_NAMES, FIELDS, OBJECTS, PARTNERS, SINKS, SOURCES, TREES, Part
from .legacy_uses import ARRAY_SINKS, USES
from .programs import KEY_NAMES

__all__ = ["Legacy", "write_legacy"]

FUNCTIONS = ("PRNGKey", "split", "fold_in", "normal", "uniform", "bits", "permutation")
STYLES = [
    ("import jax", "jax.random.{}"),
    ("import jax\nfrom jax import random", "random.{}"),
    ("import jax\nimport jax.random as jr", "jr.{}"),
    ("import jax\nfrom jax import random as jrandom", "jrandom.{}"),
    (f"import jax\nfrom jax.random import {', '.join(FUNCTIONS)}", "{}"),
    ("import jax\nfrom jax.random import " + ", ".join(f"{name} as j_{name}" for name in FUNCTIONS), "j_{}"),
]
HEAD = (
    "import jax.numpy as jnp\nimport numpy as np\nfrom jax.experimental import io_callback\n"
    "from jax.flatten_util import ravel_pytree\n"
)


PRODUCERS = [
    Part("", "key", "$v = $PRNGKey($n)", "$v"),
    Part("", "key", "$v = $PRNGKey($n)  # the seed is fixed", "$v"),
    Part("", "key", "$v = $PRNGKey(\n    $n,\n)", "$v"),
    Part("", "key", "$v = $PRNGKey(seed=$n)", "$v"),
    Part("", "key", "make$n = $PRNGKey\n$v = make$n($n)", "$v"),
    Part("", "key", "$v = functools.partial($PRNGKey, $n)()", "$v"),
    Part("", "key", "$v = list(map($PRNGKey, range(2)))[1]", "$v"),
    Part("", "key", "$v = jax.jit(lambda seed: $PRNGKey(seed))($n)", "$v"),
    Part("", "key", "$v = $f($n)", "$v", "def f$n(seed, make=$PRNGKey):\n    return make(seed)"),
    Part("", "key", "$v = $f.key", "$v", "class f$n:\n    key = $PRNGKey($n)"),
    Part("", "key", "$v = $f", "$v", "f$n = $PRNGKey($n)"),
    Part("", "key", "$v = $f()", "$v", "def f$n(seed=$n):\n    return $PRNGKey(seed)"),
    Part("", "key", "$v = $f['key'](5)", "$v", "f$n = {'key': $PRNGKey, 'seed': int}"),
    Part("", "key", "$v, sub$n = $split($PRNGKey($n))", "$v"),
    Part("", "array", "$v = jax.vmap($PRNGKey)(jnp.arange($c))", "$v"),
    Part("", "array", "$v = jnp.stack([$PRNGKey(i) for i in range($c)])", "$v"),
    Part("", "array", "$v = $split($PRNGKey($n), $c)", "$v"),
    Part("", "array", "$v = jnp.array([$PRNGKey(i) for i in range($c)])", "$v"),
]

CARRIERS = [
    Part("any", "any", "$v = $e", "$v"),
    Part("any", "any", "$v = [$e]", "$v[0]"),
    Part("any", "any", "$v = {'rng': $e, 'step': 3}", "$v['rng']"),
    Part("any", "any", "$v = (0.5, $e)", "$v[1]"),
    Part("any", "any", "_, $v = (0.5, $e)", "$v"),
    Part("any", "any", "_, ($v, _) = (0.5, ($e, 2))", "$v"),
    Part("any", "any", "box$n = {}\nbox$n['key'] = $e\n$v = box$n.get('key')", "$v"),
    Part("any", "any", "box$n = []\nbox$n.append($e)\n$v = box$n.pop()", "$v"),
    Part("any", "any", "$v = next(iter([$e]))", "$v"),
    Part("any", "any", "for $v in [$e]:\n    pass", "$v"),
    Part("any", "any", "for _, $v in enumerate([$e]):\n    pass", "$v"),
    Part("any", "any", "for $v, _ in zip([$e], range(3)):\n    pass", "$v"),
    Part("any", "any", "for _, $v in {'rng': $e}.items():\n    pass", "$v"),
    Part("any", "any", "$v = [k for k in [$e]][0]", "$v"),
    Part("any", "any", "$v = {name: k for name, k in [('rng', $e)]}['rng']", "$v"),
    Part("any", "any", "$v = copy.copy($e)", "$v"),
    Part("any", "any", "$v = types.SimpleNamespace(rng=$e)", "$v.rng"),
    Part("any", "any", "if ($v := $e) is None:\n    raise ValueError", "$v"),
    Part("any", "any", "$v = $e if len(out) >= 0 else None", "$v"),
    Part("any", "any", "try:\n    $v = $e\nfinally:\n    pass", "$v"),
    Part("any", "any", "$v = collections.deque([$e])\n$v.rotate(1)", "$v[0]"),
    Part("any", "any", "$v = jax.device_put($e)", "$v"),
    Part("any", "any", "$v = jnp.asarray($e)", "$v"),
    Part("any", "any", "$v = jax.tree.map(lambda k: k, {'rng': $e})", "$v['rng']"),
    Part("any", "any", "$v = jax.tree.leaves([$e])", "$v[0]"),
    Part("any", "any", "$v = jax.jit(lambda k: k)($e)", "$v"),
    Part("any", "any", "$v = (lambda rng: rng)($e)", "$v"),
    Part("any", "any", "$v = functools.partial(lambda a, rng: rng, 1)($e)", "$v"),
    Part("any", "any", "$v = functools.partial(lambda rng, a: rng, $e)(1)", "$v"),
    Part("any", "any", "$v = jax.lax.cond(len(out) >= 0, lambda k: k, lambda k: k, $e)", "$v"),
    Part("any", "any", "$v = jax.lax.fori_loop(0, 2, lambda i, k: k, $e)", "$v"),
    Part("any", "any", "$v, _ = jax.lax.scan(lambda k, _: (k, 0.0), $e, None, length=2)", "$v"),
    Part("any", "any", "_, $v = jax.lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1]), (0, $e))", "$v"),
    Part("any", "any", "$v = [*[$e], 1]", "$v[0]"),
    Part("any", "any", "$v = dict(rng=$e)", "$v['rng']"),
    Part("any", "any", "$v = dict([('rng', $e)])", "$v['rng']"),
    Part("any", "any", "$v = {**{'rng': $e}, 'n': 2}", "$v['rng']"),
    Part("any", "any", "def inner$n():\n    return $e", "inner$n()"),
    Part("any", "any", "def inner$n(rng=$e):\n    return rng", "inner$n()"),
    Part("any", "any", "def inner$n():\n    yield $e", "next(inner$n())"),
    Part("any", "any", "for $v in (k for k in [$e]):\n    pass", "$v"),
    Part("any", "any", "$v = $f($e)", "$v", "def f$n(rng):\n    return rng"),
    Part("any", "any", "$v = $f(rng=$e, n=2)", "$v", "def f$n(n, *, rng):\n    return rng"),
    Part("any", "any", "$v = $f(1, $e)", "$v", "def f$n(*args):\n    return args[1]"),
    Part("any", "any", "$v = $f(rng=$e)", "$v", "def f$n(**options):\n    return options['rng']"),
    Part("any", "any", "$v = $f(*[1, $e])", "$v", "def f$n(n, rng):\n    return rng"),
    Part("any", "any", "$v = $f(**{'n': 1, 'rng': $e})", "$v", "def f$n(n, rng):\n    return rng"),
    Part("any", "any", "$v, _ = $f($e)", "$v", "def f$n(rng):\n    return rng, 0"),
    Part("any", "any", "$v = $f($e)()", "$v", "def f$n(rng):\n    def give():\n        return rng\n\n    return give"),
    Part("any", "any", "$v = $f($e)(2)", "$v", "def f$n(rng):\n    return lambda n: rng"),
    Part("any", "any", "$v = $f([$e])", "$v", "def f$n(keys):\n    for key in keys:\n        return key"),
    Part("any", "any", "$v = $f({'rng': $e})", "$v", "def f$n(state):\n    return state['rng']"),
    Part("any", "any", "$v = next($f($e))", "$v", "def f$n(rng):\n    yield rng"),
    Part("any", "any", "for $v in $f($e):\n    pass", "$v", "def f$n(rng):\n    yield from [rng]"),
    Part("any", "any", "$v = $f($e)", "$v", "@jax.jit\ndef f$n(rng):\n    return rng"),
    Part("any", "any", "$v = $f($e, 1)", "$v", "@functools.partial(jax.jit, static_argnums=1)\ndef f$n(rng, n):\n    return rng"),
    Part("any", "any", "$v = $f($e)", "$v", "@functools.lru_cache\ndef g$n():\n    return lambda rng: rng\n\n\ndef f$n(rng):\n    return g$n()(rng)"),
    Part(
        "any", "any", "$v = $f($e)", "$v",
        "def d$n(function):\n    @functools.wraps(function)\n    def wrapper(*args, **options):\n"
        "        return function(*args, **options)\n\n    return wrapper\n\n\n@d$n\ndef f$n(rng):\n    return rng",
    ),
    Part(
        "any", "any", "with $f($e) as $v:\n    pass", "$v",
        "@contextlib.contextmanager\ndef f$n(rng):\n    yield rng",
    ),
    Part("any", "any", "$v = $f($e)", "$v.rng", "class f$n:\n    def __init__(self, rng):\n        self.rng = rng"),
    Part("any", "any", "$v = $f($e)", "$v.give()", "class f$n:\n    def __init__(self, rng):\n        self.rng = rng\n\n    def give(self):\n        return self.rng"),
    Part("any", "any", "$v = $f($e)", "$v.key", "class f$n:\n    def __init__(self, rng):\n        self._rng = rng\n\n    @property\n    def key(self):\n        return self._rng"),
    Part("any", "any", "$v = $f()\n$v.rng = $e", "$v.rng", "class f$n:\n    rng = None"),
    Part("any", "any", "$v = $f()\nsetattr($v, 'rng', $e)", "getattr($v, 'rng')", "class f$n:\n    rng = None"),
    Part("any", "any", "$v = $f($e)", "$v.rng", "@dataclasses.dataclass\nclass f$n:\n    rng: jax.Array\n    n: int = 0"),
    Part("any", "any", "$v = dataclasses.replace($f(None), rng=$e)", "$v.rng", "@dataclasses.dataclass\nclass f$n:\n    rng: jax.Array"),
    Part("any", "any", "$v = $f(1, $e)", "$v.rng", "class f$n(NamedTuple):\n    n: int\n    rng: jax.Array"),
    Part("any", "any", "_, $v = $f(1, $e)", "$v", "class f$n(NamedTuple):\n    n: int\n    rng: jax.Array"),
    Part("any", "any", "$v = $f(0, None)._replace(rng=$e)", "$v.rng", "class f$n(NamedTuple):\n    n: int\n    rng: jax.Array"),
    Part("any", "any", "$v = $f(1, $e)", "$v.rng", "f$n = collections.namedtuple('f$n', 'n rng')"),
    Part("any", "any", "$v = $f($e)", "$v.give()", "class b$n:\n    def __init__(self, rng):\n        self.rng = rng\n\n\nclass f$n(b$n):\n    def give(self):\n        return self.rng"),
    Part("any", "any", "$v = $f($e)", "$v.rng", "class b$n:\n    def __init__(self, rng):\n        self.rng = rng\n\n\nclass f$n(b$n):\n    def __init__(self, rng):\n        super().__init__(rng)"),
    Part("any", "any", "$v = $f($e)", "$v.give()", "class b$n:\n    def give(self):\n        return self.key()\n\n\nclass f$n(b$n):\n    def __init__(self, rng):\n        self.rng = rng\n\n    def key(self):\n        return self.rng"),
    Part("any", "any", "$v = $f()($e)", "$v", "class f$n:\n    def __call__(self, rng):\n        return rng"),
    Part("any", "any", "$v = $f.give($e)", "$v", "class f$n:\n    @staticmethod\n    def give(rng):\n        return rng"),
    Part("any", "any", "$v = $f.make($e).rng", "$v", "class f$n:\n    @classmethod\n    def make(cls, rng):\n        made = cls()\n        made.rng = rng\n        return made"),
    Part("any", "any", "$v = $f()\n$v['rng'] = $e", "$v['rng']", "class f$n(dict):\n    pass"),
    Part("any", "any", "$v = $f($e)[0]", "$v", "class f$n:\n    def __init__(self, rng):\n        self.rng = rng\n\n    def __getitem__(self, index):\n        return self.rng"),
    Part("any", "any", "for $v in $f($e):\n    pass", "$v", "class f$n:\n    def __init__(self, rng):\n        self.rng = rng\n\n    def __iter__(self):\n        yield self.rng"),
    Part("any", "any", "with $f($e) as $v:\n    pass", "$v", "class f$n:\n    def __init__(self, rng):\n        self.rng = rng\n\n    def __enter__(self):\n        return self.rng\n\n    def __exit__(self, *error):\n        pass"),
    Part("any", "any", "$f['rng'] = $e", "$f['rng']", "f$n = {}"),
    Part("any", "any", "$f.append($e)", "$f[0]", "f$n = []"),
    Part("any", "any", "$v = $f['take']($e)", "$v", "def g$n(rng):\n    return rng\n\n\nf$n = {'take': g$n}"),
    # from one kind to another
    Part("key", "key", "$v, sub$n = $split($e)", "sub$n"),
    Part("key", "key", "$v = $fold_in($e, 3)", "$v"),
    Part("key", "key", "$v = $split($e, 3)[1]", "$v"),
    Part("key", "array", "$v = $split($e, $c)", "$v"),
    Part("key", "array", "$v = $split($e, num=$c)", "$v"),
    Part("key", "array", "$v = jnp.stack([$fold_in($e, i) for i in range($c)])", "$v"),
    Part("key", "array", "$v = jax.vmap(lambda i: $fold_in($e, i))(jnp.arange($c))", "$v"),
    Part("key", "array", "$v = jax.vmap($fold_in, in_axes=(None, 0))($e, jnp.arange($c))", "$v"),
    Part("array", "key", "$v = $e[0]", "$v"),
    Part("array", "key", "$v = $e[-1]", "$v"),
    Part("array", "key", "$v, *_ = $e", "$v"),
    Part("array", "key", "for $v in $e:\n    pass", "$v"),
    Part("array", "array", "$v = $e[::-1]", "$v"),
    Part("array", "array", "$v = jax.vmap(lambda k: $fold_in(k, 1))($e)", "$v"),
    Part("array", "array", "$v = jax.lax.map(lambda k: $fold_in(k, 1), $e)", "$v"),
    Part("array", "array", "_, $v = jax.lax.scan(lambda n, k: (n, $split(k)[0]), 0, $e)", "$v"),
    Part("array", "array", "$v = jnp.take($e, jnp.arange($c), axis=0)", "$v"),
    Part("array", "array", "$v = jnp.roll($e, 1, axis=0)", "$v"),
    Part("array", "array", "$v = $f($e)", "$v", "@jax.vmap\ndef f$n(rng):\n    return $split(rng)[1]"),
]  # fmt: skip

PLACES = [
    # samplers
    Part("key", "", "out.append($normal($e))"),
    Part("key", "", "out.append($uniform($e, (2,)))"),
    Part("array", "", "out.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append(jax.vmap(lambda k: $normal(k, (2,)))($e))"),
    Part("array", "", "out.append(jax.vmap($normal)(jax.vmap($split)($e)[:, 0]))"),
    # shapes
    Part("key", "", "out.append(jnp.zeros($e.shape[:-1]))\nout.append($normal($e))"),
    Part("key", "", "out.append($e.ndim == 1)\nout.append($normal($e))"),
    Part("key", "", "out.append($e.shape == ($w,))\nout.append($normal($e))"),
    Part("key", "", "out.append($e.shape[-1] == $w)\nout.append($normal($e))"),
    Part("key", "", "out.append($e.size)\nout.append($normal($e))"),
    Part("key", "", "if $e.ndim == 1:\n    out.append($normal($e))\nelse:\n    out.append(jax.vmap($normal)($e))"),
    Part("key", "", "if len($e.shape) > 1:\n    out.append(jax.vmap($normal)($e))\nelse:\n    out.append($normal($e))"),
    Part("array", "", "out.append(jnp.zeros($e.shape[:-1]))\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append($e.shape[0])\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append(len($e))\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append($e.ndim == 2)\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append($e.ndim - 1)\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "rows$n, _ = $e.shape\nout.append(rows$n)\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append($e.shape == ($c, $w))\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append($e.size // $w)\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "assert $e.shape == ($c, $w)\nout.append(jax.vmap($normal)($e))"),
    # dtypes
    Part("key", "", "out.append($e.dtype == jnp.uint32)\nout.append($normal($e))"),
    Part("key", "", "out.append($e.dtype == np.uint32)\nout.append($normal($e))"),
    Part("key", "", "out.append(bool(jnp.issubdtype($e.dtype, jnp.integer)))\nout.append($normal($e))"),
    Part("key", "", "out.append($e.dtype.itemsize)\nout.append($normal($e))"),
    Part("key", "", "out.append($normal($e.astype(jnp.uint32)))"),
    Part("key", "", "out.append($normal(jnp.asarray($e, dtype=jnp.uint32)))"),
    # words
    Part("key", "", "out.append(np.asarray($e))\nout.append($normal($e))"),
    Part("key", "", "out.append(np.array($e).sum())\nout.append($normal($e))"),
    Part("key", "", "out.append($e.tolist())\nout.append($normal($e))"),
    Part("key", "", "out.append(np.random.RandomState(np.asarray($e)).rand(2))\nout.append($normal($e))"),
    Part("key", "", "out.append(np.random.default_rng(np.asarray($e)).random())\nout.append($normal($e))"),
    Part("key", "", "out.append($normal($e + 1))"),
    Part("key", "", "out.append($normal($e ^ jnp.uint32(5)))"),
    Part("key", "", "out.append($e.sum())\nout.append($normal($e))"),
    Part("key", "", "out.append(jnp.sum($e))\nout.append($normal($e))"),
    Part("key", "", "out.append(jnp.zeros_like($e))\nout.append($normal($e))"),
    Part("key", "", "out.append(list($e.tobytes()))\nout.append($normal($e))"),
    Part("key", "", "out.append(str($e))\nout.append($normal($e))"),
    Part("array", "", "out.append($e[..., 0])\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append(np.asarray($e))\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append($e.sum())\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append(np.unique($e, axis=0))\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "$v = np.asarray($e)\nout.append($normal($v[0]))"),
    # equality
    Part("key", "", "out.append(bool(($e == $d).all()))\nout.append($normal($e))"),
    Part("key", "", "out.append(np.array_equal($e, $d))\nout.append($normal($e))"),
    Part("key", "", "out.append(bool(jnp.array_equal($e, $d)))\nout.append($normal($e))"),
    Part("key", "", "np.testing.assert_array_equal($e, $e)\nout.append($normal($e))"),
    Part("array", "", "out.append(bool(jnp.all($e == $d)))\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append(($e == $d).all(axis=-1))\nout.append(jax.vmap($normal)($e))"),
    # layout
    Part("key", "", "$v = jnp.tile($e, (3, 1))\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = jnp.broadcast_to($e, (3, $w))\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = jnp.repeat($e[None], 3, axis=0)\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = jnp.stack([$e, $d])\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = jnp.vstack([$e, $d])\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = jnp.concatenate([$e[None], $d[None]])\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = jnp.concatenate([$e[None, :], $d[None, :]], axis=0)\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = jnp.array([$e, $d])\nout.append(jax.vmap($normal)($v))"),
    Part("key", "", "$v = $e.reshape(1, $w)\nout.append($normal($v[0]))"),
    Part("key", "", "$v = $e.reshape(1, -1)\nout.append($normal($v[0]))"),
    Part("key", "", "$v = jnp.where(len(out) >= 0, $e, $d)\nout.append($normal($v))"),
    Part("key", "", "$v = jnp.zeros((3, $w), jnp.uint32).at[1].set($e)\nout.append($normal($v[1]))"),
    Part("key", "", "$v = np.zeros((2, $w), np.uint32)\n$v[0] = $e\nout.append($normal($v[0]))"),
    Part("key", "", "out.append($split($e, 4).reshape(2, 2, $w).shape[0])"),
    Part("key", "", "$v = $split($e, 4).reshape(2, 2, $w)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("key", "", "$v = $split($e, 4).reshape((2, 2, -1))\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("key", "", "$v = $split($e, 4).reshape(-1, 2, $w)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("key", "", "$v = jnp.swapaxes($split($e, 6).reshape(2, 3, $w), 0, 1)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("key", "", "$v = $split($e, 6).reshape(2, 3, $w).transpose(1, 0, 2)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("key", "", "out.append(jax.eval_shape($normal, jax.ShapeDtypeStruct(($w,), jnp.uint32)).shape)\nout.append($normal($e))"),
    Part("array", "", "$v = jnp.where((jnp.arange($c) > 0)[:, None], $e, $d)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.where((jnp.arange($c) > 0)[..., None], $e, $d)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "mask$n = jnp.arange($c) > 0\n$v = jnp.where(mask$n[:, jnp.newaxis], $e, $d)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.where((jnp.arange($c) > 0).reshape(-1, 1), $e, $d)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.where(jnp.expand_dims(jnp.arange($c) > 0, -1), $e, $d)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = $e.reshape($c, 1, $w)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = $e.reshape($c, -1)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.reshape($e, (-1, $w))\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = $e.reshape((1, $c) + $e.shape[1:])\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = $e[None]\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = $e[:, None]\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = jnp.tile($e, (2, 1))\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.repeat($e, 2, axis=0)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.broadcast_to($e, (2, $c, $w))\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = jnp.concatenate([$e, $d])\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.concatenate([$e, $d], axis=-2)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.stack([$e, $d], axis=1)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = jnp.stack([$e, $d], axis=-2)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = jnp.moveaxis($e[None], -2, 0)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = jnp.take($e, 0, axis=-2)\nout.append($normal($v))"),
    Part("array", "", "$v = jnp.flip($e, axis=0)\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jax.vmap($split, out_axes=1)($e)\nout.append(jax.vmap(jax.vmap($normal))($v))"),
    Part("array", "", "$v = jax.lax.dynamic_slice($e, (1, 0), (1, $w))\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jax.lax.dynamic_index_in_dim($e, 1, 0, keepdims=False)\nout.append($normal($v))"),
    Part("array", "", "$v = $e.at[0].set($e[1])\nout.append(jax.vmap($normal)($v))"),
    Part("array", "", "$v = jnp.vectorize($normal, signature='(n)->()')($e)\nout.append($v)"),
    Part("array", "", "_, $v = jax.lax.scan(lambda n, k: (n + $normal(k), $uniform(k)), 0.0, $e)\nout.append($v)"),
    Part("array", "", "out.append(jax.vmap($normal)($permutation($e[0], $e)))"),
    Part("array", "", "for k$n in $e:\n    out.append($normal(k$n))"),
    Part("array", "", "out.append([$normal(k) for k in $e])"),
    Part("array", "", "a$n, b$n = $e[:2]\nout.append($normal(a$n))\nout.append($normal(b$n))"),
]  # fmt: skip

# Places that read words, which nothing but the number of axes tells from keys of an array.
WORDS = [
    Part("key", "", "out.append(len($e))\nout.append($normal($e))"),
    Part("key", "", "out.append(int($e[0]))\nout.append($normal($e))"),
    Part("key", "", "out.append($e[1] % 7)\nout.append($normal($e))"),
    Part("key", "", "out.append(np.random.RandomState(int($e[0])).rand(2))\nout.append($normal($e))"),
    Part("key", "", "out.append(np.random.RandomState($e[1]).rand(2))\nout.append($normal($e))"),
    Part("key", "", "out.append($normal($PRNGKey($e[0])))"),
    Part("key", "", "for word in $e:\n    out.append(word)\nout.append($normal($e))"),
    Part("array", "", "out.append($e[:, 0])\nout.append(jax.vmap($normal)($e))"),
    Part("array", "", "out.append($e[1, 0])\nout.append(jax.vmap($normal)($e))"),
]  # fmt: skip

MEETINGS = {
    "key": [
        "$v = jnp.where(len(out) > 0, $e, $d)",
        "$v = jnp.stack([$e, $d])[1]",
        "$v = jax.lax.cond(len(out) > 0, lambda: $e, lambda: $d)",
        "$v = jax.lax.cond(len(out) > 0, lambda a, b: a, lambda a, b: b, $e, $d)",
        "$v = jax.lax.switch(len(out) % 2, [lambda: $e, lambda: $d])",
        "$v = jax.lax.select(len(out) > 0, $e, $d)",
        "$v = jax.lax.fori_loop(0, 2, lambda i, k: $d, $e)",
        "$v, _ = jax.lax.scan(lambda k, _: ($d, 0.0), $e, None, length=2)",
        "$v = jax.lax.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, $d), (0, $e))[1]",
        "$v = jnp.concatenate([$e[None], $d[None]])[1]",
        "$v = jnp.array([$e, $d])[0]",
        "$v = $split($e, 3).at[0].set($d)[0]",
        "$v = $e if len(out) > 1 else $d",
        "$v = [$e, $d][len(out) % 2]",
        "$v = jax.tree.map(lambda a, b: jnp.where(len(out) > 0, a, b), [$e], [$d])[0]",
    ],
}


@dataclass(frozen=True)
class Legacy:
    """A project that runs with raw keys; its main module leaves its numbers in ``out``.

    Attributes:
        files: the text of each file by its path.
        words: the words of its raw keys, by which the implementation is known: two for threefry, four for rbg.
        roots: the folders on the search path.
        markers: the folders with a ``pyproject.toml``.
        main: the file that is run.
        titles: the place or sink of each strand, by the number of the strand.
        parts: all parts.
    """

    files: dict[str, str]
    words: int = 2
    roots: tuple[str, ...] = ("",)
    markers: tuple[str, ...] = ("",)
    main: str = "main.py"
    titles: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def has_raw_literals(self) -> bool:
        """Whether a strand starts with a raw key that no constructor made.

        JAX's flag for typed keys turns such a key into a typed one in ``split`` and ``fold_in``.
        """
        return any(part in SOURCES and "PRNGKey" not in f"{part.body}{part.definition}" for part in self.parts)

    def module(self, file: str) -> str:
        """Return the name that a file is imported by."""
        return module_of(file, self.roots)


def module_of(file: str, roots: tuple[str, ...]) -> str:
    """Return the name that a file is imported by, the shortest one if it lies under several roots."""
    under = [file.removeprefix(f"{root}/") for root in roots if not root or file.startswith(f"{root}/")]
    return min(under, key=len).removesuffix(".py").replace("/", ".").removesuffix(".__init__")


class Layout(NamedTuple):
    """Where the files of a project lie.

    Attributes:
        main: the file that is run.
        others: the files with definitions.
        roots: the folders on the search path.
        markers: the folders with a ``pyproject.toml``.
    """

    main: str = "main.py"
    others: tuple[str, ...] = ()
    roots: tuple[str, ...] = ("",)
    markers: tuple[str, ...] = ("",)


LAYOUTS = [
    *[Layout()] * 5,
    *[Layout(others=("tools.py",))] * 2,
    *[Layout(others=("pkg/tools.py",))] * 2,
    Layout("src/pkg/main.py", ("src/pkg/tools.py", "src/pkg/inner/parts.py"), ("src",)),
    Layout("tests/main.py", ("src/pkg/tools.py",), ("tests", "src")),
    Layout("tests/main.py", ("pkg/tools.py", "tests/helpers.py"), ("tests", "")),
    Layout("examples/main.py", ("examples/common.py", "pkg/tools.py"), ("examples", "")),
    Layout("scripts/main.py", ("a/src/pkg_a/tools.py", "b/pkg_b/tools.py"), ("scripts", "a/src", "b"), ("", "a", "b")),
    Layout("scripts/main.py", ("a/src/pkg_a/tools.py", "b/pkg_b/tools.py"), ("scripts", "a/src", "b"), ("a", "b")),
    Layout("b/pkg_b/main.py", ("a/src/pkg_a/tools.py", "b/pkg_b/tools.py"), ("b", "a/src"), ("a", "b")),
    Layout("b/tests/main.py", ("b/tests/common.py", "a/src/pkg_a/tools.py"), ("b/tests", "a/src", "b"), ("a", "b")),
]


@dataclass
class Subject:
    """What a strand has in its hands.

    Attributes:
        text: the expression.
        kind: its kind.
        count: the length of a key array.
        inner: for a container, the kind of its last value.
        field: the name of that.
        is_numeric: for a container, whether all of its values are arrays.
    """

    text: str
    kind: str
    count: str
    inner: str = ""
    field: str = ""
    is_numeric: bool = False


@dataclass
class LegacyWriter:
    """Writes a project."""

    rng: Random
    number: int = 0
    words: int = 2
    strands: int | None = None  # at random
    numeric: float = 0.5  # the share of containers that hold arrays only
    layout: Layout = LAYOUTS[0]
    styles: dict[str, tuple[str, str]] = field(default_factory=dict)
    definitions: dict[str, list[str]] = field(default_factory=dict)
    imports: dict[str, list[str]] = field(default_factory=dict)
    exported: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    @property
    def main(self) -> str:
        return self.layout.main

    def spelled(self, file: str) -> dict[str, str]:
        """Return how a file spells the functions of ``jax.random``."""
        if file not in self.styles:
            self.styles[file] = self.rng.choice(STYLES)
        return {name: self.styles[file][1].format(name) for name in FUNCTIONS}

    def variable(self) -> str:
        self.number += 1
        return f"{self.rng.choice(KEY_NAMES)}_{self.number}"

    def defined(self, name: str, text: str) -> str:
        """Put a definition into a file; return how the main module spells it."""
        elsewhere = self.layout.others and self.rng.random() < 0.6
        file = self.rng.choice(self.layout.others) if elsewhere else self.main
        self.definitions.setdefault(file, []).append(Template(text).safe_substitute(self.spelled(file)))
        if file == self.main:
            return name
        module, own = (module_of(each, self.layout.roots) for each in (file, self.main))
        imports = self.imports.setdefault(self.main, [])
        forms = ["import", "from", "as", "star"]
        forms += ["exported"] * (file == "pkg/tools.py")
        package, _, last = module.rpartition(".")
        forms += ["relative", "sibling"] * bool(package and own.rpartition(".")[0] == package)
        form = self.rng.choice(forms)
        if form == "import":
            imports.append(f"import {module}")
            return f"{module}.{name}"
        if form == "as":
            imports.append(f"import {module} as t{self.number}")
            return f"t{self.number}.{name}"
        if form == "sibling":
            imports.append(f"from . import {last}")
            return f"{last}.{name}"
        if form == "exported":
            self.exported.append(f"from .tools import {name}")
        source = {"exported": package, "relative": f".{last}"}.get(form, module)
        imports.append(f"from {source} import {'*' if form == 'star' else name}")
        return name

    def part(self, part: Part, *, numeric: bool = False, **given: str) -> tuple[list[str], str]:
        """Return the statements of a part and the expression that goes on."""
        self.number += 1
        self.parts.append(part)
        given |= {"n": str(self.number), "w": str(self.words), "v": self.variable()}
        given["literal"] = str([0, self.number] * (self.words // 2))
        if part in OBJECTS:
            given |= others_of(self.rng, numeric=numeric)
        if part.definition:
            definition = Template(part.definition).safe_substitute(given)
            given["f"] = self.defined(f"f{given['n']}", definition)
        given = self.spelled(self.main) | given
        body = Template(part.body).substitute(given)
        return body.split("\n"), Template(part.result).substitute(given)

    def strand(self) -> None:
        """Write a strand, at the level of the module or in a function."""
        wordy = self.rng.random() < 0.12
        sources = SOURCES if not wordy and self.rng.random() < 0.12 else PRODUCERS
        producer = self.rng.choice([part for part in sources if not wordy or in_sight(part)])
        count = str(self.rng.choice([2, 3, 4]))
        lines, text = self.part(producer, c=count)
        subject = Subject(text, producer.gives, count)
        for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3, 4])):
            lines += self.step(subject, self.able(subject, wordy=wordy))
        if subject.kind in ("key", "array") and not wordy and self.rng.random() < 0.4:
            lines += self.step(subject, OBJECTS)
        inside = self.rng.random() < 0.6
        at_module = not inside and subject.kind == "key" and subject.text.isidentifier()
        lines += self.end(subject, wordy=wordy)
        if inside:
            self.number += 1
            lines = [f"def case{self.number}():", *("    " + line if line else "" for line in lines)]
            lines += ["", "", f"case{self.number}()"]
        self.lines += [f"out.append('strand {len(self.titles) - 1}')", *lines]
        if at_module:
            self.ends.append(subject.text)

    def able(self, subject: Subject, *, wordy: bool) -> list[Part]:
        """Return the parts that can follow."""
        if wordy:
            return [part for part in CARRIERS if fits(part, subject.kind) and in_sight(part)]
        if subject.kind in CONTAINERS:
            whole = subject.kind not in ("data", "object")
            general = [part for part in CARRIERS if part.takes == "any" and is_general(part, is_tree=whole)]
            return general if self.rng.random() < 0.3 else [p for p in CONVERSIONS if subject.kind in p.takes.split()]
        sort = self.rng.choices([CARRIERS, OBJECTS, PARTNERS, USES], [6, 2, 2, 1])[0]
        return [part for part in sort if part.gives and fits(part, subject.kind) and self.is_possible(part)]

    def step(self, subject: Subject, able: list[Part]) -> list[str]:
        """Write one more part of a strand; change its subject."""
        part = self.rng.choice([part for part in able if fits(part, subject.kind)])
        if part.gives in CONTAINERS and not subject.inner:
            subject.inner, subject.field = subject.kind, self.rng.choice(FIELD_NAMES)
        given = {"e": subject.text, "d": self.other(subject), "c": subject.count, "field": subject.field}
        numeric = part in OBJECTS and self.rng.random() < self.numeric
        lines, subject.text = self.part(part, numeric=numeric, **given)
        if part in OBJECTS:
            subject.is_numeric = numeric and "lr" not in part.definition
        if part.gives in ("inner", "tree"):
            subject.is_numeric = False
        if part.gives == "inner":
            subject.kind, subject.inner = subject.inner, ""
        elif part.gives != "any":
            subject.kind = part.gives
        if "4).reshape((4" in part.body or "reshape(4, $w)" in part.body:
            subject.count = "4"
        elif part.body.startswith("$v = jnp.tile($e, 3)"):
            subject.count = "3"
        elif part in PARTNERS and part.takes == "key" and part.gives == "array" and "$c" not in part.body:
            subject.count = "2"
        return lines

    def other(self, subject: Subject) -> str:
        """Return another value of the kind of the subject."""
        if subject.kind == "key":
            return f"{self.spelled(self.main)['fold_in']}({subject.text}, 7)"
        return f"{subject.text}[::-1]" if subject.kind == "array" else subject.text

    def is_possible(self, part: Part) -> bool:
        return self.words == 2 or not any(word in part.body + part.definition for word in ("lo$n", "DocTest"))

    def end(self, subject: Subject, *, wordy: bool) -> list[str]:
        """Write what is done at the end of a strand."""
        if subject.kind == "object" or (subject.kind == "data" and self.rng.random() < 0.5):
            lines = self.step(subject, [part for part in CONVERSIONS if part.gives in CONTAINERS])
        else:
            lines = []
        ends = WORDS
        if not wordy:
            ends = self.rng.choices([PLACES, PARTNERS, SINKS, USES], [6, 1, 1, 3])[0]
            ends = self.sinks(subject) if subject.kind in CONTAINERS else ends
        able = [part for part in ends if not part.gives and fits(part, subject.kind) and self.is_possible(part)]
        place = self.rng.choice(able)
        self.titles.append(f"{place.body} {place.definition}".strip())
        return lines + self.placed(place, subject)

    def sinks(self, subject: Subject) -> list[Part]:
        """Return what can be done with all values of a container."""
        fit = subject.is_numeric and subject.kind in TREES.split()
        return ARRAY_SINKS if fit and self.rng.random() < 0.5 else SINKS

    def placed(self, place: Part, subject: Subject) -> list[str]:
        """Write what is done with a value, at once, in a function or in a method."""
        form = self.rng.randrange(5)
        if form < 3:
            given = {"e": subject.text, "d": self.other(subject), "c": subject.count, "field": subject.field}
            return self.part(place, **given)[0]
        names = {"key": ["key", "rng", "subkey"], "array": ["keys", "rngs"]}.get(subject.kind, ["state", "tree", "s"])
        inner = Subject(self.rng.choice(names), subject.kind, subject.count, subject.inner, subject.field)
        given = {"e": inner.text, "d": self.other(inner), "c": inner.count, "field": inner.field}
        lines, _ = self.part(place, **given)
        self.number += 1
        if form == 3:
            head, call = f"def use{self.number}({inner.text}):", f"use{self.number}({subject.text})"
        else:
            head = f"def use{self.number}(n, {inner.text}=None):"
            call = f"use{self.number}(1, {inner.text}={subject.text})"
        return [head, *("    " + line for line in lines), "", call]

    def meet(self) -> None:
        """Let two strands meet."""
        if len(self.ends) < 2:
            return
        one, two = self.rng.sample(self.ends, 2)
        meeting = Part("key", "key", self.rng.choice(MEETINGS["key"]), "$v")
        lines, made = self.part(meeting, e=one, d=two)
        self.lines += [f"out.append('strand {len(self.titles)}')", *lines]
        self.lines.append(f"out.append({self.spelled(self.main)['normal']}({made}))")
        self.titles.append(meeting.body)
        self.ends.append(made)

    def project(self) -> Legacy:
        """Write all of it."""
        self.layout = self.rng.choice(LAYOUTS)
        self.words = 4 if self.rng.random() < 0.15 else 2
        for _ in range(self.rng.choice([1, 1, 2, 3]) if self.strands is None else self.strands):
            self.strand()
            if self.strands != 1 and self.rng.random() < 0.4:
                self.meet()
        files = {}
        for file in dict.fromkeys([*self.definitions, self.main]):
            self.spelled(file)
            head = [*STANDARD, *self.styles[file][0].split("\n"), HEAD]
            head += dict.fromkeys(self.imports.get(file, []))
            body = "\n\n\n".join(["\n".join(head), *self.definitions.get(file, [])])
            files[file] = f"{body}\n"
        files[self.main] += "\nout = []\n\n\n" + "\n".join(self.lines) + "\n"
        for file in list(files):
            for folder in packages(file, self.layout.roots):
                files.setdefault(f"{folder}/__init__.py", "")
        if self.exported:
            files["pkg/__init__.py"] = "\n".join(self.exported) + "\n"
        layout = self.layout
        titles, parts = tuple(self.titles), tuple(self.parts)
        return Legacy(files, self.words, layout.roots, layout.markers, self.main, titles, parts)


def packages(file: str, roots: tuple[str, ...]) -> list[str]:
    """Return the folders of a file that are packages: those between a root and the file."""
    module = module_of(file, roots)
    folders = file.split("/")[:-1]
    depth = module.count(".")
    return ["/".join(folders[: len(folders) - i]) for i in range(depth)]


def fits(part: Part, kind: str) -> bool:
    """Say whether a part takes a kind."""
    takes = part.takes.split()
    return kind in takes or ("any" in takes and (kind in ("key", "array") or kind in CONTAINERS))


def is_general(part: Part, *, is_tree: bool) -> bool:
    """Say whether a part that takes keys takes containers as well."""
    text = part.body + part.definition
    return "jnp." not in text and (is_tree or "jax." not in text.replace("jax.Array", ""))


def others_of(rng: Random, *, numeric: bool) -> dict[str, str]:
    """Return what a container holds beside its key, spelled in each way that a part may need.

    Args:
        rng: the source of randomness.
        numeric: whether there are arrays only.
    """
    fields = [each for each in FIELDS if not numeric or each[1].endswith(("Array", "array"))]
    fields = sorted(rng.sample(fields, rng.choice([1, 2, 3])))
    return {
        "items": ", ".join(f"'{name}': {value}" for name, _, value in fields),
        "keywords": ", ".join(f"{name}={value}" for name, _, value in fields),
        "values": ", ".join(value for *_, value in fields),
        "named": ", ".join(f"'{name}'" for name, *_ in fields),
        "parameters": ", ".join(name for name, *_ in fields),
        "declared": "\n    ".join(f"{name}: {kind}" for name, kind, _ in fields),
        "assigned": "\n        ".join(f"self.{name} = {name}" for name, *_ in fields),
    }


def in_sight(part: Part) -> bool:
    """Say whether a file by itself says that what a part gives is a key, and how many axes it has."""
    return not part.definition and part.body.startswith(IN_SIGHT) and " if " not in part.body


IN_SIGHT = (
    "$v = $PRNGKey", "$v, sub$n", "$v = $split", "$v = $e", "_, $v", "$v = (0.5", "$v = {'rng'", "$v = $fold_in",
)  # fmt: skip

STANDARD = [
    "import collections",
    "import contextlib",
    "import copy",
    "import dataclasses",
    "import doctest",
    "import functools",
    "import hashlib",
    "import importlib",
    "import io",
    "import itertools",
    "import json",
    "import math",
    "import operator",
    "import pickle",
    "import pprint",
    "import random as random_module",
    "import struct",
    "import types",
    "import zlib",
    "from typing import Any, NamedTuple",
    "",
]


def write_legacy(rng: Random, *, strands: int | None = None) -> Legacy:
    """Return a random project.

    Args:
        rng: the source of randomness.
        strands: the number of its strands; at random if it is not given.
    """
    return LegacyWriter(rng, strands=strands).project()
