"""A key that a wrapper hands on by its name, to a parameter that could be given by its position as well."""

from jax import random


def draw(mean, key):
    return mean + random.normal(key)


def call(function, *args, **kwargs):
    return function(*args, **kwargs)


def logged(function):
    def wrapped(*args, **kwargs):
        result = function(*args, **kwargs)
        print(result)
        return result

    return wrapped


@logged
def scaled(mean, scale, key):
    return mean + scale * random.normal(key)


def both(*args, **kwargs):
    return draw(*args, **kwargs)


def example():
    one, two, three = random.split(random.key(0), 3)
    a = call(draw, 1.0, key=one)  # first
    x = call(draw, 2.0, key=one)  # error: OLY104 certain
    b = scaled(0.0, 1.0, key=two)  # first
    y = scaled(0.0, 2.0, key=two)  # error: OLY104 certain
    c = both(1.0, key=three)  # first
    z = both(2.0, three)  # error: OLY104 certain
    return a + b + c + x + y + z
