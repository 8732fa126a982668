"""Tuples of objects of any length, and a base whose name is like that of a protocol."""

import jax


class Noisy:
    def draw(self, key):
        return jax.random.normal(key)


class SamplerProtocol:
    """No protocol of ``typing``: its heirs keep their methods."""


class Heir(SamplerProtocol):
    def draw(self, key):
        return jax.random.uniform(key)


def repeated(parts: tuple[Noisy, ...], key):
    first = parts[0].draw(key)  # first
    return first, parts[1].draw(key)  # error: OLY104 likely


def inherited(heir: Heir, key):
    first = heir.draw(key)  # first
    return first, heir.draw(key)  # error: OLY104 likely


def example():
    one, two = jax.random.split(jax.random.key(0))
    return repeated((Noisy(), Noisy()), one), inherited(Heir(), two)
