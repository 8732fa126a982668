"""Actions of all agents: each of them has to get a key of its own."""

import jax


def sample_action(key, n_actions):
    return jax.random.randint(key, (), 0, n_actions)


def random_policy(key, agents):
    return {name: sample_action(key, n) for name, n in agents.items()}  # error: OLY104 certain


def example():
    return random_policy(jax.random.key(0), {"left": 4, "right": 5})
