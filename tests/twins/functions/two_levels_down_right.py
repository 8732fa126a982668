"""A domain randomisation two calls deep uses the key of the reset."""

import jax


def random_mass(key):
    return jax.random.uniform(key, (), minval=0.5, maxval=2.0)


def randomise(key, enabled=True):
    return random_mass(key) if enabled else 1.0


def reset(key):
    mass_key, position_key = jax.random.split(key)
    mass = randomise(mass_key)
    position = 0.05 * jax.random.normal(position_key, (2,))
    return position / mass


def example():
    return reset(jax.random.PRNGKey(0))
