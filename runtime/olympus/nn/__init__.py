"""All of ``jax.nn``, with errors that teach."""

from typing import TYPE_CHECKING, Any

from olympus.namespace.mirror import mirror


def adapt(name: str, value: Any) -> Any:
    """Return what this module shows for a name of ``jax.nn``."""
    from olympus.namespace.explaining import explained

    return explained(value, name, __name__) if callable(value) and not isinstance(value, type) else value


if TYPE_CHECKING:
    from jax.nn import *  # noqa: F403
else:
    __getattr__, __dir__ = mirror(__name__, "jax.nn", adapt)
