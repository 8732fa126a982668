"""Many files: read, check, fix and write each, in parallel where that pays."""

from __future__ import annotations

import difflib
import gc
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from olympus_lint.discovery import SourceFile
from olympus_lint.engine import (
    CONSTRUCTOR,
    PassesOver,
    Projects,
    checks_syntax,
    fix_text,
    lint_text,
    not_parsed,
    settled,
    worth_checking,
)
from olympus_lint.noqa import add_noqa
from olympus_lint.order import imports_first
from olympus_lint.results import FileResult, Objection, Problem
from olympus_lint.settings import Settings
from olympus_lint.signals import ENDING
from olympus_lint.sources import (
    ChangedError,
    InputError,
    decode_utf8,
    encode_utf8,
    read_bytes,
    reencode,
    write_bytes,
)
from olympus_rules.syntax.array_names import forget_outlines
from olympus_rules.syntax.document import decode, split_lines
from olympus_rules.syntax.project import forget_folders

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from olympus_lint.cache import Cache
    from olympus_lint.migration.safety import Clearance

__all__ = ["Mode", "check_bytes", "check_files", "default_jobs"]

PARSED_IN_TIME = 20  # bytes are parsed in the time in which one is analysed
WORTH_A_POOL = 1_000_000  # bytes to analyse; below that, starting processes costs more than it saves
CHUNKS = 8  # for each process: files that import each other stay together

_projects: Projects  # of this process, when it is one of a pool


class Mode(Enum):
    """What is done with a file."""

    CHECK = "check"
    FIX = "fix"
    DIFF = "diff"
    ADD_NOQA = "add-noqa"


def default_jobs() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_files(
    files: Iterable[SourceFile],
    mode: Mode,
    jobs: int | None = None,
    cache: Cache | None = None,
    objection: Objection | None = None,
) -> Iterator[FileResult]:
    """Check files and, in the other modes, rewrite them.

    Args:
        files: what to check.
        mode: what to do besides.
        jobs: the number of processes; ``None`` for one per core where there is enough to do.
        cache: what is kept between runs. A run that rewrites files does without: each of its results may rest on
            what was written just before.
        objection: says why a fix should not be applied; with it, all is done in this process.

    Yields:
        The result of each file, those that an earlier run has left first; of the others, imported ones first.
    """
    candidates: list[tuple[SourceFile, bytes]] = []
    keyless: list[SourceFile] = []
    renaming: list[SourceFile] = []
    cache = cache if mode is Mode.CHECK else None
    spent = 0  # on files without keys, in bytes of others
    forget_folders()
    forget_outlines()
    for file in files:
        try:
            data = read_bytes(file.filename)
        except InputError as error:
            yield failure(file.filename, error)
            continue
        is_python = file.settings.kind_of(file.filename) == "python"
        if not is_python or worth_checking(file.filename, data, file.settings):
            candidates.append((file, data))
            if b"PRNGKey" in data and CONSTRUCTOR in file.settings.codes:
                renaming.append(file)
        elif not checks_syntax(file.filename, file.settings) or (cache is not None and cache.is_valid(data)):
            yield FileResult(file.filename, analysed=False)
        else:
            keyless.append(file)
            spent += len(data) // PARSED_IN_TIME
    prepare_collector()
    projects = Projects(cache, clearance_of(renaming))
    if projects.cache is not None:
        found = ((recalled(projects, file, data), file, data) for file, data in candidates)
        candidates = []
        for result, file, data in found:
            if result is not None:
                yield result
            else:
                candidates.append((file, data))
    size = sum(len(data) for _, data in candidates) + spent
    jobs = min(jobs or (default_jobs() if size > WORTH_A_POOL else 1), len(candidates) + len(keyless))
    ordered = imports_first(candidates)
    del candidates
    yield from run(ordered, mode, jobs if objection is None else 1, projects, objection, keyless)
    if cache is not None:
        cache.close()


def clearance_of(files: Sequence[SourceFile]) -> Clearance | None:
    """Return what says which constructors of keys in some files can be renamed, if there are any."""
    if not files:
        return None
    from olympus_lint.migration.safety import Clearance

    return Clearance(files)


def recalled(projects: Projects, file: SourceFile, data: bytes) -> FileResult | None:
    """Return the result of an earlier run; files that hold Python among other things have none."""
    is_python = file.settings.kind_of(file.filename) == "python"
    result = projects.recall(file.filename, data, file.settings) if is_python else None
    return None if result is None else settled(result, result.text, file.settings, projects)


