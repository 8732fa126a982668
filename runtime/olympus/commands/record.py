"""``olympus record``: a command of the user's, with the keys that its Python processes consume written to a file."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from olympus._version import __version__
from olympus.commands import Trouble
from olympus.recording.eventfile import FORMAT, HEADER

EPILOG = """\
Exit status: that of the command; if a signal ends it, that signal ends this process, too. 2 if the events cannot be
written, 126 or 127 if the command cannot be started.
"""
PASSED_ON = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGWINCH")
FROM_TERMINAL = ("SIGINT", "SIGQUIT")  # the terminal sends these to the command as well


def add(commands: Any) -> None:
    """Describe the command to the parser of ``olympus``."""
    parser = commands.add_parser(
        "record",
        usage="olympus record [-h] [-o FILE] [--probe] -- COMMAND ...",
        help="run a command and write down which keys it consumes",
        description="Run a command, such as `pytest tests` or `python train.py`, and write down where its Python "
        "processes consume JAX keys. `olympus-lint --trace-events FILE` reads that.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "-o", "--output-file", type=Path, default=Path("events.jsonl"), metavar="FILE", help="default: events.jsonl"
    )
    parser.add_argument(
        "--probe",
        action="store_true",
        help="see which keys each iteration of a compiled loop consumes, and each branch; what decides that runs twice",
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the command, after `--`")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command and write the file; returns the exit status of the command.

    Raises:
        Trouble: there is no command, or the file cannot be written.
    """
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise Trouble("there is no command to run; give it after `--`, as in `olympus record -- pytest tests`")
    _check_output(options.output_file)
    with tempfile.TemporaryDirectory(prefix="olympus-record-", ignore_cleanup_errors=True) as folder:
        status = _run(command, folder, probe=options.probe)
        try:
            written = _merge(Path(folder), options.output_file, command)
        except OSError as error:
            print(f"error: {options.output_file}: the events cannot be written: {error.strerror}", file=sys.stderr)
            return 2
    if not written and status not in (126, 127):
        print(
            "note: no process of the command imported JAX under the recorder; the environment variable PYTHONPATH "
            "has to reach it, and Python must not run with -I, -E or -S",
            file=sys.stderr,
        )
    if status < 0:
        _die_of(-status)
    return status


def _check_output(path: Path) -> None:
    """Find out before the command runs whether the file can be written.

    Raises:
        Trouble: it cannot, or it is another file of the user's.
    """
    try:
        if path.exists():
            with path.open("rb") as file:
                ours = file.readline(len(HEADER) + 1).startswith(HEADER) or path.stat().st_size == 0
            if not ours:
                raise Trouble(f"{path}: this file holds something other than events; give another --output-file")
        elif not path.parent.is_dir():
            raise Trouble(f"{path}: its folder does not exist; give another --output-file")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise Trouble(f"{path}: it cannot be written; give another --output-file")
    except OSError as error:
        raise Trouble(f"{path}: it cannot be written: {error.strerror}; give another --output-file") from error


def _run(command: list[str], folder: str, *, probe: bool) -> int:
    """Run the command under the recorder; return its status, negative for a signal."""
    package = Path(__file__).parents[1]
    startup = str(package / "recording" / "startup")
    before = os.environ.get("PYTHONPATH")
    environment = {
        **os.environ,
        "PYTHONPATH": startup if not before else f"{startup}{os.pathsep}{before}",
        "OLYMPUS_RECORD_SOURCE": str(package),
        "OLYMPUS_RECORD_FOLDER": folder,
        "OLYMPUS_RECORD_PROBE": "1" if probe else "0",
    }
    with _signals() as pass_on:
        try:
            process = subprocess.Popen(command, env=environment)
        except FileNotFoundError:
            print(f"error: {command[0]}: command not found", file=sys.stderr)
            return 127
        except OSError as error:
            print(f"error: {command[0]}: {error.strerror}", file=sys.stderr)
            return 126
        pass_on.append(process)
        return process.wait()


@contextmanager
def _signals() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Let signals come to the command, and outlive it."""
    running: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        for process in running:
            with suppress(ProcessLookupError):
                process.send_signal(number)

    before = {}
    # Handlers, unlike what is ignored, are not inherited by the command.
    for names, handler in ((PASSED_ON, pass_on), (FROM_TERMINAL, lambda number, frame: None)):
        for name in names:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
    try:
        yield running
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)


def _die_of(number: int) -> None:
    """End this process as the command was ended, without a second core dump."""
    sys.stdout.flush()
    sys.stderr.flush()
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _merge(folder: Path, output: Path, command: list[str]) -> int:
    """Write the events of all processes into one file; return the number of processes that were recorded."""
    parts = sorted(folder.glob("events-*.jsonl"), key=lambda part: part.stat().st_mtime_ns)
    header = json.dumps({"format": FORMAT, "version": __version__, "command": command})
    temporary = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(HEADER + header.encode()[1:] + b"\n")
            for part in (*sorted(folder.glob("notes-*.jsonl")), *parts):
                with part.open("rb") as events:
                    shutil.copyfileobj(events, file)
                if file.tell() and not _ends_in_newline(part):
                    file.write(b"\n")
            file.write(json.dumps({"processes": len(parts)}).encode() + b"\n")
        temporary.replace(output)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return len(parts)


def _ends_in_newline(path: Path) -> bool:
    with path.open("rb") as file:
        return file.seek(0, os.SEEK_END) == 0 or (file.seek(-1, os.SEEK_END), file.read(1))[1] == b"\n"
