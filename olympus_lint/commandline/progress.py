"""A progress bar on standard error, after one second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 1.0  # seconds


def track(items: Iterable[T], total: int, what: str = "Checking") -> Iterator[T]:
    """Yield items as they arrive, with a progress bar if standard error is a terminal and they arrive slowly."""
    if not sys.stderr.isatty():
        yield from items
        return
    start = time.monotonic()
    iterator = iter(items)
    done = 0
    for item in iterator:
        done += 1
        yield item
        if time.monotonic() - start > PATIENCE:
            break
    else:
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, completed=done)
        for item in iterator:
            progress.advance(task)
            yield item
