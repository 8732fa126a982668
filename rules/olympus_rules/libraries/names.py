"""Qualified names of library functions that code spells or compares with, and the one resolver of such names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

__all__ = ["DEFAULT_ROOTS", "canonical", "under_jax"]

DEFAULT_ROOTS = ("jax", "olympus")
"""The names under which the JAX namespace may be imported, if no setting says otherwise."""
PRIVATE = {"jax._src.random": "jax.random", "jax._src.numpy": "jax.numpy", "jax.experimental.maps": "jax"}
"""Modules from which people import public functions, with the modules whose functions these are."""

# modules
RANDOM = "jax.random"
NUMPY = "jax.numpy"
LAX = "jax.lax"
JAXTYPING = "jaxtyping"

# makers of keys, and what derives and converts keys
KEY = "jax.random.key"
PRNG_KEY = "jax.random.PRNGKey"
SPLIT = "jax.random.split"
FOLD_IN = "jax.random.fold_in"
KEY_DATA = "jax.random.key_data"
KEY_IMPL = "jax.random.key_impl"
WRAP_KEY_DATA = "jax.random.wrap_key_data"

# types
ARRAY = "jax.Array"
ARRAY_TYPES = (ARRAY, "jax.numpy.ndarray")
KEY_DTYPE = "jax.dtypes.prng_key"
JAXTYPING_KEY = "jaxtyping.Key"
JAXTYPING_KEY_ARRAY = "jaxtyping.PRNGKeyArray"
PARTITION_SPECS = ("jax.sharding.PartitionSpec", "jax.P")

# arrays
ARANGE = "jax.numpy.arange"
RANGES = (ARANGE, "numpy.arange")
ASARRAY = "jax.numpy.asarray"
CONCATENATE = "jax.numpy.concatenate"
EXPAND_DIMS = "jax.numpy.expand_dims"
ISSUBDTYPE = "jax.numpy.issubdtype"
MOVEAXIS = "jax.numpy.moveaxis"
STACK = "jax.numpy.stack"
VSTACK = "jax.numpy.vstack"
ZEROS = "jax.numpy.zeros"
ZEROS_LIKE = "jax.numpy.zeros_like"
CALLING_THE_METHOD = ("numpy.reshape", "numpy.swapaxes", "numpy.transpose")
"""Functions of NumPy that call the method of that name of an array of JAX."""

# transformations and pytrees
EVAL_SHAPE = "jax.eval_shape"
VMAP = "jax.vmap"
TREE_MAP = "jax.tree.map"
REGISTER_DATACLASS = "jax.tree_util.register_dataclass"
REGISTER_PYTREE_NODE_CLASS = "jax.tree_util.register_pytree_node_class"


def under_jax(qualified: str, roots: Iterable[str] = DEFAULT_ROOTS) -> str:
    """Return a qualified name with ``jax`` in the place of another name of the JAX namespace.

    Args:
        qualified: for example ``lab.jax_compat.random.split``.
        roots: the names of the namespace, such as ``lab.jax_compat`` (the setting ``library-roots``).
    """
    for root in roots:
        if qualified == root or qualified.startswith(f"{root}."):
            return f"jax{qualified[len(root) :]}"
    return qualified


@lru_cache(maxsize=16384)
def canonical(qualified: str, roots: tuple[str, ...] = DEFAULT_ROOTS) -> str:
    """Return the name under which the packs know a callable: under ``jax``, and in a public module.

    Args:
        qualified: the name as imports give it.
        roots: the names under which the JAX namespace may be imported.
    """
    name = under_jax(qualified, roots)
    for private, public in PRIVATE.items():
        if name == private or name.startswith(f"{private}."):
            return public + name[len(private) :]
    return name
