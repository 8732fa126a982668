"""The body of a loop leaves the key in its dictionary as it is."""

import jax


def walk(key):
    def body(i, carry):
        _, subkey = jax.random.split(carry["key"])  # error: OLY104 certain
        carry["x"] = carry["x"] + jax.random.normal(subkey)
        return carry

    return jax.lax.fori_loop(0, 5, body, {"key": key, "x": 0.0})


def main():
    return walk(jax.random.key(0))["x"]
