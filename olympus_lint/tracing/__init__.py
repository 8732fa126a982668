"""Verdicts on findings, from a process that has JAX: this one never imports it."""

from olympus_lint.tracing.fixes import FixChecker
from olympus_lint.tracing.judging import Choice, Traced, judge

__all__ = ["Choice", "FixChecker", "Traced", "judge"]
