"""The examples of JEP 9263, "Typed keys & pluggable RNGs", under ``import olympus``.

Three versions of the text are quoted:

* ``page``, the rendered page of August 2023. Many printed results were lost from it (``LOST``), and with them the
  ``else`` of one function.
* ``chinese``, a Chinese translation of a later page.
* ``source``, the Markdown source as reviewed in January 2025, with ``olympus`` in the place of ``jax``.

Where one of them lost a result, that of the others holds. The first two were printed before JAX changed the numbers
of its default generator in release 0.5; the flag ``olympus_threefry_partitionable`` gives the older ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy
import pytest

jax = pytest.importorskip("jax", reason="the examples run JAX")

import olympus  # noqa: E402
from olympus import config  # noqa: E402

TEXTS = ("page", "chinese", "source")
NEWER_NUMBERS = {"page": False, "chinese": False, "source": True}
LOST = "lost"


@dataclass(frozen=True)
class Step:
    """A statement of an example.

    Attributes:
        code: as the text has it; ``jax`` stands for ``olympus`` in ``source``.
        printed: what the text prints, or for each text if they differ. An exception is its last line.
        today: what JAX prints today, where that is neither.
        cpu: whether the numbers are those of a CPU.
    """

    code: str
    printed: str | dict[str, str] = ""
    today: str = ""
    cpu: bool = False

    def expected(self, text: str) -> str:
        """Return what has to be printed, which for a lost result is that of the other texts."""
        if self.today or isinstance(self.printed, str):
            return self.today or self.printed
        kept = [result for result in self.printed.values() if result is not LOST]
        return kept[0] if self.printed[text] is LOST else self.printed[text]


def lost(result: str) -> dict[str, str]:
    """Return a result that is missing in ``page``."""
    return {"page": LOST, "chinese": result, "source": result}


KEY = "Array((), dtype=key<fry>) overlaying:\n[0 0]"
KEYS = "Array((4,), dtype=key<fry>) overlaying:\n[[0 0]\n [0 1]\n [0 2]\n [0 3]]"
RBG = "Array((), dtype=key<rbg>) overlaying:\n[0 0 0 0]"
OLDER = "Array([0.9653214 , 0.31468165, 0.63302994], dtype=float32)"
NEWER = "Array([0.947667  , 0.9785799 , 0.33229148], dtype=float32)"
UNIFORM_RBG = "Array([0.39904642, 0.8805201 , 0.73571277], dtype=float32)"
NO_PROMOTION = "ValueError: dtype=key<fry> is not a valid dtype for JAX type promotion."
NO_ADDITION = "TypeError: add does not accept dtypes key<fry>, int32."

SESSIONS: dict[str, list[Step]] = {
    "overview: a raw key": [
        Step("key = jax.random.PRNGKey(0)"),
        Step("key", "Array([0, 0], dtype=uint32)"),
        Step("key.shape", lost("(2,)")),
        Step("key.dtype", lost("dtype('uint32')")),
    ],
    "overview: a typed key": [
        Step("key = jax.random.key(0)"),
        Step("key", KEY),
        Step("key.shape", lost("()")),
        Step("key.dtype", lost("key<fry>")),
    ],
    "overview: a key array": [
        Step("key_arr = jax.vmap(jax.random.key)(jnp.arange(4))"),
        Step("key_arr", KEYS),
        Step("key_arr.shape", lost("(4,)")),
    ],
    "overview: arithmetic is refused": [
        Step("key = jax.random.key(0)"),
        # JAX 0.4.14 raised the first of these; the later texts and JAX 0.10 have the second.
        Step(
            "key = key + 1",
            {"page": NO_PROMOTION, "chinese": NO_ADDITION, "source": NO_ADDITION},
            today=NO_ADDITION,
        ),
        Step("jax.random.key_data(key)", "Array([0, 0], dtype=uint32)"),
    ],
    "detecting typed keys": [
        Step("typed_key = jax.random.key(0)"),
        Step("jax.dtypes.issubdtype(typed_key.dtype, jax.dtypes.prng_key)", lost("True")),
        Step("raw_key = jax.random.PRNGKey(0)"),
        Step("jax.dtypes.issubdtype(raw_key.dtype, jax.dtypes.prng_key)", lost("False")),
    ],
    "customizing: the default generator": [
        Step("key = jax.random.key(0, impl='threefry2x32')  # this is the default impl"),
        Step("key", KEY),
        Step("jax.random.uniform(key, shape=(3,))", {"page": OLDER, "chinese": OLDER, "source": NEWER}),
    ],
    "customizing: another generator": [
        Step("key = jax.random.key(0, impl='rbg')"),
        Step("key", RBG),
        Step("jax.random.uniform(key, shape=(3,))", UNIFORM_RBG, cpu=True),
    ],
    "PRNG dtypes: the scalar type": [
        Step("jax.dtypes.issubdtype(jax.dtypes.prng_key, jax.dtypes.extended)", lost("True")),
    ],
    "PRNG dtypes: of a key": [
        Step("key = jax.random.key(0)"),
        Step("jax.dtypes.issubdtype(key.dtype, jax.dtypes.extended)", lost("True")),
        Step("jax.dtypes.issubdtype(key.dtype, jax.dtypes.prng_key)", lost("True")),
    ],
}


def names() -> dict[str, object]:
    """Return the names that the texts use without importing them."""
    return {"olympus": olympus, "jnp": olympus.numpy, "random": olympus.random, "Array": olympus.Array}


def ours(code: str) -> str:
    """Return code of the text with ``olympus`` for ``jax``."""
    return re.sub(r"\bjax\b", "olympus", code)


def run(code: str, variables: dict[str, object]) -> dict[str, object]:
    exec(compile(ours(code), "JEP 9263", "exec"), variables)
    return variables


def printed(code: str, variables: dict[str, object]) -> str:
    """Return what the interactive interpreter prints: a value, an exception's text, or nothing."""
    try:
        value = eval(compile(ours(code), "JEP 9263", "eval"), variables)
    except SyntaxError:
        try:
            run(code, variables)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""
    return repr(value)


