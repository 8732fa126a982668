"""`super().reset` consumes the key before the subclass splits it."""

import jax


class Env:
    def reset(self, key):
        return {"position": jax.random.uniform(key, (2,))}


class WindyEnv(Env):
    def reset(self, key):
        state = super().reset(key)  # first
        key, wind_key = jax.random.split(key)  # error: OLY104 certain
        state["wind"] = 0.1 * jax.random.normal(wind_key, (2,))
        return state


def example():
    return WindyEnv().reset(jax.random.key(0))
