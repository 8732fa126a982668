"""Two methods and several rates are compared from one seed; a key stands where none is used."""

import jax


def train(key, rate):
    return rate * jax.random.normal(key, (3,))


def other(key, rate):
    return rate * jax.random.uniform(key, (3,))


def comparison():
    results = [train(jax.random.key(0), 0.1), other(jax.random.key(0), 0.1)]
    for rate in (0.1, 0.2):
        results.append(train(jax.random.key(0), rate))
    return results


def main():
    assert len(comparison()) == 4
