"""Worlds and skies, and wrappers that ask the one inside: this file has none that is no wrapper."""

from abc import ABC, abstractmethod


class World(ABC):
    @abstractmethod
    def reset(self, key):
        raise NotImplementedError


class Scaled(World):
    def __init__(self, world: World):
        self.world = world

    def reset(self, key):
        return 2 * self.world.reset(key)


class Shifted(World):
    def __init__(self, world: World):
        self.world = world

    def reset(self, key):
        return 1 + self.world.reset(key)


class Sky(ABC):
    @abstractmethod
    def sample(self, key):
        raise NotImplementedError


class Tinted(Sky):
    def __init__(self, sky: Sky):
        self.sky = sky

    def sample(self, key):
        return 3 * self.sky.sample(key)
