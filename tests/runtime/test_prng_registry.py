"""The registry of generators: what it accepts, what it gives back, and what it says to misuse."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="generators are functions of JAX arrays")

import jax.numpy as jnp  # noqa: E402
from releases import PHILOX, VERSION  # noqa: E402
from wordwise import wordwise  # noqa: E402

from olympus.prng import contract, register_prng_impl, registry, resolve  # noqa: E402

GOOD = wordwise(2)


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give every test a registry in which nothing has been registered."""
    monkeypatch.setattr(registry, "_entries", {})
    yield


def test_importing_the_package_does_not_import_jax():
    program = "import sys, olympus.prng, olympus.prng.chacha; print('jax' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_registered_name_stands_for_what_jax_takes():
    spec = register_prng_impl("two", **GOOD)
    assert resolve("two") is spec
    key = jax.random.key(0, impl=resolve("two"))
    assert key.dtype == jax.random.key(1, impl=spec).dtype
    assert str(key.dtype) == "key<two>"
    assert jax.random.key_impl(key) == spec
    assert jax.random.key_data(key).shape == (2,)


def test_a_tag_of_its_own_stands_in_the_dtype():
    spec = register_prng_impl("two", **GOOD, tag="w2")
    assert str(jax.random.key(0, impl=spec).dtype) == "key<w2>"


def test_what_is_no_registered_name_passes_unchanged():
    spec = register_prng_impl("two", **GOOD)
    dtype = jax.random.key(0).dtype
    for impl in (None, "threefry2x32", "rbg", *(["philox2x32"] if VERSION >= (0, 10) else []), spec, dtype):
        assert resolve(impl) is impl


@pytest.mark.parametrize("name", ["chacha8", "chacha12", "chacha20"])
def test_shipped_generators_are_there_at_first_use(name: str):
    spec = resolve(name)
    assert repr(spec) == f"PRNGSpec('{name}')"
    assert resolve(name) is spec


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("chaha20", "chacha20"),
        ("threefry2x3", "threefry2x32"),
        ("twoo", "two"),
        pytest.param("philox2_32", "philox2x32", marks=PHILOX),
    ],
)
def test_an_unknown_name_is_refused_with_the_names_there_are(name: str, meant: str):
    register_prng_impl("two", **GOOD)
    with pytest.raises(ValueError, match=f'^unrecognized PRNG implementation "{name}"') as refused:
        resolve(name)
    with pytest.raises(ValueError, match="unrecognized") as of_jax:
        jax.random.key(0, impl=name)
    first, _, more = str(refused.value).partition("\n\n")
    assert first == str(of_jax.value)
    assert more.startswith("olympus.prng has chacha12, chacha20, chacha8, ")
    assert "two" in more and f"did you mean '{meant}'? " in more


def test_a_name_like_no_other_gets_no_suggestion():
    with pytest.raises(ValueError, match=r"chacha8(, \w+)* besides; olympus\.prng\.register"):
        resolve("zzzzzz")


def test_names_of_jax_are_those_that_it_accepts():
    assert {"threefry2x32", "rbg", "unsafe_rbg"} <= set(registry.jax_names())
    for name in registry.jax_names():
        assert registry.jax_tag(name)
    assert registry.jax_tag("threefry2x32") == "fry"
    assert registry.jax_tag("two") is None


def test_the_same_functions_may_be_registered_again():
    assert register_prng_impl("two", **GOOD) is register_prng_impl("two", **GOOD)


MODULE = """
from wordwise import wordwise
good = wordwise(2)
def seed(seed): return good["seed"](seed)
def split(key, shape): return good["split"](key, shape)
def fold_in(key, data): return good["fold_in"](key, data)
def random_bits(key, bit_width, shape): return good["random_bits"](key, bit_width, shape)
"""


def run_module(module: ModuleType, source: str) -> Any:
    exec(compile(source, "generator.py", "exec"), vars(module))
    functions = {name: getattr(module, name) for name in ("seed", "split", "fold_in", "random_bits")}
    return register_prng_impl("two", key_shape=(2,), **functions)


def test_a_module_may_be_reloaded():
    module = ModuleType("generator")
    assert run_module(module, MODULE) is run_module(module, MODULE)


def test_a_module_that_was_changed_may_not_be_reloaded():
    module = ModuleType("generator")
    run_module(module, MODULE)
    with pytest.raises(ValueError, match=r"'two' is registered already, with other functions.*start Python anew"):
        run_module(module, MODULE.replace('good["seed"](seed)', 'good["seed"](seed + 1)'))


def test_one_name_cannot_stand_for_two_generators():
    register_prng_impl("two", **GOOD)
    with pytest.raises(ValueError, match="'two' is registered already, with other functions, tag or key_shape"):
        register_prng_impl("two", **wordwise(2))
    with pytest.raises(ValueError, match="'two' is registered already"):
        register_prng_impl("two", **GOOD, tag="other")


@pytest.mark.parametrize("name", ["chacha20", "chacha8"])
def test_names_of_shipped_generators_are_taken(name: str):
    with pytest.raises(ValueError, match=f"'{name}' is registered already"):
        register_prng_impl(name, **GOOD)


@pytest.mark.parametrize("name", ["threefry2x32", "unsafe_rbg"])
def test_names_of_jax_are_taken(name: str):
    with pytest.raises(ValueError, match=f"'{name}' is a PRNG implementation of JAX; choose another name"):
        register_prng_impl(name, **GOOD)


