"""The first turn of a loop starts from a key of its own."""

import jax


def trajectory(key, n):
    key, start_key = jax.random.split(key)
    points = []
    for i in range(n):
        if i == 0:
            points.append(jax.random.uniform(start_key, (2,)))  # first
        else:
            key, step_key = jax.random.split(key)
            points.append(points[-1] + jax.random.normal(step_key, (2,)))
    return points, jax.random.normal(start_key)  # error: OLY104 certain


def example():
    return trajectory(jax.random.key(0), 3)
