"""All of ``jax.lax``, with errors that teach.

``jax.lax.reduce`` and ``reduce_window`` know ``add``, ``max`` and a few others by their identity. Those of this module
therefore pass on JAX's own function for one of ours.
"""

from types import FunctionType
from typing import TYPE_CHECKING, Any

from olympus.namespace.mirror import mirror

KNOW_BY_IDENTITY = frozenset({"reduce", "reduce_window"})


def adapt(name: str, value: Any) -> Any:
    """Return what this module shows for a name of ``jax.lax``."""
    from olympus.namespace.explaining import explained
    from olympus.namespace.transforms import with_originals

    if not isinstance(value, FunctionType):
        return value
    return explained(with_originals(value, __name__) if name in KNOW_BY_IDENTITY else value, name, __name__)


if TYPE_CHECKING:
    from jax.lax import *  # noqa: F403
else:
    __getattr__, __dir__ = mirror(__name__, "jax.lax", adapt)
