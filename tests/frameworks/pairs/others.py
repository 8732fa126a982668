"""Random keys in programs of Optax, Distrax and BlackJAX, in environments, and where data is folded in with losses."""

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from typing import NamedTuple

import blackjax
import distrax
import jax
import jax.numpy as jnp
import numpy as np
import optax

GRADS = {"w": jnp.zeros((4, 3)), "b": jnp.zeros(3)}


def logdensity(x):
    return -0.5 * jnp.sum(x**2)


# Optax


def wrong_add_noise(key):
    """Two optimisers of one key add equal noise."""
    first = optax.add_noise(eta=0.01, gamma=0.55, key=key)
    second = optax.add_noise(eta=0.01, gamma=0.55, key=key)
    a, _ = first.update(GRADS, first.init(GRADS))
    b, _ = second.update(GRADS, second.init(GRADS))
    return a["w"], b["w"]


def right_add_noise(key):
    """One optimiser: its state splits its key over the leaves, and in each update."""
    noise = optax.add_noise(eta=0.01, gamma=0.55, key=key)
    state = noise.init(GRADS)
    a, state = noise.update(GRADS, state)
    b, state = noise.update(GRADS, state)
    return a["w"], b["w"]


def wrong_state_of_add_noise(key):
    """The new state is dropped, so the second update adds the same noise."""
    noise = optax.add_noise(eta=0.01, gamma=0.55, key=key)
    state = noise.init(GRADS)
    a, _ = noise.update(GRADS, state)
    b, _ = noise.update(GRADS, state)
    return a["b"], b["b"]


def right_state_of_add_noise(key):
    """The state goes through a scan."""
    noise = optax.add_noise(eta=0.01, gamma=0.55, key=key)

    def step(state, _):
        updates, state = noise.update(GRADS, state)
        return state, updates["b"]

    return tuple(jax.lax.scan(step, noise.init(GRADS), None, length=3)[1])


def wrong_noisy_sgd():
    """Both players have a noisy optimiser of one seed."""
    params = jnp.zeros(6)
    updates = []
    for _ in range(2):
        optimizer = optax.noisy_sgd(0.1, eta=0.3, key=jax.random.key(0))
        update, _ = optimizer.update(jnp.zeros(6), optimizer.init(params), params)
        updates.append(update)
    return tuple(updates)


def right_noisy_sgd():
    """The optimiser is made once, before the loop."""
    params = jnp.zeros(6)
    updates = []
    optimizer = optax.noisy_sgd(0.1, eta=0.3, key=jax.random.key(0))
    state = optimizer.init(params)
    for _ in range(2):
        update, state = optimizer.update(jnp.zeros(6), state, params)
        updates.append(update)
    return tuple(updates)


def wrong_private_sgd():
    """The noise of differential privacy is that of another optimiser of the seed."""
    params, per_example = jnp.zeros(5), jnp.zeros((2, 5))
    workers = [optax.contrib.dpsgd(1.0, l2_norm_clip=1.0, noise_multiplier=1.1, seed=1337) for _ in range(2)]
    return tuple(worker.update(per_example, worker.init(params), params)[0] for worker in workers)


def right_private_sgd():
    """Each worker has a seed."""
    params, per_example = jnp.zeros(5), jnp.zeros((2, 5))
    workers = [optax.contrib.dpsgd(1.0, l2_norm_clip=1.0, noise_multiplier=1.1, seed=1337 + i) for i in range(2)]
    return tuple(worker.update(per_example, worker.init(params), params)[0] for worker in workers)


def wrong_random_like(key):
    """Two trees of noise from one key are equal."""
    direction = optax.tree.random_like(key, GRADS)
    other = optax.tree.random_like(key, GRADS)
    return direction["w"], other["w"]


def right_random_like(key):
    """random_like splits its key over the leaves of one tree."""
    tree = optax.tree.random_like(key, [jnp.zeros(3), jnp.zeros(3), jnp.zeros(3)])
    return tuple(tree)


