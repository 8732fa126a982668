"""Parameters without a key's name, which callers of the file give keys: alone, in a tuple, in a dictionary."""

import jax


def alone(x, draw):
    first = draw(x)  # first
    return first + draw(x)  # error: OLY104 likely


def unpacked(pair, draw):
    x, scale = pair
    first = draw(x)  # first
    return scale * (first + draw(x))  # error: OLY104 likely


def tabled(table, draw):
    first = draw(table["x"])  # first
    return table["scale"] * (first + draw(table["x"]))  # error: OLY104 likely


def numbers(x, call):
    return call(x) + call(x)


def main():
    draw = vars(jax.random)["normal"]
    a, b, c = jax.random.split(jax.random.key(0), 3)
    found = alone(a, draw), unpacked((b, 2.0), draw), tabled({"x": c, "scale": 2.0}, draw)
    return found, numbers(3.0, vars(jax.numpy)["sin"])
