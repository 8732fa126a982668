"""Small programs that the tests check."""

REUSE = """\
import jax


def f(key):
    x = jax.random.normal(key)
    y = jax.random.uniform(key)
    return x + y
"""
RAW = "import jax\n\nkey = jax.random.PRNGKey(0)\n"
CLEAN = "import jax\n\nx = jax.random.normal(jax.random.key(0))\n"
