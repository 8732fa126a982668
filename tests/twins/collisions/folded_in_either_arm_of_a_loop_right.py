"""Each arm folds in the number of the name as well as that of the chain."""

from jax import random


def start(key, chains, fitted, names):
    positions = []
    for chain in range(chains):
        position = {}
        for number, name in enumerate(names):
            if name in fitted:
                child = random.fold_in(random.fold_in(key, chain), number)
                position[name] = fitted[name] + random.normal(child)
            else:
                child = random.fold_in(random.fold_in(key, chain), number)
                position[name] = random.normal(child)
        positions.append(position)
    return positions


def example():
    return start(random.key(0), 2, {"scale": 1.0, "shift": 2.0}, ["scale", "shift", "slope"])
