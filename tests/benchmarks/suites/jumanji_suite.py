"""Tests for jumanji, whose releases have none: environments that need no download, wrappers, and its own checks."""

from __future__ import annotations

import jax
import jumanji
import pytest
from jumanji import wrappers
from jumanji.testing.env_not_smoke import (
    check_env_does_not_smoke,
    check_env_specs_does_not_smoke,
    make_random_select_action_fn,
)

NAMES = [name for name in jumanji.registered_environments() if not name.startswith(("Sokoban", "PacMan"))]
SHORT = ["Snake-v1", "Knapsack-v1", "TSP-v1"]


@pytest.mark.parametrize("name", NAMES)
def test_steps(name: str) -> None:
    env = wrappers.AutoResetWrapper(jumanji.make(name))
    select = make_random_select_action_fn(env.action_spec)

    def step(state, key):
        state, timestep = env.step(state, select(key, state))
        return state, timestep.reward

    def run(key):
        key, first = jax.random.split(key)
        return jax.lax.scan(step, env.reset(first)[0], jax.random.split(key, 20))

    _, rewards = jax.jit(run)(jax.random.PRNGKey(0))
    assert rewards.shape[0] == 20


@pytest.mark.parametrize("name", SHORT)
def test_own_checks(name: str) -> None:
    env = jumanji.make(name)
    check_env_does_not_smoke(env)
    check_env_specs_does_not_smoke(env)


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("wrap", [wrappers.VmapAutoResetWrapper, wrappers.VmapWrapper])
def test_batch(name: str, wrap: type) -> None:
    env = wrap(jumanji.make(name))
    state, _ = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(1), 3))
    action = jax.numpy.stack([env.unwrapped.action_spec.generate_value()] * 3)
    _, timestep = jax.jit(env.step)(state, action)
    assert timestep.reward.shape[0] == 3


@pytest.mark.parametrize("name", SHORT)
def test_dm_env(name: str) -> None:
    env = wrappers.JumanjiToDMEnvWrapper(jumanji.make(name), key=jax.random.PRNGKey(3))
    assert env.reset().first()
    env.step(env.action_spec().generate_value())


@pytest.mark.parametrize("name", SHORT)
def test_gym(name: str) -> None:
    env = wrappers.JumanjiToGymWrapper(jumanji.make(name), seed=4)
    env.reset(seed=5)
    env.step(env.action_space.sample())
