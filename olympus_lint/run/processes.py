"""Files checked in several processes."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_lint.analysis.cache import Cache
from olympus_lint.analysis.projects import Projects
from olympus_lint.files.sources import InputError
from olympus_lint.project.discovery import SourceFile
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.clearance import Clearance
from olympus_lint.run.context import Context, Mode
from olympus_lint.run.one_file import check_file, failure
from olympus_lint.run.signals import ENDING
from olympus_rules.syntax import disk

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

CHUNKS = 8  # for each process: files that import each other stay together

_context: Context  # of this process, when it is one of a pool


def default_jobs() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_processes(batches: Sequence[Sequence[SourceFile]], jobs: int, context: Context) -> Iterator[FileResult]:
    """Check files in several processes, which end when this generator does, and when this process does.

    Args:
        batches: the files, those that take about the same time together.
        jobs: the number of processes.
        context: what is done with the files. Each process has projects of its own, on the same cache.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    folder = None
    if context.clearance is not None:
        context.clearance.work_out()
    if context.projects.cache is not None:
        context.projects.cache.close()  # each process opens the file for itself
        folder = context.projects.cache.folder
    # A fork of a process that has threads (rich's, those of a caller's JAX) may never get their locks.
    start = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    initial = (context.mode, folder, context.clearance)
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context(start), initializer=prepare_worker, initargs=initial)
    done = 0
    try:
        chunks = [max(1, len(files) // (jobs * CHUNKS)) for files in batches]
        sized = zip(batches, chunks, strict=True)
        found = [pool.map(check_in_worker, files, chunksize=size) for files, size in sized]
        for result, looks in chain.from_iterable(found):
            done += 1
            disk.merge(looks)
            yield result
    except BrokenProcessPool:
        for file in [*chain.from_iterable(batches)][done:]:
            yield failure(file.filename, InputError("was not checked: a process that checks files died; try --jobs 1."))
    except BaseException:
        with unheard(pool):
            abandon(pool)
            pool.shutdown(cancel_futures=True)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def unheard(pool: ProcessPoolExecutor) -> Iterator[None]:
    """Print no error of the pool's thread: it may break futures that are already cancelled."""
    thread, hook = getattr(pool, "_executor_manager_thread", None), threading.excepthook
    threading.excepthook = lambda error: None if error.thread is thread else hook(error)
    try:
        yield
    finally:
        threading.excepthook = hook


def abandon(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of a pool, so that its shutdown ends.

    A process that is killed while it sends a result leaves a part of it in the pipe. The pool's thread waits for the
    rest until nobody can write it any more, and this process has the pipe's other end open, too.
    """
    import multiprocessing

    for child in multiprocessing.active_children():
        child.kill()
    writer = getattr(pool._result_queue, "_writer", None)
    if writer is not None:
        writer.close()


def prepare_worker(mode: Mode, folder: Path | None, clearance: Clearance | None) -> None:
    """Set up a process of the pool.

    Args:
        mode: what is done with the files.
        folder: that of the cache; ``None`` without one.
        clearance: the constructors of keys that can be renamed safely.
    """
    global _context
    from multiprocessing.util import Finalize

    end_with_parent()
    cache = None if folder is None else Cache(folder)
    _context = Context(mode, Projects(cache), clearance)
    if cache is not None:
        Finalize(None, save_rest, exitpriority=0)
    prepare_collector()


def save_rest() -> None:
    """Save the results that depend on circles of files, when this process of a pool has checked its last file."""
    _context.projects.finish()
    if _context.projects.cache is not None:
        _context.projects.cache.close()


def end_with_parent() -> None:
    """Let this process of a pool end with its parent, which alone handles signals.

    The processes of a pool hold both ends of the pipe that they read, so they would not notice that their parent ended.
    """
    import multiprocessing

    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def check_in_worker(file: SourceFile) -> tuple[FileResult, dict[str, disk.Note]]:
    """Check one file in the context of this process; return the result, and what was looked at on disk."""
    result = check_file(file, _context)
    if _context.projects.cache is not None:
        _context.projects.cache.store.commit()  # no process knows which file is its last
    return result, disk.taken()


def prepare_collector() -> None:
    """Let the garbage collector run rarely: trees are many objects, and an analysis leaves no cycles."""
    gc.freeze()
    gc.set_threshold(5_000_000, 10, 10)
