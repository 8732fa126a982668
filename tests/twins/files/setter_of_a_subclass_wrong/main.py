"""The state is drawn from the key that the chain goes on with."""

import jax

from .chains import Chain


class Noisy(Chain):
    def draw_init_state(self, key, size):
        self.start = jax.random.normal(key, (size,))


def main():
    return Noisy().run(0)
