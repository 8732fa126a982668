"""Parameters are annotated as containers of objects whose method draws."""

import jax


class Layer:
    def init(self, rng):
        return jax.random.normal(rng, (2, 2))


def listed(layers: list[Layer], rng):
    made = []
    for layer in layers:
        made.append(layer.init(rng))  # error: OLY104 likely
    return made


def named(layers: dict[str, Layer], rng):
    first = layers["first"].init(rng)  # first
    return first, layers["second"].init(rng)  # error: OLY104 likely


def example():
    one, two = jax.random.split(jax.random.key(0))
    return listed([Layer(), Layer()], one), named({"first": Layer(), "second": Layer()}, two)
