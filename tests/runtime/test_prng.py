"""ChaCha against its published vectors, as a generator under JAX's transformations and samplers, and by statistics."""

from __future__ import annotations

import copy
import doctest
import io
import itertools
import math
import pickle
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

jax = pytest.importorskip("jax", reason="generators are functions of JAX arrays")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax, random  # noqa: E402
from jax.sharding import AxisType, NamedSharding, PartitionSpec  # noqa: E402
from releases import PHILOX, but, since  # noqa: E402
from wordwise import wordwise  # noqa: E402

from olympus.prng import register_prng_impl, resolve  # noqa: E402
from olympus.prng.chacha import ChaCha, Use, blocks, keystream  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "runtime" / "prng.md"
CHACHA20 = resolve("chacha20")
WORDS = 2**32 - 1

# -- Published vectors: rounds, key, the 16 bytes of counter and nonce, and the keystream from there.

COUNTING = bytes(range(32)).hex()
ZERO = 64 * "0"
VECTORS = {
    # RFC 8439, section 2.3.2: the block function.
    "RFC 8439 2.3.2": (
        20,
        COUNTING,
        "01000000" + "000000090000004a00000000",
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    ),
    # RFC 8439, section 2.4.2: the keystream of the example of encryption, 114 bytes in two blocks.
    "RFC 8439 2.4.2": (
        20,
        COUNTING,
        "01000000" + "000000000000004a00000000",
        "224f51f3401bd9e12fde276fb8631ded8c131f823d2c06e27e4fcaec9ef3cf788a3b0aa372600a92b57974cded2b9334794cba"
        "40c63e34cdea212c4cf07d41b769a6749f3f630f4122cafe28ec4dc47e26d4346d70b98c73f3e9c53ac40c5945398b6eda1a83"
        "2c89c167eacd901d7e2bf363",
    ),
    # RFC 8439, appendix A.1: test vectors 1 to 5 of the block function.
    "RFC 8439 A.1 #1": (
        20,
        ZERO,
        32 * "0",
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    ),
    "RFC 8439 A.1 #2": (
        20,
        ZERO,
        "01000000" + 24 * "0",
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    ),
    "RFC 8439 A.1 #3": (
        20,
        62 * "0" + "01",
        "01000000" + 24 * "0",
        "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
        "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
    ),
    "RFC 8439 A.1 #4": (
        20,
        "00ff" + 60 * "0",
        "02000000" + 24 * "0",
        "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
        "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
    ),
    "RFC 8439 A.1 #5": (
        20,
        ZERO,
        "00000000" + 22 * "0" + "02",
        "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
        "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
    ),
    # draft-strombergson-chacha-test-vectors-01, 256-bit keys. Its nonce has 64 bits and its counter as many, of which
    # the upper half is zero here and stands where RFC 8439 has the first word of the nonce.
    "draft TC1, 8 rounds": (
        8,
        ZERO,
        32 * "0",
        "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e984ce172b9216f419f445367456d5619"
        "314a42a3da86b001387bfdb80e0cfe42d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b"
        "5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa",
    ),
    "draft TC1, 12 rounds": (
        12,
        ZERO,
        32 * "0",
        "9bf49a6a0755f953811fce125f2683d50429c3bb49e074147e0089a52eae155f0564f879d27ae3c02ce82834acfa8c79"
        "3a629f2ca0de6919610be82f411326be0bd58841203e74fe86fc71338ce0173dc628ebb719bdcbcc151585214cc089b4"
        "42258dcda14cf111c602b8971b8cc843e91e46ca905151c02744a6b017e69316",
    ),
    "draft TC7, 8 rounds": (
        8,
        "00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100",
        16 * "0" + "0f1e2d3c4b5a6978",
        "db43ad9d1e842d1272e4530e276b3f568f8859b3f7cf6d9d2c74fa53808cb5157a8ebf46ad3dcc4b6c7dadde131784b0"
        "120e0e22f6d5f9ffa7407d4a21b695d9c5dd30bf55612fab9bdd118920c19816470c7f5dcd42325dbbed8c57a56281c1"
        "44cb0f03e81b3004624e0650a1ce5afaf9a7cd8163f6dbd72602257dd96e471e",
    ),
    "draft TC7, 12 rounds": (
        12,
        "00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100",
        16 * "0" + "0f1e2d3c4b5a6978",
        "7ed12a3a63912ae941ba6d4c0d5e862e568b0e5589346935505f064b8c2698dbf7d850667d8e67be639f3b4f6a16f92e"
        "65ea80f6c7429445da1fc2c1b9365040e32e50c4106f3b3da1ce7ccb1e7140b153493c0f3ad9a9bcff077ec4596f1d0f"
        "29bf9cbaa502820f732af5a93c49eee33d1c4f12af3b4297af91fe41ea9e94a2",
    ),
    "draft TC8, 8 rounds": (
        8,
        "c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d",
        16 * "0" + "1ada31d5cf688221",
        "838751b42d8ddd8a3d77f48825a2ba752cf4047cb308a5978ef274973be374c96ad848065871417b08f034e681fe46a9"
        "3f7d5c61d1306614d4aaf257a7cff08b16f2fda170cc18a4b58a2667ed962774af792a6e7f3c77992540711a7a136d7e"
        "8a2f8d3f93816709d45a3fa5f8ce72fde15be7b841acba3a2abd557228d9fe4f",
    ),
    "draft TC8, 12 rounds": (
        12,
        "c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d",
        16 * "0" + "1ada31d5cf688221",
        "1482072784bc6d06b4e73bdc118bc0103c7976786ca918e06986aa251f7e9cc1b2749a0a16ee83b4242d2e99b08d7c20"
        "092b80bc466c87283b61b1b39d0ffbabd94b116bc1ebdb329b9e4f620db695544a8e3d9b68473d0c975a46ad966ed631"
        "e42aff530ad5eac7d8047adfa1e5113c91f3e3b883f1d189ac1c8fe07ba5a42b",
    ),
    "draft TC8, 20 rounds": (
        20,
        "c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d",
        16 * "0" + "1ada31d5cf688221",
        "f63a89b75c2271f9368816542ba52f06ed49241792302b00b5e8f80ae9a473afc25b218f519af0fdd406362e8d69de7f"
        "54c604a6e00f353f110f771bdca8ab92e5fbc34e60a1d9a9db17345b0a402736853bf910b060bdf1f897b6290f01d138"
        "ae2c4c90225ba9ea14d518f55929dea098ca7a6ccfe61227053c84e49a4a3332",
    ),
}