def wrong_noise_by_tree_map(key):
    """tree.map closes over the key: equal leaves get equal noise."""
    noise = jax.tree.map(lambda leaf: jax.random.normal(key, leaf.shape), [jnp.zeros(4), jnp.ones(4)])
    return tuple(noise)


def right_noise_by_tree_map(key):
    """tree.map goes over a tree of keys as well."""
    leaves = [jnp.zeros(4), jnp.ones(4)]
    keys = optax.tree.split_key_like(key, leaves)
    noise = jax.tree.map(lambda leaf, k: jax.random.normal(k, leaf.shape), leaves, keys)
    return tuple(noise)


def wrong_perturbed_function(key):
    """The perturbed function is estimated twice with the same perturbations."""
    perturbed = optax.perturbations.make_perturbed_fun(lambda x: jnp.sort(x), num_samples=5, sigma=0.5)
    x = jnp.linspace(0.0, 1.0, 4)
    return perturbed(key, x), perturbed(key, x)


def right_perturbed_function(key):
    """The estimates have split keys."""
    perturbed = optax.perturbations.make_perturbed_fun(lambda x: jnp.sort(x), num_samples=5, sigma=0.5)
    x = jnp.linspace(0.0, 1.0, 4)
    return tuple(perturbed(k, x) for k in jax.random.split(key))


# Distrax


def wrong_sample_twice(key):
    """A policy is sampled twice with one key."""
    policy = distrax.MultivariateNormalDiag(jnp.zeros(3), jnp.ones(3))
    return policy.sample(seed=key), policy.sample(seed=key)


def right_sample_twice(key):
    """The second action is the mode, which needs no key."""
    policy = distrax.MultivariateNormalDiag(jnp.zeros(3), jnp.ones(3))
    return policy.sample(seed=key), policy.mode()


def wrong_sample_and_log_prob(key):
    """sample_and_log_prob draws what sample draws."""
    policy = distrax.Normal(jnp.zeros(4), 1.0)
    action, log_prob = policy.sample_and_log_prob(seed=key)
    other = policy.sample(seed=key)
    return action, other, log_prob


def right_sample_and_log_prob(key):
    """The log probability of the action that is there draws nothing."""
    policy = distrax.Normal(jnp.zeros(4), 1.0)
    action = policy.sample(seed=key)
    return action, policy.log_prob(action), policy.log_prob(jnp.zeros(4))


def wrong_seed_as_integer():
    """An integer seed is made a key of that seed."""
    normal = distrax.Normal(0.0, 1.0)
    return normal.sample(seed=3, sample_shape=(5,)), normal.sample(seed=jax.random.key(3), sample_shape=(5,))


def right_seed_as_integer():
    """Two integers."""
    normal = distrax.Normal(0.0, 1.0)
    return normal.sample(seed=3, sample_shape=(5,)), normal.sample(seed=4, sample_shape=(5,))


def wrong_two_policies(key):
    """Two agents with equal logits act alike."""
    agents = [distrax.Categorical(logits=jnp.zeros(50)) for _ in range(2)]
    return tuple(agent.sample(seed=key, sample_shape=(20,)) for agent in agents)


def right_two_policies(key):
    """The second agent is greedy."""
    agents = [distrax.Categorical(logits=jnp.zeros(50)), distrax.Greedy(jnp.arange(50.0))]
    return tuple(agent.sample(seed=key, sample_shape=(20,)) for agent in agents)


def wrong_joint(key):
    """The parts of the state are drawn apart with one key."""
    position, velocity = distrax.Normal(0.0, 1.0), distrax.Normal(0.0, 1.0)
    return position.sample(seed=key), velocity.sample(seed=key)


def right_joint(key):
    """Joint splits its key over its parts."""
    return tuple(distrax.Joint([distrax.Normal(0.0, 1.0), distrax.Normal(0.0, 1.0)]).sample(seed=key))


def wrong_actions_of_batch(key):
    """Each of the agents gets the key of the closure: the batch takes one action."""
    logits = jnp.zeros((3, 1000))
    return tuple(jax.vmap(lambda row: distrax.Gumbel(row, 1.0).sample(seed=key))(logits))


