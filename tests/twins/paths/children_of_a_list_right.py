"""A method splits the key among the names that have scores, and gives nothing if none has."""

import jax
import jax.numpy as jnp


class Menu:
    def __init__(self, names):
        self.names = list(names)
        self.scores = {}

    def add(self, name, width):
        self.names.append(name)
        self.scores[name] = jnp.zeros(width)

    def keys(self, key):
        scored = [name for name in self.names if name in self.scores]
        if not scored:
            return {}
        return dict(zip(scored, jax.random.split(key, len(scored))))

    def drawn(self, key):
        return {name: jax.random.normal(each, (2,)) for name, each in self.keys(key).items()}

    def prepared(self, key):
        first, second = jax.random.split(key)
        return self.drawn(first), self.drawn(second)


def example():
    menu = Menu(["gain"])
    menu.add("shape", 3)
    return menu.prepared(jax.random.key(0))
