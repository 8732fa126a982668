"""All of ``jax.dtypes``: ``issubdtype(key.dtype, prng_key)`` and ``extended`` tell typed keys from other arrays."""

from typing import TYPE_CHECKING

from olympus.namespace.mirror import mirror

if TYPE_CHECKING:
    from jax.dtypes import *  # noqa: F403
else:
    __getattr__, __dir__ = mirror(__name__, "jax.dtypes")
