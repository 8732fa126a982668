"""A wrapper resets an environment that it is given as it is made, with the key that `reset` splits."""

import jax


class Gym:
    def __init__(self, env, seed):
        self.env = env
        self.rng, key = jax.random.split(jax.random.key(seed))
        self.state = env.reset(key)

    def reset(self):
        self.rng, key = jax.random.split(self.rng)
        self.state = self.env.reset(key)
        return self.state


class Env:
    def reset(self, rng):
        self.given = rng
        return jax.random.normal(jax.random.split(rng)[0], (3,))


class Maze(Env):
    def reset(self, rng):
        self.given = rng
        return jax.random.uniform(jax.random.split(rng)[1], (3,))


def main():
    for env in (Env(), Maze()):
        gym = Gym(env, 0)
        assert not (env.given == gym.rng).all()