def right_actions_of_batch(key):
    """The batch is part of the distribution."""
    logits = jnp.zeros((3, 1000))
    return tuple(distrax.Gumbel(logits, 1.0).sample(seed=key))


def wrong_evidence_lower_bound(key):
    """Both samples of the bound are one."""

    def elbo(mean, key):
        posterior = distrax.Normal(mean, 1.0)
        return posterior.sample(seed=key) ** 2 - posterior.entropy()

    return tuple(jax.value_and_grad(elbo)(0.3, key)[0] for _ in range(2))


def right_evidence_lower_bound(key):
    """The samples of the bound go through vmap, over keys."""

    def elbo(mean, key):
        posterior = distrax.Normal(mean, 1.0)
        return posterior.sample(seed=key) ** 2 - posterior.entropy()

    return tuple(jax.vmap(jax.value_and_grad(elbo), in_axes=(None, 0))(0.3, jax.random.split(key))[0])


# BlackJAX


def wrong_kernel_twice(rng_key):
    """Two steps from one state with one key are one step."""
    mala = blackjax.mala(logdensity, 0.1)
    state = mala.init(jnp.ones(2))
    first, _ = mala.step(rng_key, state)
    second, _ = mala.step(rng_key, state)
    return first.position, second.position


def right_kernel_twice(rng_key):
    """Two steps from one state with two keys."""
    mala = blackjax.mala(logdensity, 0.1)
    state = mala.init(jnp.ones(2))
    first, _ = mala.step(jax.random.fold_in(rng_key, 0), state)
    second, _ = mala.step(jax.random.fold_in(rng_key, 1), state)
    return first.position, second.position


def wrong_chain(rng_key):
    """The state goes on and the key stays: each step has the same momentum."""
    hmc = blackjax.hmc(logdensity, 0.1, jnp.ones(2), 3)
    state, momenta = hmc.init(jnp.ones(2)), []
    for _ in range(3):
        state, info = hmc.step(rng_key, state)
        momenta.append(info.momentum)
    return tuple(momenta)


def right_chain(rng_key):
    """The chain splits its key in each step."""
    hmc = blackjax.hmc(logdensity, 0.1, jnp.ones(2), 3)
    state, momenta = hmc.init(jnp.ones(2)), []
    for _ in range(3):
        rng_key, sample_key = jax.random.split(rng_key)
        state, info = hmc.step(sample_key, state)
        momenta.append(info.momentum)
    return tuple(momenta)


def inference_loop(rng_key, kernel, initial_state, num_samples):
    """As in the documentation of BlackJAX."""

    @jax.jit
    def one_step(state, rng_key):
        state, info = kernel(rng_key, state)
        return state, (state, info)

    keys = jax.random.split(rng_key, num_samples)
    _, (states, infos) = jax.lax.scan(one_step, initial_state, keys)
    return states, infos


def wrong_inference_loop(rng_key):
    """Two chains of one key and one start are one chain."""
    walk = blackjax.additive_step_random_walk(logdensity, blackjax.mcmc.random_walk.normal(0.1 * jnp.ones(2)))
    state = walk.init(jnp.ones(2))
    chains = [inference_loop(rng_key, walk.step, state, 5)[0] for _ in range(2)]
    return tuple(chain.position for chain in chains)


def right_inference_loop(rng_key):
    """vmap over keys, with one start."""
    walk = blackjax.additive_step_random_walk(logdensity, blackjax.mcmc.random_walk.normal(0.1 * jnp.ones(2)))
    state = walk.init(jnp.ones(2))
    chains, _ = jax.vmap(lambda k: inference_loop(k, walk.step, state, 5))(jax.random.split(rng_key))
    return tuple(chains.position)


def wrong_chains_by_vmap(rng_key):
    """vmap over the starts, with one key: all chains get one momentum."""
    hmc = blackjax.hmc(logdensity, 0.1, jnp.ones(2), 2)
    states = jax.vmap(hmc.init)(jnp.arange(6.0).reshape(3, 2))
    _, infos = jax.vmap(hmc.step, in_axes=(None, 0))(rng_key, states)
    return tuple(infos.momentum)


