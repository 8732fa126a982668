"""Two modules take their first parameters from one key; a target network is to have the same ones."""

import flax.linen as nn
import jax


class Net(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.width)(x)


def build(x):
    key = jax.random.key(int(x.size))
    actor, critic = Net(4), Net(1)
    weights = actor.init(key, x)  # first
    return weights, critic.init(key, x)  # error: OLY104 likely


def example():
    return build(jax.numpy.ones(3))
