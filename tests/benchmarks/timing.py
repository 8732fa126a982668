"""What commands cost: one run of each in turn, and the medians of several rounds."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import median
from time import perf_counter
from typing import Any

from packages import CorpusError

PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Run:
    """What one execution of a command cost: seconds on the clock, CPU seconds, MiB of its largest process."""

    wall: float
    cpu: float
    peak: float


@dataclass(frozen=True)
class Command:
    """A command, and the exit statuses with which it has done its work."""

    words: Sequence[str]
    statuses: Collection[int] = (0,)


def measure(command: Command) -> Run:
    """Run a command to its end and return what it cost, with all processes that it has started.

    Raises:
        CorpusError: it fails; the message holds the end of its error output.
    """
    with tempfile.TemporaryFile() as errors, orphans_adopted():
        before = perf_counter()
        process = subprocess.Popen(command.words, stdout=subprocess.DEVNULL, stderr=errors, process_group=0)
        try:
            _, status, usage = os.wait4(process.pid, 0)
            wall = perf_counter() - before
            usages = [usage, *usages_of_group(process.pid)]
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in command.statuses:
            errors.seek(0)
            tail = errors.read().decode(errors="replace")[-800:]
            raise CorpusError(f"{command.words[0]} ended with exit status {process.returncode}: {tail}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    cpu = sum(each.ru_utime + each.ru_stime for each in usages)
    return Run(wall, cpu, max(each.ru_maxrss for each in usages) / unit)


@contextlib.contextmanager
def orphans_adopted() -> Iterator[None]:
    """Become the parent of processes whose parent ends, as the server of a pool's processes does; on Linux only."""
    control = getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None
    if control is not None:
        control(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        if control is not None:
            control(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def usages_of_group(group: int) -> Iterator[Any]:
    """Wait for the other processes of a group that are children of this one, and yield what each has used."""
    with contextlib.suppress(ChildProcessError):
        while True:
            yield os.wait4(-group, 0)[2]


def interleave(commands: Mapping[str, Command], rounds: int, first: Collection[str] = ()) -> dict[str, Run]:
    """Run every command once a round, so that a slow minute of the machine hits all of them.

    Args:
        commands: the commands by name.
        rounds: how often each is run and counted.
        first: those that are run once more before, which is not counted: it fills a cache.

    Returns:
        For each command the median of each quantity.
    """
    for name in first:
        measure(commands[name])
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for name, command in commands.items():
            runs[name].append(measure(command))
    return {name: median_of(each) for name, each in runs.items()}


def median_of(runs: Sequence[Run]) -> Run:
    """Return the median of each quantity."""
    return Run(*(median(getattr(run, field.name) for run in runs) for field in fields(Run)))