@pytest.mark.parametrize(
    ("tag", "owner"),
    [("fry", "JAX's 'threefry2x32'"), ("chacha12", "'chacha12' of olympus.prng"), ("mine", "'two'")],
)
def test_tags_are_unique(tag: str, owner: str):
    register_prng_impl("two", **GOOD, tag="mine")
    with pytest.raises(ValueError, match=f"the tag '{tag}' of PRNG implementation 'other' is the one of {owner}; give"):
        register_prng_impl("other", **wordwise(2), tag=tag)


@pytest.mark.parametrize("word", ["", "two words", "2x", "a<b>", "ключ key", None, 3, b"two"])
def test_a_name_is_a_word(word: Any):
    with pytest.raises(ValueError, match="the name of a PRNG implementation has to be a word"):
        register_prng_impl(word, **GOOD)


@pytest.mark.parametrize("word", ["", "two words", "key<two>", 3])
def test_a_tag_is_a_word(word: Any):
    with pytest.raises(ValueError, match="the tag of a PRNG implementation has to be a word"):
        register_prng_impl("two", **GOOD, tag=word)


@pytest.mark.parametrize("shape", [(), (0,), (-1,), (2, 2), [2], 2, (2.0,), (True,), ("2",), None])
def test_a_key_shape_is_a_number_of_words(shape: Any):
    with pytest.raises(ValueError, match=r"key_shape of PRNG implementation 'two' has to be \(n,\)"):
        register_prng_impl("two", **GOOD | {"key_shape": shape})


@pytest.mark.parametrize("name", ["seed", "split", "random_bits", "fold_in"])
def test_functions_are_callable(name: str):
    with pytest.raises(TypeError, match=f"{name} of PRNG implementation 'two' has to be a function; got 3"):
        register_prng_impl("two", **GOOD | {name: 3})


WRONG = {
    "seed of three words": (
        {"seed": lambda seed: jnp.zeros(3, "uint32")},
        "seed(int32 scalar)",
        "uint32[2]",
        "uint32[3]",
    ),
    "seed of floats": ({"seed": lambda seed: jnp.zeros(2)}, "seed(int32 scalar)", "uint32[2]", "float32[2]"),
    "seed of signed words": ({"seed": lambda seed: jnp.zeros(2, int)}, "seed(int32 scalar)", "uint32[2]", "int32[2]"),
    "seed that gives a pair": ({"seed": lambda seed: (seed, seed)}, "seed(int32 scalar)", "uint32[2]", "a tuple"),
    "fold_in of a scalar": (
        {"fold_in": lambda key, data: data},
        "fold_in(key, uint32 scalar)",
        "uint32[2]",
        "uint32[]",
    ),
    "split that gives one key": ({"split": lambda key, shape: key}, "split(key, (3,))", "uint32[3, 2]", "uint32[2]"),
    "split that forgets an axis": (
        {"split": lambda key, shape: jnp.zeros((shape[0], 2), "uint32")},
        "split(key, (2, 3))",
        "uint32[2, 3, 2]",
        "uint32[2, 2]",
    ),
    "bits of one width": (
        {"random_bits": lambda key, bit_width, shape: jnp.zeros(shape, "uint32")},
        "random_bits(key, 8, (2, 3))",
        "uint8[2, 3]",
        "uint32[2, 3]",
    ),
    "bits of 64 in 32": (
        {"random_bits": lambda key, width, shape: jnp.zeros(shape, f"uint{min(width, 32)}")},
        "random_bits(key, 64, (2, 3))",
        "uint64[2, 3]",
        "uint32[2, 3]",
    ),
    "bits without a scalar": (
        {"random_bits": lambda key, width, shape: jnp.zeros(shape or (1,), f"uint{width}")},
        "random_bits(key, 32, ())",
        "uint32[]",
        "uint32[1]",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_results_are_checked(wrong: str):
    functions, call, expected, got = WRONG[wrong]
    with pytest.raises(TypeError) as refused:
        register_prng_impl("two", **GOOD | functions)
    assert str(refused.value) == f"{call} of PRNG implementation 'two' has to give {expected}; got {got}."
    with pytest.raises(ValueError):
        resolve("two")


def test_a_function_that_jax_cannot_trace_is_refused():
    def seed(seed: Any) -> Any:
        return jnp.uint32([int(seed), 0])

    with pytest.raises(
        TypeError, match=r"seed\(int32 scalar\) of .*'two' fails when JAX traces it: Concretization"
    ) as refused:
        register_prng_impl("two", **GOOD | {"seed": seed})
    assert isinstance(refused.value.__cause__, jax.errors.ConcretizationTypeError)


def test_a_function_with_other_parameters_is_refused():
    with pytest.raises(
        TypeError, match=r"split\(key, \(3,\)\) of .* fails when JAX traces it: TypeError: .* positional"
    ):
        register_prng_impl("two", **GOOD | {"split": lambda key: key})


def test_the_check_leaves_the_width_of_integers_as_it_is():
    before = jax.config.jax_enable_x64
    contract.check("two", contract.Functions(**{name: GOOD[name] for name in GOOD if name != "key_shape"}), (2,))
    assert jax.config.jax_enable_x64 == before
    assert jnp.arange(3).dtype == (jnp.int64 if before else jnp.int32)


def test_threads_that_register_at_once_get_one_generator():
    start, specs = threading.Barrier(4), []

    def work() -> None:
        start.wait(60)
        specs.append((resolve("chacha8"), register_prng_impl("two", **GOOD)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(specs) == 4
    assert len({(id(shipped), id(own)) for shipped, own in specs}) == 1
