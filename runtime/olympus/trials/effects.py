"""End executions that would change anything outside of their process."""

from __future__ import annotations

import os
import sys
from typing import Any

from olympus.trials.execution import Absent

EFFECTS = (
    "_winapi.", "builtins.breakpoint", "builtins.input", "ctypes.dlopen", "fcntl.", "ftplib.", "http.", "imaplib.",
    "msvcrt.", "os.", "poplib.", "pty.", "shutil.", "signal.", "smtplib.", "socket.", "sqlite3.", "subprocess.",
    "syslog.", "tempfile.", "urllib.", "webbrowser.", "winreg.",
)  # fmt: skip
"""The beginnings of the names of Python's audit events that are about more than this process."""
HARMLESS = frozenset({"os.fwalk", "os.listdir", "os.listdrives", "os.putenv", "os.scandir", "os.unsetenv", "os.walk"})
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def stay_inside() -> None:
    """End what would change anything outside of this process from now on, as far as Python sees it."""
    sys.addaudithook(look)


def look(event: str, args: tuple[Any, ...]) -> None:
    """Raise an error at an event that is about more than this process.

    Raises:
        Absent: it is one.
    """
    if event == "open":
        path, mode, flags = args
        writes = bool(set(mode) & set("wax+")) if isinstance(mode, str) else bool(flags & WRITING)
        if writes and path != os.devnull:
            raise Absent(f"writing {path}")
    elif event.startswith(EFFECTS) and event not in HARMLESS:
        raise Absent(event)
