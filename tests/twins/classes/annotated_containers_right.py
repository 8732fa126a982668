"""Parameters are annotated as containers of objects whose method draws."""

import jax


class Layer:
    def init(self, rng):
        return jax.random.normal(rng, (2, 2))


def listed(layers: list[Layer], rng):
    made = []
    for layer in layers:
        rng, subkey = jax.random.split(rng)
        made.append(layer.init(subkey))
    return made


def named(layers: dict[str, Layer], rng):
    one, two = jax.random.split(rng)
    return layers["first"].init(one), layers["second"].init(two)


def example():
    one, two = jax.random.split(jax.random.key(0))
    return listed([Layer(), Layer()], one), named({"first": Layer(), "second": Layer()}, two)
