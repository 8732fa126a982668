"""The name of a run, made of a key."""

import jax


def start(seed, name):
    key = jax.random.PRNGKey(seed)
    label = f"{name}_{int(key[1])}"  # error: OLY101 certain
    return label, jax.random.normal(key)


def main():
    return start(1, "run")
