"""A function inside of a method calls a method twice on one key."""

import jax


class Policy:
    def sample(self, key):
        return jax.random.uniform(key)

    def act(self, key):
        def both(key):
            return self.sample(key), self.sample(key)  # error: OLY104 certain

        return both(key)


def example():
    return Policy().act(jax.random.key(0))