def run(
    files: Sequence[SourceFile],
    mode: Mode,
    jobs: int,
    projects: Projects,
    objection: Objection | None = None,
    keyless: Sequence[SourceFile] = (),
) -> Iterator[FileResult]:
    """Check candidates, and files that cannot hold a key, in this process or in several."""
    if jobs <= 1:
        yield from map(check_file, [*files, *keyless], repeat(mode), repeat(projects), repeat(objection))
        projects.finish()
        return
    folder = None
    if projects.cache is not None:
        projects.cache.close()  # each process opens the file for itself
        folder = projects.cache.folder
    if projects.clearance is not None:
        projects.clearance.work_out()
    yield from in_processes([files, keyless], mode, jobs, folder, projects.clearance)


def in_processes(
    batches: Sequence[Sequence[SourceFile]],
    mode: Mode,
    jobs: int,
    folder: Path | None,
    clearance: Clearance | None,
) -> Iterator[FileResult]:
    """Check files in several processes, which end when this generator does, and when this process does.

    Args:
        batches: the files, those that take about the same time together.
        mode: what to do besides.
        jobs: the number of processes.
        folder: that of the cache.
        clearance: which constructors can be renamed safely.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # A fork of a process that has threads (rich's, those of a caller's JAX) may never get their locks.
    start = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(start)
    pool = ProcessPoolExecutor(jobs, context, initializer=prepare_worker, initargs=(folder, clearance))
    check, done = partial(check_in_worker, mode=mode), 0
    try:
        chunks = [max(1, len(files) // (jobs * CHUNKS)) for files in batches]
        results = [pool.map(check, files, chunksize=size) for files, size in zip(batches, chunks, strict=True)]
        for result in chain.from_iterable(results):
            done += 1
            yield result
    except BrokenProcessPool:
        for file in [*chain.from_iterable(batches)][done:]:
            yield failure(file.filename, InputError("was not checked: a process that checks files died; try --jobs 1."))
    except BaseException:
        abandon(pool)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


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


def prepare_worker(folder: Path | None = None, clearance: Clearance | None = None) -> None:
    """Set up a process of the pool."""
    global _projects
    end_with_parent()
    _projects = Projects(None, clearance)
    if folder is not None:
        from olympus_lint.cache import Cache

        _projects = Projects(Cache(folder), clearance)
    prepare_collector()


def end_with_parent() -> None:
    """Let this process of a pool end with the one that has started it, and leave signals to that one.

    A pool's processes hold both ends of the pipe that they read: that their parent is gone is nothing they would see.
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


def check_in_worker(file: SourceFile, mode: Mode) -> FileResult:
    """Check one file with what this process knows of others."""
    result = check_file(file, mode, _projects)
    if _projects.cache is not None:
        _projects.cache.store.commit()  # nobody says which file is the last
    return result


def prepare_collector() -> None:
    """Let the garbage collector look only now and then: trees are many objects, and an analysis leaves no cycles."""
    gc.freeze()
    gc.set_threshold(5_000_000, 10, 10)


def check_file(file: SourceFile, mode: Mode, projects: Projects, objection: Objection | None = None) -> FileResult:
    """Check one file on disk and write what the mode changes."""
    try:
        data = read_bytes(file.filename)
    except InputError as error:
        return failure(file.filename, error)
    result, new = check_bytes(file.filename, data, file.settings, mode, projects, objection)
    if new != data and mode is not Mode.DIFF:
        projects.forget(file.filename)
        try:
            write_bytes(file.filename, new, data)
        except ChangedError as error:
            return unchanged(check_file(file, Mode.CHECK, projects), error)
        except InputError as error:
            result, _ = check_bytes(file.filename, data, file.settings, Mode.CHECK)
            return unchanged(result, error)
    return result


def failure(filename: str, error: InputError) -> FileResult:
    """Return the result of a file that was not checked."""
    return FileResult(filename, errors=[Problem(filename, str(error))], analysed=False)


def unchanged(result: FileResult, error: Exception) -> FileResult:
    """Return the result of a file that was checked and could not be rewritten."""
    result.errors.append(Problem(result.filename, str(error)))
    return result


