"""``json``: one array of findings, with the fields of ruff's JSON and some more."""

from __future__ import annotations

import json

from olympus_lint.reporting.objects import report_objects
from olympus_lint.reporting.results import RunResult

SAFETY = True


def render(run: RunResult, *, color: bool) -> str:
    """Return an indented JSON array and a line end."""
    return json.dumps(report_objects(run), indent=2) + "\n"
