"""Only some options of a table draw, and another one is given."""

from jax import random

NOISY = {"sde": 5, "jump": 6}
JUMPING = frozenset({"jump"})
SLOW = ["sde"]


def path(key, model):
    if model in NOISY:
        return random.normal(key)
    return 0.0


def jumps(key, model):
    return random.uniform(key) if model in JUMPING else 0.0


def steps(key, model):
    return random.exponential(key) if model not in SLOW else 0.0


def example():
    key = random.key(0)
    drawn = path(key, "ode")
    jumped = jumps(key, "ode")
    return drawn, jumped, steps(key, "sde"), random.normal(key)
