"""A limit on the time that code of a user takes."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Expired(BaseException):
    """The time for something is over; no ``except Exception`` of a user's catches it."""


@contextmanager
def limited(seconds: float, again: float = 0.0, error: BaseException | type[BaseException] = Expired) -> Iterator[None]:
    """Raise an error after some time, and again after others, where the system and the thread allow that.

    Args:
        seconds: after how much time.
        again: after how much more time it is raised once more, each time while the code goes on; never if it is 0.
        error: what is raised.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    running = True

    def expire(number: int, frame: FrameType | None) -> None:
        if running:
            raise error

    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, expire)
    left, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.01), again)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:  # a timer that was set around this one goes on
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.01), interval)


def time_left() -> float:
    """Return the seconds until a timer that somebody has set; infinite without one."""
    if not hasattr(signal, "getitimer"):
        return float("inf")
    return signal.getitimer(signal.ITIMER_REAL)[0] or float("inf")
