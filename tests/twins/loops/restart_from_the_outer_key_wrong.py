"""Several seeds of an experiment; the inner loop refreshes a copy, the outer key stays."""

import jax


def run(key, restarts, steps):
    results = []
    for _ in range(restarts):
        loop_key = key
        x = 0.0
        for _ in range(steps):
            loop_key, step_key = jax.random.split(loop_key)  # error: OLY104 certain
            x = x + jax.random.normal(step_key)
        results.append(x)
    return results


def example():
    return run(jax.random.key(0), 2, 3)
