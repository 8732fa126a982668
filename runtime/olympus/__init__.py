"""The olympus runtime: JAX with typed keys, and its random keys traced.

Importing this package imports neither JAX nor anything else outside the standard library, so that it can be
loaded alone into any interpreter, and so that the linter never pays for JAX. The first use of a name of JAX
imports JAX. A module of this package goes before JAX's name: ``olympus.random`` is ours, ``olympus.nn`` is JAX's.
Both can be imported: see :mod:`olympus.namespace.importing`.
"""

from __future__ import annotations

from olympus._version import __version__ as __version__
from olympus.namespace import importing as _importing

TYPE_CHECKING = False  # type checkers know the name; importing typing takes half of the time of this import
if TYPE_CHECKING:
    from typing import Any

    from olympus import config as config
    from olympus import dtypes as dtypes
    from olympus import errors as errors
    from olympus import lax as lax
    from olympus import lineage as lineage
    from olympus import nn as nn
    from olympus import numpy as numpy
    from olympus import random as random
    from olympus import tree as tree
    from olympus.checks import KeyReuseError, check, checked
    from olympus.config import default_prng_impl
    from olympus.jax_names import *  # noqa: F403
    from olympus.namespace.array_protocol import SupportsJAXArray
    from olympus.prng import register_prng_impl
    from olympus.random import ensure_typed_key_array
    from olympus.recording import reuse_allowed
    from olympus.signatures.signature import Forward, KeySignature, Sink, Source

__all__ = [
    "Forward",
    "KeyReuseError",
    "KeySignature",
    "Sink",
    "Source",
    "SupportsJAXArray",
    "check",
    "checked",
    "default_prng_impl",
    "ensure_typed_key_array",
    "register_prng_impl",
    "reuse_allowed",
]

_PLACES = {
    "Forward": "olympus.signatures.signature",
    "KeyReuseError": "olympus.checks",
    "KeySignature": "olympus.signatures.signature",
    "Sink": "olympus.signatures.signature",
    "Source": "olympus.signatures.signature",
    "SupportsJAXArray": "olympus.namespace.array_protocol",
    "check": "olympus.checks",
    "checked": "olympus.checks",
    "default_prng_impl": "olympus.config",
    "ensure_typed_key_array": "olympus.random",
    "register_prng_impl": "olympus.prng",
    "reuse_allowed": "olympus.recording",
}
"""The modules of our names, which are imported when a name is first used."""


def _resolve(name: str) -> Any:
    """Return what a public name stands for, and keep it."""
    from importlib import import_module

    if name in _PLACES:
        value = getattr(import_module(_PLACES[name]), name)
    elif _importing.is_ours(f"olympus.{name}"):
        value = import_module(f"olympus.{name}")
    else:
        from olympus.namespace.mirror import jax_module, jax_value
        from olympus.namespace.transforms import adapt

        value = adapt(name, jax_value("jax", name, shown_in=__name__))
        if name not in vars(jax_module()):
            return value  # one that is on its way out warns each time
    globals()[name] = value
    return value


def _public() -> list[str]:
    """Return all public names without importing JAX: those of JAX are read from its source."""
    import ast
    from importlib.util import find_spec
    from pathlib import Path
    from pkgutil import iter_modules

    names = {*__all__, *(module.name for module in iter_modules([str(Path(__file__).parent)]))}
    spec = find_spec("jax")
    if spec is not None and spec.origin is not None:
        for node in ast.parse(Path(spec.origin).read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                names |= {alias.asname for alias in node.names if alias.asname}
                names.update((node.module or "").split(".")[1:2])
            elif isinstance(node, ast.Import):
                names |= {part for alias in node.names for part in alias.name.split(".")[1:2]}
            elif isinstance(node, ast.Assign):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return sorted(name for name in names if not name.startswith("_"))


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name.startswith("_") and name != "_src":  # what tools look for in any module must not import JAX
            more = f"; the one of JAX is {__name__}.version.{name}" if name == "__version_info__" else ""
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{more}")
        return _resolve(name)

    def __dir__() -> list[str]:
        return _public()


_importing.install()