def right_chains_by_vmap(rng_key):
    """vmap over the starts and over keys."""
    hmc = blackjax.hmc(logdensity, 0.1, jnp.ones(2), 2)
    states = jax.vmap(hmc.init)(jnp.arange(6.0).reshape(3, 2))
    _, infos = jax.vmap(hmc.step)(jax.random.split(rng_key, 3), states)
    return tuple(infos.momentum)


def wrong_starts_of_mclmc(rng_key):
    """Two chains start at other positions, with one momentum."""
    starts = [blackjax.mcmc.mclmc.init(x, logdensity, rng_key) for x in (jnp.ones(3), jnp.zeros(3))]
    return tuple(start.momentum for start in starts)


def right_starts_of_mclmc(rng_key):
    """Each chain has a key of its own."""
    keys = jax.random.split(rng_key)
    starts = [blackjax.mcmc.mclmc.init(x, logdensity, k) for x, k in zip((jnp.ones(3), jnp.zeros(3)), keys)]
    return tuple(start.momentum for start in starts)


def wrong_built_kernel(rng_key):
    """The kernel that is built makes both transitions with one key."""
    kernel, state = blackjax.hmc.build_kernel(), blackjax.hmc.init(jnp.ones(2), logdensity)
    state, first = kernel(rng_key, state, logdensity, 0.1, jnp.ones(2), 2)
    _, second = kernel(rng_key, state, logdensity, 0.1, jnp.ones(2), 2)
    return first.momentum, second.momentum


def right_built_kernel(rng_key):
    """Each transition has a key of its own."""
    kernel, state = blackjax.hmc.build_kernel(), blackjax.hmc.init(jnp.ones(2), logdensity)
    first_key, second_key = jax.random.split(rng_key)
    state, first = kernel(first_key, state, logdensity, 0.1, jnp.ones(2), 2)
    _, second = kernel(second_key, state, logdensity, 0.1, jnp.ones(2), 2)
    return first.momentum, second.momentum


def wrong_stochastic_gradient(rng_key):
    """The key of the batches is constant, and so is the noise of the dynamics."""
    sgld = blackjax.sgld(lambda position, batch: jnp.zeros_like(position))
    position, steps = sgld.init(jnp.zeros(3)), []
    for batch in range(3):
        steps.append(sgld.step(rng_key, position, batch, 0.1))
    return tuple(steps)


def right_stochastic_gradient(rng_key):
    """Each batch comes with its key."""
    sgld = blackjax.sgld(lambda position, batch: jnp.zeros_like(position))
    position, steps = sgld.init(jnp.zeros(3)), []
    for batch, key in enumerate(jax.random.split(rng_key, 3)):
        steps.append(sgld.step(key, position, batch, 0.1))
    return tuple(steps)


# environments


class EnvState(NamedTuple):
    position: jax.Array
    time: int = 0
    key: jax.Array | None = None


class WindyWorld:
    """An environment as in gymnax: it keeps nothing, and each call gets a key."""

    def reset(self, key: jax.Array) -> tuple[jax.Array, EnvState]:
        position = jax.random.uniform(key, (4,))
        return position, EnvState(position)

    def step(self, key: jax.Array, state: EnvState, action: float) -> tuple[jax.Array, EnvState]:
        wind = jax.random.normal(key, (4,))
        return wind, EnvState(state.position + action + wind, state.time + 1)


class StatefulWorld:
    """An environment as in Brax: the key is a part of the state."""

    def reset(self, rng: jax.Array) -> EnvState:
        rng, sub = jax.random.split(rng)
        return EnvState(jax.random.uniform(sub, (4,)), 0, rng)

    def step(self, state: EnvState, action: float) -> tuple[EnvState, jax.Array]:
        rng, sub = jax.random.split(state.key)
        wind = jax.random.normal(sub, (4,))
        return state._replace(position=state.position + action + wind, key=rng), wind

    def step_without_new_key(self, state: EnvState, action: float) -> tuple[EnvState, jax.Array]:
        rng, sub = jax.random.split(state.key)
        wind = jax.random.normal(sub, (4,))
        return state._replace(position=state.position + action + wind), wind


