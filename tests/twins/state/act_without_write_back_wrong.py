"""An agent's key is made in `__init__` and never advanced: every action repeats the first one's noise."""

import jax
import jax.numpy as jnp


class Agent:
    def __init__(self, seed, n_actions):
        self._rng = jax.random.PRNGKey(seed)
        self._q = jnp.zeros(n_actions)

    def update(self, action, reward):
        self._q = self._q.at[action].add(0.1 * (reward - self._q[action]))

    def sample_action(self, temperature):
        noise = jax.random.gumbel(self._rng, self._q.shape)  # error: OLY104 likely
        return jnp.argmax(self._q + temperature * noise)


def example():
    agent = Agent(0, 3)
    agent.update(agent.sample_action(0.5), 1.0)
    return agent._q
