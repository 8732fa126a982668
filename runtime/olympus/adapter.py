"""The one module that touches private or version-dependent names of JAX.

Each function says what it reaches for, and why a public name does not do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

from olympus.spans import Span, is_user_file, span

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

__all__ = [
    "PRIMITIVES",
    "closed_parts",
    "is_library",
    "jit_name",
    "primitive_name",
    "sub_jaxprs",
    "threefry_partitionable",
    "user_frames",
]

PRIMITIVES = {
    "pjit": "jit",  # up to 0.6
    "checkpoint": "remat2",  # the names of one primitive
    "custom_vjp_call_jaxpr": "custom_vjp_call",  # up to 0.5
}
"""Names of primitives in other releases, with the names of today."""


def primitive_name(eqn: JaxprEqn) -> str:
    """Return the name of an equation's primitive as the newest release has it."""
    name: str = eqn.primitive.name
    return PRIMITIVES.get(name, name)


def jit_name(eqn: JaxprEqn) -> str:
    """Return the name of the function that a ``jit`` equation calls (its parameter ``name``)."""
    return str(eqn.params.get("name", ""))


def user_frames(eqn: JaxprEqn) -> list[Span]:
    """Return the spans of the user's frames that led to an equation, innermost first.

    ``jax.extend.source_info_util`` has only ``summarize``, which gives no end of the span. The equation's
    ``source_info`` and jaxlib's traceback are not documented; ``jax._src.source_info_util.user_frames`` reads the
    same, but takes installed packages for the standard library where there is no virtual environment.
    """
    traceback = eqn.source_info.traceback
    if traceback is None:
        return []
    locate = type(traceback).code_addr2location
    return [_span(code, locate(code, lasti)) for code, lasti in _raw_frames(traceback)]


def _raw_frames(traceback: Any) -> Iterator[tuple[CodeType, int]]:
    codes, offsets = traceback.raw_frames()
    for code, lasti in zip(codes, offsets, strict=True):
        if is_user_file(code.co_filename):
            yield code, lasti


def _span(code: CodeType, location: tuple[int, int, int, int]) -> Span:
    line, start, end_line, end = location
    return span(code.co_filename, line, start, end_line, end, code.co_qualname)


def is_library(jaxpr: Jaxpr) -> bool | None:
    """Return whether a jaxpr is of a function of JAX itself; ``None`` if it does not say.

    Read off ``debug_info``, an undocumented attribute of a public class.
    """
    information = getattr(jaxpr, "debug_info", None)
    source = getattr(information, "func_src_info", None)
    return None if source is None else _is_library(source)


@lru_cache(maxsize=4096)
def _is_library(source: str) -> bool | None:
    # "_normal at /path/jax/_src/random/core.py:965"
    _, found, place = source.partition(" at ")
    file, _, line = place.rpartition(":")
    return not is_user_file(file) if found and line.isdigit() else None


def sub_jaxprs(params: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return each jaxpr, open or closed, in the parameters of an equation, with the parameter's name.

    ``jax.extend.core.jaxprs_in_params`` exists from 0.10 on, and drops the constants of closed jaxprs.
    """
    kinds = _jaxpr_types()
    for name, value in params.items():
        if isinstance(value, kinds):
            yield name, value
        elif isinstance(value, tuple | list):
            yield from ((name, item) for item in value if isinstance(item, kinds))


@cache
def _jaxpr_types() -> tuple[type, ...]:
    from jax.extend.core import ClosedJaxpr, Jaxpr

    return (ClosedJaxpr, Jaxpr)


def closed_parts(jaxpr: Any) -> tuple[Jaxpr, tuple[Any, ...]]:
    """Return the open jaxpr and the constants of an open or closed jaxpr."""
    consts = getattr(jaxpr, "consts", None)
    return (jaxpr, ()) if consts is None else (jaxpr.jaxpr, tuple(consts))


def threefry_partitionable() -> bool:
    """Return whether threefry's partitionable form is on: flags are attributes that no annotation names."""
    import jax

    return bool(getattr(jax.config, "jax_threefry_partitionable", True))
