"""A transfer that is refused is tried again with the same draw."""

import jax


def send(draw, least):
    if draw < least:
        raise ValueError(least)
    return draw


def deliver(key, least):
    for _ in range(3):
        try:
            return send(jax.random.normal(key), least)  # error: OLY104 likely
        except ValueError:
            continue
    return None


def main():
    assert deliver(jax.random.key(0), 100) is None
