"""The layers share an `Rngs`, and the one that draws nothing has its own; networks that follow others or are compared have one seed."""

from flax import nnx


class Policy(nnx.Module):
    def __init__(self, width, actions, seed=0):
        rngs = nnx.Rngs(seed)
        self.hidden = nnx.Linear(width, width, rngs=rngs)
        self.norm = nnx.LayerNorm(width, rngs=nnx.Rngs(seed))
        self.output = nnx.Linear(width, actions, rngs=rngs)

    def __call__(self, x):
        return self.output(self.norm(self.hidden(x)))


class Agent:
    def __init__(self, seed):
        self.network = nnx.Linear(4, 2, rngs=nnx.Rngs(seed))
        self.target_network = nnx.Linear(4, 2, rngs=nnx.Rngs(seed))


def read(path, state):
    model = nnx.Linear(4, 2, rngs=nnx.Rngs(0))
    restored = nnx.Linear(4, 2, rngs=nnx.Rngs(0))
    nnx.update(restored, state(path))
    return model, restored


def compared(inputs, widths):
    for width in widths:
        model = Policy(width, 2)
        print(width, model(inputs))


def timed(inputs, repeat):
    model = nnx.Linear(4, 2, rngs=nnx.Rngs(0))
    compiled = nnx.jit(lambda model, x: model(x))(model, inputs)
    model = nnx.Linear(4, 2, rngs=nnx.Rngs(0))
    return compiled, repeat(model, inputs)


def filled(block, scales):
    setattr(block, "keys", nnx.Linear(4, 2, rngs=nnx.Rngs(0)))
    setattr(block, "values", nnx.Linear(4, 2, rngs=nnx.Rngs(0)))
    block.keys.kernel[...], block.values.kernel[...] = scales
    for name in block.names:
        setattr(block, name, nnx.Linear(4, 2, rngs=nnx.Rngs(0)))


def main():
    return Policy(4, 2)
