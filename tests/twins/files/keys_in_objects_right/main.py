"""Keys in objects of another file: what their methods do to these keys counts."""

import dataclasses

import jax

from .states import Source, State, make_state


class Learner:
    def __init__(self, rng):
        self.state = make_state(rng)

    def update(self, x):
        rng, key = jax.random.split(self.state.rng)
        x = x + jax.random.normal(key)
        self.state = dataclasses.replace(self.state, rng=rng)
        self.state = self.state.apply_losses(x)


@dataclasses.dataclass
class Runner:
    state: State

    def update(self, x):
        rng, key = jax.random.split(self.state.rng)
        x = x + jax.random.normal(key)
        self.state = dataclasses.replace(self.state, rng=rng)
        return self.state.apply_losses(x)


def update(state: State, x):
    rng, key = jax.random.split(state.rng)
    x = x + jax.random.normal(key)
    state = dataclasses.replace(state, rng=rng)
    return state.apply_losses(x)


class Outer:
    def __init__(self, rng):
        self.source = Source(rng)

    def both(self):
        return self.source.renew() + self.source.renew()


def main():
    one, two, three, four = jax.random.split(jax.random.key(0), 4)
    Learner(one).update(0.0)
    return Runner(make_state(two)).update(0.0), update(make_state(three), 0.0), Outer(four).both()
