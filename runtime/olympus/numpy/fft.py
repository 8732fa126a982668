"""`jax.numpy.fft`, with functions that accept objects with ``__jax_array__``."""

from olympus.numpy._wrapping import members

__getattr__, __dir__ = members(__name__, "jax.numpy.fft")
