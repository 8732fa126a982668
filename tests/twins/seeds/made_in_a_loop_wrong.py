"""Each trial of each run draws with a key that it makes of a constant."""

import jax


def runs(number):
    results = []
    for run in range(number):
        for trial in range(number):
            noise = jax.random.normal(jax.random.PRNGKey(1), (2,))  # error: OLY104 certain
            results.append(noise * (run + trial))
    return results


def main():
    results = runs(3)
    assert jax.numpy.array_equal(results[1] * 4, results[-1])
