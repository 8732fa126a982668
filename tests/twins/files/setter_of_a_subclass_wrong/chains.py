"""A chain whose subclasses draw the state that it starts with."""

from abc import ABC, abstractmethod

import jax


class Chain(ABC):
    @abstractmethod
    def draw_init_state(self, *args, **kwargs):
        pass

    def run(self, seed):
        key = jax.random.key(seed)
        self.draw_init_state(key, 3)  # first
        return self.start + jax.random.normal(key, (3,))  # error: OLY104 likely
