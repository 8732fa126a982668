"""The numbers of the run and of the trial are folded into the constant key."""

import jax


def runs(number):
    results = []
    for run in range(number):
        for trial in range(number):
            key = jax.random.fold_in(jax.random.fold_in(jax.random.PRNGKey(1), run), trial)
            noise = jax.random.normal(key, (2,))
            results.append(noise * (run + trial))
    return results


def main():
    results = runs(3)
    assert not jax.numpy.allclose(results[1] * 4, results[-1])
