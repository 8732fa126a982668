"""Errors that teach: JAX's exception, with what went wrong and what to write instead."""

from __future__ import annotations

import linecache
import pickle
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from types import CodeType

import numpy
import pytest

jax = pytest.importorskip("jax", reason="the errors are JAX's")

from jax.extend import source_info_util  # noqa: E402
from releases import AT_BOUNDARY, VERSION, but, since  # noqa: E402

import olympus  # noqa: E402
from olympus import errors, lax, random  # noqa: E402
from olympus.namespace import explaining, key_errors, operators  # noqa: E402

jnp = jax.numpy
KEY = random.key(0)
KEYS = random.split(random.key(1), 3)
ONE, MANY = "a key of dtype key<fry> and shape ()", "a key array of dtype key<fry> and shape (3,)"
SPLIT = "Derive keys with split(key, n) or fold_in(key, number)"


def too_many(axes: int, parts: str) -> str:
    """Return the words of this JAX for an index with too many parts."""
    if VERSION >= (0, 8):
        return f"Too many indices: array is {axes}-dimensional, but {parts.split()[0]} were indexed"
    return f"Too many indices: {axes}-dimensional array indexed with {parts}"


Case = tuple[Callable[[jax.Array, jax.Array], object], type[Exception], str, list[str]]

