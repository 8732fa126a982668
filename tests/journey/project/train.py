"""Train the network, and print its loss."""

import jax
import jax.numpy as jnp

from denoise.checkpoint import save
from denoise.data import batches, corrupt, shifted, sine_waves
from denoise.model import apply, init

EPOCHS = 3


def loss(params, noisy, clean, key):
    return jnp.mean((apply(params, noisy, key) - clean) ** 2)


@jax.jit
def update(params, noisy, clean, key):
    value, gradients = jax.value_and_grad(loss)(params, noisy, clean, key)
    return jax.tree.map(lambda p, g: p - 0.5 * g, params, gradients), value


def train(seed):
    key = jax.random.PRNGKey(seed)
    assert key.shape == (2,)
    data_key, init_key, shuffle_key, key = jax.random.split(key, 4)
    signals = sine_waves(data_key, 64)
    params = init(init_key, (32, 64, 32))
    for epoch in range(EPOCHS):
        for clean in batches(shuffle_key, signals, size=32):
            key, shift_key, noise_key, dropout_key = jax.random.split(key, 4)
            clean = shifted(shift_key, clean)
            params, value = update(params, corrupt(noise_key, clean), clean, dropout_key)
        print(f"epoch {epoch}: loss {value:.3f}")
    save("checkpoint.npz", key, params)
    return evaluate(params, key, signals)


def evaluate(params, key, signals, repeats=3):
    losses = []
    for i in range(repeats):
        noisy = corrupt(key + i, signals)
        losses.append(jnp.mean((apply(params, noisy) - signals) ** 2))
    return jnp.stack(losses)


if __name__ == "__main__":
    print(f"mean loss of the evaluation: {train(seed=0).mean():.3f}")
