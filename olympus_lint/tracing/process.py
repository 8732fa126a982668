"""One worker: ``olympus.worker.process`` in its own process, under limits, killed with all of its children."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import site
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import olympus
from olympus.worker.apart import cause_of
from olympus_lint.tracing.remains import end_all

BOOTSTRAP = """\
import sys
if sys.version_info < (3, 11):
    sys.stdout.write('{"id": 0, "missing": false, "refused": "it is Python %d.%d, and 3.11 is needed"}\\n'
                     % sys.version_info[:2])
    sys.exit()
sys.path[:] = [folder for folder in sys.path if folder]
import importlib.util, os
folder = sys.argv.pop(1)
spec = importlib.util.spec_from_file_location(
    "olympus", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
sys.modules["olympus"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["olympus"])
from olympus.worker.process import main
main()
"""
"""Loads the package ``olympus`` alone, so that the worker cannot import other packages of its folder."""

MEMORY = 4 * 2**30
"""Address space in bytes: JAX takes 1.6 GB of it once something is compiled, most of which it never touches."""

FEW_CORES = 8
FOR_A_CORE = 2**27  # bytes of address space for each further core, on which JAX has a thread with a stack and an arena

LIMITS: Mapping[str, int | None] = {
    "memory": MEMORY + FOR_A_CORE * max(0, (os.cpu_count() or 1) - FEW_CORES),
    "cpu": 3600,
    "file": 64 * 2**20,
}

START = 60.0  # seconds for the import of JAX
LOOK = 0.5  # seconds between checks that the worker is alive
LONGEST = 32 * 2**20  # bytes of an answer

KEPT = (
    "PATH",
    "PYTHONPATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "LANG",
    "LC_ALL",
    "SYSTEMROOT",
    "CUDA_VISIBLE_DEVICES",
)
"""The variables that a worker inherits: those with which its Python and its devices are found."""

PYTHONS = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
"""The interpreter in the folder of an environment: of venv and conda, and of both on Windows."""


class Refused(Exception):
    """An interpreter cannot be used; the message says why, as the end of a sentence.

    Attributes:
        missing: whether only JAX is missing.
    """

    def __init__(self, reason: str, *, missing: bool = False) -> None:
        """Take the parts."""
        super().__init__(reason)
        self.missing = missing


class Died(Exception):
    """A worker has ended or was killed; the message gives the cause."""


class Late(Died):
    """A worker was killed, because it did not answer in time."""


class Ended(Died):
    """The process that a worker has for a file has ended; the worker goes on."""


class Spent(Exception):
    """A worker has executed code, and cannot have a process for a file; another worker can."""


class Worker:
    """A running worker.

    Attributes:
        about: its versions of Python and JAX, its process id, its operations, and whether it can write only to its
            own files.
    """

    def __init__(self, python: str, device: str = "cpu", *, bootstrap: str = BOOTSTRAP, start: float = START) -> None:
        """Start it, and wait until JAX is imported.

        Args:
            python: the interpreter.
            device: the value of ``JAX_PLATFORMS``.
            bootstrap: the program.
            start: the longest time to wait, in seconds.

        Raises:
            Refused: the interpreter does not run, or has no JAX that can be traced.
        """
        try:
            self._home = tempfile.TemporaryDirectory(prefix="olympus-lint-", ignore_cleanup_errors=True)
        except OSError as error:
            raise Refused(f"there is no folder for temporary files ({error.strerror})") from None
        self._errors = Path(self._home.name, "stderr")
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False
        try:
            found = interpreter(python)
        except Refused:
            self._home.cleanup()
            raise
        program = [*network_cut(), found, "-c", bootstrap, str(Path(olympus.__file__).parent)]
        try:
            with self._errors.open("wb") as errors:
                self._process = subprocess.Popen(
                    program,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=environment(self._home.name, device),
                    cwd=self._home.name,
                    start_new_session=True,
                )
        except OSError as error:
            self.kill()
            raise Refused(f"it cannot be started ({error.strerror})") from None
        threading.Thread(target=self._read, daemon=True).start()
        limits: Mapping[str, int | None] = LIMITS
        writable: list[str] | None = [self._home.name]
        if device != "cpu":  # drivers map whole devices, and write to device files
            limits, writable = {**LIMITS, "memory": None}, None
        try:
            self.send({"id": 0, "op": "hello", "parent": os.getpid(), "limits": limits, "writable": writable})
            self.about = self.receive(start)
            if not self.about.keys() & {"jax", "refused"}:
                raise Died("an answer that makes no sense")
        except Died as died:
            self.kill()
            raise Refused(f"it does not answer as a Python with JAX does ({died})") from None
        if "refused" in self.about:
            self.kill()
            raise Refused(str(self.about["refused"]), missing=bool(self.about.get("missing")))

    def _read(self) -> None:
        """Pass on the lines of the worker, and an empty one at their end."""
        assert self._process is not None and self._process.stdout is not None
        stream = self._process.stdout
        with stream, contextlib.suppress(OSError, ValueError):
            while (line := stream.readline(LONGEST)).endswith(b"\n"):
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, request: Mapping[str, Any]) -> None:
        """Send a request.

        Raises:
            Died: the worker does not read it.
        """
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise Died(self._cause()) from None

    def receive(self, seconds: float) -> dict[str, Any]:
        """Return the next line.

        Raises:
            Died: there is none in time. The worker is dead then.
        """
        line = self._next(seconds)
        if line is None:
            self.kill()
            raise Late(f"no answer in {seconds:.3g} s")
        if not line:
            raise Died(self._cause())
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self.kill()
            raise Died("an answer that is no JSON object")
        return answer

    def _next(self, seconds: float) -> bytes | None:
        """Return the next line; an empty one at the end, and ``None`` after the time limit."""
        assert self._process is not None
        end = time.monotonic() + seconds
        while True:
            ended = self._process.poll() is not None
            left = end - time.monotonic()
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=max(0.0, min(LOOK, left)))
            if ended:  # a forked process may still hold the pipe open
                return b""
            if left <= 0:
                return None

    def _cause(self) -> str:
        """Return the cause of the worker's end, and kill its remaining processes."""
        assert self._process is not None
        try:
            status = self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.kill()
            return "it has closed its output"
        self.kill()
        return cause_of(status)

    def kill(self) -> None:
        """Kill the worker and all of its child processes, and remove its folder."""
        process = self._process
        if process is not None and not self._killed:
            self._killed = True
            if hasattr(os, "killpg"):
                end_all(process, self._home.name)
            else:
                process.kill()
            process.wait()
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
        self._home.cleanup()


def interpreter(python: str) -> str:
    """Return the absolute path of an interpreter, which is not resolved: Python knows an environment by the link in it.

    Args:
        python: the folder of an environment, or a program; `env` may be both.

    Raises:
        Refused: there is none.
    """
    inside = [os.path.join(python, name) for name in PYTHONS]  # noqa: PTH118
    for found in filter(None, map(shutil.which, [*inside, python])):
        return os.path.abspath(found)  # noqa: PTH100
    if Path(python).is_dir():
        raise Refused(f"it is a folder that has no Python ({', '.join(PYTHONS[:-1])} or {PYTHONS[-1]})")
    raise Refused("there is no such program")


def environment(home: str, device: str) -> dict[str, str]:
    """Return the environment of a worker, without other variables of the user's session."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    return {
        **kept,
        "HOME": home,
        "PYTHONUSERBASE": site.getuserbase(),  # from the real home, where JAX may be installed
        "TMPDIR": home,
        "JAX_PLATFORMS": device,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONIOENCODING": "utf-8",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }


@cache
def network_cut() -> tuple[str, ...]:
    """Return the command that starts a program without network, if the system allows it to an ordinary user."""
    unshare = shutil.which("unshare") if sys.platform == "linux" else None
    if unshare is None:
        return ()
    command = (unshare, "--map-root-user", "--net", "--")
    try:
        done = subprocess.run([*command, "true"], capture_output=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return command if done.returncode == 0 else ()
