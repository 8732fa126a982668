"""An initial point is drawn anew while it does not suit."""

import jax


def initial(key, most):
    values = []
    while len(values) < most:
        key, value_key = jax.random.split(key)
        try:
            value = float(jax.random.normal(value_key))
            values.append(value)
            assert value > 100
            break
        except AssertionError:
            pass
    return values


def main():
    assert len(set(initial(jax.random.key(0), 4))) == 4
