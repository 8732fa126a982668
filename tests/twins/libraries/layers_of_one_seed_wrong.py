"""Each layer has an `Rngs` of the seed of the whole network, so all first weights begin with one key."""

from flax import nnx


class Policy(nnx.Module):
    def __init__(self, width, actions, seed=0):
        self.hidden = nnx.Linear(width, width, rngs=nnx.Rngs(seed))  # first
        self.norm = nnx.LayerNorm(width, rngs=nnx.Rngs(seed))
        self.output = nnx.Linear(width, actions, rngs=nnx.Rngs(seed))  # error: OLY104 likely

    def __call__(self, x):
        return self.output(self.norm(self.hidden(x)))


def main():
    return Policy(4, 2)
