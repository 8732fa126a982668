"""Each arm folds the same counter in for every name of the inner loop, and one run may take the same arm each time."""

from jax import random


def start(key, chains, fitted, names):
    positions = []
    for chain in range(chains):
        position = {}
        for name in names:
            if name in fitted:
                child = random.fold_in(key, chain)  # error: OLY108 likely "every iteration of the loop on line 10"
                position[name] = fitted[name] + random.normal(child)
            else:
                child = random.fold_in(key, chain)  # error: OLY108 likely "every iteration of the loop on line 10"
                position[name] = random.normal(child)
        positions.append(position)
    return positions


def example():
    return start(random.key(0), 2, {"scale": 1.0, "shift": 2.0}, ["scale", "shift", "slope"])
