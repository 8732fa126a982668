"""The noise of a field is drawn for everybody who asks."""

import jax


class Field:
    def __init__(self, key):
        self.key = key

    @property
    def noise(self):
        return jax.random.normal(self.key, (3,))  # error: OLY104 certain


def main():
    field = Field(jax.random.key(0))
    return field.noise, field.noise
