# ruff: noqa: E501 (a part is a line of a table)
"""Random projects in the style of raw keys: constructors, ways for keys to go, and places that typed keys break.

A project is made of *strands*. A strand makes a key (``PRODUCERS``), hands it on through functions, objects, containers
and transformations of one or several files (``CARRIERS``), and ends where something is done with it (``PLACES``): a
place that typed keys do not survive, or one that looks alike and is right. What a strand computes goes to a list named
``out``. Some strands meet others, as in ``jnp.where``.

Each part is text with ``$`` names: ``$e`` the key, ``$d`` another one of its kind, ``$v`` a new variable, ``$n`` a new
number, ``$f`` how a definition named ``f$n`` is spelled at the place, ``$w`` the words of a raw key, ``$c`` the length
of a key array, and the functions of ``jax.random`` as the file spells them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from string import Template
from typing import NamedTuple

from hypothesis import strategies as st

from .programs import KEY_NAMES

__all__ = ["Legacy", "legacy_projects", "write_legacy"]

FUNCTIONS = ("PRNGKey", "split", "fold_in", "normal", "uniform", "bits", "permutation")
STYLES = [
    ("import jax", "jax.random.{}"),
    ("import jax\nfrom jax import random", "random.{}"),
    ("import jax\nimport jax.random as jr", "jr.{}"),
    ("import jax\nfrom jax import random as jrandom", "jrandom.{}"),
    (f"import jax\nfrom jax.random import {', '.join(FUNCTIONS)}", "{}"),
    ("import jax\nfrom jax.random import " + ", ".join(f"{name} as j_{name}" for name in FUNCTIONS), "j_{}"),
]
HEAD = "import jax.numpy as jnp\nimport numpy as np\n"


class Part(NamedTuple):
    """A piece of a strand.

    Attributes:
        takes: the kind of ``$e``: ``key``, ``array``, or ``any``.
        gives: the kind of the result; ``any`` for the kind that was taken.
        body: statements.
        result: the expression that goes on; empty for the end of a strand.
        definition: statements of a module, which define ``f$n``.
    """

    takes: str
    gives: str
    body: str
    result: str = ""
    definition: str = ""


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
    """A project that runs with raw keys; ``main`` leaves its numbers in ``out``.

    Attributes:
        files: the text of each file by its path.
        words: the words of its raw keys, by which the implementation is known: two for threefry, four for rbg.
    """

    files: dict[str, str]
    words: int = 2


LAYOUTS = ["main.py", "main.py", "tools.py", "pkg/tools.py"]


@dataclass
class LegacyWriter:
    """Writes a project."""

    rng: Random
    number: int = 0
    words: int = 2
    styles: dict[str, tuple[str, str]] = field(default_factory=dict)
    definitions: dict[str, list[str]] = field(default_factory=dict)
    imports: dict[str, list[str]] = field(default_factory=dict)
    exported: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)

    def spelled(self, file: str) -> dict[str, str]:
        """Return how a file spells the functions of ``jax.random``."""
        if file not in self.styles:
            self.styles[file] = self.rng.choice(STYLES)
        return {name: self.styles[file][1].format(name) for name in FUNCTIONS}

    def variable(self) -> str:
        self.number += 1
        return f"{self.rng.choice(KEY_NAMES)}_{self.number}"

    def defined(self, name: str, text: str) -> str:
        """Put a definition into a file; return how ``main`` spells it."""
        file = self.other if self.rng.random() < 0.6 else "main.py"
        self.definitions.setdefault(file, []).append(Template(text).safe_substitute(self.spelled(file)))
        if file == "main.py":
            return name
        module = file.removesuffix(".py").replace("/", ".")
        imports = self.imports.setdefault("main.py", [])
        form = self.rng.randrange(5 if file.startswith("pkg") else 4)
        if form == 0:
            imports.append(f"import {module}")
            return f"{module}.{name}"
        if form == 1:
            imports.append(f"from {module} import {name}")
        elif form == 2:
            imports.append(f"import {module} as t{self.number}")
            return f"t{self.number}.{name}"
        elif form == 3:
            imports.append(f"from {module} import *")
        else:
            self.exported.append(f"from .tools import {name}")
            imports.append(f"from pkg import {name}")
        return name

    def part(self, part: Part, **given: str) -> tuple[list[str], str]:
        """Return the statements of a part and the expression that goes on."""
        self.number += 1
        given |= {"n": str(self.number), "w": str(self.words), "v": self.variable()}
        given = self.spelled("main.py") | given
        if part.definition:
            definition = Template(part.definition).safe_substitute({"n": given["n"], "w": given["w"]})
            given["f"] = self.defined(f"f{given['n']}", definition)
        body = Template(part.body).substitute(given)
        return body.split("\n"), Template(part.result).substitute(given)

    def strand(self) -> None:
        """Write a strand, at the level of the module or in a function."""
        wordy = self.rng.random() < 0.15
        producer = self.rng.choice([part for part in PRODUCERS if not wordy or in_sight(part)])
        count = str(self.rng.choice([2, 3, 4]))
        lines, subject = self.part(producer, c=count)
        kind = producer.gives
        for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3, 4])):
            able = [part for part in CARRIERS if part.takes in ("any", kind) and (not wordy or in_sight(part))]
            part = self.rng.choice(able)
            new, subject = self.part(part, e=subject, c=count)
            lines += new
            kind = kind if part.gives == "any" else part.gives
        inside = self.rng.random() < 0.6
        at_module = not inside and kind == "key" and subject.isidentifier()
        place = self.rng.choice([part for part in (WORDS if wordy else PLACES) if part.takes == kind])
        lines += self.placed(place, subject, kind, count)
        if inside:
            self.number += 1
            lines = [f"def case{self.number}():", *("    " + line if line else "" for line in lines)]
            lines += ["", "", f"case{self.number}()"]
        self.lines += lines
        if at_module:
            self.ends.append(subject)

    def placed(self, place: Part, subject: str, kind: str, count: str) -> list[str]:
        """Write what is done with a key, at once, in a function or in a method."""
        form = self.rng.randrange(5)
        calls = self.spelled("main.py")
        other = f"{calls['fold_in']}($e, 7)" if kind == "key" else "$e[::-1]"
        if form < 3:
            lines, _ = self.part(place, e=subject, d=other.replace("$e", subject), c=count)
            return lines
        name = self.rng.choice(["key", "rng", "subkey"] if kind == "key" else ["keys", "rngs"])
        lines, _ = self.part(place, e=name, d=other.replace("$e", name), c=count)
        self.number += 1
        if form == 3:
            head, call = f"def use{self.number}({name}):", f"use{self.number}({subject})"
        else:
            head, call = f"def use{self.number}(n, {name}=None):", f"use{self.number}(1, {name}={subject})"
        return [head, *("    " + line for line in lines), "", call]

    def meet(self) -> None:
        """Let two strands meet."""
        if len(self.ends) < 2:
            return
        one, two = self.rng.sample(self.ends, 2)
        lines, made = self.part(Part("key", "key", self.rng.choice(MEETINGS["key"]), "$v"), e=one, d=two)
        self.lines += lines
        self.lines.append(f"out.append({self.spelled('main.py')['normal']}({made}))")
        self.ends.append(made)

    def project(self) -> Legacy:
        """Write all of it."""
        self.other = self.rng.choice(LAYOUTS)
        self.words = 4 if self.rng.random() < 0.15 else 2
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            self.strand()
            if self.rng.random() < 0.4:
                self.meet()
        files = {}
        for file in dict.fromkeys([*self.definitions, "main.py"]):
            self.spelled(file)
            head = [*STANDARD, *self.styles[file][0].split("\n"), HEAD]
            head += dict.fromkeys(self.imports.get(file, []))
            body = "\n\n\n".join(["\n".join(head), *self.definitions.get(file, [])])
            files[file] = f"{body}\n"
        files["main.py"] += "\nout = []\n\n\n" + "\n".join(self.lines) + "\n"
        if "pkg/tools.py" in files:
            files["pkg/__init__.py"] = "\n".join(self.exported) + "\n"
        return Legacy(files, self.words)


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
    "import functools",
    "import types",
    "from typing import NamedTuple",
    "",
]


def write_legacy(rng: Random) -> Legacy:
    """Return a random project."""
    return LegacyWriter(rng).project()


def legacy_projects() -> st.SearchStrategy[Legacy]:
    """Return the strategy of projects."""
    return st.randoms(use_true_random=False).map(write_legacy)
