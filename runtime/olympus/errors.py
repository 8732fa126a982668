"""All names of ``jax.errors``, and what explains errors: see :mod:`olympus.namespace.explaining`."""

from typing import TYPE_CHECKING

from olympus.namespace.explaining import Explanation as Explanation
from olympus.namespace.explaining import Failure as Failure
from olympus.namespace.explaining import explained as explained
from olympus.namespace.explaining import explanations as explanations
from olympus.namespace.mirror import mirror

if TYPE_CHECKING:
    from jax.errors import *  # noqa: F403
else:
    __getattr__, __dir__ = mirror(__name__, "jax.errors")

OWN = ("Explanation", "Failure", "explained", "explanations")
