"""Actors that run as coroutines."""

import asyncio

import jax


async def act(key, observation):
    await asyncio.sleep(0)
    return observation + jax.random.normal(key, observation.shape)


async def play(key, observation, steps):
    for _ in range(steps):
        observation = await act(key, observation)  # error: OLY104 certain
    return observation


def main():
    return asyncio.run(play(jax.random.key(0), jax.numpy.ones(2), 2))
