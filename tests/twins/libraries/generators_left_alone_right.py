"""Two generators of one seed, for layers that take one and draw nothing, and for classes of which nothing is known."""

from flax import nnx
from grain_like import Pipeline, Source


class Constant(nnx.Module):
    def __init__(self, size, rngs):
        del rngs
        self.size = size


def layers(seed):
    one = Constant(2, rngs=nnx.Rngs(seed))
    two = Constant(3, nnx.Rngs(seed))
    return one, two


def batches(path, seed):
    source = Source(path, rngs=nnx.Rngs(seed))
    return Pipeline(source, batch_size=8, rngs=nnx.Rngs(seed))
