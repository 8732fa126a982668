"""All of ``jax.tree``; typed keys are leaves."""

from typing import TYPE_CHECKING

from olympus.namespace.mirror import mirror

if TYPE_CHECKING:
    from jax.tree import *  # noqa: F403
else:
    __getattr__, __dir__ = mirror(__name__, "jax.tree")
