"""Networks of one agent take their first parameters from one key: equal layers begin equal."""

import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp


class Net(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.width)(x)


class Normed(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=True)(nn.Dense(self.width)(x))


def policy(x):
    return hk.Linear(3)(x)


def value(x):
    return hk.nets.MLP([4, 1])(x)


def of_haiku(x):
    key, other = jax.random.split(jax.random.key(0))
    net, critic = hk.transform(policy), hk.transform(value)
    weights = net.init(key, x)
    return weights, critic.init(other, x)


class Agent:
    def __init__(self):
        self.actor, self.critic = Net(4), Net(1)

    def weights(self, seed, x):
        key, other = jax.random.split(jax.random.key(seed))
        weights = self.actor.init(key, x)
        return weights, self.critic.init(other, x)


def of_collections(x):
    key = jax.random.key(1)
    critic, critic_target = Net(1), Net(1)
    weights = critic.init({"params": key}, x)
    return {"critic": weights, "target": critic_target.init({"params": key}, x)}


class NormedAgent:
    def __init__(self):
        self.actor, self.critic = Normed(4), Normed(1)

    def weights(self, seed, x):
        actor_key, critic_key, statistics_key = jax.random.split(jax.random.key(seed), 3)
        weights = self.actor.init({"params": actor_key, "batch_stats": statistics_key}, x)
        return weights, self.critic.init({"params": critic_key, "batch_stats": statistics_key}, x)


def example():
    x = jnp.ones((1, 2))
    return of_haiku(x), Agent().weights(2, x), of_collections(x), NormedAgent().weights(3, x)
