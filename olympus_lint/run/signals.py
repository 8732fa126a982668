"""Signals that end the command: it cleans up first, and then ends of the signal, as whoever sent it expects."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["ENDING", "die_of_signals"]

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Ended(BaseException):
    """A signal has come that ends the command; no ``except Exception`` catches it."""

    def __init__(self, number: int) -> None:
        """Take the number of the signal."""
        super().__init__(number)
        self.number = number


@contextmanager
def die_of_signals() -> Iterator[None]:
    """Turn signals into an exception while the block runs, so that what it has started or half written is cleaned up.

    A signal that is ignored, as SIGHUP is behind ``nohup``, stays so.
    """
    taken = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _end)
    try:
        yield
    except Ended as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one would end the cleaning up
    raise Ended(number)
