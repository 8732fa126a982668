"""Two plots of one model draw with the seed of its predictions, to be compared."""

import jax


class Model:
    def predict(self, media, seed):
        return media + jax.random.normal(jax.random.key(seed), media.shape)


def response(model: Model, media, seed):
    return model.predict(media, seed).mean()


def diagonal(model: Model, media, seed):
    return model.predict(media * jax.numpy.eye(3), seed)


def plot(model: Model, media, seed):
    curves = response(model, media, seed)
    return curves, diagonal(model, media, seed)


def main():
    plot(Model(), jax.numpy.ones(3), 3)
