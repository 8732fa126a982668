"""A world and a sky that draw, behind wrappers of another file; two calls have one key."""

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
        key = jax.random.key(seed)
        return self.world.reset(key), self.world.reset(key)  # error: OLY104 likely

    def look(self, seed):
        key = jax.random.key(seed)
        return self.sky.sample(key), self.sky.sample(key)  # error: OLY104 likely


def main():
    session = Session(Scaled(Shifted(Cave())), Tinted(Night()))
    return session.start(0), session.look(1)