def wrong_env_step(key):
    """The wind is the same in each step."""
    env = WindyWorld()
    reset_key, step_key = jax.random.split(key)
    _, state = env.reset(reset_key)
    winds = []
    for _ in range(3):
        wind, state = env.step(step_key, state, 0.0)
        winds.append(wind)
    return tuple(winds)


def right_env_step(key):
    """The time of the state is folded into the key of the steps."""
    env = WindyWorld()
    reset_key, step_key = jax.random.split(key)
    _, state = env.reset(reset_key)
    winds = []
    for _ in range(3):
        wind, state = env.step(jax.random.fold_in(step_key, state.time), state, 0.0)
        winds.append(wind)
    return tuple(winds)


def wrong_env_reset(rng):
    """All episodes begin alike."""
    env = WindyWorld()
    observations = []
    for _ in range(2):
        observation, state = env.reset(rng)
        observations.append(observation)
    return tuple(observations)


def right_env_reset(rng):
    """Each episode takes a key off."""
    env = WindyWorld()
    observations = []
    for _ in range(2):
        rng, _rng = jax.random.split(rng)
        observation, state = env.reset(_rng)
        observations.append(observation)
    return tuple(observations)


def wrong_parallel_envs(rng):
    """The environments are reset with copies of one key."""
    env = WindyWorld()
    observations, _ = jax.vmap(env.reset)(jnp.stack([rng, rng, rng]))
    return tuple(observations)


def right_parallel_envs(rng):
    """The environments are reset with split keys."""
    env = WindyWorld()
    observations, _ = jax.vmap(env.reset)(jax.random.split(rng, 3))
    return tuple(observations)


def wrong_rollout(rng):
    """The scan carries the key that it never replaces."""
    env = WindyWorld()

    def body(carry, _):
        state, rng = carry
        wind, state = env.step(rng, state, 1.0)
        return (state, rng), wind

    rng, sub = jax.random.split(rng)
    _, state = env.reset(sub)
    return tuple(jax.lax.scan(body, (state, rng), None, length=3)[1])


def right_rollout(rng):
    """The scan carries what is left of the key."""
    env = WindyWorld()

    def body(carry, _):
        state, rng = carry
        rng, step_rng = jax.random.split(rng)
        wind, state = env.step(step_rng, state, 1.0)
        return (state, rng), wind

    rng, sub = jax.random.split(rng)
    _, state = env.reset(sub)
    return tuple(jax.lax.scan(body, (state, rng), None, length=3)[1])


def wrong_key_of_env_state(rng):
    """The step splits the key of its state, and does not store the rest."""
    env = StatefulWorld()
    state = env.reset(rng)
    state, first = env.step_without_new_key(state, 0.0)
    state, second = env.step_without_new_key(state, 0.0)
    return first, second


def right_key_of_env_state(rng):
    """The step stores the rest of the key in its state."""
    env = StatefulWorld()
    state = env.reset(rng)
    state, first = env.step(state, 0.0)
    state, second = env.step(state, 0.0)
    return first, second


def wrong_state_restored(rng):
    """Two actions are tried from one state: the luck is common."""
    env = StatefulWorld()
    state = env.reset(rng)
    _, left = env.step(state, -1.0)
    _, right = env.step(state, 1.0)
    return left, right


def right_state_restored(rng):
    """The second action is tried with another key in the state."""
    env = StatefulWorld()
    rng, other = jax.random.split(rng)
    state = env.reset(rng)
    _, left = env.step(state, -1.0)
    _, right = env.step(state._replace(key=other), 1.0)
    return left, right


@dataclass
class ReplayBuffer:
    data: jax.Array
    key: jax.Array
    draws: int = field(default=0)

    def sample(self, n: int) -> jax.Array:
        return jax.random.choice(self.key, self.data, (n,))

    def sample_next(self, n: int) -> jax.Array:
        self.draws += 1
        return jax.random.choice(jax.random.fold_in(self.key, self.draws), self.data, (n,))