two_blocks = jax.jit(blocks, static_argnames="rounds")


def words_of(data: str) -> np.ndarray:
    """Return hexadecimal bytes as little-endian words."""
    return np.frombuffer(bytes.fromhex(data), "<u4")


def bytes_of(words: Any) -> bytes:
    return np.asarray(words).astype("<u4").tobytes()


# -- ChaCha written once more, in Python's integers.


def rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & WORDS


def reference_block(key: Sequence[int], counter: int, nonce: Sequence[int], rounds: int) -> list[int]:
    """Return the 16 words of a block, from the text of RFC 8439, sections 2.1 to 2.3."""
    start = [*np.frombuffer(b"expand 32-byte k", "<u4").tolist(), *key, counter, *nonce]
    state = list(start)
    for number in range(rounds):
        for column in range(4):
            shift = number % 2  # odd rounds go along the diagonals
            a, b, c, d = (4 * row + (column + shift * row) % 4 for row in range(4))
            for target, other, mixed, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                state[target] = (state[target] + state[other]) & WORDS
                state[mixed] = rotated(state[mixed] ^ state[target], by)
    return [(word + first) & WORDS for word, first in zip(state, start, strict=True)]


def reference_stream(key: Sequence[int], use: Use, words: int, rounds: int = 20) -> list[int]:
    found = [reference_block(key, number, (use, 0, 0), rounds) for number in range(-(-words // 16))]
    return list(itertools.chain(*found))[:words]


@pytest.mark.parametrize("name", VECTORS)
def test_published_vectors(name: str):
    rounds, key, start, expected = VECTORS[name]
    counter, *nonce = words_of(start).tolist()
    found = two_blocks(words_of(key), jnp.uint32([counter, counter + 1]), np.uint32(nonce), rounds=rounds)
    assert bytes_of(found).hex().startswith(expected)


@pytest.mark.parametrize("name", VECTORS)
def test_the_reference_gives_the_published_vectors(name: str):
    rounds, key, start, expected = VECTORS[name]
    counter, *nonce = words_of(start).tolist()
    found = [reference_block(words_of(key).tolist(), counter + i, nonce, rounds) for i in range(2)]
    assert bytes_of(found).hex().startswith(expected)


WORD = st.integers(0, WORDS)
RAW_KEY = st.lists(WORD, min_size=8, max_size=8)


@settings(max_examples=60, deadline=None)
@given(RAW_KEY, WORD, st.lists(WORD, min_size=3, max_size=3), st.sampled_from([8, 12, 20]))
def test_blocks_are_those_of_the_reference(key: list[int], counter: int, nonce: list[int], rounds: int):
    numbers = [counter, (counter + 1) & WORDS]
    found = two_blocks(np.uint32(key), np.uint32(numbers), np.uint32(nonce), rounds=rounds)
    assert found.tolist() == [reference_block(key, number, nonce, rounds) for number in numbers]


# -- What each function reads: the table of domains, run.


def key_of(words: Any) -> Any:
    return random.wrap_key_data(jnp.asarray(np.asarray(words, np.uint32)), impl=CHACHA20)


def raw(key: Any) -> list[Any]:
    return np.asarray(random.key_data(key)).tolist()


def little_endian(words: list[int], dtype: str) -> list[int]:
    return np.frombuffer(np.array(words, "<u4").tobytes(), np.dtype(dtype).newbyteorder("<")).tolist()


@settings(max_examples=20, deadline=None)
@given(st.integers(-(2**31), 2**31 - 1))
def test_a_seed_is_the_key_of_the_blocks_that_make_a_key(seed: int):
    expected = reference_stream([seed & WORDS, 0, 0, 0, 0, 0, 0, 0], Use.SEED, 8)
    assert raw(random.key(seed, impl=CHACHA20)) == expected


@settings(max_examples=20, deadline=None)
@given(RAW_KEY)
def test_split_reads_eight_words_for_each_child(key: list[int]):
    stream = np.reshape(reference_stream(key, Use.SPLIT, 48), (2, 3, 8))
    assert raw(random.split(key_of(key), (2, 3))) == stream.tolist()


@settings(max_examples=20, deadline=None)
@given(RAW_KEY, WORD)
def test_fold_in_reads_the_block_of_its_data(key: list[int], data: int):
    assert raw(random.fold_in(key_of(key), np.uint32(data))) == reference_block(key, data, (Use.FOLD_IN, 0, 0), 20)[:8]


@settings(max_examples=15, deadline=None)
@given(RAW_KEY)
def test_bits_read_a_stream_for_each_width(key: list[int]):
    typed = key_of(key)
    for dtype, use, words in (("uint8", Use.BITS_8, 18), ("uint16", Use.BITS_16, 35), ("uint32", Use.BITS_32, 70)):
        expected = little_endian(reference_stream(key, use, words), dtype)[:70]
        assert np.asarray(random.bits(typed, (7, 10), dtype)).ravel().tolist() == expected


@since("0.8", "jax.enable_x64")
def test_with_64_bit_types_bits_are_wide_and_seeds_whole():
    with jax.enable_x64(True):
        seed = 0x0123_4567_89AB_CDEF
        key = random.key(seed, impl=CHACHA20)
        assert raw(key) == reference_stream([0x89ABCDEF, 0x01234567, 0, 0, 0, 0, 0, 0], Use.SEED, 8)
        expected = little_endian(reference_stream(raw(key), Use.BITS_64, 140), "uint64")
        assert np.asarray(random.bits(key, (7, 10), "uint64")).ravel().tolist() == expected
        assert random.normal(key, (3,), "float64").dtype == jnp.float64
        wide = [raw(random.key(seed, impl=CHACHA20)) for seed in (0, 7, 2**31, WORDS, -1)]
    narrow = [raw(random.key(seed, impl=CHACHA20)) for seed in (0, 7, 2**31, WORDS, -1)]
    assert wide[:4] == narrow[:4]
    assert wide[4] != narrow[4]  # as with JAX's own generators: the upper half of -1 is zero in 32 bits
    assert narrow[4] == narrow[3]


def test_no_block_serves_two_purposes():
    assert len(Use.__members__) == len(set(Use)) == 7
    key = [3, 1, 4, 1, 5, 9, 2, 6]
    first = {tuple(reference_block(key, 0, (use, 0, 0), 20)[:8]) for use in Use}
    assert len(first) == 7
    typed = key_of(key)
    children = {*map(tuple, raw(random.split(typed, 4))), *(tuple(raw(random.fold_in(typed, i))) for i in range(4))}
    assert len(children) == 8


def test_longer_draws_begin_with_shorter_ones():
    key = random.key(5, impl=CHACHA20)
    for dtype in ("uint8", "uint32"):
        assert random.bits(key, (40,), dtype)[:3].tolist() == random.bits(key, (3,), dtype).tolist()
    assert raw(random.split(key, 5))[:2] == raw(random.split(key, 2))


def test_flags_of_threefry_change_nothing():
    found = []
    for partitionable in (True, False):
        with jax.threefry_partitionable(partitionable):
            found.append(
                (raw(random.split(random.key(9, impl=CHACHA20))), random.bits(key_of(range(8)), (2,)).tolist())
            )
    assert found[0] == found[1]


def test_a_call_beyond_the_block_counter_is_refused():
    abstract = jax.eval_shape(lambda: jnp.zeros(8, jnp.uint32))
    longest = jax.eval_shape(lambda key: keystream(key, Use.BITS_32, 2**36, 8), abstract)
    assert longest.shape == (2**36,)
    with pytest.raises(ValueError, match=r"at most 2\*\*36 words .* and 68719476737 are asked for; split the key"):
        jax.eval_shape(lambda key: keystream(key, Use.BITS_32, 2**36 + 1, 8), abstract)


def test_the_last_blocks_of_the_counter_are_the_ciphers():
    key = list(range(8))
    found = two_blocks(np.uint32(key), np.uint32([WORDS - 1, WORDS]), np.uint32([1, 2, 3]), rounds=20)
    assert found.tolist() == [reference_block(key, number, (1, 2, 3), 20) for number in (WORDS - 1, WORDS)]


@pytest.mark.parametrize("seed", [1.5, np.bool_(True), jnp.float32(2)])
def test_a_seed_is_an_integer(seed: Any):
    with pytest.raises(TypeError, match=r"the seed of a ChaCha key has to be an integer; got (float32|bool)"):
        random.key(seed, impl=CHACHA20)


# -- Keys of any width, under JAX's transformations.

WIDTHS = {"philox2x32": 1, "wordwise2": 2, "wordwise4": 4, "chacha20": 8}


@pytest.fixture(scope="module", autouse=True)
def generators_of_other_widths():
    for words in (2, 4):
        register_prng_impl(f"wordwise{words}", **wordwise(words))


@pytest.fixture(params=[pytest.param("wordwise2", marks=pytest.mark.search), "chacha20"])
def key(request: pytest.FixtureRequest) -> Any:
    return random.key(42, impl=resolve(request.param))


@pytest.mark.parametrize("name", [pytest.param("philox2x32", marks=PHILOX), "wordwise2", "wordwise4", "chacha20"])
def test_keys_keep_their_width(name: str):
    key, words = random.key(42, impl=resolve(name)), WIDTHS[name]
    impl = random.key_impl(key)
    assert key.shape == ()
    assert random.key_data(key).shape == (words,)
    assert random.split(key, (2, 3)).shape == (2, 3)
    assert random.key_data(random.split(key, (2, 3))).shape == (2, 3, words)
    assert random.fold_in(key, 7).dtype == key.dtype
    assert random.split(key, 0).shape == (0,)
    assert random.bits(key, (0, 3)).shape == (0, 3)
    assert random.key_impl(random.wrap_key_data(random.key_data(key), impl=impl)) == impl
    assert raw(random.clone(key)) == raw(key)
    assert -SIGMAS < float(random.normal(key, (256,)).mean()) * 16 < SIGMAS


def test_maps_over_keys_are_exact(key: Any):
    keys = random.split(key, (2, 2))
    mapped = jax.vmap(jax.vmap(lambda key: (random.bits(key, (3,)), random.fold_in(key, 5), random.split(key, 3))))
    bits, children, split = jax.jit(mapped)(keys)
    for place in ((0, 0), (1, 1)):
        one = keys[place]
        assert bits[place].tolist() == random.bits(one, (3,)).tolist()
        assert raw(children[place]) == raw(random.fold_in(one, 5))
        assert raw(split[place]) == raw(random.split(one, 3))
    folded = jax.vmap(random.fold_in, (None, 0))(key, jnp.arange(3))
    assert raw(folded[2]) == raw(random.fold_in(key, 2))
    seeded = jax.vmap(lambda seed: random.key(seed, impl=random.key_impl(key)))(jnp.arange(41, 43))
    assert raw(seeded[1]) == raw(key)


def chain(key: Any) -> Any:
    """Derive a key and draw from it."""
    return random.bits(random.fold_in(key, 3), (2,))


def test_loops_and_branches_give_what_python_gives(key: Any):
    keys = random.split(key, 3)
    expected = [chain(one).tolist() for one in keys]
    assert jax.jit(chain)(keys[1]).tolist() == expected[1]
    assert lax.scan(lambda carry, key: (carry, chain(key)), 0, keys)[1].tolist() == expected
    assert lax.cond(True, chain, lambda key: chain(key) + 1, keys[2]).tolist() == expected[2]
    last, _ = lax.while_loop(
        lambda state: state[1] < 2, lambda state: (random.split(state[0])[0], state[1] + 1), (key, 0)
    )
    assert raw(last) == raw(random.split(random.split(key)[0])[0])


def test_gradients_pass_by_keys(key: Any):
    def loss(scale: Any, key: Any) -> Any:
        return jnp.sum(scale * random.normal(key, (4,)))

    value, slope = jax.value_and_grad(jax.checkpoint(loss))(2.0, key)
    assert float(value) == pytest.approx(2 * float(slope), rel=1e-5)
    assert float(slope) == pytest.approx(float(random.normal(key, (4,)).sum()), rel=1e-5)


def test_keys_go_to_devices(key: Any):
    count = jax.device_count()
    keys = random.split(key, count)
    expected = [chain(one).tolist() for one in keys]
    assert jax.pmap(chain)(keys).tolist() == expected
    mesh = jax.make_mesh((count,), ("i",), axis_types=(AxisType.Auto,))
    rows = PartitionSpec("i")
    mapped = jax.shard_map(jax.vmap(chain), mesh=mesh, in_specs=rows, out_specs=rows)
    assert jax.jit(mapped)(keys).tolist() == expected

    def by_axis(key: Any) -> Any:  # one key on all devices, and what is folded in differs
        return random.bits(random.fold_in(key, lax.axis_index("i")), (1, 2))

    folded = jax.jit(jax.shard_map(by_axis, mesh=mesh, in_specs=PartitionSpec(), out_specs=rows))(key)
    assert folded[-1].tolist() == random.bits(random.fold_in(key, count - 1), (1, 2))[0].tolist()


def test_sharded_draws_are_the_same_and_need_no_communication():
    count = jax.device_count()
    mesh = jax.make_mesh((count,), ("i",), axis_types=(AxisType.Auto,))
    rows = NamedSharding(mesh, PartitionSpec("i"))
    key = random.key(3, impl=CHACHA20)
    program = jax.jit(lambda key: random.bits(key, (64 * count,)), out_shardings=rows).lower(key).compile()
    assert program(key).tolist() == random.bits(key, (64 * count,)).tolist()
    assert not re.search(r"all-(gather|reduce|to-all)|collective-permute", program.as_text())


def test_the_checker_of_jax_follows_keys(key: Any):
    with jax.debug_key_reuse(True):
        fresh = random.fold_in(key, 1)
        random.bits(fresh, (2,))
        with pytest.raises(jax.errors.KeyReuseError):
            random.bits(fresh, (2,))
        assert random.bits(random.clone(fresh), (2,)).shape == (2,)


def test_keys_can_be_kept(key: Any, tmp_path: Path):
    impl = random.key_impl(key)
    file = tmp_path / "words.npy"
    np.save(file, random.key_data(key))
    assert raw(random.wrap_key_data(jnp.asarray(np.load(file)), impl=impl)) == raw(key)


@but("0.8", "a typed key cannot be pickled")
@pytest.mark.parametrize("chacha", ChaCha, ids=lambda chacha: chacha.name)
def test_copies_of_keys_are_keys_of_the_same_dtype(chacha: ChaCha):
    key = random.key(1, impl=resolve(chacha.name.lower()))
    for other in (copy.deepcopy(key), pickle.loads(pickle.dumps(key))):
        assert other.dtype == key.dtype
        assert raw(other) == raw(key)
        assert raw(jnp.stack([key, other])[1]) == raw(key)


def test_generators_are_told_apart_by_their_dtypes():
    dtypes = [random.key(0, impl=resolve(chacha.name.lower())).dtype for chacha in ChaCha]
    assert [str(dtype) for dtype in dtypes] == ["key<chacha8>", "key<chacha12>", "key<chacha20>"]
    assert len(set(dtypes)) == 3


# -- Every sampler of jax.random: the mean of DRAWS draws, and their standard deviation (None: bounded by 1).

DRAWS = 3000
N = (DRAWS,)
KEY_FUNCTIONS = {"PRNGKey", "clone", "fold_in", "key", "key_data", "key_dtype", "key_impl", "split", "wrap_key_data"}
THREEFRY_ONLY = {"poisson"}  # JAX refuses every other generator, its own among them
LIKE = jax.eval_shape(lambda: random.key(0, impl=CHACHA20))
Sampler = tuple[Callable[[Any], Any], str, float, float]
HALVES = jnp.array([0.5, 0.5])
SAMPLERS: dict[str, Sampler] = {
    "ball": (lambda key: random.ball(key, 2, 2.0, N)[:, 0], "float32", 0, 0.5),
    "bernoulli": (lambda key: random.bernoulli(key, 0.3, N), "bool", 0.3, 0.46),
    "beta": (lambda key: random.beta(key, 2.0, 3.0, N), "float32", 0.4, 0.2),
    "binomial": (lambda key: random.binomial(key, 10.0, 0.3, N), "float32", 3, 1.45),
    "bits": (lambda key: random.bits(key, N, "uint8"), "uint8", 127.5, 73.9),
    "categorical": (lambda key: random.categorical(key, jnp.log(HALVES), shape=N), "int32", 0.5, 0.5),
    "cauchy": (lambda key: jnp.arctan(random.cauchy(key, N)), "float32", 0, 0.91),
    "chisquare": (lambda key: random.chisquare(key, 3.0, N), "float32", 3, 2.45),
    "choice": (lambda key: random.choice(key, 5, N), "int32", 2, 1.42),
    "dirichlet": (lambda key: random.dirichlet(key, jnp.ones(2), N)[:, 0], "float32", 0.5, 0.29),
    "double_sided_maxwell": (lambda key: random.double_sided_maxwell(key, 1.0, 1.0, N), "float32", 1, 1.74),
    "exponential": (lambda key: random.exponential(key, N), "float32", 1, 1),
    "f": (lambda key: random.f(key, 5.0, 20.0, N), "float32", 20 / 18, 0.85),
    "gamma": (lambda key: random.gamma(key, 2.0, N), "float32", 2, 1.42),
    "generalized_normal": (lambda key: random.generalized_normal(key, 2.0, N), "float32", 0, 0.71),
    "geometric": (lambda key: random.geometric(key, 0.4, N), "int32", 2.5, 1.94),
    "gumbel": (lambda key: random.gumbel(key, N), "float32", 0.5772, 1.29),
    "laplace": (lambda key: random.laplace(key, N), "float32", 0, 1.42),
    "loggamma": (lambda key: random.loggamma(key, 1.0, N), "float32", -0.5772, 1.29),
    "logistic": (lambda key: random.logistic(key, N), "float32", 0, 1.82),
    "lognormal": (lambda key: random.lognormal(key, 0.5, N), "float32", math.exp(0.125), 0.61),
    "maxwell": (lambda key: random.maxwell(key, N), "float32", 2 * math.sqrt(2 / math.pi), 0.68),
    "multinomial": (lambda key: random.multinomial(key, 8, HALVES, shape=(*N, 2))[:, 0], "float32", 4, 1.42),
    "multivariate_normal": (
        lambda key: random.multivariate_normal(key, jnp.ones(2), jnp.eye(2), N)[:, 1],
        "float32",
        1,
        1,
    ),
    "normal": (lambda key: random.normal(key, N), "float32", 0, 1),
    "orthogonal": (lambda key: random.orthogonal(key, 2, N)[:, 0, 0], "float32", 0, 0.71),
    "pareto": (lambda key: random.pareto(key, 5.0, N), "float32", 1.25, 0.33),
    "permutation": (lambda key: random.permutation(key, DRAWS)[: DRAWS // 2], "int32", (DRAWS - 1) / 2, DRAWS * 0.29),
    "rademacher": (lambda key: random.rademacher(key, N), "int32", 0, 1),
    "randint": (lambda key: random.randint(key, N, 0, 7), "int32", 3, 2),
    "rayleigh": (lambda key: random.rayleigh(key, 1.0, N), "float32", math.sqrt(math.pi / 2), 0.66),
    "t": (lambda key: random.t(key, 5.0, N), "float32", 0, 1.3),
    "triangular": (lambda key: random.triangular(key, 0.0, 1.0, 2.0, N), "float32", 1, 0.41),
    "truncated_normal": (lambda key: random.truncated_normal(key, -1.0, 1.0, N), "float32", 0, 0.54),
    "uniform": (lambda key: random.uniform(key, N), "float32", 0.5, 0.29),
    "wald": (lambda key: random.wald(key, 1.0, N), "float32", 1, 1),
    "weibull_min": (lambda key: random.weibull_min(key, 1.0, 2.0, N), "float32", math.sqrt(math.pi) / 2, 0.47),
}


def test_the_table_has_every_sampler():
    public = {name for name, value in vars(random).items() if not name.startswith("_") and callable(value)}
    assert public - {"Key"} - KEY_FUNCTIONS - THREEFRY_ONLY == set(SAMPLERS)


FEW = ("bernoulli", "choice", "normal", "permutation", "randint")  # in each run; the others belong to a search


@cache
def drawn(names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Return what samplers draw with one key, in one program: JAX takes half as long to compile it."""
    draw = jax.jit(lambda key: {name: SAMPLERS[name][0](key) for name in names})
    compiled = draw.lower(LIKE).compile(
        {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    )
    return {name: np.asarray(values) for name, values in compiled(random.key(2024, impl=CHACHA20)).items()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in FEW else [pytest.mark.search]) for name in SAMPLERS]
)
def test_samplers_draw_from_their_distribution(name: str):
    _, dtype, mean, deviation = SAMPLERS[name]
    found = drawn(FEW if name in FEW else tuple(name for name in SAMPLERS if name not in FEW))[name]
    assert found.dtype == dtype
    assert found.shape == ((DRAWS // 2,) if name == "permutation" else N)
    values = found.astype(float)
    assert np.isfinite(values).all()
    assert len(np.unique(values)) > 1
    assert values.mean() == pytest.approx(mean, abs=5 * deviation / math.sqrt(len(values)))


@pytest.mark.parametrize("name", ["chacha20", pytest.param("philox2x32", marks=PHILOX), "rbg"])
def test_jax_draws_poisson_with_threefry_only(name: str):
    key = random.key(0, impl=resolve(name))
    with pytest.raises(NotImplementedError, match=r"`poisson`.* is only implemented for the threefry2x32 RNG"):
        random.poisson(key, 3.0, N)
    threefry = random.wrap_key_data(random.bits(key, (2,), "uint32"), impl="threefry2x32")  # the page recommends this
    assert random.poisson(threefry, 3.0, N).mean() == pytest.approx(3, abs=5 * math.sqrt(3 / DRAWS))


# -- Statistics, with fixed seeds. A threshold of 5 standard deviations, or a p-value of 1e-4, is what a good generator
# -- misses once in ten thousand seeds or less.

P_VALUE = 1e-4
SIGMAS = 5.0


def byte_uniformity(drawn: np.ndarray) -> float:
    """Return the p-value of the chi-square test over bytes."""
    from scipy import stats  # takes more than a second to import, in each process that collects the tests

    return float(stats.chisquare(np.bincount(drawn.astype("<u4").view("u1"), minlength=256)).pvalue)


def fit(values: np.ndarray, distribution: str) -> float:
    """Return the p-value of the Kolmogorov-Smirnov test against a distribution."""
    from scipy import stats

    return float(stats.kstest(values, distribution).pvalue)


def worst_bit(drawn: np.ndarray) -> float:
    """Return by how many standard deviations the ones of some bit position are off."""
    ones = ((drawn[:, None] >> np.arange(32, dtype=np.uint32)) & 1).mean(axis=0)
    return float(np.abs(ones - 0.5).max() * 2 * math.sqrt(len(drawn)))


def worst_correlation(rows: np.ndarray) -> float:
    """Return the largest correlation of two rows, in standard deviations."""
    found = np.corrcoef(rows) - np.eye(len(rows))
    return float(np.abs(found).max() * math.sqrt(rows.shape[1]))


def serial_correlation(drawn: np.ndarray) -> float:
    """Return the largest correlation of the series with itself, 1 to 16 places on, in standard deviations."""
    values = (drawn / 2.0**32 - 0.5) * math.sqrt(12)
    found = [np.mean(values[lag:] * values[:-lag]) * math.sqrt(len(values) - lag) for lag in range(1, 17)]
    return float(np.abs(found).max())


@pytest.fixture(scope="module", params=[pytest.param("chacha8", marks=pytest.mark.search), "chacha20"])
def strong(request: pytest.FixtureRequest) -> Any:
    return random.key(20_261_121, impl=resolve(request.param))


@pytest.fixture(scope="module")
def stream(strong: Any) -> np.ndarray:
    return np.asarray(random.bits(strong, (2**18,)))


def test_bytes_are_uniform(stream: np.ndarray):
    assert P_VALUE < byte_uniformity(stream) < 1 - P_VALUE


def test_bits_are_balanced(stream: np.ndarray):
    assert worst_bit(stream) < SIGMAS


def test_the_stream_is_not_correlated_with_itself(stream: np.ndarray):
    assert serial_correlation(stream) < SIGMAS


def test_uniforms_and_normals_are_distributed_as_they_should(strong: Any):
    for draw, distribution in ((random.uniform, "uniform"), (random.normal, "norm")):
        assert P_VALUE < fit(np.asarray(draw(strong, (2**16,))), distribution) < 1 - P_VALUE


def test_children_parent_and_neighbours_are_not_correlated(strong: Any):
    split = random.split(strong, 31)
    folded = jax.vmap(random.fold_in, (None, 0))(strong, jnp.arange(32))
    keys = jnp.concatenate([strong[None], split, folded])
    rows = np.asarray(jax.vmap(lambda key: random.bits(key, (2**12,)))(keys)) / 2.0**32
    assert rows.shape == (64, 2**12)
    assert worst_correlation(rows) < SIGMAS
    assert fit(rows[:, 0], "uniform") > P_VALUE  # the first number of each key


def flipped(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return how many bits differ in each pair of rows."""
    return np.unpackbits((first ^ second).view("u1"), axis=-1).sum(axis=-1, dtype=int)


def test_each_bit_of_a_seed_flips_half_of_the_bits(strong: Any):
    impl = random.key_impl(strong)
    make = jax.vmap(lambda seed: random.key(seed, impl=impl))
    seeds = np.arange(32, dtype=np.uint32)[:, None]
    near = seeds ^ (np.uint32(1) << np.arange(32, dtype=np.uint32))
    data = np.asarray(random.key_data(make(np.concatenate([seeds.repeat(32, 1).ravel(), near.ravel()]))))
    count = flipped(data[:1024], data[1024:])
    assert count.mean() == pytest.approx(128, abs=SIGMAS * 8 / math.sqrt(len(count)))  # of 256 bits, 8 is sqrt(256) / 2
    assert np.abs(count - 128).max() < 6 * 8


def test_each_bit_of_a_key_flips_half_of_the_bits_drawn(strong: Any):
    words = np.asarray(random.key_data(strong))
    near = np.repeat(words[None], 256, 0)
    near[np.arange(256), np.arange(256) // 32] ^= np.uint32(1) << (np.arange(256) % 32).astype(np.uint32)
    keys = random.wrap_key_data(jnp.asarray(np.concatenate([words[None], near])), impl=random.key_impl(strong))
    drawn = np.asarray(jax.vmap(lambda key: random.bits(key, (16,)))(keys))
    count = flipped(drawn[:1], drawn[1:])
    assert count.mean() == pytest.approx(256, abs=SIGMAS * math.sqrt(512 / 4 / 256))
    assert np.abs(count - 256).max() < 6 * math.sqrt(512 / 4)


def test_the_statistics_see_generators_that_are_bad():
    counter = np.arange(2**18, dtype=np.uint32)
    congruential = counter * np.uint32(1664525) + np.uint32(1013904223)
    for drawn in (counter, congruential):
        assert byte_uniformity(drawn) < P_VALUE or byte_uniformity(drawn) > 1 - P_VALUE
        assert serial_correlation(drawn) > SIGMAS
    assert worst_bit(counter | np.uint32(1)) > SIGMAS
    good = np.random.default_rng(0).random((4, 2**12))
    assert worst_correlation(good) < SIGMAS
    assert worst_correlation(np.concatenate([good, 0.9 * good[:1] + 0.1 * good[1:2]])) > SIGMAS


# -- The page.


def test_the_examples_of_the_page_hold():
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, {}, PAGE.name, str(PAGE), 0)
    assert len(example.examples) > 10
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example, out=report.write).failed == 0, report.getvalue()
