"""A function splits its key before each call of what it was given; one without this habit may hand a key to two."""

from types import SimpleNamespace

import jax


def evaluate(key, modules):
    key, subkey = jax.random.split(key)
    output = modules.system(subkey)
    key, subkey = jax.random.split(key)
    goal = modules.encoder(subkey, output)
    key, subkey = jax.random.split(key)
    cost = modules.loss(subkey, goal)
    key, subkey = jax.random.split(key)
    summary = modules.statistics(subkey, output)
    return cost, summary


def both(key, model, head):
    key, subkey = jax.random.split(key)
    return head(subkey, model(subkey)), key


def main():
    names = ("system", "encoder", "loss", "statistics")
    modules = SimpleNamespace(**{name: lambda key, *x: jax.random.normal(key) for name in names})
    cost, summary = evaluate(jax.random.key(0), modules)
    assert cost != summary
    both(jax.random.key(1), lambda key: 1.0, lambda key, x: x)
