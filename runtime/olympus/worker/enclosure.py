"""Take the rights to change files and to send signals away, and keep children in the care of this process: on Linux."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Sequence

CREATE, ADD, RESTRICT = 444, 445, 446  # system calls, alike on all machines
VERSION = 1  # a flag of CREATE: return which version of Landlock there is
BENEATH = 1  # a rule for what lies beneath a folder
NO_NEW_PRIVILEGES, SUBREAPER = 38, 36  # of prctl

WRITE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 14, 1 << 13
CHANGES = sum(1 << bit for bit in range(4, 13))  # remove and make entries of folders
SINCE = {TRUNCATE: 3, REFER: 2}
"""Rights that later versions of Landlock have."""

SIGNALS, SCOPES_SINCE = 1 << 1, 6  # what is kept within the processes that have the same restrictions, or more

HARMLESS = ("/dev/null", "/dev/zero", "/dev/shm")
"""Places that any program writes to, and where users keep no files."""


class Beneath(ctypes.Structure):
    """``struct landlock_path_beneath_attr``."""

    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def enclose(folders: Sequence[str]) -> bool:
    """Let this process, and all that it starts, change files below some folders only.

    It holds for threads that are started later, and cannot be undone. Modes and times of files are not covered.

    Args:
        folders: where files may be made, written and removed.

    Returns:
        Whether the system does that. Where it does not, nothing has changed.
    """
    if sys.platform != "linux":
        return False
    try:
        return _restrict(ctypes.CDLL(None, use_errno=True), folders)
    except OSError:
        return False


def confine() -> bool:
    """Let this process, and all that it starts, send no signals to others.

    It holds for threads that are started later, and cannot be undone.

    Returns:
        Whether the system does that. Where it does not, nothing has changed.
    """
    if sys.platform != "linux":
        return False
    try:
        library = ctypes.CDLL(None, use_errno=True)
        rules = _rules(library, signals=SIGNALS) if _version(library) >= SCOPES_SINCE else -1
        return rules >= 0 and _restricted(library, rules)
    except OSError:
        return False


def adopt() -> None:
    """Become the parent of all that this process and its children start and leave behind, so that it can be found."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def _restrict(library: ctypes.CDLL, folders: Sequence[str]) -> bool:
    version = _version(library)
    if version < 1:
        return False
    handled = WRITE_FILE | CHANGES | sum(right for right, since in SINCE.items() if version >= since)
    rules = _rules(library, files=handled)
    if rules < 0:
        return False
    for place in (*folders, *HARMLESS):
        if os.path.exists(place):  # noqa: PTH110
            allowed = handled if os.path.isdir(place) else handled & (WRITE_FILE | TRUNCATE)  # noqa: PTH112
            opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
            library.syscall(ADD, rules, BENEATH, ctypes.byref(Beneath(allowed, opened)), 0)
            os.close(opened)
    return _restricted(library, rules)


def _version(library: ctypes.CDLL) -> int:
    return int(library.syscall(CREATE, None, ctypes.c_size_t(0), VERSION))


def _rules(library: ctypes.CDLL, files: int = 0, signals: int = 0) -> int:
    """Return a file descriptor of ``struct landlock_ruleset_attr``, whose size says how much of it is meant."""
    handled = (ctypes.c_uint64 * 3)(files, 0, signals)
    size = ctypes.sizeof(handled) if signals else ctypes.sizeof(ctypes.c_uint64)
    return int(library.syscall(CREATE, ctypes.byref(handled), ctypes.c_size_t(size), 0))


def _restricted(library: ctypes.CDLL, rules: int) -> bool:
    try:
        return not (library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.syscall(RESTRICT, rules, 0))
    finally:
        os.close(rules)
