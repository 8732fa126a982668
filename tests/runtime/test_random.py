"""Typed keys in ``olympus.random``, ``olympus.dtypes`` and ``ensure_typed_key_array`` (JEP 9263)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest

jax = pytest.importorskip("jax", reason="the namespace stands for JAX's")

from releases import KEY_DTYPE, PHILOX  # noqa: E402

import olympus  # noqa: E402
from olympus import dtypes, random  # noqa: E402

WIDTHS = {"threefry2x32": 2, "rbg": 4, "unsafe_rbg": 4, "philox2x32": 1, "philox4x32": 2, "threefry4x32": 4}
TAGS = {"threefry2x32": "fry", "rbg": "rbg", "unsafe_rbg": "urbg", "philox2x32": "phx2", "philox4x32": "phx4"}


def same(one: jax.Array, other: jax.Array) -> bool:
    return one.dtype == other.dtype and bool((random.key_data(one) == random.key_data(other)).all())


@pytest.mark.parametrize("impl", [pytest.param(n, marks=PHILOX if n.startswith("philox") else ()) for n in TAGS])
def test_a_key_hides_its_words(impl: str):
    key = random.key(7, impl=impl)
    assert (key.shape, str(key.dtype)) == ((), f"key<{TAGS[impl]}>")
    assert random.key_data(key).shape == (WIDTHS[impl],)
    assert random.PRNGKey(7, impl=impl).shape == (WIDTHS[impl],)
    assert random.key_impl(key) == impl
    assert same(random.wrap_key_data(random.key_data(key), impl=impl), key)
    assert same(random.clone(key), key)
    assert random.split(key, (2, 3)).shape == (2, 3)
    assert random.fold_in(key, 1).dtype == key.dtype


@KEY_DTYPE
def test_a_dtype_chooses_the_generator():
    dtype = random.key_dtype("rbg")
    assert dtype == random.key(3, impl="rbg").dtype
    assert same(random.key(3, dtype=dtype), random.key(3, impl="rbg"))
    words = random.key_data(random.key(3, impl="rbg"))
    assert random.wrap_key_data(words, dtype=dtype).dtype == dtype


def test_key_data_of_a_legacy_key_is_the_key():
    raw = random.PRNGKey(5)
    assert random.key_data(raw) is raw
    assert random.key_data(random.split(raw, 3)).shape == (3, 2)
    assert (olympus.jit(random.key_data)(raw) == raw).all()


def test_detection_by_dtype():
    typed, raw = random.split(random.key(0)), random.PRNGKey(0)
    for kind in (dtypes.prng_key, dtypes.extended):
        assert dtypes.issubdtype(typed.dtype, kind)
        assert olympus.numpy.issubdtype(typed.dtype, kind)
        assert not dtypes.issubdtype(raw.dtype, kind)
    assert dtypes.issubdtype(dtypes.prng_key, dtypes.extended)


def test_the_scalar_type_is_a_numpy_type_without_instances():
    kind = random.key(0).dtype.type
    assert kind is dtypes.prng_key
    assert issubclass(kind, numpy.generic)
    for arguments in ((), (0,)):
        with pytest.raises(TypeError, match="cannot create 'prng_key' instances"):
            kind(*arguments)


@pytest.mark.parametrize("name", ["key", "PRNGKey", pytest.param("key_dtype", marks=KEY_DTYPE), "wrap_key_data"])
def test_registered_generators_are_found_by_name(name: str):
    function = getattr(random, name)
    argument = olympus.numpy.zeros(8, "uint32") if name == "wrap_key_data" else 0
    calls = [lambda impl: function(argument, impl=impl)]
    if name == "key_dtype":
        calls = [lambda impl: function(impl), lambda impl: function(impl_spec=impl)]
    for call in calls:
        made = call("chacha20")
        assert made.shape == (8,) if name == "PRNGKey" else "key<chacha20>" in str(getattr(made, "dtype", made))


def test_an_unknown_generator_is_a_value_error():
    with pytest.raises(ValueError, match="bogus"):
        random.key(0, impl="bogus")


# -- ensure_typed_key_array ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("transform", [lambda f: f, olympus.jit, olympus.vmap, olympus.checkpoint, olympus.make_jaxpr])
def test_typed_keys_pass(transform):
    def library(keys: jax.Array) -> jax.Array:
        seen.append(olympus.ensure_typed_key_array(keys) is keys)
        return keys

    seen: list[bool] = []
    transform(library)(random.split(random.key(0), 3))
    assert seen == [True]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (random.PRNGKey(0), "a raw key of dtype uint32 and shape (2,)"),
        (random.split(random.PRNGKey(0), 3), "an array of raw keys of dtype uint32 and shape (3, 2)"),
        (numpy.zeros(2, "uint32"), "a raw key of dtype uint32 and shape (2,)"),
        (numpy.zeros(3), "an array of dtype float64 and shape (3,)"),
        (0, "the number 0"),
        (None, "a NoneType"),
        (SimpleNamespace(dtype="key<fry>"), "a SimpleNamespace"),
        (SimpleNamespace(dtype="uint32", shape=3), "an array of dtype uint32 and shape 3"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_else_is_a_type_error(given: object, said: str):
    with pytest.raises(TypeError) as caught:
        olympus.ensure_typed_key_array(given)
    assert str(caught.value).startswith(f"New-style typed JAX PRNG keys required, and this is {said}. ")


def test_a_traced_legacy_key_is_a_type_error():
    with pytest.raises(TypeError, match=r"^New-style typed JAX PRNG keys required"):
        olympus.jit(olympus.ensure_typed_key_array)(random.PRNGKey(0))
