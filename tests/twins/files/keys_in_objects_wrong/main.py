"""Keys in objects of another file: what their methods do to these keys counts."""

import dataclasses

import jax

from .states import Source, State, make_state


class Learner:
    def __init__(self, rng):
        self.state = make_state(rng)

    def update(self, x):
        rng, key = jax.random.split(self.state.rng)  # first
        x = x + jax.random.normal(key)
        self.state = self.state.apply_losses(x)  # error: OLY104 likely


@dataclasses.dataclass
class Runner:
    state: State

    def update(self, x):
        rng, key = jax.random.split(self.state.rng)  # first
        x = x + jax.random.normal(key)
        return self.state.apply_losses(x)  # error: OLY104 likely


def update(state: State, x):
    rng, key = jax.random.split(state.rng)  # first
    x = x + jax.random.normal(key)
    return state.apply_losses(x)  # error: OLY104 likely


class Outer:
    def __init__(self, rng):
        self.source = Source(rng)

    def both(self):
        return self.source.draw() + self.source.draw()  # error: OLY104 certain


def main():
    one, two, three, four = jax.random.split(jax.random.key(0), 4)
    Learner(one).update(0.0)
    return Runner(make_state(two)).update(0.0), update(make_state(three), 0.0), Outer(four).both()
