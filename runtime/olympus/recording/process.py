"""Recording of the process that this code runs in, for ``olympus record``."""

from __future__ import annotations

import atexit
import os
import time
from pathlib import Path

from olympus.recording.probing import ProbingStream
from olympus.recording.stream import Stream

__all__ = ["start_recording"]


def start_recording(folder: str, *, probe: bool = False) -> None:
    """Record this process to its end, and those that it forks; JAX is imported."""
    kind = ProbingStream if probe else Stream
    stream = kind(_file_in(folder))
    stream.__enter__()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: stream.begin_file(_file_in(folder)))
    atexit.register(stream.finish)


def _file_in(folder: str) -> Path:
    return Path(folder) / f"events-{os.getpid()}-{time.monotonic_ns()}.jsonl"
