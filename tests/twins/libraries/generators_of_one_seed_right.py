"""One generator for all, and a block of one handler for the draws of a model."""

import haiku as hk
import jax
import numpyro
import numpyro.distributions as dist
from numpyro.handlers import seed, trace


def model():
    return numpyro.sample("x", dist.Normal(0, 1))


def players(number):
    keys = hk.PRNGSequence(number)
    noise = hk.PRNGSequence(number + 1)
    return jax.random.normal(next(keys), (3,)), jax.random.uniform(next(noise), (3,))


def halves():
    with seed(rng_seed=1):
        return model(), model()


def draws(n):
    found = []
    with seed(rng_seed=1):
        for _ in range(n):
            found.append(model())
    return found


def traces(numbers):
    return [trace(seed(model, number)).get_trace() for number in numbers]
