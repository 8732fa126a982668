"""What JAX promises of typed keys: each program here runs under ``jax`` and under ``olympus``.

The promises are those of JAX's own tests of key arrays, of functions of ``jax.numpy`` on them and of its check for
reused keys. A program that fails under ``olympus`` alone is a fault of the namespace; one that fails under ``jax``
is about another release of JAX.
"""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="the promises are JAX's")

import numpy as np  # noqa: E402
from releases import since  # noqa: E402

import olympus  # noqa: E402

IMPLEMENTATIONS = ("threefry2x32", "rbg", "unsafe_rbg")


@pytest.fixture(params=[jax, olympus], ids=["jax", "olympus"])
def ns(request: pytest.FixtureRequest) -> ModuleType:
    """Return the namespace that a program is to use for everything."""
    namespace: ModuleType = request.param
    return namespace


def make_keys(ns: ModuleType, *shape: int) -> Any:
    return ns.vmap(ns.random.key)(28 + ns.numpy.arange(math.prod(shape))).reshape(shape)


def words(ns: ModuleType, key: Any) -> np.ndarray:
    return np.asarray(ns.random.key_data(key))


def is_key(ns: ModuleType, value: Any) -> bool:
    return isinstance(value, ns.Array) and ns.numpy.issubdtype(value.dtype, ns.dtypes.prng_key)


def same(ns: ModuleType, one: Any, other: Any) -> bool:
    return is_key(ns, one) and one.dtype == other.dtype and np.array_equal(words(ns, one), words(ns, other))


# -- the key as an array ---------------------------------------------------------------------------------------------


def test_dtypes(ns: ModuleType):
    key = ns.random.key(42)
    for kind in (key.dtype, ns.dtypes.prng_key, ns.dtypes.extended, np.generic):
        assert ns.numpy.issubdtype(key.dtype, kind)
    for kind in (np.integer, np.number, np.floating):
        assert not ns.numpy.issubdtype(key.dtype, kind)
    assert ns.numpy.result_type(key) == key.dtype
    assert ns.random.split(key)[0].dtype == key.dtype
    assert key.dtype.name.startswith("key")


def test_a_traced_key_has_the_dtype_of_the_key(ns: ModuleType):
    seen = []
    ns.jit(lambda key: [seen.append((key.dtype, is_key(ns, key))), key][1])(key := ns.random.key(1))
    assert seen == [(key.dtype, True)]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_attributes(ns: ModuleType, shape: tuple[int, ...]):
    keys = make_keys(ns, *shape)
    assert (keys.shape, keys.ndim, keys.size) == (shape, len(shape), math.prod(shape))
    assert keys.itemsize == keys.dtype.itemsize
    data = words(ns, keys)
    assert keys.nbytes == data.nbytes == keys.size * keys.itemsize
    for name in ("shape", "ndim", "size"):
        assert ns.jit(lambda keys, name=name: getattr(keys, name))(keys) == pytest.approx(getattr(keys, name))
    assert (ns.numpy.shape(keys), ns.numpy.ndim(keys), ns.numpy.size(keys)) == (keys.shape, keys.ndim, keys.size)


def test_copies(ns: ModuleType):
    key = ns.random.key(3)
    for made in (key.copy(), copy.copy(key), copy.deepcopy(key), ns.jit(lambda key: key.copy())(key)):
        assert same(ns, made, key)
    with pytest.raises(TypeError, match="unhashable type"):
        hash(key)


def test_where_it_is(ns: ModuleType):
    keys = make_keys(ns, 4)
    device = ns.devices()[0]
    assert keys.devices() == {device}
    assert keys.is_fully_addressable and keys.is_fully_replicated
    assert len(keys.addressable_shards) == len(keys.global_shards) == 1
    assert same(ns, keys.addressable_data(0), keys)
    assert same(ns, ns.device_put(keys, device), keys)
    assert same(ns, keys.block_until_ready(), keys)
    assert keys.copy_to_host_async() is None
    mesh = ns.make_mesh((1,), ("x",))
    sharding = ns.sharding.NamedSharding(mesh, ns.sharding.PartitionSpec("x"))
    assert same(ns, ns.make_array_from_callback((4,), sharding, lambda index: keys[index]), keys)
    assert same(ns, ns.make_array_from_single_device_arrays((4,), sharding, [keys]), keys)


def test_deletion(ns: ModuleType):
    keys = make_keys(ns, 4)
    assert not keys.is_deleted()
    keys.delete()
    assert keys.is_deleted()


