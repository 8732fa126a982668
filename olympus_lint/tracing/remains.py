"""Processes that a worker has left behind, possibly in a session of their own and without a parent."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROUNDS = 20  # searches for child processes that are left: a killed one may have started others


def below(pid: int) -> list[int]:
    """Return the descendants of a process; none on other systems than Linux.

    A worker adopts orphans (``adopt`` in ``olympus.worker.enclosure``), so that all are found while it lives.
    """
    children: defaultdict[int, list[int]] = defaultdict(list)
    for other, folder in _processes():
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = folder.joinpath("stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1]
            children[int(parent)].append(other)
    found, waiting = [], [pid]
    while waiting:
        fresh = children.pop(waiting.pop(), [])
        found += fresh
        waiting += fresh
    return found


def marked(text: str) -> list[int]:
    """Return this user's processes with a text in their environment; none on other systems than Linux."""
    found = []
    for pid, folder in _processes():
        with contextlib.suppress(OSError):
            if pid != os.getpid() and text.encode() in folder.joinpath("environ").read_bytes():
                found.append(pid)
    return found


def _processes() -> Iterator[tuple[int, Path]]:
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            yield from ((int(folder.name), folder) for folder in Path("/proc").iterdir() if folder.name.isdecimal())


def end(pids: list[int]) -> None:
    """Kill processes."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill a process, its group, and processes that left the group.

    Args:
        process: the leader of the group. It may have ended.
        mark: a text that the environment of all of them has.
    """
    strays: list[int] = []
    if process.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGSTOP)  # so that it starts no process during the search
        strays = below(process.pid)
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    end(strays)
    for _ in range(ROUNDS):
        strays = marked(mark)
        if not strays:
            break
        end(strays)
        time.sleep(0.01)  # a killed process still exists for a moment
