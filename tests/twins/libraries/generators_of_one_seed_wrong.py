"""Two generators of keys begin with one seed, and a model is seeded with one number for each of its draws."""

import haiku as hk
import jax
import numpyro
import numpyro.distributions as dist
from numpyro.handlers import seed, trace


def model():
    return numpyro.sample("x", dist.Normal(0, 1))


def players(number):
    keys = hk.PRNGSequence(number)  # first
    noise = hk.PRNGSequence(number)  # error: OLY104 likely
    return jax.random.normal(next(keys), (3,)), jax.random.uniform(next(noise), (3,))


def halves():
    with seed(rng_seed=1):  # first
        train = model()
    with seed(rng_seed=1):  # error: OLY104 likely
        test = model()
    return train, test


def draws(n):
    found = []
    for _ in range(n):
        with seed(rng_seed=1):  # error: OLY104 likely
            found.append(model())
    return found


def traces():
    seeded = seed(model, 0)
    return trace(seeded).get_trace(), trace(seeded).get_trace()  # error: OLY104 likely
