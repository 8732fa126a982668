"""Two generators of one seed, for layers that draw their weights: both draw the same ones."""

from flax import nnx


class Layer(nnx.Module):
    def __init__(self, size, rngs):
        self.weight = nnx.Linear(size, size, rngs=rngs)


def layers(seed):
    one = Layer(2, rngs=nnx.Rngs(seed))  # first
    two = Layer(3, nnx.Rngs(seed))  # error: OLY104 likely
    return one, two


class Constant(nnx.Module):
    def __init__(self, size, rngs):
        del rngs
        self.size = size


def either(seed, learned):
    kind = Layer if learned else Constant
    one = kind(2, nnx.Rngs(seed))  # first
    two = Layer(3, nnx.Rngs(seed))  # error: OLY104 likely
    return one, two
