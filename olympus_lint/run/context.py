"""The context of a run: its mode, and the objects that the checks of its files share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from olympus_lint.analysis.projects import Projects
from olympus_lint.project.settings import Settings
from olympus_lint.reporting.formats import tells_safety
from olympus_lint.run.clearance import Clearance
from olympus_rules.finding import Finding

Objection: TypeAlias = Callable[[str, str, str, Finding, Settings], str | None]
"""Says why a fix should not be applied: takes file, text, fixed text, finding and settings."""
PassesOver: TypeAlias = Callable[[str, Finding], bool]
"""Says whether a finding on a text is left out."""


class Mode(Enum):
    """What is done with a file."""

    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"
    ADD_NOQA = "add-noqa"


@dataclass(frozen=True, slots=True)
class Context:
    """The mode of a run, and the objects that the checks of its files share.

    Attributes:
        mode: what the run does besides the check.
        projects: the open projects, and the cache.
        clearance: the constructors of keys that can be renamed safely; ``None`` for a file by itself.
        objection: says why a fix should not be applied; ``None`` applies all.
        passes_over: says which findings are left out; ``None`` leaves out none.
    """

    mode: Mode = Mode.CHECK
    projects: Projects = field(default_factory=Projects)
    clearance: Clearance | None = None
    objection: Objection | None = None
    passes_over: PassesOver | None = None


def asks_for_safety(mode: Mode, settings: Settings) -> bool:
    """Return whether a run applies fixes, or reports which of them are safe."""
    return mode in (Mode.FIX, Mode.DIFF) or tells_safety(settings.output_format)
