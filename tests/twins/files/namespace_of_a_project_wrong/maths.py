"""A project's own numerics, under one name."""

import jax


class fastmath:
    random = jax.random
    normal = staticmethod(jax.random.normal)
