"""The members of an ensemble begin with one key: nothing tells them apart."""

import jax


def train(key, rate):
    return rate * jax.random.normal(key, (3,))


def ensemble():
    members = []
    for _ in range(3):
        members.append(train(jax.random.key(0), 0.1))  # error: OLY104 likely
    return members


def main():
    members = ensemble()
    assert jax.numpy.array_equal(members[0], members[2])
