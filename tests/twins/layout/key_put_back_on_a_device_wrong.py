"""A key is fetched to seed a generator of numpy with its words: a typed key gives no array of numpy."""

import jax
import numpy as np


def generator(key):
    return np.random.default_rng(jax.device_get(key).tolist())  # error: OLY206 likely


def main():
    print(generator(jax.random.PRNGKey(0)).normal())


if __name__ == "__main__":
    main()