def check_bytes(
    filename: str,
    data: bytes,
    settings: Settings,
    mode: Mode,
    projects: Projects | None = None,
    objection: Objection | None = None,
) -> tuple[FileResult, bytes]:
    """Check one file's bytes; return the result and the bytes that it should have."""
    projects = projects or Projects()
    kind = settings.kind_of(filename)
    if kind != "python":
        return check_embedded(filename, data, kind, settings, mode, projects, objection)
    checked = lint_text(filename, data, settings, projects)
    if mode is Mode.CHECK or not checked.text:
        return checked, data
    text = decode(data)
    result, new = rewritten(checked, text, settings, mode, projects, objection)
    if new == text:
        return result, data
    if mode is Mode.DIFF:
        result.diff = unified_diff(filename, text, new)
    try:
        return result, reencode(new, data)
    except InputError as error:
        return unchanged(lint_text(filename, data, settings), error), data


def check_embedded(
    filename: str,
    data: bytes,
    kind: str,
    settings: Settings,
    mode: Mode,
    projects: Projects,
    objection: Objection | None,
) -> tuple[FileResult, bytes]:
    """Check a file that holds Python among other things; return the result and the bytes that it should have."""
    from olympus_lint.embedded.module import read
    from olympus_lint.embedded.notebook import NotANotebook

    try:
        file = decode_utf8(data)
    except InputError as error:
        cause = ValueError(f"it {str(error).removesuffix('.')}")
        return not_parsed(filename, "", cause, settings) if kind == "ipynb" else failure(filename, error), data
    try:
        embedded = read(filename, file, kind)
    except NotANotebook as error:
        return not_parsed(filename, "", ValueError(f"it is no notebook of format 4: {error.cause}"), settings), data
    except InputError as error:
        return failure(filename, error), data
    # a page shows things side by side: its blocks are no program in which a key is used twice
    apart = embedded.is_parted if kind == "markdown" else None
    checked = lint_text(filename, embedded.text, settings, projects, apart)
    result, new = checked, embedded.text
    if mode is not Mode.CHECK and checked.text:
        result, new = rewritten(checked, new, settings, mode, projects, objection, apart)
    try:
        after = embedded if new == embedded.text else embedded.read_back(new)
        written = encode_utf8(after.file, data)
    except InputError as error:
        result, after, written = unchanged(lint_text(filename, embedded.text, settings), error), embedded, data
    result.places, result.shown = after.places, after.texts
    result.notes = [*map(after.places.problem, result.notes), *embedded.notes]
    result.errors = [*map(after.places.problem, result.errors)]
    for each in embedded.broken:
        broken = not_parsed(filename, each.code, each.error, settings, each.piece.cell)
        result.findings += broken.findings
        result.errors += broken.errors
        result.text = result.text or embedded.text or " "  # what is shown are the cells
    if mode is Mode.DIFF and written != data:
        result.diff = unified_diff(filename, embedded.file, after.file)
    return result, written


def rewritten(
    checked: FileResult,
    text: str,
    settings: Settings,
    mode: Mode,
    projects: Projects,
    objection: Objection | None,
    passes_over: PassesOver | None = None,
) -> tuple[FileResult, str]:
    """Return what the mode makes of a text that was checked, and the result of that."""
    if mode is Mode.ADD_NOQA:
        return suppress_all(checked, text, settings, projects, passes_over)
    return fix(checked, text, settings, projects, objection, passes_over)


def fix(
    result: FileResult,
    text: str,
    settings: Settings,
    projects: Projects,
    objection: Objection | None,
    passes_over: PassesOver | None,
) -> tuple[FileResult, str]:
    """Apply the fixes; return what is left and the new text."""
    unsafe = settings.unsafe_fixes
    fixed = fix_text(
        result.filename,
        text,
        settings,
        unsafe=unsafe,
        projects=projects,
        objection=objection,
        passes_over=passes_over,
    )
    shown = fixed.text if fixed.findings else ""
    rest = FileResult(result.filename, fixed.findings, fixed.errors, shown, fixes=fixed.fixes, notes=fixed.notes)
    return rest, fixed.text


def suppress_all(
    result: FileResult, text: str, settings: Settings, projects: Projects, passes_over: PassesOver | None
) -> tuple[FileResult, str]:
    """Add suppressions; return what could not be suppressed and the new text."""
    new = add_noqa(text, result.findings)
    rest = lint_text(result.filename, new, settings, projects, passes_over)
    rest.suppressed = len(result.findings) - len(rest.findings)
    return (rest, new) if rest.suppressed > 0 else (result, text)


def unified_diff(filename: str, old: str, new: str) -> str:
    """Return a patch that turns the old text into the new one."""
    lines: list[str] = []
    for line in difflib.unified_diff(split_lines(old), split_lines(new), filename, filename):
        complete = line.endswith(("\n", "\r"))
        lines.append(line if complete else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)
