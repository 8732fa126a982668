"""The command `olympus-lint` in this process: a start of Python costs a second that most tests do not ask about."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from olympus_lint.cli import main

__all__ = ["command"]


def command(folder: Path, *options: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Call the command in a folder.

    Args:
        folder: the current folder of the call.
        options: the arguments.
        text: the standard input.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO((text or "").encode()), "utf-8")
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), mock.patch.object(sys, "stdin", given):
        try:
            status = main(list(options))
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(options, status, *said)
