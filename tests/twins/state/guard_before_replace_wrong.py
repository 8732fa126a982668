"""Who has no rate goes on with a key that was split."""

import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class Train:
    rng: jax.Array
    rate: float | None
    x: float = 0.0


def step(state):
    rng, subkey = jax.random.split(state.rng)
    if state.rate is None:
        return state, jax.random.normal(subkey)
    return dataclasses.replace(state, rng=rng), state.rate * jax.random.normal(subkey)


def main():
    state = Train(jax.random.key(0), None)
    state, a = step(state)  # first
    state, b = step(state)  # error: OLY104 certain
    return a, b
