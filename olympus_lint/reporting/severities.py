"""The severity of each confidence, for formats of other tools."""

from __future__ import annotations

from olympus_rules.finding import Confidence

# The words of SARIF and GitHub's "error" and "warning"; GitHub calls the last one "notice".
SEVERITIES = {Confidence.CERTAIN: "error", Confidence.LIKELY: "warning", Confidence.POSSIBLE: "note"}
