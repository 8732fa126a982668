"""The one module that touches private or version-dependent names of JAX.

Each function says what it reaches for, and why a public name does not do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

from olympus.spans import Span, is_user_file, span

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

__all__ = ["PRIMITIVES", "closed_parts", "is_library", "jit_name", "primitive_name", "sub_jaxprs", "user_frames"]

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
    return str(eqn.params.get("name") or "")


def user_frames(eqn: JaxprEqn, around: JaxprEqn | None = None, inside: Jaxpr | None = None) -> tuple[Span, ...]:
    """Return the spans of the user's frames that led to an equation, innermost first.

    They end where the trace of the equation's own jaxpr began: the frames of ``around`` go on from there.

    ``jax.extend.source_info_util`` has only ``summarize``, which gives no end of a span. The ``source_info`` of an
    equation and jaxlib's traceback are not documented. ``jax._src.source_info_util.user_frames`` reads the same,
    but it takes installed packages for the standard library where there is no virtual environment.

    Args:
        eqn: the equation.
        around: the equation in whose parameters its jaxpr is, if any.
        inside: its jaxpr, if there is ``around``.
    """
    frames = _frames(eqn)
    if frames and around is not None and not _scoped():
        frames = _own(frames, _frames(around), _function(inside))
    traceback = eqn.source_info.traceback
    return tuple(_span(traceback, code, lasti) for code, lasti in frames if is_user_file(code.co_filename))


Frames = list[tuple[CodeType, int]]
_TRACER = str(Path(__file__).with_name("jaxprs.py"))


def _frames(eqn: JaxprEqn) -> Frames:
    """Return code and offset of all frames, innermost first, without those that called the tracer."""
    if eqn.source_info.traceback is None:
        return []
    frames: Frames = list(zip(*eqn.source_info.traceback.raw_frames(), strict=True))
    for index, (code, _) in enumerate(frames):
        if code.co_filename == _TRACER:
            return frames[:index]
    return frames


def _span(traceback: Any, code: CodeType, lasti: int) -> Span:
    line, start, end_line, end = type(traceback).code_addr2location(code, lasti)
    return span(code.co_filename, line, start, end_line, end, code.co_qualname)


@cache
def _scoped() -> bool:
    """Return whether the frames of an equation end where the trace of its jaxpr began: from 0.9 on."""
    import jax

    version: tuple[int, ...] = jax.__version_info__
    return version >= (0, 9)


def _own(frames: Frames, around: Frames, function: tuple[str, int]) -> Frames:
    """Return the frames inside the trace of an equation's own jaxpr, in releases where they go on outwards.

    A function that is traced once and called twice has the frames around its first call. Those that ``around``
    shares are dropped, and then those outside of the function.
    """
    shared = 0
    while shared < min(len(frames), len(around)) and frames[-1 - shared] == around[-1 - shared]:
        shared += 1
    rest = frames[: len(frames) - shared]
    for index in reversed(range(len(rest))):
        code = rest[index][0]
        if (code.co_filename, code.co_firstlineno) == function:
            return rest[: index + 1]
    return rest


def is_library(jaxpr: Jaxpr | None) -> bool | None:
    """Return whether a jaxpr is of a function of JAX itself; ``None`` if it does not say."""
    file, _ = _function(jaxpr)
    return not is_user_file(file) if file else None


def _function(jaxpr: Jaxpr | None) -> tuple[str, int]:
    """Return the file and the first line of the function that a jaxpr is of; an empty name if it does not say.

    Read off ``debug_info``, an undocumented attribute of a public class. In 0.4 only jaxprs of ``jit`` have one.
    """
    source = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None)
    return _place(source) if source else ("", 0)


@lru_cache(maxsize=4096)
def _place(source: str) -> tuple[str, int]:
    # "_normal at /path/jax/_src/random/core.py:965"
    _, _, place = source.partition(" at ")
    file, _, line = place.rpartition(":")
    return (file, int(line)) if line.isdigit() else ("", 0)


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
