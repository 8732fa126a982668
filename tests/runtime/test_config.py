"""Flags about random keys: ``olympus.config``."""

from __future__ import annotations

import warnings

import pytest

jax = pytest.importorskip("jax", reason="the flags are JAX's")

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


@pytest.mark.parametrize("name", OTHERS)
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
