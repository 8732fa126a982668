"""The function that draws comes as an argument."""

import jax


def draw_pair(key, distribution, n):
    left_key, right_key = jax.random.split(key)
    return distribution(left_key, (n,)) - distribution(right_key, (n,))


def compare(key, n):
    normal_key, laplace_key = jax.random.split(key)
    normal = draw_pair(normal_key, jax.random.normal, n)
    laplace = draw_pair(laplace_key, jax.random.laplace, n)
    return normal / laplace


def example():
    return compare(jax.random.key(0), 3)
