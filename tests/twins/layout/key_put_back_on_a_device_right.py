"""A key is fetched and put back at once, as to move it: a typed key goes the same way."""

import jax


def on_this_device(key):
    key = jax.device_put(jax.device_get(key))
    return jax.device_put(jax.device_get(jax.random.fold_in(key, 1)))


def main():
    print(jax.random.normal(on_this_device(jax.random.PRNGKey(0)), (2,)))


if __name__ == "__main__":
    main()
