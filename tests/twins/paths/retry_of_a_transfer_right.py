"""A transfer that fails is tried again with the same draw."""

import jax


def send(draw, failures):
    if failures:
        failures.pop()
        raise ConnectionError
    return draw


def deliver(key, failures):
    for _ in range(3):
        try:
            return send(jax.random.normal(key), failures)
        except ConnectionError:
            continue
    return None


def main():
    assert deliver(jax.random.key(0), [1]) == jax.random.normal(jax.random.key(0))