def wrong_replay_buffer(key):
    """The buffer draws with its one key: each batch is the same."""
    buffer = ReplayBuffer(jnp.arange(1000.0), key)
    return buffer.sample(16), buffer.sample(16)


def right_replay_buffer(key):
    """The buffer counts its draws."""
    buffer = ReplayBuffer(jnp.arange(1000.0), key)
    return buffer.sample_next(16), buffer.sample_next(16)


def wrong_copy_of_buffer(key):
    """A replaced buffer has the count of the old one."""
    buffer = ReplayBuffer(jnp.arange(1000.0), key)
    evaluation = replace(buffer)
    return buffer.sample_next(16), evaluation.sample_next(16)


def right_copy_of_buffer(key):
    """The copy begins at another count."""
    buffer = ReplayBuffer(jnp.arange(1000.0), key)
    evaluation = replace(buffer, draws=1_000_000)
    return buffer.sample_next(16), evaluation.sample_next(16)


def keys_of(seed: int) -> Iterator[jax.Array]:
    key = jax.random.PRNGKey(seed)
    while True:
        key, sub = jax.random.split(key)
        yield sub


def wrong_generator_of_keys():
    """The generator is made anew for each draw."""
    return tuple(jax.random.normal(next(keys_of(0)), (4,)) for _ in range(2))


def right_generator_of_keys():
    """One generator is asked twice."""
    keys = keys_of(0)
    return tuple(jax.random.normal(next(keys), (4,)) for _ in range(2))


# data that is folded in


def wrong_fold_in_learning_rate(key):
    """fold_in cuts off what follows the point: both rates are 0."""
    return tuple(jax.random.normal(jax.random.fold_in(key, rate), (4,)) for rate in (0.1, 0.01))


def right_fold_in_learning_rate(key):
    """The position of the rate is folded in."""
    return tuple(jax.random.normal(jax.random.fold_in(key, i), (4,)) for i, rate in enumerate((0.1, 0.01)))


def wrong_fold_in_time(key):
    """The time of a simulation in steps of a quarter is cut off to seconds."""
    time, winds = jnp.float32(3.0), []
    for _ in range(3):
        winds.append(jax.random.normal(jax.random.fold_in(key, time), (2,)))
        time = time + 0.25
    return tuple(winds)


def right_fold_in_time(key):
    """The time in quarters is a whole number."""
    time, winds = jnp.float32(3.0), []
    for _ in range(3):
        winds.append(jax.random.normal(jax.random.fold_in(key, time * 4), (2,)))
        time = time + 0.25
    return tuple(winds)


def wrong_fold_in_modulo(key):
    """Every fourth number is the same again."""
    return tuple(jax.random.normal(jax.random.fold_in(key, i % 4)) for i in range(6))


def right_fold_in_modulo(key):
    """Only as many numbers as the modulus."""
    return tuple(jax.random.normal(jax.random.fold_in(key, i % 4)) for i in range(4))


