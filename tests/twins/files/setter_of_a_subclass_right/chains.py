"""A chain whose subclasses set the state that it starts with."""

from abc import ABC, abstractmethod

import jax


class Chain(ABC):
    @abstractmethod
    def set_init_state(self, *args, **kwargs):
        pass

    def run(self, seed):
        key = jax.random.key(seed)
        self.set_init_state(key, 3)
        return self.start + jax.random.normal(key, (3,))
