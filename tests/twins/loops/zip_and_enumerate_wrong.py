"""Population members with a key each; the crossover takes the key of the mutation."""

import jax


def evolve(key, population):
    children = []
    keys = jax.random.split(key, len(population))
    for i, (member, member_key) in enumerate(zip(population, keys, strict=True)):
        mutated = member + 0.1 * jax.random.normal(member_key, member.shape)  # first
        swap = jax.random.bernoulli(member_key, 0.5, member.shape)  # error: OLY104 certain
        children.append(jax.numpy.where(swap, mutated, population[i - 1]))
    return children


def example():
    return evolve(jax.random.key(0), [jax.numpy.ones(3), jax.numpy.zeros(3)])
