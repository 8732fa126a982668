"""The noise of a field is drawn once, whoever asks for it."""

import functools

import jax


class Field:
    def __init__(self, key):
        self.key = key

    @functools.cached_property
    def noise(self):
        return jax.random.normal(self.key, (3,))

    def shifted(self):
        return self.noise + 1


def main():
    field = Field(jax.random.key(0))
    return field.noise, field.noise, field.shifted()
