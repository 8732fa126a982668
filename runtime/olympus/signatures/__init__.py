"""Key signatures: the type and its algebra, signatures by tracing, and signature packs made of them.

The linter imports the type for every run, so that what traces is imported when it is first called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from olympus.signatures.signature import Forward, KeySignature, Mask, Reuse, Sink, Source

if TYPE_CHECKING:
    from olympus.lineage import Lineage

__all__ = ["Forward", "KeySignature", "Mask", "Reuse", "Sink", "Source", "of", "read"]


def of(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> KeySignature:
    """Return the key signature of a function, by tracing it: see :func:`olympus.signatures.traced.of`."""
    from olympus.signatures import traced

    return traced.of(f, *args, **kwargs)


def read(lineage: Lineage, parameters: Sequence[str] = ()) -> KeySignature:
    """Return the key signature of a traced function: see :func:`olympus.signatures.traced.read`."""
    from olympus.signatures import traced

    return traced.read(lineage, parameters)