# What is done to a key and to a key array; the exception; the start of its text, which is JAX's; what it goes on with.
CASES: dict[str, Case] = {
    "index": (
        lambda key, keys: key[1],
        IndexError,
        too_many(0, "1 regular index"),
        ["Indexing reads the words", ONE, SPLIT, "key_data(key)"],
    ),
    "index by a traced number": (
        lambda key, keys: key[jnp.int32(1)],
        IndexError,
        too_many(0, "1 regular index"),
        ["Indexing reads the words", ONE],
    ),
    "index of words in a key array": (
        lambda key, keys: keys[0, 1],
        IndexError,
        too_many(1, "2 regular indices"),
        ["more parts than the key array has axes", MANY, "key_data(key)"],
    ),
    "add": (
        lambda key, keys: key + 1,
        TypeError,
        "add does not accept dtypes key<fry>, int32.",
        ["The operator +", ONE, SPLIT, "key_data(key)"],
    ),
    "add, reflected": (
        lambda key, keys: 1 + key,
        TypeError,
        "add does not accept dtypes int32, key<fry>.",
        ["The operator +", ONE, SPLIT],
    ),
    "add to an array": (
        lambda key, keys: jnp.arange(3) + keys,
        TypeError,
        "add does not accept dtypes int32, key<fry>.",
        ["The operator +", MANY, SPLIT],
    ),
    "add to a NumPy array": (
        lambda key, keys: numpy.arange(3, dtype="int32") + keys,
        TypeError,
        "add does not accept dtypes int32, key<fry>.",
        ["The operator +", MANY, SPLIT],
    ),
    "exclusive or": (
        lambda key, keys: key ^ 7,
        TypeError,
        "bitwise_xor does not accept dtypes key<fry>, int32.",
        ["The operator ^", ONE, SPLIT],
    ),
    "negate": (
        lambda key, keys: -key,
        TypeError,
        "neg does not accept dtype key<fry>.",
        ["The operator -", ONE, SPLIT],
    ),
    "invert": (
        lambda key, keys: ~keys,
        TypeError,
        "not does not accept dtype key<fry>.",
        ["The operator ~", MANY, SPLIT],
    ),
    "power": (
        lambda key, keys: key**2,
        TypeError if VERSION >= (0, 7) else ValueError,
        "Cannot interpret 'key<fry>' as a data type" if VERSION >= (0, 7) else "Internal: canonicalize_dtype called on",
        ["The operator **", ONE, SPLIT],
    ),
    "compare": (
        lambda key, keys: key < 1,
        TypeError,
        "less does not accept dtypes key<fry>, int32.",
        ["The operator <", ONE],
    ),
    "unpack": (
        lambda key, keys: [*key],
        TypeError,
        "iteration over a 0-d",
        [ONE, "key, subkey = split(key)"],
    ),
    "length": (lambda key, keys: len(key), TypeError, "len() of unsized object", [ONE, "key, subkey = split(key)"]),
    "map over the words": (
        lambda key, keys: olympus.vmap(random.normal, in_axes=1)(keys),
        ValueError,
        "vmap was requested to map its argument along axis 1",
        [f"axis 1 of {MANY}", "in_axes=0"],
    ),
    "map over one key": (
        lambda key, keys: olympus.vmap(random.normal)(key),
        ValueError,
        "vmap was requested to map its argument along axis 0",
        [f"axis 0 of {ONE}", "split(key, n)", "in_axes=None"],
    ),
    "map with too few keys": (
        lambda key, keys: olympus.vmap(lambda key, x: x)(keys, jnp.zeros(4)),
        ValueError,
        "vmap got inconsistent sizes for array axes to be mapped",
        ["a key for each lane", MANY, "split(key, n)"],
    ),
    "seed a key with a key": (
        lambda key, keys: random.key(key),
        TypeError,
        "key accepts a scalar seed, but was given a PRNG key.",
        [f"The seed is {ONE}", "use it as it is", SPLIT],
    ),
    "seed a key with a raw key": (
        lambda key, keys: random.PRNGKey(random.key_data(key)),
        TypeError,
        "PRNGKey accepts a scalar seed, but was given an array of shape (2,) != ()",
        ["a raw key of dtype uint32 and shape (2,)", "wrap_key_data(raw)", SPLIT],
    ),
    "a number as a key": (
        lambda key, keys: random.normal(5),
        TypeError,
        "JAX encountered invalid PRNG key data",
        ["normal was given the number 5 where it takes a key", "normal(key(5), ...)"],
    ),
    "a shape as a key": (
        lambda key, keys: random.normal((3,), key),
        TypeError,
        "unexpected PRNG key type <class 'tuple'>",
        ["normal was given a tuple", "The key is the first argument: normal(key, ...)"],
    ),
    "words of several keys as a key": (
        lambda key, keys: olympus.vmap(random.uniform, in_axes=1)(random.key_data(keys)),
        TypeError,
        "JAX encountered invalid PRNG key data",
        ["an array of dtype uint32 and shape (3,)", "in_axes=0"],
    ),
    "wrap a key": (
        lambda key, keys: random.wrap_key_data(key),
        TypeError,
        "JAX encountered invalid PRNG key data",
        [ONE, "needs no wrapping"],
    ),
    "several keys as one": (
        lambda key, keys: random.normal(keys),
        ValueError,
        "normal accepts a single key, but was given a key array of shape (3,) != ()",
        [MANY, "vmap(normal)(keys)", "keys[0]"],
    ),
    "several keys with data": (
        lambda key, keys: random.fold_in(keys, 1),
        ValueError,
        "fold_in accepts a single key, but was given a key array of shape (3,) != ()",
        [MANY, "vmap(lambda key: fold_in(key, ...))(keys)"],
    ),
    "a key as data": (
        lambda key, keys: random.fold_in(key, key),
        ValueError,
        "Cannot convert_element_type from key<fry> to uint32",
        ["fold_in takes numbers beside the key", "key<fry>"],
    ),
    "select from keys and raw keys": (
        lambda key, keys: olympus.numpy.where(True, key, random.key_data(key)),
        ValueError,
        "dtype=key<fry> is not a valid dtype for JAX type promotion.",
        ["where cannot mix", ONE, "a raw key of dtype uint32 and shape (2,)", "wrap_key_data(raw)"],
    ),
    "stack keys and numbers": (
        lambda key, keys: olympus.numpy.stack([key, jnp.ones(())]),
        ValueError,
        "dtype=key<fry> is not a valid dtype for JAX type promotion.",
        [f"stack cannot mix {ONE} with numbers", "key_data(key)"],
    ),
    "a function of jax.lax": (
        lambda key, keys: lax.mul(key, key),
        TypeError,
        "mul does not accept dtype key<fry> at position 0.",
        ["mul works on numbers", SPLIT],
    ),
    "a ufunc": (
        lambda key, keys: olympus.numpy.add(key, 1),
        TypeError,
        "add does not accept dtypes key<fry>, int32.",
        ["add works on numbers", SPLIT],
    ),
    "scan over too few keys": (
        lambda key, keys: lax.scan(lambda carry, each: (carry, each[1]), 0, (keys, jnp.zeros(4))),
        ValueError,
        "scan got values with different leading axis sizes: 3, 4.",
        ["a key for each iteration", MANY, "arguments of another length", "split(key, n)"],
    ),
    "scan over keys for another length": (
        lambda key, keys: lax.scan(lambda carry, key: (carry, 0), 0, keys, length=4),
        ValueError,
        "scan got `length` argument of 4 which disagrees with leading axis sizes [3].",
        ["a key for each iteration", MANY, "a length of 4", "split(key, n)"],
    ),
    "a typed and a raw branch": (
        lambda key, keys: lax.cond(True, lambda: key, lambda: random.key_data(key)),
        TypeError,
        "cond branches must have equal output types but they differ.",
        ["All branches of cond", "a typed key, key<fry>", "wrap_key_data(raw)", "key_data(key)"],
    ),
    "branches with keys of two generators": (
        lambda key, keys: lax.switch(0, [lambda: key, lambda: random.key(0, impl="rbg")]),
        TypeError,
        "switch branches must have equal output types but they differ.",
        ["All branches of switch", "different generators: key<fry> and key<rbg>"],
    ),
    "a key that a loop makes raw": (
        lambda key, keys: lax.scan(lambda key, _: (random.key_data(key), 0), key, length=2),
        TypeError,
        "scan body function carry input and carry output must have",
        ["The body of scan", "a typed key, key<fry>", "wrap_key_data(raw)"],
    ),
    "a number in a key array": (
        lambda key, keys: keys.at[0].set(1),
        TypeError,
        "Cannot interpret 'key<fry>' as a data type",
        [f"puts keys into {MANY}, and was given the number 1", "keys.at[i].set(key)"],
    ),
    "a raw key in a key array": (
        lambda key, keys: keys.at[0].set(random.key_data(key)),
        TypeError,
        "Cannot determine dtype of key<fry>",
        [f"puts keys into {MANY}", "a raw key of dtype uint32 and shape (2,)", "wrap_key_data(raw)"],
    ),
    "add to a part of a key array": (
        lambda key, keys: keys.at[0].add(1),
        TypeError,
        "Cannot interpret 'key<fry>' as a data type",
        [f"at[...].add has no meaning for {MANY}", SPLIT],
    ),
    "a key in an array of numbers": (
        lambda key, keys: jnp.zeros(3).at[0].set(key),
        ValueError,
        "dtype=key<fry> is not a valid dtype for JAX type promotion.",
        [f"at.set cannot mix {ONE} with numbers"],
    ),
    "several numbers folded in": (
        lambda key, keys: random.fold_in(key, jnp.arange(3)),
        TypeError,
        "fold_in accepts a scalar, but was given an array",
        ["an array of dtype int32 and shape (3,)", "vmap(lambda number: fold_in(key, number))(numbers)"],
    ),
    "several seeds": (
        lambda key, keys: random.key(jnp.arange(3)),
        TypeError,
        "key accepts a scalar seed, but was given an array of shape (3,) != ()",
        ["an array of dtype int32 and shape (3,)", "vmap(key)(seeds)"],
    ),
    "a traced number of keys": (
        lambda key, keys: olympus.jit(random.split)(key, 3),
        TypeError,
        "As of JAX v0.7, parameters to" if VERSION >= (0, 7) else "Shapes must be 1D sequences of concrete values",
        ["a traced number of keys", "static_argnames", "fold_in(key, number)"],
    ),
    "differentiate by a key": (
        lambda key, keys: olympus.grad(random.normal)(key),
        TypeError,
        "grad requires real- or complex-valued inputs",
        ["dtype key<fry>, a random key", "argnums=1"],
    ),
}


