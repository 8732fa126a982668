"""A plot draws with the seed of the predictions that it shows."""

import jax


class Model:
    def predict(self, media, seed):
        return media + jax.random.normal(jax.random.key(seed), media.shape)  # first


def response(model: Model, media, seed):
    return model.predict(media, seed).mean()


def diagonal(model: Model, media, seed):
    return media * jax.random.normal(jax.random.key(seed), (3,))  # first


def plot(model: Model, media, seed):
    curves = response(model, media, seed)  # first
    return curves, diagonal(model, media, seed)  # error: OLY104 likely


def main():
    plot(Model(), jax.numpy.ones(3), 3)
