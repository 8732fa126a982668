"""A loop that may resume folds its counter into a key that was split before: a run from 0 gets the children again."""

import jax


class Trainer:
    def __init__(self, key):
        self.first_step = 0
        weight_key, self.noise_key = jax.random.split(key)
        self.weights = jax.random.normal(weight_key, (3,))

    def restore(self, step):
        self.first_step = step + 1


def train(key, steps, checkpoint=None):
    trainer = Trainer(key)  # first
    if checkpoint is not None:
        trainer.restore(checkpoint)
    drawn = []
    for step in range(trainer.first_step, steps):
        step_key = jax.random.fold_in(key, step)  # error: OLY108 likely
        drawn.append(jax.random.normal(step_key, (3,)))
    return trainer.weights, drawn


def grow(i, carry):
    key, tree = carry
    leaf_key, node_key = jax.random.split(key)  # first
    tree = tree.at[i].set(jax.random.normal(leaf_key) + jax.random.normal(node_key))
    return jax.random.fold_in(key, i), tree  # error: OLY108 likely


def sample(key, size):
    return jax.lax.fori_loop(0, size, grow, (key, jax.numpy.zeros(size)))[1]


def main():
    weights, drawn = train(jax.random.key(0), 2)
    assert (weights == drawn[0]).all()
    sample(jax.random.key(1), 4)
