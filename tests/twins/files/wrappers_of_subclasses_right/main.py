"""A world and a sky that draw, behind wrappers of another file; each of two calls has its own key."""

import jax

from .worlds import Scaled, Shifted, Sky, Tinted, World


class Cave(World):
    def reset(self, key):
        return jax.random.normal(key)


class Night(Sky):
    def sample(self, key):
        return jax.random.uniform(key)


class Session:
    def __init__(self, world: World, sky: Sky):
        self.world = world
        self.sky = sky

    def start(self, seed):
        first, second = jax.random.split(jax.random.key(seed))
        return self.world.reset(first), self.world.reset(second)

    def look(self, seed):
        first, second = jax.random.split(jax.random.key(seed))
        return self.sky.sample(first), self.sky.sample(second)


def main():
    session = Session(Scaled(Shifted(Cave())), Tinted(Night()))
    return session.start(0), session.look(1)
