"""The state is made in the first step, with the key of all steps, and dropped after each of them."""

import jax


class Model:
    def __init__(self, start, update):
        self.start = start
        self.update = update
        self.state = None

    def step(self, x, key):
        if self.state is None:
            self.state = self.start(key, x)
        state, loss = self.update(self.state, x)
        self.state = None
        return state, loss

    def fit(self, data, key):
        losses = []
        for x in data:
            _, loss = self.step(x, key)  # error: OLY104 likely
            losses.append(loss)
        return losses


def update(state, x):
    return state + x, abs(x)


def main():
    model = Model(lambda key, x: x + jax.random.normal(key), update)
    return model.fit([1.0, 2.0], jax.random.key(0))