def test_the_quoted_texts_agree_where_jax_did_not_change():
    # A slip in the quotations would show as a third result of one statement.
    differing = [step for steps in SESSIONS.values() for step in steps if isinstance(step.printed, dict)]
    results = {frozenset(step.printed.values()) - {LOST} for step in differing}
    assert {frozenset({OLDER, NEWER}), frozenset({NO_PROMOTION, NO_ADDITION})} == {r for r in results if len(r) > 1}
    assert all(set(step.printed) == set(TEXTS) for step in differing)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("session", SESSIONS)
def test_printed_results(session: str, text: str):
    variables = names()
    with config.threefry_partitionable(NEWER_NUMBERS[text]):
        for step in SESSIONS[session]:
            result = printed(step.code, variables)
            expected = step.expected(text)
            if step.cpu and olympus.default_backend() != "cpu":
                assert len(result) == len(expected)
            elif "Error: " in expected:
                assert result.startswith(f"{expected}\n\n")  # our explanation follows
            else:
                assert result == expected


@pytest.mark.parametrize("constructor", ["jax.random.key", "jax.random.PRNGKey"])
def test_most_code_works_as_before(constructor: str):
    code = """
# split
new_key, subkey = jax.random.split(key)

# random number generation
data = jax.random.uniform(key, shape=(5,))
"""
    found = run(f"key = {constructor}(0)\n{code}", names())
    assert found["new_key"].shape == found["subkey"].shape == found["key"].shape
    assert found["new_key"].dtype == found["subkey"].dtype == found["key"].dtype
    assert (olympus.random.key_data(found["new_key"]) != olympus.random.key_data(found["subkey"])).any()
    assert found["data"].shape == (5,)


def test_key_data_of_an_old_style_key_is_an_identity():
    raw = olympus.random.PRNGKey(0)
    assert olympus.random.key_data(raw) is raw


def test_the_statement_of_the_overview():
    found = run("key = jax.random.key(0)\nholds = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)", names())
    assert found["holds"] is True


