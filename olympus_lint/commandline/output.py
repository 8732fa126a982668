"""Writing the report: to standard output, plain or coloured, or to a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from olympus_lint.files.sources import InputError, write_new
from olympus_lint.project.settings import Settings, SettingsError
from olympus_lint.reporting import summary
from olympus_lint.reporting.formats import format_names, has_summary, render
from olympus_lint.reporting.results import RunResult

PIECE = 2048  # characters: Python raises no error when a pipe closes in the middle of a larger write


class OutputError(Exception):
    """Standard output cannot be written; the message is a sentence."""


def print_out(text: str) -> None:
    """Write to standard output and flush: at the end of the process, a failure could not be reported.

    Raises:
        OutputError: it is closed, or its disk is full.
    """
    with output_errors():
        for start in range(0, len(text), PIECE):
            sys.stdout.write(text[start : start + PIECE])
        sys.stdout.flush()


def print_bytes(data: bytes) -> None:
    """Write bytes to standard output and flush.

    Raises:
        OutputError: as :func:`print_out`.
    """
    with output_errors():
        for start in range(0, len(data), PIECE):
            sys.stdout.buffer.write(data[start : start + PIECE])
        sys.stdout.flush()


@contextmanager
def output_errors() -> Iterator[None]:
    """Turn errors of standard output into :class:`OutputError`."""
    if sys.stdout is None:
        raise OutputError("standard output is closed, so there is no report; open it, or use --output-file.")
    try:
        yield
    except BrokenPipeError:
        raise OutputError("standard output was closed before the whole report was written.") from None
    except OSError as error:
        raise OutputError(f"standard output cannot be written ({error.strerror}), so the report is lost.") from None


def has_color(stream: TextIO, chosen: str = "auto") -> bool:
    """Say whether a report has colours: as the option says, else the environment, else where a terminal shows them."""
    if chosen != "auto" or os.environ.get("NO_COLOR"):
        return chosen == "always"
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def report_text(run: RunResult, settings: Settings, *, statistics: bool, quiet: bool, color: bool) -> str:
    """Return findings, or their statistics, with the summary where the format has one.

    Raises:
        SettingsError: the format has no statistics.
    """
    name = settings.output_format
    people = has_summary(name)
    if statistics and not people and name != "json":
        *most, last = [*filter(has_summary, format_names()), "json"]
        raise SettingsError(f"--statistics: the format {name} has none; use {', '.join(most)} or {last}.")
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

    A file has the old or the whole new report. In a folder that cannot be written, it is written in place.

    Raises:
        SettingsError: the file cannot be written.
    """
    if file is None:
        print_out(text)
        return
    path, data = Path(file), text.encode(errors="backslashreplace")
    try:
        if path.exists() and not (path.is_file() and os.access(Path(os.path.realpath(path)).parent, os.W_OK)):
            path.write_bytes(data)  # a device or a pipe, too
        else:
            write_new(file, data)
    except OSError as error:
        cause = f"{file} cannot be written ({error.strerror})"
        raise SettingsError(f"--output-file: {cause}; name another file.") from None
    except InputError as error:
        raise SettingsError(f"--output-file: {file} {error}") from None
