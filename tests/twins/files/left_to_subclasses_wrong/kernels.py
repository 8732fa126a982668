"""Kernels, one of which starts with random parameters; a sum of kernels asks those that it is made of."""

from abc import ABC, abstractmethod

import jax
import jax.numpy as jnp


class Kernel(ABC):
    @abstractmethod
    def init_params(self, key):
        raise NotImplementedError


class Squared(Kernel):
    def init_params(self, key):
        return {"scale": jnp.ones(2)}


class Linear(Kernel):
    def init_params(self, key):
        return {"slope": jax.random.normal(key)}


class Sum(Kernel):
    def __init__(self, parts: list[Kernel]):
        self.parts = parts

    def init_params(self, key):
        return [part.init_params(key) for part in self.parts]
