import jax


class Agent:
    def act(self, key):
        return jax.random.normal(key)


class Quiet(Agent):
    def act(self, key):
        return 0.0
