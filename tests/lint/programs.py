"""Small programs that the tests check."""

REUSE = """\
import jax


def f(key):
    x = jax.random.normal(key)
    y = jax.random.uniform(key)
    return x + y
"""
LOCAL = "import jax\n\n\ndef draw():\n    key = jax.random.PRNGKey(0)\n    return jax.random.normal(key)\n"
RAW = "import jax\n\nkey = jax.random.PRNGKey(0)\n"
CLEAN = "import jax\n\nx = jax.random.normal(jax.random.key(0))\n"
