"""``json-lines``: one line with a JSON object for each finding."""

from __future__ import annotations

import json

from olympus_lint.reporting.objects import finding_object
from olympus_lint.reporting.results import RunResult

SAFETY = True


def render(run: RunResult, *, color: bool) -> str:
    """Return one line for each finding."""
    return "".join(json.dumps(finding_object(finding)) + "\n" for finding in run.findings)
