"""A state is replaced without its key, from which the function has drawn; another method draws from the key, too."""

from dataclasses import dataclass, replace

import jax


@dataclass
class State:
    key: jax.Array
    mean: jax.Array


class Strategy:
    def start(self, state: State):
        return replace(state, mean=jax.random.normal(state.key))  # error: OLY104 likely

    def ask(self, state: State):
        key, subkey = jax.random.split(state.key)  # first
        return state.mean + jax.random.normal(subkey), replace(state, key=key)


def example():
    return Strategy().start(State(jax.random.key(0), jax.numpy.zeros(()))).mean
