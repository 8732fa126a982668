"""Take the right to change files away from this process, and keep its children in its care: Landlock on Linux."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Sequence

__all__ = ["adopt", "enclose"]

CREATE, ADD, RESTRICT = 444, 445, 446  # system calls, alike on all machines
VERSION = 1  # a flag of CREATE: return which version of Landlock there is
BENEATH = 1  # a rule for what lies beneath a folder
NO_NEW_PRIVILEGES, SUBREAPER = 38, 36  # of prctl

WRITE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 14, 1 << 13
CHANGES = sum(1 << bit for bit in range(4, 13))  # remove and make entries of folders
SINCE = {TRUNCATE: 3, REFER: 2}
"""Rights that later versions of Landlock have."""

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


def adopt() -> None:
    """Become the parent of all that this process and its children start and leave behind, so that it can be found."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def _restrict(library: ctypes.CDLL, folders: Sequence[str]) -> bool:
    version = library.syscall(CREATE, None, ctypes.c_size_t(0), VERSION)
    if version < 1:
        return False
    handled = WRITE_FILE | CHANGES | sum(right for right, since in SINCE.items() if version >= since)
    rules = library.syscall(CREATE, ctypes.byref(ctypes.c_uint64(handled)), ctypes.c_size_t(8), 0)
    if rules < 0:
        return False
    try:
        for place in (*folders, *HARMLESS):
            if os.path.exists(place):  # noqa: PTH110
                allowed = handled if os.path.isdir(place) else handled & (WRITE_FILE | TRUNCATE)  # noqa: PTH112
                opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
                library.syscall(ADD, rules, BENEATH, ctypes.byref(Beneath(allowed, opened)), 0)
                os.close(opened)
        failed = library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.syscall(RESTRICT, rules, 0)
        return not failed
    finally:
        os.close(rules)
