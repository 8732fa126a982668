# ruff: noqa: E501 (a part is a line of a table)
"""Parts of projects with raw keys: objects that hold keys, what is done with all of their values, and raw partners.

A *container* is an object with several values, the last of which is a key or an array of keys, under the name
``$field``. There are several kinds of containers:

- ``mapping``: a dictionary.
- ``leaves``: a list or tuple.
- ``named``: a named tuple.
- ``node``: a dataclass that is a pytree.
- ``flat``: a plain class that is a pytree.
- ``data``: a dataclass that is no pytree.
- ``object``: a plain class that is no pytree.
- ``tree``: a pytree with one of the others inside.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "CONTAINERS",
    "CONVERSIONS",
    "FIELDS",
    "FIELD_NAMES",
    "OBJECTS",
    "PARTNERS",
    "SINKS",
    "SOURCES",
    "TREES",
    "Part",
]


class Part(NamedTuple):
    """A piece of a strand.

    Attributes:
        takes: the kinds of ``$e``: ``key``, ``array``, ``any`` of both, or kinds of containers.
        gives: the kind of the result; ``any`` for the kind that was taken, ``inner`` for what a container holds.
        body: statements.
        result: the expression that goes on; empty for the end of a strand.
        definition: statements of a module, which define ``f$n``.
    """

    takes: str
    gives: str
    body: str
    result: str = ""
    definition: str = ""


CONTAINERS = ("mapping", "leaves", "named", "node", "flat", "data", "object", "tree")
TREES = "mapping leaves named node flat tree"
ATTRIBUTES = "named node flat data object"
FIELD_NAMES = ["rng", "rng_key", "seed", "state", "x", "random_state"]  # sorted after all names of FIELDS
FIELDS = [
    ("lr", "float", "0.5"),
    ("m", "jax.Array", "jnp.ones((2, 2))"),
    ("mu", "jax.Array", "jnp.ones(3)"),
    ("n", "int", "3"),
    ("nu", "np.ndarray", "np.arange(4.0)"),
    ("on", "bool", "True"),
]
"""Names, types and values of what a container holds beside its key."""

OBJECTS = [
    Part("key array", "mapping", "$v = {$items, '$field': $e}", "$v"),
    Part("key array", "mapping", "$v = dict($keywords, $field=$e)", "$v"),
    Part("key array", "mapping", "$v = collections.OrderedDict($keywords, $field=$e)", "$v"),
    Part("key array", "mapping", "$v = {$items}\n$v['$field'] = $e", "$v"),
    Part("key array", "mapping", "$v = {$items}\n$v.update($field=$e)", "$v"),
    Part("key array", "mapping", "$v = {$items} | {'$field': $e}", "$v"),
    Part("key array", "leaves", "$v = [$values, $e]", "$v"),
    Part("key array", "leaves", "$v = ($values, $e)", "$v"),
    Part("key array", "leaves", "$v = [$values]\n$v.append($e)", "$v"),
    Part("key array", "named", "$v = $f($values, $e)", "$v", "class f$n(NamedTuple):\n    $declared\n    $field: jax.Array"),
    Part("key array", "named", "$v = $f($keywords, $field=$e)", "$v", "class f$n(NamedTuple):\n    $declared\n    $field: Any = None"),
    Part("key array", "named", "$v = $f($values, None)._replace($field=$e)", "$v", "class f$n(NamedTuple):\n    $declared\n    $field: jax.Array"),
    Part("key array", "named", "$v = $f($values, $e)", "$v", "f$n = collections.namedtuple('f$n', [$named, '$field'])"),
    Part(
        "key array", "named", "$v = $f.make($e)", "$v", "class f$n(NamedTuple):\n    $declared\n    $field: jax.Array\n\n    @classmethod\n    def make(cls, rng):\n        return cls($values, rng)"
    ),
    Part("key array", "data", "$v = $f($values, $e)", "$v", "@dataclasses.dataclass\nclass f$n:\n    $declared\n    $field: jax.Array"),
    Part("key array", "data", "$v = $f($keywords, $field=$e)", "$v", "@dataclasses.dataclass(frozen=True)\nclass f$n:\n    $declared\n    $field: Any = None"),
    Part("key array", "data", "$v = $f($values, None)\n$v.$field = $e", "$v", "@dataclasses.dataclass\nclass f$n:\n    $declared\n    $field: jax.Array"),
    Part("key array", "data", "$v = dataclasses.replace($f($values, None), $field=$e)", "$v", "@dataclasses.dataclass\nclass f$n:\n    $declared\n    $field: jax.Array"),
    Part("key array", "data", "$v = $f($field=$e)", "$v", "@dataclasses.dataclass\nclass b$n:\n    lr: float = 0.5\n\n\n@dataclasses.dataclass\nclass f$n(b$n):\n    $field: Any = None"),
    Part("key array", "node", "$v = $f($values, $e)", "$v", "@jax.tree_util.register_dataclass\n@dataclasses.dataclass(frozen=True)\nclass f$n:\n    $declared\n    $field: jax.Array"),
    Part(
        "key array", "node", "$v = $f($keywords, $field=$e)", "$v",
        "def struct$n(cls):\n    made = dataclasses.dataclass(frozen=True)(cls)\n"
        "    names = [field.name for field in dataclasses.fields(made)]\n"
        "    jax.tree_util.register_dataclass(made, data_fields=names, meta_fields=[])\n"
        "    made.replace = dataclasses.replace\n    return made\n\n\n@struct$n\nclass f$n:\n    $declared\n    $field: jax.Array",
    ),
    Part(
        "key array", "node", "$v = $f($values, None).replace($field=$e)", "$v",
        "def struct$n(cls):\n    made = dataclasses.dataclass(frozen=True)(cls)\n"
        "    names = [field.name for field in dataclasses.fields(made)]\n"
        "    jax.tree_util.register_dataclass(made, data_fields=names, meta_fields=[])\n"
        "    made.replace = dataclasses.replace\n    return made\n\n\n@struct$n\nclass f$n:\n    $declared\n    $field: jax.Array",
    ),
    Part(
        "key array", "flat", "$v = $f($values, $e)", "$v",
        "@jax.tree_util.register_pytree_node_class\nclass f$n:\n    def __init__(self, $parameters, $field):\n"
        "        $assigned\n        self.$field = $field\n\n    def tree_flatten(self):\n"
        "        return tuple(vars(self).values()), None\n\n    @classmethod\n    def tree_unflatten(cls, aux, children):\n"
        "        return cls(*children)",
    ),
    Part(
        "key array", "object", "$v = $f($values, $e)", "$v",
        "class f$n:\n    def __init__(self, $parameters, $field):\n        $assigned\n        self.$field = $field",
    ),
    Part(
        "key array", "object", "$v = $f($e)", "$v",
        "class f$n:\n    def __init__(self, $field):\n        self.lr = 0.5\n        self.$field = $field\n\n"
        "    def step(self):\n        self.lr += 1\n        return self.lr",
    ),
    Part("key array", "object", "$v = types.SimpleNamespace($keywords, $field=$e)", "$v"),
    Part(
        "key array", "mapping", "$v = $f($values, $e)", "$v.state_dict()",
        "class f$n:\n    def __init__(self, $parameters, $field):\n        $assigned\n        self.$field = $field\n\n"
        "    def state_dict(self):\n        return vars(self)",
    ),
    Part(
        "key array", "mapping", "$v = $f($values, $e)", "$v.state_dict()",
        "class f$n:\n    def __init__(self, $parameters, $field):\n        $assigned\n        self.$field = $field\n\n"
        "    def state_dict(self):\n        return {name: getattr(self, name) for name in [$named, '$field']}",
    ),
    Part(
        "key array", "mapping", "$v = $f($values, $e)", "$v.__getstate__()",
        "class f$n:\n    def __init__(self, $parameters, $field):\n        $assigned\n        self.$field = $field\n\n"
        "    def __getstate__(self):\n        return dict(self.__dict__)",
    ),
]  # fmt: skip
"""Objects that are made of a key; `$values`, `$keywords`, `$items`, `$declared` and so on are its other values."""

CONVERSIONS = [
    Part("named", "mapping", "$v = $e._asdict()", "$v"),
    Part("data node", "mapping", "$v = dataclasses.asdict($e)", "$v"),
    Part("data node", "mapping", "$v = {f.name: getattr($e, f.name) for f in dataclasses.fields($e)}", "$v"),
    Part("data node", "mapping", "$v = {}\nfor field$n in dataclasses.fields($e):\n    $v[field$n.name] = getattr($e, field$n.name)", "$v"),
    Part("data node flat object", "mapping", "$v = vars($e)", "$v"),
    Part("data node flat object", "mapping", "$v = dict(vars($e))", "$v"),
    Part("data node flat object", "mapping", "$v = $e.__dict__", "$v"),
    Part("data node flat object", "mapping", "$v = {name: value for name, value in vars($e).items()}", "$v"),
    Part("data node", "leaves", "$v = dataclasses.astuple($e)", "$v"),
    Part("data node", "leaves", "$v = [getattr($e, f.name) for f in dataclasses.fields($e)]", "$v"),
    Part("named", "leaves", "$v = list($e)", "$v"),
    Part("named leaves", "leaves", "$v = [*$e]", "$v"),
    Part("named", "leaves", "$v = [getattr($e, name) for name in $e._fields]", "$v"),
    Part("flat object", "leaves", "$v = list(vars($e).values())", "$v"),
    Part("mapping", "leaves", "$v = list($e.values())", "$v"),
    Part("mapping", "leaves", "$v = [value for _, value in $e.items()]", "$v"),
    Part("mapping", "leaves", "$v = [$e[name] for name in sorted($e)]", "$v"),
    Part(TREES, "leaves", "$v = jax.tree.leaves($e)", "$v"),
    Part(TREES, "leaves", "$v = jax.tree_util.tree_leaves($e)", "$v"),
    Part(TREES, "leaves", "$v, tree$n = jax.tree.flatten($e)", "$v"),
    Part(TREES, "leaves", "$v = [leaf for _, leaf in jax.tree_util.tree_flatten_with_path($e)[0]]", "$v"),
    Part(TREES, "tree", "$v = {'eta': 0.1, 'outer': $e}", "$v"),
    Part(TREES, "tree", "$v = (0.5, $e)", "$v"),
    Part(TREES, "tree", "$v = {'a': 1.0, 'b': {'c': [$e]}}", "$v"),
    Part(TREES, "tree", "$v = $f(0.5, $e)", "$v", "class f$n(NamedTuple):\n    eta: float\n    inner: Any"),
    Part(TREES, "tree", "$v = $f(0.5, {'inner': $e})", "$v", "@jax.tree_util.register_dataclass\n@dataclasses.dataclass\nclass f$n:\n    eta: float\n    inner: Any"),
    Part(TREES, "any", "$v = jax.tree.map(lambda leaf: leaf, $e)", "$v"),
    Part(TREES, "any", "$v = jax.tree.map(jnp.asarray, $e)", "$v"),
    Part(TREES, "any", "$v = jax.tree.unflatten(jax.tree.structure($e), jax.tree.leaves($e))", "$v"),
    Part(TREES, "any", "$v = jax.lax.fori_loop(0, 2, lambda i, state: state, $e)", "$v"),
    Part(TREES, "any", "$v, _ = jax.lax.scan(lambda state, _: (state, 0.0), $e, None, length=2)", "$v"),
    Part("mapping named data object leaves", "any", "$v = pickle.loads(pickle.dumps($e))", "$v"),
    Part(" ".join(CONTAINERS), "any", "$v = copy.deepcopy($e)", "$v"),
    Part("data node", "any", "$v = dataclasses.replace($e)", "$v"),
    Part("data node", "any", "$v = type($e)(**vars($e))", "$v"),
    Part("named", "any", "$v = type($e)(*$e)", "$v"),
    Part("mapping", "any", "$v = {**$e}", "$v"),
    # out of a container
    Part("mapping", "inner", "$v = $e['$field']", "$v"),
    Part("mapping", "inner", "$v = $e.get('$field')", "$v"),
    Part("mapping", "inner", "$v = dict($e).pop('$field')", "$v"),
    Part("mapping", "inner", "for name$n, $v in $e.items():\n    if name$n == '$field':\n        break", "$v"),
    Part(ATTRIBUTES, "inner", "$v = $e.$field", "$v"),
    Part(ATTRIBUTES, "inner", "$v = getattr($e, '$field')", "$v"),
    Part("leaves named", "inner", "$v = $e[-1]", "$v"),
    Part("leaves named", "inner", "*_, $v = $e", "$v"),
    Part(TREES, "inner", "$v = jax.tree.leaves($e)[-1]", "$v"),
]  # fmt: skip

SINKS = [
    # files and text
    Part("mapping", "", "buffer$n = io.BytesIO()\nnp.savez(buffer$n, **$e)\nbuffer$n.seek(0)\nout.append(dict(np.load(buffer$n)))"),
    Part("mapping", "", "buffer$n = io.BytesIO()\nnp.savez_compressed(buffer$n, **{name: np.asarray(value) for name, value in $e.items()})\nbuffer$n.seek(0)\nout.append(dict(np.load(buffer$n)))"),
    Part("leaves", "", "buffer$n = io.BytesIO()\nnp.savez(buffer$n, *$e)\nbuffer$n.seek(0)\nout.append(dict(np.load(buffer$n)))"),
    Part("mapping", "", "for name$n, value$n in $e.items():\n    buffer$n = io.BytesIO()\n    np.save(buffer$n, value$n)\n    buffer$n.seek(0)\n    out.append(np.load(buffer$n))"),
    Part("leaves", "", "for leaf$n in $e:\n    buffer$n = io.BytesIO()\n    np.save(buffer$n, leaf$n)\n    out.append(list(buffer$n.getvalue()))"),
    Part("named", "", "buffer$n = io.BytesIO()\nnp.savez(buffer$n, **$e._asdict())\nout.append(len(buffer$n.getvalue()))"),
    Part("data node", "", "buffer$n = io.BytesIO()\nnp.savez(buffer$n, **dataclasses.asdict($e))\nout.append(len(buffer$n.getvalue()))"),
    Part("data node flat object", "", "buffer$n = io.BytesIO()\nnp.savez(buffer$n, **vars($e))\nout.append(len(buffer$n.getvalue()))"),
    Part("mapping", "", "out.append(json.dumps({name: np.asarray(value).tolist() for name, value in $e.items()}))"),
    Part("mapping", "", "out.append(json.dumps({name: value.tolist() if hasattr(value, 'tolist') else value for name, value in $e.items()}))"),
    Part("mapping", "", "out.append(json.dumps($e, default=lambda value: value.tolist()))"),
    Part("mapping", "", "out.append(json.dumps($e, default=str))"),
    Part("mapping", "", "out.append({name: str(value) for name, value in $e.items()})"),
    Part("mapping leaves named data node tree", "", "out.append(str($e))"),
    Part("mapping leaves named data node", "", "out.append(repr($e))"),
    Part("leaves", "", "out.append([f'{leaf}' for leaf in $e])"),
    Part("mapping", "", "for name$n, value$n in $e.items():\n    out.append('%s=%s' % (name$n, value$n))"),
    Part(ATTRIBUTES, "", "out.append('%s' % $e.$field)"),
    Part("mapping leaves named data object", "", "again$n = pickle.loads(pickle.dumps(jax.device_get($e)))\nout.append(type(again$n).__name__)"),
    Part("mapping leaves named", "", "out.append(jax.tree.leaves(pickle.loads(pickle.dumps(jax.device_get($e)))))"),
    Part("mapping leaves named", "", "out.append(jax.tree.leaves(pickle.loads(pickle.dumps(jax.tree.map(np.asarray, $e)))))"),
    Part(TREES, "", "out.append(hashlib.sha1(b''.join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves($e))).hexdigest())"),
    Part("leaves", "", "digest$n = hashlib.md5()\nfor leaf$n in $e:\n    digest$n.update(np.asarray(leaf$n).tobytes())\nout.append(digest$n.hexdigest())"),
    Part("leaves", "", "digest$n = hashlib.md5()\nfor leaf$n in $e:\n    digest$n.update(str(leaf$n).encode())\nout.append(digest$n.hexdigest())"),
    Part("leaves", "", "digest$n = hashlib.md5()\nfor leaf$n in $e:\n    digest$n.update(memoryview(np.ascontiguousarray(leaf$n)))\nout.append(digest$n.hexdigest())"),
    Part("leaves", "", "out.append(len({np.asarray(leaf).tobytes() for leaf in $e}))"),
    # conditions on all leaves
    Part(TREES, "", "assert all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves($e))\nout.append(1)"),
    Part(TREES, "", "assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves($e))\nout.append(1)"),
    Part(TREES, "", "out.append(jax.tree.all(jax.tree.map(lambda leaf: bool(jnp.all(jnp.isfinite(leaf))), $e)))"),
    Part(TREES, "", "out.append(jax.tree.map(lambda leaf: bool(jnp.isnan(leaf).any()), jax.tree.leaves($e)))"),
    Part(TREES, "", "jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b), $e, $e)\nout.append(1)"),
    Part(TREES, "", "jax.tree.map(np.testing.assert_array_equal, $e, $e)\nout.append(1)"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda a, b: bool((a == b).all()) if hasattr(a, 'all') else a == b, $e, $e)))"),
    Part(TREES, "", "out.append(jax.tree.all(jax.tree.map(lambda a, b: bool(jnp.array_equal(a, b)), $e, $e)))"),
    Part(TREES, "", "out.append(jax.tree.all(jax.tree.map(lambda a, b: np.array_equal(a, b), $e, $e)))"),
    Part(TREES, "", "out.append(jax.tree.all(jax.tree.map(lambda a, b: bool(jnp.allclose(a, b)), $e, $e)))"),
    Part("leaves", "", "for leaf$n in $e:\n    assert np.isfinite(leaf$n).all(), leaf$n\nout.append(1)"),
    Part("leaves", "", "for index$n, leaf$n in enumerate($e):\n    if not bool(jnp.all(leaf$n == leaf$n)):\n        raise ValueError(index$n)\nout.append(1)"),
    Part("mapping", "", "bad$n = [name for name, value in $e.items() if np.any(np.isnan(value))]\nout.append(len(bad$n))"),
    # sizes
    Part(TREES, "", "out.append(sum(jnp.size(leaf) for leaf in jax.tree.leaves($e)))"),
    Part(TREES, "", "out.append(sum(np.size(leaf) for leaf in jax.tree.leaves($e)))"),
    Part(TREES, "", "out.append(sum(int(np.prod(np.shape(leaf))) for leaf in jax.tree.leaves($e)))"),
    Part(TREES, "", "out.append(sum(int(np.prod(jnp.shape(leaf))) for leaf in jax.tree.leaves($e)))"),
    Part(TREES, "", "out.append(sum(math.prod(jnp.shape(leaf)) for leaf in jax.tree.leaves($e)))"),
    Part(TREES, "", "out.append(sum(leaf.size for leaf in jax.tree.leaves($e) if hasattr(leaf, 'size')))"),
    Part(TREES, "", "out.append(sum(leaf.nbytes for leaf in jax.tree.leaves($e) if isinstance(leaf, jax.Array)))"),
    Part(TREES, "", "out.append(jax.tree.reduce(lambda total, leaf: total + jnp.size(leaf), $e, 0))"),
    Part(TREES, "", "out.append([jnp.shape(leaf) for leaf in jax.tree.leaves($e)])"),
    Part(TREES, "", "out.append([jnp.ndim(leaf) for leaf in jax.tree.leaves($e)])"),
    Part(TREES, "", "out.append(jax.tree.map(jnp.ndim, jax.tree.leaves($e)))"),
    Part(TREES, "", "out.append([leaf.shape for leaf in jax.tree.leaves(jax.eval_shape(lambda state: state, $e))])"),
    Part("mapping", "", "total$n = 0\nfor value$n in $e.values():\n    total$n += np.asarray(value$n).size\nout.append(total$n)"),
    Part(TREES, "", "out.append($f($e))", "", "def f$n(params):\n    return sum(p.size for p in jax.tree.leaves(params) if isinstance(p, jax.Array))"),
    Part(TREES, "", "out.append($f($e))", "", "def f$n(params):\n    return sum(jax.tree.leaves(jax.tree.map(lambda p: int(np.prod(np.shape(p))), params)))"),
    # arithmetic on all leaves
    Part(TREES, "", "out.append(ravel_pytree($e)[0])"),
    Part(TREES, "", "flat$n, back$n = ravel_pytree($e)\nout.append(flat$n.shape)\nout.append(jax.tree.leaves(back$n(flat$n)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: leaf * 2, $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda a, b: a + b, $e, $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: jnp.asarray(leaf).astype(jnp.float32), $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(jnp.zeros_like, $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: jnp.zeros(jnp.shape(leaf)), $e)))"),
    Part(TREES, "", "out.append(sum(float(jnp.sum(jnp.asarray(leaf, jnp.float32) ** 2)) for leaf in jax.tree.leaves($e)))"),
    Part(TREES, "", "out.append(jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves($e)]))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: leaf * 2 if jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating) else leaf, $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (2, *jnp.shape(leaf))), $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda *leaves: jnp.stack(leaves), $e, $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda a, b: jnp.where(len(out) > 0, a, b), $e, $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: jnp.ravel(leaf)[0], $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: jnp.expand_dims(leaf, -1), $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.jit(lambda state: jax.tree.map(lambda leaf: leaf + 1, state))($e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.jit(lambda state: state)($e)))"),
    # conversions of all leaves
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(np.asarray, $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: np.array(leaf, copy=True), $e)))"),
    Part(TREES, "", "out.append([np.asarray(leaf).sum() for leaf in jax.tree.leaves(jax.device_get($e))])"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.device_get($e)))"),
    Part(TREES, "", "out.append([np.asarray(leaf).dtype.name for leaf in jax.tree.leaves($e)])"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: str(jnp.asarray(leaf).dtype), $e)))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: str(getattr(leaf, 'dtype', None)), $e)))"),
    Part(TREES, "", "out.append([jnp.result_type(leaf).name for leaf in jax.tree.leaves($e)])"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), $e)))"),
    Part(TREES, "", "for path$n, leaf$n in jax.tree_util.tree_flatten_with_path($e)[0]:\n    out.append(jax.tree_util.keystr(path$n))\n    out.append(np.asarray(leaf$n))"),
    Part(TREES, "", "out.append(jax.tree.leaves(jax.tree_util.tree_map_with_path(lambda path, leaf: np.asarray(leaf), $e)))"),
    Part("mapping", "", "for name$n, value$n in $e.items():\n    out.append(np.asarray(value$n))"),
    Part("mapping", "", "for name$n in $e:\n    out.append(np.array($e[name$n]).ravel()[0])"),
    Part("mapping", "", "out.append({name: jnp.asarray(value).astype(jnp.float32) for name, value in $e.items()})"),
    Part("mapping", "", "out.append([value.tolist() for value in $e.values() if hasattr(value, 'tolist')])"),
    Part("mapping", "", "out.append([value for value in $e.values() if isinstance(value, float)])\nout.append($e['$field'])"),
    Part("leaves", "", "out.append([np.asarray(leaf) for leaf in $e])"),
    Part("leaves", "", "out.append([float(np.sum(leaf)) for leaf in $e])"),
    Part("leaves", "", "out.append([np.mean(leaf) for leaf in $e])"),
    Part("leaves", "", "for leaf$n in $e:\n    if hasattr(leaf$n, 'dtype') and leaf$n.dtype == jnp.uint32:\n        out.append(leaf$n)"),
    Part("leaves", "", "out.append([leaf for leaf in $e if jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.integer)])"),
    Part("leaves", "", "out.append([leaf.ndim for leaf in $e if isinstance(leaf, jax.Array)])"),
    Part("leaves", "", "out.append([leaf.sum() for leaf in $e if isinstance(leaf, (jax.Array, np.ndarray))])"),
    # the same function for keys and other values
    Part("mapping", "", "for value$n in $e.values():\n    out.append($f(value$n))", "", "def f$n(value):\n    return np.asarray(value)"),
    Part("mapping", "", "out.append($f($e))", "", "def f$n(state):\n    return {name: np.asarray(value).sum() for name, value in state.items()}"),
    Part("mapping", "", "out.append($f($e))", "", "def f$n(state):\n    buffer = io.BytesIO()\n    np.savez(buffer, **state)\n    return len(buffer.getvalue())"),
    Part("mapping", "", "out.append($f(**$e))", "", "def f$n(**values):\n    return [np.asarray(value) for value in values.values()]"),
    Part("leaves", "", "out.append($f(*$e))", "", "def f$n(*values):\n    return [np.asarray(value).size for value in values]"),
    Part("leaves", "", "out.append($f(*$e))", "", "def f$n(*values):\n    for value in values:\n        assert np.isfinite(value).all()\n    return len(values)"),
    Part("mapping", "", "out.append($f(list($e.items())))", "", "def f$n(pairs):\n    values = [value for _, value in pairs]\n    assert all(np.isfinite(value).all() for value in values)\n    return len(values)"),
    Part(TREES, "", "out.append($f($e))", "", "def f$n(tree):\n    leaves, _ = jax.tree.flatten(tree)\n    return [np.asarray(leaf) for leaf in leaves]"),
    Part(TREES, "", "out.append($f($e))", "", "def f$n(tree):\n    return jax.tree.leaves(jax.tree.map(lambda leaf: np.asarray(leaf).astype(np.float64), tree))"),
    Part("named data node", "", "out.append($f($e))", "", "def f$n(state):\n    return [np.asarray(getattr(state, name)) for name in type(state).__annotations__]"),
    Part("data node", "", "out.append($f($e))", "", "def f$n(state):\n    return {f.name: np.asarray(getattr(state, f.name)) for f in dataclasses.fields(state)}"),
    Part("key array", "", "out.append($f($e))\nout.append($f(0.5))", "", "def f$n(value):\n    return np.asarray(value).sum()"),
    Part("key array", "", "out.append($f($e))\nout.append($f(jnp.ones(3)))", "", "def f$n(value):\n    return value.size"),
    Part("key array", "", "out.append($f({'a': $e, 'b': 1.0}))", "", "def f$n(values):\n    return sum(np.size(value) for value in values.values())"),
]  # fmt: skip
"""Ends of strands: something is done with all values of a container."""

SOURCES = [
    Part("", "key", "$v = jnp.array($literal, dtype=jnp.uint32)", "$v"),
    Part("", "key", "$v = np.array($literal, np.uint32)", "$v"),
    Part("", "key", "$v = jnp.uint32($literal)", "$v"),
    Part("", "key", "$v = jnp.zeros($w, jnp.uint32)", "$v"),
    Part("", "key", "$v = jnp.zeros(($w,), dtype='uint32')", "$v"),
    Part("", "key", "$v = jnp.asarray($literal).astype(jnp.uint32)", "$v"),
    Part("", "array", "$v = jnp.zeros(($c, $w), jnp.uint32)", "$v"),
    Part("", "key", "$v = jax.random.key_data(jax.random.key($n))", "$v"),
    Part("", "key", "$v = getattr(jax.random, 'PRNGKey')($n)", "$v"),
    Part("", "key", "name$n = 'PRNGKey'\n$v = getattr(jax.random, name$n)($n)", "$v"),
    Part("", "key", "$v = vars(jax.random)['PRNGKey']($n)", "$v"),
    Part("", "key", "$v = operator.attrgetter('PRNGKey')(jax.random)($n)", "$v"),
    Part("", "key", "$v = importlib.import_module('jax.random').PRNGKey($n)", "$v"),
    Part("", "key", "$v = $f()", "$v", "def f$n():\n    return np.array($literal, dtype=np.uint32)"),
    Part("", "key", "$v = $f().rng", "$v", "class f$n(NamedTuple):\n    rng: Any = np.array($literal, np.uint32)"),
    Part("", "key", "$v = $f().rng", "$v", "@dataclasses.dataclass\nclass f$n:\n    rng: Any = dataclasses.field(default_factory=lambda: jnp.array($literal, jnp.uint32))"),
    Part("", "key", "$v = $f().rng", "$v", "@dataclasses.dataclass\nclass f$n:\n    rng: Any = dataclasses.field(default_factory=lambda: $PRNGKey($n))"),
    Part("", "key", "$v = $f().rng", "$v", "@dataclasses.dataclass\nclass f$n:\n    seed: int = $n\n    rng: Any = None\n\n    def __post_init__(self):\n        self.rng = $PRNGKey(self.seed)"),
]  # fmt: skip
"""Keys that no constructor made, or one that only running the program shows."""

PARTNERS = [
    # a carry that starts with raw zeros
    Part("key", "key", "$v = jax.lax.fori_loop(0, 2, lambda i, k: $e, jnp.zeros($w, jnp.uint32))", "$v"),
    Part("key", "key", "$v = jax.lax.scan(lambda s, _: ({'rng': $e, 'i': s['i'] + 1}, 0.0), {'rng': jnp.zeros($w, jnp.uint32), 'i': 0}, None, length=2)[0]['rng']", "$v"),
    Part("key", "key", "$v = jax.lax.while_loop(lambda s: s[0] < 1, lambda s: (s[0] + 1, $e), (0, jnp.zeros(($w,), dtype=jnp.uint32)))[1]", "$v"),
    Part("key", "key", "$v = jax.lax.cond(len(out) >= 0, lambda: $e, lambda: jnp.zeros($w, jnp.uint32))", "$v"),
    Part("key", "key", "carry$n = {'rng': jnp.zeros($w, jnp.uint32), 'n': 0}\ncarry$n = jax.lax.fori_loop(0, 2, lambda i, s: {**s, 'rng': $e}, carry$n)\n$v = carry$n['rng']", "$v"),
    Part("key", "key", "$v = jax.lax.fori_loop(0, 2, lambda i, s: s._replace(rng=$e), $f()).rng", "$v", "class f$n(NamedTuple):\n    n: Any = 0\n    rng: Any = np.zeros($w, np.uint32)"),
    Part("key", "key", "$v = jax.lax.scan(lambda s, _: (dataclasses.replace(s, rng=$e), 0.0), $f(), None, length=2)[0].rng", "$v", "@jax.tree_util.register_dataclass\n@dataclasses.dataclass\nclass f$n:\n    rng: Any = dataclasses.field(default_factory=lambda: jnp.zeros($w, jnp.uint32))"),
    Part("key", "key", "$v = jax.tree.map(lambda a, b: jnp.where(len(out) >= 0, a, b), {'rng': $e}, vars($f()))['rng']", "$v", "@dataclasses.dataclass\nclass f$n:\n    rng: Any = dataclasses.field(default_factory=lambda: jnp.zeros($w, jnp.uint32))"),
    Part("key", "key", "$v = jax.lax.fori_loop(0, 2, lambda i, s: $f($e, s.n + 1), $f(jnp.zeros($w, jnp.uint32), 0)).rng", "$v", "class f$n(NamedTuple):\n    rng: Any\n    n: Any"),
    Part("key", "key", "$v = jax.tree.map(lambda a, b: jnp.where(len(out) >= 0, a, b), $f($e), $f()).rng", "$v", "class f$n(NamedTuple):\n    rng: Any = np.zeros($w, np.uint32)"),
    Part("key", "key", "$v = $f.chosen($f($e), $f(jnp.zeros($w, jnp.uint32)))", "$v", "@dataclasses.dataclass\nclass f$n:\n    rng: Any\n\n    def chosen(self, other):\n        return jnp.where(True, self.rng, other.rng)"),
    Part("key", "key", "$v = jnp.where(len(out) >= 0, $e, jnp.zeros_like($e))", "$v"),
    Part("key", "key", "$v = jnp.where(len(out) >= 0, $e, jnp.zeros($w, jnp.uint32))", "$v"),
    Part("key", "key", "$v = jnp.where(len(out) >= 0, $e, 0)", "$v"),
    # buffers
    Part("key", "key", "$v = jnp.zeros((3, $w), $e.dtype).at[1].set($e)[1]", "$v"),
    Part("key", "key", "$v = jnp.zeros((3,) + $e.shape, $e.dtype).at[1].set($e)[1]", "$v"),
    Part("key", "key", "$v = jnp.empty((2, *$e.shape), dtype=$e.dtype).at[0].set($e)[0]", "$v"),
    Part("key", "key", "$v = jnp.zeros((2, $w), jnp.uint32).at[0].set($e)[0]", "$v"),
    Part("key", "key", "buffer$n = np.zeros((2, *$e.shape), dtype=$e.dtype)\nbuffer$n[0] = $e\n$v = jnp.asarray(buffer$n[0])", "$v"),
    Part("key", "key", "buffer$n = np.empty_like($e)\nbuffer$n[:] = $e\n$v = buffer$n", "$v"),
    Part("key", "key", "$v = jnp.full_like($e, 0).at[:].set($e)", "$v"),
    Part("key", "key", "$v = jnp.zeros_like($e).at[...].set($e)", "$v"),
    Part("key", "key", "$v = jax.lax.dynamic_update_slice(jnp.zeros((3, $w), jnp.uint32), $e[None], (1, 0))[1]", "$v"),
    Part("key", "key", "$v = jax.lax.dynamic_update_index_in_dim(jnp.zeros((3, $w), jnp.uint32), $e, 1, 0)[1]", "$v"),
    Part("array", "array", "$v = jnp.zeros(($c, $w), jnp.uint32).at[:].set($e)", "$v"),
    Part("array", "array", "$v = jnp.zeros_like($e).at[jnp.arange($c)].set($e)", "$v"),
    Part("array", "array", "$v = jnp.zeros($e.shape, $e.dtype).at[0].set($e[1])", "$v"),
    Part("array", "array", "$v = np.array($e)\n$v[0] = $v[1]", "$v"),
    Part("array", "array", "$v = np.array($e)\n$v[0] += 1", "$v"),
    Part("key", "array", "$v = np.array($split($e, $c))\n$v[0] = $v[1]", "$v"),
    # words and back
    Part("any", "any", "$v = jax.lax.bitcast_convert_type(jax.lax.bitcast_convert_type($e, jnp.int32), jnp.uint32)", "$v"),
    Part("any", "any", "$v = $e.view(jnp.int32).view(jnp.uint32)", "$v"),
    Part("any", "any", "$v = jnp.asarray($e, jnp.uint32)", "$v"),
    Part("any", "any", "$v = jnp.array($e, dtype=$e.dtype)", "$v"),
    Part("any", "any", "$v = jax.device_get($e)", "$v"),
    Part("any", "any", "$v = jnp.asarray(np.asarray($e))", "$v"),
    Part("any", "any", "$v = jnp.array(json.loads(json.dumps($e.tolist())), dtype=jnp.uint32)", "$v"),
    Part("any", "any", "$v = jnp.array(np.asarray($e).tolist(), dtype=jnp.uint32)", "$v"),
    Part("any", "any", "buffer$n = io.BytesIO()\nnp.save(buffer$n, $e)\nbuffer$n.seek(0)\n$v = jnp.asarray(np.load(buffer$n))", "$v"),
    Part("any", "any", "$v = pickle.loads(pickle.dumps(np.asarray($e)))", "$v"),
    Part("any", "any", "$v = pickle.loads(pickle.dumps($e))", "$v"),
    Part("any", "any", "$v = jnp.asarray(np.frombuffer(np.asarray($e).tobytes(), np.uint32).reshape($e.shape))", "$v"),
    Part("any", "any", "$v = jax.pure_callback(lambda k: k, jax.ShapeDtypeStruct($e.shape, $e.dtype), $e)", "$v"),
    Part("key", "key", "$v = jax.pure_callback(lambda k: k, jax.ShapeDtypeStruct(($w,), jnp.uint32), $e)", "$v"),
    Part("key", "key", "$v = jnp.array([$e[0], *$e[1:]])", "$v"),
    Part("key", "key", "$v = jnp.concatenate([$e[:1], $e[1:]])", "$v"),
    Part("array", "array", "hi$n, lo$n = $e[:, 0], $e[:, 1]\n$v = jnp.stack([hi$n, lo$n], axis=-1)", "$v"),
    Part("array", "array", "$v = jnp.stack([$e[:, i] for i in range($w)], axis=1)", "$v"),
    # arguments that are seeds or keys
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if isinstance(seed, int):\n        return $PRNGKey(seed)\n    return seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if np.ndim(seed) == 0:\n        return $PRNGKey(seed)\n    return seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if jnp.shape(seed) == ():\n        return $PRNGKey(seed)\n    return seed"),
    Part("key", "key", "out.append($normal($f(jnp.int32($n))))\n$v = $f($e)", "$v", "def f$n(seed):\n    if seed.shape == ():\n        seed = $PRNGKey(seed)\n    return seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if getattr(seed, 'shape', None) == ($w,):\n        return seed\n    return $PRNGKey(seed)"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if getattr(seed, 'shape', ()) == ():\n        return $PRNGKey(seed)\n    return seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if getattr(seed, 'ndim', 0) == 0:\n        return $PRNGKey(seed)\n    return seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    return seed if hasattr(seed, 'shape') and len(seed.shape) == 1 else $PRNGKey(seed)"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    return $PRNGKey(seed) if np.isscalar(seed) else seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if isinstance(seed, (jax.Array, np.ndarray)):\n        return seed\n    return $PRNGKey(seed)"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if isinstance(seed, jax.Array) and seed.dtype == jnp.uint32:\n        return seed\n    return $PRNGKey(seed)"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    if not hasattr(seed, '__len__'):\n        return $PRNGKey(seed)\n    return seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    try:\n        return $PRNGKey(int(seed))\n    except TypeError:\n        return seed"),
    Part("key", "key", "out.append($normal($f($n)))\n$v = $f($e)", "$v", "def f$n(seed):\n    seed = jnp.asarray(seed)\n    return $PRNGKey(seed) if seed.ndim == 0 else seed"),
    Part("key", "key", "out.append($normal($f(None)))\n$v = $f($e)", "$v", "def f$n(rng=None):\n    if rng is None:\n        rng = jnp.zeros($w, jnp.uint32)\n    return rng"),
    Part("key", "key", "out.append($normal($f(None)))\n$v = $f($e)", "$v", "def f$n(rng=None):\n    return $PRNGKey($n) if rng is None else rng"),
    # masks
    Part("array", "array", "$v = jax.lax.select(jnp.broadcast_to((jnp.arange($c) > 0)[:, None], $e.shape), $e, $d)", "$v"),
    Part("array", "array", "$v = jnp.select([(jnp.arange($c) > 0)[:, None]], [$e], $d)", "$v"),
    Part("array", "array", "mask$n = jnp.arange($c) > 0\n$v = jax.tree.map(lambda a, b: jnp.where(mask$n.reshape((-1,) + (1,) * (a.ndim - 1)), a, b), $e, $d)", "$v"),
    Part("array", "array", "mask$n = jnp.arange($c) > 0\n$v = jnp.where(mask$n.reshape(mask$n.shape + (1,) * ($e.ndim - mask$n.ndim)), $e, $d)", "$v"),
    Part("array", "array", "mask$n = jnp.arange($c) > 0\n$v = jnp.where(jnp.expand_dims(mask$n, tuple(range(1, $e.ndim))), $e, $d)", "$v"),
    Part("array", "array", "$v = jnp.where((jnp.arange($c) > 0)[:, None], $e, 0)", "$v"),
    Part("array", "array", "$v = jnp.where((jnp.arange($c) > 0)[:, None], $e, jnp.zeros_like($e))", "$v"),
    Part("array", "array", "$v = jnp.where(jnp.repeat((jnp.arange($c) > 0)[:, None], $w, axis=1), $e, $d)", "$v"),
    Part("array", "array", "$v = jnp.where(jnp.broadcast_to((jnp.arange($c) > 0)[:, None], ($c, $w)), $e, $d)", "$v"),
    Part("array", "array", "$v = jnp.where(jnp.tile((jnp.arange($c) > 0)[:, None], (1, $w)), $e, $d)", "$v"),
    Part("array", "array", "$v = jax.vmap(lambda m, a, b: jnp.where(m, a, b))(jnp.arange($c) > 0, $e, $d)", "$v"),
    Part("array", "array", "$v = jax.vmap(lambda m, a, b: jax.lax.select(m, a, b))(jnp.arange($c) > 0, $e, $d)", "$v"),
    Part("array", "array", "$v = (jnp.arange($c) > 0)[:, None].astype(jnp.uint32) * $e", "$v"),
    Part("array", "array", "state$n = {'rng': $e, 'w': jnp.ones(($c, 3))}\nmask$n = (jnp.arange($c) > 0)[:, None]\nstate$n = jax.tree.map(lambda a, b: jnp.where(mask$n, a, b), state$n, state$n)\n$v = state$n['rng']", "$v"),
    # slices and parts
    Part("array", "key", "$v = jax.lax.slice($e, (0, 0), (1, $w))[0]", "$v"),
    Part("array", "key", "$v = jax.lax.slice_in_dim($e, 0, 1)[0]", "$v"),
    Part("array", "key", "$v = jax.lax.dynamic_slice_in_dim($e, 1, 1)[0]", "$v"),
    Part("array", "key", "$v = jax.lax.dynamic_slice($e, (1, 0), (1, $e.shape[-1]))[0]", "$v"),
    Part("array", "key", "$v = jax.lax.index_in_dim($e, 0, keepdims=False)", "$v"),
    Part("array", "key", "$v = jnp.split($e, $c)[0][0]", "$v"),
    Part("array", "key", "$v = jnp.split($e, [1])[0].reshape($w)", "$v"),
    Part("array", "key", "$v = jnp.squeeze($e[:1])", "$v"),
    Part("array", "key", "$v = $e[:1].squeeze(axis=0)", "$v"),
    Part("array", "key", "$v = $e[0, :]", "$v"),
    Part("array", "key", "$v = $e.reshape(-1)[:$w]", "$v"),
    Part("array", "key", "$v = $e.flatten()[:$w]", "$v"),
    Part("array", "key", "$v = jnp.ravel($e)[-$w:]", "$v"),
    Part("array", "key", "$v = $e.T[:, 0]", "$v"),
    Part("array", "key", "$v = jnp.moveaxis($e, -1, 0)[:, 0]", "$v"),
    Part("array", "key", "$v = $e.take(0, axis=0)", "$v"),
    Part("array", "key", "$v = jnp.take_along_axis($e, jnp.zeros((1, 1), int), axis=0)[0]", "$v"),
    Part("array", "key", "$v = $e.at[1].get()", "$v"),
    Part("array", "key", "$v = jnp.max($e, axis=0)", "$v"),
    Part("array", "array", "$v = $e[jnp.array([1, 0])]\n$v = jnp.concatenate([$v, $e])[:$c]", "$v"),
    Part("array", "array", "$v = $e[:, :]", "$v"),
    Part("array", "array", "$v = $e[..., :]", "$v"),
    Part("array", "array", "$v = jnp.sort($e, axis=0)", "$v"),
    Part("array", "array", "$v = jnp.pad($e[1:], ((1, 0), (0, 0)))", "$v"),
    Part("array", "array", "$v = jnp.vstack([$e, $e[0]])[:$c]", "$v"),
    Part("array", "array", "$v = jnp.append($e[1:], $e[:1], axis=0)", "$v"),
    Part("array", "array", "$v = jnp.insert($e, 0, $e[1], axis=0)[:$c]", "$v"),
    # calls that look like splits
    Part("key", "array", "$v = $f($e, 4).reshape(2, 2, $w)[0]", "$v", "def f$n(key, count):\n    return $split(key, count)"),
    Part("key", "array", "$v = $f($e, 4).reshape(2, 2, $w)[0]", "$v", "def f$n(key, count):\n    return jnp.stack([$fold_in(key, i) for i in range(count)])"),
    Part("key", "array", "$v = $f($e, 4).reshape((4, $w))", "$v", "def split$n(key, count):\n    return jnp.stack([$fold_in(key, i) for i in range(count)])\n\n\nf$n = split$n"),
    Part("key", "array", "$v = $f.split($e, 4).reshape(2, 2, -1)[1]", "$v", "class f$n:\n    @staticmethod\n    def split(key, count):\n        return jnp.stack([$fold_in(key, i) for i in range(count)])"),
    Part("key", "array", "$v = jnp.tile($e, 3).reshape(3, $w)", "$v"),
    Part("key", "array", "$v = jnp.stack([$e, $d]).reshape(2, $w)", "$v"),
    Part("key", "array", "$v = jnp.concatenate([$e, $d]).reshape(2, $w)", "$v"),
    Part("key", "array", "$v = jnp.array([$e, $d]).reshape(-1, $w)", "$v"),
    Part("key", "array", "$v = jnp.repeat($e[None], 4, axis=0).reshape(2, 2, $w)[0]", "$v"),
    Part("key", "array", "$v = jax.vmap(lambda i: $fold_in($e, i))(jnp.arange(4)).reshape(2, 2, $w)[0]", "$v"),
    Part("key", "array", "$v = $split($e, 4).astype(jnp.uint32).reshape(2, 2, $w)[0]", "$v"),
    Part("key", "array", "$v = $split($e, (2, 2)).reshape(4, $w)", "$v"),
    Part("array", "array", "$v = $e.reshape(1, $c, $w)[0]", "$v"),
    Part("array", "array", "$v = $e.reshape(-1).reshape($c, $w)", "$v"),
    # comparisons
    Part("key", "", "out.append(bool(($e == 0).all()))"),
    Part("key", "", "out.append(bool(jnp.all($e == jnp.zeros($w, jnp.uint32))))"),
    Part("key", "", "if ($e != $d).any():\n    out.append($normal($e))"),
    Part("key", "", "out.append(bool((np.asarray($e) == np.asarray($d)).all()))"),
    Part("key", "", "out.append(bool(jnp.any($e)))"),
    Part("key", "", "out.append(bool(jnp.allclose($e, $d)))"),
    Part("key", "", "assert ($e == $e).all()\nout.append(1)"),
    Part("key", "", "out.append(bool($e[0] == $d[0]))"),
    Part("key", "", "seen$n = {tuple(np.asarray($e).tolist()), tuple(np.asarray($d).tolist())}\nout.append(len(seen$n))"),
    Part("key", "", "seen$n = {$e.tobytes(): 1}\nout.append(seen$n[$e.tobytes()])"),
    Part("array", "", "out.append(len(set(map(tuple, $e.tolist()))))"),
    Part("array", "", "out.append(len({tuple(row) for row in np.asarray($e)}))"),
    Part("array", "", "out.append(bool((jnp.diff($e, axis=0) != 0).any()))"),
    Part("array", "", "out.append(bool(($e[0] == $e[1]).all()))"),
    Part("array", "", "out.append($e.shape[-1:])"),
    Part("array", "", "out.append($e.shape[1:])"),
    Part("array", "", "n$n, *rest$n = $e.shape\nout.append(rest$n)"),
    Part("key", "", "out.append(jnp.zeros((3, *$e.shape)).shape)"),
    Part("key", "", "shape$n = $e.shape\nout.append(len(shape$n))"),
    Part("key", "", "out.append(jax.random.key_data($e))"),
]  # fmt: skip
"""Keys that meet raw values, words of keys, and seeds in the place of keys."""
