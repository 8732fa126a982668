"""JAX as a witness has it: the functions that do something with keys do it, and all else is unknown."""

from olympus.witness.library.names import EXECUTED, Jax, library
from olympus.witness.library.transformations import Wrapped

__all__ = ["EXECUTED", "Jax", "Wrapped", "library"]
