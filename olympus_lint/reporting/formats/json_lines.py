"""``json-lines``: one line with a JSON object for each finding."""

from __future__ import annotations

import json

from olympus_lint.reporting.objects import report_objects
from olympus_lint.reporting.results import RunResult

SAFETY = True


def render(run: RunResult, *, color: bool) -> str:
    """Return one line for each object."""
    return "".join(json.dumps(each) + "\n" for each in report_objects(run))
