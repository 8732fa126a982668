"""A block that another file makes."""

import equinox as eqx


class Block(eqx.Module):
    linear: eqx.nn.Linear
    dropout: eqx.nn.Dropout

    def __init__(self, size, *, key, rate=0.0, **kwargs):
        self.linear = eqx.nn.Linear(size, size, key=key, **kwargs)
        self.dropout = eqx.nn.Dropout(rate)

    def __call__(self, x, key):
        return self.dropout(self.linear(x), key=key)
