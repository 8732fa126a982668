"""The arguments of loops are given by name."""

import jax


def walk(key, steps):
    def step(i, at):
        key, place = at
        return key, place + jax.random.normal(key)  # error: OLY104 certain

    return jax.lax.fori_loop(lower=0, upper=steps, body_fun=step, init_val=(key, 0.0))


def until(key, limit):
    def step(at):
        key, place = at
        return key, place + jax.random.uniform(key)  # error: OLY104 certain

    return jax.lax.while_loop(cond_fun=lambda at: at[1] < limit, body_fun=step, init_val=(key, 0.0))


def example():
    first, second = jax.random.split(jax.random.key(0))
    return walk(first, 4), until(second, 2.0)