@pytest.mark.parametrize("name", ["KeyArray", "PRNGKeyArray"])
def test_types_that_were_removed(name: str):
    with pytest.raises(AttributeError):
        getattr(olympus.random, name)


def test_both_kinds_of_keys_are_arrays():
    for key in (olympus.random.key(0), olympus.random.PRNGKey(0), olympus.random.split(olympus.random.key(0))):
        assert isinstance(key, olympus.Array)


def test_rbg_is_one_operation_of_xla():
    draw = lambda impl: olympus.jit(olympus.random.bits).lower(olympus.random.key(0, impl=impl)).as_text()
    assert draw("rbg").count("rng_bit_generator") == 1
    assert draw("threefry2x32").count("rng_bit_generator") == 0


# -- notes for library authors ------------------------------------------------------------------------------------

ENSURE = {
    # The page lost its ``else``: what follows ``return`` is never reached, and a raw key gives None.
    "page": """
from jax import dtypes

def ensure_typed_key_array(key: Array) -> Array:
  if dtypes.issubdtype(key.dtype, dtypes.prng_key):
    return key
    raise TypeError("New-style typed JAX PRNG keys required")
""",
    "chinese": """
from jax import dtypes

def ensure_typed_key_array(key: Array) -> Array:
  if dtypes.issubdtype(key.dtype, dtypes.prng_key):
    return key
  else:
    raise TypeError("New-style typed JAX PRNG keys required")
""",
    "source": """
from olympus import dtypes

def ensure_typed_key_array(key: Array) -> Array:
  if dtypes.issubdtype(key.dtype, dtypes.prng_key):
    return key
  else:
    raise TypeError("New-style typed OLYMPUS PRNG keys required")
""",
}


@pytest.mark.parametrize("text", TEXTS)
def test_ensure_typed_key_array(text: str):
    quoted = run(ENSURE[text], names())["ensure_typed_key_array"]
    typed, raw = olympus.random.key(0), olympus.random.PRNGKey(0)
    for function in (quoted, olympus.ensure_typed_key_array):
        assert function(typed) is typed
    with pytest.raises(TypeError, match=r"^New-style typed JAX PRNG keys required"):
        olympus.ensure_typed_key_array(raw)
    if text == "page":
        assert quoted(raw) is None
    else:
        with pytest.raises(TypeError, match=r"^New-style typed (JAX|OLYMPUS) PRNG keys required$"):
            quoted(raw)


# -- safe PRNG key use: the incorrect and the correct code, with raw keys as in the texts, and with typed keys --------

INDEXING = """
# Incorrect
key = random.PRNGKey(999)
new_key = random.PRNGKey(key[1])  # identical to the original key!
""", """
# Correct
key = random.PRNGKey(999)
key, new_key = random.split(key)
"""  # fmt: skip
ARITHMETIC = """
# Incorrect
key = random.PRNGKey(0)
batched_keys = key + jnp.arange(10, dtype=key.dtype)[:, None]
""", """
# Correct
key = random.PRNGKey(0)
batched_keys = random.split(key, 10)
"""  # fmt: skip
TRANSPOSING = """
# Incorrect
keys = random.split(random.PRNGKey(0))
data = jax.vmap(random.uniform, in_axes=1)(keys)
""", """
# Correct
keys = random.split(random.PRNGKey(0))
data = jax.vmap(random.uniform, in_axes=0)(keys)
"""  # fmt: skip
REUSE = """
# Incorrect
key = random.PRNGKey(0)
x = random.uniform(key, (100,))
y = random.uniform(key, (100,))  # Identical values!
""", """
# Correct
key = random.PRNGKey(0)
key1, key2 = random.split(random.key(0))
x = random.uniform(key1, (100,))
y = random.uniform(key2, (100,))
"""  # fmt: skip


def typed(code: str) -> str:
    return code.replace("random.PRNGKey", "random.key")


def words(value: object) -> list[object]:
    return numpy.asarray(olympus.random.key_data(value)).tolist()


