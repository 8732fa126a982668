"""Tests for jumanji, whose releases have none: its own checks, on environments that need no download, and wrappers."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jumanji
import pytest
from jumanji import wrappers
from jumanji.testing.env_not_smoke import (
    check_env_does_not_smoke,
    check_env_specs_does_not_smoke,
    make_random_select_action_fn,
)

NAMES = [name for name in jumanji.registered_environments() if not name.startswith(("Sokoban", "PacMan"))]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("finite", [False, True])
def test_episode(name, finite):
    env = jumanji.make(name)
    check_env_does_not_smoke(env, make_random_select_action_fn(env.action_spec), assert_finite_check=finite)


@pytest.mark.parametrize("name", NAMES)
def test_specs(name):
    check_env_specs_does_not_smoke(jumanji.make(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrap", [wrappers.VmapAutoResetWrapper, wrappers.VmapWrapper])
def test_batch(name, wrap):
    env = wrap(jumanji.make(name))
    keys = jax.random.split(jax.random.PRNGKey(1), 3)
    state, timestep = jax.jit(env.reset)(keys)
    action = jnp.stack([env.unwrapped.action_spec.generate_value()] * 3)
    for _ in range(3):
        state, timestep = jax.jit(env.step)(state, action)
    assert timestep.reward.shape[0] == 3


@pytest.mark.parametrize("name", NAMES)
def test_auto_reset(name):
    env = wrappers.AutoResetWrapper(jumanji.make(name))
    state, _ = env.reset(jax.random.PRNGKey(2))
    action = env.action_spec.generate_value()

    def step(state, _):
        state, timestep = env.step(state, action)
        return state, timestep.reward

    _, rewards = jax.lax.scan(step, state, None, length=30)
    assert rewards.shape[0] == 30


@pytest.mark.parametrize("name", NAMES)
def test_dm_env(name):
    env = wrappers.JumanjiToDMEnvWrapper(jumanji.make(name), key=jax.random.PRNGKey(3))
    assert env.reset().first()
    env.step(env.action_spec().generate_value())


@pytest.mark.parametrize("name", NAMES)
def test_gym(name):
    env = wrappers.JumanjiToGymWrapper(jumanji.make(name), seed=4)
    env.reset(seed=5)
    env.step(env.action_space.sample())
