"""The body of a scan is a function inside of a method, and calls another method."""

import jax
import jax.numpy as jnp


class Simulation:
    def step(self, key, place):
        return place + jax.random.normal(key)

    def run(self, key, place):
        def body(carry, _):
            key, place = carry
            place = self.step(key, place)  # error: OLY104 certain
            return (key, place), place

        return jax.lax.scan(body, (key, place), None, length=5)


def example():
    return Simulation().run(jax.random.key(0), jnp.zeros(()))