@pytest.mark.parametrize("name", ["normal", "split"])
def test_a_compiled_function_is_compiled_once(ns: ModuleType, name: str):
    counts: list[int] = []
    function = ns.jit(lambda key: [counts.append(1), getattr(ns.random, name)(key)][1])
    for seed in range(3):
        function(ns.random.key(seed))
    assert len(counts) == 1
    compiled = function.lower(ns.random.key(0)).compile()
    ours, theirs = compiled(ns.random.key(9)), function(ns.random.key(9))
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype


# -- making keys -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", ["key", "PRNGKey"])
def test_seeds(ns: ModuleType, make: str):
    function = getattr(ns.random, make)
    for seed, error, text in (
        (ns.random.key(0), TypeError, "accepts a scalar seed"),
        (np.arange(4), TypeError, "accepts a scalar seed"),
        (np.pi, TypeError, "PRNG key seed must be an integer"),
    ):
        with pytest.raises(error, match=text):
            function(seed)
    for seed in (3, np.int32(3), np.uint8(3), ns.numpy.asarray(3)):
        assert np.array_equal(words(ns, function(seed)), words(ns, function(3)))


@pytest.mark.parametrize("impl", IMPLEMENTATIONS)
def test_implementations(ns: ModuleType, impl: str):
    key = ns.random.key(42, impl=impl)
    assert same(ns, ns.random.key(42, impl=ns.random.key_impl(key)), key)
    assert same(ns, ns.random.wrap_key_data(ns.random.key_data(key), impl=ns.random.key_impl(key)), key)
    assert same(ns, ns.random.wrap_key_data(words(ns, key), impl=impl), key)
    assert str(ns.random.key_impl(key)) == impl
    for derived in (ns.random.split(key)[0], ns.random.fold_in(key, 1), ns.random.clone(key)):
        assert derived.dtype == key.dtype
    raw = ns.random.PRNGKey(42, impl=impl)
    assert np.array_equal(raw, words(ns, key))
    assert raw.dtype == np.uint32


def test_the_default_is_used_where_none_is_named(ns: ModuleType):
    key = ns.random.key(17)
    assert same(ns, ns.random.wrap_key_data(ns.random.key_data(key)), key)
    with ns.default_prng_impl("rbg"):
        other = ns.random.key(17)
        assert same(ns, ns.random.key(17, impl="rbg"), other)
        assert ns.random.PRNGKey(17).shape == (4,)
    assert other.dtype != key.dtype


def test_unknown_implementations(ns: ModuleType):
    with pytest.raises(ValueError, match="unrecognized PRNG implementation"):
        ns.random.key(42, impl="unlikely name")
    with pytest.raises(TypeError, match=r"unrecognized type .* PRNG"):
        ns.random.key(42, impl=object())


@pytest.mark.parametrize("how", ["eager", "jit", "vmap", "vmap of jit"])
def test_the_words_of_keys(ns: ModuleType, how: str):
    keys = make_keys(ns, 3, 4)
    function = {
        "eager": lambda f: f,
        "jit": ns.jit,
        "vmap": ns.vmap,
        "vmap of jit": lambda f: ns.vmap(ns.jit(f)),
    }[how](lambda keys: ns.random.key_data(keys))
    data = function(keys)
    assert (data.dtype, data.shape[:2]) == (np.uint32, (3, 4))
    assert np.array_equal(data, words(ns, keys))


def test_words_become_keys_along_any_axis(ns: ModuleType):
    data = ns.numpy.arange(6, dtype="uint32").reshape(3, 2)
    keys = ns.vmap(ns.random.wrap_key_data)(data)
    assert keys.shape == (3,)
    assert same(ns, ns.vmap(ns.random.wrap_key_data, in_axes=1)(data.T), keys)


# -- keys in transformations and control flow ------------------------------------------------------------------------


def test_shapes_without_values(ns: ModuleType):
    key = ns.random.key(1)
    assert ns.eval_shape(lambda key: ns.random.bits(key, (5,), "uint16"), key).dtype == np.uint16
    assert ns.eval_shape(ns.random.key, 28).shape == ()
    out = ns.eval_shape(ns.random.split, ns.ShapeDtypeStruct(key.shape, key.dtype))
    assert (out.shape, out.dtype) == ((2,), key.dtype)


def test_maps(ns: ModuleType):
    keys = make_keys(ns, 3, 4, 5)
    assert ns.vmap(ns.jit(lambda key: key.T))(keys).shape == (3, 5, 4)
    assert ns.vmap(lambda key: key, in_axes=1, out_axes=2)(keys).shape == (3, 5, 4)
    each = ns.vmap(ns.vmap(ns.vmap(ns.random.bits)))(keys)
    assert int(each[1, 2, 3]) == int(ns.random.bits(keys[1, 2, 3]))


