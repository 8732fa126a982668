"""`jax.numpy`, with functions that accept objects with ``__jax_array__`` (JEP 28661).

Each name of `jax.numpy` is here. Functions take an argument that has the method as its array; classes, dtypes and
constants are JAX's own objects. Names are made when they are first used, and JAX is imported then.
"""

from olympus.numpy._wrapping import members

__getattr__, __dir__ = members(__name__, "jax.numpy")
