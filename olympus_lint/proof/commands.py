"""One run of the user's command in a copy of the tree, under limits, killed with all that it has started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from olympus_lint.proof.trees import CheckError, Tree
from olympus_lint.tracing.remains import below, end_all

RECORDER = "olympus_lint_outcomes"
"""The name under which the user's pytest imports ``recorder.py``."""
DRY_RUN = "JAX_ENABLE_CUSTOM_PRNG"
LOOK = 0.5  # seconds between two looks at a running command
MOST_OUTPUT = 256 << 20  # bytes
TAIL = 20_000  # bytes of the output that are read
OF_THE_MEMORY = 0.75

ENVIRONMENTS = frozenset(
    {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTEST_ADDOPTS"}
)
"""Variables that are not translated to the copy: environments of Python are not copied."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run.

    Attributes:
        seconds: its longest time.
        memory: the resident bytes of all its processes together; 0 for no limit.
    """

    seconds: float
    memory: int = 0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a run is about.

    Attributes:
        changes: the new content of files, by their path relative to the root of the tree.
        typed: whether JAX makes typed keys wherever ``PRNGKey`` is written.
        only: the files whose tests run; all of them by default.
        watch: rows by file, to be recorded when they are executed.
    """

    changes: Mapping[str, bytes] = field(default_factory=dict)
    typed: bool = False
    only: tuple[str, ...] = ()
    watch: Mapping[str, Collection[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run.

    Attributes:
        status: the exit status of the command.
        output: the end of what it printed.
        seconds: its time.
        stopped: the limit that it exceeded; empty for none.
        records: what the plugin wrote, in order, one file of a process after the other.
        copy: the folder in which the tree was copied; it exists no more.
    """

    status: int
    output: str
    seconds: float
    stopped: str
    records: tuple[Mapping[str, object], ...]
    copy: str


class Runner:
    """Runs a command in copies of a tree.

    Attributes:
        tree: the tree.
        command: a line for the shell.
        limits: those of each run.
        roots: the folders of the tree that the copy is imported from, relative to its root.
    """

    def __init__(self, tree: Tree, command: str, limits: Limits, home: Path) -> None:
        """Take the parts; ``home`` is an empty folder of its own."""
        self.tree = tree
        self.command = command
        self.limits = limits
        self.roots: list[str] = []
        self._home = home
        self._runs = 0

    def run(self, setup: Setup) -> Ran:
        """Run the command in a fresh copy.

        Raises:
            CheckError: the tree cannot be copied, or the command cannot be started.
        """
        self._runs += 1
        folder = self._home / "run"  # of the same name each time, since programs may print it
        copy = folder / (self.tree.root.name or "root")
        records = self._home / f"records{self._runs}"
        try:
            for each in (records, self._home / "plugin", folder / "tmp"):
                each.mkdir(parents=True, exist_ok=True)
            self.tree.copy_to(copy, setup.changes)
            started = time.monotonic()
            status, stopped = self._execute(copy, self._environment(copy, records, setup))
            seconds = time.monotonic() - started
            with (self._home / "output").open("rb") as output:
                output.seek(max(0, output.seek(0, os.SEEK_END) - TAIL))
                tail = output.read().decode("utf-8", "replace")
            return Ran(status, tail, seconds, stopped, tuple(read(records)), str(copy))
        finally:
            remove(folder)

    def _environment(self, copy: Path, records: Path, setup: Setup) -> dict[str, str]:
        """Return the environment of the command; the user's, with paths of the tree translated to the copy."""
        known = {
            name: value if name in ENVIRONMENTS else self._translated(value, copy)
            for name, value in os.environ.items()
            if name not in (DRY_RUN, "PYTHONPYCACHEPREFIX", "PYTEST_CURRENT_TEST")
        }
        task = self._home / "task.json"
        watch = {file: sorted(rows) for file, rows in setup.watch.items()}
        what = {"records": str(records), "copy": str(copy), "tree": str(self.tree.root), "only": setup.only}
        task.write_text(json.dumps({**what, "watch": watch}), "utf-8")
        plugin = self._home / "plugin"
        source = Path(__file__).with_name("recorder.py").read_bytes()
        (plugin / f"{RECORDER}.py").write_bytes(source)
        paths = [*(str(copy / root) for root in self.roots), str(plugin), known.get("PYTHONPATH", "")]
        return {
            "PYTHONHASHSEED": "0",
            **known,
            **({DRY_RUN: "1"} if setup.typed else {}),
            RECORDER.upper(): str(task),
            "PYTEST_ADDOPTS": f"-p {RECORDER} {known.get('PYTEST_ADDOPTS', '')}".strip(),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PWD": str(copy / self.tree.here),
            "TMPDIR": str(copy.parent / "tmp"),
            "UV_NO_SYNC": "1",  # it would install the copy into the user's environment
        }

    def _translated(self, value: str, copy: Path) -> str:
        """Return the value of a variable, with paths in the tree translated to the copy."""
        root = str(self.tree.root)
        parts = value.split(os.pathsep)
        return os.pathsep.join(
            str(copy) + part[len(root) :] if part == root or part.startswith(root + os.sep) else part for part in parts
        )

    def _execute(self, copy: Path, environment: dict[str, str]) -> tuple[int, str]:
        """Run the command; return its exit status, and the limit that it exceeded."""
        output = self._home / "output"
        with output.open("wb") as stream:
            try:
                process = subprocess.Popen(
                    self.command,
                    shell=True,
                    cwd=copy / self.tree.here,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise CheckError(f"the command cannot be started ({error.strerror}).") from None
        try:
            stopped = self._wait(process, output)
        finally:
            if hasattr(os, "killpg"):
                end_all(process, str(self._home))
            else:
                process.kill()
            process.wait()
        return process.returncode, stopped

    def _wait(self, process: subprocess.Popen[bytes], output: Path) -> str:
        """Wait for the end of a command; return the limit that it exceeds, or nothing."""
        until = time.monotonic() + self.limits.seconds
        while (left := until - time.monotonic()) > 0:
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(LOOK, left))
                return ""
            if self.limits.memory and resident([process.pid, *below(process.pid)]) > self.limits.memory:
                return f"took more than {self.limits.memory / 2**30:.1f} GiB of memory"
            if output.stat().st_size > MOST_OUTPUT:
                return f"printed more than {MOST_OUTPUT >> 20} MiB"
        return f"took longer than {self.limits.seconds:g} s"


@contextmanager
def runner(tree: Tree, command: str, seconds: float) -> Iterator[Runner]:
    """Make a runner with a folder of its own, which is removed afterwards, also after an interrupt.

    Raises:
        CheckError: there is no folder for temporary files.
    """
    try:
        home = Path(tempfile.mkdtemp(prefix="olympus-lint-check-"))
    except OSError as error:
        raise CheckError(f"there is no folder for temporary files ({error.strerror}); set TMPDIR.") from None
    home = Path(os.path.realpath(home))
    try:
        yield Runner(tree, command, Limits(seconds, int(OF_THE_MEMORY * memory())), home)
    finally:
        remove(home)


def read(records: Path) -> Iterator[Mapping[str, object]]:
    """Yield the records of a run; a process that was killed may have left an incomplete line."""
    for file in sorted(records.glob("*.jsonl"), key=lambda path: int(path.stem)):
        for line in file.read_text("utf-8", "replace").splitlines():
            with suppress(ValueError):
                yield json.loads(line)


def remove(folder: Path) -> None:
    """Remove a folder, and what tests have protected in it; links are not followed."""

    def unprotect(function: object, path: str, _: object) -> None:
        with suppress(OSError):
            Path(path).parent.chmod(0o700)
            if Path(path).is_dir() and not Path(path).is_symlink():
                Path(path).chmod(0o700)
                remove(Path(path))
            else:
                Path(path).unlink()

    import shutil

    if sys.version_info >= (3, 12):
        shutil.rmtree(folder, onexc=unprotect)
    else:
        shutil.rmtree(folder, onerror=unprotect)


def resident(pids: Collection[int]) -> int:
    """Return the resident bytes of processes; 0 where the system does not say."""
    pages = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            pages += int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def memory() -> int:
    """Return the bytes of memory that this process may have; 0 if unknown."""
    limits = []
    with suppress(OSError, ValueError, AttributeError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            limits.append(int(Path("/sys/fs/cgroup", name).read_text("utf-8")))
    return min(limits, default=0)
