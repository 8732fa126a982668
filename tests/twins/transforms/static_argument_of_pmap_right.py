"""A step of a class is mapped over devices, with its object as a static argument."""

from functools import partial

import jax
import jax.numpy as jnp


class Trainer:
    def fit(self, key, params, n):
        keys = jax.random.split(key, jax.local_device_count())
        for i in range(n):
            params = self.step(params, keys, jnp.full(len(keys), i))
        return params

    def step(self, params, key, i):
        return params + jax.random.normal(jax.random.fold_in(key, i), params.shape)


class OnDevices:
    @partial(jax.pmap, static_broadcasted_argnums=(0,))
    def step(self, params, key, i):
        return super().step(params, key, i)


class DeviceTrainer(OnDevices, Trainer):
    pass


def example():
    return DeviceTrainer().fit(jax.random.key(0), jnp.ones((jax.local_device_count(), 3)), 2)
