"""The function that draws comes as an argument."""

import jax


def draw_pair(key, distribution, n):
    left_key, right_key = jax.random.split(key)
    return distribution(left_key, (n,)) - distribution(right_key, (n,))


def compare(key, n):
    normal = draw_pair(key, jax.random.normal, n)  # first
    laplace = draw_pair(key, jax.random.laplace, n)  # error: OLY104 certain
    return normal / laplace


def example():
    return compare(jax.random.key(0), 3)
