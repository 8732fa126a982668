"""Further keywords may set the key of the stream."""

import jax


class Stream:
    def __init__(self):
        self.key = None

    def configure(self, seed, **settings):
        self.key = jax.random.key(seed)  # first
        for name, value in settings.items():
            setattr(self, name, value)

    def draw(self):
        self.key, key = jax.random.split(self.key)
        return jax.random.normal(key, (4,))


def data(seed):
    stream = Stream()
    stream.configure(seed)
    _, key = jax.random.split(jax.random.key(seed))  # first
    return stream.draw(), jax.random.normal(key, (4,))  # error: OLY104 likely


def main():
    noise, other = data(3)
    assert jax.numpy.array_equal(noise, other)
