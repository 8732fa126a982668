"""A network out of sight, which takes its key behind its inputs: a caller gives one because it draws."""

import jax
from flax.training.train_state import TrainState


def step(apply_fn, state, batch, rng):
    def loss(params):
        return apply_fn({"params": params}, batch, rng).mean()

    return state.apply_gradients(grads=jax.grad(loss)(state.params))


def train(state: TrainState, batches):
    rng = jax.random.PRNGKey(0)
    for batch in batches:
        state = step(state.apply_fn, state, batch, rng)  # error: OLY104 likely
    return state
