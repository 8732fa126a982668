"""Classes that are namespaces of samplers: by the class, and by an object of it."""

import jax


class Backend:
    random = jax.random
    normal = staticmethod(jax.random.normal)


class Numbers:
    random = jax.numpy
    normal = staticmethod(jax.numpy.sin)


class Rebound:
    draw = staticmethod(jax.random.normal)


Rebound.draw = staticmethod(lambda key: 0.0)


class Model:
    random = jax.random
    draw = staticmethod(jax.random.normal)

    def noise(self, key):
        return self.draw(key) + self.random.uniform(key) + self.draw(key)


class Constants:
    uniform = staticmethod(lambda key: 0.5)


class Silent(Model):
    random = Constants
    draw = staticmethod(lambda key: 0.0)


backend = Backend()


def by_class(key):
    one, two = Backend.random.split(key)
    return Backend.random.normal(one) + Backend.normal(two)


def by_object(key):
    one, two = backend.random.split(key)
    return backend.normal(one) + backend.random.uniform(two)


def numbers(x):
    return Numbers.normal(x) + Numbers.normal(x)


def rebound(key):
    return Rebound.draw(key) + Rebound().draw(key)


def main():
    drawn = by_class(jax.random.key(0)), by_object(jax.random.key(1))
    return drawn, numbers(1.0), rebound(jax.random.key(2)), Silent().draw(jax.random.key(3))
