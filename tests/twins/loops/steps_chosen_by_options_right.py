"""Steps that many options choose: each gives the key on as it is, or the next one if it draws."""

import jax


class Noise:
    def __call__(self, x, extras):
        key, scale = extras
        key, subkey = jax.random.split(key)
        return x + scale * jax.random.normal(subkey), (key, scale)


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x, extras):
        return self.by * x, extras


def apply(x, rng: jax.Array, noisy, twice, thrice, fourfold):
    extras = (rng, 2.0)
    steps = []
    if noisy:
        steps.append(Noise())
    if twice:
        steps.append(Scale(2))
    if thrice:
        steps.append(Scale(3))
    if fourfold:
        steps.append(Scale(4))
    for step in steps:
        x, extras = step(x, extras)
    return x


def main():
    return apply(1.0, jax.random.key(0), True, True, False, True)