def test_scans(ns: ModuleType):
    keys = make_keys(ns, 3, 4, 5)
    function = lambda keys: ns.lax.scan(lambda _, key: (None, key.T), None, keys)
    (equation,) = ns.make_jaxpr(function)(keys).jaxpr.eqns
    assert (equation.primitive.name, equation.outvars[0].aval.shape) == ("scan", (3, 5, 4))
    assert equation.outvars[0].aval.dtype == keys.dtype
    _, out = ns.jit(function)(keys)
    assert same(ns, out, keys.transpose((0, 2, 1)))


def test_loops_and_branches(ns: ModuleType):
    key = ns.random.key(5)
    split = lambda key: ns.random.split(key)[0]
    expected = split(split(split(key)))
    assert same(ns, ns.lax.fori_loop(0, 3, lambda _, key: split(key), key), expected)
    _, out = ns.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, split(s[1])), (0, key))
    assert same(ns, out, expected)
    assert same(ns, ns.lax.cond(True, split, lambda key: key, key), split(key))
    assert same(ns, ns.lax.switch(1, [lambda key: key, split], key), split(key))
    keys = ns.random.split(key, 4)
    assert np.array_equal(ns.lax.map(ns.random.bits, keys), ns.vmap(ns.random.bits)(keys))


def test_selection(ns: ModuleType):
    one, other = make_keys(ns, 3, 2), make_keys(ns, 6)[::-1].reshape(3, 2)
    which = ns.numpy.array([[True, False], [False, True], [False, True]])
    out = ns.jit(ns.lax.select)(which, one, other)
    assert same(ns, out[0, 0], one[0, 0]) and same(ns, out[0, 1], other[0, 1])
    assert same(ns, ns.lax.select(True, one, other), one)
    assert same(ns, ns.numpy.where(which, one, other), out)
    picked = ns.vmap(lambda yes, a, b: ns.lax.cond(yes, lambda: a, lambda: b))(which[:, 0], one[:, 0], other[:, 0])
    assert same(ns, picked, out[:, 0])


def test_slices(ns: ModuleType):
    keys, index = make_keys(ns, 3, 4), np.int16(1)
    assert same(ns, ns.jit(lambda keys: ns.lax.slice_in_dim(keys, 1, 3))(keys), keys[1:3])
    assert same(ns, ns.jit(lambda keys, i: ns.lax.dynamic_slice_in_dim(keys, i, 2))(keys, index), keys[1:3])
    update = ns.jit(lambda keys, one, i: ns.lax.dynamic_update_slice_in_dim(keys, one, i, axis=0))
    assert same(ns, update(keys, keys[:1], index)[1], keys[0])


def test_derivatives(ns: ModuleType):
    seen: list[Any] = []
    plain = lambda x, key: x * ns.random.normal(key)
    function = ns.custom_jvp(plain)

    @function.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        seen.append(tangents[1])
        draw = ns.random.normal(primals[1])
        return primals[0] * draw, tangents[0] * draw

    key = ns.random.key(7)
    assert ns.grad(function)(0.0, key) == ns.grad(plain)(0.0, key)
    assert seen[0].dtype == ns.dtypes.float0 or is_key(ns, seen[0])
    with pytest.raises(TypeError, match=r"^grad requires real- or complex-valued inputs"):
        ns.grad(lambda key: ns.random.normal(key))(key)
    value, gradient = ns.value_and_grad(plain)(2.0, key)
    assert value == 2 * gradient
    assert ns.grad(ns.checkpoint(plain))(0.0, key) == gradient


# -- indexing --------------------------------------------------------------------------------------------------------

