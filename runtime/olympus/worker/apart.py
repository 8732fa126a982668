"""A process of its own for each file that is imported: what the import does to a process, or sends it, ends there."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from typing import NamedTuple

SENT = (
    "SIGALRM",
    "SIGHUP",
    "SIGINT",
    "SIGPROF",
    "SIGQUIT",
    "SIGTERM",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
)
"""Signals that an import may send to its parent, or to a group of processes."""

leave = os._exit  # user code may put another function in its place


class End(NamedTuple):
    """How a process has ended.

    Attributes:
        cause: the status or signal in words.
        peak_kib: the most memory that it has taken.
    """

    cause: str
    peak_kib: int


def is_forkable() -> bool:
    """Return whether a fork of this process can use JAX: its threads, which a fork lacks, start with a backend."""
    if not hasattr(os, "fork"):
        return False
    try:
        from jax._src import xla_bridge

        return not xla_bridge.backends_are_initialized()
    except (ImportError, AttributeError):  # of another release
        return False


def deafen() -> None:
    """Ignore the signals that a process of user code may send to this one, which ends when its parent wants it to."""
    for name in SENT:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def apart(call: Callable[[], None]) -> End:
    """Call a function in a fork that leads a session and a group of its own, and end that group after it."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setsid()
            for name in SENT:
                signal.signal(getattr(signal, name), signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            call()
            status = 0
        finally:
            leave(status)
    _, status, usage = os.wait4(pid, 0)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    peak = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    return End(cause_of(os.waitstatus_to_exitcode(status)), peak)


def cause_of(status: int) -> str:
    """Return the exit status of a process in words; a negative one is that of a signal."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