def wrong_fold_in_quotient(key):
    """Two neighbouring steps have one number."""
    return tuple(jax.random.uniform(jax.random.fold_in(key, step // 2), (3,)) for step in range(4))


def right_fold_in_quotient(key):
    """The steps are even, so that their halves differ."""
    return tuple(jax.random.uniform(jax.random.fold_in(key, step // 2), (3,)) for step in range(0, 8, 2))


def wrong_fold_in_sum(key):
    """Row plus column is the same along a diagonal."""
    tiles = []
    for row in range(2):
        for column in range(2):
            tiles.append(jax.random.uniform(jax.random.fold_in(key, row + column), (3,)))
    return tuple(tiles)


def right_fold_in_sum(key):
    """Row times the number of columns, plus column."""
    tiles = []
    for row in range(2):
        for column in range(2):
            tiles.append(jax.random.uniform(jax.random.fold_in(key, row * 2 + column), (3,)))
    return tuple(tiles)


def wrong_fold_in_length_of_name(key):
    """weight and offset have six letters each."""
    names = ("weight", "offset", "scale")
    return tuple(jax.random.normal(jax.random.fold_in(key, len(name)), (3,)) for name in names)


def right_fold_in_length_of_name(key):
    """A checksum of the name is folded in."""
    names = ("weight", "offset", "scale")
    return tuple(jax.random.normal(jax.random.fold_in(key, zlib.crc32(name.encode())), (3,)) for name in names)


def wrong_fold_in_letters(key):
    """The sum of the letters does not see their order."""
    return tuple(jax.random.normal(jax.random.fold_in(key, sum(map(ord, name))), (3,)) for name in ("dw", "wd"))


def right_fold_in_letters(key):
    """The letters are the digits of a number."""
    names = (b"dw", b"wd")
    return tuple(jax.random.normal(jax.random.fold_in(key, int.from_bytes(name, "big")), (3,)) for name in names)


def wrong_fold_in_short_hash(key):
    """One hexadecimal digit of the hash: among 17 names two are equal."""
    digits = [int(hashlib.sha256(f"layer_{i}".encode()).hexdigest()[0], 16) for i in range(17)]
    return tuple(jax.random.normal(jax.random.fold_in(key, digit), (3,)) for digit in digits)


def right_fold_in_short_hash(key):
    """Eight hexadecimal digits of the hash."""
    digits = [int(hashlib.sha256(f"layer_{i}".encode()).hexdigest()[:8], 16) for i in range(17)]
    return tuple(jax.random.normal(jax.random.fold_in(key, digit), (3,)) for digit in digits)


def wrong_fold_in_byte(key):
    """The step is stored in eight bits, and 256 is 0 again."""
    steps = np.array([0, 255, 256]).astype(np.uint8)
    return tuple(jax.random.normal(jax.random.fold_in(key, step), (2,)) for step in steps)


def right_fold_in_byte(key):
    """The step is stored in 32 bits."""
    steps = np.array([0, 255, 256]).astype(np.uint32)
    return tuple(jax.random.normal(jax.random.fold_in(key, step), (2,)) for step in steps)


def wrong_fold_in_truth(key):
    """True is 1: the flag and the count meet."""
    training, count = True, 1
    a = jax.random.normal(jax.random.fold_in(key, training), (4,))
    b = jax.random.normal(jax.random.fold_in(key, count), (4,))
    return a, b


def right_fold_in_truth(key):
    """The flag is folded in first, and the count into what comes out."""
    a = jax.random.fold_in(jax.random.fold_in(key, True), 1)
    b = jax.random.fold_in(jax.random.fold_in(key, False), 1)
    return jax.random.normal(a, (4,)), jax.random.normal(b, (4,))


class Stream(IntEnum):
    PARAMS = 0
    DROPOUT = 1
    AUGMENT = 1


def wrong_fold_in_enum(key):
    """Two members of the enumeration have one value."""
    return tuple(jax.random.normal(jax.random.fold_in(key, s), (3,)) for s in (Stream.DROPOUT, Stream.AUGMENT))


def right_fold_in_enum(key):
    """Iteration over an enumeration leaves the aliases out."""
    return tuple(jax.random.normal(jax.random.fold_in(key, s), (3,)) for s in Stream)


def wrong_fold_in_same_constant(key):
    """The branches of the network fold in one constant."""
    actor = jax.random.normal(jax.random.fold_in(key, 0), (3,))
    critic = jax.random.normal(jax.random.fold_in(key, 0), (3,))
    return actor, critic


def right_fold_in_same_constant(key):
    """One constant is folded into two keys."""
    k1, k2 = jax.random.split(key)
    actor = jax.random.normal(jax.random.fold_in(k1, 0), (3,))
    critic = jax.random.normal(jax.random.fold_in(k2, 0), (3,))
    return actor, critic


def wrong_fold_in_and_split(key):
    """With JAX's default generator, the second half of a split is what fold_in with 1 gives."""
    _, noise_key = jax.random.split(key)
    other = jax.random.fold_in(key, 1)
    return jax.random.normal(noise_key, (3,)), jax.random.normal(other, (3,))


def right_fold_in_and_split(key):
    """The number is folded into the half that is left."""
    key, noise_key = jax.random.split(key)
    other = jax.random.fold_in(key, 1)
    return jax.random.normal(noise_key, (3,)), jax.random.normal(other, (3,))


def wrong_split_again(key):
    """Two splits of one key give equal keys."""
    train_keys = jax.random.split(key, 2)
    test_keys = jax.random.split(key, 2)
    return jax.random.normal(train_keys[0], (3,)), jax.random.normal(test_keys[0], (3,))


def right_split_again(key):
    """One split, cut in two."""
    keys = jax.random.split(key, 4)
    train_keys, test_keys = keys[:2], keys[2:]
    return jax.random.normal(train_keys[0], (3,)), jax.random.normal(test_keys[0], (3,))


def wrong_split_of_other_length(key):
    """With JAX's default generator, a longer split begins with the keys of a shorter one."""
    short = jax.random.split(key, 2)
    long = jax.random.split(key, 5)
    return tuple(jax.random.normal(k, (3,)) for k in (*short, *long))


def right_split_of_other_length(key):
    """The longer split is of a key of the shorter one."""
    key, other = jax.random.split(key, 2)
    long = jax.random.split(key, 5)
    return tuple(jax.random.normal(k, (3,)) for k in (other, *long))


def wrong_large_seed():
    """A key keeps 32 bits of its seed."""
    return jax.random.normal(jax.random.key(2**40 + 7), (3,)), jax.random.normal(jax.random.key(7), (3,))


def right_large_seed():
    """The seeds differ within 32 bits."""
    return jax.random.normal(jax.random.key(2**30 + 7), (3,)), jax.random.normal(jax.random.key(7), (3,))


def wrong_negative_seed():
    """-1 and the largest seed are one."""
    return jax.random.normal(jax.random.PRNGKey(-1), (3,)), jax.random.normal(jax.random.PRNGKey(2**32 - 1), (3,))


def right_negative_seed():
    """A seed and its negative differ."""
    return jax.random.normal(jax.random.PRNGKey(-1), (3,)), jax.random.normal(jax.random.PRNGKey(1), (3,))


def wrong_seed_plus_rank():
    """Seed plus rank: the second worker of one run is the first of the next."""
    runs = [(seed, rank) for seed in (0, 1) for rank in (0, 1)]
    return tuple(jax.random.normal(jax.random.PRNGKey(seed + rank), (3,)) for seed, rank in runs)


def right_seed_plus_rank():
    """The rank is folded into the key of the run."""
    runs = [(seed, rank) for seed in (0, 1) for rank in (0, 1)]
    return tuple(jax.random.normal(jax.random.fold_in(jax.random.PRNGKey(seed), rank), (3,)) for seed, rank in runs)


def wrong_seed_from_float():
    """int cuts the temperatures off to one seed."""
    return tuple(jax.random.normal(jax.random.key(int(t)), (3,)) for t in (0.5, 0.7))


def right_seed_from_float():
    """The temperatures are counted in tenths."""
    return tuple(jax.random.normal(jax.random.key(round(10 * t)), (3,)) for t in (0.5, 0.7))


def wrong_seed_of_bits(key):
    """Three seeds of one random bit: two of them have to meet."""
    seeds = jax.random.bits(key, (3,), jnp.uint8) & 1
    return tuple(jax.random.normal(jax.random.key(seed), (3,)) for seed in seeds)


def right_seed_of_bits(key):
    """Seeds of 32 random bits."""
    seeds = jax.random.bits(key, (3,), jnp.uint32)
    return tuple(jax.random.normal(jax.random.key(seed), (3,)) for seed in seeds)


def wrong_cached_noise(key):
    """The partial was made with the key, and each call is the same."""
    noise = partial(jax.random.normal, key)
    return noise((5,)), noise((5,))


def right_cached_noise(key):
    """The partial was made with the shape, and each call gets a key."""
    noise = partial(jax.random.normal, shape=(5,))
    k1, k2 = jax.random.split(key)
    return noise(k1), noise(k2)
