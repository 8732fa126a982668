"""A function splits its key before each call of what it was given, and leaves one split out."""

from types import SimpleNamespace

import jax


def evaluate(key, modules):
    key, subkey = jax.random.split(key)
    output = modules.system(subkey)
    key, subkey = jax.random.split(key)
    goal = modules.encoder(subkey, output)
    key, subkey = jax.random.split(key)
    cost = modules.loss(subkey, goal)  # first
    summary = modules.statistics(subkey, output)  # error: OLY104 likely
    return cost, summary


def main():
    names = ("system", "encoder", "loss", "statistics")
    modules = SimpleNamespace(**{name: lambda key, *x: jax.random.normal(key) for name in names})
    cost, summary = evaluate(jax.random.key(0), modules)
    assert cost == summary
