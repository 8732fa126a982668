"""A numpyro model that is sampled and then predicted with the key of the inference."""

import jax
import numpyro
import numpyro.distributions as dist
from numpyro.infer import Predictive


def model(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(slope * x, 0.1), obs=y)


def simulate(key, x):
    noise = jax.random.normal(key, x.shape)  # first
    prior = Predictive(model, num_samples=3)(key, x)  # error: OLY104 certain
    return prior["y"] + noise


def main():
    return simulate(jax.random.key(0), jax.numpy.ones(4))
