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


def policy(x):
    return hk.Linear(3)(x)


def value(x):
    return hk.nets.MLP([4, 1])(x)


def of_haiku(x):
    key = jax.random.key(0)
    net, critic = hk.transform(policy), hk.transform(value)
    weights = net.init(key, x)  # first
    return weights, critic.init(key, x)  # error: OLY104 likely


class Agent:
    def __init__(self):
        self.actor, self.critic = Net(4), Net(1)

    def weights(self, seed, x):
        key = jax.random.key(seed)
        weights = self.actor.init(key, x)  # first
        return weights, self.critic.init(key, x)  # error: OLY104 likely


def of_collections(x):
    key = jax.random.key(1)
    actor, critic = Net(4), Net(1)
    weights = actor.init({"params": key}, x)  # first
    return {"actor": weights, "critic": critic.init({"params": key}, x)}  # error: OLY104 likely


class NormedAgent:
    def __init__(self):
        self.actor, self.critic = Net(4), Net(1)

    def weights(self, seed, x):
        key, statistics = jax.random.split(jax.random.key(seed))
        weights = self.actor.init({"params": key, "batch_stats": statistics}, x)  # first
        return weights, self.critic.init({"params": key, "batch_stats": statistics}, x)  # error: OLY104 likely


def example():
    x = jnp.ones((1, 2))
    return of_haiku(x), Agent().weights(2, x), of_collections(x), NormedAgent().weights(3, x)