def mesh() -> jax.sharding.Mesh:
    return jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))


def with_jvp(f: Callable[..., object]) -> Callable[[float], object]:
    function = olympus.custom_jvp(lambda x: (f(KEY, KEYS), x)[1])
    function.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
    return function


def with_vjp(f: Callable[..., object]) -> Callable[[float], object]:
    function = olympus.custom_vjp(lambda x: x)
    function.defvjp(lambda x: (f(KEY, KEYS), x), lambda _, gradient: (gradient,))
    return olympus.grad(function)


WHOLE = jax.sharding.PartitionSpec()

# Where it is done; ``f`` takes a key and a key array, which are traced if the place traces its arguments.
PLACES: dict[str, Callable[[Callable[..., object]], object]] = {
    "eager": lambda f: f(KEY, KEYS),
    "jit": lambda f: olympus.jit(f)(KEY, KEYS),
    "lower": lambda f: olympus.jit(f).lower(KEY, KEYS),
    "vmap": lambda f: olympus.vmap(lambda key: f(key, KEYS))(KEYS),
    "grad": lambda f: olympus.grad(lambda x, key, keys: (f(key, keys), x)[1])(1.0, KEY, KEYS),
    "value_and_grad": lambda f: olympus.value_and_grad(lambda x, key: (f(key, KEYS), x)[1])(1.0, KEY),
    "jvp": lambda f: olympus.jvp(lambda x: (f(KEY, KEYS), x)[1], (1.0,), (1.0,)),
    "vjp": lambda f: olympus.vjp(lambda x: (f(KEY, KEYS), x)[1], 1.0),
    "checkpoint": lambda f: olympus.checkpoint(f)(KEY, KEYS),
    "make_jaxpr": lambda f: olympus.make_jaxpr(f)(KEY, KEYS),
    "eval_shape": lambda f: olympus.eval_shape(f, KEY, KEYS),
    "custom_jvp": lambda f: with_jvp(f)(1.0),
    "custom_vjp": lambda f: with_vjp(f)(1.0),
    "shard_map": lambda f: olympus.shard_map(f, mesh=mesh(), in_specs=(WHOLE, WHOLE), out_specs=WHOLE)(KEY, KEYS),
    "pmap": lambda f: olympus.pmap(lambda key: f(key, KEYS))(KEYS[:1]),
    "scan": lambda f: lax.scan(lambda key, _: (key, f(key, KEYS)), KEY, length=2),
    "fori_loop": lambda f: lax.fori_loop(0, 2, lambda i, key: (f(key, KEYS), key)[1], KEY),
    "while_loop": lambda f: lax.while_loop(lambda key: True, lambda key: (f(key, KEYS), key)[1], KEY),
    "cond": lambda f: lax.cond(True, lambda key: f(key, KEYS), lambda key: 0, KEY),
    "switch": lambda f: lax.switch(0, [lambda key: f(key, KEYS), lambda key: 0], KEY),
    "map": lambda f: lax.map(lambda key: f(key, KEYS), KEYS),
    "jit of vmap of scan": lambda f: olympus.jit(olympus.vmap(lambda key: PLACES["scan"](f)))(KEYS),
}


