"""Two tables of different names are drawn from one key."""

import jax

TABLES = {}


def table(name, key):
    if name not in TABLES:
        TABLES[name] = jax.random.normal(key, (4,))
    return TABLES[name]


def main():
    key = jax.random.key(0)
    return table("sine", key), table("cosine", key)  # error: OLY104 likely
