"""Signals that are sums of a sine wave and noise."""

import jax
import jax.numpy as jnp


def sine_waves(key, count, length=32):
    """Return waves with random frequencies and phases."""
    frequency_key, phase_key = jax.random.split(key)
    frequencies = jax.random.uniform(frequency_key, (count, 1), minval=1.0, maxval=4.0)
    phases = jax.random.uniform(phase_key, (count, 1), maxval=2 * jnp.pi)
    return jnp.sin(frequencies * jnp.linspace(0, 2 * jnp.pi, length) + phases)


def corrupt(key, signals, dropped=0.1):
    """Add noise to signals, and drop some of their samples."""
    noise = 0.3 * jax.random.normal(key, signals.shape)
    kept = jax.random.bernoulli(key, 1 - dropped, signals.shape)
    return jnp.where(kept, signals + noise, 0.0)


def shifted(key, signals):
    """Shift all signals in time by one random step."""
    step = jax.random.randint(key, (), 0, signals.shape[1])
    return jnp.roll(signals, step, axis=1)


def batches(key, signals, size):
    """Yield signals in random order."""
    order = jax.random.permutation(key, len(signals))
    for start in range(0, len(signals), size):
        yield signals[order[start : start + size]]
