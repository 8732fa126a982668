"""A process asks the kernels that it is given, of classes of another file, for their first parameters."""

import jax

from .kernels import Kernel, Linear, Squared, Sum


class Process:
    def __init__(self, mean: Kernel, kernel: Kernel):
        self.mean = mean
        self.kernel = kernel

    def init_params(self, key):
        return {
            "mean": self.mean.init_params(key),
            "kernel": self.kernel.init_params(key),
        }


def start(kernel: Kernel, seed):
    key = jax.random.key(seed)
    return kernel.init_params(key), jax.random.normal(key)


def main():
    process = Process(Linear(), Sum([Squared(), Linear()]))
    return process.init_params(jax.random.key(0)), start(Squared(), 1)