def raised(code: Callable[[], object]) -> Exception:
    try:
        code()
    except Exception as error:
        return error
    pytest.fail("nothing was raised")


def place(code: CodeType) -> str:
    """Return the line about a function on one line, as a text ends with it."""
    line = code.co_firstlineno
    return f"\n  {__file__}:{line}: {linecache.getline(__file__, line).strip()}"


def files(error: Exception) -> list[str]:
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def check(error: Exception, case: Case) -> None:
    """Check that an error is JAX's, goes on with our text once, and shows no inner frames."""
    function, kind, start, parts = case
    text = str(error)
    assert type(error) is kind
    assert text.startswith(start)
    own, _, ours = text.rpartition("\n\n")
    assert "olympus" not in own.replace(__file__, "")
    assert [part for part in parts if part not in ours] == []
    assert text.endswith(place(function.__code__))
    assert ours.count(__file__) == 1
    assert not [file for file in files(error) if file.startswith(explaining.FOLDER)]
    assert files(error)[-1] == __file__


SCAN = but("0.8", "a scan over too few keys is an AssertionError without a text")
EACH = [pytest.param(case, marks=SCAN if name.startswith("scan over keys") else ()) for name, case in CASES.items()]


@pytest.mark.parametrize("case", EACH, ids=CASES)
def test_eager(case: Case):
    check(raised(lambda: PLACES["eager"](case[0])), case)


@pytest.mark.parametrize("case", EACH, ids=CASES)
def test_compiled(case: Case):
    check(raised(lambda: PLACES["jit"](case[0])), case)


