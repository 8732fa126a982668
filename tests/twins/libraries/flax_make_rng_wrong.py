"""A flax module that samples: `make_rng` gives a fresh key at each call, a name for it does not."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Sampler(nn.Module):
    size: int

    @nn.compact
    def __call__(self, mean):
        scale = self.param("scale", nn.initializers.ones, (self.size,))
        rng = self.make_rng("sample")
        noise = jax.random.normal(rng, mean.shape)  # first
        flip = jax.random.bernoulli(rng, 0.5, mean.shape)  # error: OLY104 certain
        return jnp.where(flip, mean, mean + scale * noise)


def example():
    model, x = Sampler(3), jnp.ones((2, 3))
    init_key, sample_key = jax.random.split(jax.random.key(0))
    return model.init_with_output({"params": init_key, "sample": sample_key}, x)[0]