@pytest.mark.parametrize("newer", [False, True])
def test_key_buffer_indexing(newer: bool):
    incorrect, correct = INDEXING
    with config.threefry_partitionable(newer):
        found = run(incorrect, names())
        assert words(found["new_key"]) == words(found["key"]) == [0, 999]
        with pytest.raises(IndexError, match=r"^Too many indices: .*\n\nIndexing reads the words of a key"):
            run(typed(incorrect), names())
        for code in (correct, typed(correct)):
            found = run(code, names())
            assert [0, 999] != words(found["key"]) != words(found["new_key"]) != [0, 999]


def test_key_arithmetic():
    incorrect, correct = ARITHMETIC
    assert words(run(incorrect, names())["batched_keys"]) == [[n, n] for n in range(10)]
    # With a typed key, the dtype that the code asks arange for is refused first; the sum is refused as well.
    with pytest.raises((TypeError, ValueError), match="key<fry>"):
        run(typed(incorrect), names())
    with pytest.raises(TypeError, match=r"^add does not accept dtypes key<fry>, uint32\.\n\n"):
        run(typed(incorrect).replace("key.dtype", "'uint32'"), names())
    for code in (correct, typed(correct)):
        assert len({tuple(row) for row in words(run(code, names())["batched_keys"])}) == 10


def test_transposing_key_buffers():
    incorrect, correct = TRANSPOSING
    found = run(incorrect, names())
    mixed = numpy.transpose(words(found["keys"])).astype("uint32")
    assert found["data"].tolist() == [olympus.random.uniform(row) for row in mixed]  # "derived in a non-standard way"
    with pytest.raises(ValueError, match=r"^vmap was requested to map its argument along axis 1, .*\n\nvmap was to"):
        run(typed(incorrect), names())
    raw_data, typed_data = (run(code, names())["data"].tolist() for code in (correct, typed(correct)))
    assert raw_data == typed_data != found["data"].tolist()


def test_key_reuse():
    incorrect, correct = REUSE
    with config.debug_key_reuse(True), pytest.raises(olympus.errors.KeyReuseError):  # before the draws are compiled
        run(typed(incorrect), names())
    for code in (incorrect, typed(incorrect)):
        found = run(code, names())
        assert (found["x"] == found["y"]).all()
    found = run(correct, names())
    assert (found["x"] != found["y"]).any()


# -- design: what the texts say of extended dtypes ------------------------------------------------------------------


def test_extended_dtypes():
    dtype = olympus.random.key(0).dtype
    assert olympus.dtypes.issubdtype(dtype, olympus.dtypes.extended) is True
    assert issubclass(type(dtype).type, numpy.generic)  # a class-level attribute
    with pytest.raises(TypeError):
        dtype.type()
    filled = olympus.lax.full((2,), olympus.random.key(3), dtype)
    assert words(filled) == [[0, 3], [0, 3]]


def test_what_the_texts_say_of_the_implementation():
    # The names are private to JAX, and the spelling of the first is today's.
    dtype = olympus.random.key(0).dtype
    assert isinstance(dtype, olympus._src.dtypes.ExtendedDType)
    filled = dtype._rules.full((2,), olympus.random.key(3), dtype)
    assert words(filled) == [[0, 3], [0, 3]]
    assert type(dtype._impl).__name__ == "PRNGImpl"
    assert dtype._impl.name == str(olympus.random.key_impl(olympus.random.key(0)))


def test_bounded_integers_are_another_extended_dtype():
    dtype = olympus._src.core.bint(5)
    assert olympus.dtypes.issubdtype(dtype, olympus.dtypes.extended)
    assert issubclass(dtype.type, numpy.generic)
    assert isinstance(dtype, olympus._src.dtypes.ExtendedDType)


def test_the_flag_for_legacy_keys():
    raw = olympus.random.PRNGKey(0)
    with config.legacy_prng_key("warn"), pytest.warns(UserWarning, match="Legacy uint32 key"):
        olympus.random.split(raw)
    with config.legacy_prng_key("error"), pytest.raises(ValueError, match="Legacy uint32 key"):
        olympus.random.split(raw)
