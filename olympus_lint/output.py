"""Where the report goes: standard output, plain or coloured, or a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

from olympus_lint import summary
from olympus_lint.reporting import has_summary, render
from olympus_lint.results import RunResult
from olympus_lint.settings import Settings, SettingsError

__all__ = ["has_color", "report_text", "write_report"]


def has_color(stream: TextIO) -> bool:
    """Say whether a stream is a terminal that may show colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def report_text(run: RunResult, settings: Settings, *, statistics: bool, quiet: bool, color: bool) -> str:
    """Return findings, or their statistics, with the summary where the format has one.

    Raises:
        SettingsError: the format has no statistics.
    """
    name = settings.output_format
    people = has_summary(name)
    if statistics and not people and name != "json":
        raise SettingsError(f"--statistics: not with the format {name}; use full, concise, grouped or json.")
    if statistics:
        shown = summary.statistics_table(run) if people else summary.statistics_json(run)
    else:
        shown = render(name, run, color=color)
    if not people:
        return shown
    if settings.show_fixes:
        shown += summary.fixes_list(run)
    return shown if quiet else shown + summary.summary(run)


def write_report(text: str, file: str | None) -> None:
    """Write a report to a file, or else to standard output.

    Raises:
        SettingsError: the file cannot be written.
    """
    if file is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(file).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        cause = f"{file} cannot be written ({error.strerror})"
        raise SettingsError(f"--output-file: {cause}; name another file.") from None
