"""The olympus runtime: JAX's random keys, described and (with the extra ``trace``) traced.

Importing this package imports neither JAX nor anything else outside the standard library, so that it can be
loaded alone into any interpreter, and so that the linter never pays for JAX.
"""

from __future__ import annotations

from olympus.signature import Forward, KeySignature, Sink, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from olympus.checks import KeyReuseError, check, checked
    from olympus.recorder import reuse_allowed

__all__ = [
    "Forward",
    "KeyReuseError",
    "KeySignature",
    "Sink",
    "Source",
    "check",
    "checked",
    "reuse_allowed",
]
__version__ = "0.1.0"

_PLACES = {
    "KeyReuseError": "olympus.checks",
    "check": "olympus.checks",
    "checked": "olympus.checks",
    "reuse_allowed": "olympus.recorder",
}
"""The modules of our names, which are imported when a name is first used."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_PLACES[name]), name)
        return value
