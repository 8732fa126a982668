"""Many files, checked in parallel where that pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from olympus_lint.analysis.cache import Cache
from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.analysis.projects import Projects
from olympus_lint.analysis.unparsed import checks_syntax
from olympus_lint.files.sources import InputError, read_bytes
from olympus_lint.project.discovery import SourceFile
from olympus_lint.reporting.results import FileResult
from olympus_lint.run.clearance import UNASKED, Clearance
from olympus_lint.run.context import Context, Mode, Objection, asks_for_safety
from olympus_lint.run.engine import CONSTRUCTOR
from olympus_lint.run.one_file import check_file, failure, recalled
from olympus_lint.run.processes import default_jobs, in_processes, prepare_collector
from olympus_rules.syntax.array_names import forget_outlines
from olympus_rules.syntax.project import forget_folders

PARSED_IN_TIME = 20  # bytes are parsed in the time in which one is analysed
WORTH_A_POOL = 1_000_000  # bytes to analyse; below that, starting processes costs more than it saves


@dataclass(slots=True)
class Work:
    """The files that are to be checked.

    Attributes:
        candidates: files that can hold a key, with their bytes.
        keyless: files that are only parsed.
        renaming: candidates in which a fix may rename a constructor of keys.
        read: all files.
        spent: the time that parsing takes, in bytes of candidates that are analysed in that time.
    """

    candidates: list[tuple[SourceFile, bytes]] = field(default_factory=list)
    keyless: list[SourceFile] = field(default_factory=list)
    renaming: list[SourceFile] = field(default_factory=list)
    read: list[SourceFile] = field(default_factory=list)
    spent: int = 0

    def take(self, file: SourceFile, cache: Cache | None) -> FileResult | None:
        """Read a file and add it to the work; return the result if it needs no check."""
        try:
            data = read_bytes(file.filename)
        except InputError as error:
            return failure(file.filename, error)
        self.read.append(file)
        is_python = file.settings.kind_of(file.filename) == "python"
        if not is_python or worth_checking(file.filename, data, file.settings):
            self.candidates.append((file, data))
            if b"PRNGKey" in data and CONSTRUCTOR in file.settings.codes:
                self.renaming.append(file)
            return None
        if not checks_syntax(file.filename, file.settings) or (cache is not None and cache.is_valid(data)):
            return FileResult(file.filename, analysed=False)
        self.keyless.append(file)
        self.spent += len(data) // PARSED_IN_TIME
        return None

    def recall(self, context: Context) -> Iterator[FileResult]:
        """Yield the results of an earlier run that still hold, and drop these candidates."""
        candidates, self.candidates = self.candidates, []
        for file, data in candidates:
            result = recalled(file, data, context)
            if result is not None:
                yield result
            else:
                self.candidates.append((file, data))


def check_files(
    files: Iterable[SourceFile],
    mode: Mode,
    jobs: int | None = None,
    cache: Cache | None = None,
    objection: Objection | None = None,
    executor: str | None = None,
) -> Iterator[FileResult]:
    """Check files and, in the other modes, rewrite them.

    Args:
        files: what to check.
        mode: what is done besides the check.
        jobs: the number of processes; ``None`` for one per core where there is enough to do.
        cache: the cache between runs. A run that rewrites files uses it for the safety of fixes only, since each
            result may depend on a file that was written just before.
        objection: says why a fix should not be applied; with it, this process checks all files.
        executor: the cluster that checks the files that can hold a key, as ``dask://HOST:PORT``; for checks only.

    Yields:
        The result of each file: first those from the cache, then the others.
    """
    context = Context(mode, Projects(cache if mode is Mode.CHECK else None), objection=objection)
    return checked(files, context, jobs, cache, executor)


def checked(
    files: Iterable[SourceFile],
    context: Context,
    jobs: int | None = None,
    kept: Cache | None = None,
    executor: str | None = None,
) -> Iterator[FileResult]:
    """Check files as :func:`check_files` does.

    Args:
        files: what to check.
        context: the mode, the projects and the objection.
        jobs: the number of processes.
        kept: the cache.
        executor: the cluster.
    """
    cache = context.projects.cache
    forget_folders()
    forget_outlines()
    work = Work()
    for file in files:
        result = work.take(file, cache)
        if result is not None:
            yield result
    prepare_collector()
    context = replace(context, clearance=clearance_of(work, context.mode, kept))
    if cache is not None:
        yield from work.recall(context)
    size = sum(len(data) for _, data in work.candidates) + work.spent
    jobs = min(jobs or (default_jobs() if size > WORTH_A_POOL else 1), len(work.candidates) + len(work.keyless))
    candidates, keyless = [file for file, _ in work.candidates], work.keyless
    del work  # the bytes of the files
    if executor is not None and candidates:
        context.projects.rests = None  # what the other machines look at is not known here
        yield from elsewhere(candidates, executor, context)
        candidates, jobs = [], 1
    yield from run(candidates, keyless, jobs, context)
    if cache is not None:
        cache.close()


def elsewhere(files: Sequence[SourceFile], executor: str, context: Context) -> Iterator[FileResult]:
    """Check files on the machines of a cluster.

    Raises:
        SettingsError: the cluster cannot be used.
    """
    from olympus_lint.run.executors import workplace
    from olympus_lint.run.remote import on_workplace

    with workplace(executor) as place:
        yield from on_workplace(files, place, context)


def clearance_of(work: Work, mode: Mode, cache: Cache | None) -> Clearance | None:
    """Return the clearance for the constructors that may be renamed; ``None`` if there are none."""
    if not any(asks_for_safety(mode, file.settings) for file in work.renaming):
        return UNASKED
    return Clearance(work.renaming, work.read, cache)


def run(
    files: Sequence[SourceFile], keyless: Sequence[SourceFile], jobs: int, context: Context
) -> Iterator[FileResult]:
    """Check candidates, and files that cannot hold a key, in this process or in several."""
    if jobs > 1 and context.objection is None:
        yield from in_processes([files, keyless], jobs, context)
        return
    yield from (check_file(file, context) for file in [*files, *keyless])
    context.projects.finish()
    context.projects.save_rests()
