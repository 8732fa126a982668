"""One key or a list of keys: where it is no list, it is put into one."""

import jax


def one_or_more(seed, count):
    if isinstance(seed, jax.Array):
        return seed
    key, *children = jax.random.split(jax.random.PRNGKey(seed), count + 1)
    return children[0] if count == 1 else children


def draw(seed, count):
    keys = one_or_more(seed, count)
    keys = [keys] if not isinstance(keys, list) else keys
    return [jax.random.normal(keys[i]) for i in range(count)]


def example():
    return draw(0, 2) + draw(1, 1)
