"""Verdicts on findings, from worker processes with JAX, which this process never imports."""

from olympus_lint.tracing.fixes import FixChecker
from olympus_lint.tracing.judging import Choice, Traced, judge

__all__ = ["Choice", "FixChecker", "Traced", "judge"]
