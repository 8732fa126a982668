"""Each tower has a seed; repetitions that are timed, and trainings with other arguments, begin with the same one."""

import jax


def tower(width, seed=0, scale=1.0):
    return scale * jax.random.normal(jax.random.key(seed), (width,))


def towers():
    query, value = tower(8), tower(8, seed=1)
    return query, value


def timed():
    result = tower(8)  # compiles
    result = tower(8)
    return result


def compared():
    return [tower(8, scale=scale) for scale in (0.1, 0.2)]


def main():
    query, value = towers()
    assert not jax.numpy.array_equal(query, value)
    assert len(timed()) == 8 and len(compared()) == 2
