"""Draw until a draw suits, at most three times."""

import jax


def draw(key):
    value = jax.random.normal(key)
    if value < 10:
        raise ValueError("too small")
    return value


def attempts(key):
    tried = []
    for _ in range(3):
        key, draw_key = jax.random.split(key)
        try:
            tried.append(jax.random.key_data(draw_key))
            return draw(draw_key), tried
        except ValueError:
            continue
    return None, tried


def main():
    _, tried = attempts(jax.random.key(0))
    assert len({str(words) for words in tried}) == 3
