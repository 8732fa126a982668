"""The body of a loop changes its dictionary in place."""

import jax


def walk(key):
    def body(i, carry):
        carry["key"], subkey = jax.random.split(carry["key"])
        carry["x"] = carry["x"] + jax.random.normal(subkey)
        return carry

    return jax.lax.fori_loop(0, 5, body, {"key": key, "x": 0.0})


def main():
    return walk(jax.random.key(0))["x"]
