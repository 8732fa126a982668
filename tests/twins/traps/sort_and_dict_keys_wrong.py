"""Keys of dictionaries and of sorting, beside a random one."""

import jax
import jax.numpy as jnp


def summarise(table, rng):
    rows = {}
    for key, value in sorted(table.items(), key=lambda item: item[0]):
        group = key[0]
        rows[group] = rows.get(group, 0.0) + value.mean()
        rows[key] = value.mean()
    for key in sorted(rows):
        rows[key] = rows[key] + 0.0
    order = max(rows, key=lambda key: len(key))
    noise = jax.random.normal(rng, (len(rows),))  # first
    scale = jax.random.exponential(rng)  # error: OLY104 certain
    return rows[order] + scale * noise


def example():
    return summarise({"ab": jnp.ones(2), "cd": jnp.ones(2)}, jax.random.key(0))
