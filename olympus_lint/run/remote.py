"""Files checked on other machines, through any ``concurrent.futures.Executor`` with processes of its own.

The files travel by content (:mod:`olympus_lint.run.sent`) and the results come back. A process that looks at a file
which was not sent says so; the file is sent, and what needed it is checked again. What was lost with a process, or
still wants other files after some rounds, is checked on this machine, and their number is said.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from olympus_lint import __version__
from olympus_lint.analysis.cache import program_files
from olympus_lint.files.problems import Problem
from olympus_lint.project.discovery import SourceFile
from olympus_lint.project.settings import SettingsError
from olympus_lint.reporting.phrases import count
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.context import Context
from olympus_lint.run.one_file import check_file
from olympus_lint.run.processes import prepare_collector
from olympus_lint.run.sent import Parcel, Unsent
from olympus_rules.libraries import libraries
from olympus_rules.syntax import disk
from olympus_rules.syntax.array_names import forget_outlines
from olympus_rules.syntax.project import forget_folders

BATCH = 16
"""Files of one task: neighbours, which import the same files."""
ROUNDS = 8
"""How often files are sent that were looked at in vain; what then still wants others is checked on this machine."""

Share: TypeAlias = Callable[[Parcel], Any]


@dataclass(frozen=True)
class Workplace:
    """Where files are checked.

    Attributes:
        name: as the user wrote it.
        executor: runs tasks in processes of its own.
        share: hands over what many tasks take; returns the argument that stands for it.
    """

    name: str
    executor: Executor
    share: Share


class Missing(NamedTuple):
    """The answer for a file that could not be checked: the name of what was not sent."""

    name: str


class OtherProgram(Exception):
    """A process has another version of this program, or of Python; its argument says which."""


def on_workplace(files: Sequence[SourceFile], place: Workplace, context: Context) -> Iterator[FileResult]:
    """Check files on other machines.

    Args:
        files: those that can hold a key.
        place: where.
        context: the projects of this machine, for what is checked here, and the clearance.

    Raises:
        SettingsError: the processes there have another program.
    """
    if context.clearance is not None:
        context.clearance.work_out()
    parcel = Parcel(program(), str(Path.cwd()), context.clearance)
    parcel.pack(files)
    waiting, lost = [*files], list[SourceFile]()
    for _ in range(ROUNDS):
        if not waiting:
            break
        shared = place.share(parcel)
        batches = [waiting[at : at + BATCH] for at in range(0, len(waiting), BATCH)]
        tasks = [place.executor.submit(check_sent, shared, batch) for batch in batches]
        waiting = []
        for batch, task in zip(batches, tasks, strict=True):
            try:
                answers = task.result()
            except OtherProgram as error:
                raise SettingsError(f"--executor {place.name}: {error}; install the same on all machines.") from None
            except ImportError as error:
                raise SettingsError(f"--executor {place.name}: {error} on a machine there; install it there.") from None
            except Exception:  # the process died, or the connection
                lost += batch
                continue
            for file, answer in zip(batch, answers, strict=True):
                if isinstance(answer, Missing):
                    parcel.complete(answer.name)
                    waiting.append(file)
                else:
                    yield answer
    yield from here(
        waiting, f"after {ROUNDS} rounds, {place.name} still looked for files that it was not sent", context
    )
    yield from here(lost, f"processes of {place.name} were lost with them", context)


def here(files: Sequence[SourceFile], why: str, context: Context) -> Iterator[FileResult]:
    """Check files on this machine; a note on the first result says how many there are, and why."""
    verb = "was" if len(files) == 1 else "were"
    notes = [Problem("", f"{count(len(files), 'file')} {verb} checked on this machine: {why}.")]
    for file in files:
        result = check_file(file, context)
        yield replace(result, notes=[*result.notes, *notes])
        notes = []


@cache
def program() -> str:
    """Return a digest of the program and of the version of Python."""
    digest = blake2b(repr(sys.version_info[:3]).encode(), digest_size=12)
    for name, file in program_files():
        digest.update(f"{name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


# in the process on another machine

_lock = Lock()
_opened: list[tuple[tuple[str, int], Context]] = []
"""The context of the last parcel: its projects hold the files that several batches import."""


def check_sent(parcel: Parcel, files: Sequence[SourceFile]) -> list[FileResult | Missing]:
    """Check files of a parcel; one task at a time, as what is shown of the disk is shown to the whole process.

    Raises:
        OtherProgram: this program is not that of the sender.
    """
    if parcel.program != program():
        version = ".".join(map(str, sys.version_info[:3]))
        raise OtherProgram(f"a process there has another olympus-lint or Python ({__version__}, Python {version})")
    with _lock, disk.showing(parcel):
        return [checked(file, parcel) for file in files]


def checked(file: SourceFile, parcel: Parcel) -> FileResult | Missing:
    """Check one file of a parcel."""
    try:
        return check_file(file, context_of(parcel))
    except Unsent as error:
        _opened.clear()  # an analysis was left in the middle, with circles of references
        gc.collect()
        return Missing(error.name)


def context_of(parcel: Parcel) -> Context:
    """Return the context of a parcel; the files of another one are forgotten."""
    known = (parcel.run, parcel.number)
    if not _opened or _opened[0][0] != known:
        forget_folders()
        forget_outlines()
        libraries.cache_clear()  # a pack of that name may be another one now
        prepare_collector()
        _opened[:] = [(known, Context(clearance=parcel.clearance))]
    return _opened[0][1]
