"""How a run is shown. Each module here whose name has no underscore in front is an output format.

A format is a function ``render(run: RunResult, *, color: bool) -> str``; ``color`` says whether the output is
a terminal that shows colours. Its module's name, with hyphens, is the name of the format. ``SUMMARY = True``
in it says that people read the format, so that a summary may follow.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from olympus_lint.reporting.results import RunResult

__all__ = ["RULE_PAGES", "format_names", "has_summary", "render", "rule_url"]

RULE_PAGES = "https://github.com/olympus-lint/olympus-lint/blob/main/docs/rules/"


def format_names() -> list[str]:
    """Return the names of the output formats, without loading them."""
    names = (info.name for info in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))


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


def load(name: str) -> ModuleType:
    """Return the module of a format."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def rule_url(name: str) -> str:
    """Return the address of a rule's page by the rule's name."""
    return f"{RULE_PAGES}{name}.md"
