"""Who has no rate gets no further."""

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
        raise ValueError("there is no rate")
    return dataclasses.replace(state, rng=rng), state.rate * jax.random.normal(subkey)


def main():
    state = Train(jax.random.key(0), 0.1)
    state, a = step(state)
    state, b = step(state)
    return a, b
