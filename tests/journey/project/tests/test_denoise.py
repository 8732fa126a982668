import jax
import jax.numpy as jnp
import pytest

from denoise.checkpoint import load_key, save
from denoise.data import corrupt, shifted, sine_waves
from denoise.model import apply, init, init_ensemble


@pytest.fixture
def key():
    return jax.random.PRNGKey(42)


def test_noise_keeps_the_shape(key):
    wave_key, noise_key = jax.random.split(key)
    signals = sine_waves(wave_key, 4)
    assert corrupt(noise_key, signals).shape == signals.shape


def test_shift_is_reproducible(key):
    signals = sine_waves(key, 4)
    assert jnp.array_equal(shifted(key, signals), shifted(key, signals))


def test_dropout_changes_the_output(key):
    init_key, input_key, dropout_key = jax.random.split(key, 3)
    params = init(init_key, (32, 16, 32))
    x = jax.random.normal(input_key, (2, 32))
    assert not jnp.array_equal(apply(params, x), apply(params, x, dropout_key))


def test_members_of_an_ensemble_differ(key):
    weights = init_ensemble(key, (4, 2), members=3)[0]["weights"]
    assert weights.shape == (3, 4, 2)
    assert not jnp.array_equal(weights[0], weights[1])


def test_checkpoint_keeps_the_key(key, tmp_path):
    init_key, key = jax.random.split(key)
    save(tmp_path / "state.npz", key, init(init_key, (4, 2)))
    loaded = load_key(tmp_path / "state.npz")
    assert loaded.dtype == key.dtype
    assert jnp.array_equal(loaded, key)
