"""A domain randomisation two calls deep uses the key of the reset."""

import jax


def random_mass(key):
    return jax.random.uniform(key, (), minval=0.5, maxval=2.0)


def randomise(key, enabled=True):
    return random_mass(key) if enabled else 1.0


def reset(key):
    mass = randomise(key)  # first
    position = 0.05 * jax.random.normal(key, (2,))  # error: OLY104 certain
    return position / mass


def example():
    return reset(jax.random.PRNGKey(0))