INDICES: dict[str, Callable[[Any], Any]] = {
    "0, 0": lambda a: a[0, 0],
    "0": lambda a: a[0],
    ":, 1": lambda a: a[:, 1],
    "None": lambda a: a[None],
    "None, :, None": lambda a: a[None, :, None],
    "..., 1:, None": lambda a: a[..., 1:, None],
    "None, 0, ..., 1, None": lambda a: a[None, 0, ..., 1, None],
    "array": lambda a: a[np.array([1, 0, 1])],
    "mask": lambda a: a[np.array([True, False])],
    "array, array": lambda a: a[np.array([0, 1]), np.array([2, 0])],
    "steps": lambda a: a[::-1, ::2],
    "get": lambda a: a.at[1].get(),
    "set": lambda a: a.at[1].set(a[0]),
    "set of a mask": lambda a: a.at[np.array([True, False])].set(a[1]),
    "set of an array": lambda a: a.at[:, np.array([0, 2])].set(a[:, :2]),
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_an_index_does_with_keys_what_it_does_with_their_numbers(ns: ModuleType, index: Callable[[Any], Any]):
    keys = make_keys(ns, 2, 3)
    expected = np.asarray(index(ns.numpy.arange(6).reshape(2, 3)))
    flat = words(ns, keys).reshape(6, -1)
    out = index(keys)
    assert is_key(ns, out) and out.shape == expected.shape
    assert np.array_equal(words(ns, out), flat[expected])
    assert same(ns, ns.jit(index)(keys), out)


def test_too_many_indices(ns: ModuleType):
    keys = make_keys(ns, 2, 3)
    for index in (lambda: keys[0, 1, 2], lambda: keys[0, 1, None, 2], lambda: keys[0, 0][0]):
        with pytest.raises(IndexError, match="Too many indices"):
            index()
    assert keys[0, 0][None].shape == (1,)


def test_iteration(ns: ModuleType):
    keys = make_keys(ns, 3)
    assert [same(ns, key, keys[i]) for i, key in enumerate(keys)] == [True] * 3
    assert len(keys) == 3
    first, second = ns.random.split(keys[0])
    assert not same(ns, first, second)


# -- functions of jax.numpy ------------------------------------------------------------------------------------------

TAKE = since("0.8", "take of keys")
SHAPES: dict[str, Callable[[ModuleType, Any], Any]] = {
    "reshape": lambda np_, a: np_.reshape(a, (3, 2)),
    "method reshape": lambda np_, a: a.reshape(-1),
    "ravel": lambda np_, a: np_.ravel(a),
    "flatten": lambda np_, a: a.flatten(),
    "tile": lambda np_, a: np_.tile(a, 3),
    "repeat": lambda np_, a: np_.repeat(a, 2, axis=0),
    "concatenate": lambda np_, a: np_.concatenate([a, a], axis=1),
    "stack": lambda np_, a: np_.stack([a, a[::-1]]),
    "vstack": lambda np_, a: np_.vstack([a, a]),
    "append": lambda np_, a: np_.append(a, a[0, 0]),
    "broadcast_to": lambda np_, a: np_.broadcast_to(a, (4, 2, 3)),
    "broadcast_arrays": lambda np_, a: np_.broadcast_arrays(a[0], a)[0],
    "expand_dims": lambda np_, a: np_.expand_dims(a, 1),
    "squeeze": lambda np_, a: np_.squeeze(a[None]),
    "transpose": lambda np_, a: np_.transpose(a),
    "T": lambda np_, a: a.T,
    "swapaxes": lambda np_, a: np_.swapaxes(a, 0, 1),
    "moveaxis": lambda np_, a: np_.moveaxis(a, 0, -1),
    "flip": lambda np_, a: np_.flip(a),
    "roll": lambda np_, a: np_.roll(a, 1),
    "rot90": lambda np_, a: np_.rot90(a),
    "take": lambda np_, a: np_.take(a, np_.array([1, 0]), axis=1),
    "split": lambda np_, a: np_.split(a, 3, axis=1)[1],
    "array_split": lambda np_, a: np_.array_split(a, 2, axis=1)[0],
    "array": lambda np_, a: np_.array(a),
    "asarray": lambda np_, a: np_.asarray(a),
    "array with dtype": lambda np_, a: np_.array(a, dtype=a.dtype),
    "array of keys": lambda np_, a: np_.array([a[0, 0], a[1, 1]]),
    "copy": lambda np_, a: np_.copy(a),
    "where": lambda np_, a: np_.where(np_.array([True, False, True]), a, a[::-1]),
    "atleast_3d": lambda np_, a: np_.atleast_3d(a),
    "diagonal": lambda np_, a: np_.diagonal(a),
    "full_like": lambda np_, a: np_.full_like(a, a[1, 2]),
    "full": lambda np_, a: np_.full((4,), a[1, 0], dtype=a.dtype),
}


@pytest.mark.parametrize(
    "function",
    [pytest.param(f, marks=TAKE if name == "take" else ()) for name, f in SHAPES.items()],
    ids=SHAPES,
)
def test_functions_move_keys_as_they_move_numbers(ns: ModuleType, function: Callable[[ModuleType, Any], Any]):
    keys = make_keys(ns, 2, 3)
    expected = np.asarray(function(ns.numpy, ns.numpy.arange(6).reshape(2, 3)))
    out = function(ns.numpy, keys)
    assert is_key(ns, out) and out.shape == expected.shape
    assert np.array_equal(words(ns, out), words(ns, keys).reshape(6, -1)[expected])
    assert same(ns, ns.jit(lambda keys: function(ns.numpy, keys))(keys), out)


@pytest.mark.parametrize(("name", "value"), [("empty", ()), ("zeros", ()), ("ones", ()), ("full", (100,))])
def test_filled_arrays(ns: ModuleType, name: str, value: tuple[int, ...]):
    keys = make_keys(ns, 2, 3)
    made = getattr(ns.numpy, name)((4,), *value, dtype=keys.dtype)
    like = getattr(ns.numpy, f"{name}_like")(keys, *value)
    assert is_key(ns, made) and is_key(ns, like)
    assert (made.shape, like.shape) == ((4,), (2, 3))
    if name != "empty":
        expected = getattr(np, name)((2, 3, 2), *value, dtype="uint32")
        assert np.array_equal(words(ns, like), expected)


def test_equality(ns: ModuleType):
    key, other = ns.random.key(123), ns.random.key(456)
    assert bool(key == key.copy()) and bool(key != other)
    assert not bool(key == other) and not bool(key != key.copy())
    keys = ns.random.split(key, 5).at[2:4].set(key)
    assert (key == keys).tolist() == [False, False, True, True, False]
    assert (keys != key).tolist() == [True, True, False, False, True]
    assert ns.numpy.array_equal(keys, keys)


def test_what_keys_refuse(ns: ModuleType):
    key, np_ = ns.random.key(123), ns.numpy
    for refused in (
        lambda: np_.add(key, 1),
        lambda: key + 1,
        lambda: 1 + key,
        lambda: np_.add(key, key),
        lambda: key + key,
        lambda: np_.negative(key),
        lambda: -key,
        lambda: key * 2.0,
        lambda: key @ key,
        lambda: key < key,
        lambda: np_.sum(make_keys(ns, 3)),
        lambda: ns.jit(lambda key: key + 1)(key),
        lambda: ns.lax.add(key, key),
    ):
        with pytest.raises((TypeError, ValueError), match="key<fry>"):
            refused()
    for refused in (lambda: ns.lax.convert_element_type(key, int), lambda: np_.asarray(key, dtype=int)):
        with pytest.raises((TypeError, ValueError), match="key<fry>"):
            refused()
    for refused in (lambda: np.asarray(key), lambda: int(key), lambda: float(key), lambda: bool(key), lambda: [*key]):
        with pytest.raises(TypeError):
            refused()


def test_trees(ns: ModuleType):
    key = ns.random.key(0)
    assert ns.tree.leaves({"a": key, "b": [key]}) == [key, key]
    assert ns.tree_util.tree_map(lambda key: key.shape, (key, make_keys(ns, 2))) == ((), (2,))
    state = ns.tree.unflatten(ns.tree.structure((0, 0)), [key, key])
    assert same(ns, state[1], key)
    assert pickle.loads(pickle.dumps(words(ns, key))).tolist() == words(ns, key).tolist()


# -- samplers --------------------------------------------------------------------------------------------------------

SAMPLERS: dict[str, tuple[Any, ...]] = {
    "ball": (3,),
    "bernoulli": (),
    "beta": (2.0, 3.0),
    "binomial": (5, 0.5),
    "bits": (),
    "categorical": (np.log([0.2, 0.8]),),
    "cauchy": (),
    "chisquare": (3.0,),
    "choice": (5,),
    "dirichlet": (np.ones(3),),
    "double_sided_maxwell": (0.0, 1.0),
    "exponential": (),
    "f": (2.0, 3.0),
    "gamma": (2.0,),
    "generalized_normal": (1.5,),
    "geometric": (0.5,),
    "gumbel": (),
    "laplace": (),
    "loggamma": (2.0,),
    "logistic": (),
    "lognormal": (),
    "maxwell": (),
    "multivariate_normal": (np.zeros(2), np.eye(2)),
    "normal": (),
    "orthogonal": (3,),
    "pareto": (2.0,),
    "permutation": (6,),
    "poisson": (3.0,),
    "rademacher": (),
    "randint": ((), 0, 9),
    "rayleigh": (1.0,),
    "t": (3.0,),
    "triangular": (0.0, 0.5, 1.0),
    "truncated_normal": (-1.0, 1.0),
    "uniform": (),
    "wald": (1.0,),
    "weibull_min": (1.0, 2.0),
}


@pytest.mark.search
@pytest.mark.parametrize("name", sorted(SAMPLERS)[::3])
def test_samplers_draw_one_number_from_typed_and_raw_keys(ns: ModuleType, name: str):
    function, arguments = getattr(ns.random, name), SAMPLERS[name]
    typed = np.asarray(function(ns.random.key(11), *arguments))
    assert typed.tobytes() == np.asarray(function(ns.random.PRNGKey(11), *arguments)).tobytes()
    assert typed.tobytes() == np.asarray(getattr(jax.random, name)(jax.random.key(11), *arguments)).tobytes()
    assert ns.eval_shape(lambda key: function(key, *arguments), ns.random.key(11)).shape == typed.shape
    with pytest.raises(ValueError, match="accepts a single key"):
        function(make_keys(ns, 2), *arguments)


@pytest.mark.parametrize("make", ["key", "PRNGKey"])
@pytest.mark.parametrize("kind", [int, np.int32, np.uint32, np.int64])
@pytest.mark.parametrize(("seed", "expected"), [(0, [0, 0]), (3, [0, 3]), (2**31 - 1, [0, 2**31 - 1])])
def test_a_seed_of_any_kind_is_its_number(ns: ModuleType, make: str, kind: type, seed: int, expected: list[int]):
    function = getattr(ns.random, make)
    for how in (function, ns.jit(function)):
        assert words(ns, how(kind(seed))).tolist() == expected


def test_seeds_that_are_negative_or_large(ns: ModuleType):
    assert words(ns, ns.random.key(-1)).tolist()[1] == 2**32 - 1
    assert words(ns, ns.random.key(np.uint32(2**32 - 2))).tolist()[1] == 2**32 - 2
    with pytest.raises(OverflowError):
        ns.random.key(2**64)


def test_the_numbers_of_known_keys(ns: ModuleType):
    """JAX promises that these stay the same between releases with the same flags."""
    raw, typed = ns.random.PRNGKey(0), ns.random.key(0)
    older = [[2285895361, 1501764800], [1518642379, 4090693311], [433833334, 4221794875], [839183663, 3740430601]]
    with ns.threefry_partitionable(False):
        for key in (raw, typed):
            assert words(ns, ns.random.split(key, 4)).tolist() == older
            assert words(ns, ns.random.fold_in(key, 4)).tolist() == [2285895361, 433833334]
            assert ns.random.randint(key, (3, 3), 0, 8).tolist() == [[2, 1, 3], [6, 1, 5], [6, 3, 4]]


def test_numbers_of_children(ns: ModuleType):
    key = ns.random.key(7)
    assert ns.random.split(key).shape == (2,)
    assert ns.random.split(key, (2, 3)).shape == (2, 3)
    assert ns.random.split(key, 0).shape == (0,)
    assert same(ns, ns.random.split(key, (6,)).reshape(2, 3), ns.random.split(key, (2, 3)))
    children = {tuple(words(ns, ns.random.fold_in(key, n))) for n in (*range(10), 2**32 - 1)}
    assert len(children) == 11
    with pytest.raises(TypeError, match="fold_in accepts a scalar"):
        ns.random.fold_in(key, np.arange(3))
    with pytest.raises(ValueError, match="fold_in accepts a single key"):
        ns.random.fold_in(make_keys(ns, 3), 1)
    with pytest.raises(ValueError, match="split accepts a single key"):
        ns.random.split(make_keys(ns, 3))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_bits(ns: ModuleType, dtype: str):
    bits = np.asarray(ns.random.bits(ns.random.key(1), (1000,), dtype))
    assert bits.dtype == dtype
    each = np.unpackbits(bits.view(np.uint8)).mean()
    assert abs(each - 0.5) < 0.03
    with pytest.raises(ValueError, match="dtype argument"):
        ns.random.bits(ns.random.key(1), (2,), "int32")


def test_integers(ns: ModuleType):
    key = ns.random.key(1)
    assert ns.random.randint(key, (), 0, 0) == 0
    drawn = ns.random.randint(key, (10, 2), ns.numpy.array([0, 5]), ns.numpy.array([1, 6]))
    assert np.array_equal(drawn, np.tile([0, 5], (10, 1)))
    whole = np.asarray(ns.random.randint(key, (4000,), -128, 128, "int8"))
    assert (whole.dtype, whole.min(), whole.max()) == (np.int8, -128, 127)
    with pytest.raises(TypeError, match="only accepts integer dtypes"):
        ns.random.randint(key, (2,), 0, 3, "float32")


@pytest.mark.parametrize("name", ["normal", "uniform", "gumbel", "laplace", "exponential", "truncated_normal"])
def test_a_dtype_that_a_sampler_does_not_have(ns: ModuleType, name: str):
    function, arguments = getattr(ns.random, name), (-1.0, 1.0) if name == "truncated_normal" else ()
    for dtype in ("float16", "bfloat16", "float32"):
        assert function(ns.random.key(0), *arguments, shape=(2,), dtype=dtype).dtype == dtype
    with pytest.raises(ValueError, match="dtype argument"):
        function(ns.random.key(0), *arguments, shape=(2,), dtype="int32")


@pytest.mark.search
@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_choices(ns: ModuleType, replace: bool, weighted: bool):
    key, rows = ns.random.key(3), ns.numpy.arange(24).reshape(4, 6)
    for axis in (0, 1, -1):
        count = rows.shape[axis]
        p = ns.numpy.array([0.5, *[0.5 / (count - 1)] * (count - 1)]) if weighted else None
        taken = np.asarray(ns.random.choice(key, rows, (2,), replace, p, axis))
        assert taken.shape == tuple(2 if n == axis % 2 else size for n, size in enumerate(rows.shape))
        every = {tuple(row) for row in np.moveaxis(np.asarray(rows), axis, 0).tolist()}
        chosen = [tuple(row) for row in np.moveaxis(taken, axis, 0).tolist()]
        assert set(chosen) <= every and (replace or len(set(chosen)) == 2)
    with pytest.raises(TypeError):
        ns.random.choice(key, 5, 2, replace)  # the shape is no sequence
    with pytest.raises(ValueError, match="p must be" if replace else "Cannot take a larger sample"):
        ns.random.choice(key, 3, (5,), replace, ns.numpy.ones(2) / 2 if replace else None)


@pytest.mark.search
@pytest.mark.parametrize("independent", [True, False])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_permutations(ns: ModuleType, axis: int, independent: bool):
    rows = np.arange(60).reshape(5, 12)
    mixed = np.asarray(ns.random.permutation(ns.random.key(2), rows, axis, independent))
    assert mixed.shape == rows.shape and not np.array_equal(mixed, rows)
    assert np.array_equal(np.sort(mixed, axis), rows)
    together = {tuple(np.argsort(line)) for line in np.moveaxis(mixed, axis, -1).reshape(-1, rows.shape[axis])}
    assert (len(together) > 1) is independent
    assert sorted(ns.random.permutation(ns.random.key(2), 9).tolist()) == list(range(9))


@pytest.mark.search
def test_shapes_of_parameters(ns: ModuleType):
    key = ns.random.key(1)
    for name in ("gamma", "poisson", "pareto", "t", "chisquare"):
        function = getattr(ns.random, name)
        assert function(key, ns.numpy.array([2.0, 3.0])).shape == (2,)
        assert function(key, ns.numpy.array([2.0, 3.0]), shape=(3, 2)).shape == (3, 2)
        with pytest.raises((ValueError, TypeError), match=r"broadcast|shape"):
            function(key, ns.numpy.array([2.0, 3.0]), shape=(3,))
    for mean, cov, shape in (((2,), (2, 2), ()), ((3, 2), (2, 2), (3,)), ((2,), (3, 2, 2), (5, 3))):
        eye = ns.numpy.broadcast_to(ns.numpy.eye(2), cov)
        assert ns.random.multivariate_normal(key, ns.numpy.zeros(mean), eye, shape).shape == (*shape, 2)


def test_shapes_of_results_need_no_memory(ns: ModuleType):
    out = ns.eval_shape(lambda seed: ns.random.normal(ns.random.key(seed), (10**12,)), 0)
    assert out.shape == (10**12,)


@pytest.mark.search
def test_gradients_of_samples(ns: ModuleType):
    draw = lambda a: ns.random.gamma(ns.random.key(0), a)
    gradient = ns.grad(lambda a: ns.numpy.sum(ns.vmap(draw)(a)))(ns.numpy.array([2.0, 5.0]))
    above, below = (ns.vmap(draw)(ns.numpy.array([2.0, 5.0]) + step) for step in (0.01, -0.01))
    slope = (above - below) / 0.02
    assert np.allclose(gradient, slope, rtol=0.05)
    assert ns.grad(lambda m: ns.random.normal(ns.random.key(1)) * m)(2.0) == ns.random.normal(ns.random.key(1))


@pytest.mark.search
@pytest.mark.parametrize("name", ["normal", "uniform", "bernoulli", "categorical", "randint", "permutation", "choice"])
def test_a_compiled_sampler_draws_what_it_draws_otherwise(ns: ModuleType, name: str):
    function, arguments = getattr(ns.random, name), SAMPLERS[name]
    for key in (ns.random.key(5), ns.random.PRNGKey(5), ns.random.key(5, impl="rbg")):
        eager = np.asarray(function(key, *arguments))
        assert np.allclose(ns.jit(lambda key: function(key, *arguments))(key), eager, rtol=1e-6)


def test_lanes_draw_what_single_keys_draw(ns: ModuleType):
    keys = ns.random.split(ns.random.key(4), 3)
    assert np.array_equal(ns.vmap(ns.random.bits)(keys), [ns.random.bits(key) for key in keys])
    assert same(ns, ns.vmap(ns.random.split)(keys)[1], ns.random.split(keys[1]))
    assert same(ns, ns.vmap(ns.random.fold_in, (None, 0))(keys[0], np.arange(3))[2], ns.random.fold_in(keys[0], 2))
    assert same(ns, ns.vmap(ns.random.fold_in)(keys, np.arange(3))[2], ns.random.fold_in(keys[2], 2))


# -- JAX's check for reused keys -------------------------------------------------------------------------------------

GOOD: dict[str, Callable[[ModuleType, Any], Any]] = {
    "split, then one draw of each": lambda ns, key: [ns.random.uniform(one) for one in ns.random.split(key)],
    "fold_in and a draw": lambda ns, key: (ns.random.fold_in(key, 1), ns.random.uniform(key)),
    "many of fold_in": lambda ns, key: [ns.random.uniform(ns.random.fold_in(key, i)) for i in range(4)],
    "one branch of two": lambda ns, key: ns.lax.cond(True, ns.random.uniform, ns.random.normal, key),
    "scan with a split": lambda ns, key: ns.lax.scan(
        lambda key, _: (ns.random.split(key)[0], None), key, None, length=3
    ),
    "map over keys": lambda ns, key: ns.lax.map(ns.random.bits, ns.random.split(key, 4)),
    "vmap over keys": lambda ns, key: ns.vmap(ns.random.bits)(ns.random.split(key, 4)),
    "a clone": lambda ns, key: (ns.random.uniform(ns.random.clone(key)), ns.random.uniform(key)),
    "words": lambda ns, key: (ns.random.key_data(key), ns.random.uniform(key)),
}
BAD: dict[str, Callable[[ModuleType, Any], Any]] = {
    "two draws": lambda ns, key: (ns.random.uniform(key), ns.random.normal(key)),
    "a draw after a split": lambda ns, key: (ns.random.split(key), ns.random.uniform(key)),
    "two splits": lambda ns, key: (ns.random.split(key), ns.random.split(key)),
    "broadcast": lambda ns, key: (ns.random.bits(key), ns.vmap(ns.random.bits)(key[None])),
    "reshape": lambda ns, key: (ns.random.bits(key), ns.random.bits(key.reshape((1,))[0])),
    "after a branch": lambda ns, key: (
        ns.lax.cond(True, ns.random.uniform, lambda _: 1.0, key),
        ns.random.uniform(key),
    ),
    "scan that closes over it": lambda ns, key: ns.lax.scan(
        lambda c, _: (c, ns.random.uniform(key)), None, None, length=3
    ),
    "scan that carries it on": lambda ns, key: ns.lax.scan(
        lambda key, _: (key, ns.random.bits(key)), key, None, length=3
    ),
    "condition of a while loop": lambda ns, key: ns.lax.while_loop(
        lambda s: s[0] < ns.random.uniform(s[1]), lambda s: (s[0] + 1, s[1]), (0.0, key)
    ),
    "body of a while loop": lambda ns, key: ns.lax.while_loop(
        lambda s: s[0] < 3, lambda s: (s[0] + ns.random.uniform(s[1]), s[1]), (0.0, key)
    ),
    "remat": lambda ns, key: (ns.checkpoint(ns.random.uniform)(key), ns.random.uniform(key)),
}


@pytest.mark.parametrize("how", ["eager", "jit"])
@pytest.mark.parametrize("program", GOOD.values(), ids=GOOD)
def test_the_check_accepts(ns: ModuleType, program: Callable[[ModuleType, Any], Any], how: str):
    function = ns.jit(lambda key: program(ns, key)) if how == "jit" else lambda key: program(ns, key)
    with ns.debug_key_reuse(True):
        ns.block_until_ready(function(ns.random.key(0)))


@pytest.mark.parametrize("how", ["eager", "jit"])
@pytest.mark.parametrize("program", BAD.values(), ids=BAD)
def test_the_check_refuses(ns: ModuleType, program: Callable[[ModuleType, Any], Any], how: str):
    function = ns.jit(lambda key: program(ns, key)) if how == "jit" else lambda key: program(ns, key)
    with ns.debug_key_reuse(True), pytest.raises(ns.errors.KeyReuseError):
        function(ns.random.key(0))


# -- raw and typed keys ----------------------------------------------------------------------------------------------


def test_the_flag_for_raw_keys(ns: ModuleType):
    typed = ns.random.key(0)
    with ns.legacy_prng_key("allow"):
        ns.random.uniform(ns.random.PRNGKey(0))
    with ns.legacy_prng_key("warn"), pytest.warns(UserWarning, match="raw"):
        ns.random.uniform(ns.random.PRNGKey(0))
    with ns.legacy_prng_key("error"):
        ns.random.uniform(typed)
        ns.random.split(typed)
        with pytest.raises(ValueError, match="raw"):
            ns.random.uniform(ns.random.PRNGKey(0))


def test_the_flag_for_other_numbers(ns: ModuleType):
    key = ns.random.key(0)
    with ns.threefry_partitionable(True):
        new = float(ns.random.uniform(key))
    with ns.threefry_partitionable(False):
        old = float(ns.random.uniform(key))
    assert new != old
