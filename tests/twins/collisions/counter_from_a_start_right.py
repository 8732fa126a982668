"""A loop that may resume folds its counter into a child, or one that is past the children of the split."""

import jax


class Trainer:
    def __init__(self, key):
        self.first_step = 0
        weight_key, self.noise_key = jax.random.split(key)
        self.weights = jax.random.normal(weight_key, (3,))

    def restore(self, step):
        self.first_step = step + 1


def train(key, steps, checkpoint=None):
    init_key, train_key = jax.random.split(key)
    trainer = Trainer(init_key)
    if checkpoint is not None:
        trainer.restore(checkpoint)
    drawn = []
    for step in range(trainer.first_step, steps):
        step_key = jax.random.fold_in(train_key, step)
        drawn.append(jax.random.normal(step_key, (3,)))
    return trainer.weights, drawn


def noise(key, start, steps):
    first_key, second_key = jax.random.split(key)
    drawn = [jax.random.normal(first_key), jax.random.normal(second_key)]
    for step in range(start, steps):
        drawn.append(jax.random.normal(jax.random.fold_in(key, step + 2)))
    return drawn


def blocks(key, n, steps):
    drawn = [jax.random.normal(each) for each in jax.random.split(key, n)]
    for step in range(n, steps):
        drawn.append(jax.random.normal(jax.random.fold_in(key, step)))
    return drawn


def main():
    weights, drawn = train(jax.random.key(0), 2)
    assert not any((weights == each).all() for each in drawn)
    noise(jax.random.key(1), 0, 2)
    blocks(jax.random.key(2), 2, 4)
