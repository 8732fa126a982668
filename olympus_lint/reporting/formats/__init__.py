"""The output formats: each module of this folder is one, under the module's name with hyphens.

A format is a function ``render(run: RunResult, *, color: bool) -> str``; ``color`` says whether the output is
a terminal that shows colours. ``SUMMARY = True`` in the module marks a format for people, after which a summary may
follow; ``SAFETY = True`` one for programs that says of each fix whether it is safe.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus_lint.reporting.results import RunResult

__all__ = ["format_names", "has_summary", "render", "tells_safety"]


def format_names() -> list[str]:
    """Return the names of the output formats, without loading them."""
    return sorted(info.name.replace("_", "-") for info in pkgutil.iter_modules(__path__))


def render(name: str, run: RunResult, *, color: bool = False) -> str:
    """Return a run in an output format.

    Args:
        name: one of :func:`format_names`.
        run: what to show.
        color: whether the output is a terminal that shows colours.
    """
    shown: str = load(name).render(run, color=color)
    return shown


def has_summary(name: str) -> bool:
    """Say whether a summary may follow the findings in an output format."""
    return bool(getattr(load(name), "SUMMARY", False))


def tells_safety(name: str) -> bool:
    """Say whether an output format says of each fix whether it is safe."""
    return bool(getattr(load(name), "SAFETY", False))


def load(name: str) -> ModuleType:
    """Return the module of a format."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
