"""Parameters without a key's name, which callers of the file give keys: alone, in a tuple, in a dictionary."""

import jax


def alone(x, draw):
    one, two = jax.random.split(x)
    return draw(one) + draw(two)


def unpacked(pair, draw):
    x, scale = pair
    one, two = jax.random.split(x)
    return scale * (draw(one) + draw(two))


def tabled(table, draw):
    one, two = jax.random.split(table["x"])
    return table["scale"] * (draw(one) + draw(two))


def numbers(x, call):
    return call(x) + call(x)


def main():
    draw = vars(jax.random)["normal"]
    a, b, c = jax.random.split(jax.random.key(0), 3)
    found = alone(a, draw), unpacked((b, 2.0), draw), tabled({"x": c, "scale": 2.0}, draw)
    return found, numbers(3.0, vars(jax.numpy)["sin"])
