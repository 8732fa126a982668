"""All of ``jax.lax``, with errors that teach in control flow.

The other functions are JAX's own objects: ``jax.lax.reduce`` knows ``add`` and ``max`` by their identity.
"""

from typing import TYPE_CHECKING, Any

from olympus.namespace.mirror import mirror

HIGHER_ORDER = frozenset(
    {
        "associative_scan",
        "cond",
        "custom_linear_solve",
        "custom_root",
        "fori_loop",
        "map",
        "platform_dependent",
        "scan",
        "switch",
        "while_loop",
    }
)
"""The functions that call functions of the user, whose errors pass through them."""


def adapt(name: str, value: Any) -> Any:
    """Return what this module shows for a name of ``jax.lax``."""
    from olympus.namespace.explaining import explained

    return explained(value, module=__name__) if name in HIGHER_ORDER else value


if TYPE_CHECKING:
    from jax.lax import *  # noqa: F403
else:
    __getattr__, __dir__ = mirror(__name__, "jax.lax", adapt)
