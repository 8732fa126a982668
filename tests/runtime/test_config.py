"""Flags about random keys: ``olympus.config``."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import pytest

jax = pytest.importorskip("jax", reason="the flags are JAX's")

from releases import PHILOX, VERSION  # noqa: E402

import olympus  # noqa: E402
from olympus import config, random  # noqa: E402

OTHERS = {
    "olympus_legacy_prng_key": "error",
    "olympus_default_prng_impl": "rbg",
    "olympus_threefry_partitionable": False,
    "olympus_debug_key_reuse": True,
}


def of_jax(name: str) -> object:
    value = getattr(jax.config, name.replace("olympus_", "jax_"))
    return getattr(value, "value", value)


@pytest.mark.parametrize(("name", "value"), OTHERS.items())
def test_update_sets_the_flag_of_jax(name: str, value: object):
    before = getattr(config, name)
    assert before == of_jax(name) != value
    try:
        config.update(name, value)
        assert getattr(config, name) == of_jax(name) == value
    finally:
        config.update(name, before)
    assert of_jax(name) == before


@pytest.mark.parametrize(("name", "value"), OTHERS.items())
def test_context_managers_put_the_value_back(name: str, value: object):
    before = of_jax(name)
    manager = getattr(config, name.removeprefix("olympus_"))
    with manager(value):
        assert getattr(config, name) == of_jax(name) == value
        with manager(before):
            assert of_jax(name) == before
        assert of_jax(name) == value
    with pytest.raises(RuntimeError, match="of the user"), manager(value):
        raise RuntimeError("of the user")
    assert getattr(config, name) == of_jax(name) == before


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=PHILOX if name == "olympus_default_prng_impl" else ()) for name in OTHERS]
)
def test_all_values_of_a_flag_are_those_of_jax(name: str):
    for value in config.FLAGS[name]:
        with getattr(config, name.removeprefix("olympus_"))(value):
            assert of_jax(name) == value


def test_flags_of_jax_pass_through():
    assert config.jax_enable_x64 is jax.config.jax_enable_x64
    before = jax.config.jax_log_compiles
    config.update("jax_log_compiles", not before)
    assert jax.config.jax_log_compiles is not before
    config.update("jax_log_compiles", before)
    with pytest.raises(AttributeError, match=r"^Unrecognized config option: jax_bogus$"):
        config.update("jax_bogus", 1)
    assert {"olympus_legacy_prng_key", "jax_enable_x64", "update"} <= set(dir(config))


ALL = ", ".join(OTHERS)


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        (
            "olympus_legacy_prng_key",
            "eror",
            ValueError,
            "olympus_legacy_prng_key cannot be 'eror'; did you mean error? it is one of allow, warn, error",
        ),
        (
            "olympus_threefry_partitionable",
            "yes",
            ValueError,
            "olympus_threefry_partitionable cannot be 'yes'; it is one of True, False",
        ),
        (
            "olympus_debug_key_reuse",
            1,
            ValueError,
            "olympus_debug_key_reuse cannot be 1; it is one of True, False",
        ),
        (
            "olympus_legacy_prng_keys",
            "error",
            AttributeError,
            "olympus.config has no flag 'olympus_legacy_prng_keys'; did you mean olympus_legacy_prng_key? "
            f"it is one of {ALL}",
        ),
        ("bogus", 1, AttributeError, f"olympus.config has no flag 'bogus'; it is one of {ALL}"),
    ],
)
def test_bad_names_and_values_get_one_sentence(name: str, value: object, error: type[Exception], text: str):
    with pytest.raises(error) as caught:
        config.update(name, value)
    assert str(caught.value) == text
    short = name.removeprefix("olympus_")
    if error is ValueError:
        with pytest.raises(error) as caught:
            getattr(config, short)(value)
        assert str(caught.value) == text
    else:
        with pytest.raises(AttributeError) as caught:
            getattr(config, name)
        assert str(caught.value) == text


def test_the_legacy_flag_does_what_it_says():
    raw, typed = random.PRNGKey(0), random.key(0)
    with config.legacy_prng_key("error"):
        random.PRNGKey(1)
        random.split(typed)
        with pytest.raises(ValueError, match=r"^Legacy uint32 key array passed as key to jax.random function"):
            random.split(raw)
    with config.legacy_prng_key("warn"), pytest.warns(UserWarning, match=r"^Legacy uint32 key array"):
        random.split(raw)
    with config.legacy_prng_key("allow"), warnings.catch_warnings(action="error"):
        random.split(raw)


def test_the_legacy_flag_is_not_part_of_what_a_compiled_function_is_found_by():
    # A fact about JAX that the page of the flags states; if this fails, the page can promise more.
    draw = jax.jit(lambda raw: random.normal(raw))
    raw = random.PRNGKey(0)
    draw(raw)
    with config.legacy_prng_key("error"):
        draw(raw)


def test_the_other_flags_do_what_they_say():
    with config.default_prng_impl("rbg"):
        assert random.key_impl(random.key(0)) == "rbg"
    newer = random.uniform(random.key(0))
    with config.threefry_partitionable(False):
        assert random.uniform(random.key(0)) != newer
    key = random.key(0)
    with config.debug_key_reuse(True):
        random.normal(key)
        with pytest.raises(jax.errors.KeyReuseError):
            random.normal(key)


# -- a registered generator as the default ---------------------------------------------------------------------------


def test_a_registered_generator_can_be_the_default():
    with config.default_prng_impl("chacha20"):
        assert config.olympus_default_prng_impl == "chacha20"
        key, raw = random.key(3), random.PRNGKey(3)
        assert (str(key.dtype), raw.shape, str(raw.dtype)) == ("key<chacha20>", (8,), "uint32")
        assert (random.key_data(key) == raw).all()
        assert random.wrap_key_data(raw).dtype == key.dtype
        assert str(random.key(3, impl="rbg").dtype) == "key<rbg>"
        with config.default_prng_impl("rbg"):
            assert config.olympus_default_prng_impl == of_jax("olympus_default_prng_impl") == "rbg"
            assert str(random.key(3).dtype) == "key<rbg>"
        assert random.key(3).dtype == key.dtype
    assert config.olympus_default_prng_impl == "threefry2x32"
    assert str(random.key(3).dtype) == "key<fry>"


def test_what_takes_a_generator_takes_the_registered_default():
    with olympus.default_prng_impl("chacha20"):
        key = random.key(3)
        assert str(key.dtype) == "key<chacha20>"
        assert random.key(3, impl="rbg").dtype != key.dtype
        if VERSION >= (0, 10):
            assert random.key(3, dtype="rbg").dtype == random.key(3, impl="rbg").dtype
            assert random.key_dtype() == random.key_dtype(None) == random.key_dtype(impl_spec=None) == key.dtype
            assert random.key_dtype("rbg") == random.key(3, impl="rbg").dtype
    assert str(random.key(3).dtype) == "key<fry>"
    assert olympus.default_prng_impl is config.default_prng_impl


def test_update_makes_a_registered_generator_the_default():
    try:
        config.update("olympus_default_prng_impl", "chacha12")
        assert config.olympus_default_prng_impl == "chacha12"
        assert str(random.key(3).dtype) == "key<chacha12>"
        config.update("olympus_default_prng_impl", "rbg")
        assert config.olympus_default_prng_impl == of_jax("olympus_default_prng_impl") == "rbg"
        config.update("olympus_default_prng_impl", "chacha12")
    finally:
        config.update("jax_default_prng_impl", "threefry2x32")
    assert config.olympus_default_prng_impl == "threefry2x32"
    assert str(random.key(3).dtype) == "key<fry>"


def test_raw_keys_are_those_of_the_registered_default():
    with config.default_prng_impl("chacha20"):
        key, raw = random.key(3), random.PRNGKey(3)
        for draw in (random.normal, random.bits, lambda key: random.choice(key, 9)):
            assert draw(key) == draw(raw) == jax.jit(draw)(raw)
        assert random.normal(key=raw) == random.normal(key)
        for derive in (random.split, lambda key: random.fold_in(key, 7), random.clone):
            typed, words = derive(key), derive(raw)
            assert words.dtype == "uint32"
            assert (random.key_data(typed) == words).all()
        assert (jax.vmap(random.bits)(random.split(raw)) == jax.vmap(random.bits)(random.split(key))).all()
        older = jax.random.PRNGKey(3)  # of JAX's default
        assert random.normal(older) == jax.random.normal(older)
        with config.legacy_prng_key("error"):
            random.normal(key)
            with pytest.raises(ValueError, match=r"^Legacy uint32 key array passed"):
                random.normal(raw)
        with config.legacy_prng_key("warn"), pytest.warns(UserWarning, match=r"^Legacy uint32 key array"):
            random.normal(raw)


def test_the_registered_default_holds_in_its_thread_only():
    from concurrent.futures import ThreadPoolExecutor

    with config.default_prng_impl("chacha20"), ThreadPoolExecutor(1) as pool:
        assert str(pool.submit(lambda: random.key(0).dtype).result()) == "key<fry>"
        assert str(random.key(0).dtype) == "key<chacha20>"


def test_an_unknown_default_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"did you mean chacha20\? it is one of threefry2x32, .*chacha20"):
        config.update("olympus_default_prng_impl", "chaha20")
    with pytest.raises(ValueError, match="did you mean chacha20"), config.default_prng_impl("chaha20"):
        pass


# -- names and variables ---------------------------------------------------------------------------------------------


def test_each_flag_of_jax_has_a_name_of_ours():
    flags = [name for name in dir(jax.config) if name.startswith("jax_")]
    assert len(flags) > 50
    for name in flags:
        ours = name.replace("jax_", "olympus_", 1)
        assert ours in dir(config)
        theirs = getattr(jax.config, name)
        assert getattr(config, ours) == getattr(theirs, "value", theirs)
    before = config.olympus_log_compiles
    config.update("olympus_log_compiles", not before)
    assert jax.config.jax_log_compiles is not before
    config.update("olympus_log_compiles", before)


def printed(code: str, **variables: str) -> tuple[str, str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("JAX_") or "_CACHE_" in name
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env={**environment, **variables}, capture_output=True, text=True
    )
    return done.stdout.strip(), done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""


SHOW = "print(olympus.config.jax_enable_x64, olympus.config.jax_legacy_prng_key, olympus.random.key(0).dtype)"


LATE = "import jax, olympus; jax.devices()"


@pytest.mark.parametrize(
    ("imports", "variables", "expected"),
    [
        ("import olympus", {"OLYMPUS_ENABLE_X64": "1", "OLYMPUS_LEGACY_PRNG_KEY": "error"}, "True error key<fry>"),
        (LATE, {"OLYMPUS_ENABLE_X64": "1", "OLYMPUS_DEFAULT_PRNG_IMPL": "rbg"}, "True allow key<rbg>"),
        (LATE, {"OLYMPUS_ENABLE_X64": "1", "JAX_ENABLE_X64": "0", "OLYMPUS_NO_FLAG": "1"}, "False allow key<fry>"),
        ("import olympus", {"OLYMPUS_DEFAULT_PRNG_IMPL": "chacha20"}, "False allow key<chacha20>"),
        (LATE, {"OLYMPUS_DEFAULT_PRNG_IMPL": "chacha20", "OLYMPUS_LINT_COLOR": "always"}, "False allow key<chacha20>"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_environment_variables(imports: str, variables: dict[str, str], expected: str):
    shown = SHOW.replace("olympus.config.jax_legacy_prng_key", "olympus.config.olympus_legacy_prng_key")
    assert printed(f"{imports}\n{shown}", **variables) == (expected, "")


@pytest.mark.parametrize("imports", ["import olympus", "import jax, olympus"])
def test_a_variable_with_a_bad_value_is_an_error(imports: str):
    _, error = printed(f"{imports}\n{SHOW}", OLYMPUS_ENABLE_X64="maybe")
    assert error.startswith("ValueError: invalid truth value 'maybe' for environment")