@pytest.mark.parametrize("where", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("name", ["index", "add", "map over the words", "a number as a key", "several keys as one"])
def test_everywhere(name: str, where: Callable[..., object]):
    check(raised(lambda: where(CASES[name][0])), CASES[name])


TRUTH = since("0.10", "the truth of a key is refused as such, and not as a sequence")

# Errors that JAX raises as another type when the key is traced, and what both go on with.
CONVERSIONS: dict[str, tuple[Callable[[jax.Array], object], str]] = {
    "NumPy": (lambda key: numpy.asarray(key), f"This turns {ONE} into a NumPy array."),
    "NumPy function": (lambda key: numpy.sort(key), f"This turns {ONE} into a NumPy array."),
    "bool": (lambda key: 1 if key else 0, f"This turns {ONE} into a bool."),
    "astype": (lambda key: key.astype("uint32"), f"This turns {ONE} into numbers."),
}


@pytest.mark.parametrize("place_", [lambda f: f(KEY), lambda f: olympus.jit(f)(KEY)], ids=["eager", "jit"])
@pytest.mark.parametrize(
    ("convert", "said"),
    [pytest.param(*case, marks=TRUTH if name == "bool" else ()) for name, case in CONVERSIONS.items()],
    ids=CONVERSIONS,
)
def test_conversions(convert: Callable[[jax.Array], object], said: str, place_: Callable[..., object]):
    error = raised(lambda: place_(convert))
    assert f"\n\n{said} key_data(key) gives its words" in str(error)
    assert str(error).endswith(place(convert.__code__))


TURNS = f"This turns {ONE} into numbers. key_data(key) gives its words"

# Errors of a key outside of compiled code, which Python and abstract methods of JAX raise; tracers raise others.
EAGER: dict[str, tuple[Callable[[jax.Array], object], str, str]] = {
    "int": (lambda key: int(key), "int() argument must be a string, a bytes-like object or a real number, not", TURNS),
    "float": (lambda key: float(key), "float() argument must be a string or a real number, not 'PRNG", TURNS),
    "complex": (lambda key: complex(key), "complex() first argument must be a string or a number, not", TURNS),
    "hash": (lambda key: {key: 1}, "unhashable type: 'PRNGKeyArray'", f"This looks up {ONE} in a dict"),
    "view": (lambda key: key.view("uint32"), "Cannot call abstract method view", TURNS),
    "item": (lambda key: key.item(), "Cannot call abstract method item", TURNS),
    "mean": (lambda key: key.mean(), "Cannot call abstract method mean", "The method mean works on numbers"),
    "clip": (lambda key: key.clip(0), "Cannot call abstract method clip", "The method clip works on numbers"),
    "round": (lambda key: key.round(), "Cannot call abstract method round", "The method round works on numbers"),
    "real": (lambda key: key.real, "Cannot call abstract method real", "The attribute real is of numbers"),
    "tolist": (lambda key: key.tolist(), "'PRNGKeyArray' object has no attribute 'tolist'", TURNS),
    "tobytes": (lambda key: key.tobytes(), "'PRNGKeyArray' object has no attribute 'tobytes'", TURNS),
    "repeat": (lambda key: KEYS.repeat(2), "Cannot call abstract", f"Key arrays have no repeat, and this is {MANY}"),
    "to_device": (
        lambda key: key.to_device(jax.devices()[0]),
        "Cannot call abstract method to_device",
        f"Key arrays have no to_device, and this is {ONE}. Write olympus.device_put(keys, device).",
    ),
    "count": (
        lambda key: random.split(key, key),
        "'PRNGKeyArray' object cannot be interpreted as an integer",
        "split was given a random key where it takes an integer.",
    ),
}


@pytest.mark.parametrize(("function", "start", "said"), EAGER.values(), ids=EAGER)
def test_what_a_key_has_no_method_for(function: Callable[[jax.Array], object], start: str, said: str):
    error = raised(lambda: function(KEY))
    assert str(error).startswith(start)
    assert f"\n\n{said}" in str(error)
    assert str(error).endswith(place(function.__code__))
    assert files(error)[-1] == __file__


def test_python_s_words_for_what_a_key_has_no_method_for():
    class PRNGKeyArray:
        __hash__ = None  # type: ignore[assignment]

    for function in (int, float, complex, hash):
        theirs, ours = raised(partial(function, PRNGKeyArray())), raised(partial(function, KEY))
        assert type(ours) is type(theirs)
        assert str(ours).partition("\n\n")[0] == str(theirs)


class Held:
    """An object that becomes an array in functions of `olympus.numpy` only."""

    def __jax_array__(self) -> jax.Array:
        return jnp.arange(3)


INDEX = "An index takes arrays, and only functions of olympus.numpy make"
OBJECTS: dict[str, tuple[Callable[[Held], object], str]] = {
    "method": (lambda held: jnp.arange(3).dot(held), "use olympus.numpy.dot, or convert Held"),
    "take": (lambda held: jnp.arange(3).take(held), "use olympus.numpy.take, or convert Held"),
    "where=": (lambda held: jnp.arange(3).sum(where=held), "use olympus.numpy.sum, or convert Held"),
    "update": (lambda held: jnp.arange(3).at[held].set(1), INDEX),
    "part": (lambda held: jnp.arange(3).at[held].get(), INDEX),
    "nn": (lambda held: olympus.nn.relu(held), "relu takes arrays, and only olympus.numpy makes them of objects"),
    "index": (lambda held: jnp.arange(3)[held], "An index takes arrays, and only functions of olympus.numpy make"),
    "lax": (lambda held: lax.sin(held), "sin takes arrays, and only olympus.numpy makes them of objects"),
}


@AT_BOUNDARY
@pytest.mark.parametrize("place_", [lambda f: f(), lambda f: olympus.jit(f)()], ids=["eager", "jit"])
@pytest.mark.parametrize(("function", "said"), OBJECTS.values(), ids=OBJECTS)
def test_objects_where_they_are_not_converted(
    function: Callable[[Held], object], said: str, place_: Callable[..., object]
):
    error = raised(lambda: place_(lambda: function(Held())))
    assert str(error).startswith("Triggering __jax_array__() during abstractification")
    assert said in str(error).partition("\n\n")[2]
    assert "olympus.numpy.asarray(x)" in str(error)
    assert str(error).endswith(place(function.__code__))


OTHER_WORDS: dict[str, tuple[Callable[[Held], object], str, str]] = {
    "dot": (lambda held: lax.dot(held, held), "jax.lax.dot: dimension_numbers must be", "dot takes arrays"),
    "permutation": (
        lambda held: random.permutation(KEY, held),
        "Cannot determine dtype of",
        "permutation takes arrays",
    ),
    "key": (lambda held: random.normal(held), "JAX encountered invalid PRNG key", "normal takes arrays"),
    "repeat": (lambda held: jnp.arange(3).repeat(held), "broadcast_in_dim shape must", "Methods of arrays take arrays"),
}


@AT_BOUNDARY
@pytest.mark.parametrize("case", OTHER_WORDS.values(), ids=OTHER_WORDS)
def test_objects_that_jax_says_other_things_of(case: tuple[Callable[[Held], object], str, str]):
    function, start, said = case
    error = raised(lambda: function(Held()))
    assert str(error).startswith(start)
    assert f"\n\n{said}" in str(error)
    assert "convert Held with olympus.numpy.asarray(x)" in str(error)
    assert "cannot mix" not in str(error)
    assert str(error).endswith(place(function.__code__))


def test_an_object_among_the_arguments_is_not_blamed_for_everything():
    for function in (
        lambda: jnp.arange(3) + Held() + jnp.zeros(2),
        lambda: jnp.arange(4).at[:2].set(Held()),
        lambda: olympus.numpy.dot(Held(), jnp.zeros(4)),
        lambda: lax.map(lambda x: x @ jnp.zeros((2, 4)), jnp.zeros((2, 3))),
    ):
        assert "\n\n" not in str(raised(function))


def test_branches_that_differ_in_other_ways_are_not_explained():
    for one, other in (
        (lambda: (KEY, jnp.uint32(1)), lambda: (KEY, jnp.int32(1))),
        (lambda: (KEY, jnp.zeros(2, "uint32")), lambda: (1.0, jnp.zeros(2))),
        (lambda: (KEY, 1.0), lambda: (1.0, random.key(0, impl="rbg"))),
    ):
        assert "of one kind" not in str(raised(partial(lax.cond, True, one, other)))


def test_a_key_still_has_no_attributes_that_it_lacks():
    assert not hasattr(KEY, "tolist")
    assert getattr(KEY, "tobytes", None) is None


# -- the flags ------------------------------------------------------------------------------------------------------

RAW = "a raw key of dtype uint32 and shape (2,), and the flag olympus_legacy_prng_key asks for typed keys"


def draw(key: jax.Array) -> jax.Array:
    return random.normal(key)


def twice(key: jax.Array) -> jax.Array:
    first = random.normal(key)
    return first + random.uniform(key)


def line_of(function: Callable[..., object], number: int) -> str:
    line = function.__code__.co_firstlineno + number
    return f"{__file__}:{line}: {linecache.getline(__file__, line).strip()}"


@pytest.mark.parametrize("transform", [lambda f: f, olympus.jit, olympus.checkpoint], ids=["eager", "jit", "remat"])
def test_refused_raw_keys(transform: Callable[..., Callable[[object], object]]):
    with olympus.config.legacy_prng_key("error"):
        error = raised(lambda: transform(draw)(random.PRNGKey(0)))
    assert type(error) is ValueError
    assert str(error).startswith("Legacy uint32 key array passed")
    assert f"\n\nnormal was given {RAW}. Make one with key(seed), or from this one with wrap_key_data" in str(error)
    assert str(error).endswith(f"\n  {line_of(draw, 1)}")


@pytest.mark.parametrize("transform", [lambda f: f, olympus.jit, olympus.vmap], ids=["eager", "jit", "vmap"])
def test_warnings_of_raw_keys(transform: Callable[..., Callable[[object], object]]):
    def function(key: jax.Array) -> jax.Array:  # JAX does not ask again for a function that it knows
        return random.normal(key)

    raw = random.split(random.PRNGKey(0)) if transform is olympus.vmap else random.PRNGKey(0)
    expected = transform(draw)(raw)
    with olympus.config.legacy_prng_key("warn"), pytest.warns(UserWarning) as caught:
        assert (transform(function)(raw) == expected).all()
    (warning,) = caught
    assert str(warning.message).startswith("Legacy uint32 key array passed")
    assert f"\n\nnormal was given {RAW}. Make one with key(seed)" in str(warning.message)
    assert (warning.filename, warning.lineno) == (__file__, function.__code__.co_firstlineno + 1)


@but("0.8", "each warning is given")
def test_one_warning_for_each_line():
    raw = random.PRNGKey(0)
    with olympus.config.legacy_prng_key("warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            random.normal(raw)
        random.split(raw)
    assert len(caught) == 2


def test_no_warning_where_jax_has_none():
    raw = random.PRNGKey(0)
    with olympus.config.legacy_prng_key("warn"), warnings.catch_warnings(action="error"):
        random.wrap_key_data(raw)
        random.clone(raw)
        random.normal(random.key(0))
        random.PRNGKey(1)
        with pytest.raises(UserWarning, match="key_data was given"):
            random.key_data(raw)


def test_jax_warns_of_what_is_said_to_be_asked():
    # The functions that take a raw key in silence are a list of ours.
    raw = jax.random.PRNGKey(0)
    for name in ("clone", "wrap_key_data"):
        with jax.legacy_prng_key("error"):
            getattr(jax.random, name)(raw)
    assert set(random.SILENT) == {"clone"}


def test_a_reused_key():
    key = random.key(5)
    jax.clear_caches()  # JAX before 0.7 looks only at what is compiled now
    with olympus.config.debug_key_reuse(True):
        error = raised(lambda: twice(key))
    assert type(error) is jax.errors.KeyReuseError
    before = f"The key has been consumed before, at {line_of(twice, 1)}."
    assert f"\n\n{before} Give each use a key of its own: key, subkey = split(key)." in str(error)
    assert str(error).endswith(f"\n  {line_of(twice, 2)}")


def test_a_reused_key_in_compiled_code():
    with olympus.config.debug_key_reuse(True):
        error = raised(lambda: olympus.jit(twice)(random.key(0)))
    assert "\n\nThe key has been consumed before. Give each use a key of its own" in str(error)
    assert str(error).endswith(f"\n  {line_of(twice, 2)}")


def test_a_key_that_each_iteration_reuses():
    function = lambda key: lax.scan(lambda key, _: (key, random.normal(key)), key, length=3)
    with olympus.config.debug_key_reuse(True):
        error = raised(lambda: function(random.key(0)))
    assert "\n\nEach iteration of the loop consumes the same key. Give each a key of its own" in str(error)
    assert str(error).endswith(place(function.__code__))


def test_functions_of_numbers_in_compiled_code():
    function = lambda key: jnp.add(key, 1)
    error = raised(lambda: olympus.jit(function)(KEY))
    assert "\n\nadd works on numbers, and was given a random key of dtype key<fry>." in str(error)
    assert str(error).endswith(place(function.__code__))


def test_plain_jax_is_explained_too_where_the_operators_are_ours():
    check(raised(lambda: jax.jit(CASES["add"][0])(KEY, KEYS)), CASES["add"])


# -- what stays ---------------------------------------------------------------------------------------------------


def test_the_error_is_jax_s_own_object():
    def fails() -> None:
        raise mine

    mine = ValueError("normal accepts a single key, but was given a key array")
    assert raised(errors.explained(fails, "normal")) is mine
    assert str(mine).startswith("normal accepts a single key, but was given a key array\n\nnormal takes one key")
    assert isinstance(raised(lambda: olympus.vmap(random.normal, in_axes=1)(KEYS)).__cause__, IndexError)


def test_an_error_that_makes_its_own_text_gets_a_note():
    def fails() -> None:
        raise two

    two = ValueError("normal accepts a single key, but was given a key array", "and another argument")
    before = str(two), two.args
    error = raised(errors.explained(fails, "normal"))
    assert (str(error), error.args) == before
    assert error.__notes__[0].startswith("normal takes one key")


def test_errors_of_the_user_stay_as_they_are():
    def fails(key: jax.Array) -> None:
        raise LookupError("mine", 3)

    for code in (lambda: olympus.jit(fails)(KEY), lambda: lax.scan(lambda key, _: fails(key), KEY, length=2)):
        error = raised(code)
        assert (type(error), error.args) == (LookupError, ("mine", 3))
        assert not [file for file in files(error) if file.startswith(explaining.FOLDER)]


def test_a_broken_explanation_hides_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(explaining, "explanations", [lambda error, failure: 1 / 0, *errors.explanations])
    check(raised(lambda: PLACES["eager"](CASES["add"][0])), CASES["add"])


def test_more_explanations_can_be_added(monkeypatch: pytest.MonkeyPatch):
    seen = []

    def explanation(error: Exception, failure: errors.Failure) -> str | None:
        seen.append((type(error), failure))
        return "Ask someone." if "divisible" in str(error) else None

    monkeypatch.setattr(explaining, "explanations", [*errors.explanations, explanation])

    def fails(key: jax.Array, *, n: int) -> None:
        raise ValueError("not divisible")

    error = raised(lambda: errors.explained(fails)(KEY, n=3))
    assert str(error).startswith(f"not divisible\n\nAsk someone.\n  {__file__}:")
    assert seen == [(ValueError, errors.Failure("fails", (KEY,), {"n": 3}))]


def test_equality_stays():
    one, other = KEYS[:2]
    assert bool(one == KEYS[0])
    assert bool(one != other)
    assert str(raised(lambda: KEY == 1)) == "equal does not accept dtypes key<fry>, int32."


def test_other_operands_have_their_say():
    class Other:
        def __radd__(self, key: object) -> str:
            return "mine"

        def __rxor__(self, key: object) -> str:
            return "mine"

    assert KEY + Other() == "mine"
    assert jnp.ones(3) + Other() == "mine"
    assert olympus.jit(lambda key: (key ^ Other() == "mine") * 1)(KEY) == 1
    assert str(raised(lambda: KEY + "text")).startswith("unsupported operand type(s) for +")


def test_operators_of_numbers_stay():
    x = jnp.arange(3)
    assert ((x + 1)[1], (-x)[2], divmod(x, 2)[1][1]) == (2, -2, 1)
    assert str(raised(lambda: x[0, 0])).rstrip(".") == too_many(1, "2 regular indices")
    assert "\n\n" not in str(raised(lambda: x & 1.5))
    assert type(x).__add__.__name__ == type(x).__add__.__wrapped__.__name__


def test_operators_are_wrapped_once():
    before = type(KEY).__add__
    operators.install(key_errors.EXPLANATIONS)
    assert type(KEY).__add__ is before
    assert not hasattr(before.__wrapped__, "__wrapped__")
    assert len(errors.explanations) == len(set(errors.explanations))


def test_frames_stay_where_jax_keeps_its_own():
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "off")
    try:
        shown = files(raised(lambda: olympus.jit(CASES["add"][0])(KEY, KEYS)))
    finally:
        jax.config.update("jax_traceback_filtering", before)
    assert [file for file in shown if file.startswith(explaining.FOLDER)]


def test_equations_point_to_the_user_s_lines():
    def draw(key: jax.Array, x: jax.Array) -> jax.Array:
        return random.normal(key, x.shape) + x[::-1]

    equations = jax.make_jaxpr(draw)(KEY, jnp.zeros(3)).eqns
    line = draw.__code__.co_firstlineno + 1
    found = {source_info_util.summarize(equation.source_info) for equation in equations}
    columns = {15, 45}  # the draw and the sum begin at one column
    assert {entry.partition(" ")[0] for entry in found} == {f"{__file__}:{line}:{column}" for column in columns}


def test_names_of_jax_errors():
    assert errors.KeyReuseError is jax.errors.KeyReuseError
    assert olympus.errors is errors
    assert pickle.loads(pickle.dumps(raised(lambda: KEY + 1))).args == raised(lambda: KEY + 1).args
